//! Reading whole texts: as a process, and as a library in chunks; friendly texts and hostile ones. Independent of
//! screens.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;

use transcope::container::{Container, ContainerReader};
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::source::CHUNK;
use transcope::text::store::Backing;

use crate::inputs::{LARGE, MEDIUM, PROGRAM, Setting};
use crate::process::{self, command, installed, milliseconds, paired};
use crate::table::{Table, goal, time};

/// `check` of a file.
pub fn checks(setting: &Setting, path: &Path) -> Command {
    let mut command = command(PROGRAM, setting.home.path());
    command.arg("check").arg(path);
    command
}

/// A transcript, compared with `wc -l`.
pub fn check(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    let count = || {
        let mut count = command("wc", setting.home.path());
        count.arg("-l").arg(&path);
        count
    };
    if !installed("wc") {
        table.remark("check of 1 GB", "wc is not installed", "");
        return Ok(());
    }
    let peer = Some(|| process::time(count()));
    let times = paired(setting.runs(5), || process::time(checks(setting, &path)), peer);
    table.ratio("check of 1 GB", "wc -l", times, goal(7.0, 5.0));
    // More reliable where other programs keep the processors busy.
    let busy = (process::processor(checks(setting, &path))?, process::processor(count())?);
    let words = format!("{:.2} x", busy.0 / busy.1);
    let what = format!("check of 1 GB, time of processors: {}", time(busy.0));
    table.remark(&what, &format!("wc -l: {}", time(busy.1)), &words);
    Ok(())
}

/// A filter, compared with `check` of the same file.
pub fn filter(setting: &Setting, table: &mut Table) -> Result<()> {
    let path = setting.file("transcript", LARGE)?;
    for (expression, words) in [
        ("failed", "by outcome"),
        ("tool:Write* not has:problem", "by tool and problem"),
        ("arg:path~src/", "by a parameter"),
        ("/zebra/", "by a regular expression"),
    ] {
        let ours = || {
            let mut command = command(PROGRAM, setting.home.path());
            command.args(["grep", expression]).arg(&path);
            process::time(command)
        };
        let times = paired(setting.runs(3), ours, Some(|| process::time(checks(setting, &path))));
        table.ratio(&format!("grep of 1 GB, {words}"), "check of it", times, goal(2.0, 2.0));
    }
    Ok(())
}

/// Texts that are hard to read, compared with a transcript of the same size and with a tenth of it.
pub fn hostile(setting: &Setting, table: &mut Table) -> Result<()> {
    let shapes = [
        ("nearmiss", MEDIUM, "near misses"),
        ("tiny", 55_000_000, "a million tiny blocks"),
        ("manyargs", 3_000_000, "100,000 arguments in one call"),
        ("neverends", MEDIUM, "an open block of 100 MB"),
        ("longline", MEDIUM, "a line of 100 MB"),
        ("longline-marks", MEDIUM, "a line of 100 MB, full of marks"),
    ];
    for (shape, length, words) in shapes {
        let path = setting.file(shape, length)?;
        let friendly = setting.file("transcript", length)?;
        let tenth = setting.file(shape, length / 10)?;
        let ours = || process::time(checks(setting, &path));
        let times = paired(setting.runs(3), ours, Some(|| process::time(checks(setting, &friendly))));
        table.ratio(&format!("check, {words}"), "a transcript of that size", times, goal(4.0, 2.0));
        let times = paired(setting.runs(3), ours, Some(|| process::time(checks(setting, &tenth))));
        table.ratio(&format!("check, {words}"), "a tenth of it", times, goal(12.0, 12.0));
    }
    Ok(())
}

/// Milliseconds in which a session reads a text from a source that can be read again.
pub fn takes_in(text: &Arc<[u8]>, piece: usize) -> Result<f64> {
    takes_in_as(Container::default(), text, piece).map(|(time, _)| time)
}

/// The same for a container. Returns the session too.
fn takes_in_as(container: Container, text: &Arc<[u8]>, piece: usize) -> Result<(f64, Session)> {
    let begun = Instant::now();
    let mut session = Session::new(container, &Options::default());
    session.back(Backing::new(Arc::clone(text)));
    for piece in black_box(text).chunks(piece) {
        session.push(piece);
    }
    session.finish();
    let time = begun.elapsed();
    black_box(&session);
    Ok((milliseconds(time), session))
}

/// Small chunks, compared with large ones.
pub fn pieces(setting: &Setting, table: &mut Table) -> Result<()> {
    for (shape, words) in [("transcript", "a transcript"), ("nomarks", "prose"), ("neverends", "an open block")] {
        let text = setting.text(shape, MEDIUM / 10).into();
        let times = paired(setting.runs(5), || takes_in(&text, 16), Some(|| takes_in(&text, 64 * 1024)));
        table.ratio(&format!("{words} of 10 MB in pieces of 16 B"), "of 64 KiB", times, goal(4.0, 2.0));
    }
    Ok(())
}

/// Calls of many dialects compared with calls of one, independent of the other text: milliseconds for a thousand calls.
pub fn mixed(setting: &Setting, table: &mut Table) -> Result<()> {
    let [many, one] = ["mixed", "transcript"].map(|shape| Arc::from(setting.text(shape, MEDIUM)));
    let thousand = |text| {
        let (time, session) = takes_in_as(Container::default(), text, 4096)?;
        Ok(time * 1000.0 / session.document().calls().count() as f64)
    };
    let times = paired(setting.runs(5), || thousand(&many), Some(|| thousand(&one)));
    table.ratio("1,000 calls of nine dialects in pieces of 4 KB", "of the gadget dialect", times, goal(1.0, 1.0));
    Ok(())
}

/// A record of a session, as deserialised by a program that needs all of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is only read")]
struct Record {
    parent_uuid: Option<String>,
    session_id: String,
    #[serde(rename = "type")]
    kind: String,
    message: Message,
    uuid: String,
    timestamp: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only read")]
struct Message {
    id: Option<String>,
    role: String,
    content: Vec<Part>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only read")]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<serde_json::Value>,
}

/// A recorded session, compared with `serde_json` for its records and with all the work of a session.
pub fn jsonl(setting: &Setting, table: &mut Table) -> Result<()> {
    let text: Arc<[u8]> = setting.text("jsonl", MEDIUM).into();
    let container = Container::named("auto").map_err(anyhow::Error::msg)?;
    let typed = || {
        let begun = Instant::now();
        let lines = black_box(&text).split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let records: Vec<Record> = lines.map(serde_json::from_slice).collect::<Result<_, _>>()?;
        let time = begun.elapsed();
        black_box(&records);
        Ok(milliseconds(time))
    };
    let mut found = "nothing";
    let reads = || {
        let begun = Instant::now();
        let mut reader = ContainerReader::new(container);
        for piece in black_box(&text).chunks(CHUNK) {
            black_box(reader.push(piece));
        }
        black_box(reader.finish());
        let time = begun.elapsed();
        found = reader.choice().map_or("nothing", |choice| choice.about.name);
        Ok(milliseconds(time))
    };
    let times = paired(setting.runs(5), reads, Some(typed));
    table.ratio(&format!("100 MB JSONL, its records as {found}"), "serde_json, typed", times, goal(2.5, 1.7));
    let mut read_as = "nothing";
    let ours = || {
        let (time, session) = takes_in_as(container, &text, CHUNK)?;
        read_as = session.choice().map_or("nothing", |choice| choice.about.name);
        Ok(time)
    };
    let times = paired(setting.runs(5), ours, Some(typed));
    table.ratio(&format!("100 MB JSONL, a session of {read_as}"), "serde_json, typed", times, goal(2.5, 1.7));
    Ok(())
}
