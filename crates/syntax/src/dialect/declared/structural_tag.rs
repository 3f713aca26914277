//! Converts structural tags of xgrammar, the markers between which a server lets a model write calls, to declarations.
//!
//! The tags of different tools differ in the name, which is found by comparing the tags, or directly after the
//! trigger. The content of a tag determines the notation of the arguments: the `style` of its JSON schema. Source of
//! the format: xgrammar, `python/xgrammar/structural_tag.py`.

use serde_json::{Value, json};

/// Maximum nesting depth of formats.
const MAX_DEPTH: usize = 32;

/// Tags after this many are ignored.
const MAX_TAGS: usize = 1000;

/// The markers around the arguments of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tag {
    begin: String,
    ends: Vec<String>,
    style: String,
    /// True if the JSON contains the name as well.
    holds_name: bool,
}

/// The declaration, as YAML, of the calls that a structural tag allows; `name` becomes the name of the dialect.
///
/// # Errors
/// A one-line reason: the missing part and its position.
pub(crate) fn declaration(json: &str, name: &str) -> Result<String, String> {
    let root: Value = serde_json::from_str(json).map_err(|error| format!("it is not JSON: {error}"))?;
    if root["type"] != "structural_tag" {
        return Err("it is not a structural tag: its type is not \"structural_tag\"".into());
    }
    let (mut tags, mut triggers) = (Vec::new(), Vec::new());
    if let Some(structures) = root["structures"].as_array() {
        triggers.extend(strings(&root["triggers"]));
        for structure in structures.iter().take(MAX_TAGS) {
            let content = json!({ "type": "json_schema", "json_schema": structure["schema"] });
            let tag = json!({ "begin": structure["begin"], "content": content, "end": structure["end"] });
            tags.extend(read_tag(&tag));
        }
    } else {
        collect(&root["format"], &mut tags, &mut triggers, 0);
    }
    tags.truncate(MAX_TAGS);
    let Some(first) = tags.first().cloned() else {
        return Err("format: it holds no tag whose content is a JSON schema, so that nothing in it is a call".into());
    };
    let open = if first.holds_name { literal(&first.begin) } else { with_name(&tags, &triggers)? };
    let mut close: Vec<String> = Vec::new();
    for end in tags.iter().flat_map(|tag| &tag.ends) {
        let trimmed = end.trim();
        if !trimmed.is_empty() && !close.iter().any(|known| known == trimmed) {
            close.push(literal(trimmed));
        }
    }
    Ok(write(name, &first, &open, &close))
}

/// The strings in a JSON string or array.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(texts) => texts.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// Collects the tags in a format.
fn collect(format: &Value, tags: &mut Vec<Tag>, triggers: &mut Vec<String>, depth: usize) {
    if depth > MAX_DEPTH || tags.len() > MAX_TAGS {
        return;
    }
    triggers.extend(strings(&format["triggers"]));
    if format["type"] == "tag" || format.get("begin").is_some() {
        match read_tag(format) {
            Some(tag) => tags.push(tag),
            None => collect(&format["content"], tags, triggers, depth + 1),
        }
        return;
    }
    for member in ["elements", "tags", "rules"] {
        for inner in format[member].as_array().into_iter().flatten() {
            collect(inner, tags, triggers, depth + 1);
        }
    }
    collect_content(format, tags, triggers, depth);
}

fn collect_content(format: &Value, tags: &mut Vec<Tag>, triggers: &mut Vec<String>, depth: usize) {
    if format["content"].is_object() {
        collect(&format["content"], tags, triggers, depth + 1);
    }
}

/// A tag whose content is constrained by a JSON schema.
fn read_tag(tag: &Value) -> Option<Tag> {
    let content = &tag["content"];
    if content["type"] != "json_schema" {
        return None;
    }
    let properties = &content["json_schema"]["properties"];
    Some(Tag {
        begin: tag["begin"].as_str()?.to_owned(),
        ends: strings(&tag["end"]),
        style: content["style"].as_str().unwrap_or("json").to_owned(),
        holds_name: properties.get("name").is_some()
            && ["arguments", "parameters"].iter().any(|member| properties.get(member).is_some()),
    })
}

/// The common beginning of all tags, with a slot for the name: at the first difference, or else directly after the
/// trigger, or else at the last word.
fn with_name(tags: &[Tag], triggers: &[String]) -> Result<String, String> {
    let begin = &*tags[0].begin;
    let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let differs = tags.iter().find(|tag| tag.begin != begin).map(|other| {
        let same = begin.char_indices().zip(other.begin.chars()).find(|((_, a), b)| a != b);
        same.map_or(begin.len().min(other.begin.len()), |((at, _), _)| at)
    });
    let triggered = triggers.iter().filter(|trigger| begin.starts_with(&***trigger)).map(String::len).max();
    let triggered = triggered.filter(|&at| begin[at..].starts_with(is_word));
    let last = begin.trim_end_matches(|c| !is_word(c)).len();
    // A common prefix of the names belongs to the names.
    let at = begin[..differs.or(triggered).unwrap_or(last)].trim_end_matches(is_word).len();
    let end = at + begin[at..].find(|c| !is_word(c)).unwrap_or(begin.len() - at);
    if at == end {
        return Err(format!("no name of a tool can be found in the beginning of its tag: {begin:?}"));
    }
    Ok(format!("{}{{name}}{}", literal(&begin[..at]), literal(&begin[end..])))
}

/// Escapes a text as a template: trailing whitespace becomes flexible, and braces are not slots.
fn literal(text: &str) -> String {
    let escaped = text.replace('{', "{{").replace('}', "}}");
    let trimmed = escaped.trim_end();
    match escaped.len() - trimmed.len() {
        0 => escaped,
        _ => format!("{trimmed}{{nl}}"),
    }
}

fn write(name: &str, tag: &Tag, open: &str, close: &[String]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let kind = match tag.style.as_str() {
        _ if tag.holds_name => "{kind: json_calls}",
        "qwen_xml" => r#"{kind: parameters, open: "<parameter={key}>", close: "</parameter>", strip: one_newline}"#,
        "minimax_xml" => r#"{kind: parameters, open: '<parameter name="{key}">', close: "</parameter>"}"#,
        "deepseek_xml" => {
            r#"{kind: parameters, open: '<｜DSML｜parameter name="{key}" string="{type}">', close: "</｜DSML｜parameter>", values: {json_type: "false", text_type: "true"}}"#
        }
        "glm_xml" => r#"{kind: parameters, open: "<arg_key>{key}</arg_key>{ws}<arg_value>", close: "</arg_value>"}"#,
        "kimi_k3_xml" => {
            r#"{kind: parameters, open: '<|open|>argument key="{key}" type="{type}"<|sep|>', close: "<|close|>argument<|sep|>", values: {text_type: string}}"#
        }
        "cohere_xml" => {
            r#"{kind: parameters, open: '<cofl:value name="{key}" type="{type}">', close: "</cofl:value>", values: {text_type: raw}}"#
        }
        _ => "{kind: json}",
    };
    let body = match tag.style.as_str() {
        _ if tag.holds_name => r#"{"name": "example", "arguments": {}}"#,
        "json" => "{}",
        _ => "",
    };
    let example = format!("{}{body}{}", tag.begin, tag.ends.first().map_or("", String::as_str));
    let close = match close {
        [] => String::new(),
        [only] => format!(", close: {}", quoted(only)),
        several => format!(", close: [{}]", several.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")),
    };
    format!(
        "dialect: {name}\ntitle: Imported structural tag\nexample: {}\ncall: {{open: {}{close}}}\narguments: {kind}\n",
        quoted(&format!("{}\n", example.trim_end())),
        quoted(open)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::declared::Declaration;

    #[test]
    fn a_structural_tag_becomes_a_declaration() {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let tag = |begin: &str, style: &str, end: &str| {
            json!({"type": "tag", "begin": begin, "end": end,
                   "content": {"type": "json_schema", "json_schema": schema, "style": style}})
        };
        let triggered = |triggers: Value, tags: Vec<Value>| json!({"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": triggers, "tags": tags}});
        let named = json!({"type": "object", "properties": {"name": {"const": "f"}, "arguments": schema}});
        let rows = [
            (
                triggered(json!(["<function="]), vec![tag("<function=get_weather>", "json", "</function>")]),
                "<function={name}>",
                "kind: json}",
            ),
            (
                triggered(
                    json!(["<tool_call>"]),
                    vec![
                        tag("<tool_call>\n<function=get_time>\n", "qwen_xml", "\n</function>\n</tool_call>"),
                        tag("<tool_call>\n<function=get_weather>\n", "qwen_xml", "\n</function>\n</tool_call>"),
                    ],
                ),
                "<function={name}>{nl}",
                "<parameter={key}>",
            ),
            (
                json!({"type": "structural_tag", "triggers": ["<function="], "structures": [
                    {"begin": "<function=a>", "schema": schema, "end": "</function>"},
                    {"begin": "<function=b>", "schema": schema, "end": "</function>"}]}),
                "<function={name}>",
                "kind: json}",
            ),
            (
                json!({"type": "structural_tag", "format": {"type": "sequence", "elements": [
                    {"type": "const_string", "value": "hi"},
                    {"type": "tag", "begin": "<tool_call>", "end": "</tool_call>",
                     "content": {"type": "json_schema", "json_schema": named}}]}}),
                "open: \"<tool_call>\"",
                "kind: json_calls",
            ),
        ];
        for (tag, open, kind) in rows {
            let yaml = declaration(&tag.to_string(), "imported").expect("it has a tag");
            assert!(yaml.contains(open) && yaml.contains(kind), "{tag}\n{yaml}");
            assert!(Declaration::parse(&yaml).is_ok(), "{yaml}\n{:?}", Declaration::parse(&yaml).err());
        }
    }

    #[test]
    fn what_is_no_structural_tag_is_told() {
        for (json, words) in [
            ("{", "not JSON"),
            ("{}", "type"),
            (r#"{"type": "structural_tag", "format": {"type": "any_text"}}"#, "no tag"),
        ] {
            let error = declaration(json, "imported").expect_err("it is none");
            assert!(error.contains(words), "{error}");
        }
    }
}
