//! Runs of words that are written as a title: "Master Service Agreement", "Health Insurance Portability and Accountability Act".

use crate::tokens::{Gap, Tokens};

/// Maximum words in a title.
const LONGEST: usize = 14;

word_lists! {
    /// Words with a capital at the beginning of a sentence, or before a title, that are not part of it.
    LEADING: set = "references/leading.txt";
}

/// True if a title may continue from the previous word to this one.
fn continues(tokens: &Tokens, at: usize) -> bool {
    tokens.gap(at) <= Gap::Line
}

/// The title from a capitalised word to the first word that satisfies `head` and has no other word of a title after it:
/// where it begins, without words such as "The", and the token after the head.
pub fn title_at(tokens: &Tokens, at: usize, head: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let mut begin = at;
    let mut next = at;
    for _ in 0..LONGEST {
        if !tokens.is_capitalized(next) {
            return None;
        }
        let restarts = matches!(tokens.word(next), "the" | "this" | "these" | "each" | "any" | "such");
        if restarts || begin == next && LEADING.contains(tokens.word(next)) {
            begin = next + 1;
        }
        next += 1;
        if head(tokens.word(next - 1)) && !goes_on(tokens, next) {
            // "Lien of the Indenture", "Effective Date of the Credit Agreement"
            let of_the = (begin + 1..next)
                .rev()
                .find(|at| tokens.word(*at) == "the" && matches!(tokens.word(at - 1), "of" | "in" | "on"));
            begin = of_the.map_or(begin, |the| the + 1);
            return (next - begin >= 1 && begin < next).then_some((begin, next));
        }
        next = after_connectors(tokens, next)?;
    }
    None
}

/// True if another capitalised word follows at once: "Agreement Date" is not an agreement.
pub fn goes_on(tokens: &Tokens, at: usize) -> bool {
    tokens.is_capitalized(at)
        && tokens.gap(at) <= Gap::Space
        && !LEADING.contains(tokens.word(at))
        && !matches!(tokens.word(at), "no" | "version" | "v" | "section" | "article" | "dated" | "i" | "art")
}

/// The next word of a title after hyphens and small words: "Non-Disclosure", "Freedom of Information".
fn after_connectors(tokens: &Tokens, mut at: usize) -> Option<usize> {
    let hyphen = tokens.symbol(at) == '-' && tokens.glued(at) && tokens.glued(at + 1);
    if hyphen || tokens.symbol(at) == '&' && continues(tokens, at) {
        at += 1;
    } else {
        for _ in 0..2 {
            let small = matches!(tokens.word(at), "of" | "and" | "for" | "in" | "on" | "with")
                || tokens.word(at) == "the" && matches!(tokens.word(at.wrapping_sub(1)), "of" | "in" | "on");
            at += usize::from(small && continues(tokens, at));
        }
    }
    continues(tokens, at).then_some(at)
}

/// The words of a title with one space between those that white space separates.
pub fn spaced(tokens: &Tokens, first: usize, end: usize) -> String {
    let mut name = String::new();
    for at in first..end {
        if at > first && !tokens.glued(at) {
            name.push(' ');
        }
        name.push_str(tokens.surface(at));
    }
    name
}
