//! `casetrack embed`

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::{Cancel, Error, Result};
use casetrack_engine::embedding::{EmbedRequest, EmbeddingKind};
use casetrack_engine::{Engine, Side};
use clap::Args;
use serde_json::Value;

use crate::args::Global;
use crate::output;

/// Texts read before their vectors are printed.
const BATCH: usize = 256;

/// Vectors of given texts, for scripts
///
/// Reads one JSON object a line, {"id": anything, "text": "..."}, and prints one for each, in order, with the same id and:
/// e1 "vector"; e6 "terms", each with its weight; e12 "tokens" and their "vectors"; all of these with `all`.
#[derive(Debug, Args)]
pub struct Embed {
    /// File of JSON lines
    #[arg(value_name = "FILE.jsonl")]
    file: PathBuf,
    /// e1 (dense), e6 (sparse), e12 (late interaction) or all
    #[arg(long, value_parser = crate::args::embedding_kind, value_name = "MODEL")]
    model: EmbeddingKind,
    /// The texts are queries, which some models treat otherwise than passages
    #[arg(long)]
    query: bool,
    /// Token vectors of passages as computed instead of as stored, with the signs of their values only
    #[arg(long)]
    exact: bool,
}

impl Embed {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = global.engine()?;
        let file = File::open(&self.file).map_err(|error| Error::io(self.file.display(), error))?;
        let mut batch = Vec::new();
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| Error::io(self.file.display(), error))?;
            batch.push(self.parse(&line, number)?);
            if batch.len() == BATCH {
                self.print(&engine, &mut batch)?;
            }
        }
        self.print(&engine, &mut batch)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The id and the text of a line.
    fn parse(&self, line: &str, number: usize) -> Result<(Value, String)> {
        let object: Value = serde_json::from_str(line).unwrap_or_default();
        match object["text"].as_str() {
            Some(text) => Ok((object["id"].clone(), text.to_owned())),
            None => {
                let place = format!("Line {number} of {} is not a JSON object with a \"text\".", self.file.display());
                Err(Error::invalid(place).with_hint("Write one object a line: {\"id\": 1, \"text\": \"...\"}"))
            }
        }
    }

    fn print(&self, engine: &Engine, batch: &mut Vec<(Value, String)>) -> Result<()> {
        let (ids, texts): (Vec<Value>, Vec<String>) = batch.drain(..).unzip();
        let side = if self.query { Side::Query } else { Side::Passage };
        let request = EmbedRequest { kind: self.model, side, exact: self.exact };
        for (id, mut value) in ids.into_iter().zip(engine.embed_texts(&request, &texts, &Cancel::default())?) {
            value["id"] = id;
            output::print_line(&value.to_string())?;
        }
        Ok(())
    }
}
