//! Names of laws that are often cited, and how the codes of the states of the United States are abbreviated.

use std::sync::LazyLock;

use crate::words::pairs;

/// The words of a name in lower case, and what they stand for.
type Names = Vec<(Vec<&'static str>, &'static str)>;

fn names(list: &'static str) -> Names {
    pairs(list).map(|(words, name)| (words.split(' ').collect(), name)).collect()
}

/// Laws by their normalised names. Of those that begin with the same word, the longest first.
pub static LAWS: LazyLock<Names> = LazyLock::new(|| names(include_str!("../../data/references/laws.txt")));

/// The first words of a state, in full or abbreviated (a final point may follow), and its abbreviation of the Bluebook
/// (21st edition, table T10).
pub static STATES: LazyLock<Names> = LazyLock::new(|| names(include_str!("../../data/references/state-codes.txt")));

/// Words in the names of codes and their abbreviation (the Bluebook, table T1).
pub static TOPICS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| pairs(include_str!("../../data/references/code-topics.txt")).collect());
