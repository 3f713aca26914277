//! The files in which agents keep the conversations of their sub-agents.
//!
//! | client | file |
//! |---|---|
//! | Claude Code from 2.1 | `SESSION/subagents/agent-ID.jsonl` next to `SESSION.jsonl`; nested ones in the same folder |
//! | Claude Code before | `agent-ID.jsonl` next to `SESSION.jsonl` |
//! | Codex | `rollout-TIME-THREAD.jsonl` in the folder of a day |
//! | Gemini CLI | `SESSION/ID.jsonl` next to the session, whose file is named by its time and the beginning of its id |

use std::path::{Path, PathBuf};

use super::facts::AgentFacts;
use super::{ContainerInfo, claude_code, codex, gemini_cli};

/// A folder, and the end of the name of a file in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The folder.
    pub folder: PathBuf,
    /// The name of the file, or its end.
    pub name_end: String,
}

/// Files in which the conversation of a sub-agent may be that the session at `path` with the id `session` started, the
/// likeliest first. Nothing is read to find them.
pub fn agent_files(
    container: &ContainerInfo,
    path: &Path,
    session: Option<&str>,
    agent: &AgentFacts,
) -> Vec<NamedFile> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let stem = path.file_stem().unwrap_or_default();
    // An id comes from the file, and becomes a part of a path.
    let is_name = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let ids = [&agent.id, &agent.session].into_iter().flatten().filter(|id| is_name(id));
    ids.flat_map(|id| {
        let named = |folder: PathBuf, name_end: String| NamedFile { folder, name_end };
        if *container == claude_code::ABOUT {
            let name = format!("agent-{id}.jsonl");
            vec![named(folder.join(stem).join("subagents"), name.clone()), named(folder.to_owned(), name)]
        } else if *container == codex::ABOUT {
            vec![named(folder.to_owned(), format!("-{id}.jsonl"))]
        } else if *container == gemini_cli::ABOUT {
            let folders = session.filter(|id| is_name(id)).into_iter();
            folders.map(|session| named(folder.join(session), format!("{id}.jsonl"))).collect()
        } else {
            Vec::new()
        }
    })
    .collect()
}

impl NamedFile {
    /// The file, where there is one.
    pub fn find(&self) -> Option<PathBuf> {
        let exact = self.folder.join(&self.name_end);
        if exact.is_file() {
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
        assert_eq!(files(&gemini_cli::ABOUT, "scout-7"), ["/p/0123-s/scout-7.jsonl"]);
        assert_eq!(files(&claude_code::ABOUT, "../../etc/passwd"), [""; 0]);
    }
}
