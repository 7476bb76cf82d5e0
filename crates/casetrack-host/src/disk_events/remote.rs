//! Folders whose changes the operating system does not report: those on network drives.

use std::path::Path;

/// File systems on which others can change files without the knowledge of this machine's kernel.
const REMOTE: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "davfs",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "lustre",
    "nfs",
    "nfs4",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
    "fuse.vmhgfs-fuse",
];

/// True if a folder, an absolute path, has to be polled.
pub fn is_remote(folder: &Path) -> bool {
    // A share of Windows; elsewhere no path begins so.
    let share = folder.as_os_str().as_encoded_bytes().starts_with(br"\\");
    share || std::fs::read_to_string("/proc/self/mountinfo").is_ok_and(|mounts| is_on_remote(folder, &mounts))
}

/// True if such a file system is mounted at a folder or below it.
pub fn holds_remote(folder: &Path) -> bool {
    is_remote(folder)
        || std::fs::read_to_string("/proc/self/mountinfo").is_ok_and(|mounts| has_remote_below(folder, &mounts))
}

fn has_remote_below(folder: &Path, mounts: &str) -> bool {
    mounts
        .lines()
        .filter_map(mounted)
        .any(|(point, kind)| REMOTE.contains(&kind) && Path::new(&point).starts_with(folder))
}

fn is_on_remote(folder: &Path, mounts: &str) -> bool {
    let mount = |line| {
        let (point, kind) = mounted(line)?;
        folder.starts_with(&point).then(|| (Path::new(&point).components().count(), kind))
    };
    // Of two mounts on the same place the later hides the earlier.
    let holds = mounts.lines().filter_map(mount).max_by_key(|(depth, _)| *depth);
    holds.is_some_and(|(_, kind)| REMOTE.contains(&kind))
}

/// Place and type of file system, by a line of a text such as `/proc/self/mountinfo` (see proc(5)): the mount point is the fifth field, the
/// type the first after " - ".
fn mounted(line: &str) -> Option<(String, &str)> {
    let (place, source) = line.split_once(" - ")?;
    // Blanks are written in octal.
    Some((place.split(' ').nth(4)?.replace("\\040", " "), source.split(' ').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_that_holds_a_folder_decides() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                      40 22 0:40 / /mnt/share\\040one rw shared:9 - cifs //server/share rw\n\
                      41 40 0:41 / /mnt/share\\040one/local rw - ext4 /dev/sdb1 rw\n\
                      42 22 0:42 / /mnt/nfs rw - nfs4 server:/x rw\n";
        let remote = |path: &str| is_on_remote(Path::new(path), mounts);
        assert!(remote("/mnt/nfs/a") && remote("/mnt/share one/x"));
        assert!(has_remote_below(Path::new("/mnt"), mounts) && has_remote_below(Path::new("/mnt/nfs"), mounts));
        assert!(!has_remote_below(Path::new("/home"), mounts));
        assert!(!remote("/home/a") && !remote("/mnt/nfsx") && !remote("/mnt/share one/local/x"));
    }
}
