//! `casetrack-lab embed`

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use casetrack_core::{Cancel, Error, Result};
use casetrack_embed::{Embedder, Embeddings, Model, Outputs, SignVectors};
use serde_json::{Map, Value, json};

use crate::output;
use crate::settings::{self, Settings};

/// Texts read before their vectors are printed.
const BATCH: usize = 256;

/// Print the vectors of given texts, for scripts
///
/// Reads one JSON object per line, {"id": anything, "text": "..."}, and prints one for each, in order, with the same id and:
/// e1 "vector"; e6 "terms", each with its weight; e12 "tokens" and their "vectors"; all of these with `all`.
#[derive(Debug, clap::Args)]
pub struct Embed {
    /// File of JSON lines
    #[arg(value_name = "FILE.jsonl")]
    file: PathBuf,
    /// e1 (dense), e6 (sparse), e12 (late interaction) or all
    #[arg(long, value_parser = settings::outputs, value_name = "MODEL")]
    model: Outputs,
    /// Embed the texts as queries, which some models treat differently from passages
    #[arg(long)]
    query: bool,
    /// Print the token vectors of passages in full, not reduced to the signs of their values as a collection would store them
    #[arg(long)]
    exact: bool,
}

impl Embed {
    pub fn run(self, settings: &Settings) -> Result<()> {
        let embedder = settings.embedder()?;
        let file = File::open(&self.file).map_err(|error| Error::io(self.file.display(), error))?;
        let mut batch = Vec::new();
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| Error::io(self.file.display(), error))?;
            batch.push(self.parse(&line, number)?);
            if batch.len() == BATCH {
                self.print(&embedder, &mut batch)?;
            }
        }
        self.print(&embedder, &mut batch)
    }

    fn parse(&self, line: &str, number: usize) -> Result<(Value, String)> {
        let object: Value = serde_json::from_str(line).unwrap_or_default();
        match object["text"].as_str() {
            Some(text) => Ok((object["id"].clone(), text.to_owned())),
            None => {
                let place = format!("Line {number} of {} is not a JSON object with a \"text\".", self.file.display());
                Err(Error::invalid(place).with_hint("Write one object per line: {\"id\": 1, \"text\": \"...\"}"))
            }
        }
    }

    fn print(&self, embedder: &Embedder, batch: &mut Vec<(Value, String)>) -> Result<()> {
        let (ids, texts): (Vec<Value>, Vec<String>) = batch.drain(..).unzip();
        for (id, mut value) in ids.into_iter().zip(self.values(embedder, &texts)?) {
            value.insert("id".to_owned(), id);
            output::print_line(&Value::Object(value).to_string())?;
        }
        Ok(())
    }

    /// The outputs of texts, in order.
    fn values(&self, embedder: &Embedder, texts: &[String]) -> Result<Vec<Map<String, Value>>> {
        let outputs = self.model;
        let embeddings = match self.query {
            false => embedder.embed(texts, outputs, &Cancel::default())?,
            true => {
                let mut all = Embeddings::default();
                for text in texts {
                    let one = embedder.embed_query_as(text, outputs)?;
                    all.dense.extend(one.dense);
                    all.sparse.extend(one.sparse);
                    all.tokens.extend(one.tokens);
                }
                all
            }
        };
        let mut values = vec![Map::new(); texts.len()];
        for (value, vector) in values.iter_mut().zip(embeddings.dense) {
            value.insert("vector".to_owned(), json!(vector));
        }
        if outputs.sparse {
            let model = embedder.model(Outputs::SPARSE)?;
            for (value, vector) in values.iter_mut().zip(embeddings.sparse) {
                let terms = vector.terms.iter().map(|&(id, weight)| (token(&model, id), json!(weight)));
                value.insert("terms".to_owned(), Value::Object(terms.collect()));
            }
        }
        if outputs.tokens {
            let model = embedder.model(Outputs::TOKENS)?;
            let dimension = model.token_dimension();
            for (value, mut found) in values.iter_mut().zip(embeddings.tokens) {
                if !self.query && !self.exact {
                    found.vectors = SignVectors::new(&found, dimension).decode();
                }
                let tokens: Vec<String> = found.tokens.iter().map(|&id| token(&model, id)).collect();
                let vectors: Vec<&[f32]> = found.vectors.chunks_exact(dimension).collect();
                value.insert("tokens".to_owned(), json!(tokens));
                value.insert("vectors".to_owned(), json!(vectors));
            }
        }
        Ok(values)
    }
}

fn token(model: &Model, id: u32) -> String {
    model.tokenizer().token(id).unwrap_or_else(|| id.to_string())
}
