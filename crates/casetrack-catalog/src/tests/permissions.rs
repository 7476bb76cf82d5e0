//! Folders that may not be listed.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::*;

const NAME: &str = "tests::permissions::a_folder_that_cannot_be_listed_is_reported_and_keeps_its_rows";
/// The user "nobody" of most systems.
const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_folder_that_cannot_be_listed_is_reported_and_keeps_its_rows() {
    let disk = Disk::new();
    disk.write("open/a.txt", "a");
    disk.write("shut/b.txt", "b");
    disk.write("shut/deep/c.txt", "c");
    disk.scan();
    let shut = disk.path("shut");
    set_mode(&shut, 0o000);
    if fs::read_dir(&shut).is_ok() {
        set_mode(&shut, 0o755);
        return as_nobody();
    }
    let report = disk.scan();
    assert_eq!((report.removed, report.problem_count), (0, 1), "{report:?}");
    assert!(report.problems[0].path.ends_with("shut"), "{report:?}");
    // Paths below it cannot be read either.
    let report = disk.follow(&["shut/b.txt", "shut/deep"]);
    assert_eq!((report.removed, report.problem_count), (0, 2), "{report:?}");
    assert!(disk.names(&disk.query()).iter().all(|name| !name.starts_with("shut/")), "it is no answer");
    set_mode(&shut, 0o755);
    assert_eq!(disk.names(&disk.query()).len(), 6);
    disk.scan();
    disk.agrees_with_the_disk();
}

/// Root can read everything, so the test then runs itself as another user.
fn as_nobody() {
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o755);
    let program = dir.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_mode(&program, 0o755);
    let files = dir.path().join("files");
    fs::create_dir(&files).unwrap();
    set_mode(&files, 0o777);
    let mut command = Command::new(program);
    command.args(["--exact", NAME]).env("TMPDIR", &files).current_dir(dir.path()).uid(NOBODY).gid(NOBODY);
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&out.stderr));
}
