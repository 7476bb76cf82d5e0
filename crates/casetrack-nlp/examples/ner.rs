//! Runs the entity recognizer over texts, one JSON string a line on stdin; benches/facts/ner_peer.py drives it.
//!
//! ner MODEL_FOLDER            prints each text's tokens and entities as JSON ner MODEL_FOLDER --speed    on an empty
//! line, recognizes the texts read so far once and prints tokens and seconds as JSON

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::time::Instant;

use casetrack_core::Cancel;
use casetrack_nlp::{Recognizer, SpacyRecognizer};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: ner MODEL_FOLDER [--speed] < texts.jsonl")?);
    let speed = arguments.next().is_some_and(|option| option == "--speed");
    let started = Instant::now();
    let recognizer = SpacyRecognizer::load(&folder).map_err(|error| error.full_text())?;
    let load_ms = started.elapsed().as_secs_f64() * 1000.0;
    let mut out = stdout().lock();
    if speed {
        writeln!(out, "{}", json!({ "load_ms": load_ms, "memory_mb": memory_mb() }))?;
        out.flush()?;
    }
    let mut texts: Vec<String> = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        if !line.is_empty() {
            let text: String = serde_json::from_str(&line)?;
            if speed {
                texts.push(text);
                continue;
            }
            let entities = recognizer.recognize(&text, &Cancel::default()).map_err(|error| error.full_text())?;
            let entities: Vec<_> =
                entities.iter().map(|e| json!([e.char_start, e.char_end, format!("{:?}", e.label)])).collect();
            let tokens = recognizer.tokens(&text).map_err(|error| error.full_text())?;
            writeln!(out, "{}", json!({ "tokens": tokens, "entities": entities }))?;
            continue;
        }
        let started = Instant::now();
        let mut entities = 0;
        for text in &texts {
            entities += recognizer.recognize(text, &Cancel::default()).map_err(|error| error.full_text())?.len();
        }
        let seconds = started.elapsed().as_secs_f64();
        let mut tokens = 0;
        for text in &texts {
            tokens += recognizer.tokens(text).map_err(|error| error.full_text())?.len();
        }
        let result = json!({ "seconds": seconds, "tokens": tokens, "entities": entities, "memory_mb": memory_mb() });
        writeln!(out, "{result}")?;
        out.flush()?;
    }
    Ok(())
}

/// The process's resident memory; `None` if /proc does not have it.
fn memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
