//! Clauses of contracts that questions ask for, and how contracts say them: `data/clauses.txt`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use regex::bytes::{self, RegexBuilder};

/// One way to say a clause is this share of all there is to say …
const FIRST: f32 = 0.8;
/// … and each further one adds this.
const FURTHER: f32 = 0.2;
/// The share of words that only such clauses and some others have.
const HINT: f32 = 0.3;
/// Most words of a question between two that ask for a clause together.
const BETWEEN: usize = 3;

/// Words that deny what follows them, and further words between.
const DENIAL: &str =
    r"(?:\b(?:no|not|nor|never|neither|without|exclude[sd]?|disclaim(?:s|ed)?|lacks?) (?:\w+ ){0,3}|non-?)$";

/// The entries of a part of a table of contents are at least so many, …
const FEWEST_PAGES: usize = 6;
/// … have at most these words on average, with their number and page, …
const ENTRY_WORDS: usize = 14;
/// … and pages of at most these digits.
const PAGE_DIGITS: usize = 3;

/// Most bytes of the automaton of an expression. Repetitions of any characters outgrow the library's limit, and then it is several times as slow.
const AUTOMATON_BYTES: usize = 16 << 20;

/// A kind of clause. Its expressions know ASCII letters only, which makes them three times as fast.
struct Clause {
    /// Beginnings of words, in lower case, that ask for it where a question has them in this order and near one another.
    asked: Vec<Vec<&'static str>>,
    said: Option<bytes::Regex>,
    /// What such clauses and some others say.
    hinted: Option<bytes::Regex>,
    /// What says the opposite.
    denied: Option<bytes::Regex>,
}

/// A clause that a question asks for.
pub(super) struct AskedClause {
    clause: &'static Clause,
    /// Whether the question is after contracts that say the opposite.
    denied: bool,
}

static CLAUSES: LazyLock<Vec<Clause>> = LazyLock::new(|| {
    let blocks = include_str!("../../data/clauses.txt").split("\n[").skip(1);
    let lines = |block: &'static str, key| block.lines().filter_map(move |line| line.strip_prefix(key)).map(str::trim);
    let any_of = |block, key| {
        let said: Vec<String> = lines(block, key).map(|said| format!("(?:{said})")).collect();
        let all = (!said.is_empty()).then(|| said.join("|"))?;
        RegexBuilder::new(&all).case_insensitive(true).unicode(false).dfa_size_limit(AUTOMATON_BYTES).build().ok()
    };
    let clause = |block| Clause {
        asked: lines(block, "asked:")
            .flat_map(|asked| asked.split(';'))
            .map(|asked| words(asked).map(|(_, word)| word).collect())
            .collect(),
        said: any_of(block, "said:"),
        hinted: any_of(block, "hint:"),
        denied: any_of(block, "denied:"),
    };
    blocks.map(clause).collect()
});

static DENIES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(DENIAL).ok());

/// The clauses that a question asks for.
pub(super) fn asked(question: &str) -> Vec<AskedClause> {
    let question = question.to_lowercase();
    let words: Vec<(usize, &str)> = words(&question).collect();
    let place = |clause: &Clause| clause.asked.iter().find_map(|asked| place(&words, asked));
    let is_denied =
        |at| DENIES.as_ref().is_some_and(|denies| question.get(..at).is_some_and(|before| denies.is_match(before)));
    CLAUSES.iter().filter_map(|clause| Some(AskedClause { clause, denied: is_denied(place(clause)?) })).collect()
}

/// Whether a text is a part of a table of contents: numbers of pages that do not fall, with few words between. White space must be single spaces.
pub(super) fn lists_pages(text: &str) -> bool {
    let words = text.split(' ').count();
    let pages: Vec<u32> = text.split(' ').filter(|word| word.len() <= PAGE_DIGITS).flat_map(str::parse).collect();
    let falls = pages.windows(2).filter(|pair| pair[1] < pair[0]).count();
    pages.len() >= FEWEST_PAGES && words <= pages.len() * ENTRY_WORDS && falls * 5 <= pages.len()
}

/// The alphanumeric runs of a text with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(move |word| (place(word), word))
}

/// Where words begin with these beginnings, in their order and near one another.
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
    /// How much (0–1) of it a text says, and the words that say it. White space must be single spaces.
    pub fn said(&self, text: &str) -> (f32, Vec<String>) {
        let Clause { said, hinted, denied, .. } = self.clause;
        let mut words: Vec<String> = Vec::new();
        let mut note = |found: &[u8]| {
            let found = String::from_utf8_lossy(found);
            if !words.iter().any(|known| known.eq_ignore_ascii_case(&found)) {
                words.push(found.into_owned());
            }
        };
        let text = text.as_bytes();
        let opposites: Vec<Range<usize>> =
            denied.iter().flat_map(|denied| denied.find_iter(text)).map(|found| found.range()).collect();
        let is_opposite = |at: usize| opposites.iter().any(|opposite| opposite.contains(&at));
        match denied {
            Some(_) if self.denied => opposites.iter().filter_map(|place| text.get(place.clone())).for_each(&mut note),
            _ => said
                .iter()
                .flat_map(|said| said.find_iter(text))
                .filter(|found| !is_opposite(found.start()))
                .for_each(|found| note(found.as_bytes())),
        }
        if !words.is_empty() {
            return ((FIRST + FURTHER * (words.len() - 1) as f32).min(1.0), words);
        }
        let mut hints = hinted.iter().filter(|_| !self.denied).flat_map(|hinted| hinted.find_iter(text));
        let hint = hints.find(|found| !is_opposite(found.start()));
        (
            if hint.is_some() { HINT } else { 0.0 },
            hint.map(|hint| String::from_utf8_lossy(hint.as_bytes()).into_owned()).into_iter().collect(),
        )
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
            assert!(clause.said.is_some(), "{:?}", clause.asked);
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
        assert!(said("Is the distributor non-exclusive?", "a non-exclusive right to sell") > 0.0);
        assert!(said("Can it be terminated without cause?", "terminate for any reason") > 0.0);
    }
}
