//! Which files count as sessions of a folder, and that contents shared by several files are counted once.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use super::GOOD;
use super::program::run_in;

/// Writes a file, creating its folders.
fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be made");
}

/// The last line that `index` prints, without the name of the index.
#[track_caller]
fn index(root: &Path) -> String {
    let run = run_in(root, &["index", "logs", "-o", "out", "--format", "ndjson"], &[], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout.trim_end().trim_start_matches("out: ").to_owned()
}

/// The rows of a table, sorted by their files.
fn rows(root: &Path, table: &str) -> Vec<Value> {
    let mut text = String::new();
    let path = root.join(format!("out/{table}/00000.ndjson.gz"));
    let mut file = flate2::read::MultiGzDecoder::new(fs::File::open(path).expect("a table"));
    std::io::Read::read_to_string(&mut file, &mut text).expect("a table can be read");
    let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    rows.sort_by_key(|row| row["file"].to_string());
    rows
}

/// A column of a table; paths are reduced to their last part.
fn column(root: &Path, table: &str, name: &str) -> Vec<String> {
    let word = |row: &Value| match &row[name] {
        Value::String(text) => text.rsplit('/').next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    rows(root, table).iter().map(word).collect()
}

/// A session of Claude Code with a call for each number; calls with odd numbers fail.
fn session(id: &str, calls: &[u32]) -> String {
    let record = |role: &str, content: &str| {
        let message = format!(r#"{{"role":"{role}","content":{content}}}"#);
        format!("{{\"type\":\"{role}\",\"sessionId\":\"{id}\",\"message\":{message}}}\n")
    };
    let mut text = record("user", "\"Go.\"");
    for number in calls {
        let tool = format!("toolu_01FVK2CzCTh1K1nNsQWQ{number}");
        let call = format!(r#"[{{"type":"tool_use","id":"{tool}","name":"Bash","input":{{"command":"ls"}}}}]"#);
        let flag = number % 2 == 1;
        let result = format!(r#"[{{"type":"tool_result","tool_use_id":"{tool}","content":"x","is_error":{flag}}}]"#);
        text.push_str(&record("assistant", &call));
        text.push_str(&record("user", &result));
    }
    text
}

#[test]
fn copies_resumed_and_forked_sessions_are_counted_once() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    write(root, "logs/a.jsonl", session("a", &[1, 2]));
    write(root, "logs/b.jsonl", session("a", &[1, 2]));
    write(root, "logs/c.jsonl", session("c", &[1, 2, 3]));
    write(root, "logs/d.txt", GOOD);
    write(root, "logs/e.txt", GOOD);
    write(root, "logs/f.txt", format!("Again.\n{GOOD}"));
    let whole = "4 sessions in 6 files, 5 calls, 2 failures";
    assert_eq!(index(root), format!("{whole}; 6 read, 0 unchanged"));
    assert_eq!(column(root, "sessions", "copy_of"), ["null", "a.jsonl", "a.jsonl", "null", "d.txt", "null"]);
    assert_eq!(column(root, "sessions", "copied_calls"), ["0", "2", "2", "0", "1", "0"]);
    assert_eq!(column(root, "sessions", "copied_failures"), ["0", "1", "1", "0", "0", "0"]);
    let copies = ["false", "false", "true", "true", "true", "true", "false", "false", "true", "false"];
    assert_eq!(column(root, "calls", "is_copy"), copies);
    // The statistics of the index and of the files themselves are the same.
    for path in ["out", "logs"] {
        let run = run_in(root, &["stats", path, "--format", "json"], &[], b"");
        let stats: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((&stats["totals"]["calls"], &stats["totals"]["failed"]), (&5.into(), &2.into()), "{path}: {stats}");
    }
    assert_eq!(index(root), format!("{whole}; 0 read, 6 unchanged"));
    // When a file is removed, its copy counts instead.
    fs::remove_file(root.join("logs/a.jsonl")).expect("a file");
    assert_eq!(index(root), "4 sessions in 5 files, 5 calls, 2 failures; 2 read, 3 unchanged, 1 gone");
    assert_eq!(column(root, "sessions", "copy_of"), ["null", "b.jsonl", "null", "d.txt", "null"]);
    // A new file is compared with the existing ones.
    write(root, "logs/a.jsonl", session("z", &[3]));
    assert_eq!(index(root), "5 sessions in 6 files, 5 calls, 2 failures; 1 read, 5 unchanged");
    assert_eq!(column(root, "sessions", "copy_of")[0], "c.jsonl");
}

#[test]
fn only_sessions_are_counted_in_the_places_of_agents() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    let place = "logs/.claude/projects/-home-mira";
    write(root, &format!("{place}/s.jsonl"), session("s", &[1]));
    write(root, &format!("{place}/damaged.jsonl"), format!("{{\"type\":\"user\",\"mess\n{}", session("t", &[2])));
    write(root, &format!("{place}/titles.jsonl"), "{\"type\":\"summary\",\"summary\":\"Tides\",\"leafUuid\":\"u\"}\n");
    write(root, &format!("{place}/report.html"), "<!DOCTYPE html>\n<html></html>\n");
    write(root, &format!("{place}/cache.json"), "{\"version\": 2, \"entries\": []}\n");
    write(root, &format!("{place}/export.md"), "# A session\n\nWords.\n");
    write(root, &format!("{place}/picture.png"), b"\x89PNG\0\0");
    write(root, "logs/page.html", "\n<html>\n");
    write(root, "logs/words.txt", GOOD);
    // Files of other programs and of this one; the first record is longer than the part that is examined.
    let chats = include_str!("../../samples/containers/chatgpt/conversations.json");
    write(root, &format!("{place}/chats.json"), chats);
    let export = |format: &str| {
        let run = run_in(root, &["export", "--to", format, "logs/words.txt"], &[], b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    for (format, ending) in [("markdown", "md"), ("json", "json"), ("html", "htm")] {
        write(root, &format!("logs/report.{ending}"), export(format));
        write(root, &format!("{place}/report.{ending}"), export(format));
    }
    for command in [&["grep", "is:call"][..], &["check"]] {
        let run = run_in(root, &[command, &["logs"]].concat(), &[], b"");
        assert!(format!("{}{}", run.stdout, run.stderr).contains("3 files"), "{}{}", run.stdout, run.stderr);
    }
    let named = run_in(root, &["grep", "is:call", "logs/report.md"], &[], b"");
    assert_eq!(named.code, 0, "{}", named.stderr);
    assert_eq!(index(root), "3 sessions in 3 files, 3 calls, 1 failure; 3 read, 0 unchanged");
    assert_eq!(column(root, "sessions", "file"), ["damaged.jsonl", "picture.png", "s.jsonl", "words.txt"]);
    assert_eq!(column(root, "sessions", "error")[1], "binary: it holds no text");
    assert_eq!(index(root), "3 sessions in 3 files, 3 calls, 1 failure; 0 read, 3 unchanged");
}

#[test]
fn pieces_of_a_rotated_log_are_read_as_the_first_of_their_family() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    let (gzip, _) = super::compressed(session("s", &[1]).as_bytes());
    write(root, "logs/run.jsonl.2.gz", gzip);
    write(root, "logs/run.jsonl.1", "{\"kind\":1}\n{\"kind\":2}\n");
    write(root, "logs/run.jsonl", "{\"kind\":3}\n");
    write(root, "logs/other.jsonl", "{\"kind\":4}\n");
    index(root);
    assert_eq!(column(root, "sessions", "container"), ["plain", "claude-code", "claude-code", "claude-code"]);
}

#[test]
fn every_unreadable_file_is_named_and_a_part_that_stays_is_not_written_again() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    let (gzip, _) = super::compressed(GOOD.as_bytes());
    for number in 0..30 {
        write(root, &format!("logs/{number:02}.gz"), &gzip[..gzip.len() - 20]);
    }
    let run = || run_in(root, &["index", "logs", "-o", "out"], &[], b"");
    let told =
        |run: &super::program::Run| run.stderr.lines().filter(|line| line.starts_with("could not read ")).count();
    let first = run();
    assert_eq!((first.code, told(&first)), (0, 30), "{}", first.stderr);
    let written =
        |table: &str| fs::metadata(root.join(format!("out/{table}/00000.parquet"))).and_then(|it| it.modified());
    let tables = ["sessions", "calls", "problems", "counts"];
    let before = tables.map(|table| written(table).expect("a table"));
    let second = run();
    assert!(second.stdout.contains("; 30 read, 0 unchanged"), "{}", second.stdout);
    assert_eq!(told(&second), 30);
    assert_eq!(tables.map(|table| written(table).expect("a table")), before);
}

#[test]
fn an_archive_with_one_transcript_is_read_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path();
    let sample = include_bytes!("../../samples/containers/inspect/sample.json");
    let log = |name: &str, samples: &[&str]| {
        let mut writer = zip::ZipWriter::new(fs::File::create(root.join(name)).expect("a file"));
        let mut add = |name: &str, bytes: &[u8]| {
            writer.start_file(name, zip::write::SimpleFileOptions::default()).expect("a name");
            writer.write_all(bytes).expect("it is written");
        };
        add("header.json", b"{\"version\": 2, \"status\": \"success\", \"eval\": {\"model\": \"m\"}}");
        add("summaries.json", b"[{\"id\": 1, \"epoch\": 1}]");
        for name in samples {
            add(&format!("samples/{name}"), sample);
        }
        writer.finish().expect("it is written");
    };
    log("one.eval", &["1_epoch_1.json"]);
    log("two.eval", &["1_epoch_1.json", "2_epoch_1.json"]);
    for arguments in [&["parse"][..], &["export", "--to", "markdown"], &["graph"]] {
        let run = run_in(root, &[arguments, &["one.eval"]].concat(), &[], b"");
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
        assert!(!run.stdout.is_empty());
        let run = run_in(root, &[arguments, &["two.eval"]].concat(), &[], b"");
        let words = "error: two.eval holds 2 transcripts; name one of them: two.eval/samples/1_epoch_1.json, two.eval/";
        assert!(run.code == 2 && run.stderr.starts_with(words), "{arguments:?}: {}", run.stderr);
    }
    let run = run_in(root, &["diff", "one.eval", "one.eval"], &[], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = run_in(root, &["lens", "one.eval"], &[], b"");
    assert!(run.stderr.contains("1_epoch_1.json: no parser finds a call"), "{}", run.stderr);
    let run = run_in(root, &["check", "two.eval"], &[], b"");
    assert!(!run.stdout.contains("nothing-shown"), "{}", run.stdout);
    let run = run_in(root, &["grep", "is:call", "two.eval"], &[], b"");
    assert!(run.stderr.ends_with(" in 2 files\n"), "{}", run.stderr);
    let run = run_in(root, &["index", "two.eval", "-o", "out"], &[], b"");
    assert!(run.stdout.contains(" in 2 files, "), "{}{}", run.stdout, run.stderr);
}
