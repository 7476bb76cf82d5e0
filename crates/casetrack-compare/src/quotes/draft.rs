//! The quotations of a draft: text in quotation marks of any kind, and block quotations.

use std::ops::Range;

use casetrack_core::same_text::is_unspaced;

use super::symbols::is_quote;

/// Shorter texts in quotation marks are names and defined terms; not so if they have a number, such as "30 days".
const MIN_WORDS: usize = 3;
const MIN_WORDS_WITH_NUMBER: usize = 2;
/// Shorter indented paragraphs are not quotations.
const MIN_INDENTED_WORDS: usize = 8;
/// Spaces of an indented block.
const INDENT: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quotation {
    pub text: String,
    pub place: Range<usize>,
    /// From 1.
    pub line: u32,
    pub is_block: bool,
}

pub(super) fn quotations(draft: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut after_blank = true;
    let mut lines = lines(draft).peekable();
    while let Some(first) = lines.next() {
        let start_line = line;
        line += 1;
        let kind = kind(&draft[first.clone()], after_blank);
        after_blank = kind == Kind::Blank;
        if kind == Kind::Blank {
            continue;
        }
        let mut block = vec![first];
        // A block continues while its lines are of the same kind.
        while let Some(next) = lines.next_if(|next| self::kind(&draft[next.clone()], kind == Kind::Indented) == kind) {
            block.push(next);
            line += 1;
        }
        match kind {
            Kind::Marked | Kind::Indented => found.extend(block_quotation(draft, &block, kind, start_line)),
            _ => in_marks(draft, block[0].start..block[block.len() - 1].end, start_line, &mut found),
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Text,
    /// With `>` before it.
    Marked,
    Indented,
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some(start..start + line.len())
    })
}

fn kind(line: &str, may_be_indented: bool) -> Kind {
    let content = line.trim_start();
    let indent: usize = line[..line.len() - content.len()].chars().map(|c| if c == '\t' { INDENT } else { 1 }).sum();
    let is_item = content.starts_with(['-', '*', '•', '#', '|'])
        || content.split_once(['.', ')']).is_some_and(|(number, rest)| {
            rest.starts_with(' ') && number.len() <= 3 && number.chars().all(|c| c.is_ascii_alphanumeric())
        });
    match content.trim_end() {
        "" => Kind::Blank,
        _ if content.starts_with('>') => Kind::Marked,
        _ if may_be_indented && indent >= INDENT && !is_item => Kind::Indented,
        _ => Kind::Text,
    }
}

/// A block quotation, without the line at its end that names its source.
fn block_quotation(draft: &str, lines: &[Range<usize>], kind: Kind, line: u32) -> Option<Quotation> {
    let content = |line: &Range<usize>| match kind {
        Kind::Marked => draft[line.clone()].trim_start().trim_start_matches(['>', ' ']).trim_end(),
        _ => draft[line.clone()].trim(),
    };
    let is_source = |text: &str| {
        text.starts_with(['—', '–']) || text.starts_with("--") || text.starts_with('(') && text.ends_with([')', '.'])
    };
    let mut lines = lines;
    while let [rest @ .., last] = lines
        && !rest.is_empty()
        && (content(last).is_empty() || is_source(content(last)))
    {
        lines = rest;
    }
    let text = lines.iter().map(content).collect::<Vec<_>>().join("\n");
    let place = lines.first()?.start..lines.last()?.end;
    let least = if kind == Kind::Marked { MIN_WORDS } else { MIN_INDENTED_WORDS };
    (words(&text) >= least).then_some(Quotation { text, place, line, is_block: true })
}

/// The words of a text. Each letter of a script without spaces counts as one.
fn words(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.contains(|c: char| c.is_alphanumeric() && !is_unspaced(c)));
    spaced.count() + text.chars().filter(|c| is_unspaced(*c)).count()
}

/// Adds the texts in quotation marks of one paragraph: the outermost marks count.
fn in_marks(draft: &str, paragraph: Range<usize>, line: u32, found: &mut Vec<Quotation>) {
    let text = &draft[paragraph.clone()];
    let marks: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| is_quote(*c)).collect();
    let mut next = 0;
    while let Some(&(start, c)) = marks.get(next) {
        next += 1;
        let Some(end) = opens(text, start, c).then(|| closing(text, &marks[next..], c)).flatten() else { continue };
        next = marks.partition_point(|(at, _)| *at <= end);
        let inside = text[start + c.len_utf8()..end].trim_start_matches('`');
        let inside = if c == '`' { inside.trim_end_matches('\'') } else { inside };
        let least = if inside.contains(|c: char| c.is_ascii_digit()) { MIN_WORDS_WITH_NUMBER } else { MIN_WORDS };
        if words(inside) >= least && !is_cited_heading(&text[..start]) {
            let length = text[end..].chars().next().map_or(0, char::len_utf8);
            found.push(Quotation {
                text: inside.to_owned(),
                place: paragraph.start + start..paragraph.start + end + length,
                line: line + text[..start].matches('\n').count() as u32,
                is_block: false,
            });
        }
    }
}

/// True if the heading of a citation follows: `Lease.docx, no page, "7. The Works"`.
fn is_cited_heading(before: &str) -> bool {
    const MOST: usize = 80;
    let from = before.rfind("no page").filter(|from| before.len() - from <= MOST);
    from.is_some_and(|from| before.ends_with(", ") && !before[from..].contains(is_quote))
}

/// True if a mark begins a quotation.
fn opens(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    let begins = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | ',' | ')' | ']' | '?' | '!' | ';'));
    match c {
        '“' | '„' | '«' | '「' | '『' => true,
        '»' => begins,
        '"' | '\'' | '‘' | '`' | '‚' | '‹' | '＂' => begins && after.is_some_and(|c| !c.is_whitespace()),
        _ => false,
    }
}

/// The end of the quotation that a mark begins; `marks` are those behind it.
fn closing(text: &str, marks: &[(usize, char)], open: char) -> Option<usize> {
    let closers: &[char] = match open {
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        '»' => &['«'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        '‘' | '‚' => &['’', '‘'],
        '`' => &['\'', '’'],
        '"' => &['"', '”'],
        '＂' => &['＂'],
        _ => &['\''],
    };
    let is_single = matches!(open, '‘' | '‚' | '`' | '\'');
    let ends = |at: usize, c: char| {
        let (before, after) = (text[..at].chars().next_back(), text[at + c.len_utf8()..].chars().next());
        before.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_alphanumeric())
    };
    let mut depth = 0;
    for &(at, c) in marks {
        let closes = closers.contains(&c) && (!(is_single || open == '"') || ends(at, c));
        if closes && depth == 0 {
            return Some(at);
        }
        if closes {
            depth -= 1;
        } else if c == open && (open != '"' && !is_single || opens(text, at, c)) {
            depth += 1;
        }
    }
    // Marks inside are not balanced: the first that may be the end.
    marks.iter().find(|&&(at, c)| closers.contains(&c) && ends(at, c)).map(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(draft: &str) -> Vec<(u32, String)> {
        quotations(draft).into_iter().map(|quotation| (quotation.line, quotation.text)).collect()
    }

    #[test]
    fn quotation_marks_of_all_kinds_are_found() {
        for (draft, expected) in [
            ("It says “the rent is due” today.", "the rent is due"),
            ("It says \"the rent is due\" today.", "the rent is due"),
            ("It says 'the tenant's rent is due' today.", "the tenant's rent is due"),
            ("Es heißt „die Miete ist fällig“ heute.", "die Miete ist fällig"),
            ("On dit « le loyer est dû » ici.", " le loyer est dû "),
            ("It says ``the rent is due'' today.", "the rent is due"),
            ("It says “the “Rent” is due”.", "the “Rent” is due"),
            ("It says \"the \"Rent\" is due\".", "the \"Rent\" is due"),
            ("(\"the rent is due,\")", "the rent is due,"),
        ] {
            let found = of(draft);
            assert_eq!(found, [(1, expected.to_owned())], "{draft}");
        }
    }

    #[test]
    fn names_and_open_marks_are_no_quotations() {
        assert!(of("The \"Effective Date\" and the 'Buyer' of 10' and 12\" pipes don't count.").is_empty());
        assert!(of("An “open quotation that never ends\n\nIn the next paragraph it says ” so.").is_empty());
        assert_eq!(of("within \"30 days\" of the \"Closing Date\""), [(1, "30 days".to_owned())]);
        let cited = "“the rent is due” (Lease.docx, no page (¶ 12), \"7. The Rent of it\", para. 8, l. 8)";
        assert_eq!(of(cited), [(1, "the rent is due".to_owned())]);
        assert_eq!(of("A 5\" pipe; it says \"the rent is due\".").len(), 1);
    }

    #[test]
    fn block_quotations_are_one_each_without_their_source() {
        let draft = "As the lease says:\n\n> The rent is due\n> on the first day.\n> — Lease.docx, p. 3\n\nAnd:\n\n    The tenant shall keep the roof \
                     in\n    good repair at all times.\n\nThen “it may not assign” (p. 4).\n\n    - an item of a list, which is not quoted at all\n";
        assert_eq!(
            of(draft),
            [
                (3, "The rent is due\non the first day.".to_owned()),
                (9, "The tenant shall keep the roof in\ngood repair at all times.".to_owned()),
                (12, "it may not assign".to_owned()),
            ]
        );
    }
}
