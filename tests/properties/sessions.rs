//! Made-up sessions of Claude Code and Codex. The generator knows the turns, requests, tokens and calls, which must
//! equal the figures of `parse --format json`, however the file is cut.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::export::json::write_transcript;
use transcope::session::Session;

use super::feed;

/// Something that happens in a session.
#[derive(Clone, Debug)]
enum Step {
    /// The user types a prompt; if true, in several blocks.
    Prompt(bool),
    /// A slash command, handled by the client or sent to the model.
    Command(&'static str),
    /// A background task reports its end.
    Notification,
    /// The client generates an answer to report an error.
    Synthetic,
    Request(Request),
    /// A sub-agent's prompt and its answer in the same file.
    SideChain(Request),
    Compaction,
}

/// A request and the blocks of its answer, one record each.
#[derive(Clone, Debug)]
struct Request {
    blocks: Vec<Block>,
    /// New input, cache reads and writes, final output.
    tokens: [u64; 4],
    /// True if the count of output tokens became final.
    is_final: bool,
}

#[derive(Clone, Copy, Debug)]
enum Block {
    Thinking,
    Text,
    /// A call, whether it fails, and whether its result follows immediately or after the last block.
    Call {
        fails: bool,
        is_between: bool,
    },
}

fn request() -> impl Strategy<Value = Request> {
    let call = (any::<bool>(), any::<bool>()).prop_map(|(fails, is_between)| Block::Call { fails, is_between });
    let block = prop_oneof![Just(Block::Thinking), Just(Block::Text), call];
    let tokens = [1..100_u64, 0..200_000, 0..9000, 8..3000];
    (vec(block, 1..5), tokens, prop::bool::weighted(0.8)).prop_map(|(blocks, tokens, is_final)| Request {
        blocks,
        tokens,
        is_final,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<bool>().prop_map(Step::Prompt),
        1 => prop::sample::select(vec!["clear", "review"]).prop_map(Step::Command),
        1 => Just(Step::Notification),
        1 => Just(Step::Synthetic),
        4 => request().prop_map(Step::Request),
        1 => request().prop_map(Step::SideChain),
        1 => Just(Step::Compaction),
    ]
}

/// The expected figures of a session.
#[derive(Debug, Default)]
struct Sums {
    turns: u64,
    requests: u64,
    calls: u64,
    failed: u64,
    compactions: u64,
    tokens: [u64; 4],
    is_output_partial: bool,
    /// Context sizes: at the last prompt of the main conversation, and the largest.
    context: Option<[u64; 2]>,
}

impl Sums {
    fn of_json(all: &Value) -> Value {
        let session = &all["session"];
        let members = ["turns", "requests", "calls", "failed", "usage", "context"];
        let mut sums: serde_json::Map<_, _> =
            members.iter().map(|&key| (key.to_owned(), session[key].clone())).collect();
        sums.insert("compactions".to_owned(), json!(all["compactions"].as_array().map(Vec::len)));
        Value::Object(sums)
    }

    fn json(&self) -> Value {
        let [input, read, write, output] = self.tokens;
        let ground = if self.is_output_partial { "bound" } else { "derived" };
        let mut usage = json!({"input": input, "cache_read": read, "cache_write": write, "output": output,
            "total": input + read + write + output, "total_source": ground});
        if self.is_output_partial {
            usage["output_source"] = json!("bound");
        }
        let known = self.requests > 0;
        let requests = known.then_some(self.requests);
        json!({"turns": self.turns, "requests": requests, "calls": self.calls, "failed": self.failed,
            "usage": known.then_some(usage), "compactions": self.compactions,
            "context": self.context.map(|[last, peak]| json!({"last": last, "peak": peak}))})
    }
}

/// A session that is being written, with its sums.
struct Writer {
    file: Vec<u8>,
    sums: Sums,
    /// Members of every record.
    usual: Value,
    records: usize,
    requests: usize,
    /// The last record of the main conversation and of the sub-agent's.
    last: [Option<String>; 2],
    /// Number of records at the beginning that are copies from another session.
    replayed: usize,
}

impl Writer {
    fn record(&mut self, aside: bool, parent: Option<&str>, members: &Value) -> String {
        self.records += 1;
        let id = format!("r{}", self.records);
        let mut record = json!({"uuid": id, "parentUuid": parent, "isSidechain": aside, "sessionId": "made-up",
            "timestamp": format!("2026-10-01T10:{:02}:{:02}Z", self.records / 60 % 60, self.records % 60)});
        let objects = [&self.usual, members];
        for (key, value) in objects.into_iter().flat_map(|object| object.as_object().expect("an object")) {
            record[key] = value.clone();
        }
        if self.records <= self.replayed {
            record["forkedFrom"] = json!({"sessionId": "origin", "messageUuid": format!("o{}", self.records)});
        }
        self.file.extend(format!("{record}\n").bytes());
        self.last[usize::from(aside)] = Some(id.clone());
        id
    }

    fn user(&mut self, aside: bool, content: &Value) -> String {
        let parent = self.last[usize::from(aside)].clone();
        self.record(aside, parent.as_deref(), &json!({"type": "user", "message": {"role": "user", "content": content}}))
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Prompt(in_blocks) => {
                let reminder = json!({"type": "text", "text": "<system-reminder>Be brief.</system-reminder>"});
                let words = json!("Mend the lock.");
                let content = if *in_blocks { json!([reminder, {"type": "text", "text": words}]) } else { words };
                self.user(false, &content);
                self.sums.turns += 1;
            }
            Step::Command(name) => {
                let text = format!("<command-name>/{name}</command-name>\n<command-args></command-args>");
                self.user(false, &json!(text));
                self.user(false, &json!("<local-command-stdout>done</local-command-stdout>"));
                self.sums.turns += u64::from(*name == "review");
            }
            Step::Notification => {
                let text = "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>";
                self.user(false, &json!(text));
            }
            Step::Synthetic => {
                let usage = json!({"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0});
                let parent = self.last[0].clone();
                let message = json!({"id": format!("made-{}", self.records), "role": "assistant",
                    "model": "<synthetic>", "stop_reason": "stop_sequence", "usage": usage,
                    "content": [{"type": "text", "text": "API Error: 529"}]});
                self.record(
                    false,
                    parent.as_deref(),
                    &json!({"type": "assistant", "isApiErrorMessage": true, "message": message}),
                );
            }
            Step::Request(request) => self.request(request, false),
            Step::SideChain(request) => {
                self.last[1] = None;
                self.user(true, &json!("Count the locks."));
                self.request(request, true);
            }
            Step::Compaction => {
                let before = self.last[0].clone();
                self.record(
                    false,
                    None,
                    &json!({"type": "system", "subtype": "compact_boundary",
                    "content": "Conversation compacted", "logicalParentUuid": before,
                    "compactMetadata": {"trigger": "auto", "preTokens": 167_766}}),
                );
                let parent = self.last[0].clone();
                let message = json!({"role": "user", "content": "This session continues another one."});
                self.record(
                    false,
                    parent.as_deref(),
                    &json!({"type": "user", "isCompactSummary": true, "message": message}),
                );
                self.sums.compactions += 1;
            }
        }
    }

    fn request(&mut self, request: &Request, aside: bool) {
        self.requests += 1;
        let id = format!("msg_{}", self.requests);
        let [input, read, write, output] = request.tokens;
        let mut results = Vec::new();
        let mut parent = self.last[usize::from(aside)].clone();
        let count = request.blocks.len() as u64;
        for (number, block) in (1..).zip(&request.blocks) {
            let call = format!("{id}_{number}");
            let content = match block {
                Block::Thinking => json!({"type": "thinking", "thinking": "Hm.", "signature": "s"}),
                Block::Text => json!({"type": "text", "text": "I look first."}),
                Block::Call { .. } => json!({"type": "tool_use", "id": call, "name": "Read", "input": {"path": "a"}}),
            };
            // The output count grows from record to record; only the last record of an answer may end it.
            let stop = (number == count && request.is_final).then_some("end_turn");
            let usage = json!({"input_tokens": input, "cache_read_input_tokens": read,
                "cache_creation_input_tokens": write, "output_tokens": output * number / count});
            let message = json!({"id": id, "role": "assistant", "model": "claude-opus-4-5", "content": [content],
                "stop_reason": stop, "usage": usage});
            let record = self.record(aside, parent.as_deref(), &json!({"type": "assistant", "message": message}));
            if let Block::Call { fails, is_between } = *block {
                self.sums.calls += 1;
                self.sums.failed += u64::from(fails);
                let content = json!([{"type": "tool_result", "tool_use_id": call, "content": "a", "is_error": fails}]);
                if is_between {
                    let message = json!({"role": "user", "content": content});
                    self.record(aside, Some(&record), &json!({"type": "user", "message": message}));
                } else {
                    results.push(content);
                }
            }
            parent = Some(record);
        }
        self.last[usize::from(aside)] = parent;
        for content in &results {
            self.user(aside, content);
        }
        let sums = &mut self.sums;
        sums.requests += 1;
        sums.is_output_partial |= !request.is_final;
        sums.tokens.iter_mut().zip(request.tokens).for_each(|(sum, count)| *sum += count);
        if !aside {
            let prompt = input + read + write;
            let peak = sums.context.map_or(prompt, |[_, peak]| peak.max(prompt));
            sums.context = Some([prompt, peak]);
        }
    }
}

fn written(steps: &[Step], usual: Value, replayed: usize) -> Writer {
    let mut writer = Writer {
        file: Vec::new(),
        sums: Sums::default(),
        usual,
        records: 0,
        requests: 0,
        last: [None, None],
        replayed,
    };
    for step in steps {
        writer.take(step);
    }
    writer
}

fn read(file: &[u8], lengths: &[usize]) -> Value {
    let session = feed(Session::new(Container::default(), &Options::default()), file, lengths);
    let mut out = Vec::new();
    write_transcript(&mut out, &session, "made-up.jsonl", None, None).expect("into memory");
    serde_json::from_slice(&out).expect("it is JSON")
}

proptest! {
    #[test]
    fn a_session_has_the_sums_that_it_was_made_with(
        steps in vec(step(), 0..12),
        replayed in 0..20_usize,
        lengths in vec(1..600_usize, 1..4),
    ) {
        let steps = [&[Step::Prompt(false)], steps.as_slice()].concat();
        let Writer { file, sums, .. } = written(&steps, json!({}), replayed);
        let text = String::from_utf8_lossy(&file).into_owned();
        for lengths in [&[usize::MAX][..], &lengths] {
            let all = read(&file, lengths);
            prop_assert_eq!(Sums::of_json(&all), sums.json(), "{}", text);
            let links = if replayed > 0 { json!([{"relation": "forked-from", "id": "origin"}]) } else { json!([]) };
            prop_assert_eq!(&all["session"]["links"], &links);
        }
    }

    /// The conversation of a sub-agent is the main one of a separate file.
    #[test]
    fn the_file_of_a_sub_agent_is_a_session_with_its_own_sums(requests in vec(request(), 1..5)) {
        let steps = std::iter::once(Step::Prompt(false)).chain(requests.into_iter().map(Step::Request));
        let usual = json!({"isSidechain": true, "agentId": "a1b2"});
        let Writer { file, sums, .. } = written(&steps.collect::<Vec<_>>(), usual, 0);
        let all = read(&file, &[usize::MAX]);
        prop_assert_eq!(Sums::of_json(&all), sums.json(), "{}", String::from_utf8_lossy(&file));
        prop_assert_eq!(&all["session"]["kind"], "subagent");
    }
}

/// A turn of Codex: input, cached input, output and reasoning of each request, with what follows it.
type CodexTurn = Vec<([u64; 4], CodexRequest)>;

#[derive(Clone, Copy, Debug)]
struct CodexRequest {
    calls: bool,
    /// True if its count is repeated after the result of its call.
    is_counted_twice: bool,
    /// True if the session's total is reset by it, as by a compaction.
    falls: bool,
}

fn codex_turn() -> impl Strategy<Value = CodexTurn> {
    let request = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(calls, is_counted_twice, falls)| CodexRequest { calls, is_counted_twice, falls });
    vec(([1..9000_u64, 0..9000, 1..900, 0..100], request), 0..4)
}

/// Writes a session of Codex, which is a fork if `replayed` has the turns of its parent. Returns its text, the
/// sums of requests and tokens, the prompt sizes of the requests, and the numbers of turns and calls.
fn codex(replayed: Option<&[CodexTurn]>, turns: &[CodexTurn]) -> (String, [u64; 6], Vec<u64>, [u64; 2]) {
    let mut file = String::new();
    let mut write = |time: &str, kind: &str, payload: Value| {
        file += &json!({"timestamp": time, "type": kind, "payload": payload}).to_string();
        file.push('\n');
    };
    let began = "2026-10-01T10:00:00.000Z";
    let origin = replayed.map(|_| "origin");
    write(began, "session_meta", json!({"id": "made-up", "cwd": "/a", "forked_from_id": origin}));
    if let Some(origin) = origin {
        write(began, "session_meta", json!({"id": origin, "cwd": "/a"}));
    }
    let copies = replayed.unwrap_or_default();
    let (mut sums, mut prompts, mut said) = ([0; 6], Vec::new(), [0; 2]);
    let (mut total, mut number) = ([0; 4], 0);
    for (turn, requests) in copies.iter().chain(turns).enumerate() {
        let is_copy = turn < copies.len();
        let time = if is_copy { "2026-10-01T10:00:00.500Z".to_owned() } else { format!("2026-10-01T11:{turn:02}:00Z") };
        let mut write = |kind: &str, payload: Value| write(&time, kind, payload);
        write("event_msg", json!({"type": "task_started", "turn_id": format!("t{turn}")}));
        write("turn_context", json!({"cwd": "/a", "model": "gpt-5.2-codex"}));
        let words = json!([{"type": "input_text", "text": "Mend the lock."}]);
        write("response_item", json!({"type": "message", "role": "user", "content": words}));
        write("event_msg", json!({"type": "token_count", "info": null}));
        // A copied prompt does not begin a turn.
        said[0] += u64::from(!is_copy);
        for &([new, cached, output, reasoning], CodexRequest { calls, is_counted_twice, falls }) in requests {
            number += 1;
            let call = format!("call_{number}");
            let last = [new + cached, cached, output + reasoning, reasoning];
            let sum: [u64; 4] = std::array::from_fn(|at| total[at] + last[at]);
            // A total equal to the previous one means a repeated count.
            total = if falls && last != total { last } else { sum };
            let count = |[input, cached, output, reasoning]: [u64; 4]| {
                json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
                    "reasoning_output_tokens": reasoning, "total_tokens": input + output})
            };
            let info = json!({"total_token_usage": count(total), "last_token_usage": count(last)});
            let counted = json!({"type": "token_count", "info": info});
            if calls {
                let arguments = json!({"cmd": "ls"}).to_string();
                write(
                    "response_item",
                    json!({"type": "function_call", "name": "exec_command", "call_id": call,
                    "arguments": arguments}),
                );
                said[1] += 1;
            } else {
                let words = json!([{"type": "output_text", "text": "I look first."}]);
                write("response_item", json!({"type": "message", "role": "assistant", "content": words}));
            }
            write("event_msg", counted.clone());
            if calls {
                write("response_item", json!({"type": "function_call_output", "call_id": call, "output": "a"}));
            }
            if is_counted_twice {
                write("event_msg", counted);
            }
            if !is_copy {
                let counts = [1, new, cached, output, reasoning, last[0] + last[2]];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                prompts.push(last[0]);
            }
        }
        write("event_msg", json!({"type": "task_complete", "turn_id": format!("t{turn}")}));
    }
    (file, sums, prompts, said)
}

proptest! {
    #[test]
    fn a_session_of_codex_counts_each_of_its_own_requests_once(
        replayed in prop::option::of(vec(codex_turn(), 0..3)),
        turns in vec(codex_turn(), 1..5),
        lengths in vec(1..600_usize, 1..4),
    ) {
        let (file, [requests, input, cached, output, reasoning, total], prompts, [turns, calls]) =
            codex(replayed.as_deref(), &turns);
        for lengths in [&[usize::MAX][..], &lengths] {
            let session = &read(file.as_bytes(), lengths)["session"];
            let usage = json!({"input": input, "cache_read": cached, "output": output, "reasoning": reasoning,
                "total": total, "total_source": "derived"});
            let context = prompts.last().map(|last| json!({"last": last, "peak": prompts.iter().max()}));
            let members = ["turns", "calls", "requests", "usage", "context"].map(|key| session[key].clone());
            let known = requests > 0;
            let expected = [
                json!(turns), json!(calls), json!(known.then_some(requests)), json!(known.then_some(usage)), json!(context),
            ];
            prop_assert_eq!(members, expected, "{}", file);
            prop_assert_eq!(&session["kind"], if replayed.is_some() { "fork" } else { "main" });
        }
    }
}
