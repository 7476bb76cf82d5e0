//! Amounts in Chinese, Japanese and Korean: "1億2000万円", "人民币500万元", "５，０００円".

use casetrack_core::Mention;

use super::conventions::Conventions;
use super::decimal::Decimal;
use super::mention;

word_lists! {
    UNITS: map = "amounts/east-asian.txt";
}

pattern_table! {
    "amounts/east-asian.toml":
    AMOUNT, GROUP,
}

/// The text with half-width characters for the full-width ones of numbers, as many as before; `None` if it has none.
pub(super) fn narrow(text: &str) -> Option<String> {
    let wide = |c: char| matches!(c, '！'..='～' | '￥' | '￡' | '￦');
    // Each has the first byte 0xEF.
    if !text.as_bytes().contains(&0xef) || !text.chars().any(wide) {
        return None;
    }
    let mut narrowed = String::with_capacity(text.len());
    let mut digit = false;
    for c in text.chars() {
        narrowed.push(match c {
            // A comma between numbers of a sentence is no mark within one.
            '，' | '．' if !digit => c,
            '￥' => '¥',
            '￡' => '£',
            '￦' => '₩',
            '！'..='～' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
            c => c,
        });
        digit = matches!(c, '０'..='９');
    }
    Some(narrowed)
}

/// The amounts of a text that have a unit or a power of ten in these scripts.
pub(super) fn find(text: &str, conventions: &Conventions) -> Vec<Mention> {
    // Their letters have three bytes, of which the first is 0xE3 or more.
    if !text.bytes().any(|byte| (0xe3..=0xed).contains(&byte)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut known, mut chars) = (0, 0u32);
    for amount in AMOUNT.captures_iter(text) {
        let Some(all) = amount.get(0) else { continue };
        let joined =
            text[..all.start()].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | '/' | '-'));
        let unit = |name: &str| amount.name(name).map(|unit| unit.as_str());
        let (Some(value), Some(unit)) = (value(&amount["number"]), currency(unit("before"), unit("unit"), conventions))
        else {
            continue;
        };
        let scaled = amount["number"].ends_with(|c: char| !c.is_ascii());
        if joined || amount.name("unit").is_none() && !scaled {
            continue;
        }
        let count = |from: usize, to: usize| text[from..to].chars().count() as u32;
        let start = chars + count(known, all.start());
        (known, chars) = (all.end(), start + count(all.start(), all.end()));
        found.push(mention(start, chars, value, unit));
    }
    found
}

fn currency(before: Option<&str>, unit: Option<&str>, conventions: &Conventions) -> Option<&'static str> {
    let before = match before.map(str::trim_end) {
        None => None,
        Some("¥" | "￥") if unit.is_some() => None,
        Some("¥" | "￥") => Some(conventions.yen?),
        Some("$" | "US$") => Some("USD"),
        Some("HK$") => Some("HKD"),
        Some("NT$") => Some("TWD"),
        Some("€") => Some("EUR"),
        Some("RMB") => Some("CNY"),
        Some("USD") => Some("USD"),
        Some(name) => UNITS.get(name).copied(),
    };
    match (before, unit.and_then(|unit| UNITS.get(unit).copied())) {
        (Some(code), None | Some("yuan")) => Some(code),
        (None, Some("yuan")) => conventions.yuan,
        (None, unit) => unit,
        (Some(code), Some(unit)) => (code == unit).then_some(code),
    }
}

/// The value of groups of digits with their powers of ten: 120,000,000 for "1億2000万".
fn value(written: &str) -> Option<String> {
    let mut sum: Option<Decimal> = None;
    for group in GROUP.captures_iter(written) {
        let digits: String = group["digits"].chars().filter(|c| *c != ',').collect();
        let fraction = digits.find('.').map_or(0, |point| digits.len() - point - 1);
        let power: u32 = group["powers"].chars().filter_map(power).sum();
        let number = Decimal::new(digits.replace('.', ""), fraction).shifted(power.min(18) as i32);
        sum = Some(match sum {
            None => number,
            Some(sum) => sum.plus(&number)?,
        });
    }
    sum.map(|sum| sum.to_string())
}

fn power(c: char) -> Option<u32> {
    Some(match c {
        '十' => 1,
        '百' | '백' => 2,
        '千' | '천' => 3,
        '万' | '萬' | '만' => 4,
        '億' | '亿' | '억' => 8,
        '兆' | '조' => 12,
        _ => return None,
    })
}
