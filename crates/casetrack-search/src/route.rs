//! Documents that a query names: "NETGEAR" in "notice period of the NETGEAR agreement".
//!
//! The answer is inside the document, but its title and signature pages would win on the name. So the names are removed from the query, and the
//! passages of the named documents are ranked by the rest.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use casetrack_core::{DocumentId, FileFormat, Result};
use casetrack_store::{Collection, NameMatch};

/// A word in the names of more than one in this many documents is not a name …
const ONE_IN: usize = 4;
/// … nor is one in the names of more documents than this.
const MOST: usize = 200;
/// A capitalised word is a name if at least this share of its passages is in the documents it names …
const CAPITALISED: f32 = 0.25;
/// … and a word without a capital if this share is.
const LOWER_CASE: f32 = 0.85;
/// In a collection of fewer documents, most words are in only one document by chance.
const FEW: usize = 12;
/// Weight of a word without a capital, and of one that is only on the cover.
const LOWER_CASE_WEIGHT: f32 = 0.95;
const COVER_WEIGHT: f32 = 0.6;
/// A document is named by words with this share of the weight of a unique word of its title.
const SUFFICIENT: f32 = 0.55;
/// A document must be named at least this well, compared with the best one.
const LEAST: f32 = 0.5;
const MAX_DOCUMENTS: usize = 20;

/// Words without meaning of their own, and words next to names of documents.
const EMPTY: &str = "a about according all an and any are as at between by consider did do does for from has have how in inside \
     into is it its of on or please regarding s say says tell that the there this to under was were what when where \
     which who whom whose with within";
const KINDS: &str = "agreement agreements amendment contract contracts deed document documents file files form lease letter memo \
     memorandum minutes nda note policy report statement";

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    /// The documents, best first, with the degree to which each is named: 1 for the best, at least [`LEAST`].
    pub documents: Vec<(DocumentId, f32)>,
    /// The query without the names at `places` and the words that belong to them; `None` if nothing is left.
    pub rest: Option<String>,
}

impl Route {
    /// 0 for a document that is not named.
    pub fn how_well(&self, document: DocumentId) -> f32 {
        self.documents.iter().find(|(id, _)| *id == document).map_or(0.0, |(_, how_well)| *how_well)
    }
}

/// The documents of `searched` (`None` for all) that a query names; `None` if it names none of them, or there is only one.
pub(super) fn route(
    collection: &Collection,
    query: &str,
    searched: Option<&HashSet<DocumentId>>,
) -> Result<Option<Route>> {
    let documents = collection.counts()?.documents as usize;
    if documents < 2 {
        return Ok(None);
    }
    let mut namings = files(collection, query)?;
    let words = collection.name_matches(query, (documents / ONE_IN).clamp(1, MOST))?;
    let is_in_file = |word: &NameMatch| namings.iter().any(|file| file.place.contains(&word.place.start));
    let words = words.into_iter().filter(|word| !is_in_file(word)).collect();
    namings.extend(distinctive(collection, query, words)?);
    let weighed = weighed(query, namings, documents, searched);
    let sufficient = SUFFICIENT * rarity(1, documents);
    let mut left: Vec<&Weighed> = weighed.iter().collect();
    let mut found: HashMap<DocumentId, f32> = HashMap::new();
    let mut places: Vec<Range<usize>> = Vec::new();
    // One document after another, as in "A and B": the words that remain after the first name can name the next.
    while found.len() < MAX_DOCUMENTS {
        let mut scores: HashMap<DocumentId, f32> = HashMap::new();
        for word in &left {
            for &(document, weight) in &word.documents {
                *scores.entry(document).or_default() += weight;
            }
        }
        let best = scores.values().copied().fold(0.0, f32::max);
        if best < sufficient {
            break;
        }
        let mut heads: Vec<DocumentId> = Vec::new();
        for (document, score) in scores {
            if score >= LEAST * best {
                let known = found.entry(document).or_default();
                *known = known.max(score / best);
            }
            if score >= 0.99 * best {
                heads.push(document);
            }
        }
        let names_head = |word: &&Weighed| word.documents.iter().any(|(document, _)| heads.contains(document));
        places.extend(left.iter().copied().filter(names_head).map(|word| word.place.clone()));
        left.retain(|word| !names_head(word));
    }
    let mut found: Vec<(DocumentId, f32)> = found.into_iter().collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    if found.is_empty() {
        return Ok(None);
    }
    found.truncate(MAX_DOCUMENTS);
    Ok(Some(Route { documents: found, rest: without(query, &places) }))
}

/// The names of files with their endings. "lease.txt" is that file, although every passage of a matter may have the word "lease".
fn files(collection: &Collection, query: &str) -> Result<Vec<NameMatch>> {
    let has_ending = words(query).iter().any(|place| query[..place.start].ends_with('.') && is_ending(query, place));
    let mut files: Vec<NameMatch> = Vec::new();
    if !has_ending {
        return Ok(files);
    }
    for entry in collection.catalogue()?.iter() {
        let Some(place) = file_name(&entry.name, query) else { continue };
        match files.iter_mut().find(|file| file.place == place) {
            Some(file) => file.documents.push((entry.id, true)),
            None => files.push(NameMatch { place, documents: vec![(entry.id, true)], share: 1.0 }),
        }
    }
    Ok(files)
}

/// The first place where a query has the name of a file with its ending, and no longer word around it.
fn file_name(name: &str, query: &str) -> Option<Range<usize>> {
    let (name, small) = (name.to_lowercase(), query.to_lowercase());
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let is_whole =
        |place: &Range<usize>| !small[..place.start].ends_with(joins) && !small[place.end..].starts_with(joins);
    let mut places = small.match_indices(&name).map(|(at, _)| at..at + name.len());
    // A few capitals have more bytes than their small letters, so that places differ.
    places.find(is_whole).filter(|_| name.contains('.') && small.len() == query.len())
}

/// The words without the documents that they only name by chance: a word of a table's head, which is a document's cover as well; a word that the
/// cover writes in small letters; a word for a kind of document, such as "report" for `report.txt`; and in a collection of fewer than [`FEW`]
/// documents an ordinary word of a file's name or title, such as "row" for `ghost_rows.xlsx`; and the ending of a file's name.
fn distinctive(collection: &Collection, query: &str, namings: Vec<NameMatch>) -> Result<Vec<NameMatch>> {
    let catalogue = collection.catalogue()?;
    let mut passages = collection.passages();
    let mut kept = Vec::new();
    for mut naming in namings {
        let is_capitalised = is_capitalised(query, &naming.place);
        let word = query[naming.place.clone()].to_lowercase();
        let mut documents = Vec::new();
        for (id, is_name) in naming.documents {
            let Some(entry) = catalogue.iter().find(|entry| entry.id == id) else { continue };
            let is_sheet = entry.format.is_spreadsheet();
            let names = match (is_name, is_capitalised) {
                (true, _) if has_whole_name(&entry.name, query) => true,
                // "report" for report.txt
                (true, _) if !asks(&word) || is_ending(query, &naming.place) => false,
                (true, true) if catalogue.len() >= FEW => true,
                (false, _) if is_sheet => false,
                _ => {
                    let cover = passages.at(id, 0)?;
                    let cover = cover.as_ref().map(|passage| passage.chunk.searchable_text()).unwrap_or_default();
                    let is_common = is_written_small(&cover, &word);
                    let may_be_common = match (is_name, is_capitalised) {
                        (true, true) => !has_word(&entry.name, &word) && begins_title(collection, id, &word)?,
                        (true, false) => catalogue.len() < FEW,
                        (false, _) => !is_capitalised,
                    };
                    !is_common && !may_be_common || !is_sheet && is_proper_noun(&cover, &word)
                }
            };
            documents.extend(names.then_some((id, is_name)));
        }
        naming.documents = documents;
        kept.extend((!naming.documents.is_empty()).then_some(naming));
    }
    Ok(kept)
}

/// True if a query has all significant words of the name of a file, two or more, one after the other.
fn has_whole_name(name: &str, query: &str) -> bool {
    let said = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        words(&text).into_iter().map(|place| text[place].to_owned()).filter(|word| asks(word)).collect()
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (name, query) = (said(stem), said(query));
    name.len() > 1 && query.windows(name.len()).any(|part| part == name)
}

/// True for the ending of a file's name: "txt" of "the report.txt", and "PDF".
fn is_ending(query: &str, place: &Range<usize>) -> bool {
    let before = query[..place.start].strip_suffix('.');
    FileFormat::from_extension(&query[place.clone()].to_lowercase()).is_some()
        || before.is_some_and(|before| before.ends_with(char::is_alphanumeric))
}

fn has_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    words(&text).into_iter().any(|place| &text[place] == word)
}

/// True if a document's title begins with a word (in lower case) and has no other capital, so that the first shows no name.
fn begins_title(collection: &Collection, document: DocumentId, word: &str) -> Result<bool> {
    let title = collection.document(document)?.and_then(|meta| meta.title);
    Ok(title.is_some_and(|title| is_first_of_sentence(&title, word)))
}

fn is_first_of_sentence(title: &str, word: &str) -> bool {
    let places = words(title);
    let Some((first, rest)) = places.split_first() else { return false };
    let has_capital = |place: &Range<usize>| title[place.clone()].contains(char::is_uppercase);
    title[first.clone()].to_lowercase() == word
        && title[first.clone()].chars().skip(1).all(char::is_lowercase)
        && !rest.is_empty()
        && !rest.iter().any(has_capital)
}

/// True if a text has a word (in lower case) in small letters, not only in addresses: it is one of the language.
fn is_written_small(text: &str, word: &str) -> bool {
    let is_in_address = |place: &Range<usize>| {
        let mut after = text[place.end..].chars();
        let goes_on = match after.next() {
            Some('@' | '/' | '_') => true,
            Some('.') => after.next().is_some_and(char::is_alphanumeric),
            _ => false,
        };
        goes_on || text[..place.start].ends_with(['@', '.', '/', '_'])
    };
    words(text).into_iter().any(|place| &text[place.clone()] == word && !is_in_address(&place))
}

/// True if a text has a word (in lower case) only with a capital, and once after a word in small letters: so names are written, and not words of
/// headings or of the language.
fn is_proper_noun(text: &str, word: &str) -> bool {
    let places = words(text);
    let is_small = |place: &Range<usize>| text[place.clone()].chars().all(char::is_lowercase);
    let mut follows_small = false;
    for (number, place) in places.iter().enumerate().filter(|(_, place)| text[(*place).clone()].to_lowercase() == word)
    {
        if !text[place.clone()].starts_with(char::is_uppercase) {
            return false;
        }
        follows_small |= number.checked_sub(1).and_then(|before| places.get(before)).is_some_and(|before| {
            is_small(before) && !text[before.end..place.start].contains(['.', '?', '!', ':', '\n', '\t'])
        });
    }
    follows_small
}

struct Weighed {
    place: Range<usize>,
    documents: Vec<(DocumentId, f32)>,
}

/// Words that distinguish documents. A compound of names counts by its parts.
fn weighed(
    query: &str,
    namings: Vec<NameMatch>,
    documents: usize,
    searched: Option<&HashSet<DocumentId>>,
) -> Vec<Weighed> {
    let mut weighed: Vec<Weighed> = Vec::new();
    for naming in namings {
        let capitalised = is_capitalised(query, &naming.place);
        if naming.share < if capitalised { CAPITALISED } else { LOWER_CASE } {
            continue;
        }
        let is_counted = |word: &Weighed| {
            naming.place.start <= word.place.start
                && word.place.end <= naming.place.end
                && naming.documents.iter().any(|(id, _)| word.documents.iter().any(|(known, _)| known == id))
        };
        if weighed.iter().any(is_counted) {
            continue;
        }
        let weight = rarity(naming.documents.len(), documents)
            * naming.share.sqrt()
            * if capitalised { 1.0 } else { LOWER_CASE_WEIGHT };
        let of =
            |(document, is_name): (DocumentId, bool)| (document, weight * if is_name { 1.0 } else { COVER_WEIGHT });
        // A document is rarely called by a number on its cover.
        let is_number = !query[naming.place.clone()].contains(char::is_alphabetic);
        let of_searched = naming
            .documents
            .into_iter()
            .filter(|(id, is_name)| searched.is_none_or(|all| all.contains(id)) && (*is_name || !is_number));
        weighed.push(Weighed { place: naming.place, documents: of_searched.map(of).collect() });
    }
    weighed
}

fn rarity(documents: usize, of: usize) -> f32 {
    ((of as f32 + 1.0) / (documents as f32 + 0.5)).ln()
}

/// True if a word has a capital or a digit that does not come from its place at the beginning of a sentence.
fn is_capitalised(query: &str, place: &Range<usize>) -> bool {
    let Some(word) = query.get(place.clone()) else { return false };
    let first = word.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric());
    let begins = query[..place.start].trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '?' | '!'));
    let begins = begins.is_empty() || begins.ends_with(['.', '?', '!']);
    word.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric()) || first && !begins
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Name,
    /// May belong to the name of a document or introduce it.
    Around,
    Asked,
}

/// The query without the names at `places` and the words that belong to them; `None` if nothing is left.
fn without(query: &str, places: &[Range<usize>]) -> Option<String> {
    let words = words(query);
    let role = |place: &Range<usize>| match places.iter().any(|name| name.start < place.end && place.start < name.end) {
        true => Role::Name,
        false if !asks(&query[place.clone()]) || is_capitalised(query, place) => Role::Around,
        false => Role::Asked,
    };
    let roles: Vec<Role> = words.iter().map(role).collect();
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = run_end(query, &words, &roles, at);
        let run = at..end.max(at + 1);
        if !roles[run.clone()].contains(&Role::Name) {
            kept.extend(words[run.clone()].iter().cloned());
        }
        at = run.end;
    }
    if !kept.iter().any(|place| asks(&query[place.clone()])) {
        return None;
    }
    let mut rest = String::new();
    let mut last_end = None;
    for place in kept {
        // The text between two words that stay together stays.
        match last_end {
            Some(end) if words.iter().all(|word| word.end <= end || word.start >= place.start) => {
                rest.push_str(&query[end..place.start]);
            }
            Some(_) => rest.push(' '),
            None => {}
        }
        rest.push_str(&query[place.clone()]);
        last_end = Some(place.end);
    }
    Some(rest)
}

/// True if a word is not only a kind of document.
pub(super) fn asks(word: &str) -> bool {
    let word = word.to_lowercase();
    !EMPTY.split(' ').chain(KINDS.split(' ')).any(|empty| empty == word)
}

/// The end of the run of names and words around them that begins with the word `at`; `at` itself if it belongs to the question.
fn run_end(query: &str, words: &[Range<usize>], roles: &[Role], at: usize) -> usize {
    let mut end = at;
    while end < words.len() && roles[end] != Role::Asked {
        let crosses = end > at && query[words[end - 1].end..words[end].start].contains([';', '?', '!', ':']);
        if crosses {
            break;
        }
        end += 1;
    }
    end
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        match words.last_mut() {
            Some(word) if word.end == at => word.end += c.len_utf8(),
            _ => words.push(at..at + c.len_utf8()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(query: &str, names: &[&str]) -> Option<String> {
        let places: Vec<Range<usize>> =
            names.iter().map(|name| query.find(name).map(|at| at..at + name.len()).unwrap()).collect();
        without(query, &places)
    }

    #[test]
    fn names_and_what_belongs_to_them_are_taken_out() {
        for (query, names, expected) in [
            (
                "Consider VELCO's Non-Disclosure Agreement; Does the document allow copies?",
                vec!["VELCO"],
                Some("Does the document allow copies"),
            ),
            ("governing law in NETGEAR", vec!["NETGEAR"], Some("governing law")),
            (
                "What is the governing law in the License Agreement between Cisco Systems, Inc. and Customer?",
                vec!["Cisco"],
                Some("What is the governing law"),
            ),
            ("netgear termination notice", vec!["netgear"], Some("termination notice")),
            ("the NETGEAR agreement", vec!["NETGEAR"], None),
            (
                "Under the Lucid lease, who pays for repairs to the roof?",
                vec!["Lucid"],
                Some("pays for repairs to the roof"),
            ),
        ] {
            assert_eq!(rest(query, &names).as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn an_ordinary_word_is_no_name() {
        for (name, query) in [
            ("Tamarind_Foods_Agreement.docx", "notice in the tamarind foods contract"),
            ("rent roll 2024.xlsx", "total of the rent roll 2024"),
            ("notice of termination.pdf", "who signed the notice of termination"),
        ] {
            assert!(has_whole_name(name, query), "{name}");
        }
        for (name, query) in [
            ("ghost_rows.xlsx", "amount of row 173413"),
            ("ledger_200k.xlsx", "ledger of the tenant"),
            ("rent roll 2024.xlsx", "what is the rent"),
            ("rent.txt", "what is the rent"),
            ("notice of termination.pdf", "how long is the termination notice period"),
            ("lease.txt", "who pays under the lease"),
            ("2024.pdf", "rent in march"),
            ("report.txt", "annual report"),
            ("annual letter.txt", "the letter"),
        ] {
            assert!(!has_whole_name(name, query), "{name}");
        }
    }

    #[test]
    fn a_file_is_named_with_its_ending() {
        for (name, query, place) in [
            ("lease.txt", "who pays for the roof in lease.txt?", Some(25..34)),
            ("lease.txt", "Lease.TXT", Some(0..9)),
            ("lease.txt", "the sublease.txt and the lease.txt", Some(25..34)),
            ("lease.txt", "the roof in sublease.txt", None),
            ("lease.txt", "the roof in old-lease.txt", None),
            ("lease.txt", "who pays under the lease", None),
            ("lease", "who pays under the lease", None),
        ] {
            assert_eq!(file_name(name, query), place, "{name}: {query}");
        }
    }

    #[test]
    fn a_name_is_written_with_a_capital_within_a_sentence() {
        let cover = "SUPPLY AGREEMENT\n\nThis agreement is made between Tamarind Foods BV and ØRSTED A/S. Termination by notice. Amount due";
        for (word, is_name) in [
            ("tamarind", true),
            ("ørsted", true),
            ("supply", false),
            ("agreement", false),
            ("termination", false),
            ("notice", false),
            ("amount", false),
            ("foods", false),
        ] {
            assert_eq!(is_proper_noun(cover, word), is_name, "{word}");
        }
        assert!(!is_proper_noun("Counterparty\tAmount EUR\nacme\tAmount", "amount"));
    }

    #[test]
    fn a_word_of_the_language_and_a_word_for_a_kind_of_document_are_no_names() {
        let cover =
            "Report of the board. The annual accounts of Tamarind Foods BV and its leases. www.foods.com, a@bv.nl";
        for (word, is_small) in [
            ("annual", true),
            ("accounts", true),
            ("leases", true),
            ("tamarind", false),
            ("2024", false),
            ("lease", false),
            ("foods", false),
            ("bv", false),
        ] {
            assert_eq!(is_written_small(cover, word), is_small, "{word}");
        }
        for word in ["report", "Letter", "lease", "memo", "statement"] {
            assert!(!asks(word), "{word}");
        }
        assert!(asks("tamarind") && asks("ghost"));
    }

    #[test]
    fn the_first_word_of_a_title_and_an_ending_are_no_names() {
        for (title, word, is_first) in [
            ("Amendments as discussed", "amendments", true),
            ("Invoice for the roof", "invoice", true),
            ("Survey of the boiler, second part", "survey", true),
            ("Amendments as discussed", "discussed", false),
            ("Tamarind Foods lease", "tamarind", false),
            ("NETGEAR supplies", "netgear", false),
            ("Tamarind", "tamarind", false),
            ("", "tamarind", false),
        ] {
            assert_eq!(is_first_of_sentence(title, word), is_first, "{title}: {word}");
        }
        for (query, word, expected) in [
            ("the report.txt", "txt", true),
            ("who signed offer.docx?", "docx", true),
            ("rows of setup.exe", "exe", true),
            ("the PDF about rent", "PDF", true),
            ("booking.com agreement", "com", true),
            ("the report. Tamarind pays", "Tamarind", false),
            ("tamarind lease", "tamarind", false),
        ] {
            let at = query.find(word).unwrap();
            assert_eq!(is_ending(query, &(at..at + word.len())), expected, "{query}: {word}");
        }
    }

    #[test]
    fn a_capital_at_the_beginning_of_a_sentence_says_nothing() {
        let capitalised = |query: &str, word: &str| {
            let at = query.find(word).unwrap();
            is_capitalised(query, &(at..at + word.len()))
        };
        assert!(!capitalised("Apple pays", "Apple"));
        assert!(capitalised("Does Apple pay", "Apple"));
        assert!(capitalised("eHandshake pays", "eHandshake"));
        assert!(!capitalised("It pays. Apple too", "Apple"));
    }
}
