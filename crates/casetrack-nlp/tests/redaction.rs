//! Redaction of labelled lines; no cut leaves a part of a secret.

use std::ops::Range;

use casetrack_nlp::redaction::{find, redact};

/// The line without its labels, and the labelled places in bytes.
fn labelled(line: &str) -> (String, Vec<Range<usize>>) {
    let (mut text, mut places, mut start) = (String::new(), Vec::new(), 0);
    for c in line.chars() {
        match c {
            '~' => {}
            '⟦' => start = text.len(),
            '⟧' => places.push(start..text.len()),
            c => text.push(c),
        }
    }
    (text, places)
}

fn lines() -> impl Iterator<Item = (String, Vec<Range<usize>>)> {
    include_str!("redaction.txt").lines().filter(|line| !line.starts_with('#')).map(labelled)
}

#[test]
fn secrets_are_found_and_what_looks_like_one_stays() {
    let (mut found_right, mut found_wrong, mut missed) = (0, Vec::new(), Vec::new());
    let mut labels = 0;
    for (text, places) in lines() {
        let found = find(&text);
        labels += places.len();
        for place in &places {
            let covered = found.iter().any(|one| one.bytes.start <= place.start && place.end <= one.bytes.end);
            if covered { found_right += 1 } else { missed.push(text[place.clone()].to_owned()) }
        }
        let is_labelled =
            |one: &Range<usize>| places.iter().any(|place| place.start < one.end && one.start < place.end);
        found_wrong
            .extend(found.iter().filter(|one| !is_labelled(&one.bytes)).map(|one| text[one.bytes.clone()].to_owned()));
    }
    let recall = f64::from(found_right) / labels as f64;
    let precision = f64::from(found_right) / (f64::from(found_right) + found_wrong.len() as f64);
    println!("{labels} secrets: recall {recall:.3}, precision {precision:.3}");
    assert!(missed.is_empty(), "missed: {missed:#?}");
    assert!(found_wrong.is_empty(), "taken for secrets: {found_wrong:#?}");
    assert!(labels >= 55, "only {labels} labels");
}

#[test]
fn no_cut_leaves_a_part_of_a_secret() {
    for (text, places) in lines() {
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (n, &start) in bounds.iter().enumerate().step_by(2) {
            for &end in bounds[n..].iter().step_by(3) {
                let part = redact(&text, start..end).text;
                for place in &places {
                    let secret: Vec<char> = text[place.clone()].chars().collect();
                    let pieces = secret.windows(8).map(|piece| piece.iter().collect::<String>());
                    for piece in pieces.filter(|piece| text.matches(piece.as_str()).count() == 1) {
                        assert!(!part.contains(&piece), "{part}");
                    }
                }
            }
        }
    }
}

#[test]
fn private_keys_go_as_a_whole_also_without_their_beginning_or_end() {
    let line = "MIIEowIBAAKCAQEAxWzq0y3y9b2fJpQe0yX1m8r7Zk5uT4cV6nB1hD3sQ2gL7wPa\n";
    let (begin, end) =
        (format!("-----BEGIN RSA {} KEY-----\n", "PRIVATE"), format!("-----END RSA {} KEY-----", "PRIVATE"));
    let whole = format!("Before\n{begin}{}{end}\nAfter", line.repeat(20));
    let shown = redact(&whole, 0..whole.len()).text;
    assert_eq!(shown, "Before\n[redacted: private key]\nAfter");
    for text in [format!("{begin}{}", line.repeat(3)), format!("{}{end}\nAfter", line.repeat(3)), line.repeat(5)] {
        let shown = redact(&text, 0..text.len()).text;
        assert!(!shown.contains("MIIE") && shown.contains("[redacted: "), "{shown}");
    }
    // In the middle of a key, no line of it is shown.
    let middle = whole.len() / 2;
    assert_eq!(redact(&whole, middle..middle + 200).text, "[redacted: private key]");
}
