//! The kinds of clauses that questions ask for, and their wordings in contracts: `data/clauses.txt`.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::ways::Ways;

/// One wording of a clause is this share of the evidence for it …
const FIRST: f32 = 0.8;
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
    lines: &'static str,
    ways: OnceLock<ClauseWays>,
}

/// Wordings of such clauses, wordings that they share with some others, and wordings of the opposite.
#[derive(Default)]
struct ClauseWays {
    said: Ways,
    hinted: Ways,
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
        asked: lines(block, "asked:")
            .flat_map(|asked| asked.split(';'))
            .map(|asked| words(asked).map(|(_, word)| word).collect())
            .collect(),
        lines: block,
        ways: OnceLock::new(),
    };
    blocks.map(clause).collect()
});

static DENIES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(DENIAL).ok());

fn lines<'b>(block: &'b str, key: &str) -> impl Iterator<Item = &'b str> {
    block.lines().filter_map(move |line| line.strip_prefix(key)).map(str::trim)
}

impl Clause {
    fn ways(&self) -> &ClauseWays {
        // The tests read every line.
        let of = |key| Ways::new(&lines(self.lines, key).collect::<Vec<_>>()).unwrap_or_default();
        self.ways.get_or_init(|| ClauseWays { said: of("said:"), hinted: of("hint:"), denied: of("denied:") })
    }
}

pub(super) fn asked(question: &str) -> Vec<AskedClause> {
    let question = question.to_lowercase();
    let words: Vec<(usize, &str)> = words(&question).collect();
    let place = |clause: &Clause| clause.asked.iter().find_map(|asked| place(&words, asked));
    let is_denied =
        |at| DENIES.as_ref().is_some_and(|denies| question.get(..at).is_some_and(|before| denies.is_match(before)));
    CLAUSES.iter().filter_map(|clause| Some(AskedClause { clause, denied: is_denied(place(clause)?) })).collect()
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

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(move |word| (place(word), word))
}

/// The place of words with these beginnings, in their order and near one another.
fn place(words: &[(usize, &str)], beginnings: &[&str]) -> Option<usize> {
    let (first, others) = beginnings.split_first()?;
    (0..words.len()).filter(|&at| words[at].1.starts_with(first)).find_map(|start| {
        let mut at = start;
        for beginning in others {
            let near = words.iter().skip(at + 1).take(BETWEEN + 1);
            at += 1 + near.map(|(_, word)| word).position(|word| word.starts_with(beginning))?;
        }
        words.get(start).map(|(place, _)| *place)
    })
}

impl AskedClause {
    /// The share (0–1) of the clause in a text, and the words for it. White space must be single spaces.
    pub fn said(&self, text: &str) -> (f32, Vec<String>) {
        let ClauseWays { said, hinted, denied } = self.clause.ways();
        let opposites = denied.find_all(text);
        let is_opposite = |place: &Range<usize>| opposites.iter().any(|opposite| opposite.contains(&place.start));
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
    /// The first words of a text that state the contrary of the clause. White space must be single spaces.
    pub fn contrary(&self, text: &str) -> Option<String> {
        let ClauseWays { said, denied, .. } = self.clause.ways();
        let opposites = denied.find_all(text);
        let place = match self.denied {
            false => opposites.into_iter().next()?,
            true => {
                let is_opposite =
                    |place: &Range<usize>| opposites.iter().any(|opposite| opposite.contains(&place.start));
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
            assert!(
                !clause.asked.is_empty() && clause.asked.iter().flatten().all(|asked| *asked == asked.to_lowercase())
            );
            for key in ["said:", "hint:", "denied:"] {
                let lines: Vec<&str> = lines(clause.lines, key).collect();
                assert!(Ways::new(&lines).is_some_and(|ways| ways.is_empty() == lines.is_empty()), "{lines:?}");
            }
            assert!(!clause.ways().said.is_empty(), "{:?}", clause.asked);
        }
    }

    #[test]
    fn a_question_asks_for_clauses_and_texts_say_them() {
        let said = |question, text| asked(question).iter().map(|clause| clause.said(text).0).fold(0.0, f32::max);
        assert_eq!(
            said("Which contracts can be ended without cause?", "Either party may terminate for any reason."),
            0.8
        );
        assert!(said("is there a right of first refusal", "shall have a right of first refusal, first option") > 0.9);
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
}
