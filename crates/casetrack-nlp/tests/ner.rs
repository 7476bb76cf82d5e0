//! The entity recognizer against spaCy's own output, which scripts/make/ner_fixture.py writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, ErrorCode};
use casetrack_nlp::spacy::MODEL_FOLDER;
use casetrack_nlp::{NamedSpan, Recognizer, SpacyRecognizer};
use proptest::prelude::*;
use serde::Deserialize;

/// One text with what spaCy finds in it.
#[derive(Deserialize)]
struct Expected {
    text: String,
    /// Lengths of the tokens, negative after a single space.
    tokens: Vec<i32>,
    /// First token, end, label.
    entities: Vec<(usize, usize, String)>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(MODEL_FOLDER)
}

fn recognizer() -> &'static SpacyRecognizer {
    static LOADED: OnceLock<SpacyRecognizer> = OnceLock::new();
    LOADED.get_or_init(|| SpacyRecognizer::load(&folder()).unwrap())
}

fn fixture() -> Vec<Expected> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ner/expected.jsonl");
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// As OntoNotes writes it.
fn name(span: &NamedSpan) -> String {
    match format!("{:?}", span.label).as_str() {
        "WorkOfArt" => "WORK_OF_ART".to_owned(),
        other => other.to_uppercase(),
    }
}

#[test]
fn tokens_and_entities_equal_spacys() {
    let (mut tokens, mut differing) = (0, 0);
    for Expected { text, tokens: lengths, entities } in fixture() {
        let mut end = 0;
        let mut expected = Vec::new();
        for length in lengths {
            let start = end + u32::from(length < 0);
            end = start + length.unsigned_abs();
            expected.push((start, end));
        }
        assert_eq!(recognizer().tokens(&text).unwrap(), expected, "{text:?}");
        // For each token: true if it begins an entity, and the entity's label.
        let mut wanted = vec![None; expected.len()];
        for (start, end, label) in entities {
            for (at, wanted) in wanted.iter_mut().enumerate().take(end).skip(start) {
                *wanted = Some((at == start, label.clone()));
            }
        }
        let found = recognizer().recognize(&text, &Cancel::default()).unwrap();
        for (&(start, _), wanted) in expected.iter().zip(&wanted) {
            let span = found.iter().find(|span| (span.char_start..span.char_end).contains(&start));
            let label = span.map(|span| (span.char_start == start, name(span)));
            tokens += 1;
            differing += usize::from(label != *wanted);
        }
    }
    // Half-precision weights and another order of summation tip a token where two transitions score all but the same.
    assert!(tokens > 50_000);
    assert!(differing <= tokens / 5_000, "{differing} of {tokens} tokens differ");
}

#[test]
fn a_result_does_not_depend_on_what_came_before_or_on_threads() {
    let texts: Vec<String> = fixture().into_iter().skip(1900).map(|expected| expected.text).collect();
    let all = |recognizer: &SpacyRecognizer| -> Vec<_> {
        texts.iter().rev().map(|text| recognizer.recognize(text, &Cancel::default()).unwrap()).collect()
    };
    let alone: Vec<_> = texts
        .iter()
        .map(|text| SpacyRecognizer::load(&folder()).unwrap().recognize(text, &Cancel::default()).unwrap())
        .rev()
        .collect();
    assert_eq!(all(recognizer()), alone);
    let threads: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..3).map(|_| scope.spawn(|| all(recognizer()))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(threads.iter().all(|found| *found == alone));
}

/// The time on the processor that recognition of `length` bytes of a repeated part takes, the least of three runs. On
/// Linux the first number of `schedstat` is the time of this thread in nanoseconds, which other programs do not change.
fn cost(part: &str, length: usize) -> Duration {
    let text = part.repeat(length / part.len());
    let computed = || {
        let schedule = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        schedule.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let run = || {
        let (before, started) = (computed(), Instant::now());
        recognizer().recognize(&text, &Cancel::default()).unwrap();
        computed().zip(before).map_or(started.elapsed(), |(after, before)| after - before)
    };
    (0..3).map(|_| run()).min().unwrap()
}

/// A text that is eight times as long costs about eight times as much. If any step were quadratic, it would cost 64 times as much.
#[test]
fn long_tokens_take_linear_time() {
    for part in
        ["(", ".", "a.", "a@", "a@b.c:", "1.1.", "'s", "-", "a-b", ":)", "):", "$1", "°C.", "http://", "\n", "…x", "1+"]
    {
        let (short, long) = (cost(part, 12_500), cost(part, 100_000));
        // The cost of a short text is rounded up, since it may be close to nothing.
        let most = 24 * short.max(Duration::from_millis(2));
        assert!(long < most, "{part:?}: {short:?}, and {long:?} for eight times as much");
    }
}

#[test]
fn missing_and_damaged_files_are_clear_errors() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["config.json", "lexicon.json", "tokenizer.json", "model.safetensors"] {
        let error = SpacyRecognizer::load(dir.path()).unwrap_err();
        assert_eq!(error.code, ErrorCode::MissingDependency, "{name}");
        assert!(error.message.contains(name) && error.hint.is_some(), "{error}");
        fs::copy(folder().join(name), dir.path().join(name)).unwrap();
    }
    SpacyRecognizer::load(dir.path()).unwrap();
    for name in ["config.json", "lexicon.json", "tokenizer.json", "model.safetensors"] {
        let whole = fs::read(dir.path().join(name)).unwrap();
        fs::write(dir.path().join(name), &whole[..whole.len() / 2]).unwrap();
        let error = SpacyRecognizer::load(dir.path()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt, "{name}");
        assert!(error.message.contains(name) && error.hint.is_some(), "{error}");
        fs::write(dir.path().join(name), whole).unwrap();
    }
    let config = fs::read_to_string(dir.path().join("config.json")).unwrap();
    for (from, to) in [("B-ORG", "B-SHIP"), ("I-ORG", "X-ORG"), ("\"O\"", "\"Q\""), ("\"U-\",", "")] {
        fs::write(dir.path().join("config.json"), config.replace(from, to)).unwrap();
        assert_eq!(SpacyRecognizer::load(dir.path()).unwrap_err().code, ErrorCode::Corrupt, "{from}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_tokens_that_cover_it_and_entities_made_of_them(text in prop_oneof![
        any::<String>(),
        "([A-Za-z0-9$%.,:;'()@/-]{0,9}[ \n\u{a0}]{0,2}){0,40}",
        "([\\PC]{0,3}|US\\$|[:;)(-]{1,3}|[.…]{1,3}|Mr\\.|'s| | 12,000|can't|\u{1f}){0,40}",
    ]) {
        let chars: Vec<char> = text.chars().collect();
        let tokens = recognizer().tokens(&text).unwrap();
        let mut end = 0;
        for &(start, token_end) in &tokens {
            prop_assert!(end <= start && start < token_end && token_end as usize <= chars.len());
            prop_assert!(start - end <= 1 && chars[end as usize..start as usize].iter().all(|&c| c == ' '));
            end = token_end;
        }
        prop_assert!(chars[end as usize..].iter().all(|&c| c == ' ') && chars.len() - end as usize <= 1);
        let mut end = 0;
        for span in recognizer().recognize(&text, &Cancel::default()).unwrap() {
            prop_assert!(end <= span.char_start && span.char_start < span.char_end);
            prop_assert!(tokens.iter().any(|token| token.0 == span.char_start));
            prop_assert!(tokens.iter().any(|token| token.1 == span.char_end));
            end = span.char_end;
        }
    }
}
