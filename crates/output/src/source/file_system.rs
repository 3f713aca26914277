//! File systems whose files need special handling, by their numbers in statfs(2).

use std::path::Path;

/// A file system that is not a local disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSystem {
    /// Other machines may change its files without a notification; holds its name.
    Network(&'static str),
    /// The kernel generates its files on each read; some never end.
    Kernel,
}

/// The special file system that a path is on; `None` for a usual one, and for a path that does not exist.
#[cfg(target_os = "linux")]
#[allow(
    clippy::cast_sign_loss,
    reason = "the sign of this number differs between processors; all kinds fit into 32 bits"
)]
pub(super) fn of(path: &Path) -> Option<FileSystem> {
    of_number(rustix::fs::statfs(path).ok()?.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of(_: &Path) -> Option<FileSystem> {
    None
}

#[cfg(target_os = "linux")]
fn of_number(number: u32) -> Option<FileSystem> {
    use FileSystem::{Kernel, Network};
    const KINDS: [(u32, FileSystem); 23] = [
        (0x6969, Network("nfs")),
        (0x517b, Network("smb")),
        (0xff53_4d42, Network("cifs")),
        (0xfe53_4d42, Network("smb2")),
        (0x6573_5546, Network("fuse")),
        (0x0102_1997, Network("9p")),
        (0x00c3_6400, Network("ceph")),
        (0x5346_414f, Network("afs")),
        (0x7375_7245, Network("coda")),
        (0x564c, Network("ncp")),
        // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, bpf, pstore, configfs, selinux, efivarfs, devpts.
        (0x9fa0, Kernel),
        (0x6265_6572, Kernel),
        (0x6462_6720, Kernel),
        (0x7472_6163, Kernel),
        (0x0027_e0eb, Kernel),
        (0x6367_7270, Kernel),
        (0x7363_6673, Kernel),
        (0xcafe_4a11, Kernel),
        (0x6165_676c, Kernel),
        (0x6265_6570, Kernel),
        (0xf97c_ff8c, Kernel),
        (0xde5e_81e4, Kernel),
        (0x1cd1, Kernel),
    ];
    KINDS.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_known_by_their_numbers() {
        for (number, expected) in [
            (0x6969, Some(FileSystem::Network("nfs"))),
            (0xff53_4d42, Some(FileSystem::Network("cifs"))),
            (0x6573_5546, Some(FileSystem::Network("fuse"))),
            (0x9fa0, Some(FileSystem::Kernel)),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(of_number(number), expected, "{number:#x}");
        }
        assert_eq!(of(Path::new("/proc/self")), Some(FileSystem::Kernel));
        assert_eq!(of(Path::new("/none")), None);
    }
}
