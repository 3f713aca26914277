//! Databases made of rows of both versions of opencode, and of damage.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::container::{Container, MessageRole};
use crate::dialect::Options;
use crate::session::Session;
use crate::source::folder::{FoundFile, WalkEvent, walk};
use crate::source::{Follow, SourceEvent, SourceSpec, is_folder, open, read_all};

const FIRST: &str = include_str!("first.sql");
const SECOND: &str = include_str!("second.sql");
const LAMP: &str = "ses_2b0aLampQuay";

/// A new database with the tables and rows of these statements, in a temporary folder, and its writer.
fn database(statements: &str) -> (TempDir, PathBuf, Connection) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let writer = Connection::open(&path).expect("a database");
    writer
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
        .and_then(|()| writer.execute_batch(statements))
        .expect("statements of SQLite");
    (folder, path, writer)
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = read_all(&SourceSpec::File(path.to_owned())).map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn session(path: &Path) -> Session {
    let mut session = Session::new(Container::default(), &Options::default());
    session.push(read(path).expect("a session").as_bytes());
    session.finish();
    session
}

/// The files that a walk finds and the messages about unreadable ones.
fn found(root: &Path) -> (Vec<FoundFile>, Vec<String>) {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    walk(root, |walked| {
        match walked {
            WalkEvent::Found(found) => files.extend(found),
            WalkEvent::Unread(path, words) => unread.push(format!("{}: {words}", path.display())),
            _ => {}
        }
        true
    });
    (files, unread)
}

/// The names, bytes and times of the files in a folder, except the index of the log.
fn state(folder: &Path) -> Vec<(String, Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut files: Vec<_> = entries
        .map(|entry| {
            let modified = entry.metadata().and_then(|metadata| metadata.modified()).expect("a time");
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"), modified)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn rows_are_records_like_those_of_the_storage() {
    let (_folder, path, _writer) = database(FIRST);
    let text = read(&path.join(LAMP)).expect("a session");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..4],
        [
            r#"{"id":"ses_2b0aLampQuay","slug":"calm-lamp","version":"1.18.21","projectID":"9f2d6c","directory":"/home/lea/harbour","title":"Light the quay","time":{"created":1762336800000,"updated":1762336860000},"agent":"build","model":{"id":"claude-sonnet-4-5","providerID":"anthropic"},"cost":0.25,"tokens":{"input":1200}}"#,
            r#"{"id":"msg_01","sessionID":"ses_2b0aLampQuay","role":"user","time":{"created":1762336800000},"agent":"build"}"#,
            r#"{"id":"prt_01","sessionID":"ses_2b0aLampQuay","messageID":"msg_01","type":"text","text":"Light the quay."}"#,
            lines[3],
        ]
    );
    let ids: Vec<&str> = lines.iter().map(|line| line.split('"').nth(3).expect("an id")).collect();
    assert_eq!(ids, [LAMP, "msg_01", "prt_01", "msg_02", "prt_02", "prt_03", "prt_04"]);
    let session = session(&path.join(LAMP));
    let document = session.document();
    assert_eq!(session.choice().map(|choice| choice.about.name), Some("opencode-storage"));
    assert_eq!((document.calls().count(), document.messages().len()), (2, 2));
    assert_eq!(document.messages().role(0), Some(MessageRole::User));
    assert_eq!(document.agents().len(), 1);
}

#[test]
fn a_database_of_kilo_is_found_by_its_name() {
    let (_folder, path, _writer) = database(FIRST);
    let copy = tempfile::tempdir().expect("a folder");
    for name in ["kilo.db", "kilo-beta.db", "other.db"] {
        fs::copy(&path, copy.path().join(name)).expect("a copy");
        let log = log_of(&path);
        fs::copy(&log, log_of(&copy.path().join(name))).expect("a copy of the log");
    }
    let (files, unread) = found(copy.path());
    let mut databases: Vec<_> = files.iter().filter_map(|file| file.path.parent()?.file_name()?.to_str()).collect();
    databases.sort_unstable();
    assert_eq!((databases, unread), (vec!["kilo-beta.db", "kilo-beta.db", "kilo.db", "kilo.db"], Vec::new()));
}

#[test]
fn sessions_with_messages_are_found_in_the_database_and_in_its_folder() {
    let (folder, path, _writer) = database(FIRST);
    fs::write(folder.path().join("other.db"), fs::read(&path).expect("a file")).expect("a file");
    for root in [folder.path(), &path] {
        let (mut files, unread) = found(root);
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let list: Vec<_> = files.iter().map(|file| (file.path.clone(), file.modified)).collect();
        let at = |seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        let expected =
            [(path.join("ses_2a99BulbQuay"), at(1_762_336_840)), (path.join(LAMP), at(1_762_336_860))].to_vec();
        assert_eq!((list, unread), (expected, Vec::new()), "{}", root.display());
        assert!(files.iter().all(|file| file.size > 100 && file.head.starts_with(b"{\"id\":\"ses_")));
    }
    assert!(is_folder(&path) && !is_folder(&path.join(LAMP)));
    assert_eq!(read(&path.join("ses_2b0aEmptyQuay")).map(|text| text.lines().count()), Ok(1));
    assert_eq!(crate::source::modified(&path.join(LAMP)), found(&path).0.iter().filter_map(|file| file.modified).max());
    let missing = read(&path.join("ses_none")).expect_err("there is none");
    assert!(
        missing.ends_with("ses_none: no such session in the database; run transcope DATABASE to list its sessions")
    );
    let whole = read(&path).expect_err("it is a list");
    assert!(whole.contains("it is a database of sessions; name one (DATABASE/ses_…)"), "{whole}");
}

#[test]
fn the_log_is_read_and_the_files_stay_as_they_are() {
    let (folder, path, writer) = database(FIRST);
    // Everything is in the log: the database itself has only its header.
    assert!(fs::metadata(log_of(&path)).expect("a log").len() > fs::metadata(&path).expect("a file").len());
    let other = tempfile::tempdir().expect("a folder");
    for name in ["opencode.db", "opencode.db-wal"] {
        fs::copy(folder.path().join(name), other.path().join(name)).expect("a copy");
    }
    let copy = other.path().join("opencode.db");
    for (folder, path) in [(other.path(), &copy), (folder.path(), &path)] {
        let before = state(folder);
        assert_eq!(read(&path.join(LAMP)).map(|text| text.lines().count()), Ok(7));
        assert_eq!(found(path).0.len(), 2);
        assert!(state(folder) == before, "{}", folder.display());
    }
    // Without its log, it has no tables.
    fs::remove_file(log_of(&copy)).expect("a file");
    let words = read(&copy.join(LAMP)).expect_err("it is empty");
    assert!(words.contains("without the tables of opencode (missing: session, message, part)"), "{words}");
    // What an agent writes meanwhile is seen by the next reader, and its locks hinder none.
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE session SET title = 'Dark';").expect("it is ours");
    assert!(read(&path.join(LAMP)).expect("a session").contains("Light the quay\""));
    writer.execute_batch("COMMIT").expect("it is ours");
    assert!(read(&path.join(LAMP)).expect("a session").contains("\"title\":\"Dark\""));
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("it is ours");
    assert!(read(&path.join(LAMP)).expect("a session").contains("\"title\":\"Dark\""));
}

#[test]
fn other_databases_and_damaged_ones_are_explained() {
    let (folder, path, writer) = database(FIRST);
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("it is ours");
    let bytes = fs::read(&path).expect("a file");
    let place = folder.path().join("bad.db");
    for (bytes, words) in [
        (&bytes[..2048], "the database is damaged or incomplete: "),
        (&bytes[..100], "the database is damaged or incomplete: "),
        (&[MAGIC, &[7; 4000]].concat(), "the database is damaged or incomplete: file is not a database"),
    ] {
        fs::write(&place, bytes).expect("a file");
        for error in [read(&place), read(&place.join(LAMP)), Err(found(&place).1.concat())] {
            let error = error.expect_err("it is damaged");
            assert!(error.contains("bad.db") && error.contains(words), "{error}");
        }
    }
    for (statements, words) in [
        ("CREATE TABLE bookmark (id)", "without the tables of opencode (missing: session, message, part)"),
        ("CREATE TABLE session (id); CREATE TABLE message (id)", "without the tables of opencode (missing: part)"),
        (
            "CREATE TABLE session (id, directory); CREATE TABLE message (id, session_id, time_created); CREATE TABLE part (id)",
            "its table message has no column data: it is not a database of opencode",
        ),
        (
            "CREATE TABLE message (id); CREATE TABLE part (id); CREATE VIEW session AS SELECT 1 AS id, 2 AS directory",
            "(missing: session)",
        ),
    ] {
        let (_folder, path, _writer) = database(statements);
        let error = read(&path.join(LAMP)).expect_err("it is another program's");
        assert!(error.contains(words), "{error}");
        let checked = crate::source::folder::check(&path).expect_err("it is another program's").to_string();
        assert!(checked.contains("could not open") && checked.contains(words), "{checked}");
    }
}

#[test]
fn rows_that_are_not_records_are_shown_and_parts_without_a_message_follow() {
    let (_folder, path, writer) = database(FIRST);
    writer
        .execute_batch(
            "UPDATE part SET data = 'no \"JSON\"' WHERE id = 'prt_02'; UPDATE part SET data = ' { } ' WHERE id = 'prt_01';
             UPDATE message SET data = x'7b22726f6c65223a2275736572227d' WHERE id = 'msg_01';
             UPDATE part SET message_id = 'msg_99' WHERE id = 'prt_03';",
        )
        .expect("it is ours");
    let text = read(&path.join(LAMP)).expect("a session");
    for line in [
        r#"{"id":"prt_02","sessionID":"ses_2b0aLampQuay","messageID":"msg_02","data":"no \"JSON\""}"#,
        r#"{"id":"prt_01","sessionID":"ses_2b0aLampQuay","messageID":"msg_01"}"#,
        r#"{"id":"msg_01","sessionID":"ses_2b0aLampQuay","role":"user"}"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    assert!(text.lines().last().is_some_and(|line| line.starts_with(r#"{"id":"prt_03""#)), "{text}");
}

#[test]
fn sessions_of_version_2_are_read_like_those_of_version_1() {
    let (_folder, path, writer) = database(&[FIRST, SECOND].concat());
    assert_eq!(found(&path).0.len(), 3);
    let path_of_session = path.join("ses_1f00TideQuay");
    let text = read(&path_of_session).expect("a session");
    for record in [
        r#"{"id":"prt_21_2","sessionID":"ses_1f00TideQuay","messageID":"msg_21","type":"file","url":"file:///home/lea/harbour/map.png","mime":"image/png","filename":"map.png"}"#,
        r#"{"id":"prt_23_3","sessionID":"ses_1f00TideQuay","messageID":"msg_23","type":"tool","callID":"call_7","tool":"bash","state":{"status":"completed","input":{"command":"gauge"},"output":"14:20","metadata":{"exit":0},"time":{"start":1764000004000,"end":1764000005000}}}"#,
        r#""state":{"status":"error","input":{"command":"gauge --all"},"error":"no such option","time":{"start":1764000006000,"end":1764000007000}}"#,
        r#"{"id":"msg_26","sessionID":"ses_1f00TideQuay","type":"omen","data":{"bird":"gull"}}"#,
    ] {
        assert!(text.contains(record), "{record} in {text}");
    }
    let session = session(&path_of_session);
    let document = session.document();
    let roles: Vec<_> =
        (0..document.messages().len()).filter_map(|message| document.messages().role(message)).collect();
    assert_eq!(document.calls().count(), 3, "{roles:?}");
    let prompts = roles.iter().filter(|role| **role == MessageRole::User).count();
    assert_eq!((prompts, roles.contains(&MessageRole::System)), (3, true), "{roles:?}");
    // A session that has moved is read from the newer tables.
    writer
        .execute_batch("INSERT INTO session_v2 SELECT id, project_id, NULL, slug, directory, 'Moved', version, 0, 1, 2 FROM session")
        .expect("it is ours");
    assert!(read(&path.join(LAMP)).expect("a session").contains("Light the quay"));
    writer
        .execute_batch("UPDATE session_message SET session_id = 'ses_2b0aLampQuay' WHERE id = 'msg_21'")
        .expect("it is ours");
    let moved = read(&path.join(LAMP)).expect("a session");
    assert!(moved.contains("\"title\":\"Moved\"") && moved.lines().count() == 4, "{moved}");
}

/// A session that is followed.
struct Followed {
    events: Receiver<SourceEvent>,
    text: String,
    messages: Vec<String>,
}

impl Followed {
    fn new(path: &Path) -> Self {
        let (sender, events) = channel();
        let spec = SourceSpec::File(path.to_owned());
        open(&spec, Follow::Name, move |event| sender.send(event).is_ok()).expect("opens");
        Self { events, text: String::new(), messages: Vec::new() }
    }

    /// Receives events until these are the ids of the records.
    #[track_caller]
    fn until(&mut self, ids: &[&str]) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.text.lines().map(|line| line.split('"').nth(3).unwrap_or_default()).ne(ids.iter().copied()) {
            let left = deadline.saturating_duration_since(Instant::now());
            let event = self.events.recv_timeout(left);
            match event.unwrap_or_else(|_| panic!("deadline, after {} {:?}", self.text, self.messages)) {
                SourceEvent::Chunk(bytes) => self.text += &String::from_utf8_lossy(&bytes),
                SourceEvent::Restarted(words) => {
                    self.text.clear();
                    self.messages.push(words);
                }
                SourceEvent::Notice(words) => self.messages.push(words),
                _ => {}
            }
        }
    }
}

#[test]
fn new_messages_of_a_followed_session_arrive_when_they_are_complete() {
    let (_folder, path, writer) = database(FIRST);
    let write = |statements: &str| writer.execute_batch(statements).expect("it is ours");
    let mut followed = Followed::new(&path.join(LAMP));
    let mut ids = vec![LAMP, "msg_01", "prt_01", "msg_02", "prt_02", "prt_03", "prt_04"];
    followed.until(&ids);
    // The prompt arrives; the answer waits for its end, although a part of it is there.
    write("BEGIN; INSERT INTO message VALUES
        ('msg_05', 'ses_2b0aLampQuay', 1762336861000, 0, '{\"role\":\"user\",\"time\":{\"created\":1762336861000}}'),
        ('msg_06', 'ses_2b0aLampQuay', 1762336862000, 0, '{\"role\":\"assistant\",\"time\":{\"created\":1762336862000}}');
        INSERT INTO part VALUES ('prt_07', 'msg_05', 'ses_2b0aLampQuay', 0, 0, '{\"type\":\"text\",\"text\":\"And off.\"}'),
        ('prt_08', 'msg_06', 'ses_2b0aLampQuay', 0, 0, '{\"type\":\"text\",\"text\":\"Of\"}'); COMMIT;");
    ids.extend(["msg_05", "prt_07"]);
    followed.until(&ids);
    // The summary of a prompt and a new title are no reason to start again.
    write("UPDATE part SET data = '{\"type\":\"text\",\"text\":\"Off.\"}' WHERE id = 'prt_08';
        UPDATE session SET title = 'Lamps', time_updated = 1762336870000 WHERE id = 'ses_2b0aLampQuay';
        UPDATE message SET data = '{\"role\":\"user\",\"time\":{\"created\":1762336861000},\"summary\":{\"diffs\":[]}}' WHERE id = 'msg_05';
        UPDATE message SET data = '{\"role\":\"assistant\",\"time\":{\"created\":1762336862000,\"completed\":1762336863000}}' WHERE id = 'msg_06';");
    ids.extend([LAMP, "msg_06", "prt_08"]);
    followed.until(&ids);
    assert!(followed.text.contains("\"Off.\"") && followed.text.contains("\"Lamps\""), "{}", followed.text);
    assert_eq!(followed.messages, [""; 0]);
    // An answer whose agent has ended is sent after a while.
    write(
        "INSERT INTO message VALUES ('msg_07', 'ses_2b0aLampQuay', 1762336864000, 0, '{\"role\":\"assistant\",\"time\":{\"created\":1}}')",
    );
    ids.push("msg_07");
    followed.until(&ids);
    write("DELETE FROM message WHERE id IN ('msg_06', 'msg_07'); DELETE FROM part WHERE id = 'prt_08'");
    followed.until(&[LAMP, "msg_01", "prt_01", "msg_02", "prt_02", "prt_03", "prt_04", "msg_05", "prt_07"]);
    let [restart] = &*followed.messages else { panic!("{:?}", followed.messages) };
    assert!(restart.ends_with("was changed; reading it from the start"), "{restart}");
}

#[test]
fn no_damage_stops_the_reader_or_keeps_it_busy() {
    let (folder, path, writer) = database(&[FIRST, SECOND].concat());
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); UPDATE session SET title = 'Dark';").expect("it is ours");
    let (whole, log) = (fs::read(&path).expect("a file"), fs::read(log_of(&path)).expect("a log"));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % limit as u64).expect("it is below the limit")
    };
    let began = Instant::now();
    for number in 0..1500 {
        let (mut bytes, mut changes) = (whole.clone(), log.clone());
        for _ in 0..=next(4) {
            let target = if next(5) == 0 { &mut changes } else { &mut bytes };
            // Structure is at the beginnings of pages.
            let at = if next(2) == 0 { next(target.len()) } else { next(target.len() / 4096) * 4096 + next(120) };
            let len = target.len();
            target[at.min(len - 1)] ^= 1 << next(8);
        }
        let path = folder.path().join(format!("{number}.db"));
        fs::write(&path, bytes).expect("a file");
        fs::write(log_of(&path), changes).expect("a file");
        let (files, _) = found(&path);
        for file in files {
            _ = read(&file.path);
        }
        fs::remove_file(&path).and_then(|()| fs::remove_file(log_of(&path))).expect("files");
    }
    assert!(began.elapsed() < Duration::from_mins(5), "{:?}", began.elapsed());
}
