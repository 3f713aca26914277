//! Sessions in a database of opencode: listed, read by their addresses, and the newest of them.

use std::path::Path;

use rusqlite::Connection;

use super::run_in;

const ROWS: &str = include_str!("../../crates/output/src/source/database/first.sql");

/// A database whose rows are all in its log, and its writer.
fn database(path: &Path, rows: &str) -> Connection {
    let writer = Connection::open(path).expect("a database can be made");
    let settings = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;";
    writer.execute_batch(&[settings, rows].concat()).expect("statements of SQLite");
    writer
}

#[test]
fn sessions_of_a_database_are_listed_and_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let _writer = database(&folder.path().join("opencode.db"), ROWS);
    let _other = database(&folder.path().join("other.db"), "CREATE TABLE bookmark (id)");
    for (arguments, code, expected) in [
        (
            &["sessions", "--width", "200", "opencode.db"][..],
            0,
            &["Light the quay", "⑂ Count the bulbs", "2 sessions"][..],
        ),
        (&["sessions", "--latest", "--format", "csv", "opencode.db"], 0, &["opencode.db/ses_2b0aLampQuay"]),
        (&["parse", "--format", "text", "opencode.db/ses_2b0aLampQuay"], 0, &["Light the quay.", "lamp on", "lit"]),
        (&["check", "opencode.db"], 0, &["no problems in 2 files"]),
        (
            &["parse", "opencode.db"],
            2,
            &["holds 2 transcripts; name one of them: opencode.db/ses_2a99BulbQuay, opencode.db/ses_2b0aLampQuay"],
        ),
        (&["parse", "opencode.db/ses_1"], 2, &["opencode.db/ses_1: no such session in the database"]),
        (&["parse", "other.db"], 2, &["could not open other.db", "missing: session, message, part"]),
        (&["sessions", "other.db"], 2, &["could not open other.db", "missing: session, message, part"]),
    ] {
        let (exit, stdout, stderr) = run_in(folder.path(), arguments, &[], b"").parts();
        let output = stdout + &stderr;
        assert_eq!(exit, code, "{arguments:?}: {output}");
        for words in expected {
            assert!(output.contains(words), "{arguments:?}: {words:?} in {output}");
        }
    }
}
