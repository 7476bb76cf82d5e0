//! How long the analysis of texts takes: annotate MODELS_FOLDER FILE... Each file is a document of pages divided by form feeds.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use casetrack_core::Cancel;
use casetrack_nlp::spacy::MODEL_FOLDER;
use casetrack_nlp::{SpacyRecognizer, annotate};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let models = PathBuf::from(arguments.next().ok_or("name the models folder")?);
    let recognizer = SpacyRecognizer::load(&models.join(MODEL_FOLDER)).map_err(|error| error.message)?;
    let (mut spent, mut characters, mut mentions, mut entities, mut references) = (Duration::ZERO, 0, 0, 0, 0);
    for file in arguments {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let pages: Vec<&str> = text.split('\x0c').collect();
        let started = Instant::now();
        let found = annotate(&recognizer, &pages, &Cancel::default()).map_err(|error| error.message)?;
        spent += started.elapsed();
        characters += text.chars().count();
        mentions += found.mentions.len();
        entities += found.entities.len();
        references += found.references.len();
    }
    let per_chunk = spent.as_secs_f64() * 1e3 / characters.max(1) as f64 * 2000.0;
    println!("{characters} characters in {:.2} s: {per_chunk:.2} ms per 2,000 characters", spent.as_secs_f64());
    println!("{mentions} mentions of {entities} entities, {references} references");
    Ok(())
}
