//! The language model of the settings: a server that speaks the chat API of OpenAI.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use casetrack_core::language_model::{KeyPlace, LanguageModelSettings};
use casetrack_core::{Cancel, Error, ErrorCode, Result, single_spaced};
use casetrack_engine::file_search::{Completion, Prompt, TokensUsed, redacted};
use casetrack_mcp::LanguageModel;
use serde_json::{Value, json};
use ureq::Agent;

use crate::team::requests::agent;

/// Longest answer of the server, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Longest key, in bytes.
const MAX_KEY: u64 = 4096;
/// Longest words of the server in an error, in characters.
const MAX_REASON: usize = 200;
/// Interval between checks that the caller still waits.
const TICK: Duration = Duration::from_millis(50);
/// Requests of this process at the same time. One whose caller has gone still counts until the server answers or its time is over.
const MAX_REQUESTS: usize = 32;
/// The marks around the thoughts that some models write before their answer.
const THOUGHT: (&str, &str) = ("<think>", "</think>");

static REQUESTS: AtomicUsize = AtomicUsize::new(0);

pub struct ChatModel {
    settings: LanguageModelSettings,
    data_dir: PathBuf,
    agent: Agent,
}

/// A request on its way.
struct Counted;

/// Why the server gave no answer.
type Reason = String;

impl ChatModel {
    /// Connects to nothing yet. A relative path of a key starts at `data_dir`.
    pub fn new(settings: LanguageModelSettings, data_dir: &Path) -> Self {
        let patience = Duration::from_secs(settings.timeout_seconds.into());
        let agent = agent(settings.is_local(), patience);
        Self { settings, data_dir: data_dir.to_owned(), agent }
    }

    /// The key, read again for each request, so that it can be replaced at any time.
    fn key(&self) -> std::result::Result<Option<String>, Reason> {
        let (place, found) = match self.settings.key() {
            None => return Ok(None),
            Some(KeyPlace::Variable(name)) => (
                format!("the environment variable {name}"),
                std::env::var(name).map_err(|_| "it is not set".to_owned()),
            ),
            Some(KeyPlace::File(path)) => {
                let path = self.data_dir.join(path);
                let small = std::fs::metadata(&path).map(|file| file.is_file() && file.len() <= MAX_KEY);
                let text =
                    small.and_then(|small| if small { std::fs::read_to_string(&path) } else { Ok(String::new()) });
                (format!("the file {}", path.display()), text.map_err(|error| error.to_string()))
            }
        };
        let unusable = |why: &str| format!("its key in {place} cannot be used: {why}");
        let key = found.map_err(|why| unusable(&why))?.trim().to_owned();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable("it is empty, or has spaces or other characters that a key does not have"));
        }
        Ok(Some(key))
    }

    fn failed(&self, why: &str) -> Error {
        let host = self.settings.host();
        let message = format!("The language model at {host} failed: {}.", why.trim_end_matches('.'));
        Error::new(ErrorCode::Network, message).with_hint(
            "Try again, or let the user check [language_model] in config.toml. Without this table, no language model is asked.",
        )
    }

    fn body(&self, prompt: &Prompt, max_tokens: u32) -> String {
        let messages = json!([
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.material},
        ]);
        let model = &self.settings.model;
        json!({"model": model, "messages": messages, "max_tokens": max_tokens, "temperature": 0, "stream": false})
            .to_string()
    }
}

impl LanguageModel for ChatModel {
    fn host(&self) -> Option<&str> {
        Some(self.settings.host())
    }

    fn complete(&self, prompt: &Prompt, max_tokens: u32, cancel: &Cancel) -> Result<Completion> {
        let key = self.key().map_err(|why| self.failed(&why))?;
        let counted = Counted::begin().ok_or_else(|| self.failed("too many requests wait for it"))?;
        let (agent, endpoint) = (self.agent.clone(), self.settings.endpoint());
        let (body, seconds) = (self.body(prompt, max_tokens), self.settings.timeout_seconds);
        let (sender, answer) = sync_channel(1);
        // The client of HTTP cannot be cancelled, so it waits on a thread of its own.
        let request = move || {
            let answer = ask(&agent, &endpoint, key.as_deref(), body, seconds);
            drop(counted);
            let _ = sender.send(answer);
        };
        std::thread::Builder::new()
            .name("language-model".into())
            .spawn(request)
            .map_err(|error| self.failed(&error.to_string()))?;
        loop {
            match answer.recv_timeout(TICK) {
                Ok(answer) => return answer.map_err(|why| self.failed(&why)),
                Err(RecvTimeoutError::Timeout) => cancel.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(self.failed("the request was aborted")),
            }
        }
    }
}

impl Counted {
    fn begin() -> Option<Self> {
        let more = |count: usize| (count < MAX_REQUESTS).then_some(count + 1);
        REQUESTS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        REQUESTS.fetch_sub(1, Ordering::Relaxed);
    }
}

fn ask(
    agent: &Agent,
    endpoint: &str,
    key: Option<&str>,
    body: String,
    seconds: u32,
) -> std::result::Result<Completion, Reason> {
    let failed = |error: ureq::Error| match error {
        ureq::Error::Timeout(_) => format!("it did not answer within {seconds} s"),
        error => shortened(&error.to_string()),
    };
    let mut request = agent
        .post(endpoint)
        .config()
        .http_status_as_error(false)
        .build()
        .header("Content-Type", "application/json")
        .header("Accept", "application/json");
    if let Some(key) = key {
        request = request.header("Authorization", &format!("Bearer {key}"));
    }
    let mut answer = request.send(body).map_err(failed)?;
    let status = answer.status().as_u16();
    let text = answer.body_mut().with_config().limit(MAX_BYTES).lossy_utf8(true).read_to_string().map_err(failed)?;
    let value: Option<Value> = serde_json::from_str(&text).ok();
    if status != 200 {
        let words = value.as_ref().and_then(reason).map(|words| format!(": {}", shortened(words))).unwrap_or_default();
        // Some servers repeat the key in their words.
        let words = key.map_or_else(|| words.clone(), |key| words.replace(key, "…"));
        return Err(format!("it answered with the status {status}{words}"));
    }
    completion(&value.ok_or("its answer is not JSON")?)
}

/// The words of a server about an error.
fn reason(value: &Value) -> Option<&str> {
    ["/error/message", "/error", "/message", "/detail"].iter().find_map(|place| value.pointer(place)?.as_str())
}

/// On one line, without personal data and secrets.
fn shortened(text: &str) -> String {
    let line = single_spaced(text);
    redacted(&line).chars().take(MAX_REASON).collect()
}

fn completion(value: &Value) -> std::result::Result<Completion, Reason> {
    let content = value.pointer("/choices/0/message/content").ok_or("its answer is not one of the chat API")?;
    // One text, or a list of parts.
    let text = match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().concat(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    let text = without_thoughts(&text);
    if text.is_empty() {
        return Err("it answered without text".to_owned());
    }
    let count = |name: &str| u32::try_from(value.get("usage")?.get(name)?.as_u64()?).ok();
    let tokens = count("prompt_tokens").zip(count("completion_tokens"));
    let tokens = tokens.map(|(prompt, completion)| TokensUsed { prompt, completion });
    Ok(Completion { text: text.to_owned(), tokens })
}

fn without_thoughts(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix(THOUGHT.0) {
        Some(thought) => thought.split_once(THOUGHT.1).map_or("", |(_, answer)| answer.trim()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_in_every_form() {
        for (value, text, tokens) in [
            (json!({"choices": [{"message": {"content": " Yes. "}}]}), "Yes.", None),
            (
                json!({"choices": [{"message": {"content": [{"type": "text", "text": "Yes"}, {"text": "."}]}}],
                    "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
                "Yes.",
                Some(TokensUsed { prompt: 7, completion: 2 }),
            ),
            (json!({"choices": [{"message": {"content": "<think>\nWell\n</think>\n\nYes."}}]}), "Yes.", None),
        ] {
            assert_eq!(completion(&value).unwrap(), Completion { text: text.into(), tokens });
        }
        for value in [
            json!({}),
            json!({"choices": []}),
            json!({"choices": [{"message": {"content": null}}]}),
            json!({"choices": [{"message": {"content": "<think>Well"}}]}),
        ] {
            assert!(completion(&value).is_err(), "{value}");
        }
    }

    #[test]
    fn the_reason_of_a_server_is_short_and_redacted() {
        for (value, words) in [
            (json!({"error": {"message": "no such model"}}), Some("no such model")),
            (json!({"error": "no such model"}), Some("no such model")),
            (json!({"detail": [1]}), None),
        ] {
            assert_eq!(reason(&value), words);
        }
        let long = shortened(&format!("mail\nann@example.org {}", "x".repeat(500)));
        assert!(long.starts_with("mail [redacted") && long.chars().count() == MAX_REASON, "{long}");
    }

    #[test]
    fn a_key_is_read_from_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let with = |key: &str| {
            let table = format!("[language_model]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey = \"{key}\"\n");
            std::fs::write(dir.path().join("config.toml"), table).unwrap();
            let settings = casetrack_core::settings::Settings::load(dir.path()).unwrap();
            ChatModel::new(settings.language_model.unwrap(), dir.path())
        };
        std::fs::write(dir.path().join("llm.key"), "sk-1\n").unwrap();
        assert_eq!(with("file:llm.key").key(), Ok(Some("sk-1".to_owned())));
        std::fs::write(dir.path().join("llm.key"), "two words").unwrap();
        for key in ["file:llm.key", "file:none.key", "file:.", "env:CASETRACK_NO_SUCH_VARIABLE"] {
            let why = with(key).key().unwrap_err();
            assert!(why.contains("cannot be used") && !why.contains("two words"), "{why}");
        }
    }

    #[test]
    fn requests_are_counted() {
        let held: Vec<Counted> = std::iter::from_fn(Counted::begin).collect();
        assert!(held.len() <= MAX_REQUESTS && Counted::begin().is_none());
        drop(held);
        assert!(Counted::begin().is_some());
    }
}
