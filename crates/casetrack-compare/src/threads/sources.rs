//! The message that a quotation comes from, found by comparing its words with the own text of each message.

use std::collections::{HashMap, HashSet};

use super::message::Message;

/// Sequences that a quotation is looked up by: the smallest numbers, which are the same in any text that has them.
const PROBES: usize = 32;
/// Most messages with the same text, such as a notice at the end; beyond that the text does not identify a source.
const MAX_SAYING_SO: usize = 100;
/// Messages that a quotation is compared with as a whole.
const MAX_COMPARED: usize = 20;
/// Share of the sequences of a quotation that its source has. Programs wrap, mark and shorten quotations.
const LEAST_SHARE: f32 = 0.7;
/// Fewest sequences by which a message is found that headers do not name: "Thank you very much" is in many.
const LEAST_SEQUENCES: usize = 5;

/// The source of a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The depth of the quotation in its message.
    pub depth: u32,
    /// Words that are quoted.
    pub words: u32,
    /// `None` if no message has them.
    pub message: Option<usize>,
}

/// The sources of the quotations of each message, both in their order.
pub(super) fn sources(messages: &[&Message]) -> Vec<Vec<Source>> {
    let probes_of = |message: &Message| -> Vec<u64> {
        message.quoted.iter().flat_map(|(_, quoted)| quoted.iter().take(PROBES)).collect()
    };
    let probes: HashSet<u64> = messages.iter().flat_map(|message| probes_of(message)).collect();
    let mut saying: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        for hash in message.own.iter().filter(|hash| probes.contains(hash)) {
            let saying = saying.entry(hash).or_default();
            if saying.len() <= MAX_SAYING_SO {
                saying.push(at);
            }
        }
        if let Some(id) = &message.headers.message_id {
            by_id.entry(id).or_insert(at);
        }
    }
    let source = |at: usize, message: &Message, depth: u32, number: usize| {
        let quoted = &message.quoted[number].1;
        let referred: Vec<usize> = message.references().iter().filter_map(|id| by_id.get(id)).copied().collect();
        let mut votes: HashMap<usize, usize> = referred.iter().map(|&referred| (referred, 0)).collect();
        for saying in quoted
            .iter()
            .take(PROBES)
            .filter_map(|hash| saying.get(&hash))
            .filter(|saying| saying.len() <= MAX_SAYING_SO)
        {
            for &other in saying {
                *votes.entry(other).or_default() += 1;
            }
        }
        votes.remove(&at);
        let mut votes: Vec<(usize, usize)> = votes.into_iter().filter(|(_, votes)| *votes > 0).collect();
        votes.sort_by_key(|&(other, votes)| (std::cmp::Reverse(votes), other));
        let is_earlier = |other: usize| match (messages[other].time, message.time) {
            (Some(before), Some(time)) => before <= time,
            _ => true,
        };
        let compared = votes.into_iter().take(MAX_COMPARED).map(|(other, _)| {
            let share = quoted.share_in(&messages[other].own);
            (share, referred.contains(&other), is_earlier(other), std::cmp::Reverse(other))
        });
        let is_source = |&(share, is_referred, _, _): &(f32, bool, bool, _)| {
            share >= LEAST_SHARE && (is_referred || quoted.len() >= LEAST_SEQUENCES)
        };
        let best = compared.filter(is_source).max_by(|a, b| {
            // Nearly the same share decides nothing.
            let tenths = |share: f32| (share * 10.0) as u32;
            (tenths(a.0), a.1, a.2, a.3).cmp(&(tenths(b.0), b.1, b.2, b.3))
        });
        Source { depth, words: quoted.words, message: best.map(|(_, _, _, std::cmp::Reverse(other))| other) }
    };
    let of_message = |(at, message): (usize, &&Message)| {
        let quoted = message.quoted.iter().enumerate();
        quoted.map(|(number, (depth, _))| source(at, message, *depth, number)).collect()
    };
    messages.iter().enumerate().map(of_message).collect()
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    #[test]
    fn quotations_are_found_in_the_messages_that_say_them() {
        let first = "The rent of the mill is due on the first Friday of each month.";
        let messages = [
            message("ann", "bob", "2024-06-20", "Rent", ["m1", ""], first),
            // It only quotes it.
            message(
                "bob",
                "ann",
                "2024-06-21",
                "Re: Rent",
                ["m2", "m1"],
                &format!("Agreed, from next month on then, and thank you.\n> {first}"),
            ),
            message(
                "carl",
                "bob",
                "2024-06-22",
                "FW: Rent",
                ["m3", ""],
                &format!(
                    "See below.\n-----Original Message-----\nFrom: bob\nSent: Friday\nSubject: Re: Rent\n\nAgreed, from next month on then, and thank you.\n> {first}"
                ),
            ),
            message("dora", "bob", "2024-06-23", "Other", ["m4", ""], "> Nobody of us ever said a word of this."),
            message("dora", "bob", "2024-06-23", "Re: Rent", ["m5", "m2"], "> from next month\nNo."),
            message("dora", "bob", "2024-06-23", "Other", ["m6", ""], "> from next month\nNo."),
        ];
        let messages: Vec<&Message> = messages.iter().collect();
        let found: Vec<Vec<(u32, Option<usize>)>> = sources(&messages)
            .iter()
            .map(|sources| sources.iter().map(|source| (source.depth, source.message)).collect())
            .collect();
        assert_eq!(
            found,
            [
                vec![],
                vec![(1, Some(0))],
                vec![(1, Some(1)), (2, Some(0))],
                vec![(1, None)],
                // Three words are enough if the headers name the message.
                vec![(1, Some(1))],
                vec![(1, None)],
            ]
        );
    }

    #[test]
    fn of_messages_that_say_the_same_the_one_referred_to_is_the_source() {
        let text = "The rent of the mill is due on the first Friday of each month.";
        let messages = [
            message("ann", "bob", "2024-06-20", "Rent", ["m1", ""], text),
            message("ann", "carl", "2024-06-20", "Rent", ["m2", ""], text),
            message("carl", "ann", "2024-06-21", "Re: Rent", ["m3", "m2"], &format!("> {text}")),
        ];
        let messages: Vec<&Message> = messages.iter().collect();
        assert_eq!(sources(&messages)[2][0].message, Some(1));
    }
}
