//! Cap on liability, payment terms, and the largest amounts.

use casetrack_core::{EntityType, EntityValue, single_spaced};

use super::text::{Text, contains_any, ends_sentence, last_chars, spans};
use super::{Fact, FactKind};

pattern_table! {
    "facts/money.toml":
    LIABLE, EXCEEDS, INSURANCE, NOT, DUE, AFTER_INVOICE, NET;
    MONEY_WORDS,
}

const CELL: usize = 240;
/// Most amounts of one document.
const AMOUNTS: usize = 5;

pub(crate) fn find(text: &Text<'_>) -> Vec<Fact> {
    cap(text).into_iter().chain(payment(text)).chain(amounts(text)).collect()
}

fn cap(text: &Text<'_>) -> Option<Fact> {
    let whole = text.text();
    let mut best: Option<(i32, Fact)> = None;
    for sentence in &text.sentences {
        let said = &whole[sentence.clone()];
        if !LIABLE.is_match(said) {
            continue;
        }
        for exceeds in EXCEEDS.find_iter(said) {
            let written = &said[..exceeds.start()];
            let insured = INSURANCE.find_iter(written).last();
            // "including, but not limited to"
            let is_list = NOT.is_match(written) && exceeds.as_str().to_lowercase().starts_with("limited to");
            if is_list || insured.is_some_and(|insured| !LIABLE.is_match(&written[insured.end()..])) {
                continue;
            }
            let before = written.to_lowercase();
            if !(before.contains("liab") || before.contains("damages")) {
                continue;
            }
            let rest = &said[exceeds.end()..];
            let stop = clause_end(rest);
            let value: String = single_spaced(&rest[..stop]);
            let folded = value.to_lowercase();
            if !(value.contains(['$', '€', '£']) || contains_any(&folded, &MONEY_WORDS)) {
                continue;
            }
            let score = 1
                + 2 * i32::from(before.contains("liability"))
                + i32::from(before.contains("aggregate") || before.contains("total") || before.contains("maximum"))
                + i32::from(before.contains("in no event"));
            let value: String = value.chars().take(CELL).collect();
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                let range = sentence.start + exceeds.start()..sentence.start + exceeds.end() + stop;
                best = Some((score, Fact::new(text, FactKind::LiabilityCap, value, range, (65 + 5 * score) as u8)));
            }
        }
    }
    best.map(|(_, fact)| fact)
}

/// The end of a clause: a semicolon, or a full stop that ends a sentence. "$1.5 million" and "U.S. $5,000" have no end.
fn clause_end(text: &str) -> usize {
    let ends = |&(at, sign): &(usize, &str)| {
        let next = text[at + 1..].chars().next();
        sign == ";" || next.is_none() || next.is_some_and(char::is_whitespace) && ends_sentence(text, at + 1)
    };
    text.match_indices(['.', ';']).find(ends).map_or(text.len(), |(at, _)| at)
}

fn payment(text: &Text<'_>) -> Option<Fact> {
    let whole = text.text();
    for sentence in &text.sentences {
        let said = &whole[sentence.clone()];
        if !DUE.is_match(said) {
            continue;
        }
        // "net 330,000" is a sum.
        let is_sum = |end: usize| {
            said[end..].starts_with([',', '.']) && said[end + 1..].starts_with(|c: char| c.is_ascii_digit())
        };
        if let Some(net) = NET.find_iter(said).find(|net| !is_sum(net.end())) {
            let range = sentence.start + net.start()..sentence.start + net.end();
            return Some(Fact::new(text, FactKind::PaymentTerms, net.as_str().replace('\n', " "), range, 85));
        }
        for span in spans(said) {
            let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
            let near = last_chars(before, 60).to_lowercase();
            if let Some(behind) = AFTER_INVOICE.find(after)
                && (near.contains("within") || near.contains("later than") || near.contains("due"))
                && DUE.is_match(&said[..span.range.start])
            {
                let range = sentence.start + span.range.start..sentence.start + span.range.end + behind.end();
                let value =
                    format!("{}{}", span.text(), behind.as_str().trim_start_matches([')', '\'']).replace('\n', " "));
                return Some(Fact::new(text, FactKind::PaymentTerms, value, range, 80));
            }
        }
    }
    None
}

fn amounts(text: &Text<'_>) -> Vec<Fact> {
    let annotations = text.annotations;
    let mut money: Vec<(f64, usize)> = Vec::new();
    for (number, entity) in annotations.entities.iter().enumerate() {
        if let (EntityType::Amount, Some(EntityValue::Amount(amount))) = (entity.entity_type, &entity.value)
            && amount.unit != "%"
            && let Ok(value) = amount.value.parse::<f64>()
        {
            money.push((value, number));
        }
    }
    money.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    money.truncate(AMOUNTS);
    let first = |number: usize| annotations.mentions.iter().find(|mention| mention.entity as usize == number);
    let fact = |(_, number): (f64, usize)| {
        let (mention, entity) = (first(number)?, &annotations.entities[number]);
        let Some(EntityValue::Amount(amount)) = &entity.value else { return None };
        let value = format!("{} {}", amount.unit, amount.value);
        Some(Fact::at(FactKind::Amount, value, mention.page, mention.char_start..mention.char_end, 90))
    };
    money.into_iter().filter_map(fact).collect()
}
