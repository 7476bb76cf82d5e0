use serde::Deserialize;

/// A set of characters, in the model's files a sorted flat list of the first and last code point of each range.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Vec<u32>")]
pub(super) struct CharSet {
    ascii: u128,
    ranges: Vec<(u32, u32)>,
}

impl From<Vec<u32>> for CharSet {
    fn from(flat: Vec<u32>) -> Self {
        let ranges: Vec<(u32, u32)> = flat.as_chunks().0.iter().map(|&[first, last]| (first, last)).collect();
        let ascii = (0..128).filter(|&code| within(&ranges, code)).fold(0, |bits, code| bits | 1 << code);
        Self { ascii, ranges }
    }
}

impl CharSet {
    pub fn contains(&self, c: char) -> bool {
        let code = u32::from(c);
        if code < 128 { self.ascii >> code & 1 == 1 } else { within(&self.ranges, code) }
    }

    /// True if the set has any character beyond ASCII.
    pub fn beyond_ascii(&self) -> bool {
        self.ranges.last().is_some_and(|&(_, last)| last >= 128)
    }
}

fn within(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after > 0 && ranges[after - 1].1 >= code
}

/// `str.isspace` of Python, which spaCy splits at: Unicode's white space and the separators 1C to 1F of ASCII.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}
