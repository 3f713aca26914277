//! The changes to files that a call asks for, recognized by its arguments.
//!
//! Names of tools differ between agents and versions, keys hardly do: a path with an old and a new text is an edit, a path with
//! a content is a file that is written. Names decide only where keys do not: reading, deleting, moving. Not recognized: what
//! commands of a shell do to files, except patches that they are given.

use serde_json::{Map, Value};

use super::change::{Replacement, ReplacementScope, TextChange};
use super::patch;

/// Keys of the path of a file.
const PATHS: [&str; 17] = [
    "file_path",
    "filePath",
    "filepath",
    "absolute_path",
    "absolutePath",
    "AbsolutePath",
    "target_file",
    "targetFile",
    "TargetFile",
    "notebook_path",
    "relative_path",
    "relativePath",
    "relative_workspace_path",
    "path",
    "filename",
    "file",
    "uri",
];

/// Keys of the old and the new text of an edit: of Claude Code, JavaScript tools, MCP filesystem servers, Anthropic's text editor
/// tool, aider, Windsurf.
pub const OLD_AND_NEW: [[&str; 2]; 9] = [
    ["old_string", "new_string"],
    ["oldString", "newString"],
    ["oldText", "newText"],
    ["old_text", "new_text"],
    ["old_str", "new_str"],
    ["oldStr", "newStr"],
    ["search", "replace"],
    ["TargetContent", "ReplacementContent"],
    ["find", "replace"],
];

/// Keys of lists of edits.
const EDIT_LISTS: [&str; 6] = ["edits", "replacements", "ReplacementChunks", "changes", "diffs", "operations"];

/// Keys of the whole text of a file.
const CONTENTS: [&str; 10] = [
    "content",
    "contents",
    "file_text",
    "fileText",
    "text",
    "new_content",
    "newContent",
    "CodeContent",
    "file_content",
    "new_source",
];

/// Keys that limit what is read of a file.
const RANGES: [&str; 16] = [
    "offset",
    "limit",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "start",
    "end",
    "view_range",
    "viewRange",
    "range",
    "StartLine",
    "EndLine",
    "start_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "line_range",
];

/// Keys of the path that a file is moved to.
const TARGETS: [&str; 7] =
    ["destination", "new_path", "newPath", "to", "target", "destination_path", "target_file_path"];

/// Levels of lists and objects that are searched for a patch.
const MAX_DEPTH: usize = 4;

/// The files that a call reads or changes, with their paths as it names them. A call to a tool that does something else, such
/// as a search in a folder, has none.
pub fn changes(name: &str, arguments: &Value) -> Vec<(String, TextChange)> {
    if let Some(patch) = patch_within(arguments, 0) {
        return patch::envelope(patch);
    }
    let Some(members) = arguments.as_object() else { return Vec::new() };
    let words = words(name);
    let path = PATHS.iter().find_map(|key| members.get(*key)?.as_str()).filter(|path| !path.is_empty());
    let Some(path) = path else {
        // A unified diff names its files.
        let diff = ["patch", "diff"].iter().find_map(|key| members.get(*key)?.as_str());
        return diff.map(patch::unified).unwrap_or_default();
    };
    change(&words, members)
        .map(|change| (path.strip_prefix("file://").unwrap_or(path).to_owned(), change))
        .into_iter()
        .collect()
}

fn change(words: &[String], members: &Map<String, Value>) -> Option<TextChange> {
    let is = |candidates: &[&str]| words.iter().any(|word| candidates.contains(&word.as_str()));
    // The text editor of Anthropic has several commands in one tool.
    match members.get("command").and_then(Value::as_str) {
        Some("view") => return Some(TextChange::Read { whole: !has_range(members) }),
        Some("insert") => return insertion(members),
        Some("undo_edit") => return Some(TextChange::Unclear),
        _ => {}
    }
    if is(&["search", "grep", "find", "glob", "list", "ls"]) && !is(&["replace", "edit"]) {
        return None;
    }
    let listed = EDIT_LISTS.iter().find_map(|key| members.get(*key)?.as_array());
    let listed: Vec<Replacement> = listed.into_iter().flatten().filter_map(replacement).collect();
    if !listed.is_empty() {
        return Some(TextChange::Replace(listed));
    }
    if let Some(one) = replacement_in(members) {
        return Some(if one.old.is_empty() { TextChange::Write(one.new) } else { TextChange::Replace(vec![one]) });
    }
    for key in ["diff", "patch", "blocks"] {
        if let Some(text) = members.get(key).and_then(Value::as_str) {
            return Some(patch::replacements(text).map_or(TextChange::Unclear, TextChange::Replace));
        }
    }
    if is(&["insert"]) {
        return insertion(members).or(Some(TextChange::Unclear));
    }
    if let Some(text) = CONTENTS.iter().find_map(|key| members.get(*key)?.as_str()) {
        let is_partial = is(&["notebook", "insert"]) || members.contains_key("instructions");
        return Some(match () {
            () if is_partial => TextChange::Unclear,
            () if is(&["append"]) => TextChange::Append(text.to_owned()),
            () => TextChange::Write(text.to_owned()),
        });
    }
    if members.contains_key("code_edit") || members.contains_key("CodeEdit") {
        return Some(TextChange::Unclear);
    }
    if is(&["delete", "remove"]) {
        return Some(TextChange::Delete);
    }
    if is(&["move", "rename"]) {
        let target = TARGETS.iter().find_map(|key| members.get(*key)?.as_str())?;
        return Some(TextChange::Move(target.to_owned(), Vec::new()));
    }
    let reads = is(&["read", "view", "cat", "open", "show"]) && !is(&["url", "image", "directory", "folder", "dir"]);
    reads.then(|| TextChange::Read { whole: !has_range(members) })
}

/// The words of a tool's name in lower case, without the name of its server (`mcp__files__read_file`).
fn words(name: &str) -> Vec<String> {
    let own = name.rsplit("__").next().unwrap_or(name);
    let own = own.rsplit(['.', '/', ':']).next().unwrap_or(own);
    let mut words: Vec<String> = Vec::new();
    let mut after_lower = false;
    for letter in own.chars() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
        } else if words.is_empty() || (letter.is_uppercase() && after_lower) {
            words.push(letter.to_lowercase().collect());
        } else if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase();
    }
    words
}

fn has_range(members: &Map<String, Value>) -> bool {
    RANGES.iter().any(|key| members.get(*key).is_some_and(|value| !value.is_null()))
}

fn insertion(members: &Map<String, Value>) -> Option<TextChange> {
    let line = ["insert_line", "insertLine", "line"].iter().find_map(|key| members.get(*key)?.as_u64())?;
    let text =
        ["insert_text", "new_str", "newStr", "text", "content"].iter().find_map(|key| members.get(*key)?.as_str());
    Some(TextChange::Insert(usize::try_from(line).ok()?, text?.to_owned()))
}

fn replacement(entry: &Value) -> Option<Replacement> {
    replacement_in(entry.as_object()?)
}

fn replacement_in(members: &Map<String, Value>) -> Option<Replacement> {
    let text = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned);
    let (old, new) = OLD_AND_NEW.iter().find_map(|[old, new]| Some((text(old)?, text(new)?)))?;
    let all = ["replace_all", "replaceAll", "AllowMultiple", "allow_multiple"];
    let all = all.iter().any(|key| members.get(*key).and_then(Value::as_bool) == Some(true))
        || members.get("expected_replacements").and_then(Value::as_u64).is_some_and(|count| count > 1);
    Some(Replacement { old, new, scope: if all { ReplacementScope::All } else { ReplacementScope::First } })
}

/// The first text in arguments that holds a patch in the form of `apply_patch`: an argument of that tool, or of a shell.
fn patch_within(value: &Value, depth: usize) -> Option<&str> {
    match value {
        Value::String(text) => text.contains(patch::BEGIN).then_some(text),
        Value::Array(list) if depth < MAX_DEPTH => list.iter().find_map(|entry| patch_within(entry, depth + 1)),
        Value::Object(members) if depth < MAX_DEPTH => {
            members.values().find_map(|member| patch_within(member, depth + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recognized_by_their_keys_and_by_the_words_of_their_names() {
        for (name, arguments, expected) in [
            ("Read", r#"{"file_path": "a"}"#, "a Read { whole: true }"),
            ("Read", r#"{"file_path": "a", "offset": 3}"#, "a Read { whole: false }"),
            ("mcp__files__read_file", r#"{"path": "a", "limit": null}"#, "a Read { whole: true }"),
            ("readFile", r#"{"uri": "file:///a"}"#, "/a Read { whole: true }"),
            (
                "str_replace_based_edit_tool",
                r#"{"command": "view", "path": "a", "view_range": [1, 2]}"#,
                "a Read { whole: false }",
            ),
            (
                "str_replace_based_edit_tool",
                r#"{"command": "create", "path": "a", "file_text": "x"}"#,
                r#"a Write("x")"#,
            ),
            (
                "str_replace_based_edit_tool",
                r#"{"command": "insert", "path": "a", "insert_line": 2, "insert_text": "x"}"#,
                r#"a Insert(2, "x")"#,
            ),
            ("Write", r#"{"file_path": "a", "content": "x"}"#, r#"a Write("x")"#),
            ("append_to_file", r#"{"path": "a", "content": "x"}"#, r#"a Append("x")"#),
            (
                "Edit",
                r#"{"file_path": "a", "old_string": "x", "new_string": "y"}"#,
                r#"a Replace([Replacement { old: "x", new: "y", scope: First }])"#,
            ),
            ("Edit", r#"{"file_path": "a", "old_string": "", "new_string": "y"}"#, r#"a Write("y")"#),
            (
                "MultiEdit",
                r#"{"file_path": "a", "edits": [{"old_string": "x", "new_string": "y", "replace_all": true}]}"#,
                r#"a Replace([Replacement { old: "x", new: "y", scope: All }])"#,
            ),
            (
                "replace_in_file",
                r#"{"path": "a", "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"}"#,
                r#"a Replace([Replacement { old: "x\n", new: "y\n", scope: Lines }])"#,
            ),
            ("edit_file", r#"{"target_file": "a", "instructions": "add x", "code_edit": "// ..."}"#, "a Unclear"),
            ("delete_file", r#"{"path": "a"}"#, "a Delete"),
            ("move_file", r#"{"path": "a", "destination": "b"}"#, r#"a Move("b", [])"#),
            (
                "shell",
                r#"{"command": ["apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch"]}"#,
                "a Delete",
            ),
            ("Grep", r#"{"pattern": "x", "path": "src"}"#, ""),
            ("search_file_content", r#"{"pattern": "x", "path": "src", "content": "x"}"#, ""),
            ("list_directory", r#"{"path": "src"}"#, ""),
            ("Bash", r#"{"command": "cat a"}"#, ""),
            ("read_file", r#"{"path": ""}"#, ""),
            ("read_file", "[]", ""),
        ] {
            let arguments: Value = serde_json::from_str(arguments).expect("the arguments are JSON");
            let found = changes(name, &arguments);
            let shown: Vec<String> = found.iter().map(|(path, change)| format!("{path} {change:?}")).collect();
            assert_eq!(shown.join("; "), expected, "{name} {arguments}");
        }
    }
}
