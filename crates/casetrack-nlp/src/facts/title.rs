use std::ops::Range;

use casetrack_core::single_spaced;

use super::opening::Opening;
use super::text::Text;
use super::{Fact, FactKind};

pattern_table! {
    "facts/title.toml":
    KIND, THIS, LABEL,
}
word_lists! {
    ENDS: set = "facts/title-ends.txt";
}

/// Words in a title that are not capitalized.
const SMALL: &[&str] =
    &["of", "and", "to", "the", "for", "in", "on", "by", "with", "a", "an", "or", "&", "-", "#", "no."];
/// Farthest place from the beginning at which titles are looked for, in bytes, if the opening is not found.
const HEAD: usize = 6000;
const WORDS: usize = 24;
/// Farthest a title is from the beginning of a document that names no parties, in bytes, and the longest label before it.
const LETTERHEAD: usize = 1500;
const LABEL_BYTES: usize = 60;

pub(crate) fn find(text: &Text<'_>, opening: &Opening) -> Vec<Fact> {
    let Some((title, range, confidence)) = heading(text, opening).or_else(|| named(text, opening)) else {
        return Vec::new();
    };
    let kind = kind_of(&title);
    let mut facts = vec![Fact::new(text, FactKind::Title, title, range.clone(), confidence)];
    if let Some(kind) = kind {
        facts.push(Fact::new(text, FactKind::Type, kind, range, confidence));
    }
    facts
}

/// "distribution agreement": the words before the last word that names a kind, without case.
fn kind_of(title: &str) -> Option<String> {
    let folded = title.to_lowercase();
    let first = KIND.find(&folded)?;
    let amendment = ["amendment", "addendum"].iter().find(|word| folded.contains(**word));
    if let Some(amendment) = amendment {
        return Some((*amendment).to_owned());
    }
    let words: Vec<&str> = folded[..first.end()].split_whitespace().collect();
    let from = words.len().saturating_sub(3);
    let kept: Vec<&str> = words[from..].iter().copied().skip_while(|word| SMALL.contains(word)).collect();
    Some(kept.join(" "))
}

fn heading(text: &Text<'_>, opening: &Opening) -> Option<(String, Range<usize>, u8)> {
    let whole = text.text();
    let own = THIS.captures(&whole[opening.range.clone()]).and_then(|found| found.get(1)).map(|own| fold(own.as_str()));
    let until =
        if opening.parties.is_empty() { text.floor(HEAD) } else { text.floor(opening.parties.start.min(HEAD * 2)) };
    let mut best: Option<(i32, String, Range<usize>)> = None;
    for range in runs(text, until) {
        let written = &whole[range.clone()];
        let lead = LABEL.find(written).map_or(0, |lead| lead.end());
        let range = own_part(whole, range.start + lead..range.end, own.as_deref());
        let written = &whole[range.clone()];
        let Some(kind) = KIND.find(written) else { continue };
        if written.split_whitespace().count() < 2 || opening.range.is_empty() && !stands_alone(text, &range) {
            continue;
        }
        let upper = written.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
        let folded = fold(written);
        let mut score = 0;
        score += 3 * i32::from(own.as_ref().is_some_and(|own| *own == folded));
        score += i32::from(own.as_ref().is_some_and(|own| folded.contains(own.as_str()) && own.contains(' ')));
        score += i32::from(upper) + i32::from(text.flat.begins_line(range.start));
        score += 2 * i32::from(kind.end() + 2 >= written.len());
        score -= (range.start / 1500) as i32;
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, single_spaced(written), range));
        }
    }
    best.map(|(score, title, range)| (title, range, (70 + 5 * score.clamp(0, 5)) as u8))
}

/// True if a run of words is written as a title: its lines have nothing else except a label, or it is in capitals, or the document begins
/// with it. In a document that names no parties, only that distinguishes a title from a contract that a sentence or a table mentions.
fn stands_alone(text: &Text<'_>, range: &Range<usize>) -> bool {
    let whole = text.text();
    if range.start > LETTERHEAD {
        return false;
    }
    // "JOINT FILING AGREEMENT The undersigned agree"
    if whole[range.clone()].chars().all(|c| !c.is_lowercase()) {
        return true;
    }
    let is_label =
        |before: &str| before.is_empty() || LABEL.find(before).is_some_and(|label| label.end() == before.len());
    if is_label(&whole[..range.start]) {
        return true;
    }
    let line = (0..=range.start).rev().take(LABEL_BYTES).find(|at| text.flat.begins_line(*at));
    let labelled = line.and_then(|line| whole.get(line..range.start)).is_some_and(is_label);
    let rest = &whole[range.end..];
    let next = range.end + rest.len() - rest.trim_start_matches(['.', ':', ' ', '\n']).len();
    labelled && (next == whole.len() || text.flat.begins_line(next))
}

fn named(text: &Text<'_>, opening: &Opening) -> Option<(String, Range<usize>, u8)> {
    let from = if opening.range.is_empty() { 0..text.floor(HEAD) } else { opening.range.clone() };
    let found = THIS.captures(&text.text()[from.clone()])?.get(1)?;
    let range = from.start + found.start()..from.start + found.end();
    Some((single_spaced(found.as_str()), range, 70))
}

/// The title in a run of words with capitals: without small words before it, and without the words after the kind of
/// document, unless a small word joins them. Many words before the name that the opening gives are not part of the title.
fn own_part(whole: &str, range: Range<usize>, own: Option<&str>) -> Range<usize> {
    let mut start = range.start;
    loop {
        let word = whole[start..range.end].split([' ', '\n']).next().unwrap_or_default();
        if word.is_empty() || !SMALL.contains(&word.to_lowercase().as_str()) || start + word.len() >= range.end {
            break;
        }
        start += word.len() + 1;
    }
    let written = &whole[start..range.end];
    let mut end = range.end;
    if let Some(kind) = KIND.find_iter(written).last() {
        let tail = written[kind.end()..].trim_start_matches([',', ' ', '\n']);
        let next = tail.split([' ', '\n']).next().unwrap_or_default().to_lowercase();
        let joined = SMALL.contains(&next.as_str())
            || next.starts_with("no")
            || next.starts_with("number")
            || next.starts_with('#');
        if !joined {
            end = start + kind.end();
        }
        // "Non-Disclosure Agreement The", before a sentence that continues
        while let Some(at) = whole[start + kind.end()..end].rfind([' ', '\n']).map(|at| start + kind.end() + at)
            && SMALL.contains(&whole[at + 1..end].to_lowercase().as_str())
        {
            end = at;
        }
    }
    if let Some(own) = own.filter(|own| own.contains(' ')) {
        let written = &whole[start..end];
        let (all, of_own) = (written.split_whitespace().count(), own.split(' ').count());
        if fold(written).ends_with(own) && all > of_own + 4 {
            let words: Vec<usize> = written.match_indices([' ', '\n']).map(|(at, _)| at + 1).collect();
            if let Some(at) = words.len().checked_sub(of_own - 1).and_then(|at| words.get(at.saturating_sub(1))) {
                start += at;
            }
        }
    }
    start..end
}

fn fold(text: &str) -> String {
    single_spaced(&text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " "))
}

/// Runs of words with capitals before a byte.
fn runs(text: &Text<'_>, until: usize) -> Vec<Range<usize>> {
    let whole = &text.text()[..until];
    let mut found = Vec::new();
    let mut run: Option<(usize, usize, usize, bool)> = None;
    let mut at = 0;
    for word in whole.split([' ', '\n']) {
        let (start, end) = (at, at + word.len());
        at = end + 1;
        if word.is_empty() {
            continue;
        }
        let blank = start > 0 && whole.as_bytes()[start - 1] == b'\n';
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let upper = bare.chars().any(char::is_uppercase) && !bare.chars().any(char::is_lowercase);
        let capital = bare.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) || bare.is_empty();
        let small = SMALL.contains(&word.to_lowercase().as_str());
        let ends_before = ENDS.contains(bare) || word.starts_with(['(', '[', '"', '{']);
        let shouts = upper && bare.len() > 1;
        if let Some((from, last, count, upper_run)) = run {
            // a title in capitals ends where words are no longer in capitals
            let changes = upper_run && !shouts && !small && !bare.chars().all(|c| !c.is_alphabetic())
                || !upper_run && shouts && count > 2;
            let written = &whole[from..last];
            let new_line = blank || text.flat.begins_line(start) && (count > 4 || KIND.is_match(written));
            let new_part = new_line && !small && !ends_small(written);
            if ends_before || changes || new_part || !capital && !small || count >= WORDS {
                found.push(from..last);
                run = None;
            } else {
                run = Some((from, end, count + 1, upper_run));
            }
        }
        if run.is_none() && capital && !ends_before && !bare.is_empty() {
            run = Some((start, end, 1, shouts));
        }
    }
    found.extend(run.map(|(from, last, ..)| from..last));
    found
        .into_iter()
        .map(|range| range.start..range.start + whole[range].trim_end_matches([',', ':', ';', '.', '-', ' ']).len())
        .collect()
}

fn ends_small(text: &str) -> bool {
    text.split_whitespace()
        .next_back()
        .is_some_and(|word| SMALL.contains(&word.to_lowercase().as_str()) || word.ends_with(','))
}
