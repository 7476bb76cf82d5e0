//! Parts of the same document: "Section 4.2(b)", "Sections 3, 4 and 5.1", "Exhibit B", and parts of others that look alike.

use casetrack_core::{ReferenceKind, Relation};

use super::labels::{PartWord, TokenReference, letter_label, number_label, parenthesized};
use super::{documents, regulations};
use crate::dates::DateOrder;
use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};

word_lists! {
    /// Words for laws, and words in the names of laws.
    LAWS: set = "references/law-nouns.txt";
    LAW_WORDS: set = "references/law-words.txt";
    /// Words for documents that are most often others than the one at hand.
    UNNAMED_DOCUMENTS: set = "references/unnamed-documents.txt";
}

/// A word for a part, its normalised form, and whether labels of letters are usual for it.
struct Part {
    name: &'static str,
    next: usize,
    plural: bool,
    lettered: bool,
}

fn part(tokens: &Tokens, at: usize) -> Option<Part> {
    if tokens.word(at) == "§" {
        let plural = tokens.symbol(at + 1) == '§';
        return Some(Part { name: "Section", next: at + 1 + usize::from(plural), plural, lettered: false });
    }
    let part = PartWord::of(tokens.word(at)).filter(|part| part.has("own"))?;
    let capital = tokens.is_capitalized(at);
    let point = tokens.symbol(at + 1) == '.' && tokens.glued(at + 1);
    if part.has("capital") && !capital || part.has("point") && !point {
        return None;
    }
    let next = at + 1 + usize::from(part.has("point"));
    Some(Part { name: part.name, next, plural: part.has("plural"), lettered: part.has("letters") && capital })
}

fn label(tokens: &Tokens, at: usize, part: &Part) -> Option<(String, usize)> {
    if tokens.gap(at) > Gap::Line {
        return None;
    }
    if let Some(found) = number_label(tokens, at) {
        return Some(found);
    }
    if !part.lettered {
        return None;
    }
    let (label, end) = letter_label(tokens, at)?;
    // "Section I agree", "PART A of": a letter that is also a word
    if matches!(label.as_str(), "I" | "A")
        && tokens.is_word(end)
        && tokens.gap(end) == Gap::Space
        && part.name == "Section"
    {
        return None;
    }
    // Roman numerals are numbers if letters are not usual
    if matches!(part.name, "Article" | "Part" | "Section" | "Chapter") {
        let letters = label.bytes().take_while(u8::is_ascii_alphabetic).count();
        if let Some(value) = roman(&label[..letters])
            .filter(|_| part.name != "Part" && part.name != "Section" || letters > 1 || label == "I" || label == "V")
        {
            return Some((format!("{value}{}", &label[letters..]), end));
        }
    }
    Some((label, end))
}

/// The owner of the parts, by the words behind their labels.
enum Owner {
    /// This document: nothing, "of this Agreement", "hereof".
    Own { end: usize },
    /// A law, by name.
    Law { name: String, end: usize },
    /// Another document, by title.
    Other(TokenReference),
    /// A law that the document calls by its kind: "the Regulation".
    Called { kind: String, end: usize },
    /// Another document or law, which the words here do not name.
    Unknown,
}

fn owner(tokens: &Tokens, end: usize, order: DateOrder) -> Owner {
    if matches!(tokens.word(end), "thereof" | "thereto" | "therein") {
        return Owner::Unknown;
    }
    let comma = usize::from(tokens.symbol(end) == ',');
    let of = match tokens.word(end + comma) {
        "of" | "to" | "under" | "in" => end + comma,
        // "Article 6(1)(f) GDPR"
        _ => match regulations::law(tokens, end).filter(|_| tokens.is_upper(end) && tokens.gap(end) <= Gap::Line) {
            Some((name, end)) => return Owner::Law { name, end },
            None => return Owner::Own { end },
        },
    };
    let the = tokens.word(of + 1) == "the" || tokens.symbol(of + 1) == '“';
    let noun = of + 1 + usize::from(the);
    if let Some((name, end)) = regulations::law(tokens, noun).or_else(|| regulations::by_number(tokens, noun)) {
        return Owner::Law { name, end };
    }
    if let Some(found) =
        documents::document_at(tokens, noun, order).and_then(|title| title.found).filter(|found| found.first == noun)
    {
        return Owner::Other(found);
    }
    match tokens.word(of + 1) {
        _ if tokens.word(of) != "of" => Owner::Own { end },
        "this" | "these" | "our" => Owner::Own { end },
        "such" | "said" | "that" | "those" | "its" | "his" | "each" | "any" => Owner::Unknown,
        _ if the && tokens.surface(noun) == "Code" => {
            Owner::Law { name: "Internal Revenue Code".to_owned(), end: noun + 1 }
        }
        _ if the && is_called(tokens, noun) => Owner::Called { kind: tokens.surface(noun).to_owned(), end: noun + 1 },
        _ if is_unnamed(tokens, of, noun, the) => Owner::Unknown,
        _ => Owner::Own { end },
    }
}

/// True if the word behind "of the" is a law by its kind, as a defined term, and no part of a longer name: "the Act", not "the Act Concerning Sales".
fn is_called(tokens: &Tokens, noun: usize) -> bool {
    let longer = tokens.gap(noun + 1) <= Gap::Line
        && (tokens.is_capitalized(noun + 1) || tokens.is_number(noun + 1) || tokens.symbol(noun + 1) == '(');
    tokens.is_capitalized(noun) && !tokens.is_upper(noun) && LAWS.contains(tokens.word(noun)) && !longer
}

/// True if the words behind "of" mean another document or law without its name: "the Indenture", "the Act".
fn is_unnamed(tokens: &Tokens, of: usize, noun: usize, the: bool) -> bool {
    let word = tokens.word(noun);
    let law = || (noun + 1..noun + 6).any(|at| LAW_WORDS.contains(tokens.word(at)));
    tokens.is_capitalized(noun)
        && (LAWS.contains(word)
            || the && UNNAMED_DOCUMENTS.contains(word)
            || the && tokens.is_capitalized(noun + 1) && law())
        // "the FDCA"; "the Indenture" is most often another document than the one at hand
        || tokens.is_upper(noun) && tokens.surface(noun).len() > 2 && !tokens.is_upper(of)
        || !the && part(tokens, noun).is_some()
}

/// The parts that the words from here name; `None` if they name none. `Some` of nothing: a part of something unknown,
/// to skip to the token given.
pub fn parts(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(Vec<TokenReference>, usize)> {
    let part = part(tokens, at)?;
    if at > 0 && tokens.glued(at) && (tokens.is_word(at - 1) || matches!(tokens.symbol(at - 1), '-' | '_' | '/')) {
        return None;
    }
    if let Some(found) = level_of(tokens, at, &part, order) {
        return Some(found);
    }
    let (name, end) = label(tokens, part.next, &part).or_else(|| appendix(tokens, at, &part))?;
    if heading(tokens, at, end, &part) {
        return Some((Vec::new(), end));
    }
    let mut labels = vec![(at, end, name)];
    list(tokens, &part, &mut labels);
    let last = labels.last().map_or(end, |label| label.1);
    // "Recitals 2" is a line of a table of contents
    if part.plural && labels.len() == 1 && !matches!(part.name, "Section" | "Article" | "Clause" | "Paragraph") {
        return Some((Vec::new(), last));
    }
    Some(owned_references(tokens, &part, labels, last, order))
}

/// The references for labels, by whose they are.
fn owned_references(
    tokens: &Tokens,
    part: &Part,
    labels: Vec<(usize, usize, String)>,
    last: usize,
    order: DateOrder,
) -> (Vec<TokenReference>, usize) {
    match owner(tokens, last, order) {
        Owner::Unknown => (Vec::new(), last),
        Owner::Other(found) => {
            let first = labels.first().map_or(found.first, |label| label.0);
            let end = found.end;
            (vec![TokenReference { first, ..found }], end)
        }
        Owner::Law { name, end } => (of_law(labels, end, |label| format!("{name} {} {label}", part.name)), end),
        Owner::Called { kind, end } => {
            (of_law(labels, end, |label| format!("{} {label} of the {kind}", part.name)), end)
        }
        Owner::Own { end } => {
            let attached = matches!(part.name, "Exhibit" | "Schedule" | "Annex" | "Appendix" | "Attachment")
                .then(|| labels.first().filter(|first| attaches(tokens, first.0, last)))
                .flatten()
                .map(|_| Relation::Attaches);
            let found = labels
                .into_iter()
                .map(|(first, end, label)| {
                    let name = if label.is_empty() { part.name.to_owned() } else { format!("{} {label}", part.name) };
                    TokenReference {
                        relation: attached,
                        ..TokenReference::new(first, end, ReferenceKind::Internal, name)
                    }
                })
                .collect();
            (found, end)
        }
    }
}

/// The references to parts of a law, whose words end before the token `end`.
fn of_law(labels: Vec<(usize, usize, String)>, end: usize, name: impl Fn(&str) -> String) -> Vec<TokenReference> {
    let count = labels.len();
    let reference = |(n, (first, label_end, label)): (usize, (usize, usize, String))| {
        let end = if n + 1 == count { end } else { label_end };
        TokenReference::new(first, end, ReferenceKind::Regulation, name(&label))
    };
    labels.into_iter().enumerate().map(reference).collect()
}

/// "the Appendix" without a label.
fn appendix(tokens: &Tokens, at: usize, part: &Part) -> Option<(String, usize)> {
    let the = matches!(tokens.word(at.wrapping_sub(1)), "the" | "this") && tokens.gap(at) <= Gap::Line;
    (part.name == "Appendix" && !part.plural && the && !tokens.is_capitalized(at + 1)).then(|| (String::new(), at + 1))
}

/// True if a part is named here as the heading over it, not as a reference to it.
fn heading(tokens: &Tokens, at: usize, end: usize, part: &Part) -> bool {
    let before = at.checked_sub(1);
    let opens = match tokens.gap(at) {
        Gap::Paragraph => true,
        Gap::Line => {
            before.is_none_or(|before| matches!(tokens.symbol(before), '.' | ':' | ';' | ')' | '-' | '_'))
                || tokens.gap(end) >= Gap::Line
        }
        // text whose lines were joined keeps the number of a page or a stop before a heading in capitals
        _ => {
            tokens.is_upper(at)
                && tokens.surface(at).len() > 1
                && before.is_none_or(|before| !tokens.is_word(before) || tokens.is_upper(before))
        }
    };
    // the dots that lead to the number of a page, in a table of contents
    if tokens.symbol(end) == '.' && tokens.symbol(end + 1) == '.' {
        return true;
    }
    if !opens {
        return false;
    }
    let verb = tokens.is_word(end) && !tokens.is_capitalized(end) && tokens.gap(end) <= Gap::Line;
    let list = matches!(tokens.symbol(end), ',' | '(') || matches!(tokens.word(end), "and" | "or" | "to" | "through");
    !(verb || list && part.plural) || tokens.is_upper(at) && part.name != "Section" && tokens.surface(at).len() > 1
}

/// Further labels after commas, "and", "or", "through" or a dash.
fn list(tokens: &Tokens, part: &Part, labels: &mut Vec<(usize, usize, String)>) {
    for _ in 0..40 {
        let Some((_, end, last)) = labels.last().cloned() else { return };
        let mut next = end;
        // "Sections 2 (Definitions) and 3 (Term)"
        if part.plural && tokens.symbol(next) == '(' {
            next = (next + 1..next + 12).find(|at| tokens.symbol(*at) == ')').map_or(next, |close| close + 1);
        }
        let comma = tokens.symbol(next) == ',';
        next += usize::from(comma);
        let joined = matches!(tokens.word(next), "and" | "or" | "through" | "to" | "&")
            || matches!(tokens.symbol(next), '-' | '–');
        next += usize::from(joined);
        next += usize::from(joined && tokens.word(next) == "or");
        if !(comma || joined) || tokens.gap(next) > Gap::Line {
            return;
        }
        // "4.1(a) through (c)": a level next to the last one
        if let Some((level, after)) = parenthesized(tokens, next)
            && let Some(open) = last.rfind('(')
        {
            labels.push((next, after, format!("{}{level}", &last[..open])));
            continue;
        }
        let Some((name, after)) = label(tokens, next, part) else { return };
        let detailed = |name: &str| name.contains(['.', '(']);
        let counted =
            matches!(tokens.word(after), "days" | "day" | "months" | "years" | "hours" | "percent" | "copies")
                || tokens.symbol(after) == '%';
        if !(part.plural || detailed(&name) && detailed(&last) || part.name == "Exhibit" && tokens.is_upper(next))
            || counted
            || tokens.symbol(after) == '/'
            || comma && !joined && !part.plural
        {
            return;
        }
        labels.push((next, after, name));
    }
}

/// "paragraph (c) of Section 2", "clauses (i) and (ii) of Section 4.1(a)": levels of a section named after them.
fn level_of(tokens: &Tokens, at: usize, part: &Part, order: DateOrder) -> Option<(Vec<TokenReference>, usize)> {
    let (first, mut end) = parenthesized(tokens, part.next)?;
    let mut levels = vec![(at, end, first)];
    while levels.len() < 20 {
        if tokens.gap(end) <= Gap::Space
            && tokens.symbol(end) == '('
            && let Some((level, after)) = parenthesized(tokens, end)
            && let Some(last) = levels.last_mut()
        {
            last.2.push_str(&level);
            (last.1, end) = (after, after);
            continue;
        }
        let comma = usize::from(tokens.symbol(end) == ',');
        let joined = usize::from(matches!(tokens.word(end + comma), "and" | "or" | "through" | "to"));
        match parenthesized(tokens, end + comma + joined).filter(|_| comma + joined > 0) {
            Some((level, after)) => {
                levels.push((end + comma + joined, after, level));
                end = after;
            }
            None => break,
        }
    }
    let above = usize::from(tokens.word(end) == "above");
    if tokens.word(end + above) != "of" {
        return Some((Vec::new(), end));
    }
    let outer = self::part(tokens, end + above + 1 + usize::from(tokens.word(end + above + 1) == "the"))?;
    let Some((base, after)) = label(tokens, outer.next, &outer) else { return Some((Vec::new(), end)) };
    let count = levels.len();
    let labels = levels
        .into_iter()
        .enumerate()
        .map(|(n, (first, end, level))| (first, if n + 1 == count { after } else { end }, format!("{base}{level}")))
        .collect();
    Some(owned_references(tokens, &outer, labels, after, order))
}

/// "attached hereto as Exhibit B", "Exhibit B attached hereto", "Exhibit B hereto".
fn attaches(tokens: &Tokens, first: usize, end: usize) -> bool {
    let attached = |at: usize| matches!(tokens.word(at), "attached" | "annexed" | "appended" | "enclosed");
    let comma = usize::from(tokens.symbol(end) == ',');
    let after = attached(end + comma)
        || attached(end + comma + 1) && matches!(tokens.word(end + comma), "is" | "are")
        || tokens.word(end) == "hereto";
    let before = matches!(tokens.word(first.wrapping_sub(1)), "as" | "hereto" | "in")
        && (first.saturating_sub(7)..first).any(attached);
    after || before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(String, ReferenceKind)> {
        let tokens = Tokens::new(text);
        let found = crate::references::find(&tokens, DateOrder::Unknown);
        found.into_iter().map(|reference| (reference.name, reference.kind)).collect()
    }

    #[test]
    fn a_law_that_is_called_by_its_kind_has_references_of_its_own() {
        for (text, name) in [
            ("It is subject to § 12(b)(iii) of the Regulation.", "Section 12(b)(iii) of the Regulation"),
            ("As Section 3 of the Act defines it, it ends.", "Section 3 of the Act"),
            ("They comply with paragraph (c) of Section 7 of the Rules at all times.", "Section 7(c) of the Rules"),
            ("He relies on Article 5 of the Statute, which applies.", "Article 5 of the Statute"),
            ("It follows from section 4 of the Law and from nothing else.", "Section 4 of the Law"),
        ] {
            assert_eq!(named(text), [(name.to_owned(), ReferenceKind::Regulation)], "{text}");
        }
        for text in [
            "Section 4 of the Indenture applies.",
            "Section 4 of such Act applies.",
            "It amends Section 4 of the Act Concerning Sales.",
            "It amends Section 4 of any Regulation.",
            "Section 4 thereof applies.",
        ] {
            assert!(named(text).iter().all(|(name, _)| !name.contains(" of the ")), "{text}: {:?}", named(text));
        }
    }
}
