//! Calendars (iCalendar, RFC 5545, and vCalendar 1.0), as files and as parts of mail.
//!
//! An entry is a paragraph of lines: title, time, place and people, then its description. Definitions of time
//! zones and alarms are left out. Times are local, as the entry states them, with the name of their zone.

mod content_lines;
mod recurrence;
mod repetition;
mod times;

#[cfg(test)]
mod tests;

use casetrack_core::{BlockKind, ExtractionMethod, FileFormat, Result, single_spaced};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding;
use mail_parser::decoders::base64::base64_decode;

use crate::formats::html::push_html;

use self::content_lines::{Component, Contents, Property};
use self::times::{HomeZone, Time};

pub(crate) struct Calendar;

/// The text of a calendar, and the files in it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CalendarText {
    /// The name of the calendar, or the subject of its only entry.
    pub title: Option<String>,
    pub blocks: Vec<String>,
    /// Names and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// When its only entry was made, in ISO 8601.
    pub created: Option<String>,
}

/// True if a text begins as a calendar does.
pub(crate) fn is_calendar(text: &str) -> bool {
    let start = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    start.get(..15).is_some_and(|start| start.eq_ignore_ascii_case("BEGIN:VCALENDAR"))
}

impl Extractor for Calendar {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let unfolded = content_lines::unfolded(source.bytes);
        let decoded =
            encoding::decode(&unfolded).ok_or_else(|| source.unsupported("binary data of an unknown type"))?;
        if decoded.damaged {
            document.warn(format!("Some bytes are not valid {} and were replaced by \u{FFFD}.", decoded.encoding));
        }
        let text = calendar_text(content_lines::contents(&decoded.text));
        if text.blocks.is_empty() {
            return Err(source.without_content("is a calendar without entries."));
        }
        text.title.iter().for_each(|title| document.set_title(title));
        document.set_created(text.created);
        document.start_page(ExtractionMethod::Native, None);
        for block in &text.blocks {
            document.push_block(BlockKind::Paragraph, block)?;
        }
        text.files.into_iter().for_each(|(name, bytes)| document.attachments().push(&name, bytes));
        Ok(())
    }
}

/// Reads the calendar that is a part of a mail; `decode` makes text of its bytes. `None` if it is no calendar, or has no entries.
pub(crate) fn read(bytes: &[u8], decode: impl Fn(&[u8]) -> String) -> Option<CalendarText> {
    let text = decode(&content_lines::unfolded(bytes));
    if !is_calendar(&text) {
        return None;
    }
    Some(calendar_text(content_lines::contents(&text))).filter(|text| !text.blocks.is_empty())
}

fn calendar_text(contents: Contents) -> CalendarText {
    let Contents { calendar, entries, zones } = contents;
    let home = HomeZone::of(&calendar, &zones);
    let method = calendar.text("METHOD").unwrap_or_default().to_ascii_uppercase();
    let mut text = CalendarText { title: calendar.text("X-WR-CALNAME"), ..CalendarText::default() };
    if let [only] = entries.as_slice() {
        text.title = only.text("SUMMARY").or(text.title);
        let made = only.property("CREATED").or_else(|| only.property("DTSTAMP"));
        text.created = made.and_then(|made| iso(made.value.trim()));
    }
    for entry in &entries {
        let lines = entry_lines(entry, &method, &home);
        if !lines.is_empty() {
            text.blocks.push(lines.join("\n"));
        }
        text.blocks.extend(description(entry));
        text.files.extend(entry.properties.iter().filter(|property| property.name == "ATTACH").filter_map(file));
    }
    text
}

/// A time of Coordinated Universal Time in ISO 8601.
fn iso(value: &str) -> Option<String> {
    match Time::parse(value, None)? {
        Time::Utc(time) => Some(format!("{time}Z")),
        _ => None,
    }
}

/// The effect of a message with this method (RFC 5546, 1.4).
fn action(method: &str) -> Option<&'static str> {
    Some(match method {
        "REQUEST" => "Invitation",
        "REPLY" => "Reply to an invitation",
        "CANCEL" => "Cancellation",
        "COUNTER" => "Proposal of another time",
        "DECLINECOUNTER" => "Refusal of another time",
        "ADD" => "Further dates",
        "REFRESH" => "Request for the current version",
        _ => return None,
    })
}

/// Properties that are shown as they are, with their labels.
const LINES: [(&str, &str); 8] = [
    ("LOCATION", "Where"),
    ("CLASS", "Class"),
    ("CATEGORIES", "Categories"),
    ("CONTACT", "Contact"),
    ("COMMENT", "Comment"),
    ("URL", "Link"),
    ("CONFERENCE", "Link"),
    ("X-GOOGLE-CONFERENCE", "Link"),
];

fn entry_lines(entry: &Component, method: &str, home: &HomeZone) -> Vec<String> {
    let kind = match entry.kind.as_str() {
        "VTODO" => "Task",
        "VJOURNAL" => "Journal",
        "VFREEBUSY" => "Free and busy times",
        _ => "Event",
    };
    let mut lines = vec![match (action(method), entry.text("SUMMARY")) {
        (Some(action), Some(summary)) => format!("{action}: {summary}"),
        (Some(action), None) => action.to_owned(),
        (None, Some(summary)) => format!("{kind}: {summary}"),
        (None, None) => kind.to_owned(),
    }];
    if let Some(status) = status(entry, method) {
        lines.push(format!("Status: {status}"));
    }
    lines.extend(when(entry, home));
    lines.extend(recurrence::lines(entry, home));
    for (name, label) in LINES {
        let found = entry.properties.iter().filter(|property| property.name == name).map(Property::text);
        // PUBLIC is the usual case.
        let is_usual = |text: &str| text.is_empty() || name == "CLASS" && text.eq_ignore_ascii_case("PUBLIC");
        let shown = found.filter(|text| !is_usual(text));
        lines.extend(shown.map(|text| format!("{label}: {}", single_spaced(&text))));
    }
    lines.extend(entry.property("ORGANIZER").and_then(person).map(|person| format!("Organiser: {person}")));
    let attendees: Vec<String> =
        entry.properties.iter().filter(|property| property.name == "ATTENDEE").filter_map(attendee).collect();
    if !attendees.is_empty() {
        lines.push(format!("Attendees: {}", attendees.join("; ")));
    }
    lines
}

fn status(entry: &Component, method: &str) -> Option<String> {
    let status = entry.text("STATUS").unwrap_or_default().to_ascii_lowercase();
    Some(match status.as_str() {
        _ if method == "CANCEL" => "cancelled".to_owned(),
        "" => return None,
        "needs-action" => "not begun".to_owned(),
        "in-process" => "under way".to_owned(),
        other => other.to_owned(),
    })
}

/// Start, end and other times, each with the words before it.
fn when(entry: &Component, home: &HomeZone) -> Vec<String> {
    let mut lines = Vec::new();
    let shown = |property: &Property| match Time::of(property) {
        Some(time) => time.shown(home),
        None => format!("{} (not a valid time)", property.text()),
    };
    match (entry.property("DTSTART"), entry.property("DTEND")) {
        (Some(start), end) => match (Time::of(start), end.and_then(Time::of)) {
            (Some(from), Some(to)) => lines.push(format!("When: {}", from.shown_to(&to, home))),
            (Some(from), None) => {
                let for_long = entry.text("DURATION").and_then(|duration| times::duration(&duration));
                let for_long = for_long.map(|duration| format!(", for {duration}")).unwrap_or_default();
                let all_day = if matches!(from, Time::Day(_)) && for_long.is_empty() { " (all day)" } else { "" };
                lines.push(format!("When: {}{all_day}{for_long}", from.shown(home)));
                lines.extend(end.map(|end| format!("End: {}", shown(end))));
            }
            (None, _) => {
                lines.push(format!("When: {}", shown(start)));
                lines.extend(end.map(|end| format!("End: {}", shown(end))));
            }
        },
        (None, Some(end)) => lines.push(format!("End: {}", shown(end))),
        (None, None) => {}
    }
    for (name, label) in [("DUE", "Due"), ("COMPLETED", "Completed"), ("RECURRENCE-ID", "In place of the date")] {
        lines.extend(entry.property(name).map(|property| format!("{label}: {}", shown(property))));
    }
    for busy in entry.properties.iter().filter(|property| property.name == "FREEBUSY") {
        let kind = busy.parameter("FBTYPE").unwrap_or("BUSY").to_ascii_lowercase();
        for period in busy.value.split(',') {
            let (from, to) = period.trim().split_once('/').unwrap_or((period.trim(), ""));
            let shown = match (Time::parse(from, None), Time::parse(to, None), times::duration(to)) {
                (Some(from), Some(to), _) => from.shown_to(&to, home),
                (Some(from), None, Some(long)) => format!("{}, for {long}", from.shown(home)),
                _ => period.to_owned(),
            };
            lines.push(format!("{kind}: {shown}"));
        }
    }
    lines
}

/// `Name <address>`.
fn person(property: &Property) -> Option<String> {
    let value = property.value.trim();
    let is_mail = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    let address = if is_mail { &value[7..] } else { value };
    let address = address.split('?').next().unwrap_or_default().trim();
    let name = property.parameter("CN").map(str::trim).filter(|name| !name.is_empty() && *name != address);
    match (name, address.contains('@')) {
        (Some(name), true) => Some(format!("{name} <{address}>")),
        (Some(name), false) => Some(name.to_owned()),
        (None, _) => Some(address.to_owned()).filter(|address| !address.is_empty()),
    }
}

/// A person with role and answer.
fn attendee(property: &Property) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    match property.parameter("ROLE").unwrap_or_default().to_ascii_uppercase().as_str() {
        "CHAIR" => notes.push("chair".to_owned()),
        "OPT-PARTICIPANT" => notes.push("optional".to_owned()),
        "NON-PARTICIPANT" => notes.push("for information".to_owned()),
        _ => {}
    }
    let kind = property.parameter("CUTYPE").unwrap_or_default().to_ascii_lowercase();
    if matches!(kind.as_str(), "room" | "resource" | "group") {
        notes.push(kind);
    }
    match property.parameter("PARTSTAT").unwrap_or_default().to_ascii_uppercase().as_str() {
        "" => {}
        "NEEDS-ACTION" => notes.push("no answer yet".to_owned()),
        answer => notes.push(answer.to_ascii_lowercase()),
    }
    let person = person(property)?;
    Some(if notes.is_empty() { person } else { format!("{person} ({})", notes.join(", ")) })
}

/// The description as plain text; some programs write HTML into it.
fn description(entry: &Component) -> Option<String> {
    let description = entry.text("DESCRIPTION").map(|text| match has_tags(&text) {
        true => html_text(&text.replace('\n', "<br>")),
        false => text,
    });
    let html = || entry.text("X-ALT-DESC").map(|html| html_text(&html));
    description.or_else(html).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn html_text(html: &str) -> String {
    let mut document = DocumentBuilder::new(html.len() as u64);
    document.start_page(ExtractionMethod::Native, None);
    // Text is shorter than its markup, so the limit is never met.
    let _ = push_html(html, &mut document);
    document.finish(FileFormat::Html).pages.into_iter().map(|page| page.text).collect()
}

fn has_tags(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["<br", "</p>", "</a>", "</b>", "</div>", "</span>", "</li>", "<html"].iter().any(|tag| text.contains(tag))
}

/// A file that an entry contains.
fn file(property: &Property) -> Option<(String, Vec<u8>)> {
    if !property.has("ENCODING", "BASE64") && !property.has("ENCODING", "B") {
        return None;
    }
    let value: Vec<u8> = property.value.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let name = ["FILENAME", "X-FILENAME", "X-APPLE-FILENAME"].iter().find_map(|name| property.parameter(name));
    let kind = property.parameter("FMTTYPE").unwrap_or_default().to_ascii_lowercase();
    let extension = FileFormat::media_types()
        .find_map(|(own, extensions)| (own == kind).then(|| extensions.first().copied()).flatten())
        .unwrap_or("bin");
    let name = name.map_or_else(|| format!("attachment.{extension}"), str::to_owned);
    base64_decode(&value).map(|bytes| (name, bytes)).filter(|(_, bytes)| !bytes.is_empty())
}
