use casetrack_core::Relation;

use crate::tokens::{Gap, Tokens};

/// Maximum words between the verb and the title.
const REACH: usize = 12;

word_lists! {
    /// Words that may be between the verb and its object.
    BETWEEN: set = "references/relation-words.txt";
}

/// The relation that the words next to a reference state, in the active voice: "as amended by" is no statement about
/// this document.
pub fn relation(tokens: &Tokens, first: usize, end: usize) -> Option<Relation> {
    let attached = matches!(tokens.word(end), "attached" | "enclosed" | "annexed");
    if attached && matches!(tokens.word(end + 1), "hereto" | "herewith" | "as" | "to") {
        return Some(Relation::Attaches);
    }
    for at in (first.saturating_sub(REACH)..first).rev() {
        if tokens.gap(at + 1) == Gap::Paragraph || at + 1 < first && tokens.starts_sentence(at + 1) {
            return None;
        }
        let word = tokens.word(at);
        let found = match word {
            "amends" | "amending" | "modifies" | "modifying" => Some(Relation::Amends),
            "amend" | "modify" if before(tokens, at, &["hereby", "to", "shall", "parties"]) => Some(Relation::Amends),
            "amendment" | "addendum" if of_this(tokens, at) => Some(Relation::Amends),
            "supersedes" | "superseding" | "replaces" | "replacing" => Some(Relation::Supersedes),
            "supersede" | "replace" if before(tokens, at, &["to", "shall", "will", "hereby"]) => {
                Some(Relation::Supersedes)
            }
            "response" | "reply" | "answer" | "responds" | "responding" | "replying" if tokens.word(at + 1) == "to" => {
                Some(Relation::RespondsTo)
            }
            "attaching" | "enclosing" => Some(Relation::Attaches),
            // "Attached is", "the attached …", "we have enclosed", but not "attached to", "attached hereto,"
            "attached" | "enclosed" | "annexed"
                if at + 1 == first
                    || matches!(tokens.word(at + 1), "is" | "are" | "please" | "find" | ":")
                    || before(tokens, at, &["have", "has"]) =>
            {
                Some(Relation::Attaches)
            }
            _ => None,
        };
        let quiet = tokens.is_number(at) || matches!(tokens.symbol(at), ',' | '.' | '“' | '"' | ':' | '#');
        if found.is_some() {
            return found;
        }
        if !quiet && !BETWEEN.contains(word) {
            return None;
        }
    }
    None
}

/// "this Amendment to", "this Second Amendment to", "this Amendment No. 2 to".
fn of_this(tokens: &Tokens, at: usize) -> bool {
    let to = (at + 1..at + 5).any(|at| tokens.word(at) == "to");
    to && (before(tokens, at, &["this"]) || tokens.word(at.wrapping_sub(2)) == "this")
}

fn before(tokens: &Tokens, at: usize, words: &[&str]) -> bool {
    words.contains(&tokens.word(at.wrapping_sub(1)))
}

/// True if two references are neighbours in a list, so that a statement about the first applies to the second.
pub fn is_listed(tokens: &Tokens, end: usize, first: usize) -> bool {
    end < first
        && first - end <= 3
        && (end..first).all(|at| tokens.symbol(at) == ',' || matches!(tokens.word(at), "and" | "the" | "or"))
}
