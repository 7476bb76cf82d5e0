//! Legacy form fields. The picture in their instruction holds their state.

use casetrack_pages::build::flow::is_reserved;
use casetrack_pages::container::ole::{u16_at, u32_at, utf16};

/// Fields without a result.
pub(super) const FORM_FIELDS: [&str; 2] = ["FORMCHECKBOX", "FORMDROPDOWN"];

const CHECK_BOX: u16 = 1;
const DROP_DOWN: u16 = 2;
const BY_DEFAULT: u16 = 25;

/// The text that a check box or a drop-down list shows: behind the head of a picture, FFData ([MS-DOC] 2.9.78).
pub(super) fn form_field(data: &[u8], place: u32) -> Option<String> {
    let at = place as usize;
    let field = data.get(at + usize::from(u16_at(data, at + 4)?)..)?;
    let bits = u16_at(field, 4)?;
    let kind = bits & 3;
    if u32_at(field, 0)? != u32::MAX || !matches!(kind, CHECK_BOX | DROP_DOWN) {
        return None;
    }
    // Length and size, the name with a zero behind it, then the default.
    let default = skip_text(field, 10)?;
    let state = match bits >> 2 & 0x1F {
        BY_DEFAULT => u16_at(field, default)?,
        state => state,
    };
    if kind == CHECK_BOX {
        return Some(if state == 1 { "☒" } else { "☐" }.to_owned());
    }
    // The format, the texts of help and of the status line, two macros, then the list: its marker, count and size of further data.
    let list = (0..5).try_fold(default + 2, |at, _| skip_text(field, at))?;
    let count = u32_at(field, list + 2)?;
    if u32::from(state) >= count {
        return None;
    }
    let more = usize::from(u16_at(field, list + 6)?);
    let entry = |at: usize| Some(at + 2 + 2 * usize::from(u16_at(field, at)?) + more);
    let at = (0..state).try_fold(list + 8, |at, _| entry(at))?;
    let chars = field.get(at + 2..at + 2 + 2 * usize::from(u16_at(field, at)?))?;
    Some(utf16(chars).replace(|c: char| is_reserved(c) || c.is_control(), " "))
}

/// The place behind a text with its length before it and a zero behind.
fn skip_text(field: &[u8], at: usize) -> Option<usize> {
    Some(at + 2 + 2 * (usize::from(u16_at(field, at)?) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FFData behind the head of a picture of six bytes.
    fn field(kind: u16, state: u16, default: u16, entries: &[&str]) -> Vec<u8> {
        let text = |text: &str, ends: bool| {
            let units: Vec<u16> = text.encode_utf16().collect();
            let length = [units.len() as u16];
            let end = [0].into_iter().filter(|_| ends);
            length.into_iter().chain(units).chain(end).flat_map(u16::to_le_bytes).collect::<Vec<_>>()
        };
        let short = |number: u16| number.to_le_bytes().to_vec();
        let mut data = [
            vec![0; 4],
            short(6),
            vec![0xFF; 4],
            short(kind | state << 2),
            vec![0; 4],
            text("Law", true),
            short(default),
        ]
        .concat();
        ["", "help", "", "", ""].iter().for_each(|part| data.extend(text(part, true)));
        data.extend([short(0xFFFF), (entries.len() as u32).to_le_bytes().to_vec(), short(0)].concat());
        entries.iter().for_each(|entry| data.extend(text(entry, false)));
        data
    }

    #[test]
    fn the_choice_and_the_state_are_shown() {
        let entries = ["England", "New York", "Norwegen – Østfold"];
        for (kind, state, default, shown) in [
            (DROP_DOWN, 2, 0, Some("Norwegen – Østfold")),
            (DROP_DOWN, 0, 2, Some("England")),
            (DROP_DOWN, BY_DEFAULT, 1, Some("New York")),
            (DROP_DOWN, 9, 0, None),
            (CHECK_BOX, 1, 0, Some("☒")),
            (CHECK_BOX, BY_DEFAULT, 1, Some("☒")),
            (CHECK_BOX, 0, 1, Some("☐")),
            (0, 0, 0, None),
        ] {
            let data = field(kind, state, default, &entries);
            assert_eq!(form_field(&data, 0).as_deref(), shown, "{kind} {state}");
            (0..data.len()).for_each(|length| drop(form_field(&data[..length], 0)));
        }
    }
}
