//! The blocks that signatures belong to: which organization each signs for, and in which capacity.
//!
//! Blocks may follow each other or be side by side, in columns or run together on one line: "ACME, INC. BETA LLC By: … By: … Name: … Name: …".
//! Labels of one kind that follow each other are a row, and so are organizations. Only rows of the same length belong together.

use std::ops::Range;

use super::roles::position;
use super::{Name, organizations};
use crate::words::{Class, Gap, Word, surface};

/// Greatest distance from an organization to the label below it, and between organizations side by side, in words.
const TO_LABEL: usize = 24;
const BETWEEN: usize = 4;
/// Greatest distance from a label to the name behind it, in words: a line for the signature may be between.
const TO_NAME: usize = 90;
/// Longest title in words of its own.
const TITLE_WORDS: usize = 5;
/// Words behind a name in which the word for a witness may follow.
const TO_WITNESS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// "/s/" without a label before it.
    Signed,
    By,
    Name,
    Title,
    Date,
    Witness,
}

/// The block of a signer's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Block {
    pub title: Option<String>,
    /// The words of the organization that is signed for.
    pub organization: Option<Range<usize>>,
    /// The words of all organizations above, if it is not known which of them is signed for.
    pub organizations: Vec<Range<usize>>,
    pub is_witness: bool,
    /// True for the beginning of a company's name, which is not a person.
    pub is_company: bool,
}

/// A row of labels of one kind, or of organizations.
#[derive(Debug)]
enum Row {
    Organizations(Vec<Range<usize>>),
    Labels(Label, Vec<usize>),
}

pub(super) struct Blocks<'w, 't> {
    words: &'w [Word<'t>],
    rows: Vec<Row>,
    /// The words of all names of companies.
    companies: Vec<Range<usize>>,
    /// True if the page has a word for a witness that begins a line or column.
    has_witnesses: bool,
}

impl<'w, 't> Blocks<'w, 't> {
    /// `names` are the names of signers, in order.
    pub fn of(words: &'w [Word<'t>], names: &[Name]) -> Self {
        let signers: Vec<Range<usize>> = names.iter().map(|name| name.first..name.last).collect();
        let mut all: Vec<Range<usize>> =
            organizations::find(words).into_iter().map(|name| without_position(words, name.first..name.last)).collect();
        all = all.into_iter().flat_map(|range| columns(words, range)).collect();
        let has_form = |range: &&Range<usize>| words[(*range).clone()].iter().any(|word| word.has(Class::FORM));
        let companies = all.iter().filter(has_form).cloned().collect();
        // "ACME PARTNERS" within "ACME PARTNERS, L.P."; a name of a signer is not an organization.
        all.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut reached = 0;
        all.retain(|range| {
            let is_new =
                range.start >= reached && !signers.iter().any(|one| one.start < range.end && range.start < one.end);
            reached = reached.max(if is_new { range.end } else { reached });
            is_new
        });
        let labels = (0..words.len()).filter_map(|at| Some((at, label(words, at)?)));
        let mut events: Vec<(usize, Result<Label, Range<usize>>)> = labels.map(|(at, label)| (at, Ok(label))).collect();
        events.extend(all.into_iter().map(|range| (range.start, Err(range))));
        events.sort_by_key(|(at, _)| *at);
        let mut rows: Vec<Row> = Vec::new();
        for (at, event) in events {
            match (event, rows.last_mut()) {
                (Ok(label), Some(Row::Labels(last, places))) if *last == label => places.push(at),
                (Ok(label), _) => rows.push(Row::Labels(label, vec![at])),
                // The same name again is that of the block; names far from each other are of the text.
                (Err(range), Some(Row::Organizations(row)))
                    if row.last().is_some_and(|last| range.start - last.end <= BETWEEN) =>
                {
                    row.push(range)
                }
                (Err(range), _) => rows.push(Row::Organizations(vec![range])),
            }
        }
        let has_witnesses = words.iter().any(|word| word.is_capital() && word.gap >= Gap::Wide && is_witness(word));
        Self { words, rows, companies, has_witnesses }
    }

    /// The block of the signer whose name has these words.
    pub fn block(&self, name: Range<usize>) -> Block {
        if self.is_company(&name) {
            return Block { is_company: true, ..Block::default() };
        }
        let is_before = |row: &Row| match row {
            Row::Labels(_, places) => places[0] < name.start,
            Row::Organizations(row) => row[0].start < name.start,
        };
        let Some(at) = self.rows.iter().rposition(is_before) else { return Block::default() };
        let Row::Labels(label, places) = &self.rows[at] else { return Block::default() };
        let Some(column) = places.iter().rposition(|place| *place < name.start) else { return Block::default() };
        if matches!(label, Label::Title | Label::Date) || name.start - places[column] > TO_NAME {
            return Block::default();
        }
        let mut block = Block { is_witness: self.is_witness(at, *label, &name), ..Block::default() };
        let of_block = self.first_row(at, places.len(), column, &name);
        if let Some(Row::Organizations(row)) = of_block.checked_sub(1).and_then(|before| self.rows.get(before)) {
            let is_near = row.last().is_some_and(|last| self.row_start(of_block).saturating_sub(last.end) <= TO_LABEL);
            match row.len() == places.len() && is_near {
                true => block.organization = row.get(column).cloned(),
                false if is_near => block.organizations = row.clone(),
                false => {}
            }
        }
        block.title = self.title(at, places.len(), column, &name).filter(|title| !is_doubled(title));
        block
    }

    /// True if a name begins that of a company, here or elsewhere on the page. People give theirs to companies, too.
    fn is_company(&self, name: &Range<usize>) -> bool {
        let written = &self.words[name.clone()];
        let is_given = written.first().is_some_and(|first| first.has(Class::GIVEN_NAME));
        let begins = |company: &Range<usize>| {
            let of_company = &self.words[company.clone()];
            let is_same = |(a, b): (&Word<'_>, &Word<'_>)| a.text.eq_ignore_ascii_case(b.text);
            of_company.len() > written.len() && written.iter().zip(of_company).all(is_same)
        };
        self.companies
            .iter()
            .any(|company| company.start <= name.start && name.end < company.end || !is_given && begins(company))
    }

    /// The first row of the block: rows of as many labels of other kinds, whose names are the same.
    fn first_row(&self, at: usize, length: usize, column: usize, name: &Range<usize>) -> usize {
        let mut kinds = Vec::new();
        let mut first = at;
        while let Some(Row::Labels(label, places)) = self.rows.get(first) {
            let is_other = *label == Label::Witness || places.len() != length || kinds.contains(label);
            if is_other || first < at && !self.may_be_same(*label, places[column], name) {
                return first + 1;
            }
            kinds.push(*label);
            match first.checked_sub(1) {
                Some(before) => first = before,
                None => return 0,
            }
        }
        first + 1
    }

    /// True unless the text behind a label is another person's name.
    fn may_be_same(&self, label: Label, at: usize, name: &Range<usize>) -> bool {
        let Some(surname) = self.words.get(name.end - 1) else { return false };
        match label {
            Label::Date | Label::Title => true,
            Label::Signed | Label::By | Label::Name | Label::Witness => {
                let next = (at + 1..self.words.len().min(at + TO_NAME)).skip_while(|next| {
                    let word = &self.words[*next];
                    word.is_mark() || word.text.eq_ignore_ascii_case("s")
                });
                let written: Vec<usize> = next
                    .take(6)
                    .take_while(|next| *next == at + 1 || self.words[*next].is_capital() || self.words[*next].is_mark())
                    .collect();
                let blank = written.first().is_none_or(|first| label_at(self.words, *first));
                blank || written.iter().any(|word| self.words[*word].text.eq_ignore_ascii_case(surname.text))
            }
        }
    }

    fn row_start(&self, row: usize) -> usize {
        match self.rows.get(row) {
            Some(Row::Labels(_, places)) => places[0],
            Some(Row::Organizations(row)) => row[0].start,
            None => self.words.len(),
        }
    }

    fn is_witness(&self, at: usize, label: Label, name: &Range<usize>) -> bool {
        // "/s/ Tom Ray Witness"; with a colon or a line it is the label of the next one.
        let behind = name.end..self.words.len().min(name.end + TO_WITNESS);
        let is_end = |at: &usize| self.words[*at].is(':') || self.words[*at].is('/');
        let ends = behind.clone().find(is_end).unwrap_or(behind.end);
        let said_after =
            (behind.start..ends).any(|at| is_witness(&self.words[at]) && !is_label_mark(self.words.get(at + 1)));
        let above = self.rows[..at].iter().rposition(
            |row| !matches!(row, Row::Labels(kind, _) if matches!(kind, Label::Name | Label::Title | Label::Date)),
        );
        let below_witness = above.is_some_and(|above| matches!(self.rows[above], Row::Labels(Label::Witness, _)));
        let before = at.checked_sub(1).map(|before| &self.rows[before]);
        let is_bare = label == Label::Signed && !matches!(before, Some(Row::Organizations(_)));
        label == Label::Witness
            || said_after
            || below_witness
            || matches!(before, Some(Row::Labels(Label::Witness, _)))
            || is_bare && self.has_witnesses
    }

    /// The title in the same column of the next row of titles of the same length, before the next organization or signature; or the position right
    /// behind the name.
    fn title(&self, at: usize, length: usize, column: usize, name: &Range<usize>) -> Option<String> {
        for row in &self.rows[at + 1..] {
            match row {
                Row::Labels(Label::Title, places) if places.len() == length => {
                    return self.title_behind(*places.get(column)?);
                }
                Row::Labels(Label::Name, places)
                    if places.len() == length && self.may_be_same(Label::Name, places[column], name) => {}
                Row::Labels(Label::By, places)
                    if places.len() == length && self.may_be_same(Label::By, places[column], name) => {}
                Row::Labels(Label::Date, _) => {}
                _ => break,
            }
        }
        if length > 1 {
            return None;
        }
        let is_break = |word: &&Word<'_>| word.is(',') || word.is('-') || word.is('–') || word.is('_');
        let mut from = name.end;
        // The name in print, and lines.
        while self.words.get(from).is_some_and(|word| {
            is_break(&word) || self.words[name.clone()].iter().any(|own| own.text.eq_ignore_ascii_case(word.text))
        }) {
            from += 1;
        }
        position(self.words, from).map(|(title, _)| title)
    }

    /// The text behind "Title:": a position, or a line of words of its own that is not an organization.
    fn title_behind(&self, at: usize) -> Option<String> {
        let from = at + 2;
        let in_organization = |word: usize| {
            self.rows
                .iter()
                .any(|row| matches!(row, Row::Organizations(all) if all.iter().any(|range| range.contains(&word))))
        };
        if from >= self.words.len() || in_organization(from) || label_at(self.words, from) {
            return None;
        }
        if let Some((title, last)) = position(self.words, from) {
            return (!in_organization(last - 1)).then_some(title);
        }
        let is_of_title = |at: usize| {
            let word = &self.words[at];
            word.is_capital()
                && (at == from || word.gap <= Gap::Space)
                && !word.has(Class::GENERIC)
                && !in_organization(at)
        };
        let last = (from..self.words.len().min(from + TITLE_WORDS)).take_while(|at| is_of_title(*at)).last()? + 1;
        let is_cut =
            self.words.get(last).is_some_and(|word| word.is(':') || word.gap <= Gap::Space && in_organization(last));
        (!is_cut).then(|| surface(self.words, from, last))
    }
}

/// Without the position of the previous signatory: "Sole Director ACME LLC".
fn without_position(words: &[Word<'_>], range: Range<usize>) -> Range<usize> {
    let is_head = |at: &usize| words[*at].has(Class::POSITION_HEAD) && range.end - at > 2 && at - range.start < 2;
    range.clone().rev().find(is_head).map_or(range.clone(), |head| head + 1..range.end)
}

/// The names of two columns that were run together: "ALPHA FUND L.P. BETA FUND L.P.".
fn columns(words: &[Word<'_>], range: Range<usize>) -> Vec<Range<usize>> {
    let is_form = |at: usize| words[at].has(Class::FORM);
    let last = range.clone().rev().find(|at| !words[*at].is_mark()).unwrap_or(range.start);
    let divides = |at: &usize| {
        let rest = words.get(at + 1..last).unwrap_or_default();
        let is_named = rest.iter().filter(|word| !word.is_mark()).count() >= 2;
        *at > range.start && is_form(*at) && is_named && rest[0].is_capital()
    };
    match range.clone().find(divides).filter(|_| is_form(last)) {
        Some(at) => vec![range.start..at + 1, at + 1..range.end],
        None => vec![range],
    }
}

/// True if the second half of a title repeats the first: two columns that were run together.
fn is_doubled(title: &str) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    let (one, other) = words.split_at(words.len() / 2);
    !one.is_empty() && one == other
}

fn is_witness(word: &Word<'_>) -> bool {
    matches!(word.folded().as_str(), "witness" | "witnesses" | "witnessed" | "attest" | "attested" | "notary")
}

/// A colon behind a label, or the line for a signature.
fn is_label_mark(mark: Option<&Word<'_>>) -> bool {
    mark.is_some_and(|mark| mark.is(':') || mark.is('_'))
}

fn label_at(words: &[Word<'_>], at: usize) -> bool {
    label(words, at).is_some()
}

/// The label that begins at a word: "By:", "/s/", "Print Name:", "Witness:".
fn label(words: &[Word<'_>], at: usize) -> Option<Label> {
    let word = &words[at];
    let colon = words.get(at + 1).is_some_and(|mark| mark.is(':'));
    if word.is('/') {
        let signed = words.get(at + 1).is_some_and(|s| matches!(s.text, "s" | "S"))
            && words.get(at + 2).is_some_and(|end| end.is('/'));
        let labelled = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| before.is(':'));
        return (signed && !labelled).then_some(Label::Signed);
    }
    if !(word.is_capital() || colon && word.text == "by") {
        return None;
    }
    match word.folded().as_str() {
        "by" | "per" if colon => Some(Label::By),
        "name" if colon => Some(Label::Name),
        "title" | "its" if colon => Some(Label::Title),
        "date" | "dated" if colon => Some(Label::Date),
        "witness" | "witnesses" | "attest" | "notary" if is_label_mark(words.get(at + 1)) => Some(Label::Witness),
        _ => None,
    }
}
