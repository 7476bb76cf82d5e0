//! Conversations by e-mail.

use std::fmt::Write;

use casetrack_engine::threads::{MailThread, ThreadLink, ThreadMessage, ThreadReport};

use super::format::{counted, one_line, push_notices, thousands, trimmed};
use super::marks::{citation, name};
use crate::Reader;

/// Depth up to which answers are indented.
const MAX_INDENT: u32 = 12;

/// `offset` is the start of the shown part.
pub fn list(report: &ThreadReport, offset: u32, reader: Reader) -> String {
    let mut text = format!(
        "E-mail threads in {}: {} in {}\n",
        one_line(&report.collection),
        counted(report.messages, "message"),
        counted(report.total, "thread"),
    );
    push_notices(&mut text, &report.notices);
    for (thread, number) in report.threads.iter().zip(u64::from(offset) + 1..) {
        push_thread(&mut text, number, thread);
    }
    if report.messages == 0 {
        text.push_str("\nThere are no e-mails in this collection.");
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, report.total, report.next_offset);
    text
}

fn push_thread(text: &mut String, number: u64, thread: &MailThread) {
    let subject =
        if thread.subject.is_empty() { "no subject".to_owned() } else { format!("\"{}\"", one_line(&thread.subject)) };
    let _ = write!(text, "\n{number}. {subject}: {}", counted(thread.total, "message"));
    match (&thread.first_date, &thread.last_date) {
        (Some(first), Some(last)) if first != last => {
            let _ = write!(text, ", {} to {}", one_line(first), one_line(last));
        }
        (Some(date), _) => {
            let _ = write!(text, ", {}", one_line(date));
        }
        _ => {}
    }
    if thread.missing > 0 {
        let _ = write!(text, ", {} missing", thousands(thread.missing));
    }
    text.push('\n');
    if !thread.participants.is_empty() {
        let people: Vec<_> = thread.participants.iter().map(|person| one_line(person)).collect();
        let _ = writeln!(text, "   Among: {}", people.join("; "));
    }
    thread.messages.iter().for_each(|message| push_message(text, message));
    let listed = thread.messages.len() as u64;
    if let Some(more) = (thread.total + thread.missing).checked_sub(listed).filter(|more| *more > 0) {
        let _ = writeln!(text, "   … {} more", thousands(more));
    }
}

fn push_message(text: &mut String, message: &ThreadMessage) {
    let indent = "  ".repeat(message.depth.min(MAX_INDENT) as usize);
    if let Some(id) = &message.missing {
        let _ = writeln!(text, "   {indent}- not in the collection: message {}", one_line(id));
        return;
    }
    let shown = |value: &Option<String>, without: &str| {
        value.as_deref().map_or_else(|| without.to_owned(), |value| one_line(value).into_owned())
    };
    let _ = write!(text, "   {indent}- {}, {}", shown(&message.date, "no date"), shown(&message.from, "no sender"));
    match message.linked_by {
        Some(ThreadLink::Quotation) => text.push_str(" (found by its quotations)"),
        Some(ThreadLink::Subject) => text.push_str(" (found by subject and people)"),
        Some(ThreadLink::Headers) | None => {}
    }
    if let Some(place) = &message.citation {
        let _ = write!(text, ": {}", citation(place));
    }
    text.push('\n');
    let mut line = |label: &str, values: Vec<String>| {
        if !values.is_empty() {
            let _ = writeln!(text, "   {indent}  {label}: {}", values.join("; "));
        }
    };
    line("Path", message.path.iter().map(|path| name(path).into_owned()).collect());
    line("Attached", message.attachments.iter().map(|file| name(file).into_owned()).collect());
    line("Also in", message.copies.iter().map(|path| name(path).into_owned()).collect());
    let mut quotes: Vec<String> = message
        .quotes
        .iter()
        .map(|quote| format!("{} of {}", counted(quote.words.into(), "word"), citation(&quote.citation)))
        .collect();
    if let Some(words) = message.quoted_elsewhere {
        quotes.push(format!("{} that no message of the collection has", counted(words.into(), "word")));
    }
    line("Quotes", quotes);
}

#[cfg(test)]
mod tests {
    use casetrack_engine::threads::QuotedMessage;

    use super::*;

    fn message(depth: u32) -> ThreadMessage {
        ThreadMessage {
            depth,
            linked_by: None,
            missing: None,
            document_name: Some("a.eml".to_owned()),
            path: None,
            citation: Some("a.eml, p. 1, para. 1, ll. 1-4".to_owned()),
            from: Some("Ann <ann@example.com>".to_owned()),
            date: Some("2024-06-20T09:15:30+02:00".to_owned()),
            attachments: Vec::new(),
            copies: Vec::new(),
            own_words: Some(4),
            quotes: Vec::new(),
            quoted_elsewhere: None,
        }
    }

    #[test]
    fn threads_show_who_answers_whom_and_what_is_missing() {
        let missing = ThreadMessage {
            missing: Some("gone@example.com".to_owned()),
            citation: None,
            date: None,
            from: None,
            ..message(1)
        };
        let quote = QuotedMessage {
            document_name: "a.eml".to_owned(),
            citation: "a.eml, p. 1, para. 1, ll. 1-4".to_owned(),
            words: 1,
        };
        let answer = ThreadMessage {
            linked_by: Some(ThreadLink::Quotation),
            attachments: vec!["b.eml/plan.pdf".to_owned()],
            copies: vec!["/data/c.eml".to_owned()],
            quotes: vec![quote],
            quoted_elsewhere: Some(12),
            ..message(2)
        };
        let thread = MailThread {
            subject: "Rent".to_owned(),
            participants: vec!["Ann <ann@example.com>".to_owned(), "Bob".to_owned()],
            first_date: Some("2024-06-20".to_owned()),
            last_date: Some("2024-06-21".to_owned()),
            total: 4,
            missing: 1,
            messages: vec![message(0), missing, answer],
        };
        let report = ThreadReport {
            collection: "Acme".to_owned(),
            messages: 1_200,
            total: 3,
            threads: vec![thread],
            next_offset: Some(1),
            notices: Vec::new(),
        };
        let expected = "E-mail threads in Acme: 1,200 messages in 3 threads\n\n1. \"Rent\": 4 messages, 2024-06-20 to 2024-06-21, 1 \
            missing\n   Among: Ann <ann@example.com>; Bob\n   - 2024-06-20T09:15:30+02:00, Ann <ann@example.com>: a.eml, p. 1, para. 1, \
            ll. 1-4\n     - not in the collection: message gone@example.com\n       - 2024-06-20T09:15:30+02:00, Ann \
            <ann@example.com> (found by its quotations): a.eml, p. 1, para. 1, ll. 1-4\n         Attached: b.eml/plan.pdf\n         Also \
            in: /data/c.eml\n         Quotes: 1 word of a.eml, p. 1, para. 1, ll. 1-4; 12 words that no message of the collection \
            has\n   … 2 more\n\n… 2 more: call again with offset 1.";
        assert_eq!(list(&report, 0, Reader::Assistant), expected);
    }
}
