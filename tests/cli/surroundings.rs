//! Commands in a broken environment: one line and an exit code, and nothing half done.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::figures::{Promise, tell};

/// A transcript with a repairable problem, larger than the buffers of a writer.
fn transcript() -> String {
    let call = "!!!GADGET_START:Lookup:a\n!!!ARG:city\nOslo\n!!!GADGET_END\n";
    let repeated = "Some words before a call.\n".repeat(400);
    format!("{repeated}{call}<tool_call>\n{{\"name\": \"b\", \"arguments\": {{\"a\": 1,}}}}\n</tool_call>\n")
}

/// The files below a folder with their sizes.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            let known = entry.metadata().expect("it is there");
            if known.is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(folder).expect("it is in it").display().to_string();
                found.insert(name, known.len());
            }
        }
    }
    found
}

/// A shell command in a folder, with `transcope` on the path.
fn shell(folder: &Path, line: &str) -> Command {
    let program = assert_cmd::cargo::cargo_bin!("transcope");
    let bin = program.parent().expect("a program is in a folder").display();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).env_clear().env("PATH", format!("{bin}:/usr/bin:/bin")).env("HOME", folder);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a shell command. Returns the exit code and both outputs.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let output = shell(folder, line).output().expect("a shell");
    let words = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    let foreign = ["panicked", "os error", "ZipWriter"].into_iter().find(|word| words.contains(word));
    assert_eq!(foreign, None, "{line}: {words}");
    (output.status.code(), words)
}

#[test]
fn environment_failures_are_reported_on_one_line() {
    let rows = [
        ("transcope parse t.txt >/dev/full", 2, "error: could not write the output: no space left on device"),
        ("transcope --help >/dev/full", 2, ""),
        ("transcope --help | true", 0, ""),
        ("transcope parse t.txt | true", 0, ""),
        ("transcope check t.txt >&-", 1, ""),
        ("transcope check t.txt 2>&-", 1, "t.txt"),
        ("transcope parse - <&-", 0, ""),
        ("env -u HOME transcope check t.txt", 1, "t.txt"),
        ("HOME=/etc/passwd transcope check t.txt", 1, "t.txt"),
        ("XDG_STATE_HOME=/proc/none transcope index t.txt -o index", 0, "1 session"),
        (
            "TMPDIR=/none transcope bundle t.txt -o b.zip",
            2,
            "could not create a file in /none; set TMPDIR to a folder with space",
        ),
        (
            "transcope check --config /dev/zero t.txt",
            2,
            "could not read the configuration /dev/zero: it is larger than",
        ),
        ("transcope check --config /dev/null t.txt", 1, "t.txt"),
        (
            "head -c 17M /dev/zero >s.json; transcope check --schema s.json t.txt",
            2,
            "s.json: it is larger than 16777216",
        ),
        (
            "transcope check --dialect-file /dev/zero t.txt",
            2,
            "could not read the dialect file /dev/zero: it is larger",
        ),
        (
            "mkdir -p p/.transcope/dialects && mkfifo p/.transcope/dialects/x.yaml; cd p && transcope check ../t.txt",
            1,
            "t.txt",
        ),
        ("transcope check /proc", 2, "could not open /proc: it is a kernel file system"),
        (
            "mkdir d && echo a > d/a.txt && ln -s ../t.txt d/out && transcope check d",
            0,
            "skipped: d/out: the link points outside of the folder",
        ),
        ("transcope index t.txt -o /dev/full/x/index", 2, "could not create /dev/full/x/index: "),
        ("TMPDIR=/none transcope check t.txt", 1, "t.txt"),
        (
            "transcope export t.txt --to markdown -o none/x.md",
            2,
            "error: could not write none/x.md: no such file or directory\n",
        ),
        ("mkfifo pipe; transcope export t.txt --to markdown -o pipe", 2, "pipe exists; choose another name"),
        ("transcope export t.txt --to markdown -o /dev/full", 2, "/dev/full exists; choose another name"),
        (
            "transcope parse --tee /dev/full --tee-append - <t.txt",
            0,
            "could not save to /dev/full: no space left on device; the copy ends after 0 bytes",
        ),
        (
            "RUST_MIN_STACK=99999999999999 transcope check t.txt",
            2,
            "could not start reading t.txt: resource temporarily unavailable",
        ),
        (
            "RUST_MIN_STACK=99999999999999 transcope index t.txt -o index",
            2,
            "could not start a reader thread: Resource temporarily unavailable",
        ),
        (
            "RUST_MIN_STACK=99999999999999 transcope parse -- echo x",
            2,
            "could not wait for echo: resource temporarily unavailable",
        ),
        ("touch -d @9999999999999 t.txt && transcope index t.txt -o index && transcope stats t.txt", 0, "1 session"),
    ];
    for (line, code, words) in rows {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("t.txt"), transcript()).expect("a test may write");
        let (found, said) = run(folder.path(), line);
        assert_eq!(found, Some(code), "{line}: {said}");
        assert!(said.contains(words), "{line}: {said}");
        assert!(said.matches("error: ").count() <= usize::from(code == 2), "{line}: {said}");
    }
    tell(Promise::Faults, "surroundings", rows.len());
}

#[test]
fn a_disk_that_is_full_after_any_number_of_blocks_leaves_a_whole_file_or_none() {
    let mut tried = 0;
    for (command, result) in
        [("export t.txt --to html -o out", "out"), ("bundle t.txt -o out", "out"), ("fix t.txt --in-place", "t.txt")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let t = folder.path().join("t.txt");
        fs::write(&t, transcript()).expect("a test may write");
        let (_, said) = run(folder.path(), &format!("transcope {command}"));
        let whole = files(folder.path()).get(result).copied();
        for blocks in (0..80).filter(|blocks| blocks % 3 == 0 || *blocks < 8) {
            for name in files(folder.path()).keys() {
                fs::remove_file(folder.path().join(name)).expect("a test may remove");
            }
            fs::write(&t, transcript()).expect("a test may write");
            let (code, said) = run(folder.path(), &format!("ulimit -f {blocks}; transcope {command}"));
            let left = files(folder.path());
            let case = format!("{command} with {blocks} blocks: {code:?} {said}");
            let done = if result == "t.txt" {
                left.contains_key("t.txt.orig") && code != Some(2)
            } else {
                left.contains_key(result)
            };
            if done {
                assert_eq!(left.get(result).copied(), whole, "{case}");
            } else {
                assert_eq!(code, Some(2), "{case}");
                assert!(left.keys().all(|name| name == "t.txt" || name == "t.txt.orig"), "{case}: {left:?}");
                assert_eq!(fs::read_to_string(&t).expect("it is there"), transcript(), "{case}");
            }
            tried += 1;
        }
        assert!(whole.is_some() || said.contains("error"), "{command}: {said}");
    }
    tell(Promise::Files, "full disks", tried);
}

#[test]
fn a_command_that_is_killed_at_any_moment_leaves_a_whole_file_or_none() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("t.txt"), transcript().repeat(20)).expect("a test may write");
    let line = "exec transcope export t.txt --to html -o out";
    run(folder.path(), line);
    let whole = files(folder.path());
    let mut ended = 0;
    for step in 0..60 {
        fs::remove_file(folder.path().join("out")).ok();
        let mut child = shell(folder.path(), line).stderr(Stdio::null()).spawn().expect("a shell");
        thread::sleep(Duration::from_millis(step * 3));
        child.kill().expect("it is ours");
        ended += usize::from(child.wait().expect("it ends").success());
        let left = files(folder.path());
        assert!(left == whole || left.keys().eq(["t.txt"]), "killed after {} ms: {left:?}, not {whole:?}", step * 3);
    }
    assert!(ended < 60, "none was killed");
    tell(Promise::Files, "killed runs", 60 - ended);
}

#[test]
fn an_index_that_met_a_full_disk_is_finished_by_the_next_run() {
    let sessions = tempfile::tempdir().expect("a folder");
    for number in 0..3 {
        fs::write(sessions.path().join(format!("{number}.txt")), transcript()).expect("a test may write");
    }
    let rows = |folder: &Path| run(folder, "gzip -dc index/*/00000.ndjson.gz | grep -v modified").1;
    let command = format!("transcope index {} -o index --format ndjson", sessions.path().display());
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &command);
    let (names, whole) = (files(folder.path()), rows(folder.path()));
    let mut tried = 0;
    for blocks in 0..12 {
        let folder = tempfile::tempdir().expect("a folder");
        let (code, said) = run(folder.path(), &format!("ulimit -f {blocks}; {command}"));
        assert!(code == Some(0) || code == Some(2) && said.contains("error: "), "{blocks}: {code:?} {said}");
        let is_there = folder.path().join("index").exists();
        assert!(!is_there || files(folder.path()).keys().any(|name| name.ends_with(".ndjson.gz")), "{blocks}: {said}");
        let (code, said) = run(folder.path(), &command);
        assert_eq!(code, Some(0), "{said}");
        assert!(files(folder.path()).keys().eq(names.keys()), "{blocks}: {:?}", files(folder.path()));
        assert_eq!(rows(folder.path()), whole, "{blocks}");
        tried += 1;
    }
    tell(Promise::Files, "full disks", tried);
}
