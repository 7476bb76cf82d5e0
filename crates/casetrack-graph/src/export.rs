//! Entity graphs for programs that draw them.

use std::fmt::Write;

use super::{EntityGraph, GraphNode};

/// Graphviz: `dot`, `neato`.
pub fn to_dot(graph: &EntityGraph) -> String {
    let mut dot = String::from("graph entities {\n  node [shape=box];\n");
    for (id, GraphNode { entity, .. }) in graph.nodes.iter().enumerate() {
        let (name, kind) = (dot_escaped(&entity.name), entity.entity_type.name());
        // Writing to a string cannot fail.
        let _ = writeln!(
            dot,
            "  n{id} [label=\"{name}\", type=\"{kind}\", mentions={}, documents={}];",
            entity.mentions, entity.documents
        );
    }
    for edge in &graph.edges {
        let _ = writeln!(
            dot,
            "  n{} -- n{} [weight={:.4}, chunks={}];",
            edge.source, edge.target, edge.weight, edge.chunks
        );
    }
    dot.push_str("}\n");
    dot
}

/// GraphML (<http://graphml.graphdrawing.org>): yEd, Gephi, Cytoscape, NetworkX.
pub fn to_graphml(graph: &EntityGraph) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (id, of, of_type) in [
        ("name", "node", "string"),
        ("type", "node", "string"),
        ("mentions", "node", "long"),
        ("documents", "node", "long"),
        ("weight", "edge", "double"),
        ("chunks", "edge", "int"),
        ("example", "edge", "string"),
    ] {
        let _ = writeln!(xml, "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{id}\" attr.type=\"{of_type}\"/>");
    }
    xml.push_str("  <graph id=\"entities\" edgedefault=\"undirected\">\n");
    let data = |key: &str, value: &str| format!("<data key=\"{key}\">{value}</data>");
    for (id, GraphNode { entity, .. }) in graph.nodes.iter().enumerate() {
        let name = data("name", &xml_escaped(&entity.name));
        let kind = data("type", entity.entity_type.name());
        let counts = data("mentions", &entity.mentions.to_string()) + &data("documents", &entity.documents.to_string());
        let _ = writeln!(xml, "    <node id=\"n{id}\">{name}{kind}{counts}</node>");
    }
    for edge in &graph.edges {
        let weight = data("weight", &format!("{:.4}", edge.weight)) + &data("chunks", &edge.chunks.to_string());
        let example = data("example", &format!("{} chunk {}", edge.example.document, edge.example.chunk));
        let ends = format!("source=\"n{}\" target=\"n{}\"", edge.source, edge.target);
        let _ = writeln!(xml, "    <edge {ends}>{weight}{example}</edge>");
    }
    xml.push_str("  </graph>\n</graphml>\n");
    xml
}

/// For a quoted string of DOT, in which a backslash begins an escape.
fn dot_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// XML 1.0 allows no control characters, not even escaped.
fn xml_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(dot_escaped("A \"B\" \\ C\nD"), "A \\\"B\\\" \\\\ C D");
        assert_eq!(xml_escaped("R&D <\"x\">\u{0}"), "R&amp;D &lt;&quot;x&quot;&gt; ");
    }
}
