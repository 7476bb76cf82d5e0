//! Conditions on entries, and their evaluation over all rows of a block, one column after another.

use super::block::Block;
use super::ids::Bits;
use super::image::Image;
use super::text::{Text, TextJudge};
use crate::entry::Kind;
use crate::query::TimeField;

/// A condition on entries. Ranges include both ends.
#[derive(Debug, Clone)]
pub enum Condition {
    All(Vec<Self>),
    Any(Vec<Self>),
    /// None of them is met.
    None(Vec<Self>),
    Kind(Kind),
    Text(Text),
    /// Bytes.
    Size(Option<u64>, Option<u64>),
    /// Bytes that the file system has set aside.
    Allocated(Option<u64>, Option<u64>),
    /// Nanoseconds since 1970. Only the times of the last change of content and of anything are known to the image.
    Time(TimeField, Option<i64>, Option<i64>),
}

impl Condition {
    /// The condition that every entry meets.
    pub const ALWAYS: Self = Self::All(Vec::new());

    pub(super) fn judge(&self, image: &Image) -> Judge<'_> {
        match self {
            Self::All(conditions) => Judge::All(judges(conditions, image)),
            Self::Any(conditions) => Judge::Any(judges(conditions, image)),
            Self::None(conditions) => Judge::None(judges(conditions, image)),
            Self::Kind(kind) => Judge::Kind(*kind),
            Self::Text(text) => Judge::Text(Box::new(text.judge(image))),
            Self::Size(min, max) => Judge::Size(min.unwrap_or(0), max.unwrap_or(u64::MAX)),
            Self::Allocated(min, max) => Judge::Allocated(min.unwrap_or(0), max.unwrap_or(u64::MAX)),
            Self::Time(TimeField::Modified, min, max) => Judge::Modified(time(*min, *max)),
            Self::Time(TimeField::Changed, min, max) => Judge::Changed(time(*min, *max)),
            Self::Time(..) => Judge::Any(Vec::new()),
        }
    }
}

fn time(min: Option<i64>, max: Option<i64>) -> (i64, i64) {
    (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX))
}

/// The cheapest come first: the others skip the entries that these reject.
fn judges<'a>(conditions: &'a [Condition], image: &Image) -> Vec<Judge<'a>> {
    let mut judges: Vec<Judge<'a>> = conditions.iter().map(|condition| condition.judge(image)).collect();
    judges.sort_by_key(|judge| match judge {
        Judge::Kind(_) | Judge::Size(..) | Judge::Allocated(..) | Judge::Modified(_) | Judge::Changed(_) => 0,
        Judge::Text(judge) => 1 + judge.cost(),
        Judge::All(_) | Judge::Any(_) | Judge::None(_) => u8::MAX,
    });
    judges
}

/// A condition that is ready for many entries of one image. Ranges include both ends.
pub(super) enum Judge<'a> {
    All(Vec<Self>),
    Any(Vec<Self>),
    None(Vec<Self>),
    Kind(Kind),
    Text(Box<TextJudge<'a>>),
    Size(u64, u64),
    Allocated(u64, u64),
    Modified((i64, i64)),
    Changed((i64, i64)),
}

impl Judge<'_> {
    /// Keeps the rows of a block that meet the condition.
    pub fn keep(&self, image: &Image, block: &Block, places: &mut Bits) {
        if places.is_empty() {
            return;
        }
        match self {
            Self::All(judges) => judges.iter().for_each(|judge| judge.keep(image, block, places)),
            Self::Any(judges) => {
                let mut none = places.clone();
                drop_all(judges, image, block, &mut none);
                places.drop_all(&none);
            }
            Self::None(judges) => drop_all(judges, image, block, places),
            Self::Kind(kind) => places.keep_where(&block.kinds, |one| one == *kind),
            Self::Text(judge) => judge.keep(image, block, places),
            Self::Size(min, max) => places.keep_where(&block.sizes, |size| (*min..=*max).contains(&size)),
            Self::Allocated(min, max) => places.keep_where(&block.allocated, |size| (*min..=*max).contains(&size)),
            Self::Modified((min, max)) => places.keep_where(&block.modified, |time| (*min..=*max).contains(&time)),
            Self::Changed((min, max)) => places.keep_where(&block.changed, |time| (*min..=*max).contains(&time)),
        }
    }
}

/// Removes the rows that meet one of the conditions.
fn drop_all(judges: &[Judge<'_>], image: &Image, block: &Block, places: &mut Bits) {
    for judge in judges {
        let mut met = places.clone();
        judge.keep(image, block, &mut met);
        places.drop_all(&met);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::super::block::Row;
    use super::super::block::tests::row;
    use super::super::ids::block_of;
    use super::super::{Field, Match};
    use super::*;

    /// Entries of several blocks; many have a size, a time, an extension or the start of a name in common.
    pub fn image(random: &mut fastrand::Rng) -> Image {
        let mut image = Image::default();
        for id in 0..20_000 {
            // Blocks have gaps.
            if random.u8(..) > 200 {
                continue;
            }
            let kind = *random.choice(&[Kind::File, Kind::File, Kind::Link]).unwrap();
            let (size, modified) = (random.u64(..50), random.i64(-20..20));
            let ends = [".pdf", ".PDF", ".txt", ""];
            let name = format!("{}{}", ["Common start ", "b"][random.usize(..2)], random.u32(..3_000));
            let name = format!("{name}{}", random.choice(&ends).unwrap());
            let block = image.blocks.entry(block_of(id)).or_default();
            Arc::make_mut(block).push(&Row { kind, size, allocated: 50 - size, modified, ..row(id) }, name.as_bytes());
        }
        for block in image.blocks.values_mut() {
            *block = Arc::new(Block::clone(block).completed(0));
        }
        image
    }

    type IsMet = Box<dyn Fn(&Row, &str) -> bool>;

    fn single(random: &mut fastrand::Rng) -> (Condition, IsMet) {
        let (low, high, time) = (random.u64(..50), random.u64(..50), random.i64(-20..20));
        let number = random.u32(..1_000).to_string();
        let text = |field, how, text: &str| Condition::Text(Text::new(field, how, text, false).unwrap());
        match random.u8(..8) {
            7 => (
                Condition::Allocated(Some(low), Some(high)),
                Box::new(move |row, _| (low..=high).contains(&row.allocated)),
            ),
            0 => (Condition::Kind(Kind::Link), Box::new(|row, _| row.kind == Kind::Link)),
            1 => (Condition::Size(Some(low), None), Box::new(move |row, _| row.size >= low)),
            2 => (Condition::Size(Some(low), Some(high)), Box::new(move |row, _| row.size >= low && row.size <= high)),
            3 => (Condition::Time(TimeField::Modified, None, Some(time)), Box::new(move |row, _| row.modified <= time)),
            4 => (Condition::Time(TimeField::Accessed, None, None), Box::new(|_, _| false)),
            5 => (
                text(Field::Extension, Match::Equals, "pdf"),
                Box::new(|_, name| name.to_lowercase().ends_with(".pdf")),
            ),
            _ => (text(Field::Name, Match::Contains, &number), Box::new(move |_, name| name.contains(&number))),
        }
    }

    #[test]
    fn a_condition_keeps_the_rows_that_meet_it() {
        let mut random = fastrand::Rng::with_seed(6);
        let image = image(&mut random);
        for _ in 0..60 {
            let mut several = || -> (Vec<Condition>, Vec<IsMet>) {
                let count = random.usize(..4);
                (0..count).map(|_| single(&mut random)).unzip()
            };
            let ((any, one_is_met), (all, each_is_met), (none, this_is_met)) = (several(), several(), several());
            let condition = Condition::All(vec![Condition::Any(any), Condition::All(all), Condition::None(none)]);
            let judge = condition.judge(&image);
            for block in image.blocks.values() {
                let mut kept = block.places(block.ids());
                judge.keep(&image, block, &mut kept);
                let met = |place: &usize| {
                    let (row, name) = (block.row(*place), std::str::from_utf8(block.name(*place)).unwrap());
                    one_is_met.iter().any(|is_met| is_met(&row, name))
                        && each_is_met.iter().all(|is_met| is_met(&row, name))
                        && !this_is_met.iter().any(|is_met| is_met(&row, name))
                };
                let expected: Vec<usize> = (0..block.len()).filter(met).collect();
                assert_eq!(kept.iter().collect::<Vec<_>>(), expected, "{condition:?}");
            }
        }
    }
}
