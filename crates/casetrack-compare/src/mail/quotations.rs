//! The text of a message that is quoted from others.
//!
//! Two kinds of text are recognised: lines behind `>`, and all lines after a separator (`-----Original Message-----`), the headers of another
//! message or an introduction (`On … wrote:`) without such lines. Quotations may hold quotations. Their authors are not
//! decided here: callers compare the text with other messages.

use std::collections::HashMap;
use std::ops::Range;

use super::marks::{MAX_INTRODUCTION_LINES, header_lines, is_introduction, is_rule, is_separator};

/// Maximum number of quotations of one message; the rest counts as part of the last one.
const MAX_QUOTATIONS: usize = 500;
/// The labels of the headers at the top of a message, as extraction writes them.
const SHOWN_HEADERS: [&str; 7] = ["From: ", "To: ", "Cc: ", "Bcc: ", "Date: ", "Subject: ", "Attachments: "];

/// A text that a message quotes from one other, in one or several pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// 1 for a quotation of the message itself, 2 for one inside that.
    pub depth: u32,
    /// Bytes of its lines without the marks before them, in order. Introductions and headers are left out.
    pub lines: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// Bytes of the headers at the top, with the empty line that follows.
    pub headers: Range<usize>,
    /// Bytes of the quotations with their introductions and headers, in order, without overlap.
    pub quoted: Vec<Range<usize>>,
    pub quotations: Vec<Quotation>,
}

impl Parts {
    /// Bytes of the message's own text, in order.
    pub fn own(&self, end: usize) -> Vec<Range<usize>> {
        let mut at = self.headers.end;
        let mut own = Vec::new();
        for quoted in self.quoted.iter().chain([&(end..end)]) {
            if quoted.start > at {
                own.push(at..quoted.start);
            }
            at = at.max(quoted.end);
        }
        own
    }
}

struct Line<'t> {
    bytes: Range<usize>,
    /// Marks before it.
    marks: u32,
    text: &'t str,
    /// The start of `text`.
    start: usize,
}

/// Takes the text of a message apart, headers at the top included. Linear in its length.
pub fn parts_of(text: &str) -> Parts {
    let headers = 0..end_of_headers(text);
    let mut lines = Vec::new();
    let mut at = headers.end;
    for line in text[headers.end..].split_inclusive('\n') {
        let shown = line.trim_end();
        let (marks, text) = without_marks(shown);
        lines.push(Line { bytes: at..at + line.len(), marks, text, start: at + shown.len() - text.len() });
        at += line.len();
    }
    let mut reader = Reader { parts: Parts { headers, ..Parts::default() }, known: HashMap::new(), section: 0 };
    reader.read(&lines);
    reader.parts
}

/// The end of the headers that extraction writes above the body.
fn end_of_headers(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            return if end == 0 { 0 } else { end + line.len() };
        }
        if !SHOWN_HEADERS.iter().any(|label| line.starts_with(label)) {
            return end;
        }
        end += line.len();
    }
    end
}

/// The number of `>` before a line, and the text behind them.
fn without_marks(line: &str) -> (u32, &str) {
    let (mut marks, mut rest) = (0, line);
    while let Some(after) = rest.trim_start_matches(' ').strip_prefix('>') {
        marks += 1;
        rest = after;
    }
    if marks == 0 { (0, line) } else { (marks, rest.strip_prefix(' ').unwrap_or(rest)) }
}

struct Reader {
    parts: Parts,
    /// Quotations that continue, by the section and the marks of their lines.
    known: HashMap<(u32, u32), usize>,
    /// The number of messages that are quoted to the end of the text, one inside the other.
    section: u32,
}

impl Reader {
    fn read(&mut self, lines: &[Line<'_>]) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let depth = self.section + line.marks;
            // Inside marked text the same signs introduce a further level, and need no others.
            let (opening, to_end) = opening(&lines[at..]);
            if opening > 0 {
                let taken = &lines[at..at + opening];
                if to_end && line.marks == 0 {
                    self.section += 1;
                    self.known.clear();
                } else if to_end {
                    self.known.retain(|(_, marks), _| *marks < line.marks);
                } else {
                    self.known.retain(|(section, marks), _| *section != self.section || *marks <= line.marks);
                }
                taken.iter().for_each(|line| self.cover(&line.bytes));
                at += opening;
                continue;
            }
            if depth > 0 {
                self.cover(&line.bytes);
                if !line.text.trim().is_empty() {
                    self.add(depth, line);
                }
            }
            at += 1;
        }
        self.trim(lines);
    }

    fn cover(&mut self, bytes: &Range<usize>) {
        match self.parts.quoted.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => self.parts.quoted.push(bytes.clone()),
        }
    }

    fn add(&mut self, depth: u32, line: &Line<'_>) {
        let quotations = &mut self.parts.quotations;
        let number = match self.known.get(&(self.section, line.marks)) {
            Some(&number) => number,
            None if quotations.len() < MAX_QUOTATIONS => {
                quotations.push(Quotation { depth, lines: Vec::new() });
                self.known.insert((self.section, line.marks), quotations.len() - 1);
                quotations.len() - 1
            }
            None => MAX_QUOTATIONS - 1,
        };
        quotations[number].lines.push(line.start..line.start + line.text.len());
    }

    /// Joins parts that only empty lines separate.
    fn trim(&mut self, lines: &[Line<'_>]) {
        let mut joined: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        for piece in self.parts.quoted.drain(..) {
            while lines.get(at).is_some_and(|line| line.bytes.end <= joined.last().map_or(0, |last| last.end)) {
                at += 1;
            }
            let mut between = lines[at.min(lines.len())..].iter().take_while(|line| line.bytes.end <= piece.start);
            match joined.last_mut() {
                Some(last) if between.all(|line| line.text.trim().is_empty()) => last.end = piece.end,
                _ => joined.push(piece),
            }
        }
        self.parts.quoted = joined;
    }
}

/// The number of lines that open a quotation here, and true if it goes to the end of the text.
fn opening(lines: &[Line<'_>]) -> (usize, bool) {
    let marks = lines[0].marks;
    let same = || {
        lines.iter().take_while(move |line| line.marks == marks || line.text.trim().is_empty()).map(|line| line.text)
    };
    let first = lines[0].text;
    if first.trim().is_empty() {
        return (0, false);
    }
    if is_separator(first) || is_rule(first) {
        let empty = same().skip(1).take_while(|line| line.trim().is_empty()).count();
        let headers = header_lines(same().skip(1 + empty));
        match (headers, is_separator(first)) {
            (0, true) => return (1, true),
            (0, false) => {}
            _ => return (1 + empty + headers, true),
        }
    }
    let headers = header_lines(same());
    if headers > 0 {
        return (headers, true);
    }
    let mut joined = String::new();
    for (number, line) in same().take(MAX_INTRODUCTION_LINES).enumerate() {
        if line.trim().is_empty() {
            break;
        }
        joined.push_str(line);
        joined.push(' ');
        if is_introduction(joined.trim_end()) {
            let next = lines[number + 1..].iter().find(|line| !line.text.trim().is_empty());
            return (number + 1, next.is_none_or(|next| next.marks <= marks));
        }
    }
    (0, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "From: Bob <bob@x>\nTo: Ann <ann@x>\nSubject: Re: Rent\n\n";

    /// Own text, then depth and text of each quotation.
    fn read(body: &str) -> (String, Vec<(u32, String)>) {
        let text = format!("{HEAD}{body}");
        let parts = parts_of(&text);
        assert_eq!(parts.headers, 0..HEAD.len());
        let own: String = parts.own(text.len()).into_iter().map(|range| text[range].trim().to_owned() + "|").collect();
        let lines =
            |quotation: &Quotation| -> Vec<&str> { quotation.lines.iter().map(|line| &text[line.clone()]).collect() };
        let quotations = parts.quotations.iter().map(|quotation| (quotation.depth, lines(quotation).join("/")));
        (own, quotations.collect())
    }

    #[test]
    fn lines_behind_marks_are_quoted_by_their_depth() {
        let (own, quotations) = read(
            "Yes.\n\nOn Thu, 20 Jun 2024, Ann\n<ann@x> wrote:\n> Is it due?\n>\n> > On 19 Jun 2024, Bob wrote:\n>> The rent\n> > is due.\n> Ann\n\nOn Friday.\n> Thanks\n",
        );
        assert_eq!(own, "Yes.|On Friday.|");
        assert_eq!(quotations, [(1, "Is it due?/Ann/Thanks".to_owned()), (2, "The rent/is due.".to_owned())]);
    }

    #[test]
    fn what_follows_a_separator_or_headers_is_quoted_to_the_end() {
        let (own, quotations) = read(
            "Yes.\n\n-----Original Message-----\nFrom: Ann\nSent: Thursday\nTo: Bob\nSubject: Rent\n\nIs it due?\n\n\
             ________________________________\nVon: Bob\nGesendet: Mittwoch\nAn: Ann\nBetreff: Miete\n\nThe rent is due.\n",
        );
        assert_eq!(own, "Yes.|");
        assert_eq!(quotations, [(1, "Is it due?".to_owned()), (2, "The rent is due.".to_owned())]);
        let (own, quotations) = read("Ja.\n\nAm 20.06.2024 um 09:15 schrieb Ann:\n\nIst sie fällig?\n");
        assert_eq!((own.as_str(), quotations), ("Ja.|", vec![(1, "Ist sie fällig?".to_owned())]));
        let (own, quotations) =
            read("---------- Forwarded message ---------\nFrom: Ann\nDate: Thu\nSubject: Rent\nTo: Bob\n\nDue.");
        assert_eq!((own.as_str(), quotations), ("", vec![(1, "Due.".to_owned())]));
    }

    #[test]
    fn a_message_that_quotes_nothing_is_its_own() {
        let (own, quotations) = read("From: the start we knew.\n____________\nOn Monday he wrote:\nnothing.");
        assert_eq!(own, "From: the start we knew.\n____________\nOn Monday he wrote:\nnothing.|");
        assert!(quotations.is_empty());
        assert_eq!(parts_of("Text without headers"), Parts::default());
        assert_eq!(parts_of(""), Parts::default());
    }

    #[test]
    fn ranges_hold_exactly_what_is_quoted() {
        let text = format!("{HEAD}Yes.\n> No?\n\n> Why?\nSo.");
        let parts = parts_of(&text);
        let quoted: Vec<&str> = parts.quoted.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(quoted, ["> No?\n\n> Why?\n"]);
    }

    #[test]
    fn hostile_texts_cost_time_in_proportion() {
        let deep = ">".repeat(200_000) + "x";
        assert_eq!(parts_of(&deep).quotations.len(), 1);
        let many: String = (0..20_000).map(|n| format!("{} a{n}\n", ">".repeat(n % 700 + 1))).collect();
        assert_eq!(parts_of(&many).quotations.len(), MAX_QUOTATIONS);
        let sections = "-----Original Message-----\nx\n".repeat(20_000);
        assert_eq!(parts_of(&sections).quotations.len(), MAX_QUOTATIONS);
    }
}
