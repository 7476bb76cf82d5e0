//! The parts of a format code.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Literal(String),
    Digit(char),
    Point,
    Comma,
    Percent,
    /// True if positive exponents have a sign.
    Exponent(bool),
    Slash,
    /// `@`, the cell's text.
    Text,
    General,
    Year(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// Digits of a second behind its point.
    Fraction(usize),
    /// "AM" and "PM", or "A" and "P".
    Noon(bool),
    /// Hours, minutes or seconds that continue counting: `h`, `m` or `s`, and the number of digits.
    Elapsed(char, usize),
}

impl Token {
    pub fn is_date(&self) -> bool {
        use Token::*;
        matches!(self, Year(_) | Month(_) | Day(_) | Hour(_) | Minute(_) | Second(_) | Noon(_) | Elapsed(..))
    }
}
