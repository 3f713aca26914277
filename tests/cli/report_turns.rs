//! Reports on recorded sessions: turns in the table of contents, calls with their results and sub-agents in them, folded
//! messages of the client, drawings.

use std::fs;
use std::path::Path;

use super::export::{harmless, seen, tame};
use super::run_in;

/// A record of Claude Code at a second after nine o'clock.
fn record(number: usize, second: usize, agent: Option<&str>, body: &str) -> String {
    let agent = agent.map_or_else(String::new, |agent| format!(r#""isSidechain":true,"agentId":"{agent}","#));
    let time = format!("2026-03-24T09:{:02}:{:02}Z", second / 60, second % 60);
    let parent = number.checked_sub(1).map_or_else(|| "null".to_owned(), |before| format!("\"u{before}\""));
    format!(
        r#"{{"sessionId":"s","version":"2.1.0","uuid":"u{number}","parentUuid":{parent},"timestamp":"{time}",{agent}{body}}}"#
    )
}

/// A message of the user.
fn prompt(text: &str) -> String {
    format!(r#""type":"user","message":{{"role":"user","content":"{text}"}}"#)
}

/// An answer of the model with this content, whose prompt had this many tokens.
fn answer(id: &str, tokens: usize, content: &str) -> String {
    format!(
        r#""type":"assistant","message":{{"id":"{id}","role":"assistant","model":"claude-opus-4-6","content":[{content}],"usage":{{"input_tokens":10,"cache_read_input_tokens":{tokens},"output_tokens":20}}}}"#
    )
}

fn call(id: &str, name: &str, input: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
}

fn result(id: &str, text: &str, more: &str) -> String {
    format!(
        r#""type":"user",{more}"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}}"#
    )
}

/// Two turns: one with a sub-agent, and one after a command of the client, with a compaction and a call that fails.
fn session() -> String {
    let task = call("c1", "Task", r#"{"description":"find the docks","subagent_type":"Explore","prompt":"Look"}"#);
    let failed = r#""toolUseResult":"Error: no berth","#;
    let records = [
        (0, None, prompt("Mend the gate")),
        (5, None, answer("m1", 1000, r#"{"type":"text","text":"I ask."}"#)),
        (6, None, answer("m1", 1000, &task)),
        (7, Some("a7"), prompt("Look")),
        (9, Some("a7"), answer("n1", 500, &call("x1", "Grep", r#"{"pattern":"dock"}"#))),
        (10, Some("a7"), result("x1", "src/dock.rs", "")),
        (12, Some("a7"), answer("n2", 600, r#"{"type":"text","text":"In src/dock.rs."}"#)),
        (13, None, result("c1", "In src/dock.rs.", r#""toolUseResult":{"agentId":"a7","status":"completed"},"#)),
        (15, None, answer("m2", 1200, r#"{"type":"text","text":"It is mended."}"#)),
        (60, None, prompt("<command-name>/clear</command-name><command-message>clear</command-message>")),
        (61, None, prompt("<local-command-stdout>gone</local-command-stdout>")),
        (62, None, r#""type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"manual","preTokens":1230}"#.to_owned()),
        (70, None, prompt("And the berth?")),
        (74, None, answer("m3", 300, &call("c2", "Read", r#"{"file_path":"/berth"}"#))),
        (75, None, result("c2", "no berth", failed).replace(r#""content":"no"#, r#""is_error":true,"content":"no"#)),
    ];
    let lines = records.iter().enumerate().map(|(number, (at, agent, body))| record(number, *at, *agent, body) + "\n");
    lines.collect()
}

/// A report on a session.
fn report(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("s.jsonl"), text).expect("a file can be made");
    let (code, out, errors) = run_in(folder.path(), &[options, &["s.jsonl"]].concat(), &[], b"").parts();
    assert_eq!((code, errors.as_str()), (0, ""), "{options:?}");
    seen(&out);
    out
}

/// Checks that the words are in a text in this order.
#[track_caller]
fn in_order(text: &str, words: &[&str]) {
    let mut rest = text;
    for words in words {
        let Some(at) = rest.find(words) else { panic!("{words:?} does not follow in\n{rest}") };
        rest = &rest[at + words.len()..];
    }
}

#[test]
fn a_page_shows_turns_with_their_calls_results_and_sub_agents() {
    let page = report(&session(), &["export", "--to", "html"]);
    harmless(&page);
    in_order(
        &page,
        &[
            "<li class=\"drawn\"><a href=\"#timeline\">Timeline</a></li>",
            "<a href=\"#t1\"><b>Turn 1</b> Mend the gate<span class=\"figures\">2026-03-24 09:00:00 · 15.0 s · 2 calls",
            "<a href=\"#t2\"><b>Turn 2</b> And the berth?<span class=\"figures\">09:01:10 · 5.0 s · 1 call · ✗ 1 failed",
            "<section class=\"turn\" id=\"t1\"><h3>Turn 1 · Mend the gate <span>2026-03-24 09:00:00 UTC · 15.0 s",
            "I ask.",
            "<h4>Task</h4>",
            "<details class=\"agent\"><summary><h5>Sub-agent · Explore · find the docks</h5>",
            "<h6>Grep</h6>",
            "⇒ result",
            "src/dock.rs</pre></details>\n</details>",
            "In src/dock.rs.",
            "</details>\n</details>\n",
            "⇒ result",
            "It is mended.",
            "<summary>client <span class=\"brief\">/clear</span></summary>",
            "<summary>client <span class=\"brief\">local-command-stdout: gone</span></summary>",
            "<section class=\"turn\" id=\"t2\">",
            "<h4>Read</h4>",
            "<em>failed</em>",
            "no berth</pre></details>\n</details>",
        ],
    );
    for (words, times) in [("<section class=\"turn\"", 2), ("⇒ result", 3), ("<b class=\"speaker\">assistant", 3)] {
        assert_eq!(page.matches(words).count(), times, "{words}\n{page}");
    }
}

#[test]
fn a_page_draws_turns_and_requests() {
    let page = report(&session(), &["export", "--to", "html"]);
    in_order(
        &page,
        &[
            "<h2 id=\"timeline-title\">Timeline · 1m 15s</h2>",
            "<a href=\"#t1\" tabindex=\"-1\"><text x=\"0\"",
            "1 · 15.0 s · Mend the gate</text><rect class=\"model\"",
            "<title>answer · 6.0 s</title>",
            "<rect class=\"subagent\"",
            "<title>Task Look · ≤7.0 s</title>",
            "<rect class=\"wait\"",
            "<title>wait for the user · 55.0 s</title>",
            "2 · 5.0 s · And the berth?</text>",
            "<rect class=\"tool\"",
            "<title>Read /berth · ≤1.0 s</title>",
            "<h2 id=\"context-title\">Context · 310 at the end, 1.2k at most",
            "<a href=\"#t1\" tabindex=\"-1\"><g><rect class=\"cached\"",
            "<title>Request 1, turn 1: 1.0k, 1.0k cached, 10 new, 20 answer</title>",
            "<rect class=\"compaction\"",
            "<title>compacted (manual), 1.2k → ~310</title>",
            "<a href=\"#t2\"",
            "<h2>Transcript</h2>",
        ],
    );
    let filtered = report(&session(), &["export", "--to", "html", "--filter", "failed"]);
    assert!(
        !filtered.contains("<svg") && filtered.contains("id=\"t2\"") && !filtered.contains("id=\"t1\""),
        "{filtered}"
    );
}

#[test]
fn of_many_turns_the_longest_are_drawn() {
    let turn = |number: usize| {
        let (at, id) = (7 * number, format!("m{number}"));
        let written = answer(&id, 100 + number, r#"{"type":"text","text":"Done."}"#);
        // The first ten are the shortest.
        let took = if number < 10 { 1 } else { 5 };
        [record(2 * number, at, None, &prompt("Next")), record(2 * number + 1, at + took, None, &written)].join("\n")
            + "\n"
    };
    let page = report(&(0..130).map(turn).collect::<String>(), &["export", "--to", "html"]);
    harmless(&page);
    assert!(
        page.contains(
            "<p class=\"facts\">The 120 longest of 130 turns, which begin at the left; the contents list all.</p>"
        ),
        "{page}"
    );
    for (words, times) in [("<li class=\"turn\">", 130), ("tabindex=\"-1\"><text", 120), ("tabindex=\"-1\"><g>", 130)] {
        assert_eq!(page.matches(words).count(), times, "{words}");
    }
    assert!(!page.contains("tabindex=\"-1\"><text x=\"0\" y=\"31\">1 · "), "the first turn is not drawn");
    let many = report(&(0..500).map(turn).collect::<String>(), &["export", "--to", "html"]);
    assert!(many.contains("<p class=\"facts\">500 requests; each bar is the largest of 3.</p>"), "{many}");
}

#[test]
fn markdown_links_to_its_turns_and_nests_sub_agents() {
    let markdown = report(&session(), &["export", "--to", "markdown"]);
    tame(&markdown);
    in_order(
        &markdown,
        &[
            "\n## Turns\n\n- [Turn 1](#turn-1) · **Mend the gate** · 2026-03-24 09:00:00 · 15.0 s · 2 calls",
            "\n- [Turn 2](#turn-2) · **And the berth?** · 09:01:10 · 5.0 s · 1 call · ✗ 1 failed",
            "\n## Transcript\n\n### Turn 1\n\n**Mend the gate** · 2026-03-24 09:00:00 UTC · 15.0 s",
            "\n**Task** c1, native, line 3, ≤7.0 s\n",
            "\n#### Sub-agent · Explore · find the docks · completed · 1 call\n",
            "\n**Grep** x1",
            "\n⇒ result\n",
            "\n*End of sub-agent Explore · find the docks*\n",
            "\n⇒ result\n\n```\nIn src/dock.rs.\n```\n",
            "\n*client*: /clear\n",
            "\n*client*: local-command-stdout: gone\n",
            "\n### Turn 2\n",
            "\n⇒ result (failed)\n",
        ],
    );
}

#[test]
fn plain_lines_announce_turns_and_sub_agents() {
    let lines = report(&session(), &["--linear"]);
    in_order(
        &lines,
        &[
            "turn 1, 2026-03-24 09:00:00 UTC, 2 calls, 15.0 s, ≥3.4k tokens: Mend the gate\nuser: 2026-03-24 09:00:00 UTC\n",
            "\nsub-agent begins: a7\n",
            "\ntool Grep call: x1\n",
            "\nsub-agent ends: a7\n",
            "\nresult: Task c1\n",
            "\nclient: /clear\n",
            "\nturn 2, 2026-03-24 09:01:10 UTC, 1 call, 1 failed, 5.0 s, ≥330 tokens: And the berth?\n",
            "\nend: 3 calls",
        ],
    );
    // A session that arrives has its figures at the end of a turn.
    let arriving = run_in(Path::new("."), &["--linear", "-"], &[], session().as_bytes()).stdout;
    in_order(
        &arriving,
        &[
            "turn 1, 2026-03-24 09:00:00 UTC\nuser:",
            "\nend of turn 1: 2 calls\nturn 2, 2026-03-24 09:01:10 UTC\n",
            "\nend of turn 2: 1 call, 1 failed\n",
        ],
    );
}
