//! The transition system (spacy/pipeline/_parser_internals/ner.pyx): tokens from left to right, for each the best transition
//! that is allowed. B begins an entity, I continues it, L ends it, U is an entity of one token, O is outside.
//!
//! spaCy ends entities at sentence starts; here, as in a pipeline without a parser, there are no sentences.

use casetrack_core::Result;
use pulp::Arch;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::files::Tensors;
use super::layer::Layer;
use super::network::{FEATURE, FEATURES, HIDDEN, STATE_PIECES, pieces_apart};
use crate::recognizer::Label;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Begin(Label),
    Unit(Label),
    Out,
}

#[derive(Debug, Clone)]
struct Row {
    weights: Vec<f32>,
    bias: f32,
}

#[derive(Debug)]
pub(super) struct Decoder {
    /// The contribution of a feature without a token, `[FEATURES, STATE_PIECES, HIDDEN]`.
    pad: Vec<f32>,
    /// `[STATE_PIECES, HIDDEN]`
    bias: Vec<f32>,
    moves: Vec<Move>,
    scores: Layer,
    /// By label: continuing an entity, and ending it.
    inside: Vec<(Label, Row, Row)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenSpan {
    pub start: usize,
    pub end: usize,
    pub label: Label,
}

/// The state of the decoder between two blocks of tokens.
#[derive(Debug)]
pub(super) struct State {
    token: usize,
    open: Option<Open>,
    /// The last token's contribution as the last one of an entity.
    previous: [f32; FEATURE],
    pub entities: Vec<TokenSpan>,
    hidden: Vec<f32>,
    scores: Vec<f32>,
}

#[derive(Debug)]
struct Open {
    start: usize,
    inside: usize,
    /// The first token's contribution as the first one of an entity.
    first: [f32; FEATURE],
}

impl Decoder {
    /// `names` are the transitions' names in the model's order, such as `B-ORG`. `Ok(Err(_))` describes their fault.
    pub fn load(tensors: &Tensors, names: &[String]) -> Result<Result<Self, String>> {
        let weights = tensors.get("upper.weight", &[names.len(), HIDDEN])?;
        let biases = tensors.get("upper.bias", &[names.len()])?;
        let rows = || weights.chunks_exact(HIDDEN).zip(&biases).zip(names);
        let row = |kind: &str, label: &str| {
            let ((weights, &bias), _) = rows().find(|(_, name)| name.split_once('-') == Some((kind, label)))?;
            Some(Row { weights: weights.to_vec(), bias })
        };
        let (mut moves, mut outside, mut outside_bias, mut inside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((weights, &bias), name) in rows() {
            let found = match name.split_once('-') {
                None if name == "O" => Move::Out,
                // For entities that are set beforehand.
                Some(("U", "")) => continue,
                Some((kind, name)) => {
                    let Some(label) = label(name) else { return Ok(Err(format!("label {name} is not known"))) };
                    match kind {
                        "B" => {
                            let (Some(go_on), Some(last)) = (row("I", name), row("L", name)) else {
                                return Ok(Err(format!("B-{name} is without I or L")));
                            };
                            inside.push((label, go_on, last));
                            Move::Begin(label)
                        }
                        "U" => Move::Unit(label),
                        _ => continue,
                    }
                }
                None => return Ok(Err(format!("transition {name} is not known"))),
            };
            moves.push(found);
            outside.extend_from_slice(weights);
            outside_bias.push(bias);
        }
        if !moves.contains(&Move::Out) {
            return Ok(Err("transition O is missing".to_owned()));
        }
        Ok(Ok(Self {
            pad: pieces_apart(&tensors.get("lower.pad", &[1, FEATURES, HIDDEN, STATE_PIECES])?, 1),
            bias: pieces_apart(&tensors.get("lower.bias", &[HIDDEN, STATE_PIECES])?, 1),
            scores: Layer::new(Arch::new(), &outside, &outside_bias, moves.len(), 1),
            moves,
            inside,
        }))
    }

    pub fn start(&self) -> State {
        let (hidden, scores) = (Vec::new(), Vec::new());
        State { token: 0, open: None, previous: [0.0; FEATURE], entities: Vec::new(), hidden, scores }
    }

    /// Continues with the tokens whose features, `[tokens, FEATURES, STATE_PIECES, HIDDEN]`, come next. `length` is the
    /// number of tokens of the whole text; `is_space` is true for white space, which no entity begins with.
    pub fn decode(&self, features: &[f32], length: usize, is_space: impl Fn(usize) -> bool, state: &mut State) {
        let (features, _) = features.as_chunks::<FEATURE>();
        let (tokens, _) = features.as_chunks::<FEATURES>();
        let (pad, _) = self.pad.as_chunks::<FEATURE>();
        // Outside of an entity the state is only the token.
        state.hidden.resize(tokens.len() * HIDDEN, 0.0);
        for (token, hidden) in tokens.iter().zip(state.hidden.as_chunks_mut().0) {
            *hidden = self.hidden([&token[0], &pad[1], &pad[2]]);
        }
        state.scores.resize(tokens.len() * self.scores.outputs(), 0.0);
        self.scores.run(&state.hidden, HIDDEN, &mut state.scores);
        for (token, scores) in tokens.iter().zip(state.scores.chunks_exact(self.scores.outputs())) {
            let at = state.token;
            let is_last = at + 1 == length;
            match &state.open {
                None => match self.best(scores, is_last, is_space(at)) {
                    Move::Out => {}
                    Move::Unit(label) => state.entities.push(TokenSpan { start: at, end: at + 1, label }),
                    Move::Begin(label) => {
                        let inside = self.inside.iter().position(|inside| inside.0 == label);
                        state.open = inside.map(|inside| Open { start: at, inside, first: token[1] });
                    }
                },
                Some(open) => {
                    let (label, go_on, last) = &self.inside[open.inside];
                    let hidden = self.hidden([&token[0], &open.first, &state.previous]);
                    // Transitions that score the same are taken in the model's order, I before L.
                    if is_last || last.score(&hidden) > go_on.score(&hidden) {
                        state.entities.push(TokenSpan { start: open.start, end: at + 1, label: *label });
                        state.open = None;
                    }
                }
            }
            state.previous = token[2];
            state.token += 1;
        }
    }

    /// The hidden layer of a state with these features.
    fn hidden(&self, features: [&[f32; FEATURE]; FEATURES]) -> [f32; HIDDEN] {
        let sum = |i: usize| features[0][i] + features[1][i] + features[2][i] + self.bias[i];
        std::array::from_fn(|i| sum(i).max(sum(i + HIDDEN)))
    }

    /// The first of the best transitions outside of an entity. The last token cannot begin an entity that would continue.
    fn best(&self, scores: &[f32], is_last: bool, is_space: bool) -> Move {
        let mut best: Option<(Move, f32)> = None;
        for (&found, &score) in self.moves.iter().zip(scores) {
            let allowed = match found {
                Move::Begin(_) => !is_last && !is_space,
                Move::Unit(_) => !is_space,
                Move::Out => true,
            };
            if allowed && best.is_none_or(|(_, greatest)| score > greatest) {
                best = Some((found, score));
            }
        }
        best.map_or(Move::Out, |(found, _)| found)
    }
}

impl Row {
    fn score(&self, hidden: &[f32; HIDDEN]) -> f32 {
        self.weights.iter().zip(hidden).map(|(weight, x)| weight * x).sum::<f32>() + self.bias
    }
}

fn label(name: &str) -> Option<Label> {
    let label: Result<Label, Error> = Label::deserialize(name.into_deserializer());
    label.ok()
}
