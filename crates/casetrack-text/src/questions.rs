//! Questions that the documents of a collection can answer, made from the results of analysis.

use std::collections::BTreeSet;

use casetrack_engine::briefing::SummaryReport;
use casetrack_engine::sheet::{Sheet, SheetRow};

use crate::format::shorten;

/// Least confidence of a value that a question is made of, in percent.
const SURE: u8 = 85;
/// Longest name in a question, in characters.
const NAME_CHARS: usize = 60;

/// Questions in groups: about a clause, about the parties, about a date, about a topic. In each the best come first.
pub fn candidates(summary: &SummaryReport, sheet: &Sheet) -> Vec<Vec<String>> {
    let organizations: Vec<&str> =
        summary.organizations.iter().map(|stakeholder| stakeholder.entity.name.as_str()).collect();
    let people = summary.people.iter().map(|stakeholder| person(&stakeholder.entity.name));
    let dates = summary.key_dates.iter().map(|date| day(date.event.role.as_deref(), &date.event.written));
    let topics = summary.topics.iter().map(|topic| about(&topic.name));
    vec![
        sheet.rows.iter().flat_map(clauses).collect(),
        parties(&organizations).into_iter().chain(people).collect(),
        dates.collect(),
        topics.collect(),
    ]
}

/// One question of each group that `is_answered`, and more of the first groups if others have none; `count` at most.
pub fn choose(groups: Vec<Vec<String>>, count: usize, mut is_answered: impl FnMut(&str) -> bool) -> Vec<String> {
    let mut groups: Vec<_> = groups.into_iter().map(Vec::into_iter).collect();
    let mut chosen = Vec::new();
    let mut seen = BTreeSet::new();
    while chosen.len() < count && !groups.is_empty() {
        groups.retain_mut(|group| {
            if chosen.len() == count {
                return true;
            }
            match group.find(|question| seen.insert(question.clone()) && is_answered(question)) {
                Some(question) => {
                    chosen.push(question);
                    true
                }
                None => false,
            }
        });
    }
    chosen
}

/// Questions about the terms of a contract, the most common first.
fn clauses(row: &SheetRow) -> Vec<String> {
    const ASKED: [(&str, &str); 6] = [
        ("liability_cap", "Is liability limited in"),
        ("notice_period", "How much notice ends"),
        ("expiry", "When does it end, according to"),
        ("governing_law", "Which law governs"),
        ("payment_terms", "When are payments due under"),
        ("renewal_term", "Is there a renewal in"),
    ];
    let is_sure =
        |column: &str| row.cells.get(column).is_some_and(|values| values.iter().any(|cell| cell.confidence >= SURE));
    // A document without parties is not a contract, even if its words are those of one.
    if !is_sure("parties") {
        return Vec::new();
    }
    let name = shorten(&row.document_name, NAME_CHARS);
    ASKED.iter().filter(|(column, _)| is_sure(column)).map(|(_, question)| format!("{question} {name}?")).collect()
}

fn parties(organizations: &[&str]) -> Option<String> {
    let [first, second, ..] = organizations else { return None };
    let [first, second] = [first, second].map(|name| shorten(name, NAME_CHARS));
    Some(format!("What have {first} and {second} agreed?"))
}

fn person(name: &str) -> String {
    format!("What is said about {}?", shorten(name, NAME_CHARS))
}

/// A question about a date, by its meaning.
fn day(role: Option<&str>, written: &str) -> String {
    let role = role.unwrap_or_default().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| role.contains(word));
    let asked = if has(&["due", "payment", "deadline"]) {
        "What was due on"
    } else if has(&["effective", "commencement", "start"]) {
        "What took effect on"
    } else if has(&["expir", "end", "terminat", "completion"]) {
        "What was to end on"
    } else if has(&["sign", "agreement", "execut"]) {
        "What was agreed on"
    } else {
        "What happened on"
    };
    format!("{asked} {}?", shorten(written, NAME_CHARS))
}

fn about(topic: &str) -> String {
    format!("What do the documents say about {}?", shorten(topic, NAME_CHARS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casetrack_engine::CitedPlace;
    use casetrack_engine::sheet::CellValue;

    use super::*;

    fn row(columns: &[(&str, u8)]) -> SheetRow {
        let cell = |confidence| CellValue {
            value: "x".to_owned(),
            computed: None,
            place: CitedPlace { place: "p. 1".to_owned(), page: 1, char_start: 0, char_end: 1 },
            confidence,
            clause: None,
        };
        let cells: BTreeMap<String, Vec<CellValue>> =
            columns.iter().map(|&(column, confidence)| (column.to_owned(), vec![cell(confidence)])).collect();
        SheetRow {
            document_id: None,
            document_name: "Lease.pdf".to_owned(),
            cells,
            not_sure: BTreeMap::new(),
            not_found: Vec::new(),
        }
    }

    #[test]
    fn clauses_are_asked_about_where_they_are_surely_there() {
        let sure = row(&[("parties", 95), ("governing_law", 90), ("notice_period", 95), ("expiry", 60)]);
        assert_eq!(clauses(&sure), ["How much notice ends Lease.pdf?", "Which law governs Lease.pdf?"]);
        assert!(clauses(&row(&[("governing_law", 95)])).is_empty(), "no contract");
    }

    #[test]
    fn dates_are_asked_about_by_what_they_mean() {
        assert_eq!(day(Some("Due date"), "14 July 2025"), "What was due on 14 July 2025?");
        assert_eq!(day(Some("signature date"), "11 July 2025"), "What was agreed on 11 July 2025?");
        assert_eq!(day(None, "2025-01-02"), "What happened on 2025-01-02?");
        assert_eq!(parties(&["Acme Ltd", "Bolt GmbH", "C"]).unwrap(), "What have Acme Ltd and Bolt GmbH agreed?");
        assert_eq!(parties(&["Acme Ltd"]), None);
    }

    #[test]
    fn one_of_each_group_is_chosen_before_a_second_of_any() {
        let groups = || vec![vec!["a1", "a2", "a3"], vec![], vec!["b1"]];
        let groups = || groups().into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect();
        assert_eq!(choose(groups(), 3, |_| true), ["a1", "b1", "a2"]);
        assert_eq!(choose(groups(), 3, |question| question != "a1"), ["a2", "b1", "a3"]);
        assert!(choose(groups(), 3, |_| false).is_empty());
    }
}
