//! `index`: what a run reads, keeps and refuses, and that the tables do not depend on how earlier runs ended.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::figures::{Promise, tell};
use super::program::{program, run_in};
use super::{BAD, GOOD};

/// Files of a corpus that has several parts.
const FILES: usize = 2300;

/// Number of runs that are killed.
const KILLS: usize = 50;

/// Pseudo-random numbers from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Writes a transcript whose length depends on its number.
fn write(folder: &Path, number: usize, text: &str) {
    let day = folder.join(format!("logs/2026/11/{:02}", number % 20 + 1));
    fs::create_dir_all(&day).expect("a folder can be made");
    let text = format!("Session {number}\n\n{text}{}\n", "x".repeat(number % 97));
    fs::write(day.join(format!("{number:05}.txt")), text).expect("a file can be made");
}

/// The rows of each table, in an order that does not depend on the parts; every file of a table is read to its end.
fn rows(index: &Path) -> BTreeMap<&'static str, Vec<String>> {
    let mut tables = BTreeMap::new();
    for table in ["sessions", "calls", "problems"] {
        let rows: &mut Vec<String> = tables.entry(table).or_default();
        for file in fs::read_dir(index.join(table)).into_iter().flatten() {
            let path = file.expect("an entry").path();
            let mut text = String::new();
            let mut file = flate2::read::MultiGzDecoder::new(File::open(&path).expect("a file"));
            file.read_to_string(&mut text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            rows.extend(text.lines().map(str::to_owned));
        }
        rows.sort();
    }
    tables
}

/// Runs `index`. Returns the exit code and the last line of output, without the name of the index.
fn index(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let run = run_in(folder, &[&["index"], arguments].concat(), &[], b"");
    let line = run.stdout.lines().last().unwrap_or_default().to_owned();
    (run.code, if line.is_empty() { run.stderr } else { line })
}

#[test]
fn kills_at_any_moment_change_nothing_in_the_end() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (root, mut chance) = (folder.path(), Chance(18));
    (0..FILES).for_each(|number| write(root, number, if number % 3 == 0 { BAD } else { GOOD }));
    let arguments = ["index", "logs", "-o", "out", "--format", "ndjson"];
    for round in 0..KILLS {
        let mut run = program(root);
        let mut run = run.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(chance.below(if round < 10 { 900 } else { 250 }) as u64));
        run.kill().expect("it can be killed");
        run.wait().expect("it ends");
        // Every table file is complete.
        rows(&root.join("out"));
        // Some files change, appear and disappear.
        for _ in 0..chance.below(4) {
            let number = chance.below(FILES + 40);
            match chance.below(3) {
                0 => {
                    _ = fs::remove_file(root.join(format!("logs/2026/11/{:02}/{number:05}.txt", number % 20 + 1)));
                }
                _ => write(root, number, &GOOD.repeat(1 + chance.below(3))),
            }
        }
    }
    let (code, line) = index(root, &arguments[1..]);
    assert_eq!(code, 0, "{line}");
    let (code, line) = index(root, &["logs", "-o", "anew", "--format", "ndjson", "-j", "1"]);
    assert_eq!(code, 0, "{line}");
    let (found, expected) = (rows(&root.join("out")), rows(&root.join("anew")));
    tell(Promise::Files, "killed runs", KILLS);
    for (table, expected) in expected {
        assert!(!expected.is_empty());
        assert!(found[table] == expected, "the rows of {table} differ");
    }
}

/// A change of a corpus, the arguments of the next run, and the end of the line that it prints.
type Step = (&'static str, fn(&Path), &'static [&'static str], &'static str);

const STEPS: &[Step] = &[
    (
        "a first run reads all",
        |_| {},
        &[],
        "5 sessions in 5 files, 7 calls, 2 failures; 5 read, 0 unchanged, 1 unreadable",
    ),
    ("an unreadable file is tried again", |_| {}, &[], "1 read, 4 unchanged, 1 unreadable"),
    (
        "a file that is mended",
        |root| write_at(root, "logs/cut.gz", &format!("Two.\n{GOOD}")),
        &[],
        "5 sessions in 5 files, 7 calls, 2 failures; 1 read, 4 unchanged",
    ),
    ("nothing", |_| {}, &[], "0 read, 5 unchanged"),
    ("a touched file is hashed and kept", |root| touch(root, "logs/a.txt"), &[], "0 read, 5 unchanged"),
    ("a file that grows", |root| write_at(root, "logs/a.txt", &GOOD.repeat(2)), &[], "1 read, 4 unchanged"),
    (
        "a file of another content and the same size",
        |root| write_at(root, "logs/a.txt", &GOOD.repeat(2).replace("Ada", "Eva")),
        &[],
        "1 read, 4 unchanged",
    ),
    ("a file that goes", |root| remove(root, "logs/a.txt"), &[], "0 read, 4 unchanged, 1 gone"),
    (
        "a file that comes",
        |root| write_at(root, "logs/new/deep.txt", &format!("Three.\n{BAD}")),
        &[],
        "1 read, 4 unchanged",
    ),
    ("an index beside the files is none of them", |root| copy_index(root), &[], "0 read, 5 unchanged"),
    (
        "notes are none of them",
        |root| write_at(root, "logs/b.txt.transcope.yaml", "notes: []\n"),
        &[],
        "0 read, 5 unchanged",
    ),
    ("other settings begin anew", |_| {}, &["--filter", "rejected"], "5 read, 0 unchanged"),
    ("and back", |_| {}, &[], "5 read, 0 unchanged"),
    (
        "one container",
        |_| {},
        &["--container", "claude-code"],
        "1 session in 1 file, 3 calls, 1 failure; 0 read, 1 unchanged, 4 gone",
    ),
    ("all containers", |_| {}, &[], "4 read, 1 unchanged"),
    (
        "what went on since a day",
        |_| {},
        &["--since", "2026-06-01"],
        "4 sessions in 4 files, 4 calls, 2 failures; 0 read, 4 unchanged, 1 gone",
    ),
    ("another format begins anew", |_| {}, &["--format", "csv"], "5 read, 0 unchanged"),
];

fn write_at(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be made");
}

fn touch(root: &Path, name: &str) {
    let file = File::options().append(true).open(root.join(name)).expect("a file");
    file.set_modified(SystemTime::now() + Duration::from_secs(10)).expect("its time can be set");
}

fn remove(root: &Path, name: &str) {
    fs::remove_file(root.join(name)).expect("a file");
}

fn copy_index(root: &Path) {
    let run = run_in(root, &["index", "logs/b.txt", "-o", "logs/own"], &[], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_run_reads_what_has_changed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    let (gzip, _) = super::compressed(format!("One.\n{GOOD}").as_bytes());
    write_at(root, "logs/a.txt", GOOD);
    write_at(root, "logs/b.txt", BAD);
    write_at(root, "logs/picture.txt", "\u{0}\u{1}");
    fs::create_dir_all(root.join("logs/ferry")).expect("a folder can be made");
    let ferry = include_bytes!("../../samples/containers/claude-code/late-ferry.jsonl");
    fs::write(root.join("logs/ferry/late.jsonl"), ferry).expect("a file can be made");
    fs::write(root.join("logs/good.gz"), &gzip).expect("a file can be made");
    fs::write(root.join("logs/cut.gz"), &gzip[..gzip.len() - 20]).expect("a file can be made");
    let mut faults = Vec::new();
    for (what, change, arguments, end) in STEPS {
        change(root);
        let (code, line) = index(root, &[&["logs", "-o", "out"], *arguments].concat());
        if code != 0 || !line.ends_with(end) {
            faults.push(format!("{what}: {code}: {line}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    (0..60).for_each(|number| write(root, number, if number % 2 == 0 { BAD } else { GOOD }));
    for format in ["parquet", "ndjson", "csv"] {
        let bytes = ["1", "4"].map(|jobs| {
            let out = format!("{format}-{jobs}");
            let (code, line) = index(root, &["logs", "-o", &out, "--format", format, "-j", jobs]);
            assert_eq!(code, 0, "{line}");
            let file = |table: &str| {
                let folder = fs::read_dir(root.join(&out).join(table)).expect("a table");
                folder.map(|file| fs::read(file.expect("an entry").path()).expect("a file")).collect::<Vec<_>>()
            };
            ["sessions", "calls", "problems", "counts"].map(file)
        });
        assert!(bytes[0] == bytes[1], "{format}");
    }
}

#[test]
fn what_cannot_be_indexed_is_said_in_a_line() {
    let folder = super::folder();
    let root = folder.path();
    fs::create_dir_all(root.join("later")).expect("a folder can be made");
    let manifest = "{\"transcope_index\": 99, \"transcope_version\": \"7.0.0\", \"format\": \"orc\", \"folders\": [], \"settings\": {}, \"updated_at\": null}";
    write_at(root, "later/index.json", manifest);
    write_at(root, "odd/index.json", "{\"transcope_index\": \"x\"}");
    // A user's folder with names that an index has too.
    write_at(root, "own/index.json", "{\"title\": \"mine\"}");
    write_at(root, "own/sessions/00000.parquet", "mine");
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), rustix::fs::Mode::RWXU).expect("a pipe");
    let (code, line) = index(root, &["logs", "-o", "known"]);
    assert_eq!(code, 0, "{line}");
    for (arguments, expected) in [
        (&["missing", "-o", "out"][..], "could not open"),
        (&["logs", "-o", "logs"], "logs is not an index and contains other files; choose a new or empty folder"),
        (&["logs", "-o", "own"], "own is not an index and contains other files; choose a new or empty folder"),
        (&["logs", "-o", "good.txt"], "good.txt is a file; choose a new or empty folder"),
        (&["logs", "known", "-o", "out"], "known is an index, not a transcript"),
        (&["pipe", "-o", "out"], "could not open pipe: it is neither a file nor a folder"),
        (&["logs", "-o", "later"], "was written by transcope 7.0.0; use that version or a later one"),
        (&["logs", "-o", "odd"], "is damaged: invalid type: string"),
        (
            &["logs", "-o", "out", "--since", "yesterday"],
            "--since: \"yesterday\" is not a time; write a day (2026-11-22)",
        ),
        (&["logs", "-o", "out", "--container", "nope"], "unknown container \"nope\""),
        (&["logs", "-o", "out", "--filter", "(("], "invalid filter"),
        (&["logs", "-o", "out", "-j", "0"], "invalid value"),
        (&["logs"], "--out"),
    ] {
        let (code, line) = index(root, arguments);
        assert!(code == 2 && line.contains(expected), "{arguments:?}: {code}: {line}");
    }
    assert!(!root.join("out").exists());
    assert_eq!(fs::read_to_string(root.join("own/sessions/00000.parquet")).expect("it is still there"), "mine");
}

/// The files of a part are read again if one of its tables is missing; a damaged table is reported with a remedy, and
/// its contents are not counted as fewer rows than before.
#[test]
fn damaged_tables_are_reported_and_rebuilt() {
    for table in ["sessions", "calls", "problems", "counts"] {
        let folder = super::folder();
        let root = folder.path();
        let file = root.join("out").join(table).join("00000.ndjson.gz");
        let run = || index(root, &["logs", "session.jsonl", "failed.jsonl", "-o", "out", "--format", "ndjson"]);
        assert_eq!(run().0, 0);
        let expected = rows(&root.join("out"));
        fs::remove_file(&file).expect("a table");
        let statistics = run_in(root, &["stats", "out"], &[], b"");
        let words = match table {
            "counts" => "00000.ndjson.gz is missing; run transcope index again",
            "sessions" => "the tables in out have 0 calls, but index.json says",
            _ => "index of",
        };
        assert!(statistics.stderr.contains(words), "{table}: {}", statistics.stderr);
        let (code, line) = run();
        assert!(code == 0 && line.ends_with(" 0 unchanged"), "{table}: {line}");
        assert!(rows(&root.join("out")) == expected, "{table}: other rows");

        let whole = fs::read(&file).expect("a table");
        fs::write(&file, &whole[..whole.len() - 9]).expect("a table");
        touch(root, "failed.jsonl");
        let (code, line) = run();
        if table != "counts" {
            assert!(code == 2 && line.contains("; delete this file, and run transcope index again"), "{table}: {line}");
            fs::remove_file(&file).expect("a table");
        }
        let (code, line) = run();
        assert_eq!(code, 0, "{table}: {line}");
        assert!(totals_of(root, "out") == totals_of(root, "logs session.jsonl failed.jsonl"), "{table}");
    }
}

/// The figures of `stats` for all calls together.
fn totals_of(root: &Path, paths: &str) -> Value {
    let arguments: Vec<&str> = ["stats", "--format", "json"].into_iter().chain(paths.split(' ')).collect();
    let run = run_in(root, &arguments, &[], b"");
    let mut statistics: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{paths}: {}", run.stderr));
    statistics["totals"].take()
}

#[test]
fn any_name_of_a_file_is_one_line_and_its_own() {
    let folder = super::folder();
    let root = folder.path();
    let names: [&[u8]; 7] =
        [b"\xff", b"\xfe", b"\\xff", b"a\nb", b"a b", b"\x1b[31m\xe2\x80\xae", "\u{fffd}".as_bytes()];
    fs::create_dir(root.join("odd")).expect("a folder can be made");
    for (number, name) in names.into_iter().enumerate() {
        let text = format!("File {number}.\n{GOOD}");
        fs::write(root.join("odd").join(OsStr::from_bytes(name)), text).expect("a file can be made");
    }
    for format in ["parquet", "ndjson", "csv"] {
        let run = || index(root, &["odd", "-o", "out", "--format", format]).1;
        assert!(run().ends_with("7 sessions in 7 files, 7 calls, 0 failures; 7 read, 0 unchanged"), "{format}");
        assert!(run().ends_with("0 read, 7 unchanged"), "{format}");
    }
}

#[test]
fn what_is_reached_in_several_ways_is_read_once() {
    let folder = super::folder();
    let root = folder.path();
    symlink("logs", root.join("linked")).expect("a link");
    let file = fs::read_dir(root.join("logs")).expect("a folder").flatten().next().expect("a file").file_name();
    let [file, linked] = ["logs", "linked"].map(|folder| format!("{folder}/{}", file.to_string_lossy()));
    let expected = index(root, &["logs", "-o", "one"]).1.split_once(": ").expect("a name").1.to_owned();
    let paths = ["linked", "./logs/", "logs", &linked, &file, "logs/../logs"];
    let (code, line) = index(root, &[&paths[..], &["-o", "two"]].concat());
    assert!(code == 0 && line.ends_with(&expected), "{line}, not {expected}");
}

#[test]
fn texts_of_any_length_become_rows() {
    let folder = super::folder();
    let root = folder.path();
    let long = "N".repeat(2 << 20);
    for (number, key) in ["name", "id", "model", "sessionId"].into_iter().enumerate() {
        let mut record = json!({
            "type": "assistant",
            "uuid": "1",
            "sessionId": "s",
            "timestamp": "2026-11-22T10:00:00Z",
            "message": {
                "role": "assistant",
                "model": "m",
                "content": [{ "type": "tool_use", "id": "i", "name": "n", "input": {} }],
            },
        });
        let place = match key {
            "model" => &mut record["message"]["model"],
            "sessionId" => &mut record["sessionId"],
            _ => &mut record["message"]["content"][0][key],
        };
        *place = long.clone().into();
        let first = json!({ "type": "user", "uuid": "0", "message": { "role": "user", "content": "hello" } });
        write_at(root, &format!("long/{number}.jsonl"), &format!("{first}\n{record}\n"));
    }
    let (code, line) = index(root, &["long", "-o", "out", "--format", "ndjson"]);
    assert!(code == 0 && line.contains(" in 4 files, 4 calls"), "{line}");
    let tables = rows(&root.join("out"));
    let cut = format!("{}…\"", "N".repeat(8 << 10));
    for key in ["tool", "call_id", "model"] {
        let text = format!("\"{key}\":\"{cut}");
        assert_eq!(tables["calls"].iter().filter(|row| row.contains(&text)).count(), 1, "{key}");
    }
}

#[test]
fn a_row_has_the_position_of_its_call() {
    let folder = super::folder();
    let root = folder.path();
    let (code, line) = index(root, &["session.jsonl", "bad.txt", "-o", "out", "--format", "ndjson"]);
    assert_eq!(code, 0, "{line}");
    let tables = rows(&root.join("out"));
    for row in &tables["calls"] {
        let row: Value = serde_json::from_str(row).expect("a row is an object");
        let text = fs::read(row["file"].as_str().expect("a path")).expect("a file");
        let place = |key: &str| row[key].as_u64().expect("a number") as usize;
        let bytes = &text[place("byte_start")..place("byte_end")];
        let tool = row["tool"].as_str().expect("a name");
        assert!(String::from_utf8_lossy(bytes).contains(tool), "{row}");
        let line = String::from_utf8_lossy(&text[..place("byte_start")]).matches('\n').count() + 1;
        assert_eq!(place("line"), line, "{row}");
    }
}
