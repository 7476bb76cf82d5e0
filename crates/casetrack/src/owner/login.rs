//! The login state of the user. A process in the background may outlive the last session.
//!
//! systemd keeps the state of each user in `/run/systemd/users/UID`: `STATE` is `active` or `online` while there is a session, then `closing` or
//! `lingering`, and the file goes with the last process or service of the user. On other systems processes of a session end with it.

use std::path::PathBuf;

/// The sessions of the user, if the system reports them.
pub struct Login {
    state: PathBuf,
    /// There was a session at the last look.
    was_there: bool,
}

impl Login {
    pub fn of_user() -> Self {
        #[cfg(target_os = "linux")]
        let state = PathBuf::from(format!("/run/systemd/users/{}", nix::unistd::Uid::effective()));
        #[cfg(not(target_os = "linux"))]
        let state = PathBuf::new();
        Self { state, was_there: false }
    }

    /// True if the last session ended since the last call. Without any session, none ends.
    pub fn has_ended(&mut self) -> bool {
        let text = std::fs::read_to_string(&self.state).unwrap_or_default();
        let state = text.lines().find_map(|line| line.strip_prefix("STATE="));
        let is_there = matches!(state, Some("active" | "online" | "opening"));
        std::mem::replace(&mut self.was_there, is_there) && !is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut login = Login { state: dir.path().join("1000"), was_there: false };
        assert!(!login.has_ended(), "no systemd");
        let state = |state: &str| {
            std::fs::write(dir.path().join("1000"), format!("NAME=ann\nSTATE={state}\nRUNTIME=/run\n")).unwrap()
        };
        for (now, ended) in [
            ("lingering", false),
            ("active", false),
            ("online", false),
            ("closing", true),
            ("closing", false),
            ("active", false),
        ] {
            state(now);
            assert_eq!(login.has_ended(), ended, "{now}");
        }
        std::fs::remove_file(dir.path().join("1000")).unwrap();
        assert!(login.has_ended());
    }
}
