//! The settings of a language model: a server that speaks the chat API of OpenAI, hosted or on this machine.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::password::Password;

/// Longest wait for an answer that the settings may ask for, in seconds.
const MAX_TIMEOUT: u32 = 600;
/// Longest name of a model, in bytes.
const MAX_MODEL: usize = 200;
/// The end of the address at which such a server answers prompts.
const ENDPOINT: &str = "/chat/completions";

/// The table `[language_model]`. Without it no model is asked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageModelSettings {
    /// The address of the API, up to and with its version: `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// The name of the model, as the server has it.
    pub model: String,
    /// See [`KeyPlace`]. It is kept like a password, because someone may write the key itself here.
    #[serde(default)]
    key: Option<Password>,
    /// Longest wait for an answer, 1 to 600. Default 60.
    #[serde(default = "timeout")]
    pub timeout_seconds: u32,
}

/// The place of the key that the server demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace<'a> {
    /// `env:NAME`: an environment variable.
    Variable(&'a str),
    /// `file:PATH`: a file that holds the key and nothing else. A relative path starts at the data directory.
    File(&'a Path),
}

fn timeout() -> u32 {
    60
}

impl LanguageModelSettings {
    /// Host and port, as the address has them.
    pub fn host(&self) -> &str {
        authority(&self.url).map_or("", |(_, host)| host)
    }

    /// True if the server is on this machine.
    pub fn is_local(&self) -> bool {
        is_loopback(self.host())
    }

    /// The address to which prompts go.
    pub fn endpoint(&self) -> String {
        let base = self.url.trim_end_matches('/');
        format!("{}{ENDPOINT}", base.strip_suffix(ENDPOINT).unwrap_or(base))
    }

    /// `None` if the server demands no key.
    pub fn key(&self) -> Option<KeyPlace<'_>> {
        self.key.as_ref().and_then(|place| key_place(place.reveal()))
    }

    /// The file with the key, if it is in one.
    pub fn key_file(&self, data_dir: &Path) -> Option<PathBuf> {
        match self.key()? {
            KeyPlace::Variable(_) => None,
            KeyPlace::File(path) => Some(data_dir.join(path)),
        }
    }

    /// Returns the reason why these settings cannot be used. It repeats nothing of the key.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Some((is_encrypted, host)) = authority(&self.url) else {
            return Err(
                "language_model.url is not the address of a server, such as \"http://127.0.0.1:11434/v1\". It has no \
                        name, password or question mark."
                    .to_owned(),
            );
        };
        if !is_encrypted && !is_loopback(host) {
            return Err(format!(
                "language_model.url has http:// and the host {host}, which is not this machine: others could read the \
                 snippets on their way. Use https://."
            ));
        }
        if self.model.trim().is_empty() || self.model.len() > MAX_MODEL || self.model.contains(char::is_control) {
            return Err(format!("language_model.model is empty, or longer than {MAX_MODEL} bytes."));
        }
        if !(1..=MAX_TIMEOUT).contains(&self.timeout_seconds) {
            return Err(format!(
                "language_model.timeout_seconds is {}; it must be between 1 and {MAX_TIMEOUT}.",
                self.timeout_seconds
            ));
        }
        match &self.key {
            Some(place) if key_place(place.reveal()).is_none() => Err(
                "language_model.key is neither \"env:NAME\" nor \"file:PATH\". The key itself does not belong in this file."
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

fn key_place(text: &str) -> Option<KeyPlace<'_>> {
    match text.split_once(':')? {
        ("env", name) if !name.is_empty() && !name.contains(['=', '\0']) => Some(KeyPlace::Variable(name)),
        ("file", path) if !path.is_empty() && !path.contains('\0') => Some(KeyPlace::File(Path::new(path))),
        _ => None,
    }
}

/// True for an address of HTTPS, and its host and port.
fn authority(url: &str) -> Option<(bool, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let is_encrypted = match scheme {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let host = rest.split('/').next()?;
    let has_host = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    let is_path = |c: char| c.is_ascii_graphic() && !matches!(c, '?' | '#' | '@');
    (has_host && host.chars().all(is_plain) && rest.chars().all(is_path)).then_some((is_encrypted, host))
}

fn is_loopback(host: &str) -> bool {
    if let Some(port) = host.strip_prefix("[::1]") {
        return port.is_empty() || port.starts_with(':');
    }
    let name = host.split(':').next().unwrap_or_default();
    let numbers: Vec<Option<u8>> = name.split('.').map(|number| number.parse().ok()).collect();
    name.eq_ignore_ascii_case("localhost") || matches!(numbers.as_slice(), [Some(127), Some(_), Some(_), Some(_)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> LanguageModelSettings {
        LanguageModelSettings { url: url.into(), model: "m".into(), key: None, timeout_seconds: 60 }
    }

    #[test]
    fn an_address_without_encryption_is_of_this_machine() {
        for url in [
            "http://127.0.0.1:11434/v1",
            "http://localhost:1234/v1/",
            "http://[::1]:8080",
            "https://api.firm.example/v1",
        ] {
            settings(url).check().unwrap_or_else(|error| panic!("{url}: {error}"));
        }
        for url in [
            "http://192.168.1.5:11434/v1",
            "http://127.evil.example/v1",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example/v1",
        ] {
            let reason = settings(url).check().unwrap_err();
            assert!(reason.contains("https://"), "{url}: {reason}");
        }
        for url in [
            "",
            "127.0.0.1:11434",
            "ftp://127.0.0.1",
            "https://",
            "https://a b/",
            "https://ann:pw@api.firm.example/v1",
            "https://a/?key=1",
        ] {
            let reason = settings(url).check().unwrap_err();
            assert!(reason.contains("not the address") && !reason.contains("pw"), "{url}: {reason}");
        }
    }

    #[test]
    fn host_and_endpoint_follow_from_the_address() {
        for (url, host, endpoint, is_local) in [
            ("http://127.0.0.1:11434/v1", "127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions", true),
            ("https://api.firm.example/v1/", "api.firm.example", "https://api.firm.example/v1/chat/completions", false),
            ("http://[::1]:80/v1/chat/completions", "[::1]:80", "http://[::1]:80/v1/chat/completions", true),
        ] {
            let settings = settings(url);
            assert_eq!(
                (settings.host(), settings.endpoint().as_str(), settings.is_local()),
                (host, endpoint, is_local)
            );
        }
    }

    #[test]
    fn a_key_has_a_place_and_does_not_show() {
        let with =
            |key: &str| LanguageModelSettings { key: Some(key.to_owned().into()), ..settings("http://localhost/v1") };
        assert_eq!(with("env:LLM_KEY").key(), Some(KeyPlace::Variable("LLM_KEY")));
        assert_eq!(with("file:llm.key").key_file(Path::new("/data")), Some(PathBuf::from("/data/llm.key")));
        assert_eq!(with("file:/etc/llm.key").key_file(Path::new("/data")), Some(PathBuf::from("/etc/llm.key")));
        for key in ["sk-s3cret", "", "env:", "file:", "s3cret:x"] {
            let reason = with(key).check().unwrap_err();
            assert!(!reason.contains("s3cret") && !format!("{:?}", with(key)).contains("s3cret"), "{reason}");
        }
    }

    #[test]
    fn a_name_and_a_time_have_bounds() {
        let base = settings("http://localhost/v1");
        for wrong in [
            LanguageModelSettings { model: " ".into(), ..base.clone() },
            LanguageModelSettings { model: "m".repeat(201), ..base.clone() },
            LanguageModelSettings { timeout_seconds: 0, ..base.clone() },
            LanguageModelSettings { timeout_seconds: 601, ..base.clone() },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }
}
