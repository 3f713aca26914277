//! The changes that a session makes to files, as a patch for `git apply` and as JSON.
//!
//! Source of the form of a patch: the extended headers of `git diff`; its rules for quoting paths.

use std::io::{self, Write};
use std::ops::Range;

use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::file_history::{ChangedFile, FileSum};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::Walk;

/// Unchanged lines around a change, as in `git diff`.
const CONTEXT: usize = 3;

/// Maximum product of the lines of two texts that are compared; larger ones are replaced as a whole.
const MAX_COMPARED: usize = 400_000_000;

/// Writes the sums of the changes as one patch. A file whose text the session does not show becomes a comment with its edits,
/// which `git apply` ignores.
pub fn write_patch<W: Write>(out: &mut W, files: &[&ChangedFile]) -> io::Result<()> {
    files.iter().try_for_each(|file| write_file(out, file))
}

/// True if a patch has something of a file: its text differs, or it has edits that cannot be placed.
pub fn is_in_patch(file: &ChangedFile) -> bool {
    match file.sum() {
        FileSum::Known { before, after } => before != after,
        FileSum::Parts(parts) => !parts.is_empty() || file.is_changed(),
    }
}

fn write_file<W: Write>(out: &mut W, file: &ChangedFile) -> io::Result<()> {
    if !is_in_patch(file) {
        return Ok(());
    }
    let path = file.path.trim_start_matches('/');
    match file.sum() {
        FileSum::Known { before, after } => {
            let (old, new) = (quoted("a/", path), quoted("b/", path));
            writeln!(out, "diff --git {old} {new}")?;
            if before.is_none() {
                writeln!(out, "new file mode 100644")?;
            } else if after.is_none() {
                writeln!(out, "deleted file mode 100644")?;
            }
            let (before_text, after_text) = (before.unwrap_or_default(), after.unwrap_or_default());
            if before_text != after_text {
                writeln!(out, "--- {}", if before.is_some() { &old } else { "/dev/null" })?;
                writeln!(out, "+++ {}", if after.is_some() { &new } else { "/dev/null" })?;
                write_hunks(out, before_text, after_text)?;
            }
            Ok(())
        }
        FileSum::Parts(parts) => {
            writeln!(out, "# {}: the session does not show its whole text; its edits, in order:", quoted("", path))?;
            for (number, (old, new)) in parts.iter().enumerate() {
                writeln!(out, "# edit {}", number + 1)?;
                for (sign, text) in [('-', old), ('+', new)] {
                    text.lines().try_for_each(|line| writeln!(out, "# {sign}{line}"))?;
                }
            }
            if parts.is_empty() {
                writeln!(out, "# no texts: the arguments of its calls do not have the changed lines")?;
            }
            Ok(())
        }
    }
}

fn write_hunks<W: Write>(out: &mut W, before: &str, after: &str) -> io::Result<()> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let operations = if old.len().saturating_mul(new.len()) > MAX_COMPARED {
        vec![DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() }]
    } else {
        capture_diff_slices(Algorithm::Myers, &old, &new)
    };
    for hunk in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            lines => format!("{},{lines}", start + 1),
        };
        let (in_old, in_new) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        writeln!(out, "@@ -{} +{} @@", range(in_old.start, in_old.end), range(in_new.start, in_new.end))?;
        for operation in hunk {
            let (in_old, in_new) = (operation.old_range(), operation.new_range());
            if let DiffOp::Equal { .. } = operation {
                write_lines(out, ' ', &old, in_old)?;
            } else {
                write_lines(out, '-', &old, in_old)?;
                write_lines(out, '+', &new, in_new)?;
            }
        }
    }
    Ok(())
}

fn write_lines<W: Write>(out: &mut W, sign: char, lines: &[&str], range: Range<usize>) -> io::Result<()> {
    for line in &lines[range] {
        match line.strip_suffix('\n') {
            Some(line) => writeln!(out, "{sign}{line}")?,
            None => writeln!(out, "{sign}{line}\n\\ No newline at end of file")?,
        }
    }
    Ok(())
}

/// A path with a prefix; in quotation marks, with escapes, if it has characters that would end it.
fn quoted(prefix: &str, path: &str) -> String {
    if !path.contains(|letter: char| letter.is_control() || letter == '"' || letter == '\\') {
        return format!("{prefix}{path}");
    }
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        0..=31 | 127.. => format!("\\{byte:03o}"),
        _ => char::from(byte).to_string(),
    };
    format!("\"{prefix}{}\"", path.bytes().map(escape).collect::<String>())
}

/// Writes one JSON object with the calls of each file of a session, or of a part of it, and its patch.
pub fn write_json<W: Write>(
    out: &mut W,
    session: &Session,
    files: &[&ChangedFile],
    part: Option<&Selection>,
) -> io::Result<()> {
    let mut walk = Walk::default();
    let records: Vec<Value> = files.iter().map(|file| record(session, file, &mut walk)).collect::<io::Result<_>>()?;
    let mut object = ObjectWriter::new(out);
    object.member("schema_version", &SCHEMA_VERSION)?;
    if let Some(part) = part {
        object.member("filter", &part.filter().to_string())?;
    }
    object.list("files", records.into_iter())?.end()
}

fn record(session: &Session, file: &ChangedFile, walk: &mut Walk) -> io::Result<Value> {
    let document = session.document();
    let calls: Vec<Value> = file
        .touches
        .iter()
        .filter_map(|touch| Some((touch, document.call(touch.item)?)))
        .map(|(touch, call)| {
            json!({
                "item": touch.item,
                "line": session.position_by(walk, call.span.start).line,
                "name": call.name(session.text()),
                "id": call.id(session.text()),
                "kind": touch.kind.word(),
                "failed": touch.failed,
                "added": touch.lines.added,
                "removed": touch.lines.removed,
            })
        })
        .collect();
    let mut patch = Vec::new();
    write_file(&mut patch, file)?;
    let (lines, known) = (file.lines(), matches!(file.sum(), FileSum::Known { .. }));
    Ok(json!({
        "path": file.path,
        "changed": file.is_changed(),
        "added": lines.added,
        "removed": lines.removed,
        "text_known": known,
        "changed_outside": file.changed_outside(),
        "calls": calls,
        "patch": String::from_utf8_lossy(&patch),
    }))
}
