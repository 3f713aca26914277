//! The facts that statistics of many files are based on: for each container, the session of a file, the first model
//! named by a message and the first time of a message; nothing is made up if the file does not state them.

use std::fs;
use std::path::Path;

use transcope::container::REGISTRY;
use transcope::dialect::Options;
use transcope::session::Session;

/// Session id, first model, first moment in UTC.
type Facts = (Option<&'static str>, Option<&'static str>, Option<&'static str>);

const NONE: Facts = (None, None, None);

/// Samples: the container, a file in its folder, and its facts.
#[rustfmt::skip]
const SAMPLES: &[(&str, &str, Facts)] = &[
    ("adk", "session.json", (Some("adk-7"), None, Some("2026-09-05T09:20:00.5Z"))),
    ("adk-eval", "gates.test.json", (None, None, Some("2026-09-05T09:20:00Z"))),
    ("antigravity", "transcript.jsonl", (None, None, Some("2026-09-03T07:00:00Z"))),
    ("copilot-cli", "events.jsonl", (Some("0d7e-ferry"), Some("gpt-5-mini"), Some("2026-09-02T09:00:00.5Z"))),
    ("cursor-agent", "slipway.jsonl", NONE),
    ("droid", "session.jsonl", (Some("dr-41"), None, Some("2026-09-04T06:00:00Z"))),
    ("droid-stream", "run.jsonl", (Some("dr-42"), Some("claude-sonnet-4-5"), Some("2026-09-04T07:00:01Z"))),
    ("grok-cli", "chat_history.jsonl", (None, Some("grok-4.5"), None)),
    ("kimi", "context.jsonl", NONE),
    ("kimi-code", "wire.jsonl", (None, Some("kimi-k2.7-code"), Some("2026-09-01T09:00:01Z"))),
    ("qwen-code", "tide-list.jsonl", (Some("5f0c-tides"), Some("qwen3-coder-plus"), Some("2026-09-01T08:00:00Z"))),
    ("ai-sdk", "screen-messages.json", (None, Some("x"), None)),
    ("ai-sdk-stream", "on-its-way.sse", NONE),
    ("aider", "tide-clock.md", (None, Some("claude-sonnet-4-5"), Some("2025-11-03T09:12:44Z"))),
    ("aider-llm", "llm.history", (None, None, Some("2025-11-03T09:13:20Z"))),
    ("anthropic", "answer.json", (None, Some("claude-opus-4-1"), None)),
    ("anthropic", "request.json", (None, Some("claude-sonnet-4-5"), None)),
    ("anthropic-stream", "pilot.sse", (None, Some("claude-haiku-4-5"), None)),
    ("atif", "session.json", (Some("5c7d"), Some("claude-sonnet-4-5"), Some("2026-04-01T07:00:00Z"))),
    ("atif", "by-order.json", (Some("9e1f"), Some("claude-sonnet-4-5"), None)),
    ("bedrock", "request.json", (None, Some("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"), None)),
    ("bedrock", "what-goes-wrong.jsonl", (None, Some("eu.amazon.nova-lite-v1:0"), Some("2025-11-20T06:00:00Z"))),
    ("chatgpt", "conversations.json", (None, Some("gpt-5"), Some("2025-11-04T10:00:00.25Z"))),
    ("claude-ai", "conversations.json", (None, None, Some("2025-11-04T10:00:00Z"))),
    ("claude-code", "late-ferry.jsonl", (Some("7b1c9f52-0000-4000-8000-00000000f00d"), Some("claude-sonnet-4-5-20250929"), Some("2025-06-14T10:00:01Z"))),
    ("claude-code", "two-branches.jsonl", (Some("7b1c9f52-0000-4000-8000-00000000f00d"), Some("claude-sonnet-4-5-20250929"), Some("2025-06-14T10:01:01Z"))),
    ("cline", "ferry-clock.json", (None, Some("claude-sonnet-4-5"), Some("2025-11-04T10:00:00Z"))),
    ("cline-ui", "ferry-clock.json", (None, Some("claude-sonnet-4-5"), Some("2025-11-04T10:00:00Z"))),
    ("code-assistant", "session.json", (Some("chat_68f"), None, Some("2025-10-09T08:53:21Z"))),
    ("code-assistant-recording", "recording.json", (None, Some("claude-sonnet-4"), Some("2025-07-01T09:00:00Z"))),
    ("codex", "lock-gates.jsonl", (Some("0199-lock"), Some("gpt-5-codex"), Some("2025-10-28T04:00:00Z"))),
    ("codex", "two-agents.jsonl", (Some("0199b2c3-0000-7000-8000-000000000007"), Some("gpt-5.2-codex"), Some("2026-10-02T09:00:04Z"))),
    ("codex", "exec-report.jsonl", (Some("019a-tides"), None, None)),
    ("gemini", "answer.json", (None, Some("gemini-2.5-pro"), None)),
    ("gemini", "request.json", (None, Some("models/gemini-2.5-pro"), None)),
    ("gemini-cli", "session.json", (Some("6d5f1a9e-2c44-4c1b-9a57-0b7e5a1f2c3d"), Some("gemini-2.5-pro"), Some("2026-02-11T08:00:00Z"))),
    ("gemini-cli", "lamps.jsonl", (Some("6d5f1a9e-2c44-4c1b-9a57-0b7e5a1f2c3d"), Some("gemini-3-pro"), Some("2026-02-11T08:00:00Z"))),
    ("gemini-cli", "run.ndjson", (Some("6d5f1a9e-2c44-4c1b-9a57-0b7e5a1f2c3d"), Some("auto-gemini-3"), Some("2026-02-11T08:00:00Z"))),
    ("gemini-stream", "lamp.ndjson", (None, Some("gemini-3-pro"), None)),
    ("goose", "lamp-log.jsonl", (None, Some("claude-sonnet-4-5"), Some("2025-11-04T10:00:00Z"))),
    ("goose", "run.json", (None, None, Some("2025-11-04T10:01:40Z"))),
    ("har", "ferry-office.har", (None, Some("harbour-mini"), Some("2026-04-04T08:06:39.5Z"))),
    ("inspect", "sums.json", (None, Some("openai/gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("inspect", "archive.jsonl", (Some("eV1"), Some("openai/gpt-5"), Some("2026-05-02T07:00:01Z"))),
    ("inspect", "running.jsonl", (Some("eV2"), Some("openai/gpt-5"), Some("2026-05-02T07:00:20Z"))),
    ("inspect", "sample.json", (None, Some("openai/gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("langchain", "history.json", (None, Some("claude-sonnet-4-5"), None)),
    ("langchain", "runs.jsonl", (None, Some("gpt-5-mini"), Some("2026-03-04T06:00:00Z"))),
    ("langfuse", "lock-keeper.json", (Some("keeper-7"), Some("lock-mini-1"), Some("2026-02-11T06:00:02Z"))),
    ("langfuse", "mast.jsonl", (Some("tr-mast"), Some("spar-2"), Some("2026-02-11T06:20:02Z"))),
    ("llmist-log", "session.log.jsonl", (None, None, Some("2026-03-24T11:05:05.866Z"))),
    ("llmist-request", "0002.request", NONE),
    ("ollama", "ice.ndjson", (None, Some("qwen3:8b"), Some("2026-03-02T05:10:01.25Z"))),
    ("openai-chat", "answer.json", (None, Some("deepseek-reasoner"), Some("2025-12-02T07:50:32Z"))),
    ("openai-chat", "data-set.jsonl", NONE),
    ("openai-chat-stream", "chunks.txt", (None, Some("qwen3-max"), Some("2026-02-10T23:08:58Z"))),
    ("openai-responses", "answer.json", (None, Some("gpt-5"), Some("2026-01-21T15:22:09Z"))),
    ("openai-responses", "items.jsonl", NONE),
    ("openai-responses-stream", "buoys.sse", (None, Some("gpt-5"), Some("2026-01-21T15:22:09Z"))),
    ("opencode", "tide-table.json", (Some("ses_2b1f0c9d7ffeTideTableMoss1"), Some("claude-sonnet-4-5"), Some("2025-11-03T10:00:00Z"))),
    ("opencode-storage", "moon.json", (Some("ses_2b0a77aa1ffeMoonQuay03"), Some("claude-sonnet-4-5"), Some("2025-11-05T10:00:00Z"))),
    ("openhands", "berths.json", (None, Some("claude-sonnet-4-5"), Some("2025-11-04T10:00:00.12Z"))),
    ("openhands", "first-boats.jsonl", (Some("5c1e0f3a-0000-4000-8000-000000000000"), Some("anthropic/claude-sonnet-4-5"), Some("2026-03-09T08:00:00Z"))),
    ("openhands", "free-berth.jsonl", (None, None, Some("2025-11-24T09:00:00.1Z"))),
    ("otel", "harbour-board.json", (Some("7d1f0c2ab94e4c1f8d20a5b6c7e8f901"), Some("harbour-large-2510"), Some("2025-11-07T08:00:00.95Z"))),
    ("otel", "high-water.json", (Some("c1"), Some("small-1"), Some("2026-02-03T15:19:53Z"))),
    ("otel", "mill-race.json", (Some("d4"), Some("mill-1-0203"), Some("2026-02-03T15:20:02Z"))),
    ("otel", "tide-logs.json", (Some("5b8e"), None, Some("2026-02-03T15:19:52Z"))),
    ("otel", "village-cinema.jsonl", (Some("9b1c2d3e4f5061728394a5b6c7d8e9f0"), Some("projector-9b"), Some("2025-11-07T18:01:02Z"))),
    ("pi", "knots.jsonl", (Some("0f6c2b1e-77aa-4c1d-8a2e-5d1c3b9f0a44"), Some("claude-sonnet-4-5"), Some("2026-01-09T06:00:12Z"))),
    ("pi", "begins-in-the-midst.jsonl", (None, Some("claude-sonnet-4-5"), Some("2026-01-09T06:00:04Z"))),
    ("plain", "notes.md", NONE),
    ("sharegpt", "weights.json", NONE),
    ("specstory", "tide-board.md", (Some("4f0c2f7e-1b7a-4a53-9a55-0d6a2f1c9b11"), Some("claude-sonnet-4-5"), Some("2026-03-02T06:10:00Z"))),
    ("specstory", "first-form.md", NONE),
    ("specstory", "editor.md", (Some("0b7d4f7a-90a1-4a8f-8a3e-3a51c2b7d001"), Some("claude-4-sonnet"), Some("2025-09-03T08:00:00Z"))),
    ("vscode-chat", "chat.json", (None, Some("copilot/gpt-4.1"), Some("2026-09-05T12:06:40Z"))),
    ("vscode-chat", "gate.json", (Some("5c2e7f10-gate-4c11-9d0e-lea000000001"), Some("copilot/claude-sonnet-4.5"), Some("2026-09-05T09:20:00Z"))),
    ("vscode-chat", "lamps.jsonl", (Some("77aa0c1e-lamp-4d52-8f3b-lea000000002"), Some("copilot/gpt-5-mini"), Some("2026-09-05T14:53:19Z"))),
    ("swe-agent", "clock.traj", NONE),
    ("swe-agent", "mini.traj.json", (None, None, Some("2025-11-04T10:00:00.5Z"))),
    ("swe-agent", "responses.traj.json", (None, None, Some("2026-02-11T08:53:20.5Z"))),
    ("vcr-cassette", "lamp-room.yaml", (None, Some("claude-sonnet-4-5-20250929"), Some("2026-04-02T18:30:05Z"))),
    ("vcr-cassette", "slipway.yaml", (None, Some("claude-haiku-4-5"), None)),
    ("vcr-cassette", "tide-clock.yaml", (None, Some("harbour-mini"), Some("2026-04-01T09:00:01Z"))),
];

/// Records that no sample has: the container to use, the text, and its facts.
#[rustfmt::skip]
const RECORDS: &[(&str, &str, Facts)] = &[
    // The file of a sub-agent has the session of the agent that started it.
    ("claude-code", r#"{"type":"user","isSidechain":true,"agentId":"a1","sessionId":"parent","uuid":"u","timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"Count."}}"#,
        (Some("parent"), None, Some("2026-01-01T10:00:00Z"))),
    // A summary is about another session, and has no id.
    ("claude-code", "{\"type\":\"summary\",\"summary\":\"Before\",\"leafUuid\":\"x\"}\n{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"later\"}",
        (Some("later"), None, None)),
    ("codex", r#"{"type":"session_meta","payload":{"id":"child","source":{"subagent":{"thread_spawn":{"parent_thread_id":"root","depth":1}}}}}"#,
        (Some("root"), None, None)),
    ("codex", r#"{"type":"session_meta","payload":{"session_id":"tree","id":"child","source":{"subagent":{"thread_spawn":{"parent_thread_id":"middle","depth":2}}}}}"#,
        (Some("tree"), None, None)),
    // A fork is a separate session; the record of its parent follows.
    ("codex", "{\"type\":\"session_meta\",\"payload\":{\"id\":\"fork\",\"forked_from_id\":\"first\"}}\n{\"type\":\"session_meta\",\"payload\":{\"id\":\"first\"}}",
        (Some("fork"), None, None)),
    ("codex", r#"{"id":"old","timestamp":"2025-06-01T08:00:00Z","instructions":"Be brief.","git":{}}"#,
        (Some("old"), None, Some("2025-06-01T08:00:00Z"))),
    ("goose", r#"{"id":"20251104_1","working_dir":"/w","model_config":{"model_name":"claude-sonnet-4-5"},"conversation":[{"role":"assistant","created":1762250400,"content":[{"type":"text","text":"Two."}]}]}"#,
        (Some("20251104_1"), Some("claude-sonnet-4-5"), Some("2025-11-04T10:00:00Z"))),
    ("goose", "{\"type\":\"model_change\",\"model\":\"gpt-5\",\"mode\":\"lead\"}\n{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"created\":1762250400,\"content\":[{\"type\":\"text\",\"text\":\"Two.\"}]}}",
        (None, Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("openhands", "{\"kind\":\"ConversationStateUpdateEvent\",\"source\":\"environment\",\"key\":\"full_state\",\"value\":{\"id\":\"c7\",\"agent\":{\"llm\":{\"model\":\"gpt-5\"}}}}\n{\"kind\":\"MessageEvent\",\"source\":\"agent\",\"timestamp\":\"2026-02-11T09:00:01.5\",\"llm_message\":{\"role\":\"assistant\",\"content\":\"Done.\"}}",
        (Some("c7"), Some("gpt-5"), Some("2026-02-11T09:00:01.5Z"))),
    ("openhands", r#"{"instance_id":"i","metadata":{"llm_config":{"model":"gpt-5"}},"history":[{"id":1,"source":"agent","action":"message","args":{"content":"Done."}}]}"#,
        (None, Some("gpt-5"), None)),
    ("swe-agent", r#"{"trajectory":[{"action":"ls","observation":"a","response":"I look.","thought":"I look."}],"history":[],"info":{},"replay_config":"{\"agent\":{\"model\":{\"name\":\"gpt-5\"}}}"}"#,
        (None, Some("gpt-5"), None)),
    ("swe-agent", r#"{"history":[{"role":"assistant","message_type":"action","content":"I look.","action":"ls"}],"replay_config":"{\"agent\":{\"model\":{\"name\":\"gpt-5\"}}}"}"#,
        (None, Some("gpt-5"), None)),
    ("swe-agent", r#"{"info":{"mini_version":"1.0","config":{"model":{"model_name":"gpt-5"}}},"messages":[{"role":"assistant","content":"Done."}]}"#,
        (None, Some("gpt-5"), None)),
    ("swe-agent", r#"{"info":{"mini_version":"2.0","config":{"model":{"model_name":"auto"}}},"messages":[{"role":"assistant","content":"Done.","extra":{"response":{"model":"gpt-5"},"timestamp":1762250400.5}}]}"#,
        (None, Some("gpt-5"), Some("2025-11-04T10:00:00.5Z"))),
    ("bedrock", r#"{"timestamp":"2026-01-01T10:00:00Z","operation":"Converse","modelId":"nova","input":{"inputBodyJson":{"messages":[]}},"output":{"outputBodyJson":{"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}}}}}"#,
        (None, Some("nova"), Some("2026-01-01T10:00:00Z"))),
    // The session of a run is a project's; the thread is in its metadata.
    ("langchain", r#"{"run_type":"llm","session_id":"project","trace_id":"t1","start_time":"2026-01-01T10:00:00.25","end_time":"2026-01-01T10:00:02","extra":{"metadata":{"thread_id":"th","ls_model_name":"gpt-5"}},"inputs":{"messages":[{"type":"human","content":"Hi"}]},"outputs":{"messages":[{"type":"ai","content":"Hi"}]}}"#,
        (Some("th"), Some("gpt-5"), Some("2026-01-01T10:00:00.25Z"))),
    ("langchain", r#"{"run_type":"llm","session_id":"project","trace_id":"t1","inputs":{},"outputs":{"messages":[{"type":"ai","content":"Hi","response_metadata":{"model_id":"nova"}}]}}"#,
        (Some("t1"), Some("nova"), None)),
    ("inspect", r#"{"version":2,"status":"success","eval":{"model":"m","created":"2026-01-01T09:00:00+01:00"},"samples":[{"id":1,"epoch":1,"target":"","messages":[{"role":"user","content":"Hi"}]}]}"#,
        (None, None, Some("2026-01-01T08:00:00Z"))),
    ("inspect", r#"{"version":2,"status":"success","eval":{"model":"m","created":"2026-01-01T09:00:00Z"},"samples":[{"id":1,"epoch":1,"target":"","started_at":"2026-01-01T09:00:07Z","input":"Hi"}]}"#,
        (None, None, Some("2026-01-01T09:00:07Z"))),
    ("openai-responses", r#"{"object":"response","id":"r","model":"gpt-5","created_at":1762250400,"conversation":{"id":"conv_1"},"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]}"#,
        (Some("conv_1"), Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("openai-responses", r#"{"model":"gpt-5","conversation":"conv_2","input":"Hi"}"#, (Some("conv_2"), None, None)),
    ("openai-responses-stream", r#"{"type":"response.completed","response":{"model":"gpt-5","created_at":1762250400,"conversation":{"id":"conv_1"},"output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]}}"#,
        (Some("conv_1"), Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    // A number of seconds may have a fraction, and one that is not positive is not a time.
    ("openai-responses", r#"{"object":"response","model":"gpt-5","created_at":1762250400.0,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]}"#,
        (None, Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("openai-chat", r#"{"model":"m","created":0,"choices":[{"message":{"role":"assistant","content":"Hi"}}]}"#, (None, Some("m"), None)),
    ("openai-chat", r#"{"model":"m","created":"nan","choices":[{"message":{"role":"assistant","content":"Hi"}}]}"#, (None, Some("m"), None)),
    ("anthropic", r#"{"version":1,"sessionId":"task-5","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#,
        (Some("task-5"), None, None)),
    ("otel", r#"{"name":"chat","trace_id":"0xab","attributes":{"gen_ai.conversation.id":"talk","gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Hi\"}]}]","gen_ai.response.model":"m"},"end_time":"2026-01-01T10:00:00Z"}"#,
        (Some("talk"), Some("m"), Some("2026-01-01T10:00:00Z"))),
    ("otel", r#"{"name":"chat","context":{"trace_id":"0xab"},"attributes":{"session.id":"visit","openinference.span.kind":"LLM","input.value":"Hi"}}"#,
        (Some("visit"), None, None)),
    // A span without a model states nothing about the session.
    ("otel", r#"{"name":"GET /","trace_id":"0xab","attributes":{"http.method":"GET"}}"#, NONE),
    ("ai-sdk", r#"[{"id":"1","role":"assistant","metadata":{"createdAt":1762250400000,"model":"gpt-5"},"parts":[{"type":"text","text":"Hi"}]}]"#,
        (None, Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    ("ai-sdk-stream", "data: {\"type\":\"start\",\"messageId\":\"m\",\"messageMetadata\":{\"createdAt\":1762250400000,\"model\":\"gpt-5\"}}\n\n",
        (None, Some("gpt-5"), Some("2025-11-04T10:00:00Z"))),
    // An unterminated string is not an id, nor is an empty one.
    ("pi", r#"{"type":"session","id":"","cwd":"/w","timestamp":"2026-01-01T10:00:00Z"}"#, NONE),
    ("pi", concat!(r#"{"type":"session","cwd":"/w","timestamp":"t","id":""#,
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        r#"!"}"#), NONE),
];

fn check(place: &str, container: &str, bytes: &[u8], expected: Facts) -> Option<String> {
    let options = Options::default();
    let asked = transcope::container::Container::named(container).expect("a known name");
    let mut session = Session::new(asked, &options);
    session.push(bytes);
    session.finish();
    let messages = session.document().messages();
    let model = messages.iter().find_map(|message| message.model);
    let moment = messages.iter().find_map(|message| message.moment()).map(|moment| moment.to_string());
    let found = (session.document().session_id(), model.as_deref(), moment.as_deref());
    (found != expected).then(|| format!("{place}: {found:?} and not {expected:?}"))
}

#[test]
fn each_container_says_session_model_and_time_where_its_files_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers");
    let samples = SAMPLES.iter().filter_map(|(container, name, expected)| {
        let bytes = fs::read(root.join(container).join(name)).expect("a sample can be read");
        check(&format!("{container}/{name}"), container, &bytes, *expected)
    });
    let records = RECORDS
        .iter()
        .filter_map(|(container, record, expected)| check(record, container, record.as_bytes(), *expected));
    let mut faults: Vec<String> = samples.chain(records).collect();
    // An llmist response looks like any other text.
    let names = REGISTRY.iter().map(|about| about.name).filter(|name| *name != "llmist-response");
    let without = names.filter(|name| !SAMPLES.iter().any(|(container, ..)| container == name));
    faults.extend(without.map(|name| format!("{name} has no row")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
