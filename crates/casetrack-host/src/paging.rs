//! Parts of long lists, so that no answer grows with the collection.

use std::ops::RangeInclusive;

use casetrack_core::{Error, Result};

/// Refuses a number outside its range, with the name of its parameter.
pub fn check_range(name: &str, value: u32, range: RangeInclusive<u32>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(format!("{name} is {value}; it must be between {} and {}.", range.start(), range.end())))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// Items before the part.
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<T> {
    pub items: Vec<T>,
    pub total: u64,
    /// The offset of the next part; `None` at the end of the list.
    pub next_offset: Option<u64>,
}

impl Paging {
    pub const ALL: Self = Self { offset: 0, limit: u32::MAX };

    pub fn end(self) -> usize {
        (self.offset as usize).saturating_add(self.limit as usize)
    }

    pub fn of<T>(self, items: Vec<T>) -> Part<T> {
        let total = items.len() as u64;
        let end = u64::from(self.offset) + u64::from(self.limit);
        let items = items.into_iter().skip(self.offset as usize).take(self.limit as usize).collect();
        Part { items, total, next_offset: (end < total).then_some(end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_to_the_end() {
        let part = |offset| Paging { offset, limit: 2 }.of(vec!['a', 'b', 'c', 'd', 'e']);
        assert_eq!(part(0), Part { items: vec!['a', 'b'], total: 5, next_offset: Some(2) });
        assert_eq!(part(4), Part { items: vec!['e'], total: 5, next_offset: None });
        assert_eq!(part(9), Part { items: vec![], total: 5, next_offset: None });
        assert_eq!(Paging::ALL.of(vec!['a']).next_offset, None);
    }
}
