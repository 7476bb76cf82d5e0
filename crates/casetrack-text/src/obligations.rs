//! Obligations: as text, and as a calendar (RFC 5545).

use std::fmt::Write;

use casetrack_core::Timestamp;
use casetrack_engine::sheet::{ObligationReport, ObligationView};

use super::format::{cut, one_line, push_notices, thousands, trimmed};
use super::marks::{name, quote};
use crate::Reader;

/// Longest text of a duty, in characters.
const WHAT_CHARS: usize = 320;

/// Longest line of a calendar, in bytes, without its end.
const LINE: usize = 75;

pub fn list(report: &ObligationReport) -> String {
    let mut text = format!(
        "Obligations of {}: {}, {} with a day\n\n",
        one_line(&report.collection),
        thousands(report.total),
        thousands(report.dated)
    );
    push_notices(&mut text, &report.notices);
    for duty in &report.obligations {
        let when = duty.due.as_deref().unwrap_or("no day");
        let _ = write!(text, "  {}  {}", one_line(when), quote(&said(duty)));
        if let Some(computed) = &duty.computed {
            let _ = write!(text, ", computed: {}", one_line(computed));
        } else if let Some(trigger) = &duty.trigger {
            let _ = write!(text, ", when: {}", quote(trigger));
        }
        let _ = writeln!(text, " ({}, {})", name(&duty.document_name), duty.place.place);
    }
    if report.obligations.is_empty() {
        text.push_str(
            "No obligation fits. An obligation is a sentence in which someone shall do something, with a day, a \
             length of time or a period; all other dates are in the timeline.",
        );
    }
    let mut text = trimmed(text);
    Reader::Assistant.push_more(&mut text, report.total, report.next_offset);
    text
}

/// `Supplier (Acme, Inc.) shall deliver the plan`
fn said(duty: &ObligationView) -> String {
    let named = if duty.parties.is_empty() { String::new() } else { format!(" ({})", duty.parties.join("; ")) };
    format!("{}{named} {}", duty.who, cut(&duty.what, WHAT_CHARS))
}

/// A calendar with an event for each obligation that has a day. `made_at` is when the calendar was made.
pub fn calendar(report: &ObligationReport, made_at: Timestamp) -> String {
    let mut text = String::new();
    let mut line = |content: &str| push_line(&mut text, content);
    line("BEGIN:VCALENDAR");
    line("VERSION:2.0");
    line("PRODID:-//CaseTrack//Obligations//EN");
    let stamp: String = made_at.to_string().chars().filter(|c| c.is_ascii_digit() || *c == 'T').take(15).collect();
    for duty in &report.obligations {
        let Some(due) = &duty.due else { continue };
        line("BEGIN:VEVENT");
        line(&format!("UID:{}-{}-{}@casetrack", duty.document_id, duty.place.page, duty.place.char_start));
        line(&format!("DTSTAMP:{stamp}Z"));
        line(&format!("DTSTART;VALUE=DATE:{}", due.replace('-', "")));
        line(&format!("SUMMARY:{}", escaped(&said(duty))));
        let mut about = format!("{}, {}", duty.document_name, duty.place.place);
        if let Some(computed) = &duty.computed {
            let _ = write!(about, ". Computed: {computed}");
        }
        line(&format!("DESCRIPTION:{}", escaped(&about)));
        line("END:VEVENT");
    }
    line("END:VCALENDAR");
    trimmed(text)
}

fn escaped(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,")
}

/// Appends a line, folded so that none is longer than the format allows.
fn push_line(text: &mut String, content: &str) {
    let mut length = 0;
    for c in content.chars() {
        if length + c.len_utf8() > LINE {
            text.push_str("\r\n ");
            length = 1;
        }
        text.push(c);
        length += c.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use casetrack_engine::CitedPlace;

    use super::*;
    use crate::samples;

    fn report() -> ObligationReport {
        let document = samples::document();
        let place = CitedPlace { place: "p. 4, para. 2, l. 7".to_owned(), page: 4, char_start: 10, char_end: 20 };
        let duty = |due: Option<&str>| ObligationView {
            document_id: document.id,
            document_name: document.name.clone(),
            who: "Supplier".to_owned(),
            parties: vec!["Acme, Inc.".to_owned()],
            what: "shall deliver the plan; the tools, and everything that belongs to them and is listed".to_owned(),
            due: due.map(str::to_owned),
            computed: due.map(|_| "10 days from 2004-05-03 (p. 1)".to_owned()),
            trigger: Some("10 days after the Effective Date".to_owned()),
            place: place.clone(),
        };
        let obligations = vec![duty(Some("2004-05-13")), duty(None)];
        ObligationReport {
            collection: "Acme".to_owned(),
            total: 2,
            dated: 1,
            obligations,
            next_offset: None,
            notices: Vec::new(),
        }
    }

    #[test]
    fn a_day_shows_its_arithmetic_and_a_duty_without_one_its_trigger() {
        let text = list(&report());
        assert!(
            text.starts_with(
                "Obligations of Acme: 2, 1 with a day\n\n  2004-05-13  \"Supplier (Acme, Inc.) shall deliver"
            ),
            "{text}"
        );
        assert!(text.contains("computed: 10 days from 2004-05-03 (p. 1) (Vendor_Agreement.docx, p. 4, para. 2, l. 7)"));
        assert!(text.contains("when: \"10 days after the Effective Date\""), "{text}");
    }

    #[test]
    fn a_calendar_has_folded_lines_and_only_what_has_a_day() {
        let text = calendar(&report(), Timestamp(1_700_000_000_123));
        assert_eq!(text.matches("BEGIN:VEVENT").count(), 1);
        assert!(text.contains("\r\nDTSTART;VALUE=DATE:20040513\r\n"), "{text}");
        assert!(text.contains("\r\nDTSTAMP:20231114T221320Z\r\n"), "{text}");
        assert!(text.split("\r\n").all(|line| line.len() <= LINE), "{text}");
        assert!(
            text.replace("\r\n ", "")
                .contains("SUMMARY:Supplier (Acme\\, Inc.) shall deliver the plan\\; the tools\\, and"),
            "{text}"
        );
    }
}
