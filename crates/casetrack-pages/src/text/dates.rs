//! Dates as formats write them, in ISO 8601. `None` if a text is not a date.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use mail_parser::DateTime;

/// The date and time of ISO 8601 and its profiles in XML: `2024`, `2024-05-03`, `2024-05-03T09:00:00.5+02:00`.
pub fn of_iso(text: &str) -> Option<String> {
    let text = text.trim();
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let mut fields: Vec<i16> = date.split('-').map(digits).collect::<Option<_>>()?;
    if date.find('-').unwrap_or(date.len()) != 4 || fields.len() > 3 {
        return None;
    }
    if time.is_empty() {
        return iso(&fields, "");
    }
    let (clock, offset) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    fields.extend(clock.split(':').map(digits).collect::<Option<Vec<_>>>().filter(|_| fields.len() == 3)?);
    iso(&fields, offset)
}

/// The date of a PDF ([ISO 32000-1] 7.9.4): `D:20240503090000+02'00'`, where all but the year may be missing. Some
/// producers write one of ISO 8601 instead.
pub fn of_pdf(text: &str) -> Option<String> {
    let text = text.trim();
    let written = text.strip_prefix("D:").unwrap_or(text);
    let end = written.find(|c: char| !c.is_ascii_digit()).unwrap_or(written.len());
    let (number, offset) = written.split_at(end);
    if !matches!(number.len(), 4 | 6 | 8 | 10 | 12 | 14) {
        return None;
    }
    let (year, rest) = number.split_at(4);
    let pairs = (0..rest.len() / 2).map(|at| digits(&rest[2 * at..2 * at + 2]));
    let fields: Vec<i16> = std::iter::once(digits(year)).chain(pairs).collect::<Option<_>>()?;
    iso(&fields, offset).or_else(|| of_iso(written))
}

/// Year, month, day, hour, minute and second, as far as they are known, in local time.
pub fn of_fields(fields: &[i16]) -> Option<String> {
    iso(fields, "")
}

/// Minutes, hours, day, month and year from 1900, from the lowest bit on ([MS-DOC] 2.9.62), in local time. Zero stands for no date.
pub fn of_packed(packed: u32) -> Option<String> {
    let bits = |from: u32, count: u32| (packed >> from & ((1 << count) - 1)) as i16;
    (packed != 0).then(|| of_fields(&[bits(20, 9) + 1900, bits(16, 4), bits(11, 5), bits(6, 5), bits(0, 6)]))?
}

/// Tenths of microseconds since 1601, UTC ([MS-DTYP] 2.3.3). Zero stands for no date.
pub(crate) fn of_file_time(ticks: u64) -> Option<String> {
    let seconds = i64::try_from(ticks / 10_000_000).ok().filter(|_| ticks > 0)?;
    Some(Timestamp::from_second(seconds - 11_644_473_600).ok()?.to_string())
}

/// The date of a message (RFC 5322, 3.3).
pub fn of_mail(text: &str) -> Option<String> {
    of_iso(&DateTime::parse_rfc822(text)?.to_rfc3339())
}

fn digits(text: &str) -> Option<i16> {
    // `parse` would take a sign too.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn iso(fields: &[i16], offset: &str) -> Option<String> {
    let field = |at: usize, default| i8::try_from(fields.get(at).copied().unwrap_or(default)).ok();
    let year = *fields.first().filter(|year| (1..=9999).contains(*year))?;
    let date = Date::new(year, field(1, 1)?, field(2, 1)?).ok()?;
    let time = Time::new(field(3, 0)?, field(4, 0)?, field(5, 0)?, 0).ok()?;
    // A day has no offset.
    let offset = iso_offset(offset).filter(|offset| fields.len() > 3 || offset.is_empty())?;
    Some(match fields.len() {
        1 => date.strftime("%Y").to_string(),
        2 => date.strftime("%Y-%m").to_string(),
        3 => date.to_string(),
        // An hour without minutes has no form that is read everywhere.
        4 | 5 => format!("{date}T{}{offset}", time.strftime("%H:%M")),
        6 => format!("{date}T{}{offset}", time.strftime("%H:%M:%S")),
        _ => return None,
    })
}

/// `Z`, `+02`, `+0200`, `+02:00`, `+02'00'`; empty if there is none.
fn iso_offset(text: &str) -> Option<String> {
    let number: String = text.chars().skip(1).filter(|c| !matches!(c, ':' | '\'')).collect();
    let sign = match text.chars().next() {
        None => return Some(String::new()),
        Some('Z') if number.bytes().all(|byte| byte == b'0') => return Some("Z".to_owned()),
        Some(sign @ ('+' | '-')) if number.is_ascii() => sign,
        Some(_) => return None,
    };
    let (hours, minutes) = match number.len() {
        2 => (digits(&number)?, 0),
        4 => (digits(&number[..2])?, digits(&number[2..])?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_keep_the_precision_and_offset_that_they_state() {
        for (text, expected) in [
            ("2024", "2024"),
            ("2024-05", "2024-05"),
            (" 2024-05-03 ", "2024-05-03"),
            ("2024-05-03T09:00", "2024-05-03T09:00"),
            ("2024-05-03T09:00:07Z", "2024-05-03T09:00:07Z"),
            ("2024-05-03T09:00:07.123456789", "2024-05-03T09:00:07"),
            ("2024-05-03T09:00:07.5-0330", "2024-05-03T09:00:07-03:30"),
        ] {
            assert_eq!(of_iso(text).as_deref(), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("D:20240503090000+02'00'", "2024-05-03T09:00:00+02:00"),
            ("D:20240503090000-03'30", "2024-05-03T09:00:00-03:30"),
            ("20240503090000Z00'00'", "2024-05-03T09:00:00Z"),
            ("D:2024050309", "2024-05-03T09:00"),
            ("D:20240503", "2024-05-03"),
            ("D:2024", "2024"),
            ("2024-05-03T09:00:00Z", "2024-05-03T09:00:00Z"),
        ] {
            assert_eq!(of_pdf(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(of_file_time(133_633_413_300_000_000).as_deref(), Some("2024-06-20T07:15:30Z"));
        assert_eq!(of_mail("Thu, 20 Jun 2024 09:15:30 +0200").as_deref(), Some("2024-06-20T09:15:30+02:00"));
        assert_eq!(of_fields(&[2024, 5, 3, 9, 7]).as_deref(), Some("2024-05-03T09:07"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        let no_dates = [
            "",
            "D:",
            "T",
            "-",
            "2024-13-01",
            "2024-02-30",
            "2024-05-03T25:00",
            "2024T09:10",
            "24-05-03",
            "+2024",
            "0000-01-01",
            "20240",
            "2024-05-03T09:00:00+99:00",
            "2024-05-03T09:00:00+02'é",
            "D:20240230",
            "D:2024+02",
            "D:19100",
            "D:2024050309000000",
            "D:20240503090000+é",
            "yesterday",
            "ä",
            "Mon Nov 16 12:00:00 2009",
            "99999999999999999999",
        ];
        for text in no_dates {
            assert_eq!((of_iso(text), of_pdf(text), of_mail(text)), (None, None, None), "{text}");
        }
        assert_eq!((of_file_time(0), of_file_time(u64::MAX)), (None, None));
        assert_eq!((of_fields(&[]), of_fields(&[0, 0, 0]), of_fields(&[2024, 300])), (None, None, None));
    }
}
