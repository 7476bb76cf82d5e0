//! Links between answers and messages if headers do not give them: by quotations, else by subject, people and dates.

use std::collections::HashMap;

use super::forest::{Forest, ThreadLink};
use super::message::{Message, address};
use super::sources::Source;

/// Days after which an answer is not taken for one by its subject only; chosen with `benches/facts/threads.py`, whose
/// mailbox answers within three days, to leave people time.
const MAX_DAYS: i64 = 60;
/// The same for an answer that names a message which is missing: it goes to this conversation only if that message was part of it, too.
const MAX_DAYS_TO_MISSING: i64 = 14;
/// Messages with the same subject that an answer is compared with, the latest before it.
const MAX_COMPARED: usize = 200;

/// Links the trees whose first message quotes one of another tree, or seems to answer one. `sources` and `node_of` are by message.
pub(super) fn guess(forest: &mut Forest, messages: &[&Message], sources: &[Vec<Source>], node_of: &[usize]) {
    for lead in leads(forest, messages) {
        let quoted = sources[lead.message].iter().filter_map(|source| Some((source.depth, source.message?))).min();
        if let Some((depth, quoted)) = quoted {
            by_quotation(forest, &lead, depth, node_of[quoted]);
        }
    }
    let mut by_subject: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| !message.subject.base.is_empty()) {
        by_subject.entry(&message.subject.base).or_default().push(at);
    }
    by_subject.values_mut().for_each(|found| found.sort_by_key(|&at| (messages[at].time, at)));
    for lead in leads(forest, messages) {
        let message = messages[lead.message];
        let Some(same) = by_subject.get(message.subject.base.as_str()).filter(|_| message.subject.is_reply) else {
            continue;
        };
        let end = same.partition_point(|&at| messages[at].time <= message.time);
        let compared = same[..end].iter().rev().take(MAX_COMPARED).copied();
        let root = lead.root;
        let names_missing = forest.nodes[root].messages.is_empty();
        let days = if names_missing { MAX_DAYS_TO_MISSING } else { MAX_DAYS };
        let seems_answered = |at: &usize| {
            *at != lead.message && forest.root(node_of[*at]) != root && may_answer(message, messages[*at], days)
        };
        let found: Vec<usize> = compared.filter(seems_answered).collect();
        // The last one by a recipient of the answer, else the last of all.
        let recipients: Vec<String> = message.recipients().map(address).collect();
        let is_to = |at: &&usize| messages[**at].sender().is_some_and(|sender| recipients.contains(&sender));
        let last = found.first().filter(|_| !names_missing);
        if let Some(&answered) = found.iter().find(is_to).or(last) {
            forest.link(root, node_of[answered], ThreadLink::Subject);
        }
    }
}

struct Lead {
    root: usize,
    message: usize,
}

/// For each tree, by time; without its first message, the first that is there.
fn leads(forest: &Forest, messages: &[&Message]) -> Vec<Lead> {
    let mut first: HashMap<usize, usize> = HashMap::new();
    for node in 0..forest.nodes.len() {
        let Some(&message) = forest.nodes[node].messages.first() else { continue };
        let root = forest.root(node);
        let is_root = |at: usize| forest.nodes[root].messages.first() == Some(&at);
        let before = first.entry(root).or_insert(message);
        let earlier =
            (!is_root(message), messages[message].time, message) < (!is_root(*before), messages[*before].time, *before);
        if earlier {
            *before = message;
        }
    }
    let mut leads: Vec<Lead> = first.into_iter().map(|(root, message)| Lead { root, message }).collect();
    leads.sort_by_key(|lead| (messages[lead.message].time, lead.message));
    leads
}

/// Puts the tree of a message below the one that it quotes.
fn by_quotation(forest: &mut Forest, lead: &Lead, depth: u32, quoted: usize) {
    if forest.root(quoted) == lead.root {
        return;
    }
    // The headers name a message that is missing, and the text quotes one that has no id: they are the same.
    let root = &forest.nodes[lead.root];
    let is_named = depth == 1 && root.messages.is_empty() && forest.nodes[quoted].id.is_none();
    let parents = |node: &super::forest::Node| node.parent.map(|(parent, _)| parent);
    let answers_root =
        forest.nodes.iter().any(|node| node.messages.contains(&lead.message) && parents(node) == Some(lead.root));
    if is_named && answers_root {
        let id = root.id.clone();
        for node in &mut forest.nodes {
            if let Some((parent, _)) = node.parent.as_mut().filter(|(parent, _)| *parent == lead.root) {
                *parent = quoted;
            }
        }
        forest.nodes[quoted].id = id;
        return;
    }
    forest.link(lead.root, quoted, ThreadLink::Quotation);
}

/// True if a person who had the other message may have sent this one in answer.
fn may_answer(message: &Message, other: &Message, days: i64) -> bool {
    let in_time = match (other.time, message.time) {
        (Some(before), Some(time)) => (0..=days * 86_400_000).contains(&(time.0 - before.0)),
        _ => true,
    };
    let Some(sender) = message.sender().filter(|_| in_time) else { return false };
    other.people().any(|person| address(person) == sender)
}

#[cfg(test)]
mod tests {
    use super::super::header_links::linked;
    use super::super::message::tests::message;
    use super::super::sources::sources;
    use super::*;

    /// Threads with the names of their messages, by depth; `?` stands for missing ones.
    fn threads(messages: &[Message]) -> Vec<String> {
        let messages: Vec<&Message> = messages.iter().collect();
        let (mut forest, node_of) = linked(&messages);
        guess(&mut forest, &messages, &sources(&messages), &node_of);
        let shown = |&(at, depth): &(usize, u32)| {
            let node = &forest.nodes[at];
            let copies: Vec<String> = node.messages.iter().map(usize::to_string).collect();
            let name =
                if copies.is_empty() { format!("?{}", node.id.clone().unwrap_or_default()) } else { copies.join("=") };
            let how = match node.parent {
                Some((_, ThreadLink::Quotation)) => "q",
                Some((_, ThreadLink::Subject)) => "s",
                _ => "",
            };
            format!("{depth}:{name}{how}")
        };
        let mut threads: Vec<String> =
            forest.trees().iter().map(|tree| tree.iter().map(shown).collect::<Vec<_>>().join(" ")).collect();
        threads.sort();
        threads
    }

    fn plain(from: &str, to: &str, day: u32, subject: &str, ids: [&str; 2]) -> Message {
        message(from, to, &format!("2024-06-{day:02}T10:00:00Z"), subject, ids, "")
    }

    #[test]
    fn ids_make_trees_with_missing_messages_and_without_circles() {
        let found = threads(&[
            plain("ann", "bob", 1, "Rent", ["a", ""]),
            plain("bob", "ann", 3, "Re: Rent", ["b", "a"]),
            plain("carl", "ann", 2, "Re: Rent", ["c", "a"]),
            plain("ann", "bob", 4, "Re: Rent", ["d", "a gone b"]),
            // Its parent is missing, and the one before that is not.
            plain("bob", "ann", 5, "Re: Rent", ["e", "a c lost"]),
            // A circle, and a message that refers to itself.
            plain("x", "y", 1, "Loop", ["l1", "l2"]),
            plain("y", "x", 2, "Loop", ["l2", "l1"]),
            plain("x", "y", 3, "Self", ["s", "s"]),
            // Copies, and another message with the same id.
            plain("ann", "bob", 1, "Rent", ["a", ""]),
            plain("eve", "bob", 1, "Something else", ["a", ""]),
        ]);
        assert_eq!(found, ["0:0=8 1:2 2:?lost 3:4 1:1 2:3 1:?gone", "0:5 1:6", "0:7", "0:9",]);
    }

    #[test]
    fn the_order_of_files_changes_nothing() {
        let messages = [
            plain("ann", "bob", 1, "Rent", ["a", ""]),
            plain("bob", "ann", 2, "Re: Rent", ["b", "a"]),
            plain("ann", "bob", 3, "Re: Rent", ["c", "x a b"]),
            plain("bob", "ann", 4, "AW: Rent", ["", ""]),
        ];
        assert_eq!(threads(&messages), ["0:?x 1:0 2:1 3:2 4:3s"]);
        let mut turned = messages.to_vec();
        turned.reverse();
        assert_eq!(threads(&turned), ["0:?x 1:3 2:2 3:1 4:0s"]);
    }

    #[test]
    fn subjects_join_what_belongs_together_and_nothing_else() {
        let found = threads(&[
            plain("ann@x", "bob@x", 1, "Invoice", ["", ""]),
            plain("bob@x", "ann@x", 2, "AW: Invoice", ["", ""]),
            plain("bob@x", "carl@x", 3, "WG: AW: Invoice", ["", ""]),
            // The same subject, but no answer.
            plain("ann@x", "bob@x", 4, "Invoice", ["", ""]),
            // An answer among other people.
            plain("dora@x", "eve@x", 5, "Re: Invoice", ["", ""]),
            // The people of the first, but before it.
            plain("bob@x", "ann@x", 1, "Re: Offer", ["", ""]),
            plain("ann@x", "bob@x", 2, "Offer", ["", ""]),
            // Far too late.
            message("bob@x", "ann@x", "2026-01-01", "Re: Invoice", ["", ""], ""),
        ]);
        assert_eq!(found, ["0:0 1:1s 2:2s", "0:3", "0:4", "0:5", "0:6", "0:7"]);
    }

    #[test]
    fn quotations_join_what_ids_do_not() {
        let first = "The rent of the mill is due on the first Friday of each month.";
        let quoting = format!("Agreed.\n> {first}");
        let day = |day: u32| format!("2024-06-{day:02}");
        let found = threads(&[
            message("ann", "bob", &day(1), "Rent", ["a", ""], first),
            message("zoe", "yan", &day(2), "Something", ["b", ""], &quoting),
            // The headers name a message that was filed without its id.
            message(
                "carl",
                "bob",
                &day(3),
                "Barn",
                ["", ""],
                "The barn may be used by both of us until the end of March.",
            ),
            message(
                "bob",
                "carl",
                &day(4),
                "Re: Barn",
                ["d", "lost"],
                "> The barn may be used by both of us\n> until the end of March.\nFine.",
            ),
            // The message answered is missing, but quotes one that is there.
            message(
                "yan",
                "ann",
                &day(5),
                "Re: Other",
                ["e", "gone"],
                &format!("> Never mind what I said.\n>> {first}"),
            ),
        ]);
        assert_eq!(found, ["0:0 1:1q 1:?goneq 2:4", "0:2 1:3"]);
    }
}
