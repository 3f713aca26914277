//! `.ci/archive` packs a built program with its pages.

use std::fs;
use std::process::Command;

use super::{program, root, run};

#[test]
fn an_archive_has_the_program_its_pages_and_licences() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let pack = |out: &str| {
        let mut archive = Command::new("bash");
        archive.arg(root().join(".ci/archive")).args(["some-target", program().to_str().expect("a plain path"), out]);
        run(archive.current_dir(folder.path()))
    };
    let written = pack("dist");
    let path = written.trim();
    let name = concat!("transcope-", env!("CARGO_PKG_VERSION"), "-some-target");
    assert!(path.ends_with(&format!("dist/{name}.tar.gz")), "{path}");
    let list = run(Command::new("tar").args(["-tzf", path]));
    for needed in [
        "transcope",
        "LICENSE",
        "THIRD-PARTY.txt",
        "README.md",
        "docs/commands.md",
        "docs/dark.svg",
        "man1/transcope.1",
        "man1/transcope-template-render.1",
        "completions/transcope.bash",
        "completions/transcope.fish",
    ] {
        assert!(list.lines().any(|line| line == format!("{name}/{needed}")), "{needed} is missing:\n{list}");
    }
    run(Command::new("tar").args(["-xzf", path]).current_dir(folder.path()));
    let unpacked = folder.path().join(name).join("transcope");
    let version = run(Command::new(unpacked).arg("--version"));
    assert_eq!(version, concat!("transcope ", env!("CARGO_PKG_VERSION"), "\n"));
    let again = pack("again");
    let [first, second] = [path, again.trim()].map(|path| fs::read(path).expect("it was written"));
    assert!(first == second || cfg!(not(target_os = "linux")), "the same program gives the same archive");
}
