//! Serial numbers as dates and times.

use jiff::ToSpan;
use jiff::civil::date;

use super::token::Token;

const MONTHS: &str = "January February March April May June July August September October November December";
const DAYS: &str = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday";
/// The day after 9999-12-31, the last day in Excel.
const END: f64 = 2_958_466.0;
/// Days from 1900-01-00 to 1904-01-01.
const DAYS_TO_1904: f64 = 1462.0;

struct Moment {
    year: u32,
    month: u32,
    day: u32,
    weekday: u32,
    /// In units of `1 / scale` seconds.
    time: u64,
    /// The same, from the beginning of all days.
    elapsed: u64,
    scale: u64,
}

/// `None` if it is not a date.
pub(super) fn show(tokens: &[Token], number: f64, epoch_1904: bool) -> Option<String> {
    let is_elapsed = tokens.iter().any(|token| matches!(token, Token::Elapsed(..)));
    let sign = if is_elapsed && number < 0.0 { "-" } else { "" };
    let number = if is_elapsed { number.abs() } else { number };
    let number = if epoch_1904 && !is_elapsed { number + DAYS_TO_1904 } else { number };
    if !(0.0..END).contains(&number) {
        return None;
    }
    let digits = tokens.iter().map(|token| if let Token::Fraction(digits) = token { *digits } else { 0 }).max();
    let moment = Moment::of(number, digits.unwrap_or(0).min(6) as u32)?;
    let by_noon = tokens.iter().any(|token| matches!(token, Token::Noon(_)));
    let mut shown = sign.to_owned();
    for token in tokens {
        shown.push_str(&moment.part(token, by_noon));
    }
    Some(shown)
}

impl Moment {
    fn of(number: f64, digits: u32) -> Option<Self> {
        let scale = 10u64.pow(digits);
        let elapsed = (number * 86_400.0 * scale as f64).round() as u64;
        let days = elapsed / (86_400 * scale);
        // A time that rounds up to midnight shows it, on the same day.
        let time = elapsed % (86_400 * scale);
        let (year, month, day) = match days {
            0 => (1900, 1, 0),
            // Excel takes 1900 for a leap year.
            60 => (1900, 2, 29),
            days => civil(if days < 60 { days + 1 } else { days })?,
        };
        let weekday = ((days + 6) % 7) as u32;
        Some(Self { year, month, day, weekday, time, elapsed, scale })
    }

    fn part(&self, token: &Token, by_noon: bool) -> String {
        let seconds = self.time / self.scale;
        let hour = seconds / 3600;
        let padded = |number: u64, digits: usize| format!("{number:0width$}", width = digits.min(20));
        match token {
            Token::Literal(text) => text.clone(),
            Token::Year(digits) if *digits <= 2 => format!("{:02}", self.year % 100),
            Token::Year(_) => self.year.to_string(),
            Token::Month(digits) => {
                let name = MONTHS.split(' ').nth(self.month as usize - 1).unwrap_or_default();
                match digits {
                    1 | 2 => padded(self.month.into(), *digits),
                    3 => name[..3].to_owned(),
                    5 => name[..1].to_owned(),
                    _ => name.to_owned(),
                }
            }
            Token::Day(digits @ (1 | 2)) => padded(self.day.into(), *digits),
            Token::Day(digits) => {
                let name = DAYS.split(' ').nth(self.weekday as usize).unwrap_or_default();
                if *digits == 3 { name[..3].to_owned() } else { name.to_owned() }
            }
            Token::Hour(digits) => padded(if by_noon { (hour + 11) % 12 + 1 } else { hour }, (*digits).min(2)),
            Token::Minute(digits) => padded(seconds / 60 % 60, *digits),
            Token::Second(digits) => padded(seconds % 60, (*digits).min(2)),
            Token::Fraction(digits) => {
                let fraction = padded(self.time % self.scale, self.scale.ilog10() as usize);
                format!(".{}", &fraction[..fraction.len().min(*digits)])
            }
            Token::Noon(long) => {
                let half = if hour < 12 { "AM" } else { "PM" };
                if *long { half } else { &half[..1] }.to_owned()
            }
            Token::Elapsed(unit, digits) => {
                let seconds = self.elapsed / self.scale;
                padded(
                    seconds / [("h", 3600), ("m", 60)].iter().find(|(u, _)| u.starts_with(*unit)).map_or(1, |u| u.1),
                    *digits,
                )
            }
            Token::Digit(digit) if *digit != '0' => String::new(),
            Token::Digit(_) => "0".into(),
            Token::Point => ".".into(),
            Token::Comma => ",".into(),
            Token::Percent => "%".into(),
            Token::Slash => "/".into(),
            Token::Exponent(_) | Token::Text | Token::General => String::new(),
        }
    }
}

/// Year, month and day of a day counted from 1899-12-30.
fn civil(days: u64) -> Option<(u32, u32, u32)> {
    let day = date(1899, 12, 30).checked_add(i64::try_from(days).ok()?.days()).ok()?;
    Some((day.year() as u32, day.month() as u32, day.day() as u32))
}
