//! Changes written as text: the patches of `apply_patch`, unified diffs, and blocks of SEARCH and REPLACE.
//!
//! Sources: the instructions for `apply_patch` of Codex; the tool `replace_in_file` of Cline and `apply_diff` of Roo Code;
//! POSIX `diff -u`.

use super::change::{Replacement, ReplacementScope, TextChange};

/// The line before a patch of `apply_patch`.
pub(super) const BEGIN: &str = "*** Begin Patch";

/// The files of a patch of `apply_patch`, which may be in a command of a shell.
pub(super) fn envelope(text: &str) -> Vec<(String, TextChange)> {
    let start = text.find(BEGIN).unwrap_or_default();
    let text = &text[start..];
    let mut files: Vec<PatchedFile> = Vec::new();
    for line in text.lines().skip(1) {
        let named = |heading: &str| line.strip_prefix(heading).map(|path| path.trim().to_owned());
        if line.starts_with("*** End Patch") {
            break;
        } else if let Some(path) = named("*** Add File:") {
            files.push(PatchedFile::new(path, PatchedFileKind::Added));
        } else if let Some(path) = named("*** Update File:") {
            files.push(PatchedFile::new(path, PatchedFileKind::Updated));
        } else if let Some(path) = named("*** Delete File:") {
            files.push(PatchedFile::new(path, PatchedFileKind::Deleted));
        } else if let Some(file) = files.last_mut() {
            if let Some(path) = named("*** Move to:") {
                file.target = Some(path);
            } else if !line.starts_with("*** ") {
                file.line(line);
            }
        }
    }
    files.into_iter().map(PatchedFile::finish).collect()
}

/// The files of a unified diff.
pub(super) fn unified(text: &str) -> Vec<(String, TextChange)> {
    let mut files: Vec<PatchedFile> = Vec::new();
    let mut old = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next_names_new = lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if let (true, Some(path)) = (next_names_new, line.strip_prefix("--- ")) {
            old = Some(diff_path(path));
        } else if let (Some(before), Some(path)) = (&old, line.strip_prefix("+++ ")) {
            let (before, after) = (before.clone(), diff_path(path));
            old = None;
            files.push(match (before, after) {
                (None, Some(path)) => PatchedFile::new(path, PatchedFileKind::Added),
                (Some(path), None) => PatchedFile::new(path, PatchedFileKind::Deleted),
                (Some(before), Some(after)) if before != after => {
                    PatchedFile { target: Some(after), ..PatchedFile::new(before, PatchedFileKind::Updated) }
                }
                (_, path) => PatchedFile::new(path.unwrap_or_default(), PatchedFileKind::Updated),
            });
        } else if let Some(file) = files.last_mut().filter(|_| !is_between_files(line)) {
            file.line(line);
        }
    }
    files.into_iter().map(PatchedFile::finish).collect()
}

/// True for the lines of `git diff` that precede the names of a file.
fn is_between_files(line: &str) -> bool {
    ["diff --git ", "index ", "new file mode ", "deleted file mode ", "\\ No newline"]
        .iter()
        .any(|beginning| line.starts_with(beginning))
}

/// The path of a line of a unified diff, without its `a/` or `b/` and its time; `None` for `/dev/null`.
fn diff_path(path: &str) -> Option<String> {
    let path = path.split('\t').next().unwrap_or(path).trim_end();
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    (path != "/dev/null").then(|| path.to_owned())
}

/// The replacements of a change of one file: blocks of SEARCH and REPLACE, or the hunks of a diff. `None` if it has another form.
pub(super) fn replacements(text: &str) -> Option<Vec<Replacement>> {
    let blocks = blocks(text);
    if !blocks.is_empty() {
        return Some(blocks);
    }
    let mut file = PatchedFile::new(String::new(), PatchedFileKind::Updated);
    let hunks = text.lines().skip_while(|line| !line.starts_with("@@"));
    hunks.for_each(|line| file.line(line));
    file.end_hunk();
    (!file.hunks.is_empty()).then_some(file.hunks)
}

/// Blocks such as `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`. Roo Code adds a number of a
/// line and `-------` after the first.
fn blocks(text: &str) -> Vec<Replacement> {
    let mut blocks = Vec::new();
    let mut open: Option<(Replacement, bool)> = None;
    for line in text.lines() {
        let is_marker = |signs: &[&str], word: &str| {
            line.trim_end()
                .strip_suffix(word)
                .is_some_and(|sign| signs.iter().any(|one| sign.trim_end().starts_with(one)))
        };
        if is_marker(&["<<<<<<<", "-------"], "SEARCH") || is_marker(&["<<<<<<<", "-------"], "SEARCH>") {
            let scope = ReplacementScope::Lines;
            open = Some((Replacement { old: String::new(), new: String::new(), scope }, false));
        } else if is_marker(&[">>>>>>>", "+++++++"], "REPLACE") {
            blocks.extend(open.take().map(|(block, _)| block));
        } else if let Some((block, is_new)) = &mut open {
            match line.trim_end() {
                "=======" if !*is_new => *is_new = true,
                "-------" if !*is_new && block.old.lines().all(|line| line.starts_with(":start_line:")) => {
                    block.old.clear();
                }
                _ => {
                    let side = if *is_new { &mut block.new } else { &mut block.old };
                    side.push_str(line);
                    side.push('\n');
                }
            }
        }
    }
    blocks
}

/// The part of a patch about one file, while it is read.
struct PatchedFile {
    path: String,
    kind: PatchedFileKind,
    target: Option<String>,
    hunks: Vec<Replacement>,
    open: Option<Replacement>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatchedFileKind {
    Added,
    Updated,
    Deleted,
}

impl PatchedFile {
    fn new(path: String, kind: PatchedFileKind) -> Self {
        Self { path, kind, target: None, hunks: Vec::new(), open: None }
    }

    /// Reads a line of a hunk, or the `@@` before one. A line without a sign is an unchanged one, as `apply_patch` takes it.
    fn line(&mut self, line: &str) {
        if line.starts_with("@@") {
            return self.end_hunk();
        }
        let hunk = self.open.get_or_insert_with(|| Replacement {
            old: String::new(),
            new: String::new(),
            scope: ReplacementScope::Lines,
        });
        let (old, new, text) = match line.as_bytes().first() {
            Some(b'+') => (false, true, &line[1..]),
            Some(b'-') => (true, false, &line[1..]),
            Some(b' ') => (true, true, &line[1..]),
            _ => (true, true, line),
        };
        for (side, text) in
            [old.then_some((&mut hunk.old, text)), new.then_some((&mut hunk.new, text))].into_iter().flatten()
        {
            side.push_str(text);
            side.push('\n');
        }
    }

    fn end_hunk(&mut self) {
        self.hunks.extend(self.open.take().filter(|hunk| hunk.old != hunk.new));
    }

    fn finish(mut self) -> (String, TextChange) {
        self.end_hunk();
        let change = match (self.kind, self.target) {
            (PatchedFileKind::Added, _) => TextChange::Write(self.hunks.into_iter().map(|hunk| hunk.new).collect()),
            (PatchedFileKind::Deleted, _) => TextChange::Delete,
            (PatchedFileKind::Updated, Some(target)) => TextChange::Move(target, self.hunks),
            (PatchedFileKind::Updated, None) => TextChange::Replace(self.hunks),
        };
        (self.path, change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(files: &[(String, TextChange)]) -> String {
        let one = |(path, change): &(String, TextChange)| {
            let hunks = |list: &[Replacement]| -> String {
                list.iter().flat_map(|hunk| [" [", &hunk.old, "|", &hunk.new, "]"]).collect()
            };
            let what = match change {
                TextChange::Replace(list) => hunks(list),
                TextChange::Move(target, list) => format!(" to {target}{}", hunks(list)),
                other => format!(" {other:?}"),
            };
            format!("{path}{}", what.replace("\\n", "/").replace('\n', "/"))
        };
        files.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_patch_is_a_list_of_files_with_their_hunks() {
        for (patch, expected) in [
            (
                "*** Begin Patch\n*** Update File: a\n@@ fn x\n one\n-two\n+TWO\n@@\n+three\n four\n*** End of File\n*** Add File: b\n+x\n+\n*** Delete File: c\n*** End Patch\n*** Add File: d",
                r#"a [one/two/|one/TWO/] [four/|three/four/]; b Write("x\n\n"); c Delete"#,
            ),
            (
                "bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n\n*** End Patch\nEOF\"",
                "a to b [x//|y//]",
            ),
            ("*** Begin Patch", ""),
            ("*** Begin Patch\nx\n*** Update File: a", "a"),
        ] {
            assert_eq!(shown(&envelope(patch)), expected.replace("\\n", "/"), "{patch}");
        }
        for (diff, expected) in [
            (
                "diff --git a/x b/x\nindex 1..2\n--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ No newline at end of file\n",
                "x [one/two/|one/TWO/]",
            ),
            ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n", r#"x Write("one/")"#),
            ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "x Delete"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n-x\n+y\n", "x [-- old/x/|y/]"),
            ("", ""),
        ] {
            assert_eq!(shown(&unified(diff)), expected, "{diff}");
        }
    }

    #[test]
    fn blocks_and_hunks_are_the_replacements_of_one_file() {
        for (text, expected) in [
            ("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "[x/|y/]"),
            ("------- SEARCH\nx\n=======\n+++++++ REPLACE\n------- SEARCH\n=======\nz\n+++++++ REPLACE", "[x/|] [|z/]"),
            ("<<<<<<< SEARCH\n:start_line:3\n-------\nx\n=======\ny\n>>>>>>> REPLACE", "[x/|y/]"),
            ("@@ -1 +1 @@\n-x\n+y", "[x/|y/]"),
            ("<<<<<<< SEARCH\nx", ""),
            ("make x larger", ""),
        ] {
            let found = replacements(text).unwrap_or_default();
            let shown: Vec<String> =
                found.iter().map(|one| format!("[{}|{}]", one.old, one.new).replace('\n', "/")).collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }
}
