//! Editing a text of the UI in the user's own editor.
//!
//! A text equal to its file is edited in that file, any other in a temporary file. The temporary file is kept if its
//! content could not be used.

use crate::tui::message::{EditorDraft, EditorOutcome};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use tempfile::TempPath;

use crate::text::sanitize::{io_error_text, visible_str};

/// Default extension of the temporary file.
const ENDING: &str = "txt";

/// Exit codes of the shell for a command that does not exist or cannot be run.
const NOT_STARTED: [i32; 2] = [126, 127];

/// The file that the editor opens.
enum EditedFile {
    Own(PathBuf),
    Temporary(TempPath),
}

/// Starts the user's editor in the terminal on another thread, and passes its outcome to `tell` there.
///
/// # Errors
/// The editor could not be started; one line says why.
pub fn edit(
    draft: EditorDraft,
    tell: impl FnOnce(Result<EditorOutcome, String>) + Send + 'static,
) -> Result<(), String> {
    let editor = editor(|name| std::env::var_os(name));
    let place = EditedFile::new(&draft)
        .map_err(|error| format!("could not write the text for an editor: {}", io_error_text(&error)))?;
    let cannot = |error: io::Error| format!("could not start an editor: {}", io_error_text(&error));
    let name = visible_str(&editor.to_string_lossy()).into_owned();
    // The thread that waits for the editor also starts it: without it the editor would share the terminal with this
    // program.
    let work = move || {
        let started = keys().and_then(|keys| start(&editor, place.path(), keys)).map_err(cannot);
        let ended = started.and_then(|mut child| {
            child.wait().map_err(|error| format!("could not get the exit status of {name}: {}", io_error_text(&error)))
        });
        tell(ended.and_then(|status| outcome(&name, status, place, &draft.text)));
    };
    thread::Builder::new().name("editor".to_owned()).spawn(work).map(drop).map_err(cannot)
}

/// The editor: `$VISUAL`, else `$EDITOR`, else `vi`. An empty variable counts as unset.
fn editor(look_up: impl Fn(&str) -> Option<OsString>) -> OsString {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(look_up).find(|value| !value.is_empty());
    named.unwrap_or_else(|| "vi".into())
}

/// The editor's standard input: the terminal, even if the transcript comes from a pipe.
fn keys() -> io::Result<Stdio> {
    if io::stdin().is_terminal() { Ok(Stdio::inherit()) } else { File::open("/dev/tty").map(Stdio::from) }
}

/// Waits until Enter is pressed on the terminal.
///
/// # Errors
/// The terminal cannot be read.
pub fn wait_for_enter() -> io::Result<()> {
    let mut line = String::new();
    if io::stdin().is_terminal() {
        io::stdin().read_line(&mut line)?;
    } else {
        BufReader::new(File::open("/dev/tty")?).read_line(&mut line)?;
    }
    Ok(())
}

/// The editor may be a command line with options, such as `code --wait`, so a shell parses it. The path is an argument,
/// never part of the line.
fn start(editor: &OsString, path: &Path, keys: Stdio) -> io::Result<Child> {
    let mut line = editor.clone();
    line.push(" \"$1\"");
    Command::new("/bin/sh").arg("-c").arg(line).arg("editor").arg(path).stdin(keys).spawn()
}

impl EditedFile {
    fn new(draft: &EditorDraft) -> io::Result<Self> {
        if let (Some(path), true) = (&draft.path, draft.is_saved) {
            return Ok(Self::Own(path.clone()));
        }
        let ending = draft.path.as_deref().and_then(Path::extension).unwrap_or(ENDING.as_ref());
        let mut suffix = OsString::from(".");
        suffix.push(ending);
        let mut file = tempfile::Builder::new().prefix("transcope-").suffix(&suffix).tempfile()?;
        file.write_all(draft.text.as_bytes())?;
        Ok(Self::Temporary(file.into_temp_path()))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Own(path) => path,
            Self::Temporary(path) => path,
        }
    }

    /// Keeps the file and returns its name for display.
    fn keep(self) -> String {
        let path = match self {
            Self::Own(path) => path,
            Self::Temporary(path) => path.keep().unwrap_or_else(|error| error.path.to_path_buf()),
        };
        visible_str(&path.to_string_lossy()).into_owned()
    }
}

/// The outcome after the editor has ended.
fn outcome(name: &str, status: ExitStatus, place: EditedFile, before: &str) -> Result<EditorOutcome, String> {
    if status.code().is_some_and(|code| NOT_STARTED.contains(&code)) {
        return Err(format!("could not start {name}; set VISUAL or EDITOR to an installed editor"));
    }
    let left = fs::read(place.path());
    if !status.success() {
        let is_other = left.is_ok_and(|left| left != before.as_bytes());
        let rest = if is_other { format!("; its output is in {}", place.keep()) } else { String::new() };
        return Err(format!("{name} failed ({status}); the text is unchanged{rest}"));
    }
    let left = left.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("{name} deleted the file; the text is unchanged"),
        _ => format!("could not read the file written by {name}; the text is unchanged: {}", io_error_text(&error)),
    })?;
    let Ok(text) = String::from_utf8(left) else {
        return Err(format!("{name} wrote invalid UTF-8; the text is unchanged; its output is in {}", place.keep()));
    };
    let path = if let EditedFile::Own(path) = place { Some(path) } else { None };
    Ok(EditorOutcome { text, path })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// The outcome when this shell line is the editor; the path of the text is appended to it.
    fn check(line: &str, draft: &EditorDraft) -> (Result<EditorOutcome, String>, PathBuf) {
        let place = EditedFile::new(draft).expect("a file can be written");
        let path = place.path().to_path_buf();
        let mut child = start(&line.into(), &path, Stdio::null()).expect("a shell is there");
        let (send, receive) = mpsc::channel();
        thread::spawn(move || send.send(child.wait().expect("it ends")));
        let status = receive.recv_timeout(Duration::from_secs(10)).expect("it ends soon");
        (outcome("ed", status, place, &draft.text), path)
    }

    #[test]
    fn what_an_editor_leaves_is_taken_over_or_said_and_kept() {
        let draft = EditorDraft { text: "one\n".into(), path: Some("no/a.md".into()), is_saved: false };
        let (edited, path) = check("printf two >", &draft);
        assert_eq!(edited, Ok(EditorOutcome { text: "two".into(), path: None }));
        assert_eq!(path.extension(), Some("md".as_ref()));
        assert!(!path.exists(), "what was taken over is not kept");
        for (line, words, kept) in [
            ("no-editor-of-this-name", "could not start ed; set VISUAL or EDITOR to an installed editor", None),
            ("rm", "ed deleted the file; the text is unchanged", None),
            ("sh -c 'exit 3'", "ed failed (exit status: 3); the text is unchanged", None),
            (
                "sh -c 'printf half > \"$0\"; exit 1'",
                "ed failed (exit status: 1); the text is unchanged; its output is in ",
                Some("half"),
            ),
            (
                "sh -c 'printf \"\\377\" > \"$0\"'",
                "ed wrote invalid UTF-8; the text is unchanged; its output is in ",
                Some("\u{fffd}"),
            ),
        ] {
            let (edited, path) = check(line, &draft);
            let said = edited.expect_err(line);
            let expected = if kept.is_some() { format!("{words}{}", path.display()) } else { words.to_owned() };
            assert_eq!(said, expected, "{line}");
            assert_eq!(fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).as_deref(), kept);
            drop(fs::remove_file(path));
        }
    }

    #[test]
    fn a_text_that_is_as_its_file_is_is_edited_there() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("a b.txt");
        let draft = EditorDraft { text: String::new(), path: Some(path.clone()), is_saved: true };
        let (edited, used) = check("sh -c 'printf new > \"$0\"'", &draft);
        assert_eq!((edited, &used), (Ok(EditorOutcome { text: "new".into(), path: Some(path.clone()) }), &path));
        assert_eq!(fs::read_to_string(path).expect("readable"), "new");
    }

    #[test]
    fn the_editor_is_the_one_that_the_person_has_chosen() {
        for (visual, other, expected) in
            [(Some("a"), Some("b"), "a"), (Some(""), Some("b"), "b"), (None, Some("b -w"), "b -w"), (None, None, "vi")]
        {
            let look_up = |name: &str| if name == "VISUAL" { visual } else { other }.map(OsString::from);
            assert_eq!(editor(look_up), expected);
        }
    }
}
