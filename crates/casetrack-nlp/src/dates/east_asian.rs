//! Days in Chinese, Japanese and Korean, also by the year of an era: "令和5年4月1日", "2023年4月1日".

use casetrack_core::Mention;

use super::{DateParts, mention};

word_lists! {
    /// The year before the first of an era.
    ERAS: map = "dates/eras.txt";
}

pattern_table! {
    "dates/east-asian.toml":
    DAY,
}

/// The days of a text, in text order.
pub(crate) fn find(text: &str) -> Vec<Mention> {
    // Their letters have three bytes, of which the first is 0xE3 or more.
    if !text.bytes().any(|byte| (0xe3..=0xed).contains(&byte)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut known, mut chars) = (0, 0u32);
    for written in DAY.captures_iter(text) {
        let Some(all) = written.get(0) else { continue };
        let number = |name: &str| written.name(name).and_then(|part| number(part.as_str()));
        let of_era = || {
            let before: i16 = ERAS.get(written.name("era")?.as_str())?.parse().ok()?;
            number("of_era").filter(|year| *year > 0)?.checked_add(before)
        };
        let year = number("year").or_else(of_era).filter(|year| (1600..2200).contains(year));
        let small = |name: &str| number(name).and_then(|part| i8::try_from(part).ok());
        let joined = text[..all.start()].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '.'));
        let parts = year.zip(small("month")).zip(small("day")).filter(|_| !joined);
        let value = parts.and_then(|((year, month), day)| DateParts::day(year, month, day)?.value());
        let Some(value) = value else { continue };
        let count = |from: usize, to: usize| text[from..to].chars().count() as u32;
        let start = chars + count(known, all.start());
        (known, chars) = (all.end(), start + count(all.start(), all.end()));
        found.push(mention(start, chars, value, None));
    }
    found
}

/// The value of digits or of numerals: "５", "十二", "二〇二三", "元" for the first year of an era.
fn number(written: &str) -> Option<i16> {
    if written == "元" {
        return Some(1);
    }
    if let Some((tens, ones)) = written.split_once('十') {
        let tens = if tens.is_empty() { 1 } else { number(tens).filter(|tens| *tens < 10)? };
        let ones = if ones.is_empty() { 0 } else { number(ones).filter(|ones| *ones < 10)? };
        return Some(tens * 10 + ones);
    }
    written.chars().try_fold(0i16, |sum, c| {
        let digit = match c {
            '0'..='9' => c as u32 - '0' as u32,
            '０'..='９' => c as u32 - '０' as u32,
            '〇' | '零' => 0,
            _ => "一二三四五六七八九".chars().position(|numeral| numeral == c)? as u32 + 1,
        };
        sum.checked_mul(10)?.checked_add(digit as i16)
    })
}

#[cfg(test)]
mod tests {
    use casetrack_core::EntityValue;

    use super::*;

    #[test]
    fn days_are_read_by_years_and_by_eras() {
        for (text, days) in [
            ("契約日：令和5年4月1日", vec!["2023-04-01"]),
            ("令和５年１０月３１日から令和六年三月三十一日まで", vec!["2023-10-31", "2024-03-31"]),
            ("令和元年5月1日", vec!["2019-05-01"]),
            ("平成31年4月30日", vec!["2019-04-30"]),
            ("昭和 64 年 1 月 7 日", vec!["1989-01-07"]),
            ("中華民國112年5月20日", vec!["2023-05-20"]),
            ("2023年4月1日", vec!["2023-04-01"]),
            ("二〇二三年十二月十日", vec!["2023-12-10"]),
            ("2023년 4월 1일", vec!["2023-04-01"]),
            ("2024年1月15号", vec!["2024-01-15"]),
            ("2023年2月30日 令和5年13月1日 5年4月1日 A2023年4月1日 2023年4月", vec![]),
        ] {
            let found = find(text);
            let read: Vec<String> = found
                .iter()
                .map(|day| match &day.value {
                    Some(EntityValue::Date(date)) => date.first.clone(),
                    _ => String::new(),
                })
                .collect();
            assert_eq!(read, days, "{text}");
        }
        let places = find("（令和5年4月1日）").into_iter().map(|day| (day.char_start, day.char_end));
        assert_eq!(places.collect::<Vec<_>>(), [(1, 9)]);
    }
}
