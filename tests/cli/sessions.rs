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
