use std::path::Path;

use casetrack_core::{ErrorCode, FileFormat};

use crate::test_files::assert_page_invariants;
use crate::{ExtractOptions, Extraction};

const ZONE: &str = "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:DAYLIGHT\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n\
DTSTART:19700329T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n";

fn calendar(method: &str, entry: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{method}{ZONE}BEGIN:VEVENT\r\n{entry}END:VEVENT\r\nEND:VCALENDAR\r\n")
}

fn extract(name: &str, bytes: impl AsRef<[u8]>) -> Extraction {
    let extraction = crate::extract(Path::new(name), bytes.as_ref(), &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn text(entry: &str) -> String {
    extract("a.ics", calendar("", entry)).pages[0].text.clone()
}

const INSPECTION: &str = "DTSTAMP:20240502T080000Z\r\nDTSTART;TZID=Europe/Berlin:20240611T100000\r\n\
DTEND;TZID=Europe/Berlin:20240611T120000\r\nSUMMARY;LANGUAGE=de:Begehung der Mole\r\n\
LOCATION:Hafenamt\\, Saal 3\r\nORGANIZER;CN=\"Falk, Ida\":mailto:ida@port.example\r\n\
ATTENDEE;CN=Tom;PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT:MAILTO:tom@x.example\r\n\
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:eva@x.example\r\n\
DESCRIPTION:Please bring the plans.\\nThe gate is open unt\r\n il noon.\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\n\
DESCRIPTION:Reminder\r\nEND:VALARM\r\n";

#[test]
fn an_event_is_a_paragraph_of_lines_and_its_description() {
    let extraction = extract("a.ics", calendar("METHOD:REQUEST\r\n", INSPECTION));
    assert_eq!((extraction.format, extraction.title.as_deref()), (FileFormat::Calendar, Some("Begehung der Mole")));
    assert_eq!(
        extraction.pages[0].text,
        "Invitation: Begehung der Mole\nWhen: 2024-06-11 10:00 to 12:00 (Europe/Berlin)\nWhere: Hafenamt, Saal 3\n\
         Organiser: Falk, Ida <ida@port.example>\n\
         Attendees: Tom <tom@x.example> (optional, accepted); eva@x.example (no answer yet)\n\
         Please bring the plans.\nThe gate is open until noon."
    );
    assert_eq!(extraction.properties.created.as_deref(), Some("2024-05-02T08:00:00Z"));
    assert!(extraction.warnings.is_empty());
}

#[test]
fn a_cancelled_event_says_so() {
    for (method, entry) in [("METHOD:CANCEL\r\n", ""), ("", "STATUS:CANCELLED\r\n")] {
        let extraction = extract("a.ics", calendar(method, &format!("{INSPECTION}{entry}")));
        assert!(extraction.pages[0].text.contains("\nStatus: cancelled\n"), "{}", extraction.pages[0].text);
    }
    assert!(!text(INSPECTION).contains("cancelled"));
    let reply = extract(
        "a.ics",
        calendar("METHOD:REPLY\r\n", "SUMMARY:Walk\r\nATTENDEE;PARTSTAT=DECLINED:mailto:a@b.example\r\n"),
    );
    assert_eq!(reply.pages[0].text, "Reply to an invitation: Walk\nAttendees: a@b.example (declined)");
}

#[test]
fn other_times_are_told_as_they_are() {
    for (entry, expected) in [
        ("DTSTART;VALUE=DATE:20240905\r\nDTEND;VALUE=DATE:20240907\r\n", "When: 2024-09-05 to 2024-09-06 (all day)"),
        ("DTSTART;VALUE=DATE:20240905\r\n", "When: 2024-09-05 (all day)"),
        ("DTSTART:20240905T120000Z\r\n", "When: 2024-09-05 14:00 (Europe/Berlin; 12:00 UTC)"),
        ("DTSTART:20240905T140000\r\nDURATION:PT90M\r\n", "When: 2024-09-05 14:00 (no time zone given), for 90 min"),
        (
            "DTSTART;TZID=Europe/Berlin:20240905T140000\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEXDATE;TZID=Europe/Berlin:20240912T140000\r\n",
            "Repeats: every week, 3 times\nNot on: 2024-09-12 14:00 (Europe/Berlin)\nRepeated on: 2024-09-19",
        ),
        (
            "RECURRENCE-ID;TZID=Europe/Berlin:20240905T140000\r\nDTSTART;TZID=Europe/Berlin:20240906T140000\r\n",
            "In place of the date: 2024-09-05 14:00 (Europe/Berlin)",
        ),
        ("DTSTART:20241305T140000\r\n", "When: 20241305T140000 (not a valid time)"),
    ] {
        let text = text(&format!("SUMMARY:x\r\n{entry}"));
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn tasks_files_and_html_descriptions_are_read() {
    let calendar = "BEGIN:VCALENDAR\nX-WR-CALNAME:Port\nBEGIN:VTODO\nSUMMARY:File the reply\nDUE;VALUE=DATE:20240701\nSTATUS:NEEDS-ACTION\n\
        END:VTODO\nBEGIN:VEVENT\nSUMMARY:Walk\nDESCRIPTION:<b>Bring</b> the plans<br>and keys\n\
        ATTACH;FMTTYPE=text/plain;ENCODING=BASE64;VALUE=BINARY;X-FILENAME=plan.txt:VGhlIHBs\n YW4=\nATTACH:https://x.example/a\nEND:VEVENT\nEND:VCALENDAR\n";
    let extraction = extract("a.ics", calendar);
    assert_eq!(extraction.title.as_deref(), Some("Port"));
    let text = &extraction.pages[0].text;
    assert!(
        text.starts_with("Task: File the reply\nStatus: not begun\nDue: 2024-07-01\nEvent: Walk\nBring the plans"),
        "{text}"
    );
    assert_eq!(
        (extraction.attachments[0].name.as_str(), &extraction.attachments[0].bytes[..]),
        ("plan.txt", &b"The plan"[..])
    );
    // vCalendar 1.0.
    let old = "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VEVENT\nSUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Pr=C3=BCfung der =\nMole\n\
        DTSTART:20240905T140000\nEND:VEVENT\nEND:VCALENDAR\n";
    assert!(extract("a.vcs", old).pages[0].text.starts_with("Event: Prüfung der Mole\n"));
}

#[test]
fn the_content_decides_and_an_empty_calendar_is_an_error() {
    assert_eq!(extract("a.txt", calendar("", INSPECTION)).format, FileFormat::Calendar);
    let empty = format!("BEGIN:VCALENDAR\r\n{ZONE}END:VCALENDAR\r\n");
    let error = crate::extract(Path::new("a.ics"), empty.as_bytes(), &ExtractOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::EmptyFile);
    let whole = calendar("METHOD:CANCEL\r\n", INSPECTION);
    for cut in 1..whole.len() {
        if let Ok(extraction) = crate::extract(Path::new("a.ics"), &whole.as_bytes()[..cut], &ExtractOptions::default())
        {
            extraction.pages.iter().for_each(assert_page_invariants);
        }
    }
}

/// A mail with a text and this part behind it.
fn invitation(kind: &str, head: &str, calendar: &str) -> String {
    format!(
        "From: a@b.example\r\nSubject: Walk\r\nMIME-Version: 1.0\r\nContent-Type: multipart/{kind}; boundary=b\r\n\r\n\
         --b\r\n\r\nHello Tom,\r\n--b\r\n{head}\r\n\r\n{calendar}\r\n--b--\r\n"
    )
}

#[test]
fn in_a_mail_the_event_follows_the_text() {
    let calendar = calendar("METHOD:CANCEL\r\n", INSPECTION);
    for (kind, head) in [
        ("alternative", "Content-Type: text/calendar; charset=utf-8; method=CANCEL"),
        ("alternative", "Content-Type: text/calendar; name=meeting.ics; method=CANCEL"),
        ("mixed", "Content-Type: text/calendar; charset=utf-8"),
        ("mixed", "Content-Type: application/ics; method=CANCEL; name=meeting.ics"),
    ] {
        let extraction = extract("a.eml", invitation(kind, head, &calendar));
        let text = &extraction.pages[0].text;
        assert!(
            text.contains("\n\nHello Tom,\n\nCancellation: Begehung der Mole\nStatus: cancelled\nWhen: 2024-06-11"),
            "{text}"
        );
        assert!(text.ends_with("\n\nPlease bring the plans.\nThe gate is open until noon."), "{text}");
        assert!(extraction.attachments.is_empty() && !text.contains("1970"), "{head}");
    }
    // The whole mail.
    let alone = format!("From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: text/calendar\r\n\r\n{calendar}");
    assert!(extract("a.eml", alone).pages[0].text.contains("Cancellation: Begehung"));
    // A file is a document of its own.
    let file = "Content-Type: text/calendar; name=meeting.ics\r\nContent-Disposition: attachment; filename=meeting.ics";
    let extraction = extract("a.eml", invitation("mixed", file, &calendar));
    assert_eq!(extraction.attachments[0].name, "meeting.ics");
    // A file that is no calendar stays text.
    let note = extract("a.eml", invitation("mixed", "Content-Type: text/calendar", "No calendar."));
    assert!(note.pages[0].text.ends_with("Hello Tom,\n\nNo calendar."), "{}", note.pages[0].text);
}
