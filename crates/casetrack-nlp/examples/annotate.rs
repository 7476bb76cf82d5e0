//! How long the analysis of texts takes: annotate MODELS_FOLDER [--names] FILE... Each file is a document of pages divided by form feeds.
//!
//! With --names, prints the entities of each file as a line of JSON instead: [type, key, name, mentions, aliases, confidence].

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use casetrack_core::Cancel;
use casetrack_nlp::spacy::MODEL_FOLDER;
use casetrack_nlp::{SpacyRecognizer, annotate};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let models = PathBuf::from(arguments.next().ok_or("name the models folder")?);
    let names = arguments.next_if(|option| option == "--names").is_some();
    let recognizer = SpacyRecognizer::load(&models.join(MODEL_FOLDER)).map_err(|error| error.message)?;
    let (mut spent, mut characters, mut mentions, mut entities, mut references) = (Duration::ZERO, 0, 0, 0, 0);
    for file in arguments {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let pages: Vec<&str> = text.split('\x0c').collect();
        let started = Instant::now();
        let found = annotate(&recognizer, &pages, None, &Cancel::default()).map_err(|error| error.message)?;
        spent += started.elapsed();
        if names {
            let mut counts = vec![0; found.entities.len()];
            found.mentions.iter().for_each(|mention| counts[mention.entity as usize] += 1);
            let listed: Vec<_> = found
                .entities
                .iter()
                .zip(counts)
                .map(|(entity, count)| {
                    json!([
                        entity.entity_type.name(),
                        entity.key,
                        entity.name,
                        count,
                        entity.aliases,
                        entity.confidence
                    ])
                })
                .collect();
            println!("{}", json!(listed));
            continue;
        }
        characters += text.chars().count();
        mentions += found.mentions.len();
        entities += found.entities.len();
        references += found.references.len();
    }
    if names {
        return Ok(());
    }
    let per_chunk = spent.as_secs_f64() * 1e3 / characters.max(1) as f64 * 2000.0;
    println!("{characters} characters in {:.2} s: {per_chunk:.2} ms per 2,000 characters", spent.as_secs_f64());
    println!("{mentions} mentions of {entities} entities, {references} references");
    Ok(())
}
