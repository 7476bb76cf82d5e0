//! The audit log: one line of JSON for each tool call of an assistant, and on a server for refused logins, in `audit.jsonl` of the data directory.
//!
//! A line records the caller, the tool, the time, the outcome, the duration and the size of the answer; of the arguments, only the names; and the
//! host of a language model that was asked. Search
//! queries are recorded only if the settings ask for it, and never if there is a vault. A separate thread writes the lines, so a call does not wait
//! for the disk or fail with it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use casetrack_core::{CollectionId, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value};

/// Name of the file in the data directory.
pub const FILE: &str = "audit.jsonl";
/// Size at which the file is renamed to `audit.jsonl.old`, in bytes; an earlier one is overwritten.
const MAX_BYTES: u64 = 10 << 20;
/// Lines that may wait for the disk. Further lines are dropped, with a warning in the program's log.
const QUEUE: usize = 4096;
/// Fields of an answer that are one text.
const TEXTS: [&str; 2] = ["preview", "summary"];
const QUERIES: [&str; 3] = ["query", "topic", "terms"];

#[derive(Debug, Serialize)]
pub(crate) struct Call {
    pub time: Timestamp,
    /// The user, on a team server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Name and version, as the client states them.
    pub client: String,
    pub transport: &'static str,
    pub tool: &'static str,
    /// The W3C trace that the call belongs to, as the client states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    pub arguments: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub queries: Map<String, Value>,
    /// The collection that was active at the end.
    pub collection: Option<CollectionId>,
    /// The host of the language model that the call asked, also if that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_model: Option<String>,
    /// `ok`, or the code of the error.
    pub outcome: &'static str,
    pub ms: f64,
    pub counts: BTreeMap<String, u64>,
}

/// The names of the arguments that a tool has, and the search queries among them.
pub(crate) fn arguments(
    given: Option<&Map<String, Value>>,
    schema: &Map<String, Value>,
    queries: bool,
) -> (Vec<String>, Map<String, Value>) {
    let known =
        |name: &&String| schema.get("properties").and_then(|properties| properties.get(name.as_str())).is_some();
    let names: Vec<String> = given.into_iter().flat_map(Map::keys).filter(known).cloned().collect();
    let searched = given.into_iter().flatten().filter(|(name, _)| queries && QUERIES.contains(&name.as_str()));
    let searched = searched.map(|(name, value)| (name.clone(), value.clone())).collect();
    (names, searched)
}

/// A `traceparent` of the W3C in its exact form, without a trace or a span of zeros. Other text of a client is not recorded.
pub(crate) fn traceparent(stated: Option<&str>) -> Option<String> {
    let stated = stated.filter(|stated| stated.len() == 55)?;
    let is_hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_set = |part: &str| part.bytes().any(|byte| byte != b'0');
    let [version, trace, span, flags] = <[&str; 4]>::try_from(stated.split('-').collect::<Vec<_>>()).ok()?;
    let has_form = [version, trace, span, flags].map(str::len) == [2, 32, 16, 2];
    let is_valid = has_form && [version, trace, span, flags].into_iter().all(is_hex);
    (is_valid && version != "ff" && is_set(trace) && is_set(span)).then(|| stated.to_owned())
}

/// The lengths of the lists in an answer, its numbers, and the characters of its [`TEXTS`].
pub(crate) fn counts(structured: &Value) -> BTreeMap<String, u64> {
    let fields = structured.as_object().into_iter().flatten();
    let count = |(name, value): (&String, &Value)| match value {
        Value::Array(items) => Some(items.len() as u64),
        Value::Number(number) => number.as_u64(),
        Value::String(text) if TEXTS.contains(&name.as_str()) => Some(text.chars().count() as u64),
        _ => None,
    };
    fields.filter_map(|field| Some((field.0.clone(), count(field)?))).collect()
}

type Writer = (SyncSender<Vec<u8>>, JoinHandle<()>);

/// The log of a data directory; its owner has one. Dropping it writes the lines that still wait.
pub struct AuditLog {
    path: PathBuf,
    writer: Mutex<Option<Writer>>,
}

impl AuditLog {
    /// Creates no file before there is something to write.
    pub fn new(data_dir: &Path) -> Self {
        Self { path: data_dir.join(FILE), writer: Mutex::new(None) }
    }

    /// Never waits.
    pub fn record(&self, line: &impl Serialize) {
        let Ok(mut line) = serde_json::to_vec(line) else { return };
        line.push(b'\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let (sender, lines) = sync_channel(QUEUE);
            let path = self.path.clone();
            match std::thread::Builder::new().name("audit".into()).spawn(move || write_all(&path, &lines)) {
                Ok(thread) => *writer = Some((sender, thread)),
                Err(error) => tracing::warn!(%error, "the audit log cannot be written"),
            }
        }
        if let Some((sender, _)) = writer.as_ref()
            && sender.try_send(line).is_err()
        {
            tracing::warn!("a tool call is missing from the audit log, because the disk is too slow");
        }
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn write_all(path: &Path, lines: &Receiver<Vec<u8>>) {
    let mut failing = false;
    while let Ok(line) = lines.recv() {
        let written = append(path, &line);
        if let (Err(error), false) = (&written, failing) {
            tracing::warn!(%error, path = %path.display(), "the audit log cannot be written");
        }
        failing = written.is_err();
    }
}

/// Opened for each line, so that the user may move or remove the file at any time.
fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    if path.metadata().is_ok_and(|metadata| metadata.len() >= MAX_BYTES) {
        std::fs::rename(path, path.with_extension("jsonl.old"))?;
    }
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call() -> Call {
        Call {
            time: Timestamp::now(),
            user: None,
            client: "test 1".into(),
            transport: "stdio",
            tool: "search_documents",
            traceparent: None,
            arguments: vec!["query".into()],
            queries: Map::new(),
            collection: None,
            language_model: None,
            outcome: "ok",
            ms: 1.5,
            counts: BTreeMap::from([("results".into(), 3)]),
        }
    }

    #[test]
    fn lines_are_whole_and_a_large_file_is_renamed() {
        let dir = tempfile::tempdir().unwrap();
        let log = AuditLog::new(dir.path());
        let path = dir.path().join(FILE);
        assert!(!path.exists());
        std::fs::write(&path, vec![b'x'; MAX_BYTES as usize]).unwrap();
        for _ in 0..3 {
            log.record(&call());
        }
        drop(log);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[0]["counts"]), (3, &json!({"results": 3})));
        assert_eq!(dir.path().join("audit.jsonl.old").metadata().unwrap().len(), MAX_BYTES);
    }

    #[test]
    fn arguments_are_recorded_by_name_and_queries_only_on_request() {
        let schema = json!({"properties": {"query": {}, "top_k": {}}});
        let given = json!({"query": "secret", "top_k": 3, "a secret name": 1});
        let arguments = |queries| arguments(given.as_object(), schema.as_object().unwrap(), queries);
        assert_eq!(arguments(false), (vec!["query".to_owned(), "top_k".to_owned()], Map::new()));
        assert_eq!(arguments(true).1, *json!({"query": "secret"}).as_object().unwrap());
        let answer = json!({
            "results": [1, 2], "preview": "secret", "indexed": 150, "truncated": true, "mcp_version": "v1.0.0",
        });
        let expected = [("indexed", 150), ("preview", 6), ("results", 2)];
        assert_eq!(counts(&answer), expected.map(|(name, count)| (name.to_owned(), count)).into());
    }

    #[test]
    fn only_a_trace_in_its_exact_form_is_recorded() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(traceparent(Some(valid)).as_deref(), Some(valid));
        for other in [
            "",
            "a secret of the client",
            &valid.to_uppercase(),
            &valid.replacen("00", "ff", 1),
            &valid.replace("b7ad6b7169203331", "0000000000000000"),
            &valid.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &valid.replace('-', "_"),
            &valid.replace("01", "0é"),
            &format!("{valid}-00"),
        ] {
            assert_eq!(traceparent(Some(other)), None, "{other}");
        }
        assert_eq!(traceparent(None), None);
    }
}
