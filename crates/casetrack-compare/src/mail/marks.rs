//! The lines by which programs for mail mark quotations.

use std::sync::LazyLock;

use regex::Regex;

/// Most lines that an introduction is wrapped over.
pub(super) const MAX_INTRODUCTION_LINES: usize = 3;
/// Most lines of the headers above a quoted message.
pub(super) const MAX_HEADER_LINES: usize = 12;

/// The words of programs, in lower case.
const WORDS: &str = include_str!("../../data/mail-marks.txt");

/// `On Thu, 20 Jun 2024 at 09:15, Ann <ann@example.com> wrote:`. A date or address is in it, so that prose is rarely taken for one.
static INTRODUCTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^\W*(?:(?:{before})\b.*[0-9@]|.{0,200}[<\[(]\S+@\S+[>\])]).*\b(?:{wrote})[^:]{0,120}\s*:\W*$")
});

/// `-----Original Message-----` and its kin. A line of underscores only is a rule that may mean anything.
static SEPARATOR: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:-{2,}\s*(?:{marked}).{0,80}?-{2,}|(?:{announced})\s*:)\s*$"));

/// Labels of headers, before the colon.
static FROM: LazyLock<Vec<&str>> = LazyLock::new(|| entries("from").collect());
static DATE: LazyLock<Vec<&str>> = LazyLock::new(|| entries("date").collect());
static OTHERS: LazyLock<Vec<&str>> = LazyLock::new(|| entries("other").collect());

fn entries(key: &str) -> impl Iterator<Item = &'static str> {
    let lists = WORDS.lines().filter_map(move |line| line.strip_prefix(key)?.strip_prefix(':'));
    lists.flat_map(|list| list.split(';')).map(str::trim)
}

/// A pattern with the words of a list at its key in braces.
fn pattern(template: &str) -> Option<Regex> {
    let keys = ["before", "wrote", "marked", "announced"];
    let words = |key: &str| entries(key).collect::<Vec<_>>().join("|");
    let filled = keys.iter().fold(template.to_owned(), |text, key| text.replace(&format!("{{{key}}}"), &words(key)));
    Regex::new(&filled).ok()
}

/// True if lines, joined, introduce a quotation.
pub(super) fn is_introduction(text: &str) -> bool {
    let ends_so = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ':').ends_with(':');
    ends_so && text.len() <= 600 && INTRODUCTION.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// True if a line separates a message from the one that it answers or forwards.
pub(super) fn is_separator(line: &str) -> bool {
    line.len() <= 200 && SEPARATOR.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

/// A rule of underscores or hyphens, as Outlook puts above the headers of a quoted message.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 8 && line.bytes().all(|byte| matches!(byte, b'_' | b'-' | b'='))
}

/// The number of these lines that are the headers of a quoted message; 0 if they are not headers. Sender and date or subject
/// are among them. They end at an empty line, unless there is one between each two.
pub(super) fn header_lines<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    let (mut count, mut labelled, mut empty) = (0, 0, 0);
    let (mut senders, mut others) = (0, 0);
    for (number, line) in lines.take(2 * MAX_HEADER_LINES).enumerate() {
        if line.trim().is_empty() {
            empty += 1;
            if labelled == 0 || (labelled > 1 && empty == 1) || empty > labelled {
                break;
            }
            continue;
        }
        match label(line).as_deref() {
            Some(label) if FROM.contains(&label) => senders += 1,
            Some(label) if DATE.contains(&label) || OTHERS.contains(&label) => others += 1,
            // A long list of recipients continues in the next line.
            _ if labelled > 0 && line.starts_with([' ', '\t']) => {
                count = number + 1;
                continue;
            }
            _ => break,
        }
        labelled += 1;
        count = number + 1;
    }
    if senders == 1 && others >= 2 { count } else { 0 }
}

/// The text before the colon of a header, in lower case; bold type in plain text is between asterisks.
fn label(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches('*');
    let (label, _) = line.split_once(':')?;
    let label = label.trim().trim_end_matches('*').trim();
    (!label.is_empty() && label.chars().count() <= 20).then(|| label.to_lowercase().replace('’', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_in_several_languages_are_known_and_prose_is_not() {
        for text in [
            "On Thu, 20 Jun 2024 at 09:15, Ann B. <ann@example.com> wrote:",
            "Am 20.06.2024 um 09:15 schrieb Ann B.:",
            "Am Do., 20. Juni 2024 um 09:15 Uhr schrieb Ann B. <ann@example.com>:",
            "Le jeu. 20 juin 2024 à 09:15, Ann B. <ann@example.com> a écrit :",
            "Ann B. <ann@example.com> writes:",
            "El jue, 20 jun 2024 a las 9:15, Ann (<ann@example.com>) escribió:",
        ] {
            assert!(is_introduction(text), "{text}");
        }
        for text in
            ["On Monday he wrote:", "As Ann wrote in 2024, the rent is due.", "Am 20.06.2024 war alles gut:", ""]
        {
            assert!(!is_introduction(text), "{text}");
        }
    }

    #[test]
    fn separators_in_several_languages_are_known() {
        for text in [
            "-----Original Message-----",
            "-----Ursprüngliche Nachricht-----",
            "-------- Weitergeleitete Nachricht --------",
            "---------- Forwarded message ---------",
            "-----Message d'origine-----",
            "Begin forwarded message:",
        ] {
            assert!(is_separator(text), "{text}");
        }
        assert!(!is_separator("--------") && !is_separator("The original message is lost."));
        assert!(is_rule("________________________________") && !is_rule("--"));
    }

    #[test]
    fn headers_of_quoted_messages_are_counted() {
        let count = |text: &str| header_lines(text.lines());
        assert_eq!(count("From: Ann\nSent: Thursday\nTo: Bob; Carl;\n\tDora\nSubject: Rent\n\nDear Bob"), 5);
        assert_eq!(count("Von: Ann\nGesendet: Donnerstag\nAn: Bob\nBetreff: Miete\nLieber Bob"), 4);
        assert_eq!(count("*De :* Ann\n\n*Envoyé :* jeudi\n\n*À :* Bob\n\n*Objet :* Loyer\n\nCher Bob"), 7);
        assert_eq!(count("Date: Thu\nFrom: Ann\nSubject: Rent\n"), 3);
        assert_eq!(count("From: the beginning\nwe knew."), 0);
        assert_eq!(count("To: Bob\nSubject: Rent\n"), 0);
    }
}
