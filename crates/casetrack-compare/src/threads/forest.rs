//! Trees of messages. A message may be known only because others refer to it.

use casetrack_core::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// How it is known which message another one answers or forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadLink {
    /// By the ids in its headers.
    Headers,
    /// It quotes the other one.
    Quotation,
    /// By subject, people and dates; this is a guess.
    Subject,
}

/// A message of a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Node {
    /// Its id, if it is known.
    pub id: Option<String>,
    /// The documents that hold it, as numbers; none if it is missing.
    pub messages: Vec<usize>,
    pub parent: Option<(usize, ThreadLink)>,
    /// When it was sent, to order by.
    pub time: Option<Timestamp>,
}

#[derive(Debug, Default)]
pub(super) struct Forest {
    pub nodes: Vec<Node>,
}

impl Forest {
    pub fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Puts a message below another one that it answers, unless it has a place already or the other one is below it.
    pub fn link(&mut self, child: usize, parent: usize, link: ThreadLink) -> bool {
        let is_free = self.nodes[child].parent.is_none() && self.root(parent) != child;
        if is_free {
            self.nodes[child].parent = Some((parent, link));
        }
        is_free
    }

    pub fn root(&self, node: usize) -> usize {
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            at = parent;
        }
        at
    }

    /// The trees: each the numbers of its nodes with their depths, those that answer one below it in the order in which
    /// they were sent. Trees of missing messages only are left out.
    pub fn trees(&self) -> Vec<Vec<(usize, u32)>> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match node.parent {
                Some((parent, _)) => children[parent].push(at),
                None => roots.push(at),
            }
        }
        let order = self.order(&children, &roots);
        for answers in &mut children {
            answers.sort_by_key(|&at| (order[at].is_none(), order[at], at));
        }
        let mut trees = Vec::new();
        for root in roots {
            let (mut tree, mut waiting) = (Vec::new(), vec![(root, 0)]);
            while let Some((at, depth)) = waiting.pop() {
                tree.push((at, depth));
                waiting.extend(children[at].iter().rev().map(|&child| (child, depth + 1)));
            }
            if tree.iter().any(|&(at, _)| !self.nodes[at].messages.is_empty()) {
                trees.push(tree);
            }
        }
        trees
    }

    /// When each was sent; of a missing one, when the first below it was.
    fn order(&self, children: &[Vec<usize>], roots: &[usize]) -> Vec<Option<Timestamp>> {
        let (mut down, mut waiting) = (Vec::new(), roots.to_vec());
        while let Some(at) = waiting.pop() {
            down.push(at);
            waiting.extend(&children[at]);
        }
        let mut order: Vec<Option<Timestamp>> = self.nodes.iter().map(|node| node.time).collect();
        for at in down.into_iter().rev() {
            if order[at].is_none() {
                order[at] = children[at].iter().filter_map(|&child| order[child]).min();
            }
        }
        order
    }
}
