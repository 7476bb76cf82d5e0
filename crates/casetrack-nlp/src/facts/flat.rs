//! A document's pages as one text for rules that read sentences: white space collapsed, running lines left out,
//! quotation marks and dashes plain, and every place traceable to its page.

use std::collections::HashMap;
use std::ops::Range;

use casetrack_core::single_spaced;

/// The text, and the places of its words. A line feed is a blank line; any other white space is one space.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    pub text: String,
    words: Vec<WordPlace>,
    /// Bytes at which lines of the pages begin.
    lines: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct WordPlace {
    byte: u32,
    page: u32,
    at: u32,
}

/// Fewest blank lines that show the end of a page in a text without form feeds.
const PAGE_GAP: u32 = 3;
/// Lines at the edge of a page that can be running lines.
const EDGE_LINES: usize = 3;
const RUNNING: usize = 2;
/// Shortest word of dashes that is an underline.
const UNDERLINE: usize = 3;
/// Shortest running line with words, in characters: headings of lists repeat too.
const RUNNING_LENGTH: usize = 12;

/// Longest text between question marks that replace quotation marks, in characters.
const QUOTED: usize = 60;

struct Line<'a> {
    page: u32,
    /// Characters of the page before it.
    at: u32,
    text: &'a str,
    blank_before: bool,
    /// The physical page that it is on.
    sheet: usize,
}

impl Flat {
    /// Linear in the length of the pages.
    pub fn new(pages: &[&str]) -> Flat {
        let lines = lines(pages);
        let running = running(&lines);
        let mut flat = Flat::default();
        let mut blank = false;
        for (line, running) in lines.iter().zip(running) {
            blank |= line.blank_before;
            if !running {
                flat.push_line(line, std::mem::take(&mut blank));
            }
        }
        flat
    }

    fn push_line(&mut self, line: &Line<'_>, blank: bool) {
        let mut in_word = false;
        let mut first = true;
        let chars: Vec<char> = line.text.chars().collect();
        let (mut underline, mut filled) = (0, 0);
        let quotes = lost_quotes(&chars);
        // the second of two marks that are one quotation mark, and true if the word continues behind it
        let (mut second, mut resumes) = (None, false);
        for (i, (place, c)) in (line.at..).zip(&chars).enumerate() {
            let c = *c;
            if c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}') {
                (in_word, resumes) = (false, false);
                continue;
            }
            if second == Some(i) {
                resumes = true;
                continue;
            }
            if !in_word && i >= underline {
                underline = underline_at(&chars, i);
            }
            if i < underline {
                continue;
            }
            // "this _3rd_ day of _May_": the line that a blank was filled in on
            if !in_word && c == '_' {
                filled = filled_at(&chars, i);
            }
            if c == '_' && i < filled {
                in_word = false;
                continue;
            }
            if !in_word {
                if !self.text.is_empty() {
                    self.text.push(if first && blank { '\n' } else { ' ' });
                }
                let byte = self.text.len() as u32;
                if first {
                    self.lines.push(byte);
                }
                self.words.push(WordPlace { byte, page: line.page, at: place });
                (in_word, first) = (true, false);
            } else if resumes {
                let byte = self.text.len() as u32;
                self.words.push(WordPlace { byte, page: line.page, at: place });
            }
            resumes = false;
            let doubled = plain(c) == '\'' && chars.get(i + 1) == Some(&c);
            second = doubled.then_some(i + 1);
            self.text.push(if doubled || quotes.contains(&i) { '"' } else { plain(c) });
        }
    }

    /// Page and characters of a range of bytes. A range over several pages ends with its first page.
    pub fn place(&self, range: Range<usize>) -> (u32, u32, u32) {
        let (page, start) = self.page_place(range.start);
        let last = self.text[..range.end].char_indices().next_back().map_or(0, |(at, _)| at).max(range.start);
        let (last_page, end) = self.page_place(last);
        if last_page == page {
            return (page, start, end + 1);
        }
        let of_page = self.words.partition_point(|word| word.page <= page);
        let end = self.words.get(of_page.saturating_sub(1)).map_or(start, |word| {
            let length = self.text[word.byte as usize..].chars().take_while(|c| !c.is_whitespace()).count();
            word.at + length as u32
        });
        (page, start, end.max(start + 1))
    }

    fn page_place(&self, byte: usize) -> (u32, u32) {
        let after = self.words.partition_point(|word| word.byte as usize <= byte);
        let Some(word) = after.checked_sub(1).and_then(|at| self.words.get(at)) else { return (1, 0) };
        let into = self.text[word.byte as usize..byte].chars().count() as u32;
        (word.page, word.at + into)
    }

    /// The byte of a character of a page, if it is in the text.
    pub fn byte(&self, page: u32, at: u32) -> Option<usize> {
        let after = self.words.partition_point(|word| (word.page, word.at) <= (page, at));
        let word = self.words.get(after.checked_sub(1)?)?;
        if word.page != page {
            return None;
        }
        let mut chars = self.text[word.byte as usize..].char_indices().take_while(|(_, c)| !c.is_whitespace());
        chars.nth((at - word.at) as usize).map(|(into, _)| word.byte as usize + into)
    }

    /// True if a line of a page begins at a byte.
    pub fn begins_line(&self, byte: usize) -> bool {
        self.lines.binary_search(&(byte as u32)).is_ok()
    }

    /// The byte at which the line of a byte begins.
    pub fn line_start(&self, byte: usize) -> usize {
        let before = self.lines.partition_point(|line| *line as usize <= byte);
        before.checked_sub(1).and_then(|before| self.lines.get(before)).map_or(0, |line| *line as usize)
    }

    /// The byte at which the next line of a page begins.
    pub fn line_end(&self, byte: usize) -> usize {
        let next = self.lines.partition_point(|line| *line as usize <= byte);
        self.lines.get(next).map_or(self.text.len(), |line| *line as usize)
    }
}

/// The end of a word of letters and digits between underscores: "_May_". The start if there is none.
fn filled_at(chars: &[char], start: usize) -> usize {
    let from = start + chars[start..].iter().take_while(|c| **c == '_').count();
    let inside = chars[from..].iter().take_while(|c| c.is_alphanumeric()).count();
    let behind = chars[from + inside..].iter().take_while(|c| **c == '_').count();
    if inside > 0 && behind > 0 { from + inside + behind } else { start }
}

/// The end of a word of dashes that begins here: plain texts underline the words above with them, within a sentence.
fn underline_at(chars: &[char], at: usize) -> usize {
    let dashes = chars[at..].iter().take_while(|c| **c == '-').count();
    let alone = chars.get(at + dashes).is_none_or(|c| c.is_whitespace());
    if dashes >= UNDERLINE && alone { at + dashes } else { 0 }
}

/// Question marks that replace quotation marks, which a conversion to ASCII lost: "(?Acme?)".
fn lost_quotes(chars: &[char]) -> Vec<usize> {
    let marks: Vec<usize> = chars.iter().enumerate().filter(|(_, c)| **c == '?').map(|(at, _)| at).collect();
    let opens = |at: usize| {
        let before = at.checked_sub(1).map_or(' ', |before| chars[before]);
        (before.is_whitespace() || before == '(') && chars.get(at + 1).is_some_and(|c| c.is_alphanumeric())
    };
    let closes = |at: usize| chars.get(at + 1).is_none_or(|c| c.is_whitespace() || matches!(c, ')' | ',' | '.'));
    let pairs = marks.windows(2).filter(|pair| opens(pair[0]) && closes(pair[1]) && pair[1] - pair[0] <= QUOTED);
    pairs.flatten().copied().collect()
}

/// One character for one, so that characters can be counted in either text.
fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' | '″' => '"',
        '‘' | '’' | '‚' | '′' | '`' => '\'',
        '–' | '—' | '‐' | '‑' | '−' | '\u{ad}' => '-',
        c => c,
    }
}

fn lines<'a>(pages: &[&'a str]) -> Vec<Line<'a>> {
    let mut all = Vec::new();
    let mut sheet = 0;
    for (page, text) in (1..).zip(pages) {
        let (mut at, mut blank) = (0, 1);
        for text in text.split(['\n', '\u{c}']) {
            let length = text.chars().count() as u32;
            if text.trim().is_empty() {
                blank += 1;
            } else {
                sheet += usize::from(blank > PAGE_GAP);
                all.push(Line { page, at, text, blank_before: blank > 0, sheet });
                blank = 0;
            }
            at += length + 1;
        }
        sheet += 1;
    }
    all
}

/// True for each line that is a header, a footer or a page number.
fn running(lines: &[Line<'_>]) -> Vec<bool> {
    let key = |line: &Line<'_>| -> String { single_spaced(line.text).replace(|c: char| c.is_ascii_digit(), "#") };
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut edges: Vec<usize> = Vec::new();
    let mut first = 0;
    let sheets = lines.last().map_or(0, |line| line.sheet);
    while first < lines.len() {
        let sheet = lines[first].sheet;
        let end = first + lines[first..].partition_point(|line| line.sheet == sheet);
        edges.extend((first..end).filter(|at| at - first < EDGE_LINES || end - at <= EDGE_LINES));
        first = end;
    }
    for at in &edges {
        *counts.entry(key(&lines[*at])).or_default() += 1;
    }
    let mut found = vec![false; lines.len()];
    for at in edges {
        let key = key(&lines[at]);
        let number = key.chars().all(|c| matches!(c, '#' | '-' | ' ' | '.' | 'i' | 'v' | 'x')) && key.len() <= 8;
        let repeated = counts.get(&key).is_some_and(|count| *count >= RUNNING) && key.len() >= RUNNING_LENGTH;
        found[at] = sheets > 0 && (number || repeated);
    }
    found
}
