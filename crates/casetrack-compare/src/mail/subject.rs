//! Subjects without the prefixes of replies and forwards.

use casetrack_core::single_spaced;

/// Before the colon, in lower case: English, German, French, Italian, Spanish, Dutch, Scandinavian and Polish programs.
const PREFIXES: [&str; 23] = [
    "re", "aw", "antw", "antwort", "sv", "vs", "rif", "odp", "réf", "ref", "fw", "fwd", "wg", "tr", "vb", "rv", "enc",
    "doorst", "回复", "答复", "转发", "回覆", "轉寄",
];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// In lower case, with white space folded.
    pub base: String,
    /// True if it marks the message as an answer or a forward of another.
    pub is_reply: bool,
}

impl Subject {
    pub fn parse(text: &str) -> Self {
        let text = single_spaced(text).to_lowercase();
        let (mut rest, mut is_reply) = (text.as_str(), false);
        loop {
            let after_list = without_list(rest);
            if let Some(after) = after_prefix(after_list) {
                (rest, is_reply) = (after, true);
                continue;
            }
            if after_list.len() == rest.len() {
                break;
            }
            rest = after_list;
        }
        if let Some(before) = rest.strip_suffix("(fwd)") {
            (rest, is_reply) = (before.trim_end(), true);
        }
        Self { base: rest.to_owned(), is_reply }
    }
}

/// The text behind the name of a mailing list in brackets, if more follows (RFC 5256, 2.1).
fn without_list(text: &str) -> &str {
    let inside = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inside.map(|(_, after)| after.trim_start()).filter(|after| !after.is_empty()).unwrap_or(text)
}

/// The text behind a prefix at the start: `Re:`, `RE :`, `Re[2]:`, `Re(2):`, `Re2:`, `回复：`.
fn after_prefix(text: &str) -> Option<&str> {
    let colon = text.find([':', '：'])?;
    let (before, after) = text.split_at(colon);
    let after = after.trim_start_matches([':', '：']).trim_start();
    let word =
        before.trim_end().trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^'));
    PREFIXES.contains(&word).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_put_before_a_subject_is_taken_away() {
        for text in [
            "Re: Lease  of the Mill",
            "AW: Re: WG: Lease of the Mill",
            "RE : TR: Lease of the Mill",
            "Re[2]: FW: Lease of the Mill",
            "[legal] Re: [legal] Lease of the Mill",
            "Antw: Lease of the Mill (fwd)",
            "回复：Lease of the Mill",
        ] {
            assert_eq!(Subject::parse(text), Subject { base: "lease of the mill".into(), is_reply: true }, "{text}");
        }
    }

    #[test]
    fn other_words_before_a_colon_stay() {
        for (text, base) in
            [("Reminder: rent", "reminder: rent"), ("I: rent", "i: rent"), ("[legal]", "[legal]"), ("", "")]
        {
            assert_eq!(Subject::parse(text), Subject { base: base.into(), is_reply: false }, "{text}");
        }
        assert_eq!(Subject::parse("Re:"), Subject { base: String::new(), is_reply: true });
    }
}
