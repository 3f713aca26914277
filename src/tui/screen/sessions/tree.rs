//! Sessions that are listed under another one: sub-agents, continuations and copies.
//!
//! A file in `SESSION/subagents/` belongs to `SESSION.jsonl`, which is known before either is read. All others are
//! linked by session ids.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::container::facts::SessionKind;
use crate::tui::screen::sessions::FileEntry;

/// Folder of the conversations of sub-agents, next to the file of their session.
const SUBAGENTS: &str = "subagents";

/// Maximum number of links followed from a session.
const LINKS: usize = 32;

/// The session that each session is listed under: the last one of its chain of links.
pub(super) fn parents(entries: &[FileEntry]) -> Vec<Option<usize>> {
    let mut by_path: HashMap<&Path, usize> = HashMap::new();
    if entries.iter().any(|entry| path_of_parent(&entry.file.path).is_some()) {
        by_path.extend(entries.iter().enumerate().map(|(number, entry)| (&*entry.file.path, number)));
    }
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (number, session) in entries.iter().enumerate().filter_map(|(at, entry)| Some((at, entry.session.as_ref()?))) {
        if let Some(id) = session.id.as_deref().filter(|_| session.kind != SessionKind::Subagent) {
            by_id.entry(id).or_insert(number);
        }
    }
    let direct = |(number, entry): (usize, &FileEntry)| {
        let by_place = path_of_parent(&entry.file.path).and_then(|path| by_path.get(&*path).copied());
        let links = || entry.session.as_ref()?.parents().find_map(|id| by_id.get(id).copied());
        by_place.or_else(links).filter(|&parent| parent != number)
    };
    let direct: Vec<Option<usize>> = entries.iter().enumerate().map(direct).collect();
    (0..entries.len()).map(|number| first_of_chain(&direct, number)).collect()
}

/// The end of the chain of links from a session; `None` if it has no links, or they form a cycle.
fn first_of_chain(direct: &[Option<usize>], number: usize) -> Option<usize> {
    let mut at = direct[number]?;
    for _ in 0..LINKS {
        match direct[at] {
            Some(next) if next == number => return None,
            Some(next) => at = next,
            None => return Some(at),
        }
    }
    None
}

/// The path of the session whose sub-agent a file is.
fn path_of_parent(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let is_of_agents = folder.file_name().is_some_and(|name| name == SUBAGENTS);
    is_of_agents.then(|| folder.parent().map(|session| session.with_added_extension("jsonl"))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_to_the_first_session_and_not_around_in_circles() {
        for (direct, expected) in [
            (&[None, Some(0), Some(1)][..], &[None, Some(0), Some(0)][..]),
            (&[Some(1), Some(0)], &[None, None]),
            (&[Some(1), Some(2), Some(1)], &[None, None, None]),
        ] {
            let found: Vec<_> = (0..direct.len()).map(|number| first_of_chain(direct, number)).collect();
            assert_eq!(found, expected, "{direct:?}");
        }
    }

    #[test]
    fn the_path_of_a_sub_agent_names_its_session() {
        for (path, expected) in [
            ("/p/s-1/subagents/agent-a.jsonl", Some("/p/s-1.jsonl")),
            ("/p/s.1/subagents/agent-a.jsonl", Some("/p/s.1.jsonl")),
            ("/p/s-1.jsonl", None),
        ] {
            assert_eq!(path_of_parent(Path::new(path)).as_deref(), expected.map(Path::new), "{path}");
        }
    }
}
