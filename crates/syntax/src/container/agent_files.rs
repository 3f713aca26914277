//! The files in which agents store the conversations of their sub-agents.
//!
//! | client | file |
//! |---|---|
//! | Claude Code from 2.1 | `SESSION/subagents/agent-ID.jsonl` next to `SESSION.jsonl`; nested ones in the same folder |
//! | Claude Code before | `agent-ID.jsonl` next to `SESSION.jsonl` |
//! | Codex | `sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, by the day on which the thread began; later in `archived_sessions` |
//! | Qwen Code | `PROJECT/subagents/SESSION/agent-ID.jsonl`, of `PROJECT/chats/SESSION.jsonl` |
//! | Cursor | `SESSION/subagents/ID.jsonl`, of `SESSION/SESSION.jsonl` |
//! | Kimi Code | `SESSION/agents/ID/wire.jsonl`, of `SESSION/agents/main/wire.jsonl` |
//! | Kimi CLI | `SESSION/subagents/ID/context.jsonl`, of `SESSION/context.jsonl` |
//! | opencode | its session, in the same folder of the storage or in the same database |
//! | Gemini CLI | `SESSION/ID.jsonl` next to the session, whose file is named by its time and the beginning of its id |

use std::path::{Path, PathBuf};

use super::facts::{AgentFacts, Timestamp};
use super::{ContainerInfo, claude_code, codex, gemini_cli, opencode};

/// A folder, and the end of a file name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The folder.
    pub folder: PathBuf,
    /// The name of the file, or the end of it.
    pub name_end: String,
}

/// Candidate files for the conversation of a sub-agent that the session `session` at `path` started, likeliest first.
/// Reads nothing.
pub fn agent_files(
    container: &ContainerInfo,
    path: &Path,
    session: Option<&str>,
    agent: &AgentFacts,
) -> Vec<NamedFile> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let stem = path.file_stem().unwrap_or_default();
    // An id comes from the file and becomes part of a path, so it must not leave the folder.
    let is_name = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let ids = [&agent.id, &agent.session].into_iter().flatten().filter(|id| is_name(id));
    ids.flat_map(|id| {
        let named = |folder: PathBuf, name_end: String| NamedFile { folder, name_end };
        if *container == claude_code::ABOUT {
            let name = format!("agent-{id}.jsonl");
            vec![named(folder.join(stem).join("subagents"), name.clone()), named(folder.to_owned(), name)]
        } else if *container == codex::ABOUT {
            codex_folders(folder, id).into_iter().map(|folder| named(folder, format!("-{id}.jsonl"))).collect()
        } else if *container == gemini_cli::ABOUT {
            let folders = session.filter(|id| is_name(id)).into_iter();
            folders.map(|session| named(folder.join(session), format!("{id}.jsonl"))).collect()
        } else if *container == opencode::STORAGE {
            let end = path.extension().map_or_else(String::new, |extension| format!(".{}", extension.display()));
            vec![named(folder.to_owned(), format!("{id}{end}"))]
        } else {
            let parent = || folder.parent().map(Path::to_owned).unwrap_or_default();
            let file = match container.name {
                "qwen-code" => named(parent().join("subagents").join(stem), format!("agent-{id}.jsonl")),
                "cursor-agent" => named(folder.join("subagents"), format!("{id}.jsonl")),
                "kimi-code" => named(parent().join(&**id), "wire.jsonl".into()),
                "kimi" => named(folder.join("subagents").join(&**id), "context.jsonl".into()),
                _ => return Vec::new(),
            };
            vec![file]
        }
    })
    .collect()
}

/// Folders that may hold a Codex thread started by a session in `folder`: the session's own, and the day folders around
/// the time in the thread's id, since they are named by local time.
fn codex_folders(folder: &Path, id: &str) -> Vec<PathBuf> {
    let is_number = |part: &std::ffi::OsStr| part.to_str().is_some_and(|part| part.parse::<u16>().is_ok());
    let is_day = folder.iter().rev().take(3).filter(|part| is_number(part)).count() == 3;
    let mut folders = vec![folder.to_owned()];
    let Some(sessions) = folder.ancestors().nth(3).filter(|_| is_day) else { return folders };
    for hours in [0, 24, -24] {
        let day = began_at(id).and_then(|began| began.checked_add(jiff::SignedDuration::from_hours(hours)).ok());
        folders.extend(day.map(|day| sessions.join(day.strftime("%Y/%m/%d").to_string())).filter(|day| day != folder));
    }
    folders.push(sessions.with_file_name("archived_sessions"));
    folders
}

/// The timestamp in a version 7 UUID.
fn began_at(id: &str) -> Option<Timestamp> {
    let digits: String = id.split('-').take(3).collect();
    let milliseconds = digits.get(..12).filter(|_| digits.get(12..13) == Some("7"))?;
    Timestamp::from_millisecond(i64::from_str_radix(milliseconds, 16).ok()?).ok()
}

impl NamedFile {
    /// The file, if it exists.
    pub fn find(&self) -> Option<PathBuf> {
        let exact = self.folder.join(&self.name_end);
        // A database continues as the path of a session in it.
        if exact.is_file() || self.folder.is_file() {
            return Some(exact);
        }
        let entries = std::fs::read_dir(&self.folder).ok()?;
        let mut found = entries.filter_map(|entry| Some(entry.ok()?.path()));
        found.find(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| self.name_end.starts_with('-') && name.ends_with(&self.name_end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_sub_agent_is_named_by_its_id_and_never_leaves_the_folder() {
        let files = |about: &ContainerInfo, id: &str| {
            let agent = AgentFacts { id: Some(id.into()), ..AgentFacts::default() };
            let files = agent_files(about, Path::new("/p/s1.jsonl"), Some("0123-s"), &agent);
            files.iter().map(|file| format!("{}/{}", file.folder.display(), file.name_end)).collect::<Vec<_>>()
        };
        assert_eq!(files(&claude_code::ABOUT, "a1b2"), ["/p/s1/subagents/agent-a1b2.jsonl", "/p/agent-a1b2.jsonl"]);
        assert_eq!(files(&codex::ABOUT, "0199-a"), ["/p/-0199-a.jsonl"]);
        let agent = AgentFacts { id: Some("0199ab00-1234-7000-8000-00000000000a".into()), ..AgentFacts::default() };
        let files_of_day = agent_files(&codex::ABOUT, Path::new("/c/sessions/2025/10/02/r.jsonl"), None, &agent);
        let folders: Vec<_> = files_of_day.iter().map(|file| file.folder.display().to_string()).collect();
        let days = ["02", "03", "04"].map(|day| format!("/c/sessions/2025/10/{day}"));
        assert_eq!(folders, [&days[..], &["/c/archived_sessions".into()]].concat());
        assert_eq!(files(&gemini_cli::ABOUT, "scout-7"), ["/p/0123-s/scout-7.jsonl"]);
        assert_eq!(files(&opencode::STORAGE, "ses_1"), ["/p/ses_1.jsonl"]);
        assert_eq!(files(&claude_code::ABOUT, "../../etc/passwd"), [""; 0]);
        for (name, path, file) in [
            ("qwen-code", "/q/p1/chats/s1.jsonl", "/q/p1/subagents/s1/agent-a1.jsonl"),
            ("cursor-agent", "/c/s1/s1.jsonl", "/c/s1/subagents/a1.jsonl"),
            ("kimi-code", "/k/s1/agents/main/wire.jsonl", "/k/s1/agents/a1/wire.jsonl"),
            ("kimi", "/k/s1/context.jsonl", "/k/s1/subagents/a1/context.jsonl"),
        ] {
            let about = ContainerInfo { name, ..claude_code::ABOUT };
            let agent = AgentFacts { id: Some("a1".into()), ..AgentFacts::default() };
            let files = agent_files(&about, Path::new(path), None, &agent);
            assert_eq!(
                files.iter().map(|file| file.folder.join(&file.name_end)).collect::<Vec<_>>(),
                [Path::new(file)]
            );
        }
    }
}
