//! The agents whose sessions are found without naming a folder: their names, and where they record sessions.
//!
//! Each place is from the program that writes it, with the file that states it; places of programs without public
//! sources are from two programs that read them, agent-sessions and splitrail.
//!
//! | agent | source |
//! |---|---|
//! | Claude Code | ccusage `adapter/claude/paths.rs`: `CLAUDE_CONFIG_DIR`, else `~/.config/claude` and `~/.claude` |
//! | Codex | ccusage `adapter/codex/paths.rs`: `sessions` and `archived_sessions` |
//! | Gemini CLI | splitrail `analyzers/gemini_cli.rs` |
//! | Qwen Code | qwen-code `core/src/config/storage.ts` and `core/src/agents/agent-transcript.ts` |
//! | Copilot CLI | its configuration directory reference; splitrail `analyzers/copilot_cli.rs` for the older folder |
//! | VS Code chat | VS Code `chat/common/model/chatSessionStore.ts` |
//! | Cursor | agent-sessions `CursorSessionDiscovery.swift` and `CursorSessionParser.swift` |
//! | opencode | splitrail `analyzers/opencode.rs` |
//! | goose | goose up to 1.9; ccusage `adapter/goose/paths.rs` for macOS |
//! | Kimi Code | kimi-code and, for `~/.kimi`, kimi-cli: `docs/en/configuration/data-locations.md` |
//! | Antigravity | agent-sessions `AntigravitySessionDiscovery.swift` |
//! | Droid | agent-sessions `DroidSessionDiscovery.swift` |
//! | Grok CLI | agent-sessions `GrokSessionDiscovery.swift` |
//! | Cline, Roo, Kilo | splitrail `analyzers/{cline,roo_code,kilo_code,kilo_cli}.rs`; Roo's `apps/vscode-nightly` and `apps/cli` |
//! | pi, OpenClaw | agent-sessions `PiSessionDiscovery.swift`, `OpenClawSessionDiscovery.swift` |
//! | OpenHands | OpenHands-CLI `openhands_cli/locations.py`; OpenHands `storage/locations.py` for older releases |
//! | code-assistant | code-assistant `src/persistence.rs` |

use crate::container::REGISTRY;

/// An agent, or an editor with one.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name as messages and help write it: `Claude Code`.
    pub title: &'static str,
    /// Its names as an option's value, in lower case.
    pub names: &'static [&'static str],
    /// The containers of its sessions, the usual one first; empty if any container is possible.
    pub containers: &'static [&'static str],
    /// Folders in which it records sessions, on all systems.
    pub folders: &'static [AgentFolder],
}

/// A place where an agent records sessions.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentFolder {
    pub(super) base: Base,
    /// The path below the base; of a folder, or of a file that is a transcript or holds several.
    pub(super) below: &'static str,
    /// Paths of sessions below that: one `*` in a name is any text, `**` at the end is anything. Whatever no pattern
    /// leads to is not opened.
    pub(super) sessions: &'static [&'static str],
}

/// The beginning of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// A folder below the home.
    Home(&'static str),
    /// The value of an environment variable, or by default a folder below the home.
    Variable(&'static str, &'static str),
    /// The folder `User` of each editor in [`EDITORS`] and [`SERVERS`].
    Editors,
    /// The current directory, for agents that record in the project itself.
    Project,
}

/// Where programs keep settings on Linux.
pub(super) const CONFIG: Base = Base::Variable("XDG_CONFIG_HOME", ".config");

/// Where programs keep data on Linux; some do so on macOS and Windows too.
const DATA: Base = Base::Variable("XDG_DATA_HOME", ".local/share");

/// Where programs keep settings and data on macOS.
pub(super) const LIBRARY: Base = Base::Home("Library/Application Support");

/// Where programs keep settings and data on Windows.
pub(super) const ROAMING: Base = Base::Variable("APPDATA", "AppData/Roaming");

/// Where programs on Windows keep data that belong to the machine.
const LOCAL: Base = Base::Variable("LOCALAPPDATA", "AppData/Local");

/// VS Code and editors made from it: their folders below [`CONFIG`], [`LIBRARY`] or [`ROAMING`].
pub(super) const EDITORS: [&str; 8] =
    ["Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "Positron", "Antigravity"];

/// Their folders in the home on a remote machine.
pub(super) const SERVERS: [&str; 5] = [
    ".vscode-server/data",
    ".vscode-server-insiders/data",
    ".vscodium-server/data",
    ".cursor-server/data",
    ".windsurf-server/data",
];

const ANY: &[&str] = &["**"];
/// Roo keeps a Git repository of checkpoints next to these.
const TASKS: &[&str] = &["*/*.json"];
const CLINE: &[&str] = &["cline", "cline-ui", "anthropic"];

/// The agents, in the order of their names in messages.
pub const AGENTS: &[Agent] = &[
    Agent {
        title: "Claude Code",
        names: &["claude"],
        containers: &["claude-code"],
        folders: &[
            place(Base::Variable("CLAUDE_CONFIG_DIR", ".claude"), "projects", ANY),
            place(CONFIG, "claude/projects", ANY),
        ],
    },
    Agent {
        title: "Codex",
        names: &["codex"],
        containers: &["codex"],
        folders: &[
            place(Base::Variable("CODEX_HOME", ".codex"), "sessions", ANY),
            place(Base::Variable("CODEX_HOME", ".codex"), "archived_sessions", ANY),
        ],
    },
    Agent {
        title: "Gemini CLI",
        names: &["gemini"],
        containers: &["gemini-cli"],
        // This variable replaces the home directory itself.
        folders: &[place(Base::Variable("GEMINI_CLI_HOME", ""), ".gemini/tmp", ANY)],
    },
    Agent {
        title: "Qwen Code",
        names: &["qwen"],
        containers: &["qwen-code"],
        folders: &[
            place(QWEN, "projects", &["*/chats/**", "*/subagents/*/*.jsonl"]),
            place(QWEN, "tmp", &["*/chats/**"]),
            place(Base::Variable("QWEN_RUNTIME_DIR", ".qwen"), "projects", &["*/chats/**", "*/subagents/*/*.jsonl"]),
        ],
    },
    Agent {
        title: "Copilot CLI",
        names: &["copilot"],
        containers: &["copilot-cli"],
        // A session's folder also has checkpoints, plans and files.
        folders: &[
            place(COPILOT, "session-state", &["*/events.jsonl", "*.jsonl"]),
            place(COPILOT, "history-session-state", &["*/events.jsonl", "*.jsonl"]),
        ],
    },
    Agent {
        title: "VS Code chat",
        names: &["vscode", "copilot"],
        containers: &["vscode-chat"],
        folders: &[
            place(Base::Editors, "workspaceStorage", &["*/chatSessions/*.json", "*/chatSessions/*.jsonl"]),
            place(Base::Editors, "globalStorage/emptyWindowChatSessions", &["*.json", "*.jsonl"]),
        ],
    },
    Agent {
        title: "Cursor",
        names: &["cursor"],
        containers: &["cursor-agent"],
        folders: &[place(Base::Home(".cursor"), "projects", &["*/agent-transcripts/**"])],
    },
    Agent {
        title: "opencode",
        names: &["opencode"],
        containers: &["opencode", "opencode-storage"],
        folders: &[
            place(DATA, "opencode/storage", ANY),
            place(DATA, "opencode/opencode.db", ANY),
            place(LOCAL, "opencode/storage", ANY),
            place(LOCAL, "opencode/opencode.db", ANY),
        ],
    },
    Agent {
        title: "goose",
        names: &["goose"],
        containers: &["goose"],
        folders: &[
            place(DATA, "goose/sessions", ANY),
            place(LIBRARY, "goose/sessions", ANY),
            place(ROAMING, "Block/goose/data/sessions", ANY),
        ],
    },
    Agent {
        title: "Kimi Code",
        names: &["kimi"],
        containers: &["kimi-code", "kimi"],
        folders: &[
            place(Base::Variable("KIMI_CODE_HOME", ".kimi-code"), "sessions", &["*/*/agents/*/wire.jsonl"]),
            place(KIMI, "sessions", &["*/*/context.jsonl", "*/*/subagents/*/context.jsonl"]),
            place(KIMI, "imported_sessions", &["*/context.jsonl", "*/subagents/*/context.jsonl"]),
        ],
    },
    Agent {
        title: "Antigravity",
        names: &["antigravity", "agy"],
        containers: &["antigravity"],
        // A conversation's folder also has its plans and images.
        folders: &[
            place(Base::Home(".gemini/antigravity"), "brain", &["*/.system_generated/logs/transcript.jsonl"]),
            place(Base::Home(".gemini/antigravity-cli"), "brain", &["*/.system_generated/logs/transcript.jsonl"]),
        ],
    },
    Agent {
        title: "Droid",
        names: &["droid", "factory"],
        containers: &["droid", "droid-stream"],
        folders: &[
            place(Base::Home(".factory"), "sessions", &["*.jsonl", "*/*.jsonl", "*/*/*.jsonl"]),
            place(Base::Home(".factory"), "projects", &["*.jsonl", "*/*.jsonl", "*/*/*.jsonl"]),
        ],
    },
    Agent {
        title: "Grok CLI",
        names: &["grok"],
        containers: &["grok-cli"],
        // `updates.jsonl` next to it repeats the conversation, with each output a thousand times.
        folders: &[place(Base::Variable("GROK_HOME", ".grok"), "sessions", &["*/*/chat_history.jsonl"])],
    },
    Agent {
        title: "Cline",
        names: &["cline"],
        containers: CLINE,
        folders: &[
            place(Base::Editors, "globalStorage/saoudrizwan.claude-dev/tasks", TASKS),
            place(Base::Variable("CLINE_DIR", ".cline"), "data/tasks", TASKS),
        ],
    },
    Agent {
        title: "Roo",
        names: &["roo"],
        containers: CLINE,
        folders: &[
            place(Base::Editors, "globalStorage/rooveterinaryinc.roo-cline/tasks", TASKS),
            place(Base::Editors, "globalStorage/rooveterinaryinc.roo-code-nightly/tasks", TASKS),
            // Its command line.
            place(Base::Home(".vscode-mock/global-storage"), "tasks", TASKS),
        ],
    },
    Agent {
        title: "Kilo",
        names: &["kilo", "kilocode"],
        // Its command line was first made from Cline, and later from opencode.
        containers: &["cline-ui", "cline", "anthropic", "opencode-storage"],
        folders: &[
            place(DATA, "kilo/storage", ANY),
            place(DATA, "kilo/kilo.db", ANY),
            place(Base::Editors, "globalStorage/kilocode.kilo-code/tasks", TASKS),
            place(Base::Home(".kilocode"), "cli/global/tasks", TASKS),
        ],
    },
    Agent {
        title: "pi",
        names: &["pi"],
        containers: &["pi"],
        folders: &[place(Base::Variable("PI_CODING_AGENT_DIR", ".pi/agent"), "sessions", ANY)],
    },
    Agent {
        title: "OpenClaw",
        names: &["openclaw", "clawdbot"],
        containers: &["pi"],
        folders: &[
            place(Base::Variable("OPENCLAW_STATE_DIR", ".openclaw"), "agents", &["*/sessions/*.jsonl"]),
            place(Base::Home(".clawdbot"), "agents", &["*/sessions/*.jsonl"]),
        ],
    },
    Agent {
        title: "OpenHands",
        names: &["openhands"],
        containers: &["openhands"],
        folders: &[
            place(OPENHANDS, "conversations", ANY),
            place(OPENHANDS, "sessions", ANY),
            place(Base::Variable("OPENHANDS_CONVERSATIONS_DIR", ".openhands/conversations"), "", ANY),
        ],
    },
    Agent {
        title: "code-assistant",
        names: &["code-assistant"],
        containers: &["code-assistant"],
        folders: &[
            place(DATA, "code-assistant/sessions", &["*.json"]),
            place(LIBRARY, "code-assistant/sessions", &["*.json"]),
            place(ROAMING, "code-assistant/sessions", &["*.json"]),
        ],
    },
    Agent {
        title: "llmist",
        names: &["llmist"],
        containers: &[],
        // This variable names the directory itself.
        folders: &[place(Base::Variable("LLMIST_LOG_RAW_DIRECTORY", ".llmist/logs"), "", ANY)],
    },
    Agent {
        title: "SpecStory",
        names: &["specstory"],
        containers: &["specstory"],
        folders: &[place(Base::Project, ".specstory/history", &["*.md", "*/*.md"])],
    },
    Agent {
        title: "aider",
        names: &["aider"],
        // A file with this name is shown even if its beginning is damaged.
        containers: &[],
        folders: &[place(Base::Project, ".aider.chat.history.md", ANY)],
    },
];

/// Sessions of Qwen Code are in the same folders as its settings, unless `QWEN_RUNTIME_DIR` names others.
const QWEN: Base = Base::Variable("QWEN_HOME", ".qwen");
/// Older releases, which do not read the variable, have this folder, too.
const OPENHANDS: Base = Base::Variable("OPENHANDS_PERSISTENCE_DIR", ".openhands");
const COPILOT: Base = Base::Variable("COPILOT_HOME", ".copilot");
/// Kimi CLI, from which Kimi Code was made.
const KIMI: Base = Base::Variable("KIMI_SHARE_DIR", ".kimi");

const fn place(base: Base, below: &'static str, sessions: &'static [&'static str]) -> AgentFolder {
    AgentFolder { base, below, sessions }
}

impl Agent {
    /// True if the program reads its sessions.
    pub(super) fn is_read(&self) -> bool {
        let is_known = |name: &&str| REGISTRY.iter().any(|about| about.name == *name);
        self.containers.is_empty() || self.containers.iter().any(is_known)
    }
}

/// The names of the agents for a sentence: `Claude Code, Codex and aider`.
pub fn titles() -> String {
    let titles: Vec<&str> = AGENTS.iter().map(|agent| agent.title).collect();
    let (last, others) = titles.split_last().expect("there are agents");
    format!("{} and {last}", others.join(", "))
}

/// The names of the agents as values of an option, comma-separated.
pub fn option_values() -> String {
    let names: Vec<&str> = AGENTS.iter().filter_map(|agent| agent.names.first().copied()).collect();
    names.join(", ")
}

/// True if an agent has this name, or if the name of a container is it or begins with it.
pub fn is_known(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.names.contains(&name)) || REGISTRY.iter().any(|about| begins(about.name, name))
}

/// True if a session in this container was recorded by the agent with this name. `recorder` is the agent in whose
/// folder the session is.
pub fn is_recorded_by(name: &str, container: &str, recorder: Option<&Agent>) -> bool {
    let is_usual = |agent: &Agent| agent.names.contains(&name) && agent.containers.first() == Some(&container);
    begins(container, name) || recorder.map_or_else(|| AGENTS.iter().any(is_usual), |agent| agent.names.contains(&name))
}

fn begins(container: &str, name: &str) -> bool {
    container.strip_prefix(name).is_some_and(|end| end.is_empty() || end.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_of_the_agent_in_whose_folder_it_is_or_else_of_its_container() {
        let of = |title: &str| AGENTS.iter().find(|agent| agent.title == title);
        for (name, container, recorder, is_its) in [
            ("claude", "claude-code", None, true),
            ("codex", "claude-code", None, false),
            ("copilot", "copilot-cli", of("Copilot CLI"), true),
            ("copilot", "vscode-chat", None, true),
            ("vscode", "vscode-chat", of("VS Code chat"), true),
            ("roo", "cline-ui", of("Roo"), true),
            ("roo", "cline", of("Cline"), false),
            ("openclaw", "pi", of("OpenClaw"), true),
            ("cline", "anthropic", None, false),
            ("cline", "anthropic", of("Cline"), true),
            ("kimi", "kimi-code", None, true),
            ("factory", "droid", None, true),
        ] {
            assert_eq!(is_recorded_by(name, container, recorder), is_its, "{name} {container}");
        }
        let names =
            ["copilot", "cursor", "qwen", "vscode", "kimi", "antigravity", "droid", "grok", "specstory", "cline-ui"];
        assert_eq!(names.into_iter().find(|name| !is_known(name)), None);
        assert!(!is_known("copilt") && !is_known("cla"));
    }

    #[test]
    fn the_guide_names_each_agent() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys.md");
        let text = std::fs::read_to_string(path).expect("the page can be read");
        let agents = titles();
        let row = format!(
            "| `o` `O` | the sessions that {agents} keep in your home or the current directory; back to the list |"
        );
        assert!(text.lines().any(|line| line == row), "docs/keys.md lacks the row:\n{row}");
    }
}
