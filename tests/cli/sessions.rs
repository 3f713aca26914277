//! `sessions`: the list in each format, its order and titles, and the newest session.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::run_in;

/// Records of a session of Claude Code: its id, its prompt, its minute, and further members.
fn claude(id: &str, prompt: &str, minute: u32, more: &str) -> String {
    format!(
        r#"{{"type":"user","sessionId":"{id}","uuid":"u","cwd":"/home/mira/ferry"{more},"timestamp":"2026-03-24T09:{minute:02}:00Z","message":{{"role":"user","content":"{prompt}"}}}}
{{"type":"assistant","sessionId":"{id}","uuid":"v","parentUuid":"u"{more},"timestamp":"2026-03-24T09:{minute:02}:30Z","message":{{"id":"m","role":"assistant","model":"claude-opus-4-5-20251101","stop_reason":"tool_use","usage":{{"input_tokens":900,"output_tokens":100}},"content":[{{"type":"tool_use","id":"t","name":"Bash","input":{{}}}}]}}}}
{{"type":"user","sessionId":"{id}","uuid":"w","parentUuid":"v"{more},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}}]}}}}
"#
    )
}

const NAMED: &str = "{\"type\":\"custom-title\",\"customTitle\":\"Gate\",\"sessionId\":\"s-1\"}\n";
const CODEX: &str = r#"{"timestamp":"2026-03-24T09:10:00Z","type":"session_meta","payload":{"id":"c-1"}}
{"timestamp":"2026-03-24T09:10:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Sort the photos"}]}}
"#;

/// A home with a session, a newer one of a sub-agent, a Codex session in between, and a file that is not a session.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    };
    let project = ".claude/projects/-home-mira-ferry";
    write(&format!("{project}/s-1.jsonl"), &(claude("s-1", "Mend the gate", 5, "") + NAMED));
    write(&format!("{project}/s-2.jsonl"), &claude("s-2", "Paint, \\\"it\\\" green", 1, ""));
    let agent = r#","isSidechain":true,"agentId":"a1""#;
    write(&format!("{project}/s-1/subagents/agent-a1.jsonl"), &claude("s-1", "Look around", 20, agent));
    write(&format!("{project}/titles.jsonl"), NAMED);
    write(".codex/sessions/2026/03/24/rollout-c-1.jsonl", CODEX);
    home
}

#[test]
fn sessions_are_listed_in_each_format() {
    let home = home();
    for (arguments, code, words, error) in [
        (
            &["sessions"][..],
            0,
            &[
                "title  ",
                "✗ Gate  ",
                "⑂ ✗ Look around",
                " ferry ",
                "2026-03-24 09:05",
                "4 sessions, 1 of them sub-agents (⑂)\n",
            ][..],
            "",
        ),
        (&["sessions", "--width", "200"], 0, &[" claude-opus-4-5 ", " 30.0 s ", " 1.0k ", " s-1.jsonl\n"], ""),
        (
            &["sessions", "--format", "csv"],
            0,
            &["path,container,id,title,", ",s-2,\"Paint, \"\"it\"\" green\",ferry,"],
            "",
        ),
        (&["sessions", ".codex"], 0, &["Sort the photos", "1 session\n"], ""),
        (&["sessions", "--latest"], 0, &["Sort the photos", "1 session\n"], ""),
        (&["sessions", "--latest=claude"], 0, &["✗ Gate"], ""),
        (&["sessions", "--latest=claude-code", "--format", "json"], 0, &["\"resume\":\"claude --resume s-1\""], ""),
        (&["sessions", "--latest=goose"], 2, &[], "no sessions of goose found"),
        (&["sessions", "--latest=copilt"], 2, &[], "unknown agent \"copilt\""),
        (&["sessions", "nowhere"], 0, &["no sessions found in nowhere\n"], "could not open nowhere"),
    ] {
        let (status, out, errors) = run_in(home.path(), arguments, &[], b"").parts();
        assert_eq!(status, code, "{arguments:?}: {out}{errors}");
        for words in words {
            assert!(out.contains(words), "{arguments:?} lacks {words:?}:\n{out}");
        }
        assert!(errors.contains(error) && (!error.is_empty() || errors.is_empty()), "{arguments:?}: {errors}");
    }
    let empty = tempfile::tempdir().expect("a folder can be made");
    let (status, _, errors) = run_in(empty.path(), &["sessions"], &[], b"").parts();
    assert_eq!(status, 2);
    assert!(errors.contains("no recorded sessions"), "{errors}");
}

#[test]
fn the_newest_message_is_first_and_json_has_the_facts() {
    let home = home();
    let (_, out, errors) = run_in(home.path(), &["sessions", "--format", "json"], &[], b"").parts();
    assert_eq!(errors, "");
    let list: Value = serde_json::from_str(&out).expect("it is JSON");
    let row = |session: &Value| {
        let words = |key: &str| session[key].as_str().unwrap_or_default().to_owned();
        [words("title"), words("title_source"), words("kind"), words("bad_ending")]
    };
    let rows: Vec<_> = list["sessions"].as_array().expect("a list").iter().map(row).collect();
    let expected = [
        ["Look around", "prompt", "subagent", "failed-call"],
        ["Sort the photos", "prompt", "main", ""],
        ["Gate", "given", "main", "failed-call"],
        ["Paint, \"it\" green", "prompt", "main", "failed-call"],
    ];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)), "{out}");
    let gate = &list["sessions"][2];
    assert_eq!((&gate["calls"], &gate["failed"], &gate["turns"]), (&1.into(), &1.into(), &1.into()), "{gate}");
    assert_eq!((&gate["usage"]["total"], &gate["duration_ms"]), (&1000.into(), &30_000.into()), "{gate}");
}

/// Where agents record sessions: the agent's name, its container, the path of a session with `{}` for the name of a
/// sample, and a file next to it that is not a session.
const LAYOUTS: [(&str, &str, &str, &str); 28] = [
    ("claude", "claude-code", ".claude/projects/-home-mira/{}.jsonl", ".claude/projects/-home-mira/memory/notes.md"),
    ("claude", "claude-code", ".config/claude/projects/-home-mira/{}.jsonl", ".config/claude/settings.json"),
    ("codex", "codex", ".codex/archived_sessions/rollout-{}.jsonl", ".codex/config.toml"),
    ("gemini", "gemini-cli", ".gemini/tmp/a1/chats/session-{}.json", ".gemini/tmp/a1/shell_history"),
    ("qwen", "qwen-code", ".qwen/projects/-home-mira/chats/{}.jsonl", ".qwen/projects/-home-mira/memory/notes.md"),
    ("copilot", "copilot-cli", ".copilot/session-state/{}/events.jsonl", ".copilot/session-state/a1/workspace.yaml"),
    (
        "vscode",
        "vscode-chat",
        ".config/Code/User/workspaceStorage/a1/chatSessions/{}.json",
        ".config/Code/User/workspaceStorage/a1/workspace.json",
    ),
    (
        "vscode",
        "vscode-chat",
        "AppData/Roaming/Code/User/globalStorage/emptyWindowChatSessions/{}.json",
        "AppData/Roaming/Code/User/globalStorage/storage.json",
    ),
    (
        "cursor",
        "cursor-agent",
        ".cursor/projects/home-mira/agent-transcripts/{}/{}.jsonl",
        ".cursor/projects/home-mira/terminals/1.txt",
    ),
    (
        "opencode",
        "opencode-storage",
        ".local/share/opencode/storage/session/p/{}.json",
        ".local/share/opencode/log/dev.log",
    ),
    ("goose", "goose", ".local/share/goose/sessions/{}.jsonl", ".local/share/goose/history.txt"),
    (
        "kimi",
        "kimi-code",
        ".kimi-code/sessions/wd_ferry/{}/agents/main/wire.jsonl",
        ".kimi-code/sessions/wd_ferry/a1/state.json",
    ),
    ("kimi", "kimi", ".kimi/sessions/a1/{}/context.jsonl", ".kimi/sessions/a1/b2/state.json"),
    (
        "antigravity",
        "antigravity",
        ".gemini/antigravity/brain/{}/.system_generated/logs/transcript.jsonl",
        ".gemini/antigravity/brain/a1/task.md",
    ),
    ("droid", "droid", ".factory/sessions/-home-mira/{}.jsonl", ".factory/sessions/-home-mira/a1.settings.json"),
    ("grok", "grok-cli", ".grok/sessions/ferry/{}/chat_history.jsonl", ".grok/sessions/ferry/a1/updates.jsonl"),
    (
        "cline",
        "cline",
        ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/{}/api_conversation_history.json",
        ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/a1/checkpoints/.git/HEAD",
    ),
    ("cline", "cline-ui", ".cline/data/tasks/{}/ui_messages.json", ".cline/data/tasks/a1/notes.md"),
    (
        "roo",
        "cline-ui",
        "Library/Application Support/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/tasks/{}/ui_messages.json",
        "Library/Application Support/Cursor/User/globalStorage/rooveterinaryinc.roo-cline/settings.json",
    ),
    ("roo", "cline", ".vscode-mock/global-storage/tasks/{}/api_conversation_history.json", ".vscode-mock/secrets.json"),
    (
        "kilo",
        "cline-ui",
        ".vscode-server/data/User/globalStorage/kilocode.kilo-code/tasks/{}/ui_messages.json",
        ".vscode-server/data/User/globalStorage/kilocode.kilo-code/settings.json",
    ),
    ("kilo", "cline-ui", ".kilocode/cli/global/tasks/{}/ui_messages.json", ".kilocode/cli/config.json"),
    ("pi", "pi", ".pi/agent/sessions/-home-mira/{}.jsonl", ".pi/agent/settings.json"),
    ("openclaw", "pi", ".openclaw/agents/main/sessions/{}.jsonl", ".openclaw/agents/main/memory.md"),
    (
        "code-assistant",
        "code-assistant",
        ".local/share/code-assistant/sessions/{}.json",
        ".local/share/code-assistant/sessions/metadata.lock",
    ),
    ("llmist", "llmist-request", ".llmist/logs/calm-otter/{}.request", ".llmist/settings.toml"),
    ("specstory", "specstory", ".specstory/history/{}.md", ".specstory/statistics.json"),
    ("aider", "aider", ".aider.chat.history.md", ".aider.input.history"),
];

#[test]
fn a_session_is_found_where_each_agent_records_it() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &[u8]| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    };
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/containers");
    let mut expected = Vec::new();
    for (agent, container, layout, other) in LAYOUTS {
        write(other, b"no session\n");
        // A container that the program does not read has no samples.
        let Ok(entries) = fs::read_dir(format!("{samples}/{container}")) else { continue };
        let (mut stems, extension) = (Vec::new(), layout.rsplit('.').next().unwrap_or_default());
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let is_usual = path.extension().is_some_and(|end| end == extension);
            if is_usual {
                let stem = path.file_stem().expect("it has one").to_string_lossy().into_owned();
                write(&layout.replace("{}", &stem), &fs::read(&path).expect("a sample can be read"));
                stems.push(stem);
            }
        }
        assert!(!stems.is_empty(), "no sample of {container} is named like {layout}");
        expected.push((agent, container, layout, stems));
    }
    let config = home.path().join(".config").to_string_lossy().into_owned();
    let run = |arguments: &[&str]| {
        let (_, out, errors) = run_in(home.path(), arguments, &[("XDG_CONFIG_HOME", &config)], b"").parts();
        let list: Value =
            serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?} {error}: {out}{errors}"));
        let sessions = list["sessions"].as_array().expect("a list").clone();
        let word = |session: &Value, key: &str| session[key].as_str().unwrap_or_default().to_owned();
        sessions.iter().map(|session| (word(session, "path"), word(session, "container"))).collect::<Vec<_>>()
    };
    let found = run(&["sessions", "--format", "json"]);
    for (agent, container, layout, stems) in &expected {
        let paths: Vec<String> = stems.iter().map(|stem| layout.replace("{}", stem)).collect();
        let is_its = |(path, of): &(String, String)| of == container && paths.iter().any(|end| path.ends_with(&**end));
        assert!(found.iter().any(is_its), "{agent}: no {layout} among {found:#?}");
        let latest = run(&["sessions", "--format", "json", &format!("--latest={agent}")]);
        assert_eq!(latest.len(), 1, "{agent}");
    }
    for (_, _, _, other) in LAYOUTS {
        assert!(!found.iter().any(|(path, _)| path.ends_with(other)), "{other} is listed");
    }
    // A copy of the home, and a home that is mounted, are searched in the same way.
    let mut copied = run(&["sessions", "--format", "json", "."]);
    let ends = |list: &mut Vec<(String, String)>| {
        let prefix = home.path().to_string_lossy().into_owned() + "/";
        let end = |path: &str| path.trim_start_matches("./").trim_start_matches(&*prefix).to_owned();
        let mut ends: Vec<_> = list.iter().map(|(path, container)| (end(path), container.clone())).collect();
        ends.sort();
        ends
    };
    copied.retain(|(_, container)| container != "plain");
    assert_eq!(ends(&mut copied), ends(&mut found.clone()));
}
