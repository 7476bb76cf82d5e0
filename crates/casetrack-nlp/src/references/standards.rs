use casetrack_core::ReferenceKind;

use super::labels::{TokenReference, number_label};
use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};

word_lists! {
    /// Issuers by the words for them, longer ones first; "lettered" is behind the name of those whose numbers begin with letters.
    ISSUERS: phrases = "references/standards.txt";
}

pub fn standard(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    if !tokens.is_upper(at) || tokens.surface(at).len() > 6 {
        return None;
    }
    if let Some(found) = pci(tokens, at) {
        return Some(found);
    }
    let first = tokens.word(at);
    let mut issuers = ISSUERS.iter().filter(|(words, _)| words.first() == Some(&first));
    issuers.find_map(|(words, issuer)| match issuer.split_once('\t') {
        Some((issuer, _)) => numbered(tokens, at, words, issuer, true),
        None => numbered(tokens, at, words, issuer, false),
    })
}

fn numbered(tokens: &Tokens, at: usize, words: &[&str], issuer: &str, lettered: bool) -> Option<TokenReference> {
    let mut next = at + words.len();
    if !tokens.has(at, words) || (at..next).any(|word| word > at && tokens.gap(word) > Gap::Space) {
        return None;
    }
    for optional in ["no", "number", "nos", ".", "-"] {
        let hyphen = optional == "-" && !tokens.glued(next);
        if tokens.word(next) == optional && !hyphen {
            next += 1;
        }
    }
    if tokens.gap(next) > Gap::Line {
        return None;
    }
    let (number, end) = if lettered && tokens.is_upper(next) && tokens.surface(next).len() <= 4 {
        let digits = next + 1 + usize::from(matches!(tokens.symbol(next + 1), '.' | '-'));
        if tokens.gap(digits) > Gap::Space {
            return None;
        }
        let (number, end) = number_label(tokens, digits)?;
        let point = if tokens.symbol(next + 1) == '.' { "." } else { "" };
        (format!("{}{point}{number}", tokens.surface(next)), end)
    } else {
        standard_number(tokens, next)?
    };
    let (name, end) = match issuer {
        // the 27000 family is published by both bodies and often named after one
        "ISO" if (27_000..27_100).contains(&leading(&number)) => (format!("ISO/IEC {number}"), end),
        "SOC" => soc(tokens, &number, end)?,
        // short letters need a number that could be a standard's
        "UL" | "BS" | "EN" | "DIN" | "SAS" | "ISA" if leading(&number) < 10 || tokens.glued(next) => return None,
        "NIST SP" => special_publication(tokens, &number, end)?,
        _ => (format!("{issuer} {number}"), end),
    };
    Some(TokenReference::new(at, end, ReferenceKind::Standard, name))
}

/// "SOC 2 Type II": the name, and the token after it.
fn soc(tokens: &Tokens, number: &str, end: usize) -> Option<(String, usize)> {
    if !matches!(number, "1" | "2" | "3") {
        return None;
    }
    let word = end + usize::from(tokens.symbol(end) == ',');
    let kind = tokens.number(word + 1).or_else(|| roman(tokens.surface(word + 1)));
    Some(match (tokens.word(word), kind) {
        ("type", Some(kind @ 1..=2)) => (format!("SOC {number} Type {kind}"), word + 2),
        _ => (format!("SOC {number}"), end),
    })
}

/// "NIST SP 800-53 Rev. 5": the name, and the token after it.
fn special_publication(tokens: &Tokens, number: &str, end: usize) -> Option<(String, usize)> {
    if !number.contains('-') {
        return None;
    }
    Some(match (number.split_once(['r', 'R']), revision(tokens, end)) {
        (Some((base, revision)), _) => (format!("NIST SP {base} Rev. {revision}"), end),
        (None, (Some(revision), after)) => (format!("NIST SP {number} Rev. {revision}"), after),
        (None, (None, _)) => (format!("NIST SP {number}"), end),
    })
}

fn leading(number: &str) -> u32 {
    number.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// A number with its edition: "27001:2022", "802.11-2020", "123(R)".
fn standard_number(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let (mut number, mut end) = number_label(tokens, at)?;
    if number.contains('(') && !number.ends_with("(R)") {
        let digits = number.find('(')?;
        number.truncate(digits);
        end = (at..end).find(|at| tokens.symbol(*at) == '(')?;
    }
    // "EN 301 549"
    if number.len() == 3 && tokens.is_number(end) && tokens.gap(end) == Gap::Space && tokens.surface(end).len() == 3 {
        number = format!("{number} {}", tokens.surface(end));
        end += 1;
    }
    if tokens.symbol(end) == ':'
        && tokens.glued(end)
        && tokens.glued(end + 1)
        && tokens.surface(end + 1).len() == 4
        && tokens.is_number(end + 1)
    {
        number = format!("{number}:{}", tokens.surface(end + 1));
        end += 2;
    }
    Some((number, end))
}

/// "Rev. 5", "Revision 5", "r5".
fn revision(tokens: &Tokens, at: usize) -> (Option<u32>, usize) {
    let at = at + usize::from(tokens.symbol(at) == ',');
    if !matches!(tokens.word(at), "rev" | "revision" | "r") {
        return (None, at);
    }
    let next = at + 1 + usize::from(tokens.symbol(at + 1) == '.');
    (tokens.number(next), next + 1)
}

/// "PCI DSS", "PCI-DSS v4.0".
fn pci(tokens: &Tokens, at: usize) -> Option<TokenReference> {
    if tokens.word(at) != "pci" {
        return None;
    }
    let dss = at + 1 + usize::from(tokens.symbol(at + 1) == '-');
    if tokens.word(dss) != "dss" {
        return None;
    }
    let (version, end) = version(tokens, dss + 1).unwrap_or((String::new(), dss + 1));
    let name = if version.is_empty() { "PCI DSS".to_owned() } else { format!("PCI DSS {version}") };
    Some(TokenReference::new(at, end, ReferenceKind::Standard, name))
}

/// "v2.1", "version 2.1", "Ver. 3": the number, and the token after it.
pub fn version(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let at = at
        + usize::from(matches!(tokens.symbol(at), ',' | '(') && matches!(tokens.word(at + 1), "version" | "v" | "ver"));
    let number = match tokens.word(at) {
        "v" if tokens.glued(at + 1) => at + 1 + usize::from(tokens.symbol(at + 1) == '.'),
        "version" => at + 1,
        "ver" => at + 1 + usize::from(tokens.symbol(at + 1) == '.'),
        _ => return None,
    };
    let (label, end) = number_label(tokens, number)?;
    Some((label, end))
}
