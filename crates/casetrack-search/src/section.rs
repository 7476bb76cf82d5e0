//! Sections that a query cites: "section 7.6" begins with this number, "Art. 5 Abs. 2 Nr. 3" is written in several ways.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use casetrack_core::{Chunk, DocumentId, Result, same_text};
use casetrack_store::{Collection, Conditions, WordConditions};

use super::route::asks;
use super::worth::rarity;

/// Most passages with a number that are read to find the beginning of a section.
const MAX_READ: u64 = 1_000;

/// Words before numbers in citations: those of one group mean the same, in any form.
const LABELS: [&[&str]; 11] = [
    &["§", "§§", "section", "sec", "sect", "s", "abschnitt", "sección", "sezione"],
    &["art", "artikel", "article", "artt", "artículo", "articolo"],
    &["clause", "cl", "cláusula", "clausola", "klausel"],
    &["para", "paragraph", "par", "paragraf"],
    &["abs", "absatz"],
    &["nr", "nummer", "ziff", "ziffer"],
    &["no", "number"],
    &["lit", "buchst", "buchstabe", "letter", "point"],
    &["satz"],
    &["al", "alinéa", "alinea"],
    &["comma", "co"],
];
/// The group of each label, without its accents.
static GROUPS: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    let groups = LABELS.iter().enumerate();
    groups.flat_map(|(group, labels)| labels.iter().map(move |label| (same_text::unaccented(label), group))).collect()
});
/// The group whose words may be a sign, which is in no index.
const SIGN: usize = 0;
/// The first groups are words with which a section begins, the others name parts of it.
const OF_SECTIONS: usize = 4;
/// Most ways to write one citation that are looked up.
const MAX_WAYS: usize = 64;

/// The most that a cited section adds to a score of 0–1: enough to come first, if the query asks for nothing else …
const WHOLE: f32 = 1.5;
/// … and if the query cites a part of the section, which other passages can have.
const PART: f32 = 0.6;

/// How a passage has a section, and the share that counts: the last is for "3." if other documents have "Article 3".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// "3."
    Bare,
    /// A beginning with another word, or a mention in a document that has no such section itself.
    Similar,
    /// A beginning with the word of the query.
    Own,
}

impl Match {
    const fn share(self) -> f32 {
        match self {
            Self::Own => 1.0,
            Self::Similar => 0.8,
            Self::Bare => 0.1,
        }
    }
}

/// The passages of the sections that a query cites.
pub(super) struct Sections {
    /// The most that one adds to a score.
    pub most: f32,
    /// The share of it that each of them has, 0–1.
    pub weights: HashMap<(DocumentId, u32), f32>,
}

/// The passages of the cited sections, of `documents` only, if given; `None` if there are none. A section counts more if it is rarer, and if the
/// query asks for little else.
pub(super) fn sections(
    collection: &Collection,
    query: &str,
    documents: Option<&[DocumentId]>,
) -> Result<Option<Sections>> {
    let all = collection.counts()?.chunks;
    let cited = cited(query);
    let most = if cited.iter().any(|cited| cited.is_whole) { WHOLE } else { PART };
    let only = share_cited(query, cited.len()).powi(2);
    let mut weights: HashMap<(DocumentId, u32), f32> = HashMap::new();
    for cited in &cited {
        let words = WordConditions { required: vec![cited.number.clone()], ..WordConditions::default() };
        let documents = documents.map(|documents| documents.to_vec());
        let selected = collection.select(&Conditions { words, documents, ..Conditions::default() })?;
        if selected.chunks() > MAX_READ {
            continue;
        }
        let found = matches(collection, cited, collection.places(&selected))?;
        let Some(best) = found.iter().map(|(_, found)| *found).max() else { continue };
        let rarity = rarity(found.iter().filter(|(_, found)| *found == best).count(), all).powi(3);
        let weight = if cited.is_whole { rarity.max(only) } else { rarity * PART / most };
        for (place, found) in found {
            let share = if found == best { 1.0 } else { found.share() };
            let known = weights.entry(place).or_default();
            *known = known.max(weight * share);
        }
    }
    Ok((!weights.is_empty()).then_some(Sections { most, weights }))
}

type Place = (DocumentId, u32);

/// How each of these passages has a section; those that do not are left out.
fn matches(collection: &Collection, cited: &Cited, places: Vec<Place>) -> Result<Vec<(Place, Match)>> {
    let mut passages = collection.passages();
    let (mut found, mut mentions) = (Vec::new(), Vec::new());
    for place in places {
        let Some(passage) = passages.at(place.0, place.1)? else { continue };
        mentions.extend(cites(&passage.chunk.text, cited).map(|is_own| (place, is_own)));
        found.extend(begins(&passage.chunk, cited).map(|found| (place, found)));
    }
    // A document that mentions "clause 3" calls its own "3." so.
    let own = mentions.iter().filter(|(_, is_own)| *is_own);
    let mentioning: HashSet<DocumentId> = own.map(|((document, _), _)| *document).collect();
    for (place, found) in &mut found {
        if *found == Match::Bare && mentioning.contains(&place.0) {
            *found = Match::Own;
        }
    }
    let with_section: HashSet<DocumentId> = found.iter().map(|((document, _), _)| *document).collect();
    let elsewhere =
        mentions.into_iter().map(|(place, _)| place).filter(|(document, _)| !with_section.contains(document));
    found.extend(elsewhere.map(|place| (place, Match::Similar)));
    Ok(found)
}

/// The share of the words of a query that cite sections, 0–1: 1 for "what does Article 3 say".
fn share_cited(query: &str, cited: usize) -> f32 {
    let asked = words(query).iter().filter(|(word, _)| asks(word)).count();
    if asked == 0 { 0.0 } else { (2.0 * cited as f32 / asked as f32).min(1.0) }
}

/// A section that a text cites: the group of its word, and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cited {
    group: usize,
    /// 7, 7.6 or 12a.
    number: String,
    /// False if the text cites a part of it: "§ 12(b)", "§ 3 Abs. 2".
    is_whole: bool,
}

/// The words of a text, in small letters and without marks around them, each with the word as it is written.
fn words(text: &str) -> Vec<(String, String)> {
    let bare =
        |word: &str| word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | '.' | ';' | '?' | '"')).to_lowercase();
    // "Art.3"
    let parts = |word: &str| match word.split_once('.') {
        Some((label, number)) if number.starts_with(|c: char| c.is_ascii_digit()) && group(&bare(label)).is_some() => {
            vec![label.to_owned(), number.to_owned()]
        }
        _ => vec![word.to_owned()],
    };
    let spaced = text.replace('§', " § ");
    let words = spaced.split_whitespace().flat_map(parts).map(|word| (bare(&word), word));
    words.filter(|(word, _)| !word.is_empty()).collect()
}

/// The group of a word before a number, also behind an elided article, and of its plural if sections begin with it.
fn group(word: &str) -> Option<usize> {
    let word = match word.rsplit_once(same_text::is_apostrophe) {
        Some((_, rest)) if rest.len() > 1 => rest,
        _ => word,
    };
    let of = |word: &str| GROUPS.get(&same_text::unaccented(word)).copied();
    let singular = word.strip_suffix('s').filter(|singular| singular.len() > 2);
    of(word).or_else(|| of(singular?).filter(|group| *group < OF_SECTIONS))
}

/// The sections that a text cites: by a number behind a word for sections.
fn cited(text: &str) -> Vec<Cited> {
    cited_in(&words(text)).into_iter().map(|(_, cited)| cited).collect()
}

/// The cited sections, each with the index of the word behind its number.
fn cited_in(words: &[(String, String)]) -> Vec<(usize, Cited)> {
    let mut found = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let [(label, _), (_, written)] = pair else { continue };
        let Some((number, rest)) = number_at(written.trim_start_matches(['(', '"'])) else { continue };
        let Some(group) = group(label).filter(|group| *group < OF_SECTIONS) else { continue };
        let parts = |next: &[(String, String)]| match next {
            [(_, next), ..] if next.starts_with('(') => true,
            [(label, _), (number, _), ..] => group_of_part(label) && is_number(number),
            _ => false,
        };
        let is_whole = !rest.contains(char::is_alphanumeric) && !parts(&words[at + 2..]);
        found.push((at + 2, Cited { group, number: number.to_lowercase(), is_whole }));
    }
    found
}

fn group_of_part(label: &str) -> bool {
    group(label).is_some_and(|group| group >= OF_SECTIONS)
}

/// The number of a section at the beginning of a word, and the rest: 7.6 and (b) of "7.6(b)", 12a.
fn number_at(word: &str) -> Option<(&str, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    let digits = word[..end].trim_end_matches('.');
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut behind = word[digits.len()..].chars();
    let has_letter =
        behind.next().is_some_and(|c| c.is_ascii_alphabetic()) && !behind.next().is_some_and(char::is_alphanumeric);
    Some(word.split_at(digits.len() + usize::from(has_letter)))
}

/// Laws, whose sections are not those of the document: "Section 12(b) of the Regulation".
const LAWS: &str = "act code directive law ordinance regulation regulations rules statute treaty gesetz gesetzes richtlinie verordnung bgb hgb loi \
                    règlement ley código reglamento legge codice regolamento";
/// Most words between the number and the law.
const BEFORE_LAW: usize = 3;

/// True if a text cites the section by a word of the same group, and as one of the document itself; false if only as one of a law; `None` if it
/// does not cite it.
fn cites(text: &str, section: &Cited) -> Option<bool> {
    let words = words(text);
    let same = |other: &Cited| other.group == section.group && other.number == section.number;
    let is_law = |word: &str| LAWS.split(' ').any(|law| law == word);
    let is_own = |behind: usize| !words[behind..].iter().take(BEFORE_LAW + 1).any(|(word, _)| is_law(word));
    cited_in(&words).into_iter().filter(|(_, other)| same(other)).map(|(behind, _)| is_own(behind)).max()
}

/// The citations of several parts in a query, such as "Art. 5 Abs. 2 Nr. 3", each in all ways to write it: phrases for a search.
pub(super) fn citations(query: &str) -> Vec<Vec<String>> {
    let words: Vec<String> = words(query).into_iter().map(|(word, _)| word).collect();
    let (mut found, mut parts, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        let part = match words.get(at..at + 2) {
            Some([label, number]) => group(label).filter(|_| is_number(number)).map(|group| (group, number.as_str())),
            _ => None,
        };
        match part {
            Some(part) => {
                parts.push(part);
                at += 2;
            }
            None => {
                // Those of one part are found by their beginnings.
                if parts.len() > 1 {
                    found.push(ways(&parts));
                }
                parts.clear();
                at += 1;
            }
        }
        if at > words.len() {
            return found;
        }
    }
}

/// True for 5, 12a, b and iii.
fn is_number(word: &str) -> bool {
    let is_roman = || word.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'));
    word.starts_with(|c: char| c.is_ascii_digit())
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || is_roman()
}

/// All ways to write the parts of a citation, each a group of labels and a number.
fn ways(parts: &[(usize, &str)]) -> Vec<String> {
    let mut ways = vec![String::new()];
    for (n, &(group, number)) in parts.iter().enumerate() {
        // The character before the first number may be a sign.
        let labels = if n == 0 && group == SIGN { &[""][..] } else { LABELS[group] };
        let written = |way: &String| labels.iter().map(|label| format!("{way} {label} {number}")).collect::<Vec<_>>();
        ways = ways.iter().flat_map(written).take(MAX_WAYS).collect();
    }
    ways.into_iter().map(|way| way.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The beginning of a section: "3.", or "Article 3" with the group of its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    Bare,
    Labelled(usize),
}

impl Head {
    fn matches(self, group: usize) -> Match {
        match self {
            Self::Bare => Match::Bare,
            Self::Labelled(own) if own == group => Match::Own,
            Self::Labelled(_) => Match::Similar,
        }
    }
}

/// How the section begins in a chunk, by a line or a heading; `None` if it does not.
fn begins(chunk: &Chunk, section: &Cited) -> Option<Match> {
    let headings = chunk.heading_path.iter().map(String::as_str);
    let heads = chunk.text.lines().chain(headings).filter_map(|line| head(line, &section.number));
    heads.map(|head| head.matches(section.group)).max()
}

/// The character of a text at which a line begins a section that the query names.
pub(super) fn start_in(query: &str, text: &str) -> Option<usize> {
    let cited = cited(query);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        // A bare "12" may be another section than the one with the cited "12(b)".
        let begins = |cited: &Cited| head(line, &cited.number).is_some_and(|head| cited.is_whole || head != Head::Bare);
        if cited.iter().any(begins) {
            return Some(at + line.chars().take_while(|c| c.is_whitespace()).count());
        }
        at += line.chars().count();
    }
    None
}

fn head(line: &str, number: &str) -> Option<Head> {
    let (label, rest) = line.split_at(line.find(|c: char| c.is_ascii_digit())?);
    let label = label.trim().trim_end_matches('.');
    let head = if label.is_empty() {
        Head::Bare
    } else {
        Head::Labelled(group(&label.to_lowercase()).filter(|group| *group < OF_SECTIONS)?)
    };
    let (own, rest) = rest.split_at_checked(number.len())?;
    if !own.eq_ignore_ascii_case(number) {
        return None;
    }
    let rest = rest.strip_prefix(".0").unwrap_or(rest);
    let rest = rest.strip_prefix(['.', ')', ':', ',']).unwrap_or(rest);
    let is_head = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '(');
    is_head.then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_after_a_word_for_sections_are_found() {
        for (query, expected) in [
            ("what does section 7.6 say of Clause 12(b) and § 3 or §§4.1?", "0 7.6; 2 12 in part; 0 3; 0 4.1"),
            ("7.6 percent of intersection 4", ""),
            ("Article 3", "1 3"),
            ("Art. 3 and art.3", "1 3; 1 3"),
            ("artículo 3 or Articolo 4", "1 3; 1 4"),
            ("§ 573c BGB, Articles 12A", "0 573c; 1 12a"),
            ("s. 12(b)(iii), Section 12 (b)", "0 12 in part; 0 12 in part"),
            ("§ 573 Abs. 2", "0 573 in part"),
            ("clauses 3, 4; cl. 5", "2 3; 2 5"),
            ("Nr. 3 of 1990s 4", ""),
        ] {
            let part = |cited: &Cited| if cited.is_whole { "" } else { " in part" };
            let found: Vec<String> =
                cited(query).iter().map(|found| format!("{} {}{}", found.group, found.number, part(found))).collect();
            assert_eq!(found.join("; "), expected, "{query}");
        }
    }

    #[test]
    fn a_section_that_the_query_names_starts_at_its_line() {
        let text = "7.5 If the Employer pays less.\n 7.6 If the Employer fails to pay, it pays interest.\n7.7 More.";
        assert_eq!(start_in("what does clause 7.6 say?", text), Some(32));
        assert_eq!(start_in("clause 7.8", text), None);
        assert_eq!(start_in("Section 12(b)", "12 DELIVERY\nAs Section 12(b) states."), None);
        assert_eq!(start_in("§ 12(b)", "Intro\n§ 12 Delivery"), Some(6));
        assert_eq!(start_in("interest", text), None);
    }

    #[test]
    fn citations_of_several_parts_are_found_in_all_ways_to_write_them() {
        for query in ["Art. 5 Abs. 2 Nr. 3", "what does Artikel 5 Absatz 2 Nummer 3 say?", "(art 5, Abs 2, Ziffer 3)"] {
            let found = citations(query);
            assert_eq!(found.len(), 1, "{query}");
            for way in ["art 5 abs 2 nr 3", "artikel 5 absatz 2 nummer 3"] {
                assert!(found[0].iter().any(|own| own == way), "{query} {found:?}");
            }
        }
        assert!(citations("§ 573c Abs. 1 Satz 2 BGB")[0].contains(&"573c absatz 1 satz 2".to_owned()));
        assert!(citations("§7 lit. b")[0].contains(&"7 buchstabe b".to_owned()));
        for query in ["section 7.6", "5 percent of no 3 and a", "Nr. 3", "", "art of war"] {
            assert!(citations(query).is_empty(), "{query}");
        }
    }

    #[test]
    fn a_query_that_only_cites_a_section_asks_for_nothing_else() {
        for (query, share) in [
            ("Article 3", 1.0),
            ("what does § 3 say?", 1.0),
            ("notice under clause 7.6", 2.0 / 3.0),
            ("who pays rent", 0.0),
            ("", 0.0),
        ] {
            assert_eq!(share_cited(query, cited(query).len()), share, "{query}");
        }
    }

    #[test]
    fn a_text_cites_a_section_by_a_word_of_the_same_kind() {
        let section = |query: &str| cited(query).remove(0);
        for (query, text, found) in [
            ("Art. 3", "gemäß Artikel 3 des Vertrags", Some(true)),
            ("Article 3", "l'acte et l'art. 3", Some(true)),
            ("Section 3", "subject to § 3 and", Some(true)),
            ("§ 573", "nach § 573 Abs. 2 BGB", Some(false)),
            ("Section 12", "As provided in Section 12(b)(iii) of the Regulation", Some(false)),
            ("Art. 3", "l'art. 1134 al. 2 du Code civil", None),
            ("Clause 3", "as Article 3 states", None),
            ("Article 3", "an article about 3 things", None),
        ] {
            assert_eq!(cites(text, &section(query)), found, "{query}: {text}");
        }
    }

    #[test]
    fn a_section_begins_where_a_line_begins_with_its_number() {
        for line in ["7.6 Limitation", "7.6. Limitation", "Section 7.6 Limitation", "  7.6", "7.6(a) first"] {
            assert!(head(line, "7.6").is_some(), "{line}");
        }
        for line in ["7.61 Other", "17.6 Other", "under Section 7.6", "7.6.1 Sub", "7.6% of"] {
            assert_eq!(head(line, "7.6"), None, "{line}");
        }
        for (line, number, group) in [
            ("ARTICLE 7. TERM", "7", 1),
            ("Art.3 Préavis", "3", 1),
            ("§§ 12A ff.", "12a", 0),
            ("Artículo 3. Plazo", "3", 1),
            ("Clause 3: Rent", "3", 2),
        ] {
            assert_eq!(head(line, number), Some(Head::Labelled(group)), "{line}");
        }
        assert_eq!(head("7.0 TERM", "7"), Some(Head::Bare));
        assert_eq!(head("art. 1134 al. 2", "3"), None);
    }
}
