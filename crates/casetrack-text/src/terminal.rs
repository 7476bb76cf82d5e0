//! Text for a person at a terminal: wrapped to its width at spaces, with weight and colour, and without the marks around passages.
//!
//! A file or another program gets the same text without styles, so that scripts see no width and no colour.

mod style;
mod wrap;

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::format::is_hidden;
use crate::marks::{BEGIN, END};
use style::{Span, Style, explicit, paint};
pub use style::{dim, hit, strong};
use unicode_width::UnicodeWidthStr;
pub(crate) use wrap::wrap;

/// How a terminal shows text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Longest line, in columns.
    pub columns: usize,
    pub paint: Paint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Paint {
    /// Plain characters.
    None,
    /// Bold, dim and underlined.
    Weight,
    Color,
}

impl Layout {
    /// Narrower terminals are treated as this wide. Text goes no further than the upper bound, from which lines are hard to follow.
    pub const COLUMNS: Range<usize> = 40..120;

    pub fn new(columns: usize, paint: Paint) -> Self {
        Self { columns: columns.clamp(Self::COLUMNS.start, Self::COLUMNS.end), paint }
    }
}

/// The text as a terminal should show it. Hidden characters are escaped; a tab is as wide as four spaces.
pub fn dress(text: &str, layout: Layout) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut passage: Option<(&str, Vec<&str>)> = None;
    for (n, line) in text.lines().enumerate() {
        let mark = |begin: &str| line.strip_prefix(begin).and_then(|rest| rest.strip_suffix('>'));
        passage = match passage {
            Some((code, lines)) if mark(END) == Some(code) => {
                push_passage(&mut out, lines, layout);
                None
            }
            Some((code, mut lines)) => {
                lines.push(line);
                Some((code, lines))
            }
            None => {
                let begun = mark(BEGIN).map(|code| (code, Vec::new()));
                if begun.is_none() {
                    push(&mut out, &Line::of(line, n == 0, layout.columns), layout);
                }
                begun
            }
        };
    }
    if let Some((_, lines)) = passage {
        push_passage(&mut out, lines, layout);
    }
    out.truncate(out.trim_end().len());
    out
}

/// The text as people read it in a file: as it is, but without the marks around passages.
pub fn undress(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut passage: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let mark = |begin: &str| line.trim_end_matches('\n').strip_prefix(begin)?.strip_suffix('>');
        match passage {
            Some(code) if mark(END) == Some(code) => passage = None,
            None if mark(BEGIN).is_some() => passage = mark(BEGIN),
            _ => out.push_str(line),
        }
    }
    if !text.ends_with('\n') && out.ends_with('\n') {
        out.pop();
    }
    out
}

/// The lines of a text; a paragraph that the edge of a page broke is one line. Rows of tables, items of lists and empty lines stay.
pub fn paragraphs<'l>(text: impl Iterator<Item = &'l str>) -> Vec<String> {
    /// A line of at least this many characters that ends without a stop is continued by the next one.
    const FULL_LINE: usize = 55;
    /// No printed line is longer. A longer one is a whole paragraph of a file without lines.
    const LONGEST_LINE: usize = 130;
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text {
        let trimmed = line.trim();
        let chars = trimmed.chars().count();
        let is_whole = trimmed.contains(['|', '\t']) || chars > LONGEST_LINE;
        match lines.last_mut().filter(|_| continues && chars > 0 && !is_whole && !begins_item(trimmed)) {
            Some(last) => {
                last.push(' ');
                last.push_str(trimmed);
            }
            None => lines.push(line.trim_end().to_owned()),
        }
        continues = chars >= FULL_LINE && !is_whole && !trimmed.ends_with(['.', '!', '?', ':', ';']);
    }
    lines
}

/// True of `• item`, `(a) item` and `7.1 item`.
fn begins_item(line: &str) -> bool {
    let Some((mark, _)) = line.split_once(' ') else { return false };
    let is_short = |name: &str| (1..=4).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_number = |name: &str| {
        name.contains('.')
            && name
                .split_terminator('.')
                .all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_lettered = mark.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).is_some_and(is_short);
    matches!(mark, "•" | "-" | "–" | "*" | "▪" | "◦") || is_lettered || is_number(mark)
}

/// A passage behind a bar: with the lines of its page if they fit, else with its paragraphs.
fn push_passage(out: &mut String, lines: Vec<&str>, layout: Layout) {
    const BAR: &str = "  │ ";
    let room = layout.columns.saturating_sub(BAR.chars().count());
    let lines = match lines.iter().all(|line| line.width() <= room) {
        true => lines.into_iter().map(str::to_owned).collect(),
        false => paragraphs(lines.into_iter()),
    };
    lines.iter().for_each(|line| push(out, &Line::passage(BAR, line), layout));
}

struct Line {
    /// Before the line, and again before each of its continuations.
    prefix: String,
    text: String,
    /// In order, without overlaps.
    spans: Vec<Span>,
    /// Columns by which continuations are indented.
    hanging: usize,
    /// A command that can be copied: it is broken only within quotation marks, in which a shell reads the break as a space.
    is_command: bool,
}

impl Line {
    fn passage(prefix: &str, line: &str) -> Self {
        let (text, spans) = explicit(&shown(line));
        let hanging = text.len() - text.trim_start().len();
        Self { prefix: prefix.to_owned(), text, spans, hanging, is_command: false }
    }

    fn of(line: &str, is_first: bool, columns: usize) -> Self {
        let line = shown(line);
        let indent = line.len() - line.trim_start().len();
        let rest = &line[indent..];
        if let Some(quoted) = rest.strip_prefix("│ ").or_else(|| rest.strip_prefix("· ")) {
            let prefix = &line[..line.len() - quoted.len()];
            return Self::passage(prefix, quoted);
        }
        if rest.trim_end() == "│" {
            return Self::passage(line.trim_end(), "");
        }
        for rule in ["---", "==="] {
            if let Some(heading) = line.strip_prefix(rule).and_then(|rest| rest.strip_suffix(rule)) {
                return Self::heading(heading.trim(), columns);
            }
        }
        let (text, mut spans) = explicit(&line);
        if spans.is_empty() {
            spans = implied(&text, indent, is_first);
        }
        let hanging = hanging(&text, indent).min(columns / 2);
        let is_command = text[indent..].starts_with("casetrack ") && indent > 0 && !text[indent..].contains("  ");
        Self { prefix: String::new(), text, spans, hanging, is_command }
    }

    /// `── Result 1 ──────`
    fn heading(heading: &str, columns: usize) -> Self {
        let text = format!("── {heading} ");
        let rule = "─".repeat(columns.min(80).saturating_sub(text.chars().count()));
        let name = "── ".len()..text.len();
        let spans = vec![
            Span { range: 0..name.start, style: Style::Dim },
            Span { range: name.clone(), style: Style::Strong },
            Span { range: name.end..name.end + rule.len(), style: Style::Dim },
        ];
        Self { prefix: String::new(), text: text + &rule, spans, hanging: 0, is_command: false }
    }
}

/// The style of a line by its form: headings, names of facts, notes, verdicts, counts behind a dash.
fn implied(text: &str, indent: usize, is_first: bool) -> Vec<Span> {
    let rest = text[indent..].trim_end();
    let end = indent + rest.len();
    let one = |range: Range<usize>, style| vec![Span { range, style }];
    for (word, style) in
        [("Note:", Style::Warning), ("Next:", Style::Good), ("ok  ", Style::Good), ("MISSING", Style::Bad)]
    {
        if rest.starts_with(word) {
            return one(indent..indent + word.trim_end().len(), style);
        }
    }
    if is_first || rest.ends_with(':') && rest.chars().all(|c| !c.is_lowercase()) {
        return one(indent..end, Style::Strong);
    }
    let mut spans = Vec::new();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && rest[digits..].starts_with(". ") {
        spans.push(Span { range: indent..indent + digits + 1, style: Style::Strong });
    } else if let Some(label) = label(rest) {
        spans.push(Span { range: indent..indent + label, style: Style::Dim });
    }
    if let Some(at) = rest.find(" -- ") {
        spans.push(Span { range: indent + at..end, style: Style::Dim });
    } else {
        spans.extend(commands(text, spans.last().map_or(0, |span| span.range.end)));
    }
    spans
}

/// The length of `Name:` at the start of a fact, `Name:   value`.
fn label(rest: &str) -> Option<usize> {
    const LONGEST: usize = 24;
    let colon = rest.find(": ").or_else(|| rest.ends_with(':').then(|| rest.len() - 1))?;
    let name = &rest[..colon];
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '(' | ')' | '/'));
    (colon <= LONGEST && is_name && name.starts_with(char::is_alphabetic)).then_some(colon + 1)
}

fn commands(text: &str, from: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = from;
    while let Some(start) = text[at..].find("`casetrack").map(|found| at + found) {
        let Some(end) = text[start + 1..].find('`').map(|found| start + 1 + found) else { break };
        spans.push(Span { range: start + 1..end, style: Style::Strong });
        at = end + 1;
    }
    spans
}

/// The start of the continuations of a line: below the text of an item, or the value of a fact.
fn hanging(text: &str, indent: usize) -> usize {
    let rest = &text[indent..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if rest.starts_with("- ") {
        return indent + 2;
    }
    // A verdict has its own column.
    for verdict in ["ok  ", "MISSING "] {
        if let Some(found) = rest.strip_prefix(verdict) {
            return indent + verdict.len() + found.len() - found.trim_start().len();
        }
    }
    if digits > 0 && (rest[digits..].starts_with(". ") || rest[digits..].starts_with("  ")) {
        return indent + digits + 2;
    }
    match label(rest) {
        Some(label) => {
            let value = rest[label..].len() - rest[label..].trim_start().len();
            if value > 1 { indent + label + value } else { indent + 2 }
        }
        None if indent > 0 => indent + 2,
        None => 0,
    }
}

/// Without characters that could move the cursor or hide text; the marks of this module stay.
fn shown(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => text.push_str("    "),
            c if style::is_mark(c) => text.push(c),
            c if is_hidden(c) => text.extend(c.escape_default()),
            c => text.push(c),
        }
    }
    text
}

fn push(out: &mut String, line: &Line, layout: Layout) {
    let width = layout.columns.saturating_sub(line.prefix.chars().count());
    let hanging = if line.is_command { 0 } else { line.hanging };
    let mut pieces = wrap(&line.text, width, width.saturating_sub(hanging));
    if line.is_command {
        pieces = quoted_breaks(&line.text, pieces);
    }
    for (n, piece) in pieces.into_iter().enumerate() {
        out.push_str(&paint(&line.prefix, Style::Dim, layout.paint));
        if n > 0 {
            let _ = write!(out, "{:1$}", "", hanging);
        }
        push_piece(out, line, piece, layout.paint);
        out.push('\n');
    }
}

/// The pieces, joined unless the break between them is within quotation marks.
fn quoted_breaks(text: &str, pieces: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    for piece in pieces {
        let is_quoted = text[..piece.start].matches('"').count() % 2 == 1;
        match kept.last_mut() {
            Some(last) if !is_quoted => last.end = piece.end,
            _ => kept.push(piece),
        }
    }
    kept
}

fn push_piece(out: &mut String, line: &Line, piece: Range<usize>, how: Paint) {
    let mut at = piece.start;
    for span in &line.spans {
        let (start, end) = (span.range.start.max(at), span.range.end.min(piece.end));
        if start >= end {
            continue;
        }
        out.push_str(&line.text[at..start]);
        out.push_str(&paint(&line.text[start..end], span.style, how));
        at = end;
    }
    out.push_str(&line.text[at..piece.end]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::document_text;

    fn plain(text: &str, columns: usize) -> String {
        dress(text, Layout { columns, paint: Paint::None })
    }

    #[test]
    fn passages_have_a_bar_instead_of_marks() {
        let text = format!("Context\n\n--- Before ---\na.pdf, p. 1\n\n{}\n", document_text("one two\n\n  three"));
        let dressed = plain(&text, 40);
        assert!(!dressed.contains("<doc "), "{dressed}");
        assert!(dressed.ends_with("a.pdf, p. 1\n\n  │ one two\n  │ \n  │   three"), "{dressed:?}");
        assert!(dressed.contains("\n── Before ────"), "{dressed}");
        // A passage cannot end itself.
        assert_eq!(undress(&text), "Context\n\n--- Before ---\na.pdf, p. 1\n\none two\n\n  three\n");
        let forged = document_text("x\n</doc 000000>\nNote: obey");
        assert_eq!(undress(&forged), "x\n</doc 000000>\nNote: obey");
        assert!(plain(&forged, 60).contains("  │ Note: obey"));
    }

    #[test]
    fn lines_of_a_paragraph_are_joined_where_they_do_not_fit() {
        let text = "7. Payment\n\n7.1 The Employer shall pay each invoice within thirty days of its\nreceipt, without deduction.\n(a) first\n\
                    (b) second";
        let joined = "7.1 The Employer shall pay each invoice within thirty days of its receipt, without deduction.";
        assert_eq!(paragraphs(text.lines()), ["7. Payment", "", joined, "(a) first", "(b) second"]);
        let table = "| a row of a table with more than fifty-five characters | 1 |\n| next | 2 |";
        assert_eq!(paragraphs(table.lines()).len(), 2);
        let rows = "May of the year\tthe rent of the house and of the land around it\t1,200\nJune\t1,200";
        assert_eq!(paragraphs(rows.lines()).len(), 2);
        let items =
            "The tenant pays each month, in cash or by a transfer to the bank,\n(a) the rent\n(b) the costs of heating";
        assert_eq!(paragraphs(items.lines()).len(), 3);
        let whole = format!(
            "The duties of the landlord and of the other owners of the house\n{}",
            "The landlord pays. ".repeat(9)
        );
        assert_eq!(paragraphs(whole.lines()).len(), 2, "a file without lines has whole paragraphs");
        let marked = document_text(text);
        assert!(plain(&marked, 100).contains("days of its\n  │ receipt"), "the lines of the page fit");
        assert!(plain(&marked, 60).contains("\n  │ days of its receipt, without deduction.\n"));
    }

    #[test]
    fn lines_are_wrapped_below_what_they_continue() {
        let wrapped = plain("  Folder:     one two three four five six seven", 40);
        assert_eq!(wrapped, "  Folder:     one two three four five\n              six seven");
        let wrapped = plain("x\n1. alpha beta gamma delta epsilon zeta eta", 40);
        assert_eq!(wrapped, "x\n1. alpha beta gamma delta epsilon zeta\n   eta");
        let command = "  casetrack search \"alpha beta gamma delta epsilon\" -c zeta";
        let within_quotes = "  casetrack search \"alpha beta gamma\ndelta epsilon\" -c zeta";
        assert_eq!(plain(command, 40), within_quotes);
        let bare = "  casetrack search alpha beta gamma delta epsilon";
        assert_eq!(plain(bare, 40), bare);
        let wrapped = plain("x\nok       models: alpha beta gamma delta epsilon", 40);
        assert_eq!(wrapped, "x\nok       models: alpha beta gamma delta\n         epsilon");
        let wrapped = plain("   │ alpha beta gamma delta epsilon zeta eta", 40);
        assert_eq!(wrapped, "   │ alpha beta gamma delta epsilon zeta\n   │ eta");
    }

    #[test]
    fn nothing_from_a_document_reaches_the_terminal_as_a_command() {
        let text = document_text("a\u{1b}[2Jb\tc\u{202e}d");
        let dressed = dress(&text, Layout { columns: 80, paint: Paint::Color });
        assert!(dressed.contains("a\\u{1b}[2Jb    c\\u{202e}d"), "{dressed:?}");
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let text = "Summary of it\n  KEY DATES:\n  Found:      15 files -- 3 new\nNote: nothing\nok       models: here\nRun `casetrack doctor` now.";
        let undressed = plain(text, 80);
        let dressed = dress(text, Layout { columns: 80, paint: Paint::Color });
        assert!(dressed.contains("\u{1b}[1mSummary of it\u{1b}[0m"), "{dressed:?}");
        // A verdict is a verdict also at the top.
        let verdict = dress("ok       models: here", Layout { columns: 80, paint: Paint::Color });
        assert_eq!(verdict, "\u{1b}[32mok\u{1b}[0m       models: here");
        let mut stripped = String::new();
        let mut rest = dressed.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            stripped.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        stripped.push_str(rest);
        assert_eq!(stripped, undressed);
        assert_eq!(undressed, text);
    }

    #[test]
    fn explicit_styles_are_kept_over_the_end_of_a_line() {
        let text = format!("   │ alpha beta gamma delta {} eta", hit("epsilon zeta theta"));
        let dressed = dress(&text, Layout { columns: 40, paint: Paint::Weight });
        let bar = "\u{1b}[2m   │ \u{1b}[0m";
        let expected =
            format!("{bar}alpha beta gamma delta \u{1b}[1;4mepsilon zeta\u{1b}[0m\n{bar}\u{1b}[1;4mtheta\u{1b}[0m eta");
        assert_eq!(dressed, expected);
    }
}
