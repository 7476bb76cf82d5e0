//! Resource sets, and the space of folders on the disk, as text for people.

use std::fmt::Write;

use casetrack_engine::plans::{PlanItem, PlanList, SourceList, StartedPlan};
use casetrack_engine::space::{
    EntryPage, JobList, ModifiedSet, SetDetails, SetList, SetSum, SpaceIndexed, UsageBranch, UsageTree,
};

use crate::format::{bytes, counted, entries, one_line, thousands};

/// Characters of the longest bar.
const BAR: usize = 20;

/// A tree of the largest, with bars for the shares of the whole.
pub fn usage(usage: &UsageTree) -> String {
    let tree = &usage.tree;
    let whole = usage.of(tree);
    let mut text = format!(
        "{}  {} in {} and {}\n",
        bytes(whole),
        one_line(&tree.path),
        counted(tree.files, "file"),
        counted(tree.directories, "folder")
    );
    push_children(&mut text, usage, tree, whole, 1);
    if usage.unreadable > 0 {
        let _ = writeln!(text, "Not counted, because they could not be read: {}.", thousands(usage.unreadable));
    }
    text
}

fn push_children(text: &mut String, usage: &UsageTree, branch: &UsageBranch, whole: u64, depth: usize) {
    for child in &branch.children {
        let end = if child.kind == "directory" { "/" } else { "" };
        push_line(text, usage.of(child), whole, depth, &format!("{}{end}", one_line(&child.name)));
        push_children(text, usage, child, whole, depth + 1);
    }
    if branch.others > 0 {
        let taken = if usage.metric == "allocated" { branch.others_allocated } else { branch.others_size };
        push_line(text, taken, whole, depth, &format!("({} more)", thousands(branch.others)));
    }
}

fn push_line(text: &mut String, taken: u64, whole: u64, depth: usize, name: &str) {
    let share = if whole == 0 { 0.0 } else { taken as f64 / whole as f64 };
    let bar = "█".repeat((share * BAR as f64).round() as usize);
    let indent = "  ".repeat(depth);
    let _ = writeln!(text, "{:>10}  {:>5.1} %  {bar:<BAR$}{indent}{name}", bytes(taken), share * 100.0);
}

pub fn sets(list: &SetList) -> String {
    if list.resource_sets.is_empty() {
        return "There are no resource sets. Make one with `casetrack space create NAME`.\n".to_owned();
    }
    let mut text = String::new();
    for set in &list.resource_sets {
        let below = match set.child_count {
            0 => String::new(),
            count => format!(", {} below it", counted(count, "set")),
        };
        let about = set.description.as_deref().map(|about| format!(": {}", one_line(about))).unwrap_or_default();
        let _ = writeln!(text, "{}  {}{below}{about}", one_line(&set.name), entries(set.entry_count));
    }
    text
}

pub fn created(set: &SetDetails) -> String {
    format!("Created the resource set {}.\n", one_line(&set.set.name))
}

pub fn modified(change: &ModifiedSet) -> String {
    let mut text = format!(
        "{}: {} added, {} removed; it has {} now.\n",
        one_line(&change.resource_set),
        thousands(change.added),
        thousands(change.removed),
        entries(change.entry_count)
    );
    for missing in &change.not_found {
        let _ = writeln!(text, "  {}: {}", one_line(&missing.path), one_line(&missing.reason));
    }
    text
}

pub fn sum(sum: &SetSum) -> String {
    let is_bytes = matches!(sum.metric.as_str(), "size" | "allocated");
    let shown = |value: u64| if is_bytes { bytes(value) } else { thousands(value) };
    let mut text = format!("{}  {} of {}\n", shown(sum.value), sum.metric, one_line(&sum.resource_set));
    for part in &sum.breakdown {
        let _ = writeln!(text, "{:>12}  {}", shown(part.value), one_line(&part.name));
    }
    push_notice(&mut text, sum.notice);
    text
}

pub fn found(page: &EntryPage) -> String {
    let mut text = match page.total_count {
        0 => "Nothing was found.\n".to_owned(),
        total if page.returned_count < total => {
            format!("{} of {}:\n\n", thousands(page.returned_count), entries(total))
        }
        total => format!("{}:\n\n", entries(total)),
    };
    for entry in &page.entries {
        let time = seconds(&entry.modified);
        let _ = writeln!(text, "{:>11}  {time}  {}", bytes(entry.size), one_line(&entry.path));
    }
    push_notice(&mut text, page.notice);
    text
}

/// A time without its fraction: `2026-11-29T04:13:49Z`.
fn seconds(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(seconds, _)| format!("{seconds}Z"))
}

fn push_notice(text: &mut String, notice: Option<&str>) {
    if let Some(notice) = notice {
        let _ = writeln!(text, "{notice}");
    }
}

/// The result of a job that indexed a folder.
pub fn indexed(done: &SpaceIndexed) -> String {
    format!(
        "Indexed {}: {}, {}, {}.\n",
        one_line(&done.root),
        counted(done.files.unwrap_or_default(), "file"),
        counted(done.directories.unwrap_or_default(), "folder"),
        bytes(done.total_size.unwrap_or_default())
    )
}

pub fn jobs(list: &JobList) -> String {
    if list.jobs.is_empty() {
        return "There are no such jobs.\n".to_owned();
    }
    let mut text = String::new();
    for job in &list.jobs {
        let error = job.error.as_deref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:>6}  {}, {:.0} %  {}  {}{error}",
            job.job_id,
            job.status,
            job.progress,
            one_line(&job.root),
            counted(job.files, "file")
        );
    }
    text
}

pub fn sources(list: &SourceList) -> String {
    if list.sources.is_empty() {
        return "There are no sources.\n".to_owned();
    }
    let mut text = String::new();
    for source in &list.sources {
        let error = source.last_error.as_deref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
        let (name, set) = (one_line(&source.name), one_line(&source.target_set));
        let _ = writeln!(text, "{name}  {} into {set}, {}{error}", source.kind, source.status);
    }
    text
}

pub fn planned(plan: &PlanItem) -> String {
    let name = one_line(&plan.name);
    format!("Created the plan {name}. Run it with `casetrack space run {name}`.\n")
}

pub fn plans(list: &PlanList) -> String {
    if list.plans.is_empty() {
        return "There are no plans.\n".to_owned();
    }
    let mut text = String::new();
    for plan in &list.plans {
        let about = plan.description.as_deref().map(|about| format!(": {}", one_line(about))).unwrap_or_default();
        let _ = writeln!(text, "{}  {}, {}{about}", one_line(&plan.name), plan.mode, plan.status);
    }
    text
}

pub fn started(run: &StartedPlan) -> String {
    format!("The plan {} runs (execution {}).\n", one_line(&run.plan_name), run.execution_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(name: &str, size: u64, children: Vec<UsageBranch>) -> UsageBranch {
        let kind = if children.is_empty() { "file" } else { "directory" };
        UsageBranch {
            path: format!("/{name}"),
            name: name.to_owned(),
            kind,
            size,
            allocated: size,
            files: 3,
            directories: 1,
            children,
            others: 0,
            others_size: 0,
            others_allocated: 0,
        }
    }

    #[test]
    fn a_tree_has_a_bar_for_each_share() {
        let deep = branch("deep", 750, vec![branch("a.bin", 750, Vec::new())]);
        let mut tree = branch("top", 1000, vec![deep]);
        (tree.others, tree.others_size) = (2, 250);
        let text = usage(&UsageTree { metric: "size".to_owned(), tree, unreadable: 1 });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("/top in 3 files and 1 folder"), "{text}");
        assert!(lines[1].contains("75.0 %  ███████████████       deep/"), "{text}");
        assert!(lines[2].ends_with("    a.bin") && lines[3].ends_with("█████                 (2 more)"), "{text}");
        assert!(lines[4].contains("could not be read: 1"), "{text}");
    }
}
