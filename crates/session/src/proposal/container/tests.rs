//! Proposals for generated logs with random field names, and for logs with suggestive ones.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;

/// A generator of pseudo-random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % below
    }

    fn word(&mut self) -> String {
        let syllables = ["ka", "lo", "mi", "ru", "te", "vo", "ze", "nu", "pa", "shi", "dro", "wex"];
        (0..2 + self.roll(2)).map(|_| syllables[self.roll(syllables.len())]).collect()
    }

    fn prose(&mut self) -> String {
        (0..4 + self.roll(20)).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Members of a log by what they hold, all with invented names.
struct Names {
    all: Vec<String>,
}

impl Names {
    fn new(dice: &mut Dice) -> Self {
        let mut taken = BTreeSet::new();
        let mut all = Vec::new();
        while all.len() < 24 {
            let word = dice.word();
            if taken.insert(word.clone()) {
                all.push(word);
            }
        }
        Self { all }
    }

    fn get(&self, at: usize) -> String {
        self.all[at].clone()
    }
}

/// A log of an invented format, and what is in it.
fn invent(seed: u64) -> (String, Found) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let names = Names::new(&mut dice);
    let [kind, time, session, body, text, id, call, tool, arguments, output, flag, input, produced, model, turns] =
        std::array::from_fn(|at| names.get(at));
    let [user, answer, use_, result, other, one, two, three, key] = std::array::from_fn(|at| names.get(15 + at));
    let is_nested = dice.roll(2) == 1;
    let has_seconds = dice.roll(2) == 1;
    let is_encoded = dice.roll(4) == 0;
    let (mut lines, mut found) = (String::new(), Found::default());
    let mut clock = 1_760_000_000_000_u64;
    let mut number = 0;
    let mut write = |dice: &mut Dice, name: &str, fields: Vec<(&String, Value)>| {
        clock += 500 + dice.roll(9000) as u64;
        let stamp = if has_seconds { json!(clock as f64 / 1000.0) } else { json!(jiff_text(clock)) };
        let mut record = Map::new();
        record.insert(time.clone(), stamp);
        record.insert(session.clone(), json!(format!("{}-{seed}77", names.get(3))));
        record.insert(kind.clone(), json!(name));
        let fields = fields.into_iter().map(|(key, value)| (key.clone(), value));
        if is_nested {
            record.insert(body.clone(), Value::Object(fields.collect()));
        } else {
            record.extend(fields);
        }
        lines.push_str(&Value::Object(record).to_string());
        lines.push('\n');
    };
    for turn in 0..4 + dice.roll(4) {
        write(&mut dice, &user, vec![(&text, json!(dice_prose(&mut Dice(seed + turn as u64 + 99))))]);
        found.messages += 1;
        for _ in 0..=dice.roll(3) {
            number += 1;
            let own = format!("{}{:04x}", names.get(5), number * 7919 % 65521);
            let name = [&one, &two, &three][dice.roll(3)];
            let values = match name {
                it if *it == one => json!({key.clone(): dice.prose()}),
                it if *it == two => json!({other.clone(): dice.roll(90), turns.clone(): dice.word()}),
                _ => json!({model.clone(): [dice.word()], key.clone(): true}),
            };
            let values = if is_encoded { json!(values.to_string()) } else { values };
            write(&mut dice, &use_, vec![(&id, json!(own)), (&tool, json!(name)), (&arguments, values)]);
            let fails = dice.roll(5) == 0;
            let told = dice.prose();
            write(&mut dice, &result, vec![(&call, json!(own)), (&output, json!(told)), (&flag, json!(fails))]);
            found.calls += 1;
            found.results += 1;
            found.messages += 2;
        }
        let (read, wrote) = (3000 + dice.roll(9000) as u64, 20 + dice.roll(700) as u64);
        let told = dice.prose();
        let counts = vec![(&text, json!(told)), (&input, json!(read)), (&produced, json!(wrote))];
        write(&mut dice, &answer, counts);
        found.messages += 1;
        found.requests += 1;
        found.input += read;
        found.output += wrote;
        if dice.roll(3) == 0 {
            write(&mut dice, &other, vec![(&turns, json!(turn))]);
        }
    }
    found.times = found.messages;
    (lines, found)
}

fn dice_prose(dice: &mut Dice) -> String {
    dice.0 |= 1 << 40;
    dice.prose()
}

fn jiff_text(milliseconds: u64) -> String {
    let time = jiff::Timestamp::from_millisecond(milliseconds.cast_signed()).expect("a time of this century");
    time.to_string()
}

#[test]
fn logs_with_invented_names_are_read_whole() {
    let mut faults = Vec::new();
    for seed in 1..=20 {
        let (log, expected) = invent(seed);
        let proposal = propose(&log, "mine");
        let found = proposal.as_ref().map(|it| it.found.clone());
        let lines = proposal.as_ref().map_or(0, |it| it.yaml.lines().count());
        if found.as_ref() != Some(&expected) || lines > 25 {
            let yaml = proposal.map(|it| it.yaml).unwrap_or_default();
            let log: Vec<&str> = log.lines().take(5).collect();
            faults.push(format!("{seed}: {lines} lines, {found:?}, expected {expected:?}\n{yaml}{}", log.join("\n")));
        }
    }
    assert!(faults.is_empty(), "{} of 20 fail\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn names_that_tell_what_they_hold_are_used() {
    let log = r#"{"t":"2026-01-02T03:04:05Z","run":"r-19","event":{"kind":"ask","text":"List the files here"}}
{"t":"2026-01-02T03:04:06Z","run":"r-19","event":{"kind":"exec","cid":"c1","tool":"ls","args":{"path":"."}}}
{"t":"2026-01-02T03:04:07Z","run":"r-19","event":{"kind":"out","cid":"c1","text":"a.txt","status":"ok"}}
{"t":"2026-01-02T03:04:08Z","run":"r-19","event":{"kind":"exec","cid":"c2","tool":"cat","args":{"file":"a.txt"}}}
{"t":"2026-01-02T03:04:09Z","run":"r-19","event":{"kind":"out","cid":"c2","text":"no such file","status":"error"}}
{"t":"2026-01-02T03:04:10Z","run":"r-19","event":{"kind":"say","text":"There is one","llm":"qwen3-8b","use":{"prompt_tok":100,"completion_tok":7}}}
{"t":"2026-01-02T03:04:11Z","run":"r-19","event":{"kind":"tick","n":4}}
"#;
    let proposal = propose(log, "mine").expect("a declaration is proposed");
    let counts = Found { messages: 6, times: 6, calls: 2, results: 2, requests: 1, input: 100, output: 7, problems: 0 };
    assert_eq!(proposal.found, counts, "{}", proposal.yaml);
    assert_eq!(proposal.left_out, ["skipped: 1 record of kind tick"], "{}", proposal.yaml);
    // Few values: the id is not taken for the name, and the speaker is a member of the messages.
    let log = r#"{"type":"message","role":"user","body":"What is in the folder?"}
{"type":"tool_call","toolCallId":"call-1","toolName":"ls","parameters":{"path":"."}}
{"type":"tool_result","toolCallId":"call-1","value":"a.txt"}
{"type":"message","role":"assistant","body":"There is one file in it"}
"#;
    let proposal = propose(log, "mine").expect("a declaration is proposed");
    assert!(proposal.yaml.contains("id: toolCallId, name: toolName, arguments: parameters"), "{}", proposal.yaml);
    assert!(proposal.yaml.contains("{when: {type: message}, role: role, content: body}"), "{}", proposal.yaml);
    for text in ["", "Only prose.\nNothing else.\n", "[]", "{}", "[1, 2]", "{\"a\": 1}\n"] {
        assert_eq!(propose(text, "mine"), None, "{text:?}");
    }
}

#[test]
fn arrays_and_lists_in_an_object_are_records_and_calls_may_be_in_a_list() {
    let records = json!([
        {"who": "human", "body": "Which files are here?"},
        {"who": "bot", "body": "Let me see them", "calls": [
            {"ref": "k1", "fn": "ls", "args": {"path": "."}}, {"ref": "k2", "fn": "pwd", "args": {}}]},
        {"who": "machine", "ref": "k1", "body": "a.txt and b.txt"},
        {"who": "machine", "ref": "k2", "body": "in the folder"},
        {"who": "human", "body": "Thank you very much"},
        {"who": "bot", "body": "You are welcome", "calls": []},
    ]);
    for text in [records.to_string(), json!({"version": 1, "log": records}).to_string()] {
        let proposal = propose(&text, "mine").expect("a declaration is proposed");
        let Found { messages, calls, results, .. } = proposal.found;
        assert_eq!((messages, calls, results), (6, 2, 2), "{}", proposal.yaml);
    }
}
