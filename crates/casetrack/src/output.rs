//! Output for people and scripts: text, JSON, errors, progress.

use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use casetrack_core::{Error, Progress as Event, Result};
use casetrack_text::Reader;
use casetrack_text::format::{one_line, visible};
use casetrack_text::terminal::dress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::options::Global;
use crate::pager;
use crate::redaction::marked_fields;
use crate::style::{self, ColorChoice};

/// Logs go to stderr: stdout belongs to results, and to the protocol in `mcp` mode.
pub fn init_logging(verbose: u8, quiet: bool) {
    let builder = tracing_subscriber::fmt().with_env_filter(filter(verbose, quiet)).with_writer(std::io::stderr);
    builder.with_target(false).with_ansi(std::io::stderr().is_terminal()).without_time().init();
}

fn filter(verbose: u8, quiet: bool) -> EnvFilter {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "casetrack=info,warn",
        (false, _) => "debug",
    };
    let mut filter = EnvFilter::try_from_env("CASETRACK_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // Below that level, the protocol's library logs whole requests, and a request may hold a password.
    if let Ok(directive) = "rmcp=warn".parse() {
        filter = filter.add_directive(directive);
    }
    filter
}

/// The owner of a data directory logs to a file and to its clients.
pub fn init_owner_logging(verbose: u8, log: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    let builder = tracing_subscriber::fmt().with_env_filter(filter(verbose.max(1), false)).with_writer(log);
    builder.with_target(false).with_ansi(false).fmt_fields(marked_fields()).init();
}

/// Prints a result: as JSON, or as the text that `text` makes of it, dressed for the terminal.
pub fn print<T: Serialize>(value: &T, global: &Global, text: impl FnOnce(&T) -> String) -> Result<()> {
    let text = Reader::CommandLine.result(value, global.json, |value| match global.look {
        Some(look) => dress(&text(value), look),
        None => text(value),
    })?;
    print_result(&text, !global.no_pager)
}

/// Prints a sentence next to a result, styled for the terminal; nothing in JSON.
pub fn say(text: &str, global: &Global) -> Result<()> {
    match global.look {
        _ if global.json => Ok(()),
        Some(look) => print_line(&dress(text, look)),
        None => print_line(text),
    }
}

/// Prints a result that may be long: through a pager, if that is wanted and the terminal is too short.
pub fn print_result(text: &str, may_page: bool) -> Result<()> {
    if may_page && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && pager::show(text) {
        return Ok(());
    }
    print_line(text)
}

/// Prints a line. It is not an error if the reader has gone (`| head`).
pub fn print_line(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// Prints an error: as JSON on stdout, or as text on stderr.
pub fn print_error(error: &Error, json: bool, color: ColorChoice) {
    if json {
        // If stdout is closed, no reader is left.
        let _ = print_line(&Reader::CommandLine.error_as_json(error));
        return;
    }
    let text = format!("error: {}", Reader::CommandLine.error(error));
    match style::of_messages(color) {
        Some(look) => eprintln!("{}", dress(&text, look)),
        None => eprintln!("{text}"),
    }
}

fn hidden_bar(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::hidden().with_style(style)
}

/// A finished file, on one line for any name, with the reason if it failed.
fn done(path: &Path, problem: Option<&str>) -> String {
    let path = path.display().to_string();
    let problem = problem.map(|problem| format!(": {}", one_line(problem)));
    format!("{}{}", one_line(&path), problem.unwrap_or_default())
}

/// Progress of a command: a bar on a terminal, one line per file elsewhere, nothing with `--quiet`.
pub struct Progress {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    file: String,
    /// Passages that were there when the bar appeared, and when that was.
    since: Option<(u64, Instant)>,
}

impl Progress {
    pub fn new(quiet: bool) -> Self {
        let bar = hidden_bar("{bar:20} {percent:>3} %  {pos} of {len} files  {prefix}{eta} left\n  {wide_msg}");
        Self { bar, terminal: std::io::stderr().is_terminal(), quiet, file: String::new(), since: None }
    }

    pub fn show(&mut self, event: Event) {
        if self.quiet {
            return;
        }
        match event {
            Event::Joined(totals) => {
                if let Some(files) = totals.total {
                    self.show(Event::Discovered { files });
                }
                self.bar.set_position(totals.files);
                // Earlier work is no measure for the speed of the rest.
                self.bar.reset_eta();
                self.since = Some((totals.chunks, Instant::now()));
            }
            Event::Discovered { files } => {
                if self.terminal && self.bar.is_hidden() {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                    self.bar.enable_steady_tick(Duration::from_millis(200));
                }
                self.bar.set_length(files);
                self.since.get_or_insert_with(|| (0, Instant::now()));
            }
            Event::ToEmbed { .. } => {}
            Event::Embedded { chunks } => {
                if let Some(rate) = self.rate(chunks) {
                    self.bar.set_prefix(rate);
                }
            }
            Event::Reading { path } => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                self.file = one_line(&name).into_owned();
                self.bar.set_message(self.file.clone());
            }
            Event::FileDone { path, problem, files, .. } => {
                self.bar.set_position(files);
                let is_failure = problem.is_some();
                let done = done(&path, problem.as_deref());
                if !self.terminal {
                    eprintln!("{files}/{} {done}", self.bar.length().unwrap_or(0));
                } else if is_failure {
                    self.line(&format!("failed: {done}"));
                }
            }
        }
    }

    /// The rate at which passages become searchable, once it can be estimated.
    fn rate(&self, chunks: u64) -> Option<String> {
        let (before, since) = self.since?;
        let seconds = since.elapsed().as_secs_f64();
        (seconds > 1.0).then(|| format!("{:.1} passages/s  ", chunks.saturating_sub(before) as f64 / seconds))
    }

    /// Prints a line to stderr above the bar.
    pub fn line(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a download: a bar on a terminal, lines elsewhere, nothing with `--quiet`.
pub struct DownloadProgress {
    bar: ProgressBar,
    quiet: bool,
    terminal: bool,
    name: String,
    /// Tenths that have been printed, if there is no bar.
    tenths: u64,
}

impl DownloadProgress {
    /// Larger steps are bytes found on disk, not received, so they do not count towards the speed.
    const LARGEST_STEP: u64 = 1 << 20;

    pub fn new(quiet: bool) -> Self {
        let template =
            "{bar:24} {decimal_bytes}/{decimal_total_bytes}  {decimal_bytes_per_sec}  {eta} left  {wide_msg}";
        let terminal = std::io::stderr().is_terminal();
        Self { bar: hidden_bar(template), quiet, terminal, name: String::new(), tenths: 0 }
    }

    /// Starts a download of `bytes` bytes.
    pub fn start(&mut self, name: &str, bytes: u64) {
        (self.name, self.tenths) = (name.to_owned(), 0);
        self.bar.reset();
        self.bar.set_length(bytes);
        self.bar.set_message(self.name.clone());
        if self.terminal && !self.quiet {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Sets the number of bytes that are here.
    pub fn at(&mut self, bytes: u64) {
        let found = bytes.saturating_sub(self.bar.position()) > Self::LARGEST_STEP;
        self.bar.set_position(bytes);
        if found {
            self.bar.reset_eta();
        }
        let tenths = bytes.saturating_mul(10).checked_div(self.bar.length().unwrap_or(0)).unwrap_or(0);
        if !self.terminal && tenths > self.tenths && tenths < 10 {
            self.line(&format!("{}: {tenths}0 %", self.name));
        }
        self.tenths = tenths;
    }

    pub fn line(&self, text: &str) {
        let text = visible(text);
        if self.quiet {
            return;
        }
        if self.terminal { self.bar.suspend(|| eprintln!("{text}")) } else { eprintln!("{text}") }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_one_line_whatever_its_name_holds() {
        for (name, shown) in [
            ("a\nb.txt", "a\\nb.txt"),
            ("a\tb.txt", "a\\tb.txt"),
            ("a\rb.txt", "a\\rb.txt"),
            ("a\u{1b}[31mb.txt", "a\\u{1b}[31mb.txt"),
            ("fdp\u{202e}txt.exe", "fdp\\u{202e}txt.exe"),
            ("Müller.txt", "Müller.txt"),
        ] {
            assert_eq!(done(Path::new(name), None), shown);
            assert_eq!(done(Path::new(name), Some("it\nfailed")), format!("{shown}: it\\nfailed"));
        }
    }
}
