//! Tiny models of every architecture and kind of output, written as files and loaded as any other, against the
//! same computed by the definitions.

use std::collections::HashMap;
use std::fs;

use casetrack_core::ErrorCode;
use safetensors::Dtype;
use tempfile::TempDir;

use super::*;
use crate::kernels::layer_norm::LayerNorm;
use crate::kernels::testing::random;
use crate::models_dir::find_models_dir;
use crate::reference::{Matrix, gelu};
use crate::testing::{single_bytes, write_tensors};

const HIDDEN: usize = 16;
const HEADS: usize = 2;
const INTERMEDIATE: usize = 24;
const VOCABULARY: usize = 30_522;
const POSITIONS: usize = 40;
const COLBERT: usize = 6;
const LAYERS: usize = 2;

const TEXTS: [&str; 4] =
    ["The Company shall indemnify the Buyer.", "", "x", "Zürich, 4.2(b): notice in writing, thirty (30) days, 契約"];

struct Tiny {
    dir: TempDir,
    tensors: HashMap<String, (Vec<usize>, Vec<f32>)>,
    prefix: &'static str,
    distil: bool,
}

impl Tiny {
    /// `description` goes into the manifest; `extra` are tensors besides the encoder's.
    fn new(prefix: &'static str, distil: bool, description: &str, extra: &[(&str, &[usize])]) -> Self {
        let mut names: Vec<(String, Vec<usize>)> = vec![
            ("embeddings.word_embeddings.weight".into(), vec![VOCABULARY, HIDDEN]),
            ("embeddings.position_embeddings.weight".into(), vec![POSITIONS, HIDDEN]),
            ("embeddings.LayerNorm.weight".into(), vec![HIDDEN]),
            ("embeddings.LayerNorm.bias".into(), vec![HIDDEN]),
        ];
        if !distil {
            names.push(("embeddings.token_type_embeddings.weight".into(), vec![2, HIDDEN]));
        }
        for number in 0..LAYERS {
            for (part, rows, columns) in layer_parts(distil) {
                let name = |kind| format!("{}{number}.{part}.{kind}", layer_prefix(distil));
                let weight = if columns == 0 { vec![rows] } else { vec![rows, columns] };
                names.extend([(name("weight"), weight), (name("bias"), vec![rows])]);
            }
        }
        let mut names: Vec<_> = names.into_iter().map(|(name, shape)| (format!("{prefix}{name}"), shape)).collect();
        names.extend(extra.iter().map(|(name, shape)| (name.to_string(), shape.to_vec())));
        let tensors: HashMap<_, _> = (1..)
            .zip(names)
            .map(|(seed, (name, shape))| {
                let values: Vec<f32> = random(shape.iter().product(), seed).iter().map(|x| x * 0.3).collect();
                (name, (shape, values))
            })
            .collect();

        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("tiny");
        fs::create_dir(&model).unwrap();
        let vendored = find_models_dir(None).unwrap().join("e1-all-minilm-l6-v2");
        fs::copy(vendored.join(TOKENIZER_FILE), model.join(TOKENIZER_FILE)).unwrap();
        let written = tensors.iter();
        let written = written.map(|(name, (shape, values))| (&name[..], Dtype::F32, &shape[..], single_bytes(values)));
        write_tensors(&model.join(WEIGHTS_FILE), written.collect());
        let config = if distil {
            format!(
                r#"{{"model_type": "distilbert", "dim": {HIDDEN}, "n_layers": {LAYERS}, "n_heads": {HEADS}, "activation": "gelu",
                "hidden_dim": {INTERMEDIATE}, "vocab_size": {VOCABULARY}, "max_position_embeddings": {POSITIONS}}}"#
            )
        } else {
            format!(
                r#"{{"model_type": "bert", "hidden_size": {HIDDEN}, "num_hidden_layers": {LAYERS}, "vocab_size": {VOCABULARY},
                "num_attention_heads": {HEADS}, "intermediate_size": {INTERMEDIATE}, "layer_norm_eps": 1e-12,
                "max_position_embeddings": {POSITIONS}, "type_vocab_size": 2, "hidden_act": "gelu"}}"#
            )
        };
        fs::write(model.join(CONFIG_FILE), config).unwrap();
        let hash = "0".repeat(64);
        let architecture = if distil { "distilbert" } else { "bert" };
        let manifest = format!(
            "[[models]]\nid = \"tiny\"\narchitecture = \"{architecture}\"\nsource_repository = \"\"\nsource_revision = \"\"\n\
             source_weights_sha256 = \"{hash}\"\nsource_package = \"\"\nsource_package_sha256 = \"{hash}\"\n\
             licence = \"MIT\"\nmax_tokens = 32\nquery_prefix = \"\"\npassage_prefix = \"\"\nfiles = []\n{description}\n"
        );
        fs::write(dir.path().join("manifest.toml"), manifest).unwrap();
        Self { dir, tensors, prefix, distil }
    }

    fn load(&self) -> Result<Model> {
        let manifest = ModelManifest::load(self.dir.path()).unwrap();
        Model::load(&manifest, manifest.get("tiny").unwrap(), Precision::Float32)
    }

    fn tensor(&self, name: &str) -> &[f32] {
        &self.tensors[name].1
    }

    fn linear(&self, name: &str, x: &Matrix) -> Matrix {
        x.linear(self.tensor(&format!("{name}.weight")), self.tensor(&format!("{name}.bias")))
    }

    fn norm(&self, name: &str, x: &Matrix) -> Matrix {
        let part = |kind| self.tensor(&format!("{name}.{kind}")).to_vec();
        x.norm(&LayerNorm { gamma: part("weight"), beta: part("bias"), epsilon: 1e-12 })
    }

    /// The last hidden states of one sequence, `[tokens, hidden]`, in which only the first `visible` are attended to.
    fn states(&self, ids: &[u32], visible: usize) -> Matrix {
        let prefix = self.prefix;
        let embedding = |kind| self.tensor(&format!("{prefix}embeddings.{kind}_embeddings.weight"));
        let words = embedding("word");
        let words: Vec<f32> = ids.iter().flat_map(|&id| &words[id as usize * HIDDEN..][..HIDDEN]).copied().collect();
        let positions = Matrix::new(&embedding("position")[..words.len()], HIDDEN);
        let mut x = Matrix::new(&words, HIDDEN).plus(&positions);
        if !self.distil {
            x = x.plus(&Matrix::new(&embedding("token_type")[..HIDDEN].repeat(ids.len()), HIDDEN));
        }
        x = self.norm(&format!("{prefix}embeddings.LayerNorm"), &x);
        for number in 0..LAYERS {
            let name = |part: usize| {
                format!("{prefix}{}{number}.{}", layer_prefix(self.distil), layer_parts(self.distil)[part].0)
            };
            let all = |kind| [0, 1, 2].map(|part| self.tensor(&format!("{}.{kind}", name(part)))).concat();
            let context = x.linear(&all("weight"), &all("bias")).attention(HEADS, visible);
            let attended = self.norm(&name(4), &self.linear(&name(3), &context).plus(&x));
            let inner = self.linear(&name(5), &attended).map(gelu);
            x = self.norm(&name(7), &self.linear(&name(6), &inner).plus(&attended));
        }
        x
    }
}

fn layer_prefix(distil: bool) -> &'static str {
    if distil { "transformer.layer." } else { "encoder.layer." }
}

/// Query, key, value, output, its norm, up, down, their norm: name, rows and columns (none for a norm).
fn layer_parts(distil: bool) -> [(&'static str, usize, usize); 8] {
    let names = if distil {
        [
            "attention.q_lin",
            "attention.k_lin",
            "attention.v_lin",
            "attention.out_lin",
            "sa_layer_norm",
            "ffn.lin1",
            "ffn.lin2",
            "output_layer_norm",
        ]
    } else {
        [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.output.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "output.LayerNorm",
        ]
    };
    let shapes = [
        (HIDDEN, HIDDEN),
        (HIDDEN, HIDDEN),
        (HIDDEN, HIDDEN),
        (HIDDEN, HIDDEN),
        (HIDDEN, 0),
        (INTERMEDIATE, HIDDEN),
        (HIDDEN, INTERMEDIATE),
        (HIDDEN, 0),
    ];
    std::array::from_fn(|i| (names[i], shapes[i].0, shapes[i].1))
}

fn sequences(model: &Model, side: Side) -> Vec<Vec<u32>> {
    TEXTS.iter().map(|text| model.tokenize(text, side).unwrap()).collect()
}

fn assert_close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (&found, expected) in found.iter().zip(expected) {
        assert!((f64::from(found) - expected).abs() < 2e-5, "{found} instead of {expected}");
    }
}

fn unit(vector: &[f64]) -> Vec<f64> {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.iter().map(|x| x / norm).collect()
}

#[test]
fn dense_models_pool_by_the_mean_or_the_first_token() {
    for (pooling, prefix) in [("mean", ""), ("cls", "bert.")] {
        let description =
            format!("roles = [\"dense\"]\ndimension = {HIDDEN}\npooling = \"{pooling}\"\nnormalise = true");
        let tiny = Tiny::new(prefix, false, &description, &[]);
        let model = tiny.load().unwrap();
        let sequences = sequences(&model, Side::Passage);
        let found = model.encode(&sequences, Side::Passage, Outputs::ALL).unwrap();
        assert!(found.sparse.is_empty() && found.tokens.is_empty());
        for (found, ids) in found.dense.iter().zip(&sequences) {
            let states = tiny.states(ids, ids.len());
            let column = |i: usize| states.rows().map(|row| row[i]).sum::<f64>();
            let pooled: Vec<f64> = if pooling == "cls" {
                states.values[..HIDDEN].to_vec()
            } else {
                (0..HIDDEN).map(|i| column(i) / ids.len() as f64).collect()
            };
            assert_close(found, &unit(&pooled));
        }
    }
}

fn assert_splade(tiny: &Tiny, transform: &str, norm: &str, bias: &str, decoder: &str) {
    let model = tiny.load().unwrap();
    let sequences = sequences(&model, Side::Passage);
    let found = model.encode(&sequences, Side::Passage, Outputs::SPARSE).unwrap();
    assert_eq!(found.sparse.len(), TEXTS.len());
    for (found, ids) in found.sparse.iter().zip(&sequences) {
        let transformed = tiny.norm(norm, &tiny.linear(transform, &tiny.states(ids, ids.len())).map(gelu));
        let logits = transformed.linear(tiny.tensor(decoder), tiny.tensor(bias));
        let mut expected = vec![0f64; VOCABULARY];
        for row in logits.rows() {
            expected.iter_mut().zip(row).for_each(|(greatest, logit)| *greatest = greatest.max(logit.max(0.0).ln_1p()));
        }
        let mut weights = vec![0f32; VOCABULARY];
        assert!(found.terms.is_sorted_by(|a, b| a.0 < b.0) && found.terms.iter().all(|&(_, weight)| weight > 0.0));
        found.terms.iter().for_each(|&(id, weight)| weights[id as usize] = weight);
        assert_close(&weights, &expected);
        assert!(found.terms.len() > 100);
    }
}

#[test]
fn sparse_models_of_bert_share_the_word_embeddings_with_the_head() {
    let (transform, norm) = ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm");
    let extra: &[(&str, &[usize])] = &[
        ("cls.predictions.transform.dense.weight", &[HIDDEN, HIDDEN]),
        ("cls.predictions.transform.dense.bias", &[HIDDEN]),
        ("cls.predictions.transform.LayerNorm.weight", &[HIDDEN]),
        ("cls.predictions.transform.LayerNorm.bias", &[HIDDEN]),
        ("cls.predictions.bias", &[VOCABULARY]),
    ];
    let tiny = Tiny::new("bert.", false, &format!("roles = [\"sparse\"]\ndimension = {VOCABULARY}"), extra);
    assert_splade(&tiny, transform, norm, "cls.predictions.bias", "bert.embeddings.word_embeddings.weight");
}

#[test]
fn sparse_models_of_distilbert_may_have_a_head_of_their_own() {
    let extra: &[(&str, &[usize])] = &[
        ("vocab_transform.weight", &[HIDDEN, HIDDEN]),
        ("vocab_transform.bias", &[HIDDEN]),
        ("vocab_layer_norm.weight", &[HIDDEN]),
        ("vocab_layer_norm.bias", &[HIDDEN]),
        ("vocab_projector.weight", &[VOCABULARY, HIDDEN]),
        ("vocab_projector.bias", &[VOCABULARY]),
    ];
    let tiny = Tiny::new("distilbert.", true, &format!("roles = [\"sparse\"]\ndimension = {VOCABULARY}"), extra);
    assert_splade(&tiny, "vocab_transform", "vocab_layer_norm", "vocab_projector.bias", "vocab_projector.weight");
}

#[test]
fn late_interaction_models_project_the_tokens_that_count() {
    let description = format!(
        "roles = [\"late-interaction\"]\ndimension = {COLBERT}\nlate_interaction = {{ dimension = {COLBERT}, projected = true, \
         query_marker = \"[unused0]\", passage_marker = \"[unused1]\", query_tokens = 12 }}"
    );
    let tiny = Tiny::new("bert.", false, &description, &[("linear.weight", &[COLBERT, HIDDEN])]);
    let model = tiny.load().unwrap();
    for side in [Side::Query, Side::Passage] {
        let sequences = sequences(&model, side);
        let found = model.encode(&sequences, side, Outputs::ALL).unwrap();
        assert!(found.dense.is_empty());
        for (found, ids) in found.tokens.iter().zip(&sequences) {
            let visible = ids.iter().rposition(|&id| id != 103).unwrap() + 1;
            let projected = tiny.states(ids, visible).linear(tiny.tensor("linear.weight"), &[0.0; COLBERT]);
            let kept: Vec<usize> = (0..ids.len())
                .filter(|&row| {
                    let token = model.tokenizer().token(ids[row]).unwrap();
                    side == Side::Query || !token.chars().all(|c| c.is_ascii_punctuation())
                })
                .collect();
            assert_eq!(found.tokens, kept.iter().map(|&row| ids[row]).collect::<Vec<_>>());
            for (found, row) in found.vectors.chunks(COLBERT).zip(kept) {
                assert_close(found, &unit(&projected.values[row * COLBERT..][..COLBERT]));
            }
        }
        let shortest = sequences.iter().map(Vec::len).min().unwrap();
        assert_eq!(shortest, if side == Side::Query { 12 } else { 3 });
    }
}

#[test]
fn a_file_without_the_tensors_of_its_role_is_refused() {
    let description = format!("roles = [\"sparse\"]\ndimension = {VOCABULARY}");
    let error = Tiny::new("bert.", false, &description, &[]).load().err().unwrap();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.message.contains("cls.predictions.transform.dense.weight"), "{}", error.message);

    let description = "roles = [\"dense\"]\ndimension = 99\npooling = \"mean\"".to_owned();
    let error = Tiny::new("", false, &description, &[]).load().err().unwrap();
    assert!(error.message.contains("contradict"), "{}", error.message);
}
