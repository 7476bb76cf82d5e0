//! Every second query of a set: parameters chosen on one half are tested on the other.

use std::str::FromStr;

use casetrack_core::{DocumentId, Error};
use casetrack_engine::eval::{Hit, Judgements};

/// Which queries, by their numbers from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Even,
    Odd,
}

impl FromStr for Half {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "even" => Ok(Self::Even),
            "odd" => Ok(Self::Odd),
            _ => Err(Error::invalid(format!("\"{text}\" is not one of even, odd"))),
        }
    }
}

pub struct HalfOf {
    pub whole: Box<dyn Judgements>,
    pub half: Half,
}

impl HalfOf {
    fn first(&self) -> usize {
        usize::from(self.half == Half::Odd)
    }

    fn number(&self, number: usize) -> usize {
        2 * number + self.first()
    }
}

impl Judgements for HalfOf {
    fn queries(&self) -> usize {
        (self.whole.queries() + 1 - self.first()) / 2
    }

    fn query(&self, number: usize) -> (&str, Option<DocumentId>) {
        self.whole.query(self.number(number))
    }

    fn measures(&self) -> &'static [&'static str] {
        self.whole.measures()
    }

    fn measure(&self, number: usize, ranking: &[Hit]) -> Vec<f64> {
        self.whole.measure(self.number(number), ranking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Five;

    impl Judgements for Five {
        fn queries(&self) -> usize {
            5
        }

        fn query(&self, number: usize) -> (&str, Option<DocumentId>) {
            (["a", "b", "c", "d", "e"][number], None)
        }

        fn measures(&self) -> &'static [&'static str] {
            &[]
        }

        fn measure(&self, number: usize, _: &[Hit]) -> Vec<f64> {
            vec![number as f64]
        }
    }

    #[test]
    fn both_halves_are_the_whole() {
        let queries = |half| {
            let half = HalfOf { whole: Box::new(Five), half };
            let of = |n| (half.query(n).0.to_owned(), half.measure(n, &[])[0]);
            (0..half.queries()).map(of).collect::<Vec<_>>()
        };
        let named = |name: &str, number| (name.to_owned(), number);
        assert_eq!(queries(Half::Even), [named("a", 0.0), named("c", 2.0), named("e", 4.0)]);
        assert_eq!(queries(Half::Odd), [named("b", 1.0), named("d", 3.0)]);
    }
}
