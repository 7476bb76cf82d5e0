//! Statutes, regulations and directives: "17 C.F.R. § 240.10b-5", "Section 10(b) of the Exchange Act", "GDPR Art. 28".

use casetrack_core::ReferenceKind;

use super::labels::{TokenReference, number_label, part_word};
use super::title;
use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};

word_lists! {
    /// Laws by their normalised names. Of those that begin with the same word, the longest first.
    LAWS: phrases = "references/laws.txt";
    /// The first words of a state, in full or abbreviated (a final point may follow), and its abbreviation of the
    /// Bluebook (21st edition, table T10).
    STATES: phrases = "references/state-codes.txt";
    /// Words in the names of codes and their abbreviation (the Bluebook, table T1).
    TOPICS: phrases = "references/code-topics.txt";
    /// The federal rules of procedure or evidence, in full or abbreviated.
    FEDERAL_RULES: phrases = "references/federal-rules.txt";
}

/// A regulation that begins here: a citation by number, or a law by name with the part after it.
pub fn regulation(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    let (name, end) = if tokens.is_number(at) {
        code_citation(tokens, at)?
    } else if tokens.is_capitalized(at) {
        match law(tokens, at) {
            Some((name, end)) => with_part(tokens, name, end),
            None => rule(tokens, at)
                .or_else(|| federal_rules(tokens, at))
                .or_else(|| by_number(tokens, at))
                .or_else(|| state_code(tokens, at))
                .or_else(|| public_law(tokens, at))?,
        }
    } else {
        return None;
    };
    Some(TokenReference::new(at, end, ReferenceKind::Regulation, name))
}

/// A law by its name: one of the table, or a title that ends in "Act". Its name, and the token after it.
pub fn law(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if !tokens.is_capitalized(at) {
        return None;
    }
    let first = tokens.word(at);
    let known = LAWS.iter().filter(|(words, _)| words.first() == Some(&first)).find(|(words, _)| {
        let end = at + words.len();
        let last = tokens.is_capitalized(end - 1) || words.len() == 1;
        tokens.has(at, words)
            && last
            && (words.len() > 1 || tokens.surface(at).len() > 3 || tokens.is_upper(at))
            && !(tokens.glued(end) && (tokens.is_word(end) || tokens.is_number(end)))
    });
    if let Some((words, name)) = known {
        let end = at + words.len();
        // in capitals throughout, if the abbreviation is also a word or a name
        if words.len() == 1 && !tokens.is_upper(at) && words[0].len() <= 5 {
            return None;
        }
        let (_, end) = year(tokens, end);
        return Some(((*name).to_owned(), end));
    }
    let (begin, end) = title::title_at(tokens, at, |word| word == "act")?;
    // in capitals throughout, the beginning of the name is unclear
    if begin != at || tokens.is_upper(end - 1) {
        return None;
    }
    let (year, after) = year(tokens, end);
    let words: Vec<&str> = (begin..end).map(|word| tokens.surface(word)).collect();
    if words.len() < 2 {
        return None;
    }
    let name = title::spaced(tokens, begin, end);
    Some((year.map_or(name.clone(), |year| format!("{name}{year}")), after))
}

/// " of 1934", " 2006" after the name of an act.
fn year(tokens: &Tokens, at: usize) -> (Option<String>, usize) {
    let of = usize::from(tokens.word(at) == "of");
    let four =
        |at: usize| tokens.number(at).filter(|year| (1600..2100).contains(year) && tokens.surface(at).len() == 4);
    match four(at + of) {
        Some(year) if tokens.gap(at + of) <= Gap::Line && tokens.symbol(at + of + 1) != '§' => {
            (Some(format!(" {}{year}", if of == 1 { "of " } else { "" })), at + of + 1)
        }
        _ => (None, at),
    }
}

/// A regulation or directive by its number or letters: "Regulation S-K", "Directive 95/46/EC".
pub fn by_number(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    european(tokens, at).or_else(|| named_regulation(tokens, at))
}

/// The part of a law after its name: "GDPR Art. 28", "Bankruptcy Code § 365(n)", "Companies Act 2006, s. 172".
fn with_part(tokens: &Tokens, law: String, end: usize) -> (String, usize) {
    if let Some((part, next)) = part_word(tokens, end).filter(|(_, next)| tokens.gap(*next) <= Gap::Line)
        && let Some((label, after)) = label(tokens, next)
    {
        return (format!("{law} {part} {label}"), after);
    }
    (law, end)
}

fn label(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    number_label(tokens, at).or_else(|| {
        let value = roman(tokens.surface(at)).filter(|_| tokens.is_upper(at))?;
        Some((value.to_string(), at + 1))
    })
}

/// The numbers of a section after "§", "§§", "Section", "Part" or nothing.
fn section(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let next = match part_word(tokens, at) {
        Some((_, next)) => next,
        None if tokens.is_word(at) && matches!(tokens.word(at), "part" | "parts") => at + 1,
        None => at,
    };
    number_label(tokens, next).filter(|_| tokens.gap(next) <= Gap::Line)
}

/// "17 C.F.R. § 240.10b-5", "15 USC 78j(b)", "85 Fed. Reg. 12345", "8 Del. C. § 102".
fn code_citation(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let title = tokens.number(at).filter(|title| *title <= 200)?;
    if tokens.gap(at + 1) > Gap::Line || !tokens.is_word(at + 1) {
        return None;
    }
    for (letters, name) in [("cfr", "CFR"), ("usca", "USC"), ("usc", "USC")] {
        if let Some(next) = tokens.letters(at + 1, letters) {
            let (label, end) = section(tokens, next)?;
            return Some((format!("{title} {name} {label}"), end));
        }
    }
    if tokens.has(at + 1, &["fed", ".", "reg", "."]) {
        let page = tokens.number(at + 5)?;
        let comma = tokens.symbol(at + 6) == ',' && tokens.glued(at + 7) && tokens.surface(at + 7).len() == 3;
        let (page, end) = match tokens.number(at + 7).filter(|_| comma) {
            Some(rest) => (page * 1000 + rest, at + 8),
            None => (page, at + 6),
        };
        return Some((format!("{title} Fed. Reg. {page}"), end));
    }
    if tokens.has(at + 1, &["del", ".", "c", "."]) {
        let (label, end) = section(tokens, at + 5)?;
        return Some((format!("{title} Del. Code {label}"), end));
    }
    None
}

/// "Rule 10b-5", "Rule 144A", "Rule 12(b)(6) of the Federal Rules of Civil Procedure".
fn rule(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if !matches!(tokens.word(at), "rule" | "rules") || tokens.gap(at + 1) > Gap::Line {
        return None;
    }
    let (label, end) = number_label(tokens, at + 1)?;
    let of = usize::from(matches!(tokens.word(end), "of" | "under"));
    let next = end + of + usize::from(tokens.word(end + of) == "the");
    if of == 1
        && let Some((rules, after)) = federal(tokens, next)
    {
        return Some((format!("{rules} {label}"), after));
    }
    let digits = label.bytes().take_while(u8::is_ascii_digit).count();
    let distinct =
        digits >= 3 || label.as_bytes().get(digits).is_some_and(u8::is_ascii_lowercase) && label.contains('-');
    distinct.then(|| (format!("Rule {label}"), end))
}

fn federal(tokens: &Tokens, at: usize) -> Option<(&'static str, usize)> {
    FEDERAL_RULES.iter().find(|(words, _)| tokens.has(at, words)).map(|(words, name)| (*name, at + words.len()))
}

fn federal_rules(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    if !tokens.word(at).starts_with('f') {
        return None;
    }
    let (rules, end) = federal(tokens, at)?;
    let next = end + usize::from(matches!(tokens.word(end), "rule" | "rules"));
    match number_label(tokens, next).filter(|_| tokens.gap(next) <= Gap::Line) {
        Some((label, end)) => Some((format!("{rules} {label}"), end)),
        None => Some((rules.to_owned(), end)),
    }
}

/// "Regulation (EU) 2016/679", "Directive 95/46/EC", "Council Regulation (EC) No 139/2004".
fn european(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let kind = match tokens.word(at) {
        "regulation" => "Regulation",
        "directive" => "Directive",
        "decision" => "Decision",
        _ => return None,
    };
    let mut next = at + 1;
    let mut body = None;
    if tokens.symbol(next) == '('
        && matches!(tokens.surface(next + 1), "EU" | "EC" | "EEC")
        && tokens.symbol(next + 2) == ')'
    {
        body = Some(tokens.surface(next + 1));
        next += 3;
    }
    for optional in ["no", "."] {
        next += usize::from(tokens.word(next) == optional);
    }
    if !(tokens.is_number(next) && tokens.symbol(next + 1) == '/' && tokens.is_number(next + 2)) {
        return None;
    }
    let number = format!("{}/{}", tokens.number(next)?, tokens.number(next + 2)?);
    let mut end = next + 3;
    let suffix = (tokens.symbol(end) == '/' && matches!(tokens.surface(end + 1), "EU" | "EC" | "EEC"))
        .then(|| tokens.surface(end + 1));
    if suffix.is_some() {
        end += 2;
    }
    let name = match (body, suffix) {
        (Some("EU"), _) if kind == "Regulation" && number == "2016/679" => {
            return Some(with_part(tokens, "GDPR".to_owned(), end));
        }
        (Some(body), _) => format!("{kind} ({body}) {number}"),
        (None, Some(suffix)) => format!("{kind} {number}/{suffix}"),
        (None, None) if number == "2016/679" => "GDPR".to_owned(),
        _ => return None,
    };
    Some(with_part(tokens, name, end))
}

/// "Regulation S-K", "Regulation D", "Treasury Regulations Section 1.482-1", "Treas. Reg. § 1.482-1".
fn named_regulation(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let treasury = [&["treas", ".", "reg", "."][..], &["treasury", "regulation"], &["treasury", "regulations"]];
    if let Some(words) = treasury.iter().find(|words| tokens.has(at, words)) {
        let (label, end) = section(tokens, at + words.len())?;
        return Some((format!("Treas. Reg. {label}"), end));
    }
    if tokens.word(at) != "regulation" || tokens.gap(at + 1) != Gap::Space {
        return None;
    }
    let letters = tokens.surface(at + 1);
    if letters == "S" && tokens.symbol(at + 2) == '-' && matches!(tokens.surface(at + 3), "K" | "X" | "P" | "T" | "B") {
        return Some((format!("Regulation S-{}", tokens.surface(at + 3)), at + 4));
    }
    let known = matches!(
        letters,
        "D" | "S" | "A" | "E" | "M" | "T" | "U" | "X" | "Z" | "FD" | "AB" | "NMS" | "SHO" | "BI" | "CC"
    );
    (known && !tokens.glued(at + 2)
        || known && tokens.is_upper(at + 1) && matches!(tokens.symbol(at + 2), '.' | ',' | ')' | ';'))
    .then(|| (format!("Regulation {letters}"), at + 2))
}

/// "Cal. Civ. Code § 1798.100", "California Civil Code Section 1798.100", "N.Y. Gen. Bus. Law § 349".
fn state_code(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let (state, mut next) = STATES.iter().find_map(|(words, abbreviation)| {
        (words.first() == Some(&tokens.word(at)) && tokens.has(at, words)).then(|| (*abbreviation, at + words.len()))
    })?;
    next += usize::from(tokens.symbol(next) == '.');
    let mut name = state.to_owned();
    let mut code = false;
    let mut title = None;
    for _ in 0..10 {
        let word = tokens.word(next);
        if tokens.gap(next) > Gap::Line {
            return None;
        }
        match word {
            "title" | "tit" => {
                let number = next + 1 + usize::from(tokens.symbol(next + 1) == '.');
                title = Some(tokens.number(number)?);
                next = number + 1;
            }
            "," | "." => next += 1,
            "annotated" | "ann" | "of" => next += 1,
            "and" | "&" => {
                name.push_str(" &");
                next += 1;
            }
            _ if tokens.is_capitalized(next) && !matches!(word, "section" | "sec") => {
                let short = TOPICS
                    .iter()
                    .find(|(long, short)| long[..] == [word] || short.trim_end_matches('.').eq_ignore_ascii_case(word));
                let (_, short) = short?;
                code |= matches!(*short, "Code" | "Stat." | "Law" | "Laws" | "C.");
                name.push(' ');
                name.push_str(short);
                next += 1;
            }
            _ => break,
        }
    }
    if !code {
        return None;
    }
    if let Some(title) = title {
        name = format!("{title} {name}");
    }
    let (_, number) = part_word(tokens, next).filter(|(part, _)| *part == "Section")?;
    let (label, end) = number_label(tokens, number).filter(|_| tokens.gap(number) <= Gap::Line)?;
    Some((format!("{name} {label}"), end))
}

/// "Pub. L. No. 104-191", "Public Law 104-191".
fn public_law(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let forms = [&["pub", ".", "l", "."][..], &["public", "law"], &["p", ".", "l", "."]];
    let words = forms.iter().find(|words| tokens.has(at, words))?;
    let mut next = at + words.len();
    for optional in ["no", "."] {
        next += usize::from(tokens.word(next) == optional);
    }
    let valid = tokens.symbol(next + 1) == '-' && tokens.glued(next + 1) && tokens.is_number(next + 2);
    let (congress, number) = (tokens.number(next)?, tokens.number(next + 2).filter(|_| valid)?);
    Some((format!("Pub. L. {congress}-{number}"), next + 3))
}
