//! Only the user can read CaseTrack's files. On Windows, the files in a user's folders are private already.

use std::path::Path;

use casetrack_core::{Error, Result};
use casetrack_engine::{make_private, wipe_content, wipe_file};

/// CaseTrack's files in a data directory, which may hold other files of the user.
const OURS: [&str; 9] = [
    "collections",
    "owner",
    "vaults",
    "jobs",
    "watches.json",
    "audit.jsonl",
    "audit.jsonl.old",
    "config.toml",
    "last-search.json",
];

/// Makes the files that the owner creates private, and those of earlier versions. Called before the owner creates any file.
pub fn close_to_others(data_dir: &Path) -> Result<()> {
    #[cfg(unix)]
    umask::set(umask::PRIVATE);
    std::fs::create_dir_all(data_dir).map_err(|error| Error::io(data_dir.display(), error))?;
    OURS.iter().for_each(|name| make_private(&data_dir.join(name)));
    restrict(data_dir)
}

/// Empties the current and the earlier log of the owner for a collection that becomes a vault, because they may reveal its content. The log
/// itself stays, because the owner has it open.
pub fn empty_log(data_dir: &Path) -> Result<()> {
    let log = data_dir.join("owner").join("log");
    wipe_file(&log.with_extension("old"))?;
    wipe_content(&log)
}

/// Keeps the memory of this process, which may hold keys and texts, out of core dumps and from other processes of the user. If the system
/// refuses, everything else still works.
#[cfg(unix)]
pub fn without_core_dumps() {
    use nix::sys::resource::{Resource, setrlimit};
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    // If dumps are piped to a program, as with systemd, the limit does not hold.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
}

#[cfg(not(unix))]
pub fn without_core_dumps() {}

/// Stops the processes that this one starts from inheriting its standard streams. On Windows they inherit all of them, so a program that reads the
/// output of a command waits until the owner ends. `Stdio::inherit` still works: the standard library duplicates the stream.
#[cfg(windows)]
pub fn keep_streams() {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    let streams =
        [std::io::stdin().as_raw_handle(), std::io::stdout().as_raw_handle(), std::io::stderr().as_raw_handle()];
    for stream in streams {
        // SAFETY: the call changes a flag of the handle, and refuses one that is not valid.
        let _ = unsafe { SetHandleInformation(stream, HANDLE_FLAG_INHERIT, 0) };
    }
}

/// Closes a directory to all other users.
#[cfg(unix)]
pub fn restrict(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
        .map_err(|error| Error::io(path.display(), error))
}

#[cfg(not(unix))]
pub fn restrict(_: &Path) -> Result<()> {
    Ok(())
}

/// The permissions that new files do not get, as the user has chosen.
#[cfg(unix)]
pub mod umask {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use nix::sys::stat::{self, Mode};

    pub const PRIVATE: u32 = 0o077;

    /// Sets the mask of this process and returns the previous one.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "16 bits on macOS, 32 on Linux")]
    pub fn set(mask: u32) -> u32 {
        u32::from(stat::umask(Mode::from_bits_truncate(mask as nix::libc::mode_t)).bits())
    }

    /// The mask of this process. Not for use while other threads make files.
    pub fn get() -> u32 {
        let mask = set(PRIVATE);
        set(mask);
        mask
    }

    /// Gives a file that the user requested the permissions of the user's other files.
    pub fn apply(mask: u32, file: &Path) -> std::io::Result<()> {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666 & !mask))
    }
}

#[cfg(not(unix))]
pub mod umask {
    pub fn get() -> u32 {
        0
    }

    pub fn apply(_: u32, _: &std::path::Path) -> std::io::Result<()> {
        Ok(())
    }
}
