//! Directories where agents record sessions, and where this program keeps the user's settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// A directory below the user's home. An environment variable can replace the part of the path before `below`.
struct AgentFolder {
    variable: Option<&'static str>,
    folder: &'static str,
    below: &'static str,
    /// The containers of the sessions there; empty if any container is possible.
    containers: &'static [&'static str],
}

/// Where VS Code keeps data of extensions on macOS.
const MAC_EXTENSIONS: &str = "Library/Application Support/Code/User/globalStorage";

const CLINE: &[&str] = &["cline", "cline-ui", "anthropic"];
const OPENCODE: &[&str] = &["opencode", "opencode-storage"];

const PLACES: [AgentFolder; 12] = [
    AgentFolder {
        variable: Some("CLAUDE_CONFIG_DIR"),
        folder: ".claude",
        below: "projects",
        containers: &["claude-code"],
    },
    AgentFolder { variable: Some("CODEX_HOME"), folder: ".codex", below: "sessions", containers: &["codex"] },
    // This variable replaces the home directory itself.
    AgentFolder { variable: Some("GEMINI_CLI_HOME"), folder: "", below: ".gemini/tmp", containers: &["gemini-cli"] },
    AgentFolder { variable: Some("PI_CODING_AGENT_DIR"), folder: ".pi/agent", below: "sessions", containers: &["pi"] },
    // This variable names the directory itself.
    AgentFolder { variable: Some("LLMIST_LOG_RAW_DIRECTORY"), folder: ".llmist/logs", below: "", containers: &[] },
    AgentFolder {
        variable: Some("XDG_DATA_HOME"),
        folder: ".local/share",
        below: "opencode/storage",
        containers: OPENCODE,
    },
    AgentFolder {
        variable: Some("XDG_DATA_HOME"),
        folder: ".local/share",
        below: "goose/sessions",
        containers: &["goose"],
    },
    // Cline and Roo, as extensions of VS Code.
    AgentFolder {
        variable: Some("XDG_CONFIG_HOME"),
        folder: ".config",
        below: "Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        containers: CLINE,
    },
    AgentFolder {
        variable: Some("XDG_CONFIG_HOME"),
        folder: ".config",
        below: "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        containers: CLINE,
    },
    AgentFolder { variable: None, folder: MAC_EXTENSIONS, below: "saoudrizwan.claude-dev/tasks", containers: CLINE },
    AgentFolder {
        variable: None,
        folder: MAC_EXTENSIONS,
        below: "rooveterinaryinc.roo-cline/tasks",
        containers: CLINE,
    },
    AgentFolder { variable: Some("CLINE_DIR"), folder: ".cline", below: "data/tasks", containers: CLINE },
];

/// The agents whose directories are known.
pub const NAMES: &str = "Claude Code, Codex, Gemini CLI, pi, llmist, opencode, goose, Cline and Roo";

/// The directories that exist on this machine.
pub fn recorded() -> Vec<PathBuf> {
    let home = etcetera::home_dir().ok();
    places(home.as_deref(), |name| std::env::var_os(name))
        .into_iter()
        .map(|(place, _)| place)
        .filter(|place| place.is_dir())
        .collect()
}

/// Directories where agents keep sessions, to tell sessions from other files there.
#[derive(Debug)]
pub struct AgentPlaces(Vec<(PathBuf, &'static [&'static str])>);

impl Default for AgentPlaces {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentPlaces {
    /// Directories given by environment variables; the default ones are recognised below any path, also in a copy of a
    /// home.
    pub fn new() -> Self {
        Self(places(None, |name| std::env::var_os(name)))
    }

    /// The containers of sessions at this path; `None` outside of the agents' directories, and where any container is
    /// possible.
    pub(crate) fn containers_at(&self, path: &Path) -> Option<&'static [&'static str]> {
        let named = self.0.iter().find(|(place, _)| path.starts_with(place)).map(|(_, containers)| *containers);
        let usual = || {
            let parts: Vec<_> = path.iter().collect();
            let is_below = |place: &&AgentFolder| {
                let wanted = Path::new(place.folder).join(place.below);
                let wanted: Vec<_> = wanted.iter().collect();
                parts.windows(wanted.len()).any(|some| *some == *wanted)
            };
            PLACES.iter().find(is_below).map(|place| place.containers)
        };
        named.or_else(usual).filter(|containers| !containers.is_empty())
    }
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

fn places(home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Vec<(PathBuf, &'static [&'static str])> {
    let place = |place: &AgentFolder| {
        let named = place.variable.and_then(&variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = named.or_else(|| home.map(|home| home.join(place.folder)))?;
        let path = if place.below.is_empty() { folder } else { folder.join(place.below) };
        Some((path, place.containers))
    };
    PLACES.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn places_are_in_the_home_unless_the_environment_names_others() {
        let home = Path::new("/home/mira");
        let none = |_: &str| None;
        let names = |places: Vec<(PathBuf, &[&str])>| {
            places.iter().map(|(place, _)| place.display().to_string()).collect::<Vec<_>>()
        };
        let usual = [
            "/home/mira/.claude/projects",
            "/home/mira/.codex/sessions",
            "/home/mira/.gemini/tmp",
            "/home/mira/.pi/agent/sessions",
            "/home/mira/.llmist/logs",
            "/home/mira/.local/share/opencode/storage",
            "/home/mira/.local/share/goose/sessions",
            "/home/mira/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "/home/mira/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
            "/home/mira/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "/home/mira/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
            "/home/mira/.cline/data/tasks",
        ];
        assert_eq!(names(places(Some(home), none)), usual);
        let elsewhere = |name: &str| match name {
            "CODEX_HOME" => Some("/srv/codex".into()),
            "GEMINI_CLI_HOME" => Some("/srv/gemini".into()),
            "PI_CODING_AGENT_DIR" => Some("/srv/pi".into()),
            "LLMIST_LOG_RAW_DIRECTORY" => Some("/var/log/llmist".into()),
            "XDG_DATA_HOME" => Some("/data".into()),
            _ => Some(OsString::new()),
        };
        let expected = [
            usual[0],
            "/srv/codex/sessions",
            "/srv/gemini/.gemini/tmp",
            "/srv/pi/sessions",
            "/var/log/llmist",
            "/data/opencode/storage",
            "/data/goose/sessions",
        ];
        assert_eq!(names(places(Some(home), elsewhere)), [&expected[..], &usual[7..]].concat());
        assert_eq!(names(places(None, elsewhere)), expected[1..]);
    }

    #[test]
    fn a_path_below_the_place_of_an_agent_has_its_containers() {
        let places = AgentPlaces(vec![("/srv/codex/sessions".into(), &["codex"])]);
        for (path, containers) in [
            ("/home/mira/.claude/projects/-home-mira/a.jsonl", Some(&["claude-code"][..])),
            ("/backup/.claude/projects/a.jsonl", Some(&["claude-code"])),
            ("/srv/codex/sessions/2026/a.jsonl", Some(&["codex"])),
            ("/home/mira/.local/share/opencode/storage/session/p/ses_1.json", Some(OPENCODE)),
            ("/home/mira/.claude/a.jsonl", None),
            ("/home/mira/projects/.claude/a.jsonl", None),
            ("/home/mira/.llmist/logs/calm-otter/0001.response", None),
        ] {
            assert_eq!(places.containers_at(Path::new(path)), containers, "{path}");
        }
    }
}
