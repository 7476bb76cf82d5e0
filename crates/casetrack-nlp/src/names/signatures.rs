//! Signature blocks: "By: … Name: Jane Roe Title: President", "/s/ Jane Roe".

use std::ops::Range;

use casetrack_core::EntityType;

use super::roles::position;
use super::signature_blocks::{Block, Blocks};
use super::{Name, Source, persons};
use crate::words::{Class, Gap, Shape, Word, mark_lowered, surface, words};

/// A person who signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The person's name: characters of the text, half-open.
    pub char_start: u32,
    pub char_end: u32,
    pub title: Option<String>,
    /// The organization that is signed for: characters of the text, half-open.
    pub organization: Option<(u32, u32)>,
    /// All organizations above, if it is not known which of them is signed for.
    pub organizations: Vec<(u32, u32)>,
    /// True for one who signs for no party.
    pub is_witness: bool,
}

/// Greatest distance from a name to its title, in words: "By: /s/ Jane Roe Name: Jane Roe Date: … Title: President".
const TITLE_WORDS: usize = 30;
const NAME_WORDS: usize = 6;

/// The signatures of a page, in order; the same person may occur twice, once signing and once in print.
pub fn signatures(text: &str) -> Vec<Signature> {
    let mut page = [words(text)];
    mark_lowered(&mut page);
    let [words] = page;
    let names = find(&words);
    if names.is_empty() {
        return Vec::new();
    }
    let blocks = Blocks::of(&words, &names);
    let place = |name: Name| {
        let Block { title, organization, organizations, is_witness, is_company } = blocks.block(name.first..name.last);
        let chars = |range: Range<usize>| (words[range.start].start, words[range.end - 1].end);
        let signature = Signature {
            char_start: words[name.first].start,
            char_end: words[name.last - 1].end,
            title,
            organization: organization.map(chars),
            organizations: organizations.into_iter().map(chars).collect(),
            is_witness,
        };
        (!is_company).then_some(signature)
    };
    names.into_iter().filter_map(place).collect()
}

/// The same as names.
pub(crate) fn find(words: &[Word<'_>]) -> Vec<Name> {
    let mut found = Vec::new();
    for i in 0..words.len() {
        let Some(first) = name_after_label(words, i) else { continue };
        let Some(last) = signer_end(words, first) else { continue };
        let mut name = Name::new(first, last, EntityType::Person, Source::Signature);
        name.role = title(words, last);
        if found.last().is_none_or(|before: &Name| before.last <= first) {
            found.push(name);
        }
    }
    found
}

/// The beginning of a name, if word `at` is a label of a signature block: "/s/", "By:", "Name:", "Print Name:", "DocuSigned by:".
fn name_after_label(words: &[Word<'_>], at: usize) -> Option<usize> {
    let word = &words[at];
    let next = |n: usize| words.get(at + n);
    // "/s/", also written "/S/" and "/ s /"
    if word.is('/') && matches!(next(1)?.text, "s" | "S") && next(2)?.is('/') {
        return skip_lines(words, at + 3);
    }
    let stamps = |before: &Word<'_>| matches!(before.folded().as_str(), "docusigned" | "signed" | "e-signed");
    let is_stamp = word.text == "by" && at.checked_sub(1).is_some_and(|before| stamps(&words[before]));
    if !word.is_capital() && !is_stamp {
        return None;
    }
    let label = word.folded();
    if word.gap == Gap::None || !matches!(label.as_str(), "by" | "name" | "per") {
        return None;
    }
    if next(1)?.is(':') { skip_lines(words, at + 2) } else { None }
}

/// Past the lines for a signature: "_____", "------", "[".
fn skip_lines(words: &[Word<'_>], from: usize) -> Option<usize> {
    let mut i = from;
    while i < words.len()
        && i < from + 80
        && matches!(words[i].shape, Shape::Mark('_' | '-' | '.' | '\\' | '—' | '"' | '“'))
    {
        i += 1;
    }
    (i < words.len()).then_some(i)
}

/// The end of a signer's name: two to five words of letters, one after the other, that are no label, heading or company.
fn signer_end(words: &[Word<'_>], first: usize) -> Option<usize> {
    let mut from = first;
    while words.get(from).is_some_and(persons::is_honorific) {
        from += 1;
    }
    let mut i = from;
    while i < words.len() && i < from + NAME_WORDS {
        let word = &words[i];
        if i > from && (word.gap > Gap::Space || word.gap == Gap::None) {
            break;
        }
        let printed = i > from && matches!(word.text, "Print" | "Printed" | "PRINT" | "Name" | "Title" | "Date");
        let ends = match word.shape {
            _ if printed => true,
            Shape::Initial => false,
            Shape::Title | Shape::Upper => {
                // "Clifford M. Gross"
                let surname = i > from && words[i - 1].shape == Shape::Initial;
                word.has(Class::GENERIC) && !surname
                    || word.has(Class::FORM)
                    || position(words, i).is_some_and(|_| i > from)
            }
            Shape::Lower => !persons::is_particle(word),
            _ => true,
        };
        if ends {
            break;
        }
        i += 1;
    }
    // A signature and the same name in print after it, on one line.
    let names = &words[from..i];
    if let Some(again) = (2..names.len()).find(|&n| names[n].text.eq_ignore_ascii_case(names[0].text)) {
        i = from + again;
    }
    let letters = words[from..i].iter().filter(|word| word.shape != Shape::Initial).count();
    let company = words[i..]
        .iter()
        .take(4)
        .take_while(|word| word.gap < Gap::Line && !word.is(':'))
        .any(|word| word.has(Class::FORM) && words[i].gap <= Gap::Space && !matches!(word.text, "PC"));
    let known = words[from..i].iter().any(|word| !word.is_common());
    (i - from >= 2 && letters >= 1 && known && !company).then_some(i)
}

/// The title after a signer's name: after "Title:" or "Its:", or the position right after the name.
fn title(words: &[Word<'_>], last: usize) -> Option<String> {
    let end = words.len().min(last + TITLE_WORDS);
    for i in last..end {
        let label = words[i].folded();
        if i + 2 < words.len() && words[i + 1].is(':') && matches!(label.as_str(), "title" | "its") {
            return position(words, i + 2).map(|(title, _)| title).or_else(|| line(words, i + 2));
        }
        // The next block.
        if matches!(label.as_str(), "by" | "name") && i > last + 8 {
            break;
        }
    }
    let from = last + usize::from(words.get(last).is_some_and(|word| word.is(',')));
    (from..end.min(from + 12)).find_map(|i| {
        let begins = i == from
            || words[i].gap >= Gap::Line
            || words[i - 1].is('-')
            || words[i - 1].is('_')
            || !words[i - 1].is_capital();
        (words[i].is_capital() && begins).then(|| position(words, i)).flatten().map(|(title, _)| title)
    })
}

/// The rest of a line, when it looks like a title in words of its own.
fn line(words: &[Word<'_>], from: usize) -> Option<String> {
    let mut last = from;
    while last < words.len()
        && last < from + 5
        && words[last].is_capital()
        && (last == from || words[last].gap <= Gap::Space)
        && !words[last].has(Class::GENERIC)
    {
        last += 1;
    }
    (last > from && !words.get(last).is_some_and(|word| word.is(':'))).then(|| surface(words, from, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Option<String>)> {
        let chars: Vec<char> = text.chars().collect();
        signatures(text)
            .into_iter()
            .map(|s| (chars[s.char_start as usize..s.char_end as usize].iter().collect(), s.title))
            .collect()
    }

    #[test]
    fn blocks_in_lines_and_on_one_line() {
        let president = Some("President".to_owned());
        assert_eq!(
            found("ACME, INC.\n\nBy: ________\nName: Jane Q. Roe\nTitle: President\n"),
            [("Jane Q. Roe".into(), president.clone())]
        );
        assert_eq!(
            found("ACME, INC. By: /s/ Jane Roe Name: Jane Roe Title: President Date: 4/8/2020"),
            [("Jane Roe".into(), president.clone()), ("Jane Roe".into(), president.clone())]
        );
        assert_eq!(found("By: /s/ Clifford M. Gross")[0].0, "Clifford M. Gross");
        assert_eq!(found("By:/s/ Ann Lee, Esq. Date: 4/8/2020 Ann Lee, Esq. Chief Compliance Officer")[0].0, "Ann Lee");
        assert_eq!(
            found("/s/ RON P. EXAMPLE ---- RON P. EXAMPLE\n\nAuthorized Signatory")[0].1.as_deref(),
            Some("Authorized Signatory")
        );
    }

    #[test]
    fn blocks_side_by_side_keep_their_columns() {
        let signed = |text: &str| -> Vec<(String, String, String)> {
            let chars: Vec<char> = text.chars().collect();
            let written = |from: u32, to: u32| chars[from as usize..to as usize].iter().collect::<String>();
            signatures(text)
                .into_iter()
                .map(|s| {
                    let organization = s.organization.map(|(from, to)| written(from, to)).unwrap_or_default();
                    (written(s.char_start, s.char_end), s.title.unwrap_or_default(), organization)
                })
                .collect()
        };
        let of = |name: &str, title: &str, organization: &str| (name.into(), title.into(), organization.into());
        let labels = "Name: Jane Roe          Name: Ann Lee\nTitle: President        Title: Manager\n";
        let two =
            format!("OAK FOODS, INC.          ELM TOOLS LLC\n\nBy: ____________         By: ____________\n{labels}");
        let expected = [of("Jane Roe", "President", "OAK FOODS, INC."), of("Ann Lee", "Manager", "ELM TOOLS LLC")];
        assert_eq!(signed(&two), expected);
        // Tabs, and a title that one column lacks.
        let tabs = "Oak Ltd.\tElm Inc.\nBy: /s/ Jane Roe\tBy: /s/ Ann Lee\nTitle: CEO\n";
        assert_eq!(signed(tabs), [of("Jane Roe", "", "Oak Ltd."), of("Ann Lee", "", "Elm Inc.")]);
        // One firm above two columns: whose signers they are is not known.
        let one = format!("OAK FOODS, INC.\n\n{labels}");
        assert_eq!(signed(&one), [of("Jane Roe", "President", ""), of("Ann Lee", "Manager", "")]);
        // Two blocks on one line.
        let line = "OAK FOODS, INC. ELM TOOLS LLC\nBy: /s/ Jane Roe By: /s/ Ann Lee\nJane Roe Ann Lee\n";
        let names: Vec<String> = signed(line).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["Jane Roe", "Ann Lee"]);
        // Two firms above blocks that follow each other.
        let below = "OAK FOODS, INC.          ELM TOOLS LLC\n\nName: Jane Roe\nTitle: President\n";
        assert_eq!(signed(below), [of("Jane Roe", "President", "")]);
        assert_eq!(signed("Oak Ltd.\nBy: /s/ Jane Roe Print Name: Jane Roe")[0].0, "Jane Roe");
    }

    #[test]
    fn a_company_that_signs_for_another_is_no_person() {
        assert_eq!(found("Alpha Fund, LP By: Alpha Advisors, LLC Its: General Partner"), []);
        assert_eq!(found("By: \nName: \nTitle: \n"), []);
    }

    #[test]
    fn the_organization_above_is_signed_for() {
        let text = "Oak Ltd.\n\nBy: ____\nName: Jane Roe\nTitle: CEO\n\nElm Inc.\n\nBy: /s/ Ann Lee";
        let names: Vec<_> = signatures(text)
            .into_iter()
            .filter_map(|s| s.organization)
            .map(|(a, b)| &text[a as usize..b as usize])
            .collect();
        assert_eq!(names, ["Oak Ltd.", "Elm Inc."]);
    }
}
