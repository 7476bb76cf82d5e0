//! Meeting, day and people of minutes. Only a title shows that a report is one of a meeting.

use std::ops::Range;

use super::{Line, is_person, labelled, of_day};
use crate::facts::text::Text;
use crate::facts::{Fact, FactKind};

pattern_table! {
    "facts/minutes.toml":
    OF, BEFORE, BARE, MEETING, DATE, PRESENT, PRESENT_HEAD, LABEL, BETWEEN,
}

/// Lines that may have the title, and those with day and people.
const TITLE_LINES: usize = 12;
const HEAD: usize = 80;
/// Most words of a title, and most people.
const TITLE_WORDS: usize = 16;
const PEOPLE: usize = 60;
/// Signs between the cells of a table.
const CELLS: [char; 2] = ['\t', '|'];
/// Percent, by the kind of evidence: a label or a title, the place on the page.
const LABELLED: u8 = 90;
const PLACED: u8 = 75;

pub(super) fn find(text: &Text<'_>, lines: &[Line<'_>]) -> Vec<Fact> {
    let head = &lines[..lines.len().min(HEAD)];
    let titles = &head[..head.len().min(TITLE_LINES)];
    let Some((title, meeting)) = (0..titles.len()).find_map(|at| Some((at, meeting(titles, at)?))) else {
        return Vec::new();
    };
    let day = labelled(head, &DATE).and_then(|(line, range)| line.day(text, range)).map(|day| (day, LABELLED));
    let placed = || head[title..].iter().find_map(|line| line.day(text, 0..line.text.len())).map(|day| (day, PLACED));
    let day = day.or_else(placed).map(|(day, confidence)| of_day(text, FactKind::Date, day, confidence));
    meeting.into_iter().chain(day).chain(present(head)).collect()
}

/// The meeting that the title on a line names, if the line is the title of minutes. A title such as "Minutes" names no meeting, but a line next to it may.
fn meeting(lines: &[Line<'_>], at: usize) -> Option<Option<Fact>> {
    let line = &lines[at];
    if !is_title(line.text) {
        return None;
    }
    if BARE.is_match(line.text) {
        let mut beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| lines.get(at));
        let is_name = |line: &&Line<'_>| is_title(line.text) && MEETING.is_match(line.text) && !line.text.contains(':');
        let name = beside.find(is_name).and_then(|line| Some((line, line.trimmed(0..line.text.len())?)));
        return Some(name.map(|(line, range)| line.fact(FactKind::Meeting, range, PLACED)));
    }
    let of = OF.captures(line.text).and_then(|found| found.get(1));
    let before = || BEFORE.captures(line.text)?.get(1).filter(|named| MEETING.is_match(named.as_str()));
    Some(Some(line.fact(FactKind::Meeting, of.or_else(before)?.range(), LABELLED)))
}

/// A line of few words, half of them with a capital, that ends as no sentence does.
fn is_title(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).collect();
    let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    !words.is_empty()
        && words.len() <= TITLE_WORDS
        && 2 * capitals >= words.len()
        && !line.trim_end().ends_with(['.', ','])
}

/// The people on the lines of labels such as "Present:", and on the lines below a label that ends its line.
fn present(lines: &[Line<'_>]) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if PRESENT_HEAD.is_match(line.text) {
            let rows = lines[at + 1..].iter().take_while(|row| !row.begins_block && row.text.contains(CELLS));
            found.extend(rows.flat_map(|row| people(row, first_cell(row.text))));
            continue;
        }
        let Some(rest) = PRESENT.captures(line.text).and_then(|found| found.get(1)) else { continue };
        let beside = people(line, rest.range());
        let goes_on = beside.is_empty() || line.text.trim_end().ends_with([',', ';', '&']);
        let below = lines[at + 1..].iter().enumerate().take_while(|(number, next)| {
            let ends = next.begins_block && (*number > 0 || !beside.is_empty());
            goes_on && !ends && !LABEL.is_match(next.text) && !PRESENT.is_match(next.text)
        });
        let below: Vec<Fact> = below.flat_map(|(_, next)| people(next, 0..next.text.len())).collect();
        found.extend(beside.into_iter().chain(below));
    }
    found.truncate(PEOPLE);
    found
}

fn first_cell(row: &str) -> Range<usize> {
    let start = row.len() - row.trim_start_matches(|c: char| c.is_whitespace() || c == '|').len();
    start..row[start..].find(CELLS).map_or(row.len(), |end| start + end)
}

/// The people in a range of bytes of a line, without the parts in brackets: "Ann Lee (Chair), Tom Ray".
fn people(line: &Line<'_>, range: Range<usize>) -> Vec<Fact> {
    let written = &line.text[range.clone()];
    let mut parts = Vec::new();
    let mut start = 0;
    for joint in BETWEEN.find_iter(written) {
        parts.push(start..joint.start());
        start = joint.end();
    }
    parts.push(start..written.len());
    let person = |part: Range<usize>| {
        let part = part.start..part.start + written[part.clone()].find('(').unwrap_or(part.len());
        let bytes = line.trimmed(range.start + part.start..range.start + part.end)?;
        // The mark or the number of an entry of a list.
        let lead = line.text[bytes.clone()].find(char::is_alphabetic)?;
        let bytes = bytes.start + lead..bytes.end;
        is_person(&line.text[bytes.clone()]).then(|| line.fact(FactKind::Present, bytes, LABELLED))
    };
    parts.into_iter().filter_map(person).collect()
}
