//! The client of a command that runs in the owner, as the command sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Cancel, Error, Progress, ProgressSink, Result};
use casetrack_engine::Engine;
use serde::Serialize;
use tokio::sync::mpsc::UnboundedSender;

use super::privacy::umask;
use super::wire::{FromOwner, Run};
use crate::args::Global;
use crate::output;

/// A client that waits for a command.
pub struct Console {
    pub global: Global,
    /// An engine with the settings of the client.
    pub engine: Arc<Engine>,
    /// Set when the client is interrupted or goes away.
    pub cancel: Cancel,
    directory: PathBuf,
    umask: u32,
    frames: UnboundedSender<FromOwner>,
}

impl Console {
    pub fn new(run: &Run, engine: Arc<Engine>, cancel: Cancel, frames: UnboundedSender<FromOwner>) -> Self {
        Self {
            global: run.global.clone(),
            engine,
            cancel,
            directory: PathBuf::from(&run.directory),
            umask: run.umask,
            frames,
        }
    }

    /// A path that the user gave, which may be relative to the client's directory.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.directory.join(path)
    }

    /// Gives a new file that the user asked for the rights that their files have; those of the owner are private.
    pub fn hand_over(&self, file: &Path) -> Result<()> {
        umask::apply(self.umask, file).map_err(|error| Error::io(file.display(), error))
    }

    /// Prints a result: as JSON, or as the text that `text` makes of it.
    pub fn print<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Error> {
        self.send(FromOwner::Text(output::render(value, self.global.json, text)?));
        Ok(())
    }

    pub fn progress(&self) -> ProgressSink {
        let frames = self.frames.clone();
        Arc::new(move |event: Progress| drop(frames.send(FromOwner::Progress(event))))
    }

    /// Sends a message. A client that has gone needs no answer.
    fn send(&self, frame: FromOwner) {
        let _ = self.frames.send(frame);
    }
}
