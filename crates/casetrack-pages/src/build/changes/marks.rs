//! Marks of tracked changes, which travel inside the text of blocks until that is on a page.

use std::borrow::Cow;

/// Put around a mark. Readers that write marks leave them out of the text of a file: see [`is_reserved`].
const OPEN: char = '\x10';
const CLOSE: char = '\x11';

/// Longest mark between these, in bytes.
const MAX_MARK: usize = 16;

/// A change, or the cause of hidden text, by its number in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeId(pub(in crate::build) u32);

/// White space that is missing next to a text that was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    Line,
    Tab,
    Space,
}

impl Gap {
    const ALL: [(Gap, char, char); 3] = [(Gap::Line, 'n', '\n'), (Gap::Tab, 't', '\t'), (Gap::Space, 's', ' ')];

    fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == letter).map(|(gap, ..)| *gap)
    }

    fn letter(self) -> char {
        Self::ALL.iter().find(|(gap, ..)| *gap == self).map_or('s', |(_, letter, _)| *letter)
    }

    pub(super) fn char(self) -> char {
        Self::ALL.iter().find(|(gap, ..)| *gap == self).map_or(' ', |(.., shown)| *shown)
    }
}

/// A mark at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// An insertion or move begins, up to the end of the same number.
    Start,
    End,
    /// Something was deleted here or moved away, with the white space before or after it.
    Gone {
        before: Option<Gap>,
        after: Option<Gap>,
    },
    /// The break between this paragraph and the next one was inserted.
    Break,
    /// Hidden text begins, up to the end of the same number.
    Hide,
    Show,
}

/// The boundaries of hidden text, by the number of the cause that hides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenBoundary {
    Begins(ChangeId),
    Ends(ChangeId),
}

#[derive(Debug)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    Mark(Mark, ChangeId),
}

pub(super) struct Pieces<'t>(pub &'t str);

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let from = match self.0.strip_prefix(OPEN) {
            Some(rest) => {
                let end = rest.bytes().take(MAX_MARK + 1).position(|byte| byte == CLOSE as u8);
                if let Some(end) = end
                    && let Some((mark, id)) = read(&rest[..end])
                {
                    self.0 = &rest[end + CLOSE.len_utf8()..];
                    return Some(Piece::Mark(mark, id));
                }
                OPEN.len_utf8()
            }
            None if self.0.is_empty() => return None,
            None => 0,
        };
        let end = self.0[from..].find(OPEN).map_or(self.0.len(), |at| from + at);
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(Piece::Text(text))
    }
}

fn read(mark: &str) -> Option<(Mark, ChangeId)> {
    let mut chars = mark.chars();
    let kind = chars.next()?;
    let rest = chars.as_str();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, gap) = rest.split_at(digits);
    let id = ChangeId(number.parse().ok()?);
    let mut gap = gap.chars();
    let (side, letter) = (gap.next(), gap.next());
    let gap = letter.and_then(Gap::of_letter);
    let mark = match (kind, side, gap) {
        ('s', None, _) => Mark::Start,
        ('e', None, _) => Mark::End,
        ('b', None, _) => Mark::Break,
        ('h', None, _) => Mark::Hide,
        ('i', None, _) => Mark::Show,
        ('g', None, _) => Mark::Gone { before: None, after: None },
        ('g', Some('<'), Some(_)) => Mark::Gone { before: gap, after: None },
        ('g', Some('>'), Some(_)) => Mark::Gone { before: None, after: gap },
        _ => return None,
    };
    Some((mark, id))
}

fn push(text: &mut String, mark: Mark, ChangeId(number): ChangeId) {
    let (kind, gap) = match mark {
        Mark::Start => ('s', None),
        Mark::End => ('e', None),
        Mark::Break => ('b', None),
        Mark::Hide => ('h', None),
        Mark::Show => ('i', None),
        Mark::Gone { before: Some(gap), .. } => ('g', Some(('<', gap))),
        Mark::Gone { after: Some(gap), .. } => ('g', Some(('>', gap))),
        Mark::Gone { .. } => ('g', None),
    };
    text.push(OPEN);
    text.push(kind);
    text.push_str(&number.to_string());
    if let Some((side, gap)) = gap {
        text.extend([side, gap.letter()]);
    }
    text.push(CLOSE);
}

fn written(mark: Mark, id: ChangeId) -> String {
    let mut text = String::new();
    push(&mut text, mark, id);
    text
}

/// The mark at the beginning of an insertion.
pub fn start(id: ChangeId) -> String {
    written(Mark::Start, id)
}

/// The mark at its end.
pub fn end(id: ChangeId) -> String {
    written(Mark::End, id)
}

/// The mark at the place of a deletion.
pub fn gone(id: ChangeId) -> String {
    written(Mark::Gone { before: None, after: None }, id)
}

/// The mark at the end of a paragraph whose end was inserted.
pub fn inserted_break(id: ChangeId) -> String {
    written(Mark::Break, id)
}

/// A text with the marks around it that it is hidden.
pub fn hidden(id: ChangeId, text: &str) -> String {
    [&*hide(id), text, &show(id)].concat()
}

/// The mark at the beginning of hidden text.
pub fn hide(id: ChangeId) -> String {
    written(Mark::Hide, id)
}

/// The mark at its end.
pub fn show(id: ChangeId) -> String {
    written(Mark::Show, id)
}

/// Takes the mark of an inserted paragraph end from the end of a text: nothing follows that it could be parted from.
pub fn trim_break(text: &mut String) {
    if let Some(at) = text.rfind(OPEN)
        && let Some(Piece::Mark(Mark::Break, _)) = Pieces(&text[at..]).last()
    {
        text.truncate(at);
    }
}

/// True if a character belongs to marks.
pub fn is_reserved(c: char) -> bool {
    matches!(c, OPEN | CLOSE)
}

pub fn has_marks(text: &str) -> bool {
    text.contains(OPEN)
}

/// True if a text has only white space and marks.
pub fn is_blank(text: &str) -> bool {
    Pieces(text)
        .all(|piece| matches!(piece, Piece::Mark(..)) || matches!(piece, Piece::Text(text) if text.trim().is_empty()))
}

/// The text without its marks.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !has_marks(text) {
        return text.into();
    }
    let text_of = |piece| match piece {
        Piece::Text(text) => Some(text),
        Piece::Mark(..) => None,
    };
    Pieces(text).filter_map(text_of).collect::<String>().into()
}

pub fn without_insertions(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for piece in Pieces(text) {
        match piece {
            Piece::Text(text) => kept.push_str(text),
            Piece::Mark(Mark::Start | Mark::End | Mark::Break, _) => {}
            Piece::Mark(mark, id) => push(&mut kept, mark, id),
        }
    }
    kept
}

/// The marks of a text with the white space that is missing next to deleted text.
pub fn before_gap(text: &str, gap: Gap) -> String {
    with_gap(text, Mark::Gone { before: None, after: Some(gap) })
}

/// As [`before_gap`], with the white space before it.
pub fn after_gap(text: &str, gap: Gap) -> String {
    with_gap(text, Mark::Gone { before: Some(gap), after: None })
}

fn with_gap(text: &str, gone: Mark) -> String {
    let mut marked = String::new();
    for piece in Pieces(text) {
        match piece {
            Piece::Text(text) => marked.push_str(text),
            Piece::Mark(Mark::Gone { before: None, after: None }, id) => push(&mut marked, gone, id),
            Piece::Mark(mark, id) => push(&mut marked, mark, id),
        }
    }
    marked
}

/// The words of a text with one space between, as [`str::split_whitespace`] gives them. Marks take no space. Of the white
/// space on both sides of a deletion, half belongs to the deletion.
pub fn fold(text: &str) -> String {
    let mut folded = Folded::default();
    for piece in Pieces(text) {
        match piece {
            Piece::Text(text) => text.chars().for_each(|c| folded.add(c)),
            Piece::Mark(mark, id) if folded.has_word && !folded.space => push(&mut folded.text, mark, id),
            Piece::Mark(mark, id) => push(&mut folded.held, mark, id),
        }
    }
    let Folded { mut text, held, has_word, .. } = folded;
    text.push_str(&if has_word { after_gap(&held, Gap::Space) } else { held });
    text
}

#[derive(Default)]
struct Folded {
    text: String,
    has_word: bool,
    /// White space followed the last word.
    space: bool,
    /// Marks since then.
    held: String,
    /// White space followed them.
    space_after: bool,
}

impl Folded {
    fn add(&mut self, c: char) {
        if c.is_whitespace() {
            if self.held.is_empty() {
                self.space = true;
            } else {
                self.space_after = true;
            }
            return;
        }
        let held = std::mem::take(&mut self.held);
        match (self.has_word, self.space, self.space_after) {
            (false, _, true) => self.text.push_str(&before_gap(&held, Gap::Space)),
            (false, ..) => self.text.push_str(&held),
            (true, true, true) => {
                self.text.push_str(&after_gap(&held, Gap::Space));
                self.text.push(' ');
            }
            (true, true, false) => {
                self.text.push(' ');
                self.text.push_str(&held);
            }
            (true, false, _) => {}
        }
        self.text.push(c);
        (self.has_word, self.space, self.space_after) = (true, false, false);
    }
}
