//! Serial numbers as dates and times.

use super::token::Token;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// The day after 9999-12-31, the last that Excel knows.
const END: f64 = 2_958_466.0;
/// Days from 1900-01-00 to 1904-01-01.
const DAYS_TO_1904: f64 = 1462.0;

/// A date, and a time of day in units of a second's fraction.
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

/// `None` for what is no date.
pub(super) fn show(tokens: &[Token], number: f64, epoch_1904: bool) -> Option<String> {
    let is_elapsed = tokens.iter().any(|token| matches!(token, Token::Elapsed(..)));
    let sign = if is_elapsed && number < 0.0 { "-" } else { "" };
    let number = if is_elapsed { number.abs() } else { number };
    let number = if epoch_1904 && !is_elapsed { number + DAYS_TO_1904 } else { number };
    if !(0.0..END).contains(&number) {
        return None;
    }
    let digits = tokens.iter().map(|token| if let Token::Fraction(digits) = token { *digits } else { 0 }).max();
    let moment = Moment::of(number, digits.unwrap_or(0).min(6) as u32);
    let by_noon = tokens.iter().any(|token| matches!(token, Token::Noon(_)));
    let mut shown = sign.to_owned();
    for token in tokens {
        shown.push_str(&moment.part(token, by_noon));
    }
    Some(shown)
}

impl Moment {
    fn of(number: f64, digits: u32) -> Self {
        let scale = 10u64.pow(digits);
        let elapsed = (number * 86_400.0 * scale as f64).round() as u64;
        let days = elapsed / (86_400 * scale);
        // A time that rounds up to midnight shows it, on the same day.
        let time = elapsed % (86_400 * scale);
        let (year, month, day) = match days {
            0 => (1900, 1, 0),
            // Excel takes 1900 for a leap year.
            60 => (1900, 2, 29),
            days => civil(if days < 60 { days + 1 } else { days }),
        };
        let weekday = ((days + 6) % 7) as u32;
        Self { year, month, day, weekday, time, elapsed, scale }
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
                let name = MONTHS[(self.month as usize - 1) % 12];
                match digits {
                    1 | 2 => padded(self.month.into(), *digits),
                    3 => name[..3].to_owned(),
                    5 => name[..1].to_owned(),
                    _ => name.to_owned(),
                }
            }
            Token::Day(digits @ (1 | 2)) => padded(self.day.into(), *digits),
            Token::Day(3) => DAYS[self.weekday as usize % 7][..3].to_owned(),
            Token::Day(_) => DAYS[self.weekday as usize % 7].to_owned(),
            Token::Hour(digits) => padded(if by_noon { (hour + 11) % 12 + 1 } else { hour }, (*digits).min(2)),
            Token::Minute(digits) => padded(seconds / 60 % 60, *digits),
            Token::Second(digits) => padded(seconds % 60, (*digits).min(2)),
            Token::Fraction(digits) => {
                let fraction = padded(self.time % self.scale, self.scale.ilog10() as usize);
                format!(".{}", &fraction[..fraction.len().min(*digits)])
            }
            Token::Noon(long) => match (long, hour < 12) {
                (true, true) => "AM".into(),
                (true, false) => "PM".into(),
                (false, true) => "A".into(),
                (false, false) => "P".into(),
            },
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

/// Year, month and day of a day counted from 1899-12-30 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(days: u64) -> (u32, u32, u32) {
    // Days from 0000-03-01, the beginning of an era of 400 years, to 1899-12-30.
    let days = days + 693_899;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year as u32, month as u32, day as u32)
}
