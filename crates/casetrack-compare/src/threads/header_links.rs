//! Links between messages and answers, by the ids in their headers, as in "Message Threading" (Jamie Zawinski 1997,
//! <https://www.jwz.org/doc/threading.html>), steps 1 and 2.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::forest::{Forest, Node, ThreadLink};
use super::message::Message;
use crate::mail::sequences::Sequences;

/// The parts that two copies of a message without an id have in common.
type Likeness<'m> = (Option<String>, &'m str, &'m str, &'m Sequences);

/// All messages, copies together, below those that their headers name; and the node of each message.
pub(super) fn linked(messages: &[&Message]) -> (Forest, Vec<usize>) {
    let mut forest = Forest::default();
    let mut node_of = vec![0; messages.len()];
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut by_likeness: HashMap<Likeness<'_>, usize> = HashMap::new();
    // Those with ids first, so that a copy without one is found to be a copy.
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_by_key(|&at| messages[at].headers.message_id.is_none());
    for at in order {
        let message = messages[at];
        let id = message.headers.message_id.as_deref();
        let known = match id {
            Some(id) => {
                by_id.get(id).copied().filter(|&node| is_copy(message, messages[forest.nodes[node].messages[0]]))
            }
            None => likeness(message).and_then(|likeness| by_likeness.get(&likeness).copied()),
        };
        let node = known
            .unwrap_or_else(|| forest.add(Node { id: id.map(str::to_owned), time: message.time, ..Node::default() }));
        if let Some(id) = id {
            by_id.entry(id).or_insert(node);
        }
        if let Some(likeness) = likeness(message) {
            by_likeness.entry(likeness).or_insert(node);
        }
        forest.nodes[node].messages.push(at);
        node_of[at] = node;
    }
    forest.nodes.iter_mut().for_each(|node| node.messages.sort_unstable());

    // The order that a message itself gives counts more than others' order, and the latest cannot be answered by those
    // before it: if ids go in a circle, the link of the earliest is left out.
    let mut latest: Vec<usize> = (0..messages.len()).collect();
    latest.sort_by_key(|&at| (Reverse(messages[at].time), at));
    let mut chains = Vec::new();
    for at in latest {
        let mut chain: Vec<usize> = Vec::new();
        for id in messages[at].references() {
            let node =
                *by_id.entry(id).or_insert_with(|| forest.add(Node { id: Some(id.to_owned()), ..Node::default() }));
            chain.push(node);
        }
        if let Some(&parent) = chain.last() {
            forest.link(node_of[at], parent, ThreadLink::Headers);
        }
        chains.push(chain);
    }
    for two in chains.iter().flat_map(|chain| chain.windows(2)) {
        forest.link(two[1], two[0], ThreadLink::Headers);
    }
    (forest, node_of)
}

/// True if two messages with one id are the same: programs that give ids twice give them to different messages.
fn is_copy(a: &Message, b: &Message) -> bool {
    a.sender() == b.sender() && (a.subject == b.subject || a.own == b.own)
}

fn likeness(message: &Message) -> Option<Likeness<'_>> {
    let date = message.date.as_deref()?;
    Some((message.sender(), date, &message.subject.base, &message.own))
}
