//! Parts of the same document: "Section 4.2(b)", "Sections 3, 4 and 5.1", "Exhibit B", and parts of others that look alike.

use casetrack_core::{ReferenceKind, Relation};

use super::documents;
use super::found::{Found, letter_label, number_label, parenthesized};
use super::regulations;
use crate::dates::DateOrder;
use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};

/// A word for a part, its normalised form, and whether labels of letters are usual for it.
struct Part {
    name: &'static str,
    next: usize,
    plural: bool,
    lettered: bool,
}

fn part(tokens: &Tokens, at: usize) -> Option<Part> {
    let word = tokens.word(at);
    let capital = tokens.is_capitalized(at);
    let point = usize::from(tokens.symbol(at + 1) == '.' && tokens.glued(at + 1));
    let made = |name, next, plural, lettered| Some(Part { name, next, plural, lettered });
    match word {
        "§" => {
            let double = usize::from(tokens.symbol(at + 1) == '§');
            made("Section", at + 1 + double, double == 1, false)
        }
        "section" | "subsection" => made("Section", at + 1, false, capital),
        "sections" | "subsections" => made("Section", at + 1, true, capital),
        "sec" | "secs" if point == 1 => made("Section", at + 2, word == "secs", false),
        "article" | "articles" => made("Article", at + 1, word == "articles", capital),
        "art" if point == 1 => made("Article", at + 2, false, capital),
        "clause" | "clauses" => made("Clause", at + 1, word == "clauses", false),
        "paragraph" | "paragraphs" => made("Paragraph", at + 1, word == "paragraphs", false),
        "para" | "paras" if point == 1 => made("Paragraph", at + 2, word == "paras", false),
        "exhibit" | "exhibits" if capital => made("Exhibit", at + 1, word == "exhibits", true),
        "schedule" | "schedules" if capital => made("Schedule", at + 1, word == "schedules", true),
        "annex" | "annexes" if capital => made("Annex", at + 1, word == "annexes", true),
        "appendix" | "appendices" if capital => made("Appendix", at + 1, word == "appendices", true),
        "attachment" | "attachments" if capital => made("Attachment", at + 1, word == "attachments", true),
        "part" | "parts" if capital => made("Part", at + 1, word == "parts", true),
        "chapter" | "chapters" => made("Chapter", at + 1, word == "chapters", false),
        "table" | "tables" => made("Table", at + 1, word == "tables", capital),
        "figure" | "figures" => made("Figure", at + 1, word == "figures", capital),
        "fig" | "figs" if point == 1 => made("Figure", at + 2, word == "figs", false),
        "recital" | "recitals" if capital => made("Recital", at + 1, word == "recitals", true),
        "item" if capital => made("Item", at + 1, false, false),
        _ => None,
    }
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
    // Roman numbers stand for numbers where letters are not usual
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

/// What follows the labels and says whose parts they are.
enum Owner {
    /// This document: nothing, "of this Agreement", "hereof".
    Own { end: usize },
    /// A law, by name.
    Law { name: String, end: usize },
    /// Another document, by title.
    Other(Found),
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
    let linked = tokens.word(of) == "of";
    let the = usize::from(tokens.word(of + 1) == "the" || tokens.symbol(of + 1) == '“');
    let noun = of + 1 + the;
    if let Some((name, end)) = regulations::law(tokens, noun).or_else(|| regulations::by_number(tokens, noun)) {
        return Owner::Law { name, end };
    }
    if let Some(found) =
        documents::titled(tokens, noun, order).and_then(|title| title.found).filter(|found| found.first == noun)
    {
        return Owner::Other(found);
    }
    if !linked {
        return Owner::Own { end };
    }
    match tokens.word(of + 1) {
        "this" | "these" | "our" => Owner::Own { end },
        "such" | "said" | "that" | "those" | "its" | "his" | "each" | "any" => Owner::Unknown,
        _ if the == 1 && tokens.surface(noun) == "Code" => {
            Owner::Law { name: "Internal Revenue Code".to_owned(), end: noun + 1 }
        }
        _ if tokens.is_capitalized(noun)
            && matches!(
                tokens.word(noun),
                "act" | "regulations" | "regulation" | "rules" | "constitution" | "statute" | "code" | "law"
            ) =>
        {
            Owner::Unknown
        }
        // "the FDCA"; "the Indenture" is most often another document than the one at hand
        _ if tokens.is_upper(noun) && tokens.surface(noun).len() > 2 && !tokens.is_upper(of) => Owner::Unknown,
        _ if the == 1
            && tokens.is_capitalized(noun)
            && matches!(
                tokens.word(noun),
                "indenture" | "plan" | "note" | "treaty" | "convention" | "charter" | "bylaws"
            ) =>
        {
            Owner::Unknown
        }
        _ if the == 0 && part(tokens, noun).is_some() => Owner::Unknown,
        _ if the == 1
            && tokens.is_capitalized(noun)
            && tokens.is_capitalized(noun + 1)
            && (noun + 1..noun + 6).any(|at| {
                matches!(tokens.word(at), "act" | "code" | "law" | "laws" | "regulations" | "rules" | "statutes")
            }) =>
        {
            Owner::Unknown
        }
        _ => Owner::Own { end },
    }
}

/// The parts that the words from here name; `None` where they name none. `Some` of nothing: a part of something unknown, to skip
/// to the token given.
pub fn parts(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(Vec<Found>, usize)> {
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
    Some(owned(tokens, &part, labels, last, order))
}

/// The references for labels, by whose they are.
fn owned(
    tokens: &Tokens,
    part: &Part,
    labels: Vec<(usize, usize, String)>,
    last: usize,
    order: DateOrder,
) -> (Vec<Found>, usize) {
    match owner(tokens, last, order) {
        Owner::Unknown => (Vec::new(), last),
        Owner::Other(found) => {
            let first = labels.first().map_or(found.first, |label| label.0);
            let end = found.end;
            (vec![Found { first, ..found }], end)
        }
        Owner::Law { name, end } => {
            let count = labels.len();
            let found = labels
                .into_iter()
                .enumerate()
                .map(|(n, (first, label_end, label))| {
                    let end = if n + 1 == count { end } else { label_end };
                    Found::new(first, end, ReferenceKind::Regulation, format!("{name} {} {label}", part.name))
                })
                .collect();
            (found, end)
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
                    Found { relation: attached, ..Found::new(first, end, ReferenceKind::Internal, name) }
                })
                .collect();
            (found, end)
        }
    }
}

/// "the Appendix" without a label.
fn appendix(tokens: &Tokens, at: usize, part: &Part) -> Option<(String, usize)> {
    let the = matches!(tokens.word(at.wrapping_sub(1)), "the" | "this") && tokens.gap(at) <= Gap::Line;
    (part.name == "Appendix" && !part.plural && the && !tokens.is_capitalized(at + 1)).then(|| (String::new(), at + 1))
}

/// Whether a part is named here as the heading over it, not as a reference to it.
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
        // "4.1(a) through (c)": a level beside the last one
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
fn level_of(tokens: &Tokens, at: usize, part: &Part, order: DateOrder) -> Option<(Vec<Found>, usize)> {
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
    Some(owned(tokens, &outer, labels, after, order))
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
