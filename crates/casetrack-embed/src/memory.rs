//! Which models stay in memory, and for how long.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::Error;
use serde::{Deserialize, Serialize};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

use crate::errors::choose;

/// Available memory under which models that are not in use are unloaded, in bytes.
const PRESSURE: u64 = 300 << 20;

/// How much memory models may take between two uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryMode {
    /// Every model stays once it is loaded.
    Full,
    /// A model that was not used for five minutes is unloaded.
    Standard,
    /// One model at a time, unloaded after half a minute without use.
    Constrained,
}

impl MemoryMode {
    /// The mode for a machine with this many bytes of available memory: full from 4 GiB on, standard from 1.5 GiB on.
    pub fn for_available(bytes: u64) -> Self {
        match bytes >> 20 {
            4096.. => Self::Full,
            1536.. => Self::Standard,
            _ => Self::Constrained,
        }
    }

    /// How long a model stays without being used.
    fn keeps_for(self) -> Option<Duration> {
        match self {
            Self::Full => None,
            Self::Standard => Some(Duration::from_secs(300)),
            Self::Constrained => Some(Duration::from_secs(30)),
        }
    }
}

impl FromStr for MemoryMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let modes = [("full", Self::Full), ("standard", Self::Standard), ("constrained", Self::Constrained)];
        choose("memory mode", text, &modes)
    }
}

/// Memory that can be had without swapping, in bytes.
pub fn available_memory() -> u64 {
    let what = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    System::new_with_specifics(what).available_memory()
}

/// Memory this process holds at the moment, in bytes; 0 if the system does not report it.
pub fn resident_memory() -> u64 {
    let Ok(pid) = sysinfo::get_current_pid() else { return 0 };
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
    system.process(pid).map_or(0, |process| process.memory())
}

/// The models in memory, by id. `M` is [`crate::model::Model`]; tests put in something smaller.
pub struct Loaded<M> {
    mode: MemoryMode,
    models: HashMap<String, (Arc<M>, Instant)>,
}

impl<M> Loaded<M> {
    pub fn new(mode: MemoryMode) -> Self {
        Self { mode, models: HashMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.models.contains_key(id)
    }

    /// The model, if it is loaded; counts as a use.
    pub fn get(&mut self, id: &str, now: Instant) -> Option<Arc<M>> {
        let (model, used) = self.models.get_mut(id)?;
        *used = now;
        Some(model.clone())
    }

    pub fn before_loading(&mut self) {
        if self.mode == MemoryMode::Constrained {
            self.models.clear();
        }
    }

    pub fn insert(&mut self, id: &str, model: Arc<M>, now: Instant) {
        self.models.insert(id.to_owned(), (model, now));
    }

    /// Drops models that were not used for the time of the mode, or are not in use while memory is short; returns their ids.
    pub fn sweep(&mut self, now: Instant, available: u64) -> Vec<String> {
        let keeps_for = self.mode.keeps_for();
        let dropped = self.models.extract_if(|_, (model, used)| {
            if Arc::strong_count(model) > 1 {
                *used = now;
                return false;
            }
            available < PRESSURE || keeps_for.is_some_and(|limit| now.saturating_duration_since(*used) >= limit)
        });
        dropped.map(|(id, _)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: u64 = 8 << 30;

    fn loaded(mode: MemoryMode, now: Instant) -> Loaded<&'static str> {
        let mut loaded = Loaded::new(mode);
        for id in ["e1", "e6"] {
            loaded.before_loading();
            loaded.insert(id, Arc::new(id), now);
        }
        loaded
    }

    #[test]
    fn a_mode_says_what_stays() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);

        let mut full = loaded(MemoryMode::Full, start);
        assert!(full.sweep(later(100_000), PLENTY).is_empty());

        let mut standard = loaded(MemoryMode::Standard, start);
        standard.get("e6", later(200)).unwrap();
        assert_eq!(standard.sweep(later(301), PLENTY), ["e1"]);
        assert!(standard.contains("e6"));

        let mut constrained = loaded(MemoryMode::Constrained, start);
        assert!(!constrained.contains("e1") && constrained.contains("e6"));
        assert_eq!(constrained.sweep(later(30), PLENTY), ["e6"]);
        assert!(constrained.is_empty());
    }

    #[test]
    fn under_pressure_only_what_is_in_use_stays() {
        let now = Instant::now();
        let mut full = loaded(MemoryMode::Full, now);
        let in_use = full.get("e1", now).unwrap();
        assert_eq!(full.sweep(now, PRESSURE - 1), ["e6"]);
        drop(in_use);
        assert_eq!(full.sweep(now, PRESSURE - 1), ["e1"]);
    }

    #[test]
    fn the_mode_follows_the_available_memory() {
        assert_eq!(MemoryMode::for_available(6 << 30), MemoryMode::Full);
        assert_eq!(MemoryMode::for_available(2 << 30), MemoryMode::Standard);
        assert_eq!(MemoryMode::for_available(1 << 30), MemoryMode::Constrained);
        assert_eq!("standard".parse::<MemoryMode>().unwrap(), MemoryMode::Standard);
        assert!("huge".parse::<MemoryMode>().unwrap_err().message.contains("huge"));
        assert!(available_memory() > 0 && resident_memory() > 0);
    }
}
