//! The help of the whole program: commands in groups, and the first commands to try.

use std::fmt::Write as _;

use casetrack_text::terminal::{Layout, Paint, dress, strong};
use clap::Command;

/// Every command that people use, by purpose.
pub const GROUPS: &[(&str, &str)] = &[
    ("Begin", "start connect disconnect service doctor help"),
    ("Collections", "new collections rename close archive reopen delete export import migrate rights"),
    ("Vaults", "unlock lock vault"),
    ("Documents", "ingest sync watch unwatch watches documents unread tag inspect"),
    ("Find and read", "search ask show open similar page search-terms verify-quote verify-quotes evidence"),
    ("Compare", "compare redline versions threads changes hidden"),
    ("Overviews", "summary sheet obligations timeline entities references graph related clusters bates"),
    ("Files on the disk", "files space"),
    ("Upkeep", "verify repair reindex index-status stats compact jobs stop"),
    ("A team server", "serve users"),
    ("Assistants and programs", "mcp call models eval completions man"),
];

/// The command line with its commands in groups. A command that is in no group is listed at the end, so that none is lost.
pub fn grouped(command: Command, columns: usize) -> Command {
    let known: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
    let others = visible.filter(|name| !known.contains(name)).collect::<Vec<_>>().join(" ");
    let mut list = String::new();
    for (heading, names) in GROUPS.iter().copied().chain([("More", others.as_str())]) {
        let mut entries = names.split(' ').filter_map(|name| command.find_subcommand(name)).peekable();
        if entries.peek().is_none() {
            continue;
        }
        let _ = writeln!(list, "\u{1b}[1;4m{heading}\u{1b}[0m");
        for entry in entries {
            let about = entry.get_about().map(ToString::to_string).unwrap_or_default();
            list.push_str(&item(entry.get_name(), about.lines().next().unwrap_or_default(), columns));
        }
        list.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\u{1b}[1;4mOptions for every command\u{1b}[0m\n{{options}}\
         {{after-help}}"
    ))
}

/// `  name          purpose`, wrapped below itself.
fn item(name: &str, about: &str, columns: usize) -> String {
    const NAME: usize = 14;
    let look = Layout { columns, paint: Paint::None };
    let text = dress(&format!("{}{about}", strong("")), Layout { columns: columns.saturating_sub(NAME + 3), ..look });
    let mut lines = text.lines();
    let mut item = format!(
        "  \u{1b}[1m{name}\u{1b}[0m{:1$} {2}\n",
        "",
        NAME.saturating_sub(name.len()),
        lines.next().unwrap_or_default()
    );
    for line in lines {
        let _ = writeln!(item, "{:1$} {line}", "", NAME + 2);
    }
    item
}

/// The output of `casetrack` without arguments: five lines, and the next steps.
pub const WELCOME: &str = "CaseTrack searches your documents on your machine, and cites every passage.\n\
    \n\
    \u{20} casetrack start FOLDER     make a folder a collection, connect assistants\n\
    \u{20} casetrack search WORDS     find passages, with the exact place of each\n\
    \u{20} casetrack connect          connect AI assistants, or see which ones are here\n\
    \u{20} casetrack doctor           check the installation\n\
    \u{20} casetrack --help           all commands";
