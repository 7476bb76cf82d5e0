//! The kinds of clauses that questions ask for, and their wordings in contracts: `data/clauses.txt`.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use casetrack_nlp::{Clause as Kind, FactKind};
use regex::Regex;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

use super::ways::Ways;
use super::word_forms;

/// One wording of a clause is this share of the evidence for it …
pub(super) const FIRST: f32 = 0.8;
/// … and each further one adds this.
const FURTHER: f32 = 0.2;
/// The share of words that such clauses share with a few others.
const HINT: f32 = 0.3;
/// Most words of a question between two that ask for a clause together.
const BETWEEN: usize = 3;

/// Words that deny the words after them, and further words between.
const DENIAL: &str =
    r"(?:\b(?:no|not|nor|never|neither|without|exclude[sd]?|disclaim(?:s|ed)?|lacks?) (?:\w+ ){0,3}|non-?)$";

/// The entries of a part of a table of contents are at least this many, …
const FEWEST_PAGES: usize = 6;
/// … have at most these words on average, with their number and page, …
const ENTRY_WORDS: usize = 14;
/// … and pages of at most these digits.
const PAGE_DIGITS: usize = 3;

struct Clause {
    /// Beginnings of words, in lower case, that a question with this kind of clause has in this order and near one another.
    asked: Vec<Vec<&'static str>>,
    /// Those that count only if the question asks for nothing else.
    otherwise: Vec<Vec<&'static str>>,
    /// The facts of a contract that state the clause.
    facts: Vec<FactKind>,
    /// Facts that only choose the sentence: the wordings find more of the contracts.
    sentences: Vec<FactKind>,
    /// The question for only the clause.
    wording: &'static str,
    /// True if it forbids something, so that "may not" asks for the clause itself.
    prohibits: bool,
    lines: &'static str,
    ways: OnceLock<ClauseWays>,
}

/// Wordings of such clauses, wordings that they share with some others, words that only look like such a clause, and wordings of the opposite.
#[derive(Default)]
struct ClauseWays {
    said: Ways,
    hinted: Ways,
    other: Ways,
    denied: Ways,
}

pub(super) struct AskedClause {
    clause: &'static Clause,
    /// True if the question asks for contracts with the opposite.
    denied: bool,
}

static CLAUSES: LazyLock<Vec<Clause>> = LazyLock::new(|| {
    let blocks = include_str!("../data/clauses.txt").split("\n[").skip(1);
    let clause = |block| Clause {
        asked: entries(block, "asked:"),
        otherwise: entries(block, "otherwise:"),
        facts: facts(block, "facts:"),
        sentences: facts(block, "sentences:"),
        wording: lines(block, "wording:").next().unwrap_or_default(),
        prohibits: lines(block, "prohibits:").next().is_some(),
        lines: block,
        ways: OnceLock::new(),
    };
    blocks.map(clause).collect()
});

/// Beginnings of words that add nothing to the clause that a question asks for: `data/general_words.txt`.
static GENERAL: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../data/general_words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

fn entries(block: &'static str, key: &str) -> Vec<Vec<&'static str>> {
    let split = |entry: &'static str| entry.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    lines(block, key).flat_map(|line| line.split(';')).map(split).collect()
}

fn facts(block: &'static str, key: &str) -> Vec<FactKind> {
    lines(block, key).flat_map(|names| names.split(';')).filter_map(|name| fact(name.trim())).collect()
}

/// The kind of fact with a name in the file: as it is serialized, or the name of a clause.
fn fact(name: &str) -> Option<FactKind> {
    let deserializer: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    let of_clause = || Kind::ALL.into_iter().find(|kind| kind.name() == name).map(FactKind::Clause);
    FactKind::deserialize(deserializer).ok().or_else(of_clause)
}

static DENIES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(DENIAL).ok());

fn lines<'b>(block: &'b str, key: &str) -> impl Iterator<Item = &'b str> {
    block.lines().filter_map(move |line| line.strip_prefix(key)).map(str::trim)
}

impl Clause {
    fn ways(&self) -> &ClauseWays {
        // The tests read every line.
        let of = |key| Ways::new(&lines(self.lines, key).collect::<Vec<_>>()).unwrap_or_default();
        self.ways.get_or_init(|| ClauseWays {
            said: of("said:"),
            hinted: of("hint:"),
            other: of("other:"),
            denied: of("denied:"),
        })
    }
}

/// The kinds of clauses that a question asks for. Of kinds that share words of the question, it asks for the one with most of them.
pub(super) fn asked(question: &str) -> Vec<AskedClause> {
    let question = question.to_lowercase();
    let words: Vec<(usize, &str)> = words(&question).collect();
    let asked = matched(&words, |clause| &clause.asked);
    let asked = if asked.is_empty() { matched(&words, |clause| &clause.otherwise) } else { asked };
    let is_denied =
        |at| DENIES.as_ref().is_some_and(|denies| question.get(..at).is_some_and(|before| denies.is_match(before)));
    let of = |(clause, place): (&'static Clause, Range<usize>)| {
        let at = words.get(place.start).map_or(0, |(at, _)| *at);
        AskedClause { clause, denied: !clause.prohibits && is_denied(at) }
    };
    asked.into_iter().map(of).collect()
}

/// The clauses whose entries a question has, in the order of the file, with the numbers of its words.
fn matched(
    words: &[(usize, &str)],
    entries: impl Fn(&'static Clause) -> &'static [Vec<&'static str>],
) -> Vec<(&'static Clause, Range<usize>)> {
    let mut found: Vec<(usize, Range<usize>, usize)> = Vec::new();
    for (number, clause) in CLAUSES.iter().enumerate() {
        let places = entries(clause).iter().filter_map(|entry| Some((entry.len(), place(words, entry)?, number)));
        found.extend(places.reduce(
            |best, next| {
                if (next.0, next.1.len()) > (best.0, best.1.len()) { next } else { best }
            },
        ));
    }
    found.sort_by_key(|(length, place, number)| (Reverse((*length, place.len())), *number));
    let mut kept: Vec<(usize, Range<usize>)> = Vec::new();
    for (_, place, number) in found {
        if kept.iter().all(|(_, other)| place.end <= other.start || other.end <= place.start) {
            kept.push((number, place));
        }
    }
    kept.sort_by_key(|(number, _)| *number);
    kept.into_iter().filter_map(|(number, place)| Some((CLAUSES.get(number)?, place))).collect()
}

/// The question that replaces all wordings for only these clauses; `None` if a question asks for more, such as the law of a certain state.
pub(super) fn wording(question: &str, asked: &[AskedClause]) -> Option<String> {
    let entries = |asked: &AskedClause| asked.clause.asked.iter().chain(&asked.clause.otherwise).flatten();
    let is_known = |word: &str| {
        let mut known = GENERAL.iter().chain(asked.iter().flat_map(entries));
        word_forms::is_function_word(word) || known.any(|beginning| begins(word, beginning))
    };
    let lower = question.to_lowercase();
    let only = !asked.is_empty() && words(&lower).all(|(_, word)| is_known(word));
    // A question that denies the clause keeps its own words.
    let wordings: Vec<&str> = asked.iter().filter(|asked| !asked.denied).map(|asked| asked.clause.wording).collect();
    (only && wordings.len() == asked.len() && wordings.iter().all(|wording| !wording.is_empty()))
        .then(|| wordings.join(" "))
}

/// True if a text is a part of a table of contents: numbers of pages that do not fall, with few words between. White space must be single spaces.
pub(super) fn lists_pages(text: &str) -> bool {
    let (mut words, mut pages, mut falls, mut last) = (0, 0, 0, 0);
    for word in text.as_bytes().split(|byte| *byte == b' ') {
        words += 1;
        let short = (word.len() <= PAGE_DIGITS).then(|| std::str::from_utf8(word).ok()).flatten();
        if let Some(page) = short.and_then(|word| word.parse::<u32>().ok()) {
            pages += 1;
            falls += usize::from(page < last);
            last = page;
        }
    }
    pages >= FEWEST_PAGES && words <= pages * ENTRY_WORDS && falls * 5 <= pages
}

/// The words of a text with their places, without the "s" of genitives.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && *word != "s");
    words.map(move |word| (place(word), word))
}

fn begins(word: &str, beginning: &str) -> bool {
    match beginning.strip_suffix('$') {
        Some(whole) => word == whole,
        None => word.starts_with(beginning),
    }
}

/// The numbers of the words from the first to the last with these beginnings, in their order and near one another.
fn place(words: &[(usize, &str)], beginnings: &[&str]) -> Option<Range<usize>> {
    let (first, others) = beginnings.split_first()?;
    (0..words.len()).filter(|&at| begins(words[at].1, first)).find_map(|start| {
        let mut at = start;
        for beginning in others {
            let near = words.iter().skip(at + 1).take(BETWEEN + 1);
            at += 1 + near.map(|(_, word)| word).position(|word| begins(word, beginning))?;
        }
        Some(start..at + 1)
    })
}

impl AskedClause {
    /// The share (0–1) of the clause in a text, and the words for it. White space must be single spaces.
    pub fn said(&self, text: &str) -> (f32, Vec<String>) {
        let ClauseWays { said, hinted, other, denied } = self.clause.ways();
        let opposites = denied.find_all(text);
        let none: Vec<Range<usize>> = opposites.iter().cloned().chain(other.find_all(text)).collect();
        let is_opposite = |place: &Range<usize>| none.iter().any(|opposite| opposite.contains(&place.start));
        // An expression of bytes may end within a character.
        let in_text =
            |place: Range<usize>| String::from_utf8_lossy(text.as_bytes().get(place).unwrap_or_default()).into_owned();
        let places = match self.denied && !denied.is_empty() {
            true => opposites.clone(),
            false => said.find_all(text).into_iter().filter(|place| !is_opposite(place)).collect(),
        };
        let mut words: Vec<String> = Vec::new();
        for found in places.into_iter().map(in_text) {
            if !words.iter().any(|known| known.eq_ignore_ascii_case(&found)) {
                words.push(found);
            }
        }
        if !words.is_empty() {
            return ((FIRST + FURTHER * (words.len() - 1) as f32).min(1.0), words);
        }
        let hints = if self.denied { Vec::new() } else { hinted.find_all(text) };
        let hint = hints.into_iter().find(|place| !is_opposite(place));
        (if hint.is_some() { HINT } else { 0.0 }, hint.map(in_text).into_iter().collect())
    }
}

impl AskedClause {
    /// The facts that state the clause; none if only its wordings are known.
    pub fn facts(&self) -> &'static [FactKind] {
        &self.clause.facts
    }

    /// The kinds of the model of clauses whose sentences state the clause.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.clause.facts.iter().chain(&self.clause.sentences).filter_map(|fact| match fact {
            FactKind::Clause(kind) => Some(*kind),
            FactKind::EffectiveDate => Some(Kind::EffectiveDate),
            FactKind::GoverningLaw => Some(Kind::GoverningLaw),
            FactKind::LiabilityCap => Some(Kind::LiabilityCap),
            _ => None,
        })
    }

    /// The first words of a text that state the contrary of the clause. White space must be single spaces.
    pub fn contrary(&self, text: &str) -> Option<String> {
        let ClauseWays { said, other, denied, .. } = self.clause.ways();
        let opposites = denied.find_all(text);
        let place = match self.denied {
            false => opposites.into_iter().next()?,
            true => {
                let none: Vec<Range<usize>> = opposites.into_iter().chain(other.find_all(text)).collect();
                let is_opposite = |place: &Range<usize>| none.iter().any(|opposite| opposite.contains(&place.start));
                said.find_all(text).into_iter().find(|place| !is_opposite(place))?
            }
        };
        Some(String::from_utf8_lossy(text.as_bytes().get(place)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_contents_is_known_by_its_pages() {
        let contents = "ARTICLE 5 GENERAL 23 Section 5.1 Notices 23 Section 5.2 Limitation of Liability 24 Section 5.3 Audit 24 \
            Section 5.4 Survival 25 Section 5.5 Limits on Assignment 27 ARTICLE 6 TERM 28";
        assert!(lists_pages(contents));
        for other in [
            "5.2 Limitation of Liability. Neither party is liable for more than 12 months of fees, or 30 days of them after 60 days.",
            "Year 2 410 300 Year 3 220 120 Year 4 90 80 Year 5 70 60",
            "",
        ] {
            assert!(!lists_pages(other), "{other}");
        }
    }

    #[test]
    fn every_clause_of_the_file_is_complete() {
        assert!(CLAUSES.len() > 30);
        for clause in CLAUSES.iter() {
            let mut entries = clause.asked.iter().chain(&clause.otherwise).peekable();
            assert!(entries.peek().is_some(), "{}", clause.lines);
            assert!(entries.all(|asked| !asked.is_empty() && asked.iter().all(|word| *word == word.to_lowercase())));
            let names = |key| lines(clause.lines, key).flat_map(|names| names.split(';')).count();
            assert_eq!(clause.facts.len(), names("facts:"), "{}", clause.lines);
            assert_eq!(clause.sentences.len(), names("sentences:"), "{}", clause.lines);
            for key in ["said:", "hint:", "other:", "denied:"] {
                let lines: Vec<&str> = lines(clause.lines, key).collect();
                assert!(Ways::new(&lines).is_some_and(|ways| ways.is_empty() == lines.is_empty()), "{lines:?}");
            }
            assert!(!clause.ways().said.is_empty() || names("facts:") > 0, "{}", clause.lines);
        }
    }

    #[test]
    fn a_question_asks_for_clauses_and_texts_say_them() {
        let said = |question, text| asked(question).iter().map(|clause| clause.said(text).0).fold(0.0, f32::max);
        assert_eq!(
            said("Which contracts can be ended without cause?", "Either party may terminate for any reason."),
            0.8
        );
        let text = "shall have a right of first refusal, and the first option to buy";
        assert!(said("is there a right of first refusal", text) > 0.9);
        assert_eq!(said("is there a right of first refusal", "The rent is due monthly."), 0.0);
        assert_eq!(asked("who pays the rent?").len(), 0);
        assert_eq!(asked("Does it auto-renew?").len(), 1);
    }

    #[test]
    fn other_words_ask_for_a_clause_too_and_hints_count_for_little() {
        let said = |question, text| asked(question).iter().map(|clause| clause.said(text).0).fold(0.0, f32::max);
        let question = "Is a party restricted from competing with the other?";
        assert_eq!(said(question, "The dealer shall not engage in any business similar to the franchise."), FIRST);
        assert_eq!(said(question, "Competing offers were made."), HINT);
        assert_eq!(said(question, "Nothing shall prevent the supplier from selling competing products."), 0.0);
        let question = "must a party be given terms as good as any third party gets?";
        assert_eq!(said(question, "prices no less favorable than those of any other customer"), FIRST);
        let (_, words) =
            asked("Where does arbitration take place?")[0].said("The arbitration shall be held in the city of Lyon.");
        assert_eq!(words, ["arbitration shall be held in the city of Lyon."]);
    }

    #[test]
    fn what_denies_a_clause_is_said_to_questions_that_deny_it() {
        let said = |question, text| asked(question).iter().map(|clause| clause.said(text).0).fold(0.0, f32::max);
        let none = "There are no third-party beneficiaries of this agreement.";
        let one = "The lender is an intended third-party beneficiary of section 4.";
        for (question, of_none, of_one) in
            [("Is there a third party beneficiary?", false, true), ("no third party beneficiaries", true, false)]
        {
            assert_eq!((said(question, none) > 0.0, said(question, one) > 0.0), (of_none, of_one), "{question}");
        }
        assert_eq!(said("Is the distributor exclusive?", "a non-exclusive right to sell"), 0.0);
        let contrary = |question, text| asked(question).iter().find_map(|clause| clause.contrary(text));
        assert!(contrary("Is the distributor exclusive?", "a non-exclusive right to sell").is_some());
        assert!(contrary("Is the distributor exclusive?", "the exclusive right to sell").is_none());
        assert!(contrary("no third party beneficiaries", one).is_some());
        assert!(said("Is the distributor non-exclusive?", "a non-exclusive right to sell") > 0.0);
        assert!(said("Can it be terminated without cause?", "terminate for any reason") > 0.0);
    }

    fn only(question: &str) -> Option<String> {
        wording(question, &asked(question))
    }

    #[test]
    fn every_wording_stands_for_its_own_clause_only() {
        let worded: Vec<&Clause> = CLAUSES.iter().filter(|clause| !clause.wording.is_empty()).collect();
        assert!(worded.len() > 30);
        for clause in worded {
            let found: Vec<&str> = asked(clause.wording).iter().map(|asked| asked.clause.wording).collect();
            assert_eq!(found, [clause.wording]);
            assert_eq!(only(clause.wording).as_deref(), Some(clause.wording));
        }
    }

    #[test]
    fn questions_in_other_words_stand_for_one() {
        for wordings in [
            ["Can either side assign the contract?", "Does an assignment require consent?"],
            ["Is there a cap on the liability of the supplier?", "Are the damages limited?"],
            ["May we terminate at any time?", "Which contracts can be ended without cause?"],
            ["Is there a right of first offer?", "Does anyone have a pre-emptive right?"],
            ["Is the supplier prohibited from competing?", "Is there a non-compete clause?"],
            ["Which agreements may not be assigned?", "assignment"],
        ] {
            let [first, second] = wordings.map(only);
            assert!(first.is_some() && first == second, "{wordings:?}: {first:?} {second:?}");
        }
    }

    #[test]
    fn a_question_for_more_than_a_clause_keeps_its_own_words() {
        for question in [
            "Which contracts are governed by the law of Delaware?",
            "Is cyber insurance required?",
            "Is there an exclusive licence for Germany?",
            "Can it be terminated without cause on 30 days' notice?",
            "Is the agreement non-exclusive?",
            "Who pays the rent?",
        ] {
            assert_eq!(only(question), None, "{question}");
        }
    }

    #[test]
    fn of_clauses_that_share_words_the_longest_is_asked_for() {
        let names = |question: &str| -> Vec<String> {
            asked(question).iter().map(|asked| asked.clause.wording.to_owned()).collect()
        };
        assert_eq!(names("Are there exceptions to the liability cap?"), names("uncapped liability"));
        assert_eq!(names("May the license be assigned or sublicensed?"), names("non-transferable license"));
        assert_eq!(names("When does the renewed term end?").len(), 1);
        assert_eq!(names("Is there an audit right, or insurance?").len(), 2);
        assert!(asked("Is there a non-compete clause?").iter().all(|asked| !asked.denied));
        assert!(asked("Is it a non-exclusive licence?").iter().any(|asked| asked.denied));
    }

    #[test]
    fn words_of_another_clause_are_neither_the_clause_nor_its_contrary() {
        let clause = &asked("Is there an exclusivity clause?")[0];
        let text = "The courts of Ohio have exclusive jurisdiction.";
        assert_eq!(clause.said(text).0, 0.0);
        assert_eq!(clause.contrary(text), None);
        assert_eq!(clause.facts(), [FactKind::Clause(Kind::Exclusivity)]);
        let kinds = |question| asked(question).iter().flat_map(AskedClause::kinds).collect::<Vec<_>>();
        assert_eq!(kinds("Is liability capped?"), [Kind::LiabilityCap]);
        assert_eq!(kinds("Is there a right of first refusal?"), [Kind::FirstRefusal]);
    }
}
