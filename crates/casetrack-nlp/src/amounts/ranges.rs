//! Ranges whose ends share a currency or a word such as "million": "between $5 and $7 million", "EUR 2-3 million", "10 to 15%".

use super::cells::{Distance, is_label};
use super::decimal::{Digits, of_money, scale_at};
use super::{Amount, Reader, currency};
use crate::tokens::Gap;

/// Words behind the second end that it does not count.
const NOT_COUNTED: &[&str] = &[
    "per",
    "each",
    "a",
    "an",
    "and",
    "or",
    "in",
    "for",
    "depending",
    "plus",
    "annually",
    "monthly",
    "shall",
    "is",
    "are",
    "will",
    "as",
    "if",
    "on",
    "by",
    "of",
    "at",
    "may",
    "with",
    "that",
    "which",
    "due",
    "payable",
    "net",
    "gross",
    "every",
    "including",
    "excluding",
    "when",
];

/// One end of a range.
struct End {
    first: usize,
    /// The token after it.
    end: usize,
    digits: Digits,
    /// The power of ten of a word such as "million".
    scale: Option<u32>,
    unit: Option<Unit>,
}

#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    power: i32,
    /// True if it is written before the number.
    leads: bool,
}

/// The text between the ends of a range.
struct Joint {
    /// The first token of the second end.
    next: usize,
    dash: bool,
    spaced: bool,
    or: bool,
}

impl Reader<'_> {
    /// Both ends of the range that begins here, if one of them has its currency or its "million" from the other.
    pub(super) fn range_at(&self, at: usize) -> Option<[Amount; 2]> {
        let low = self.end_at(at)?;
        let joint = self.joint(&low)?;
        let mut high = self.end_at(joint.next)?;
        // "£5-10m": the letter needs the currency of the first end
        if let (None, None, Some(unit)) = (high.unit, high.scale, low.unit.filter(|unit| unit.leads))
            && let Some((power, end)) = scale_at(self.tokens, high.end, Some(unit.name))
        {
            (high.scale, high.end) = (Some(power), end);
        }
        let shares_scale = low.scale.is_none() && high.scale.is_some();
        let unit = match (low.unit, high.unit) {
            (None, Some(unit)) if !unit.leads && !self.is_numbered(low.first, &joint) => unit,
            (Some(unit), None) if unit.leads && self.is_whole(&high, &joint) => unit,
            (Some(low), Some(high))
                if low.name == high.name && low.power == high.power && !joint.or && shares_scale =>
            {
                low
            }
            _ => return None,
        };
        let value = |end: &End| self.settled(&end.digits, unit.name);
        // "$500 to $1 million"
        let is_below = value(&low).is_below(&value(&high));
        let scale = if shares_scale && is_below { high.scale } else { low.scale };
        let amount = |end: &End, scale: Option<u32>| {
            let value = value(end).shifted(scale.unwrap_or(0).min(15) as i32 + unit.power);
            Amount { first: end.first, end: end.end, value, unit: unit.name }
        };
        let ends = [amount(&low, scale), amount(&high, high.scale)];
        ends[0].value.is_below(&ends[1].value).then_some(ends)
    }

    /// A number with its own scale and unit, if it has them.
    fn end_at(&self, at: usize) -> Option<End> {
        let tokens = self.tokens;
        if tokens.is_number(at) {
            if self.is_joined(at) {
                return None;
            }
            let digits = of_money(tokens, at)?;
            let unit = |found: Option<(&'static str, i32, usize)>| {
                found.map(|(name, power, end)| (Unit { name, power, leads: false }, end))
            };
            let mut scale = None;
            let mut found = unit(self.unit_after(at, digits.end));
            let mut end = digits.end;
            if found.is_none() {
                let scaled = scale_at(tokens, end, None).or_else(|| {
                    let letters = scale_at(tokens, end, Some(""));
                    letters.filter(|(_, end)| currency::after(tokens, self.conventions, at, *end).is_some())
                });
                if let Some((power, after)) = scaled {
                    (scale, end) = (Some(power), after);
                    found = unit(self.unit_after(at, after));
                }
            }
            let end = found.map_or(end, |(_, end)| end);
            return Some(End { first: at, end, digits, scale, unit: found.map(|(unit, _)| unit) });
        }
        let before = currency::before(tokens, self.conventions, at).filter(|before| !before.doubtful)?;
        let next = before.next;
        let joined = at > 0 && tokens.glued(at) && tokens.is_word(at) && tokens.is_word(at - 1);
        if joined || !tokens.is_number(next) || tokens.gap(next) > Gap::Space {
            return None;
        }
        if !currency::leads(tokens, self.free, at, next, self.conventions) {
            return None;
        }
        let digits = of_money(tokens, next)?;
        let (scale, end) = match scale_at(tokens, digits.end, Some(before.unit)) {
            Some((power, end)) => (Some(power), end),
            None => (None, digits.end),
        };
        let unit = Unit { name: before.unit, power: before.power as i32, leads: true };
        Some(End { first: at, end, digits, scale, unit: Some(unit) })
    }

    /// The words that join an end to the next one: a dash, "to", "or", or "and" behind "between".
    fn joint(&self, low: &End) -> Option<Joint> {
        let tokens = self.tokens;
        let (at, next) = (low.end, low.end + 1);
        let dash = matches!(tokens.symbol(at), '-' | '–' | '—' | '−' | '~');
        let or = tokens.word(at) == "or";
        let between = || (1..=3).any(|back| tokens.word(low.first.wrapping_sub(back)) == "between");
        let word = matches!(tokens.word(at), "to" | "or") || tokens.word(at) == "and" && between();
        let farthest = if dash { Distance::Space } else { Distance::Line };
        let near = |at: usize| Distance::of(tokens.between(at)) <= farthest;
        let spaced = !(tokens.glued(at) && tokens.glued(next));
        ((dash || word) && near(at) && near(next)).then_some(Joint { next, dash, spaced, or })
    }

    /// True if the number at this token numbers something: "Phase 1 - 5,000 USD", "Sections 2 to 5".
    fn is_numbered(&self, at: usize, joint: &Joint) -> bool {
        let tokens = self.tokens;
        let begins = tokens.gap(at) >= Gap::Line;
        let named =
            at > 0 && tokens.is_capitalized(at - 1) && !matches!(tokens.word(at - 1), "from" | "between" | "of" | "at");
        is_label(tokens.text(), tokens.bytes(at).0) || joint.dash && joint.spaced && (begins || named)
    }

    /// True if the second end does not count the word after it: not "$500 to 2 employees".
    fn is_whole(&self, high: &End, joint: &Joint) -> bool {
        let tokens = self.tokens;
        let next = high.end;
        !tokens.is_word(next)
            || tokens.gap(next) >= Gap::Line
            || joint.dash && high.scale.is_some()
            || NOT_COUNTED.contains(&tokens.word(next))
    }
}
