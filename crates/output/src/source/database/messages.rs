//! Messages of opencode 2, written like the messages of version 1 with their parts.
//!
//! | type | content | written as |
//! |---|---|---|
//! | `user` | `text`, `files` | a message of the user |
//! | `synthetic`, `skill` | `text` | a message of the role `user` that the program wrote |
//! | `system` | `text` | a message of the role `system` |
//! | `assistant` | `content` of the types `text`, `reasoning` and `tool` | an answer |
//! | `shell` | `command`, `output`, `exit` | a call of the user's |
//! | `compaction` | `reason`, `summary` | a compaction, and the answer with the summary |
//! | `idle`, `agent-switched`, `model-switched`, `location-switched` | bookkeeping | nothing |

use serde_json::{Map, Value, json};

/// True if a message is complete.
pub(super) fn is_complete(kind: &str, message: &Value) -> bool {
    let has = |place: &str| message.pointer(place).is_some_and(|value| !value.is_null());
    match kind {
        "assistant" => has("/time/completed") || has("/error"),
        "shell" => has("/time/completed") || message["status"] != "running",
        "compaction" => message["status"] != "running",
        _ => true,
    }
}

/// Writes the records of a message.
pub(super) fn write(out: &mut Vec<u8>, session: &str, id: &str, kind: &str, message: &Value) {
    let mut writer = Writer { out, session, id, parts: 0 };
    let text = &message["text"];
    match kind {
        "user" => {
            writer.message("user", message, &[]);
            writer.part(json!({"type": "text", "text": text}));
            for file in message["files"].as_array().into_iter().flatten() {
                let mut part =
                    json!({"type": "file", "url": file["uri"], "mime": file["mime"], "filename": file["name"]});
                drop_null(&mut part);
                writer.part(part);
            }
            for agent in message["agents"].as_array().into_iter().flatten() {
                writer.part(json!({"type": "agent", "name": agent["name"]}));
            }
        }
        "synthetic" | "skill" => {
            writer.message("user", message, &[]);
            writer.part(json!({"type": "text", "text": text, "synthetic": true}));
        }
        "system" => {
            writer.message("system", message, &[]);
            writer.part(json!({"type": "text", "text": text}));
        }
        "assistant" => {
            writer.message("assistant", message, &["agent", "finish", "cost", "tokens"]);
            for content in message["content"].as_array().into_iter().flatten() {
                writer.content(content);
            }
        }
        "shell" => {
            writer.message("user", message, &[]);
            let output = message.pointer("/output/output").unwrap_or(&message["output"]);
            let status = if message["status"] == "running" { "running" } else { "completed" };
            let mut state = json!({
                "status": status, "input": {"command": message["command"]}, "output": output,
                "metadata": {"exit": message["exit"]}, "time": times(message, "created", "completed"),
            });
            drop_null(&mut state);
            writer.part(json!({"type": "tool", "callID": message["shellID"], "tool": "shell", "state": state}));
        }
        "compaction" => {
            writer.message("user", message, &[]);
            writer.part(json!({"type": "compaction", "auto": message["reason"] == "auto"}));
            let id = format!("{id}_summary");
            let mut writer = Writer { out: writer.out, session, id: &id, parts: 0 };
            if let Some(summary) = message["summary"].as_str().filter(|summary| !summary.is_empty()) {
                let mut answer = message.clone();
                answer["summary"] = true.into();
                writer.message("assistant", &answer, &["summary", "cost", "tokens"]);
                writer.part(json!({"type": "text", "text": summary}));
            }
        }
        "idle" | "agent-switched" | "model-switched" | "location-switched" => {}
        // A type of a newer version, which is shown raw.
        _ => writer.record(json!({"id": id, "sessionID": session, "type": kind, "data": message})),
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    session: &'a str,
    /// Id that its parts refer to.
    id: &'a str,
    /// Number of parts that were written.
    parts: usize,
}

impl Writer<'_> {
    fn record(&mut self, mut record: Value) {
        drop_null(&mut record);
        self.out.extend_from_slice(record.to_string().as_bytes());
        self.out.push(b'\n');
    }

    /// Writes the record of a message with these members of its data.
    fn message(&mut self, role: &str, message: &Value, members: &[&str]) {
        let mut record = Map::new();
        record.insert("id".into(), self.id.into());
        record.insert("sessionID".into(), self.session.into());
        record.insert("role".into(), role.into());
        record.insert("time".into(), message["time"].clone());
        if role == "assistant" {
            record.insert("modelID".into(), message["model"]["id"].clone());
            record.insert("providerID".into(), message["model"]["providerID"].clone());
            record.insert("variant".into(), message["model"]["variant"].clone());
            if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
                record.insert("error".into(), json!({"name": error["type"], "data": error}));
            }
        }
        for member in members {
            record.insert((*member).into(), message[*member].clone());
        }
        self.record(Value::Object(record));
    }

    /// Writes a part of the message.
    fn part(&mut self, mut part: Value) {
        self.parts += 1;
        let mut record = Map::new();
        record.insert("id".into(), format!("prt_{}_{}", self.id.trim_start_matches("msg_"), self.parts).into());
        record.insert("sessionID".into(), self.session.into());
        record.insert("messageID".into(), self.id.into());
        if let Some(part) = part.as_object_mut() {
            record.append(part);
        }
        self.record(Value::Object(record));
    }

    /// Writes a part of an answer.
    fn content(&mut self, content: &Value) {
        match content["type"].as_str() {
            Some("text") => self.part(json!({"type": "text", "text": content["text"]})),
            Some("reasoning") => {
                let time = times(content, "created", "completed");
                self.part(json!({"type": "reasoning", "text": content["text"], "time": time}));
            }
            Some("tool") => {
                let state = tool_state(content);
                let (id, name) = (&content["id"], &content["name"]);
                self.part(json!({"type": "tool", "callID": id, "tool": name, "state": state}));
            }
            _ => self.part(content.clone()),
        }
    }
}

/// The state of a call as in version 1.
fn tool_state(content: &Value) -> Value {
    let state = &content["state"];
    let mut written = Map::new();
    let status = &state["status"];
    written.insert("status".into(), if status == "streaming" { "pending".into() } else { status.clone() });
    // The input is text until it is complete.
    let input = if state["input"].is_string() { "raw" } else { "input" };
    written.insert(input.into(), state["input"].clone());
    let pieces = state["content"].as_array();
    let texts = pieces.into_iter().flatten().filter_map(|piece| piece["text"].as_str()).collect::<Vec<_>>();
    let files: Vec<Value> = pieces.into_iter().flatten().filter(|piece| piece["text"].is_null()).cloned().collect();
    if !texts.is_empty() || status == "completed" {
        written.insert("output".into(), texts.join("\n").into());
    }
    if !files.is_empty() {
        written.insert("attachments".into(), files.into());
    }
    let error = &state["error"];
    if !error.is_null() {
        let message = error.get("message").unwrap_or(error);
        let texts = texts.join("\n");
        let words = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
        let words = if texts.is_empty() || texts == words { words } else { format!("{words}\n{texts}") };
        written.insert("error".into(), words.into());
    }
    written.insert("metadata".into(), state["metadata"].clone());
    let ran = if content["time"]["ran"].is_null() { "created" } else { "ran" };
    written.insert("time".into(), times(content, ran, "completed"));
    let mut written = Value::Object(written);
    drop_null(&mut written);
    written
}

/// The start and the end of something.
fn times(value: &Value, start: &str, end: &str) -> Value {
    let mut times = json!({"start": value["time"][start], "end": value["time"][end]});
    drop_null(&mut times);
    times
}

/// Removes members without a value.
fn drop_null(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
    }
}
