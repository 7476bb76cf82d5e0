//! Technical and accounting standards: "ISO/IEC 27001:2022", "NIST SP 800-53 Rev. 5", "ASC 606".

use casetrack_core::ReferenceKind;

use super::found::{Found, number_label};
use crate::numbers::roman;
use crate::tokens::{Gap, Tokens};

/// How the numbers of an issuer's standards look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    /// "9110", "606-10-25".
    Digits,
    /// Letters before the digits: "D638", "Z535.4", "X.509".
    LetterDigits,
}

/// What is written, word by word in lower case, the normalised issuer, and the shape of its numbers. Longer ones first.
const ISSUERS: &[(&[&str], &str, Number)] = &[
    (&["iso", "/", "iec", "/", "ieee"], "ISO/IEC/IEEE", Number::Digits),
    (&["iso", "/", "iec", "tr"], "ISO/IEC TR", Number::Digits),
    (&["iso", "/", "iec", "ts"], "ISO/IEC TS", Number::Digits),
    (&["iso", "/", "iec"], "ISO/IEC", Number::Digits),
    (&["iso", "iec"], "ISO/IEC", Number::Digits),
    (&["iso", "/", "ts"], "ISO/TS", Number::Digits),
    (&["iso", "/", "tr"], "ISO/TR", Number::Digits),
    (&["iso", "standard"], "ISO", Number::Digits),
    (&["iso", "-"], "ISO", Number::Digits),
    (&["iso"], "ISO", Number::Digits),
    (&["iec"], "IEC", Number::Digits),
    (&["ieee", "std", "."], "IEEE", Number::Digits),
    (&["ieee", "std"], "IEEE", Number::Digits),
    (&["ieee", "standard"], "IEEE", Number::Digits),
    (&["ieee"], "IEEE", Number::Digits),
    (&["ietf", "rfc"], "RFC", Number::Digits),
    (&["rfc", "-"], "RFC", Number::Digits),
    (&["rfc"], "RFC", Number::Digits),
    (&["nist", "special", "publication"], "NIST SP", Number::Digits),
    (&["nist", "sp"], "NIST SP", Number::Digits),
    (&["nist", "ir"], "NIST IR", Number::Digits),
    (&["nistir"], "NIST IR", Number::Digits),
    (&["nist"], "NIST SP", Number::Digits),
    (&["fips", "pub"], "FIPS", Number::Digits),
    (&["fips"], "FIPS", Number::Digits),
    (&["ansi", "/"], "ANSI", Number::LetterDigits),
    (&["ansi"], "ANSI", Number::LetterDigits),
    (&["astm"], "ASTM", Number::LetterDigits),
    (&["asme"], "ASME", Number::LetterDigits),
    (&["din", "en", "iso"], "DIN EN ISO", Number::Digits),
    (&["din", "en"], "DIN EN", Number::Digits),
    (&["din", "iso"], "DIN ISO", Number::Digits),
    (&["din"], "DIN", Number::Digits),
    (&["bs", "en", "iso"], "BS EN ISO", Number::Digits),
    (&["bs", "en"], "BS EN", Number::Digits),
    (&["bs"], "BS", Number::Digits),
    (&["etsi", "en"], "ETSI EN", Number::Digits),
    (&["etsi", "ts"], "ETSI TS", Number::Digits),
    (&["en", "iso"], "EN ISO", Number::Digits),
    (&["en"], "EN", Number::Digits),
    (&["itu", "-", "t"], "ITU-T", Number::LetterDigits),
    (&["itu", "-", "r"], "ITU-R", Number::LetterDigits),
    (&["ul"], "UL", Number::Digits),
    (&["nfpa"], "NFPA", Number::Digits),
    (&["sae"], "SAE", Number::LetterDigits),
    (&["mil", "-", "std", "-"], "MIL-STD", Number::Digits),
    (&["ifrs"], "IFRS", Number::Digits),
    (&["ifric"], "IFRIC", Number::Digits),
    (&["ias"], "IAS", Number::Digits),
    (&["isa"], "ISA", Number::Digits),
    (&["isae"], "ISAE", Number::Digits),
    (&["ssae"], "SSAE", Number::Digits),
    (&["sas"], "SAS", Number::Digits),
    (&["fasb", "asc", "topic"], "ASC", Number::Digits),
    (&["fasb", "asc"], "ASC", Number::Digits),
    (&["asc", "topic"], "ASC", Number::Digits),
    (&["asc"], "ASC", Number::Digits),
    (&["asu"], "ASU", Number::Digits),
    (&["sfas"], "SFAS", Number::Digits),
    (&["fas"], "SFAS", Number::Digits),
    (&["soc"], "SOC", Number::Digits),
    (&["cobit"], "COBIT", Number::Digits),
];

pub fn standard(tokens: &Tokens, at: usize) -> Option<Found> {
    if !tokens.is_upper(at) || tokens.surface(at).len() > 6 {
        return None;
    }
    if let Some(found) = pci(tokens, at) {
        return Some(found);
    }
    let first = tokens.word(at);
    ISSUERS
        .iter()
        .filter(|(words, ..)| words.first() == Some(&first))
        .find_map(|(words, issuer, shape)| numbered(tokens, at, words, issuer, *shape))
}

fn numbered(tokens: &Tokens, at: usize, words: &[&str], issuer: &str, shape: Number) -> Option<Found> {
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
    let (number, mut end) = match shape {
        Number::LetterDigits if tokens.is_upper(next) && tokens.surface(next).len() <= 4 => {
            let digits = next + 1 + usize::from(matches!(tokens.symbol(next + 1), '.' | '-'));
            if tokens.gap(digits) > Gap::Space {
                return None;
            }
            let (number, end) = number_label(tokens, digits)?;
            let point = if tokens.symbol(next + 1) == '.' { "." } else { "" };
            (format!("{}{point}{number}", tokens.surface(next)), end)
        }
        _ => standard_number(tokens, next)?,
    };
    let mut name = format!("{issuer} {number}");
    match issuer {
        // the 27000 family is published by both bodies and often named after one
        "ISO" if (27_000..27_100).contains(&leading(&number)) => name = format!("ISO/IEC {number}"),
        "SOC" => {
            if !matches!(number.as_str(), "1" | "2" | "3") {
                return None;
            }
            if let (",", _) | (_, "type") = (tokens.word(end), tokens.word(end)) {
                let word = end + usize::from(tokens.symbol(end) == ',');
                let kind = tokens.number(word + 1).or_else(|| roman(tokens.surface(word + 1)));
                if let ("type", Some(kind @ 1..=2)) = (tokens.word(word), kind) {
                    name = format!("{name} Type {kind}");
                    end = word + 2;
                }
            }
        }
        // short letters need a number that could be a standard's
        "UL" | "BS" | "EN" | "DIN" | "SAS" | "ISA" if leading(&number) < 10 || tokens.glued(next) => return None,
        "NIST SP" => {
            if !number.contains('-') {
                return None;
            }
            let (revision, after) = revision(tokens, end);
            if let Some((base, embedded)) = number.split_once(['r', 'R']) {
                name = format!("NIST SP {base} Rev. {embedded}");
            } else if let Some(revision) = revision {
                name = format!("{name} Rev. {revision}");
                end = after;
            }
        }
        _ => {}
    }
    Some(Found::new(at, end, ReferenceKind::Standard, name))
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
fn pci(tokens: &Tokens, at: usize) -> Option<Found> {
    if tokens.word(at) != "pci" {
        return None;
    }
    let dss = at + 1 + usize::from(tokens.symbol(at + 1) == '-');
    if tokens.word(dss) != "dss" {
        return None;
    }
    let (version, end) = version(tokens, dss + 1).unwrap_or((String::new(), dss + 1));
    let name = if version.is_empty() { "PCI DSS".to_owned() } else { format!("PCI DSS {version}") };
    Some(Found::new(at, end, ReferenceKind::Standard, name))
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
