/// A number in small Roman digits; one that they are not used for, in decimal digits.
pub fn roman(mut number: u32) -> String {
    const VALUES: [u32; 13] = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
    const DIGITS: [&str; 13] = ["m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"];
    if number == 0 || number > 32_767 {
        return number.to_string();
    }
    let mut text = String::new();
    for (value, digits) in VALUES.into_iter().zip(DIGITS) {
        while number >= value {
            text.push_str(digits);
            number -= value;
        }
    }
    text
}

/// The value of a number in Roman digits of one case, up to 399: prefaces are not longer.
pub fn value(text: &str) -> Option<u32> {
    if text.chars().any(char::is_uppercase) && text.chars().any(char::is_lowercase) {
        return None;
    }
    let digits: Option<Vec<i32>> = text
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            'i' => Some(1),
            'v' => Some(5),
            'x' => Some(10),
            'l' => Some(50),
            'c' => Some(100),
            _ => None,
        })
        .collect();
    let digits = digits.filter(|digits| (1..=12).contains(&digits.len()))?;
    let signed = digits.iter().zip(digits.iter().skip(1).chain([&0]));
    let sum: i32 = signed.map(|(digit, next)| if digit < next { -digit } else { *digit }).sum();
    u32::try_from(sum).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roman_numbers() {
        for (text, number) in [("iv", Some(4)), ("XII", Some(12)), ("xlix", Some(49)), ("mix", None), ("Ix", None)] {
            assert_eq!(value(text), number, "{text}");
        }
    }
}
