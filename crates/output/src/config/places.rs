//! Directories where agents record sessions, and where this program keeps the user's settings.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use etcetera::BaseStrategy as _;

use super::agents::{AGENTS, Agent, AgentFolder, Base, CONFIG, EDITORS, LIBRARY, ROAMING, SERVERS};
use crate::source;

/// The folders and files that exist on this machine where agents record sessions.
pub fn recorded() -> Vec<PathBuf> {
    let mut places = of_machine();
    // Only a file of an agent whose sessions can have any container is known to be text.
    let exists = |place: &Place| {
        let is_text = place.agent.containers.is_empty() && place.path.is_file();
        place.path.is_dir() || is_text || source::is_folder(&place.path)
    };
    places.retain(exists);
    // One of two places can be a link to the other.
    let mut known = HashSet::new();
    places.retain(|place| std::fs::canonicalize(&place.path).ok().is_none_or(|path| known.insert(path)));
    places.into_iter().map(|place| place.path).collect()
}

/// Files on this machine where agents record sessions and whose path has the property.
pub(super) fn recorded_files(is_meant: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let files = of_machine().into_iter().map(|place| place.path);
    files.filter(|path| is_meant(path) && path.is_file()).collect()
}

fn of_machine() -> Vec<Place> {
    let home = etcetera::home_dir().ok();
    let project = std::env::current_dir().ok();
    places(home.as_deref(), project.as_deref(), |name| std::env::var_os(name))
}

/// A place on this machine.
#[derive(Clone, Debug)]
struct Place {
    path: PathBuf,
    agent: &'static Agent,
    folder: &'static AgentFolder,
}

/// Directories where agents keep sessions, to tell sessions from other files there.
#[derive(Clone, Debug)]
pub struct AgentPlaces(Vec<Place>);

/// Relation of a path to the sessions of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Neither a session nor a folder with sessions.
    Other,
    /// A folder that can contain sessions.
    Leads,
    Session,
}

impl Default for AgentPlaces {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentPlaces {
    /// Directories given by environment variables; the default ones are recognised below any path, also in a copy of a
    /// home or in a mounted one of another system.
    pub fn new() -> Self {
        Self::named(|name| std::env::var_os(name))
    }

    fn named(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut named = places(None, None, variable);
        let is_usual = |place: &Place| usual(&place.path).is_some_and(|(agent, _)| agent == place.agent);
        named.retain(|place| !is_usual(place));
        Self(named)
    }

    /// The containers of sessions at this path: none if it is in an agent's directory, where the agent has other
    /// files. `None` outside of the agents' directories, and where any container is possible.
    pub(crate) fn containers_at(&self, path: &Path) -> Option<&'static [&'static str]> {
        let (agent, fit) = self.find(path).filter(|(agent, _)| !agent.containers.is_empty())?;
        Some(if fit == Fit::Session { agent.containers } else { &[] })
    }

    /// The agent in whose directory a path is.
    pub fn agent_at(&self, path: &Path) -> Option<&'static Agent> {
        self.find(path).map(|(agent, _)| agent)
    }

    /// True if a file or folder is in an agent's directory, and neither is nor contains a session, judging by its path.
    pub fn skips(&self, path: &Path) -> bool {
        self.find(path).is_some_and(|(_, fit)| fit == Fit::Other)
    }

    fn find(&self, path: &Path) -> Option<(&'static Agent, Fit)> {
        let below = |place: &Place| Some((place.agent, place.folder, path.strip_prefix(&place.path).ok()?.to_owned()));
        let named = self.0.iter().filter_map(below).min_by_key(|(.., below)| below.iter().count());
        if let Some((agent, folder, below)) = named {
            return Some((agent, folder.fit(&below.iter().collect::<Vec<_>>())));
        }
        usual(path)
    }
}

/// The agent in whose default place a path is, below any path; of several places the innermost.
fn usual(path: &Path) -> Option<(&'static Agent, Fit)> {
    let parts: Vec<&OsStr> = path.iter().collect();
    (0..parts.len()).rev().find_map(|at| {
        let places = USUAL.get(parts[at])?;
        let (place, agent, folder) = places.iter().find(|(place, ..)| parts[at..].starts_with(place))?;
        Some((*agent, folder.fit(&parts[at + place.len()..])))
    })
}

type UsualPlace = (Vec<&'static OsStr>, &'static Agent, &'static AgentFolder);

/// The default places without the home, by their first name.
static USUAL: LazyLock<HashMap<&'static OsStr, Vec<UsualPlace>>> = LazyLock::new(|| {
    let mut usual: HashMap<_, Vec<UsualPlace>> = HashMap::new();
    for (agent, folder) in read_folders() {
        let base = match folder.base {
            Base::Home(folder) | Base::Variable(_, folder) => folder,
            // The same for each editor.
            Base::Editors => "User",
            // In any project.
            Base::Project => "",
        };
        let names = base.split('/').chain(folder.below.split('/'));
        let parts: Vec<&OsStr> = names.filter(|name| !name.is_empty()).map(OsStr::new).collect();
        usual.entry(parts[0]).or_default().push((parts, agent, folder));
    }
    usual
});

fn read_folders() -> impl Iterator<Item = (&'static Agent, &'static AgentFolder)> {
    let read = AGENTS.iter().filter(|agent| agent.is_read());
    read.flat_map(|agent| agent.folders.iter().map(move |folder| (agent, folder)))
}

impl AgentFolder {
    /// Relation of a path to the sessions; the names are those below the folder.
    fn fit(&self, names: &[&OsStr]) -> Fit {
        self.sessions.iter().map(|pattern| fit(pattern, names)).max().unwrap_or(Fit::Other)
    }
}

fn fit(pattern: &str, names: &[&OsStr]) -> Fit {
    let mut names = names.iter();
    for wanted in pattern.split('/') {
        if wanted == "**" {
            return Fit::Session;
        }
        let Some(name) = names.next() else { return Fit::Leads };
        let name = name.as_encoded_bytes();
        let is_match = match wanted.split_once('*') {
            Some((start, end)) => {
                name.strip_prefix(start.as_bytes()).is_some_and(|rest| rest.ends_with(end.as_bytes()))
            }
            None => name == wanted.as_bytes(),
        };
        if !is_match {
            return Fit::Other;
        }
    }
    if names.next().is_none() { Fit::Session } else { Fit::Other }
}

/// The folder of the user's configuration and themes, which need not exist.
pub fn own_settings() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir().join("transcope"))
}

/// The folder for notes on transcripts in read-only directories; it need not exist.
pub(crate) fn own_notes() -> Option<PathBuf> {
    own_state().map(|folder| folder.join("notes"))
}

/// The file with the pane sizes that the user chose last; it need not exist.
pub fn own_panes() -> Option<PathBuf> {
    own_state().map(|folder| folder.join("panes.json"))
}

/// The file that lists the indexes of folders; it need not exist.
pub fn own_indexes() -> Option<PathBuf> {
    own_state().map(|folder| folder.join("indexes.ndjson"))
}

fn own_state() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("transcope"))
}

/// A path for display, with `~` for the user's home.
pub fn name_of(path: &Path) -> String {
    let home = etcetera::home_dir().ok();
    let below = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(|| path.to_string_lossy().into_owned(), |below| format!("~/{}", below.to_string_lossy()))
}

/// The path that a user typed, with a leading `~` replaced by their home.
pub fn path_of(typed: &str) -> PathBuf {
    below(etcetera::home_dir().ok().as_deref(), typed)
}

fn below(home: Option<&Path>, typed: &str) -> PathBuf {
    match (home, typed.strip_prefix('~')) {
        (Some(home), Some("")) => home.to_path_buf(),
        (Some(home), Some(rest)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => typed.into(),
    }
}

/// The places of all systems: a home can be shared between them.
fn places(home: Option<&Path>, project: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Vec<Place> {
    let base_of = |base: Base| match base {
        Base::Home(folder) => home.map(|home| home.join(folder)),
        Base::Variable(name, folder) => {
            let named = variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
            named.or_else(|| home.map(|home| home.join(folder)))
        }
        Base::Project => project.map(Path::to_owned),
        Base::Editors => None,
    };
    let local = [CONFIG, LIBRARY, ROAMING].into_iter().filter_map(base_of);
    let local = local.flat_map(|base| EDITORS.map(|editor| base.join(editor)));
    let remote = SERVERS.iter().filter_map(|server| Some(home?.join(server)));
    let editors: Vec<PathBuf> = local.chain(remote).map(|folder| folder.join("User")).collect();
    let of_folder = |(agent, folder): (&'static Agent, &'static AgentFolder)| {
        let bases = match folder.base {
            Base::Editors => editors.clone(),
            base => base_of(base).into_iter().collect(),
        };
        bases.into_iter().map(move |base| {
            let path = if folder.below.is_empty() { base } else { base.join(folder.below) };
            Place { path, agent, folder }
        })
    };
    read_folders().flat_map(of_folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::folder::WalkEvent;

    #[test]
    fn a_tilde_is_the_home_where_it_stands_alone() {
        let home = Path::new("/home/ana");
        for (typed, path) in [
            ("~", "/home/ana"),
            ("~/a b", "/home/ana/a b"),
            ("~//a", "/home/ana/a"),
            ("~bob/a", "~bob/a"),
            ("a/~", "a/~"),
        ] {
            assert_eq!(below(Some(home), typed), Path::new(path), "{typed}");
        }
        assert_eq!(below(None, "~/a"), Path::new("~/a"));
    }

    fn paths(home: Option<&str>, variables: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        let places = places(home.map(Path::new), Some(Path::new("/srv/ferry")), variable);
        places.iter().map(|place| place.path.display().to_string()).collect()
    }

    #[test]
    fn places_are_in_the_home_of_each_system() {
        let read = |title: &str| AGENTS.iter().any(|agent| agent.title == title && agent.is_read());
        for (agent, home, path) in [
            ("Claude Code", "/home/mira", "/home/mira/.claude/projects"),
            ("Claude Code", "/home/mira", "/home/mira/.config/claude/projects"),
            ("Claude Code", "/Users/mira", "/Users/mira/.claude/projects"),
            ("Claude Code", "/mnt/c/Users/mira", "/mnt/c/Users/mira/.claude/projects"),
            ("Codex", "/home/mira", "/home/mira/.codex/sessions"),
            ("Codex", "/home/mira", "/home/mira/.codex/archived_sessions"),
            ("Gemini CLI", "/home/mira", "/home/mira/.gemini/tmp"),
            ("Qwen Code", "/home/mira", "/home/mira/.qwen/projects"),
            ("Qwen Code", "/home/mira", "/home/mira/.qwen/tmp"),
            ("Copilot CLI", "/home/mira", "/home/mira/.copilot/session-state"),
            ("VS Code chat", "/home/mira", "/home/mira/.config/Code/User/workspaceStorage"),
            ("VS Code chat", "/home/mira", "/home/mira/.config/VSCodium/User/globalStorage/emptyWindowChatSessions"),
            ("VS Code chat", "/home/mira", "/home/mira/.vscode-server/data/User/workspaceStorage"),
            (
                "VS Code chat",
                "/Users/mira",
                "/Users/mira/Library/Application Support/Code - Insiders/User/workspaceStorage",
            ),
            (
                "VS Code chat",
                "/mnt/c/Users/mira",
                "/mnt/c/Users/mira/AppData/Roaming/Code/User/globalStorage/emptyWindowChatSessions",
            ),
            ("Cursor", "/home/mira", "/home/mira/.cursor/projects"),
            ("opencode", "/home/mira", "/home/mira/.local/share/opencode/storage"),
            ("opencode", "/home/mira", "/home/mira/.local/share/opencode/opencode.db"),
            ("opencode", "/mnt/c/Users/mira", "/mnt/c/Users/mira/AppData/Local/opencode/storage"),
            ("goose", "/home/mira", "/home/mira/.local/share/goose/sessions"),
            ("goose", "/Users/mira", "/Users/mira/Library/Application Support/goose/sessions"),
            ("goose", "/mnt/c/Users/mira", "/mnt/c/Users/mira/AppData/Roaming/Block/goose/data/sessions"),
            ("Kimi Code", "/home/mira", "/home/mira/.kimi-code/sessions"),
            ("Kimi Code", "/home/mira", "/home/mira/.kimi/sessions"),
            ("Antigravity", "/home/mira", "/home/mira/.gemini/antigravity/brain"),
            ("Antigravity", "/home/mira", "/home/mira/.gemini/antigravity-cli/brain"),
            ("Droid", "/home/mira", "/home/mira/.factory/sessions"),
            ("Grok CLI", "/home/mira", "/home/mira/.grok/sessions"),
            ("Cline", "/home/mira", "/home/mira/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"),
            ("Cline", "/home/mira", "/home/mira/.cline/data/tasks"),
            (
                "Roo",
                "/Users/mira",
                "/Users/mira/Library/Application Support/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
            ),
            (
                "Kilo",
                "/mnt/c/Users/mira",
                "/mnt/c/Users/mira/AppData/Roaming/Windsurf/User/globalStorage/kilocode.kilo-code/tasks",
            ),
            ("Kilo", "/home/mira", "/home/mira/.kilocode/cli/global/tasks"),
            ("OpenHands", "/home/mira", "/home/mira/.openhands/conversations"),
            ("pi", "/home/mira", "/home/mira/.pi/agent/sessions"),
            ("OpenClaw", "/home/mira", "/home/mira/.openclaw/agents"),
            ("code-assistant", "/home/mira", "/home/mira/.local/share/code-assistant/sessions"),
            ("llmist", "/home/mira", "/home/mira/.llmist/logs"),
            ("SpecStory", "/home/mira", "/srv/ferry/.specstory/history"),
            ("aider", "/home/mira", "/srv/ferry/.aider.chat.history.md"),
        ] {
            assert!(AGENTS.iter().any(|known| known.title == agent), "{agent}");
            let found = paths(Some(home), &[]);
            assert_eq!(found.iter().any(|found| found == path), read(agent), "{agent}: {path}");
        }
    }

    #[test]
    fn a_variable_replaces_the_place_in_the_home() {
        for (name, value, path, replaced) in [
            ("CLAUDE_CONFIG_DIR", "/srv/claude", "/srv/claude/projects", "/home/mira/.claude/projects"),
            ("CODEX_HOME", "/srv/codex", "/srv/codex/archived_sessions", "/home/mira/.codex/archived_sessions"),
            ("GEMINI_CLI_HOME", "/srv/gemini", "/srv/gemini/.gemini/tmp", "/home/mira/.gemini/tmp"),
            ("PI_CODING_AGENT_DIR", "/srv/pi", "/srv/pi/sessions", "/home/mira/.pi/agent/sessions"),
            ("OPENCLAW_STATE_DIR", "/srv/claw", "/srv/claw/agents", "/home/mira/.openclaw/agents"),
            ("LLMIST_LOG_RAW_DIRECTORY", "/var/log/llmist", "/var/log/llmist", "/home/mira/.llmist/logs"),
            ("XDG_DATA_HOME", "/data", "/data/goose/sessions", "/home/mira/.local/share/goose/sessions"),
            ("XDG_CONFIG_HOME", "/etc/mira", "/etc/mira/claude/projects", "/home/mira/.config/claude/projects"),
            (
                "XDG_CONFIG_HOME",
                "/etc/mira",
                "/etc/mira/Code/User/globalStorage/kilocode.kilo-code/tasks",
                "/home/mira/.config/Code/User/globalStorage/kilocode.kilo-code/tasks",
            ),
            (
                "APPDATA",
                r"C:\Users\mira\AppData\Roaming",
                r"C:\Users\mira\AppData\Roaming/Block/goose/data/sessions",
                "/home/mira/AppData/Roaming/Block/goose/data/sessions",
            ),
            ("LOCALAPPDATA", r"D:\Local", r"D:\Local/opencode/storage", "/home/mira/AppData/Local/opencode/storage"),
        ] {
            let has = |found: &[String], path: &str| found.iter().any(|found| found == path);
            let usual = paths(Some("/home/mira"), &[(name, "")]);
            assert!(has(&usual, replaced) && !has(&usual, path), "{name}");
            let found = paths(Some("/home/mira"), &[(name, value)]);
            assert!(has(&found, path) && !has(&found, replaced), "{name}");
            assert!(has(&paths(None, &[(name, value)]), path), "{name}");
        }
    }

    #[test]
    fn a_path_below_the_place_of_an_agent_has_its_containers() {
        let variable = |name: &str| match name {
            "CODEX_HOME" => Some("/srv/codex".into()),
            "XDG_CONFIG_HOME" => Some("/home/mira/.config".into()),
            _ => None,
        };
        let places = AgentPlaces::named(variable);
        // Places that are recognised anyway are not compared with each path.
        assert_eq!(places.0.len(), 2, "{places:?}");
        let opencode = Some(&["opencode", "opencode-storage"][..]);
        let cline = Some(&["cline", "cline-ui", "anthropic"][..]);
        for (path, containers) in [
            ("/home/mira/.claude/projects/-home-mira/a.jsonl", Some(&["claude-code"][..])),
            ("/backup/.claude/projects/a.jsonl", Some(&["claude-code"])),
            ("/mnt/c/Users/mira/.claude/projects/C--ferry/a.jsonl", Some(&["claude-code"])),
            ("/srv/codex/sessions/2026/a.jsonl", Some(&["codex"])),
            ("/copy/.codex/archived_sessions/a.jsonl", Some(&["codex"])),
            ("/home/mira/.local/share/opencode/storage/session/p/ses_1.json", opencode),
            ("/mnt/c/Users/mira/AppData/Local/opencode/storage/session/p/ses_1.json", opencode),
            ("/mnt/c/Users/mira/AppData/Roaming/Block/goose/data/sessions/a.jsonl", Some(&["goose"])),
            ("/backup/User/globalStorage/saoudrizwan.claude-dev/tasks/17/ui_messages.json", cline),
            (
                "/mnt/c/Users/mira/AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/a/b.json",
                cline,
            ),
            ("/x/User/globalStorage/rooveterinaryinc.roo-cline/tasks/17/checkpoints/.git/HEAD", Some(&[])),
            ("/home/mira/.openclaw/agents/main/sessions/a.jsonl", Some(&["pi"])),
            ("/home/mira/.openclaw/agents/main/memory.md", Some(&[])),
            ("/home/mira/.claude/a.jsonl", None),
            ("/home/mira/projects/.claude/a.jsonl", None),
            ("/home/mira/.llmist/logs/calm-otter/0001.response", None),
        ] {
            assert_eq!(places.containers_at(Path::new(path)), containers, "{path}");
        }
    }

    #[test]
    fn a_pattern_fits_sessions_and_the_folders_above_them() {
        for (pattern, path, fits) in [
            ("**", "", Fit::Session),
            ("**", "a/b/c", Fit::Session),
            ("*/chatSessions/*.json", "", Fit::Leads),
            ("*/chatSessions/*.json", "a1", Fit::Leads),
            ("*/chatSessions/*.json", "a1/chatSessions", Fit::Leads),
            ("*/chatSessions/*.json", "a1/chatSessions/s.json", Fit::Session),
            ("*/chatSessions/*.json", "a1/chatSessions/s.jsonl", Fit::Other),
            ("*/chatSessions/*.json", "a1/state.vscdb", Fit::Other),
            ("*/chatSessions/*.json", "a1/chatSessions/s.json/x", Fit::Other),
            ("*/agent-transcripts/**", "p/agent-transcripts/u/subagents/v.jsonl", Fit::Session),
            ("*/agent-transcripts/**", "p/terminals/1.txt", Fit::Other),
        ] {
            let names: Vec<&OsStr> = Path::new(path).iter().collect();
            assert_eq!(fit(pattern, &names), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn the_folders_of_each_agent_lead_to_its_sessions_only() {
        for (agent, below, session, other) in [
            ("Qwen Code", "projects", "-home-mira/chats/s1.jsonl", "-home-mira/memory/notes.md"),
            ("Qwen Code", "projects", "-home-mira/chats/archive/s1.jsonl", "-home-mira/todos/s1.json"),
            ("Qwen Code", "projects", "-home-mira/subagents/s1/agent-a1.jsonl", "-home-mira/subagents/s1/a1.meta.json"),
            ("Copilot CLI", "session-state", "s1/events.jsonl", "s1/checkpoints/index.md"),
            ("VS Code chat", "workspaceStorage", "w1/chatSessions/s1.jsonl", "w1/chatEditingSessions/s1/state.json"),
            ("VS Code chat", "globalStorage/emptyWindowChatSessions", "s1.json", "s1/state.json"),
            ("Cursor", "projects", "p1/agent-transcripts/s1/subagents/a1.jsonl", "p1/terminals/1.txt"),
            ("Kimi Code", "sessions", "wd_ferry/s1/agents/agent-0/wire.jsonl", "wd_ferry/s1/state.json"),
            ("Kimi Code", "imported_sessions", "s1/context.jsonl", "s1/wire.jsonl"),
            ("Antigravity", "brain", "s1/.system_generated/logs/transcript.jsonl", "s1/plan.png"),
            ("Droid", "sessions", "-home-mira/s1.jsonl", "-home-mira/s1.settings.json"),
            ("Grok CLI", "sessions", "%2Fhome%2Fmira/s1/chat_history.jsonl", "%2Fhome%2Fmira/s1/updates.jsonl"),
            ("SpecStory", ".specstory/history", "2026-03-24_09-05-00Z-gate.md", ".what-is-this.txt"),
        ] {
            let agent = AGENTS.iter().find(|known| known.title == agent).expect("it is in the table");
            let fit = |path: &str| {
                let names: Vec<&OsStr> = Path::new(path).iter().collect();
                let folders = agent.folders.iter().filter(|folder| folder.below == below);
                folders.map(|folder| folder.fit(&names)).max()
            };
            assert_eq!(fit(session), Some(Fit::Session), "{agent:?} {session}");
            // Its path can be a folder of sessions.
            assert!(fit(other) < Some(Fit::Session), "{agent:?} {other}");
        }
    }

    #[test]
    fn a_folder_of_many_workspaces_is_listed_without_opening_their_other_files() {
        const WORKSPACES: usize = 2000;
        let home = tempfile::tempdir().expect("a directory");
        let tasks = home.path().join("User/globalStorage/saoudrizwan.claude-dev/tasks");
        for number in 0..WORKSPACES {
            let task = tasks.join(format!("{number}"));
            std::fs::create_dir_all(task.join("checkpoints/.git")).expect("a directory");
            std::fs::write(task.join("checkpoints/.git/HEAD"), "ref").expect("a file");
            std::fs::write(task.join("notes.txt"), "notes").expect("a file");
        }
        std::fs::write(tasks.join("7/ui_messages.json"), "[]").expect("a file");
        let places = AgentPlaces::named(|_| None);
        // The folders of the tasks, and one file.
        let most = WORKSPACES + 1;
        let (mut found, mut is_cut) = (Vec::new(), false);
        source::folder::walk_most_except(&tasks, most, &|path| places.skips(path), &mut |walked| {
            match walked {
                WalkEvent::Found(files) => found.extend(files.into_iter().map(|file| file.path)),
                WalkEvent::End { cut, .. } => is_cut = cut,
                _ => {}
            }
            true
        });
        assert_eq!(found, [tasks.join("7/ui_messages.json")]);
        assert!(!is_cut, "more than {most} entries were examined");
    }
}
