//! The facts of contracts, without ingestion: facts MODELS_FOLDER CACHE_FOLDER FILE... Each file is a document of pages divided by form feeds.
//!
//! Prints a line of JSON for each file: its name and its cells by column, as the matter sheet shows them, the cells that are not sure, and the
//! evidence of the rules, for training. What analysis finds is kept in the cache folder, so that only the first run waits for it; empty the
//! folder when analysis has changed.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use casetrack_core::{Annotations, Cancel};
use casetrack_nlp::facts::{Fact, FactKind, Facts, evidence, facts_and_doubts};
use casetrack_nlp::spacy::MODEL_FOLDER;
use casetrack_nlp::{SpacyRecognizer, annotate};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let models = arguments.next().ok_or("name the models folder")?;
    let cache = arguments.next().ok_or("name the cache folder")?;
    std::fs::create_dir_all(&cache)?;
    let mut recognizer = None;
    for file in arguments {
        let text = String::from_utf8_lossy(&std::fs::read(&file)?).replace("\r\n", "\n");
        let pages: Vec<&str> = text.split('\x0c').collect();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kept = cache.join(format!("{name}.json"));
        let annotations: Annotations = if kept.exists() {
            serde_json::from_slice(&std::fs::read(&kept)?)?
        } else {
            if recognizer.is_none() {
                recognizer = Some(SpacyRecognizer::load(&models.join(MODEL_FOLDER)).map_err(|error| error.message)?);
            }
            let Some(recognizer) = &recognizer else { continue };
            let found = annotate(recognizer, &pages, None, &Cancel::default()).map_err(|error| error.message)?;
            std::fs::write(&kept, serde_json::to_vec(&found)?)?;
            found
        };
        let Facts { known, unsure, .. } = facts_and_doubts(&pages, &annotations);
        let evidence = evidence(&pages, &annotations);
        let evidence: Vec<Value> =
            evidence.iter().map(|found| json!([found.fact, found.scores, found.in_contract])).collect();
        println!(
            "{}",
            json!({"document": name, "cells": by_column(&known), "unsure": by_column(&unsure), "evidence": evidence})
        );
    }
    Ok(())
}

/// Value, page, first and last character, and confidence.
fn by_column(facts: &[Fact]) -> BTreeMap<String, Vec<Value>> {
    let mut cells: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for Fact { kind, value, page, char_start, char_end, confidence, .. } in facts {
        let column = match kind {
            FactKind::Clause(clause) => format!("clause {}", clause.name()),
            kind => json!(kind).as_str().unwrap_or_default().to_owned(),
        };
        cells.entry(column).or_default().push(json!([value, page, char_start, char_end, confidence]));
    }
    cells
}
