//! Watched folders.

use casetrack_core::Action;
use casetrack_engine::watches::{LastSync, Schedule, WatchState, WatchStatus};

use super::format::{counted, one_line, push_fact, push_list, thousands, trimmed};
use super::marks::name;
use crate::Reader;

fn schedule(watch: &WatchStatus) -> &'static str {
    match watch.schedule {
        Schedule::OnChange => "on_change (2 seconds after the last change)",
        Schedule::Hourly => "hourly, and on change",
        Schedule::Daily => "daily, and on change",
        Schedule::Every6h => "every_6h, and on change",
        Schedule::Every12h => "every_12h, and on change",
        Schedule::Manual => "manual (only when a sync is asked for)",
    }
}

fn state(watch: &WatchStatus) -> String {
    let state = match watch.state {
        WatchState::Starting => "starting",
        WatchState::Watching => "watching",
        WatchState::Pending => "changes pending",
        WatchState::Syncing => "syncing",
        WatchState::Manual => "manual",
        WatchState::Paused => "paused",
        WatchState::FolderMissing => "folder missing",
        WatchState::AwaitingConfirmation => "waiting for confirmation",
        WatchState::Failing => "last sync failed; retrying in a minute",
    };
    watch.detail.as_ref().map_or_else(|| state.to_owned(), |detail| format!("{state}. {}", one_line(detail)))
}

/// `2026-11-22T10:00:00Z: 3 new, 1 changed`
fn last_sync(last: &LastSync) -> String {
    let counts = [
        (last.new, "new"),
        (last.changed, "changed"),
        (last.moved, "moved"),
        (last.removed, "removed"),
        (last.missing, "missing (kept)"),
        (last.gone_members, "no longer in a mailbox or archive (removed)"),
        (last.failed_count, "failed"),
        (last.unsupported, "in a format that is not read"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    let said = if said.is_empty() { "nothing changed".to_owned() } else { said.join(", ") };
    let problem = last.problem.as_ref().map(|problem| format!(" (ended early: {})", one_line(&problem.message)));
    format!("{}: {said}{}", last.finished_at, problem.unwrap_or_default())
}

fn facts(watch: &WatchStatus) -> String {
    let mut text = String::new();
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Collection", &one_line(&watch.collection));
    fact("Schedule", schedule(watch));
    fact(
        "Deleted",
        if watch.auto_remove_deleted {
            "documents of deleted files are removed"
        } else {
            "documents of deleted files are kept"
        },
    );
    if let Some(extensions) = &watch.file_extensions {
        fact("Files", &one_line(&extensions.join(", ")));
    }
    fact("State", &state(watch));
    fact("Last sync", &watch.last_sync.as_ref().map_or_else(|| "none yet".to_owned(), last_sync));
    if let Some(next) = watch.next_sync_at {
        fact("Next sync", &next.to_string());
    }
    if let Some(job) = watch.job_id {
        fact("Job", &job.to_string());
    }
    fact("Watch ID", &watch.watch_id.to_string());
    if let Some(last) = &watch.last_sync
        && !last.gone_member_paths.is_empty()
    {
        text.push_str("\n  No longer in a mailbox or archive:\n");
        let unnamed = last.gone_members.saturating_sub(last.gone_member_paths.len() as u64);
        let more = (unnamed > 0).then(|| format!("{} more in the report of job {}", thousands(unnamed), last.job_id));
        let lines = last.gone_member_paths.iter().map(|path| name(path).into_owned()).chain(more);
        push_list(&mut text, lines.collect::<Vec<_>>().into_iter(), usize::MAX);
    }
    if let Some(last) = &watch.last_sync
        && !last.failed.is_empty()
    {
        text.push_str("\n  Could not be read:\n");
        let unnamed = last.failed_count.saturating_sub(last.failed.len() as u64);
        let more = (unnamed > 0).then(|| format!("{} more in the report of job {}", thousands(unnamed), last.job_id));
        let lines = last.failed.iter().map(|line| one_line(line).into_owned()).chain(more);
        push_list(&mut text, lines.collect::<Vec<_>>().into_iter(), usize::MAX);
    }
    text
}

pub fn started(watch: &WatchStatus) -> String {
    let next = match watch.schedule {
        Schedule::Manual => "It is synced only when a sync is asked for.",
        _ => "The folder is being compared with the collection now; the list of watches shows its state.",
    };
    format!("Watching {}\n\n{}\n{next}", one_line(&watch.folder), facts(watch))
}

pub fn ended(watch: &WatchStatus) -> String {
    format!(
        "No longer watching {} for {}. Its documents stay in the collection.",
        one_line(&watch.folder),
        one_line(&watch.collection)
    )
}

pub fn changed(watch: &WatchStatus) -> String {
    trimmed(format!("Schedule changed: {}\n\n{}", one_line(&watch.folder), facts(watch)))
}

pub fn list(watches: &[WatchStatus], reader: Reader) -> String {
    let mut text = format!("Watches: {}\n", counted(watches.len() as u64, "folder"));
    if watches.is_empty() {
        let watch = reader.action(&Action::WatchFolder);
        text.push_str(&format!("\nNo folder is watched. Watch one with {watch}."));
    }
    for watch in watches {
        text.push_str(&format!("\n{}\n{}", one_line(&watch.folder), facts(watch)));
    }
    trimmed(text)
}
