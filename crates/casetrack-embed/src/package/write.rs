//! The files of a model, from the file of the package.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use casetrack_core::{Error, Result};
use serde::Serialize;

use super::image::{Image, Tensor};
use crate::manifest::{CONFIG_FILE, WEIGHTS_FILE};
use crate::tokenize::UNIGRAM_FILE;
use crate::unigram::{CHARACTERS, OFFSETS, PIECES, SCORES, SPECIAL};
use crate::weights::{Q4_BLOCK_BYTES, Q4_BLOCK_VALUES};

/// Names of a layer's parts in the package, and in BERT's files.
const PARTS: [(&str, &str); 8] = [
    ("q", "attention.self.query"),
    ("k", "attention.self.key"),
    ("v", "attention.self.value"),
    ("ao", "attention.output.dense"),
    ("aln", "attention.output.LayerNorm"),
    ("fi", "intermediate.dense"),
    ("fo", "output.dense"),
    ("oln", "output.LayerNorm"),
];

struct Entry<'i> {
    name: String,
    kind: &'static str,
    shape: Vec<u64>,
    bytes: Cow<'i, [u8]>,
}

#[derive(Serialize)]
struct Described<'e> {
    dtype: &'static str,
    shape: &'e [u64],
    data_offsets: [usize; 2],
}

/// `config.json` of the model, as BERT's.
#[derive(Serialize)]
struct Config {
    model_type: &'static str,
    hidden_act: &'static str,
    hidden_size: u32,
    num_hidden_layers: u32,
    num_attention_heads: u32,
    intermediate_size: u32,
    vocab_size: u32,
    max_position_embeddings: u32,
    type_vocab_size: u32,
    layer_norm_eps: f32,
}

/// Writes weights, vocabulary and configuration into a folder.
pub fn model(image: &Image<'_>, dir: &Path) -> Result<()> {
    safetensors(&dir.join(WEIGHTS_FILE), &weights(image)?)?;
    safetensors(&dir.join(UNIGRAM_FILE), &vocabulary(image))?;
    let config = Config {
        model_type: "bert",
        hidden_act: "gelu",
        hidden_size: image.hidden,
        num_hidden_layers: image.layers,
        num_attention_heads: image.heads,
        intermediate_size: image.intermediate,
        vocab_size: image.vocabulary,
        max_position_embeddings: image.positions,
        type_vocab_size: image.token_types,
        layer_norm_eps: image.epsilon,
    };
    let config =
        serde_json::to_vec_pretty(&config).map_err(|error| Error::internal(format!("{CONFIG_FILE}: {error}")))?;
    let path = dir.join(CONFIG_FILE);
    std::fs::write(&path, config).map_err(|error| Error::io(path.display(), error))
}

fn weights<'i>(image: &'i Image<'_>) -> Result<Vec<Entry<'i>>> {
    let (hidden, inner) = (u64::from(image.hidden), u64::from(image.intermediate));
    let mut entries = Vec::new();
    let mut add = |from: String, name: String, shape: &[u64]| {
        let tensor =
            image.tensors.get(&from).ok_or_else(|| Error::internal(format!("the package has no tensor {from}")))?;
        let Tensor { quantised, values, bytes } = *tensor;
        if shape.iter().product::<u64>() != u64::from(values) {
            return Err(Error::internal(format!("tensor {from} of the package has {values} values")));
        }
        let mut shape = shape.to_vec();
        if let Some(columns) = shape.last_mut().filter(|_| quantised) {
            *columns = *columns / Q4_BLOCK_VALUES as u64 * Q4_BLOCK_BYTES as u64;
        }
        entries.push(Entry { name, kind: if quantised { "U8" } else { "F32" }, shape, bytes: bytes.into() });
        Ok(())
    };
    for (from, name, rows) in [
        ("emb.word", "word_embeddings", image.vocabulary),
        ("emb.pos", "position_embeddings", image.positions),
        ("emb.type", "token_type_embeddings", image.token_types),
    ] {
        add(from.to_owned(), format!("embeddings.{name}.weight"), &[rows.into(), hidden])?;
    }
    for (from, name) in [("w", "weight"), ("b", "bias")] {
        add(format!("emb.ln.{from}"), format!("embeddings.LayerNorm.{name}"), &[hidden])?;
    }
    for layer in 0..image.layers {
        for (part, name) in PARTS {
            let (rows, columns) = match part {
                "fi" => (inner, Some(hidden)),
                "fo" => (hidden, Some(inner)),
                "aln" | "oln" => (hidden, None),
                _ => (hidden, Some(hidden)),
            };
            let (from, name) = (format!("l{layer}.{part}"), format!("encoder.layer.{layer}.{name}"));
            let shape: Vec<u64> = [Some(rows), columns].into_iter().flatten().collect();
            add(format!("{from}.w"), format!("{name}.weight"), &shape)?;
            add(format!("{from}.b"), format!("{name}.bias"), &[rows])?;
        }
    }
    Ok(entries)
}

fn vocabulary<'i>(image: &'i Image<'_>) -> Vec<Entry<'i>> {
    let special = image.special;
    let special = [special.begin, special.end, special.padding, special.unknown].map(u32::to_le_bytes).concat();
    let characters = image.characters.iter().flat_map(|(from, by)| {
        [*from, by.len() as u32].into_iter().chain(by.iter().copied()).flat_map(u32::to_le_bytes)
    });
    let entry = |name: &str, bytes: Cow<'i, [u8]>| Entry {
        name: name.to_owned(),
        kind: "U8",
        shape: vec![bytes.len() as u64],
        bytes,
    };
    vec![
        entry(CHARACTERS, characters.collect::<Vec<u8>>().into()),
        entry(OFFSETS, image.offsets.into()),
        entry(PIECES, image.pieces.into()),
        entry(SCORES, image.scores.into()),
        entry(SPECIAL, special.into()),
    ]
}

/// Writes a safetensors file: the length of the header, the header, the data in its order.
fn safetensors(path: &Path, entries: &[Entry<'_>]) -> Result<()> {
    let mut header = BTreeMap::new();
    let mut end = 0;
    for Entry { name, kind, shape, bytes } in entries {
        let start = end;
        end += bytes.len();
        header.insert(name, Described { dtype: kind, shape, data_offsets: [start, end] });
    }
    let header = serde_json::to_vec(&header);
    let mut header = header.map_err(|error| Error::internal(format!("{}: {error}", path.display())))?;
    header.resize(header.len().next_multiple_of(8), b' ');
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        entries.iter().try_for_each(|entry| file.write_all(&entry.bytes))?;
        file.into_inner()?.sync_all()
    };
    write().map_err(|error| Error::io(path.display(), error))
}
