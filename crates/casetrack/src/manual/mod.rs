//! `casetrack help`: how commands are called, and the documents in `docs/`, which the program carries.

mod render;

use std::process::ExitCode;

use casetrack_core::{Error, Result};
use casetrack_text::terminal::strong;
use clap::{Args, Command};
use serde_json::json;

use crate::options::Global;
use crate::output;

macro_rules! topics {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../docs/", $name, ".md")))),*]
    };
}

/// The documents of the book, in its order: the name, and the Markdown.
const TOPICS: &[(&str, &str)] = topics![
    "overview" "installing" "tutorial" "claude-desktop" "assistants" "add-documents" "search" "check-a-draft"
    "contract-table" "versions" "evidence" "workbench" "vault" "backup" "files" "limit-assistants" "team-server"
    "postgresql" "citus" "upgrading" "troubleshooting" "commands" "tools" "queries" "configuration" "formats" "limits"
    "glossary" "how-search-works" "how-documents-are-read" "guarantees" "security" "performance"
];

/// Explain a command or a topic
///
/// Without a name, lists the topics. If a command and a topic have the same name, shows both.
#[derive(Debug, Args)]
pub struct Help {
    /// A command (`search`, `models pull`) or a topic (`queries`, `troubleshooting`)
    #[arg(value_name = "COMMAND|TOPIC")]
    name: Vec<String>,
}

impl Help {
    pub fn run(self, global: &Global, command: Command) -> Result<ExitCode> {
        let name = self.name.join(" ");
        if name.is_empty() {
            let topics: Vec<_> =
                TOPICS.iter().map(|(name, text)| json!({"topic": name, "title": title(text)})).collect();
            output::print(&json!({"topics": topics}), global, |_| contents(global.look.is_some()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let usage = usage(command, &self.name);
        let topic = TOPICS.iter().find(|(topic, _)| *topic == name).map(|(_, text)| *text);
        if usage.is_none() && topic.is_none() {
            return Err(Error::invalid(format!(
                "There is no command and no topic \"{name}\". `casetrack help` lists the topics, `casetrack --help` the commands."
            )));
        }
        output::print(&json!({"usage": usage, "text": topic}), global, |_| {
            // A file gets the Markdown.
            let topic =
                topic.map(|text| global.look.map_or_else(|| text.to_owned(), |look| render::text(text, look.columns)));
            [usage.clone(), topic].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The help of a command, if there is such a command. Hidden commands have none.
fn usage(mut command: Command, names: &[String]) -> Option<String> {
    command.build();
    let mut found = &mut command;
    for name in names {
        found = found.find_subcommand_mut(name).filter(|command| !command.is_hide_set())?;
    }
    Some(found.render_long_help().to_string().trim_end().to_owned())
}

/// The first heading of a document.
fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

fn contents(is_dressed: bool) -> String {
    let heading = if is_dressed { strong("Topics") } else { "Topics".to_owned() };
    let mut lines = vec![heading, String::new()];
    lines.extend(TOPICS.iter().map(|(name, text)| format!("  {name:<26} {}", title(text))));
    lines.push(String::new());
    lines.push(
        "Read one with `casetrack help TOPIC`, such as `casetrack help search`. Commands: `casetrack --help`."
            .to_owned(),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topics_are_the_chapters_of_the_book() {
        let book = include_str!("../../../../docs/SUMMARY.md");
        let chapters: Vec<&str> =
            book.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(".md)")).collect();
        let topics: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
        assert_eq!(topics, chapters);
    }

    #[test]
    fn the_topics_that_the_help_names_exist() {
        let command = Help::augment_args(Command::new("help"));
        let argument = command.get_positionals().next().and_then(|argument| argument.get_help()).unwrap().to_string();
        let (_, examples) = argument.split_once("a topic").unwrap();
        let named: Vec<&str> = examples.split('`').skip(1).step_by(2).collect();
        assert!(
            !named.is_empty() && named.iter().all(|name| TOPICS.iter().any(|(topic, _)| topic == name)),
            "{named:?}"
        );
    }

    #[test]
    fn every_topic_has_a_title_and_fits_a_narrow_terminal() {
        for (name, text) in TOPICS {
            assert!(text.starts_with("# "), "{name}");
            let shown = render::text(text, 80);
            assert!(!shown.contains("]("), "{name} shows the target of a link: {shown}");
        }
    }
}
