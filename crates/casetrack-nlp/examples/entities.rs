//! Prints the names of texts: reads JSON lines `{"text", "spans": [[start, end, "ORG"], …]}` and writes for each a line
//! with the mentions of the whole pipeline. `benches/facts/entities.py` measures with it.
//!
//! `pages` instead of `text` and `spans`: a document of several, each `{"text", "spans"}`. Standard error has the time that the rules took.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use casetrack_nlp::names::{Alias, Page, names};
use casetrack_nlp::{Label, NamedSpan};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut spent, mut characters) = (Duration::ZERO, 0);
    for line in std::io::stdin().lock().lines() {
        let input: Value = serde_json::from_str(&line?)?;
        let single = [input.clone()];
        let pages = input["pages"].as_array().map_or(&single[..], |pages| &pages[..]);
        let texts: Vec<&str> = pages.iter().map(|page| page["text"].as_str().unwrap_or_default()).collect();
        let spans: Vec<Vec<NamedSpan>> = pages.iter().map(|page| spans_of(&page["spans"])).collect();
        let pages: Vec<Page<'_>> = texts.iter().zip(&spans).map(|(text, spans)| Page { text, spans }).collect();
        let begin = Instant::now();
        let found = names(&pages);
        spent += begin.elapsed();
        characters += texts.iter().map(|text| text.chars().count()).sum::<usize>();
        let found: Vec<Value> = found
            .iter()
            .map(|page| {
                page.mentions
                    .iter()
                    .map(|named| {
                        let mention = &named.mention;
                        let alias = match &named.alias {
                            None => Value::Null,
                            Some(Alias::Of(name)) => json!(name),
                            Some(Alias::Unnamed) => json!(""),
                        };
                        json!([mention.char_start, mention.char_end, mention.entity_type.name(), mention.role, alias])
                    })
                    .collect()
            })
            .collect();
        writeln!(out, "{}", json!({ "pages": found }))?;
    }
    eprintln!("{:.3} ms per 2,000 characters", spent.as_secs_f64() * 1000.0 / characters.max(1) as f64 * 2000.0);
    Ok(())
}

fn spans_of(spans: &Value) -> Vec<NamedSpan> {
    let of = |span: &Value| {
        let place = |i: usize| span[i].as_u64().and_then(|n| u32::try_from(n).ok());
        let label = match span[2].as_str()? {
            "PERSON" => Label::Person,
            "ORG" => Label::Org,
            "GPE" => Label::Gpe,
            "LOC" => Label::Loc,
            "FAC" => Label::Fac,
            _ => return None,
        };
        Some(NamedSpan { char_start: place(0)?, char_end: place(1)?, label })
    };
    spans.as_array().into_iter().flatten().filter_map(of).collect()
}
