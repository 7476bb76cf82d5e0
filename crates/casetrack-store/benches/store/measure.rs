//! Measuring: times, memory, files.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Median and 99th percentile in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    pub p50: f64,
    pub p99: f64,
    pub hits: f64,
}

/// Times one call for each of `queries`, after a few to warm up. A call returns the number of its hits.
pub fn latency(queries: usize, search: impl Fn(usize) -> usize) -> Latency {
    for n in 0..queries.min(10) {
        search(n);
    }
    let (mut times, mut hits) = (Vec::new(), 0);
    for n in 0..queries {
        let started = Instant::now();
        hits += search(n);
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Latency { p50: times[queries / 2], p99: times[queries * 99 / 100], hits: hits as f64 / queries as f64 }
}

/// Resident memory in MB (10⁶ bytes); zeros on a system without `/proc`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    pub anonymous: f64,
    pub files: f64,
    /// The highest sum since [`forget_peak`].
    pub peak: f64,
}

pub fn memory() -> Memory {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() * 1024.0 / 1e6
    };
    Memory { anonymous: field("RssAnon:"), files: field("RssFile:"), peak: field("VmHWM:") }
}

pub fn forget_peak() {
    // If this is not allowed, the peak is that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Time for which this thread was on a processor: the cost of a call on an idle machine.
pub fn on_cpu() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times.split(' ').next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Bytes that this process has handed to the disk.
pub fn written() -> f64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or_default()
}

/// Drops the files of a directory from the page cache, as far as the system allows; `false` if it does not.
pub fn chill(dir: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(dir) else { return false };
    entries.flatten().all(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return chill(&path);
        }
        let mut dd = Command::new("dd");
        // GNU dd: without blocks to copy, `nocache` asks the system to forget the whole file.
        dd.arg(format!("if={}", path.display())).args(["iflag=nocache", "count=0", "status=none"]);
        dd.status().is_ok_and(|status| status.success())
    })
}

/// Adds up the time spent in the spans of the store, and prints its warnings.
#[derive(Default)]
pub struct Spans(Mutex<Vec<(String, Duration)>>);

thread_local! {
    static ENTERED: RefCell<Vec<Instant>> = const { RefCell::new(Vec::new()) };
}

impl Spans {
    pub fn take(&self) -> Vec<(String, Duration)> {
        let mut spans = self.0.lock().expect("no panic");
        let taken = spans.clone();
        spans.iter_mut().for_each(|span| span.1 = Duration::ZERO);
        taken
    }
}

#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {value:?}");
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        let _ = write!(self.0, " {value}");
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("casetrack_store") && (metadata.is_span() || *metadata.level() <= Level::WARN)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields(attributes.metadata().name().to_owned());
        attributes.record(&mut fields);
        let mut spans = self.0.lock().expect("no panic");
        let place = spans.iter().position(|span| span.0 == fields.0).unwrap_or_else(|| {
            spans.push((fields.0, Duration::ZERO));
            spans.len() - 1
        });
        Id::from_u64(place as u64 + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        eprintln!("{}:{}", event.metadata().level(), fields.0);
    }

    fn enter(&self, _: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(Instant::now()));
    }

    fn exit(&self, id: &Id) {
        if let Some(started) = ENTERED.with_borrow_mut(Vec::pop) {
            self.0.lock().expect("no panic")[id.into_u64() as usize - 1].1 += started.elapsed();
        }
    }
}
