//! Meetings of Outlook ([MS-OXOCAL]): the times and the place are in properties, and often nowhere in the text.

use super::item::id;
use super::properties::Properties;

/// Properties of the set for appointments, by their numbers in it (2.2.1).
mod lid {
    pub const LOCATION: u32 = 0x8208;
    pub const START: u32 = 0x820D;
    pub const END: u32 = 0x820E;
    pub const IS_ALL_DAY: u32 = 0x8215;
    pub const RECURRENCE: u32 = 0x8232;
    pub const TIME_ZONE: u32 = 0x8234;
}

/// Start and end that are not in the set, as older programs write them.
const OLD_TIMES: [u32; 2] = [0x0060, 0x0061];

/// The meeting that an item is about, in lines; `None` if it is about none.
pub(super) fn lines(item: &Properties) -> Option<String> {
    let class = item.string(id::MESSAGE_CLASS)?.to_ascii_lowercase();
    let kind = kind(&class)?;
    let named = |number: u32| item.named_id(number);
    let time =
        |number: u32, old: u32| named(number).and_then(|id| item.time(id)).or_else(|| item.time(old)).and_then(utc);
    let text = |number: u32| named(number).and_then(|id| item.string(id));
    let (start, end) = (time(lid::START, OLD_TIMES[0]), time(lid::END, OLD_TIMES[1]));
    let mut lines = vec![match item.string(id::SUBJECT) {
        Some(subject) => format!("{kind}: {subject}"),
        None => kind.to_owned(),
    }];
    if kind == "Cancellation" {
        lines.push("Status: cancelled".to_owned());
    }
    if let Some((day, clock)) = start {
        let end = end.map(|(last, to)| if last == day { format!(" to {to}") } else { format!(" to {last} {to}") });
        // The bounds of a whole day are midnight in the zone of the meeting.
        let all_day = named(lid::IS_ALL_DAY).is_some_and(|id| item.is_set(id));
        let all_day = if all_day { ", all day" } else { "" };
        lines.push(format!("When: {day} {clock}{} (UTC{all_day})", end.unwrap_or_default()));
        lines.extend(text(lid::TIME_ZONE).map(|zone| format!("Time zone of the meeting: {zone}")));
    }
    lines.extend(text(lid::RECURRENCE).map(|pattern| format!("Repeats: {pattern}")));
    lines.extend(text(lid::LOCATION).map(|place| format!("Where: {place}")));
    (lines.len() > 1).then(|| lines.join("\n"))
}

/// By the class of the item, in lower case: of MAPI, and of TNEF from before it.
fn kind(class: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 11] = [
        ("ipm.schedule.meeting.canceled", "Cancellation"),
        ("ipm.schedule.meeting.request", "Invitation"),
        ("ipm.schedule.meeting.resp.pos", "Acceptance of an invitation"),
        ("ipm.schedule.meeting.resp.neg", "Refusal of an invitation"),
        ("ipm.schedule.meeting.resp.tent", "Tentative acceptance of an invitation"),
        ("ipm.appointment", "Event"),
        ("ipm.microsoft schedule.mtgcncl", "Cancellation"),
        ("ipm.microsoft schedule.mtgreq", "Invitation"),
        ("ipm.microsoft schedule.mtgrespp", "Acceptance of an invitation"),
        ("ipm.microsoft schedule.mtgrespn", "Refusal of an invitation"),
        ("ipm.microsoft schedule.mtgrespa", "Tentative acceptance of an invitation"),
    ];
    KINDS.iter().find(|(start, _)| class.starts_with(start)).map(|(_, kind)| *kind)
}

/// Day and time of day.
fn utc(seconds: i64) -> Option<(String, String)> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    Some((time.strftime("%Y-%m-%d").to_string(), time.strftime("%H:%M").to_string()))
}
