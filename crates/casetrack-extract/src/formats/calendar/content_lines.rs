//! Content lines of iCalendar (RFC 5545, 3.1) and of vCalendar 1.0, and the components that they make.

use std::borrow::Cow;

use mail_parser::decoders::quoted_printable::quoted_printable_decode;

/// A property: `DTSTART;TZID=Europe/Berlin:20240611T100000`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Property {
    /// In upper case, without the group that some programs put before it.
    pub name: String,
    parameters: Vec<(String, String)>,
    /// The raw value: its escapes depend on the property.
    pub value: String,
}

/// An entry of a calendar, such as an event, without its alarms.
#[derive(Debug, Default)]
pub(super) struct Component {
    /// In upper case: `VEVENT`.
    pub kind: String,
    pub properties: Vec<Property>,
}

/// The properties of the calendar, its entries in order, and the names of its time zones.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub calendar: Component,
    pub entries: Vec<Component>,
    pub zones: Vec<String>,
}

const ENTRIES: [&str; 4] = ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"];

impl Property {
    /// A parameter by its name in upper case, without quotation marks; several values are joined by commas.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// True if a parameter has this value, without regard to case.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.parameter(name).is_some_and(|own| own.eq_ignore_ascii_case(value))
    }

    /// The value as text: lines, commas and semicolons are escaped in it (3.3.11).
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.value.len());
        let mut chars = self.value.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n' | 'N') => text.push('\n'),
                    Some(escaped) => text.push(escaped),
                    None => {}
                },
                c => text.push(c),
            }
        }
        text.trim().to_owned()
    }

    fn parse(line: &str) -> Option<Self> {
        let name_end = line.find([';', ':'])?;
        let name = line[..name_end].rsplit('.').next()?.trim().to_ascii_uppercase();
        let mut parameters = Vec::new();
        let mut rest = &line[name_end..];
        while let Some(parameter) = rest.strip_prefix(';') {
            let end = unquoted_end(parameter, &[';', ':'])?;
            // vCalendar has values without a name.
            let (key, value) = parameter[..end].split_once('=').unwrap_or(("ENCODING", &parameter[..end]));
            let value = value.replace('"', "").replace("^n", "\n").replace("^'", "\"").replace("^^", "^");
            parameters.push((key.trim().to_ascii_uppercase(), value.trim().to_owned()));
            rest = &parameter[end..];
        }
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_name.then(|| Self { name, parameters, value: rest.strip_prefix(':').unwrap_or_default().to_owned() })
    }
}

impl Component {
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The value of a property as text; `None` if it is blank.
    pub fn text(&self, name: &str) -> Option<String> {
        self.property(name).map(Property::text).filter(|text| !text.is_empty())
    }
}

/// The byte offset of the first of `ends` outside quotation marks.
fn unquoted_end(text: &str, ends: &[char]) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(at, c)| {
        is_quoted ^= c == '"';
        (!is_quoted && ends.contains(&c)).then_some(at)
    })
}

/// Joins folded lines. Programs also fold within a character, so this comes before decoding.
pub(super) fn unfolded(bytes: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line {
            [b' ' | b'\t', rest @ ..] if !out.is_empty() => {
                // Only the line end: white space before it belongs to the text.
                out.pop_if(|byte| *byte == b'\n');
                out.pop_if(|byte| *byte == b'\r');
                out.extend_from_slice(rest);
            }
            line => out.extend_from_slice(line),
        }
    }
    out
}

/// Reads unfolded text. A component without an end goes up to the end of the one around it.
pub(super) fn contents(text: &str) -> Contents {
    let mut contents = Contents::default();
    let mut open: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = with_soft_breaks(line, &mut lines);
        let Some(property) = Property::parse(&line) else { continue };
        let kind = property.value.trim().to_ascii_uppercase();
        match property.name.as_str() {
            "BEGIN" => {
                if ENTRIES.contains(&kind.as_str()) {
                    contents.entries.push(Component { kind: kind.clone(), properties: Vec::new() });
                }
                open.push(kind);
            }
            "END" => {
                if let Some(at) = open.iter().rposition(|name| *name == kind) {
                    open.truncate(at);
                }
            }
            name => match open.last().map(String::as_str) {
                Some("VCALENDAR") => contents.calendar.properties.push(property),
                Some("VTIMEZONE") if name == "TZID" => contents.zones.push(property.value.trim().to_owned()),
                Some(inner) if ENTRIES.contains(&inner) => {
                    contents.entries.last_mut().into_iter().for_each(|entry| entry.properties.push(property.clone()))
                }
                _ => {}
            },
        }
    }
    contents
}

/// vCalendar 1.0 writes long values in quoted-printable, whose lines end in an equals sign.
fn with_soft_breaks<'a>(line: &'a str, lines: &mut std::str::Lines<'a>) -> Cow<'a, str> {
    let head = line.split(':').next().unwrap_or_default().to_ascii_uppercase();
    if !head.contains("QUOTED-PRINTABLE") {
        return Cow::Borrowed(line);
    }
    let (mut value, mut last) = (String::new(), line);
    while let Some(soft) = last.strip_suffix('=') {
        value.push_str(soft);
        last = lines.next().unwrap_or_default();
    }
    value.push_str(last);
    let (head, value) = value.split_once(':').unwrap_or((&value, ""));
    let decoded = quoted_printable_decode(value.as_bytes()).unwrap_or_else(|| value.as_bytes().to_vec());
    let decoded = String::from_utf8(decoded)
        .unwrap_or_else(|error| encoding_rs::WINDOWS_1252.decode(error.as_bytes()).0.into_owned());
    Cow::Owned(format!("{head}:{}", decoded.replace("\r\n", "\\n").replace(['\r', '\n'], "\\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_unfolded_within_characters_and_words() {
        let folded = b"SUMMARY:Gro\xC3\r\n \x9Fe Pr\n\tobe \r\n und\r\nLOCATION:x\r\n";
        assert_eq!(String::from_utf8(unfolded(folded)).unwrap(), "SUMMARY:Große Probe und\r\nLOCATION:x\r\n");
    }

    #[test]
    fn a_property_has_parameters_in_quotation_marks() {
        let line = "item1.ATTENDEE;CN=\"Falk: Imogen; Dr.\";PARTSTAT=ACCEPTED:mailto:i@x.example";
        let property = Property::parse(line).unwrap();
        assert_eq!((property.name.as_str(), property.value.as_str()), ("ATTENDEE", "mailto:i@x.example"));
        assert_eq!(property.parameter("CN"), Some("Falk: Imogen; Dr."));
        assert!(property.has("PARTSTAT", "accepted"));
        let text = Property::parse("SUMMARY:a\\, b\\; c\\\\d\\ne").unwrap().text();
        assert_eq!(text, "a, b; c\\d\ne");
        assert_eq!(Property::parse("no property"), None);
    }

    #[test]
    fn alarms_and_zones_are_no_part_of_an_event() {
        let text = "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nDTSTART:1970\nEND:STANDARD\nEND:VTIMEZONE\n\
                    BEGIN:VEVENT\nSUMMARY:a\nBEGIN:VALARM\nSUMMARY:b\nEND:VALARM\nLOCATION:c\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:d";
        let contents = contents(text);
        let names = |entry: &Component| entry.properties.iter().map(|p| p.value.clone()).collect::<Vec<_>>();
        let entries: Vec<_> = contents.entries.iter().map(names).collect();
        assert_eq!(entries, [vec!["a", "c"], vec!["d"]]);
        assert_eq!(contents.zones, ["X"]);
    }
}
