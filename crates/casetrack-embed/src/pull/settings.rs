//! Which hub, which cache, and how patient: the settings that Hugging Face's own tools read.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use casetrack_core::{Error, Result};

/// The hub when `HF_ENDPOINT` names none.
const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// The source of models, and the number of attempts. [`HubSettings::from_env`] reads the environment.
#[derive(Clone)]
pub struct HubSettings {
    /// `HF_ENDPOINT`, without a slash at the end.
    pub endpoint: String,
    /// `HF_HUB_CACHE`, else `hub` in `HF_HOME`, else Hugging Face's default: files in it are not downloaded again.
    /// It is only read.
    pub cache: Option<PathBuf>,
    /// `HF_TOKEN`: goes to the endpoint with every request, and nowhere else.
    pub token: Option<String>,
    /// `HF_HUB_OFFLINE`: the network is not touched.
    pub offline: bool,
    pub patience: Patience,
}

/// How long to wait and how often to try.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How often a failed request is repeated; every byte gained resets the count.
    pub retries: u32,
    /// Wait before the first repetition; it doubles with each further one.
    pub pause: Duration,
    /// Longest wait for a connection, and for the beginning of an answer.
    pub answer: Duration,
    /// After this time a download continues on a new connection, so that a dead one does not block it.
    pub connection: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 4,
            pause: Duration::from_secs(1),
            answer: Duration::from_secs(30),
            connection: Duration::from_secs(300),
        }
    }
}

impl HubSettings {
    /// The settings of the environment; an endpoint that is not an HTTP address is an error.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| env::var_os(name), dirs::home_dir())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Result<Self> {
        let value = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| value(name).map(|value| value.to_string_lossy().trim().to_owned());
        let endpoint = text("HF_ENDPOINT").unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        if !endpoint.starts_with("https://") && !endpoint.starts_with("http://") {
            let message = format!("HF_ENDPOINT is \"{endpoint}\", which is not an HTTP address");
            return Err(Error::invalid(message)
                .with_hint(format!("Set it to the address of a mirror, or unset it for {DEFAULT_ENDPOINT}.")));
        }
        let folder = |name: &str| value(name).map(PathBuf::from);
        let default_home = || {
            let caches = folder("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache")));
            caches.map(|caches| caches.join("huggingface"))
        };
        let hub = || folder("HF_HOME").or_else(default_home).map(|home| home.join("hub"));
        Ok(Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            cache: folder("HF_HUB_CACHE").or_else(hub),
            token: text("HF_TOKEN"),
            offline: text("HF_HUB_OFFLINE").is_some_and(|value| is_true(&value)),
            patience: Patience::default(),
        })
    }
}

/// The values that huggingface_hub accepts as true.
fn is_true(value: &str) -> bool {
    ["1", "on", "yes", "true"].contains(&value.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<HubSettings> {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        HubSettings::from_variables(lookup, Some(PathBuf::from("/home/u")))
    }

    #[test]
    fn without_variables_it_is_the_public_hub_and_its_usual_cache() {
        let found = settings(&[("HF_ENDPOINT", ""), ("HF_HUB_OFFLINE", "0")]).unwrap();
        assert_eq!(found.endpoint, DEFAULT_ENDPOINT);
        assert_eq!(found.cache, Some(PathBuf::from("/home/u/.cache/huggingface/hub")));
        assert!(!found.offline && found.token.is_none());
    }

    #[test]
    fn the_variables_of_hugging_face_are_honoured() {
        let found = settings(&[("HF_ENDPOINT", "http://mirror.example/hf/"), ("HF_HOME", "/big/hf")]).unwrap();
        assert_eq!(found.endpoint, "http://mirror.example/hf");
        assert_eq!(found.cache, Some(PathBuf::from("/big/hf/hub")));
        let found =
            settings(&[("HF_HOME", "/big/hf"), ("HF_HUB_CACHE", "/cache"), ("HF_HUB_OFFLINE", "True")]).unwrap();
        assert_eq!(found.cache, Some(PathBuf::from("/cache")));
        assert!(found.offline);
        assert_eq!(settings(&[("HF_TOKEN", " secret\n")]).unwrap().token.as_deref(), Some("secret"));
    }

    #[test]
    fn an_endpoint_that_is_no_address_is_refused() {
        let error = settings(&[("HF_ENDPOINT", "mirror.example")]).err().unwrap();
        assert!(error.message.contains("mirror.example") && error.hint.is_some());
    }
}
