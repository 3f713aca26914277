//! Chat templates of other projects against what transformers renders with them: the same bytes, or an error where it raises.
//!
//! Each byte of a prompt has an origin, and the origins are right: if a field of the input is replaced, only bytes change that
//! are from it. `tests/data/templates/README.md` says where the templates are from.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Map, Value};
use transcope::template::check::{ProbedConversation, TemplateProblem, check_set};
use transcope::template::conversation::{Conversation, TemplateRuntime};
use transcope::template::fields::TemplateInput;
use transcope::template::probes::TemplateProbe;
use transcope::template::provenance::other_text;
use transcope::template::source::{ChatTemplate, TemplateSet};
use transcope::template::{PromptText, RenderOptions, SpanOrigin, render};

/// The recorded outcome of rendering a probe with a template.
pub(super) struct TemplateVector {
    pub(super) template: String,
    probe: String,
    pub(super) special_tokens: Map<String, Value>,
    /// The prompt; nothing if the template raises.
    text: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/templates")
}

pub(super) fn vectors() -> Vec<TemplateVector> {
    let mut text = String::new();
    let file = File::open(folder().join("vectors.jsonl.gz")).expect("the file exists");
    GzDecoder::new(file).read_to_string(&mut text).expect("it is text");
    let parse = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        let word = |key: &str| value[key].as_str().expect("each vector has it").to_owned();
        TemplateVector {
            template: word("template"),
            probe: word("probe"),
            special_tokens: value["special_tokens"].as_object().expect("each vector has them").clone(),
            text: value["text"].as_str().map(str::to_owned),
        }
    };
    text.lines().map(parse).collect()
}

pub(super) fn templates() -> BTreeMap<String, ChatTemplate> {
    let entries =
        fs::read_dir(folder().join("t")).expect("the folder exists").map(|entry| entry.expect("readable").path());
    entries
        .map(|path| {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            let source = fs::read_to_string(&path).expect("a template can be read");
            (name.clone(), ChatTemplate::new("default", &name, &source))
        })
        .collect()
}

fn input(vector: &TemplateVector) -> (TemplateInput, RenderOptions) {
    let probe = TemplateProbe::named(&vector.probe).expect("the probe exists");
    let input = TemplateInput { conversation: probe.conversation(), special_tokens: vector.special_tokens.clone() };
    let options = RenderOptions {
        add_generation_prompt: probe.generation_prompt,
        now: Some("2026-11-23T12:00".parse().expect("a time")),
        ..RenderOptions::default()
    };
    (input, options)
}

/// For each byte, the fields that it may be from; nothing of the template's own.
fn origins(prompt: &PromptText) -> Vec<Option<&SpanOrigin>> {
    let mut origins = vec![None; prompt.text.len()];
    for span in &prompt.spans {
        origins[span.range.clone()].fill(Some(&span.origin));
    }
    origins
}

#[test]
fn prompts_are_those_of_transformers_and_each_byte_has_an_origin() {
    let templates = templates();
    let (mut faults, mut bytes, mut unknown) = (Vec::new(), 0, 0);
    for vector in vectors() {
        let (input, options) = input(&vector);
        let name = format!("{}/{}", vector.template, vector.probe);
        match (render(&templates[&vector.template], input, options), &vector.text) {
            (Ok(prompt), Some(text)) if prompt.text == *text => {
                let origins = origins(&prompt);
                if origins.iter().any(Option::is_none) {
                    faults.push(format!("{name}: a byte has no origin"));
                }
                bytes += text.len();
                unknown += origins.iter().filter(|origin| **origin == Some(&SpanOrigin::Unknown)).count();
            }
            (Err(_), None) => {}
            (Ok(_), text) => faults.push(format!("{name}: another prompt; expected {text:?}")),
            (Err(failure), Some(_)) => faults.push(format!("{name}: {failure}")),
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(bytes > 2_000_000 && unknown * 1000 < bytes, "{unknown} of {bytes} bytes have an unknown origin");
}

#[test]
fn expressions_are_those_of_jinja2_except_the_listed_ones() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/template-expressions.jsonl");
    let text = fs::read_to_string(path).expect("the file exists");
    let mut rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let messages = rows.next().expect("the first line has the messages");
    let conversation = Conversation::from_json(messages).expect("they are messages");
    let (mut table, mut count, mut differing) = (String::new(), 0, 0);
    for row in rows {
        let source = row["source"].as_str().expect("each row has it");
        let template = ChatTemplate::new("default", "t", source);
        let special_tokens = TemplateSet::default().usual_tokens();
        let options = RenderOptions {
            now: Some("2026-11-23T12:00".parse().expect("a time")),
            is_text_only: true,
            ..RenderOptions::default()
        };
        let input = TemplateInput { conversation: conversation.clone(), special_tokens };
        let rendered = render(&template, input, options);
        count += 1;
        if rendered.as_ref().ok().map(|prompt| prompt.text.as_str()) == row["text"].as_str() {
            continue;
        }
        differing += 1;
        let ours = rendered.map_or_else(|failure| failure.to_string(), |prompt| format!("{:?}", prompt.text));
        writeln!(table, "{source:?}\n  jinja2: {}\n  here: {ours}", row["text"]).expect("a string takes it");
    }
    assert!(count > 700 && differing * 10 < count, "{differing} of {count}");
    super::snapshot::matches("", "template_expressions", &table);
}

#[test]
fn replacing_a_field_changes_only_bytes_that_are_from_it() {
    let templates = templates();
    let (mut faults, mut tried) = (Vec::new(), 0);
    for vector in vectors().iter().filter(|vector| matches!(vector.probe.as_str(), "multi_turn" | "content_call")) {
        let (input, options) = input(vector);
        let template = &templates[&vector.template];
        let Ok(prompt) = render(template, input.clone(), options.clone()) else { continue };
        let origins = origins(&prompt);
        for (index, field) in input.fields().iter().enumerate() {
            let Some(text) = field.value.as_str().filter(|_| field.path.starts_with("messages")) else { continue };
            // Another key may sort elsewhere, and an id of a call is found by its equal.
            if field.is_id() || field.is_key && template.source.contains("sort") {
                continue;
            }
            let other = other_text(text);
            let replaced = input.with_fields(|number, _| (number == index).then(|| Value::String(other.clone())));
            let Ok(changed) = render(template, replaced, options.clone()) else { continue };
            if changed.text.len() != prompt.text.len() {
                continue;
            }
            tried += 1;
            let is_its = |at: usize| match origins[at] {
                Some(SpanOrigin::Fields(fields)) => fields.contains(&index),
                origin => origin == Some(&SpanOrigin::Unknown),
            };
            let pairs = prompt.text.bytes().zip(changed.text.bytes()).enumerate();
            let wrong = pairs.filter(|(_, (left, right))| left != right).find(|(at, _)| !is_its(*at));
            if let Some((at, _)) = wrong {
                faults.push(format!("{}/{}: byte {at} is from {}", vector.template, vector.probe, field.path));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(tried > 1000, "{tried} fields");
}

#[test]
fn each_template_has_its_problems() {
    let tokens = |name: &str| {
        vectors().iter().find(|vector| vector.template == name).map(|vector| vector.special_tokens.clone())
    };
    let mut table = String::new();
    for (name, template) in templates() {
        let special_tokens = tokens(&name).unwrap_or_default();
        let set = TemplateSet { templates: vec![template], special_tokens, ..TemplateSet::default() };
        let probes = TemplateProbe::all().iter().map(ProbedConversation::from).collect();
        let options =
            RenderOptions { now: Some("2026-11-23T12:00".parse().expect("a time")), ..RenderOptions::default() };
        let mut lines: Vec<String> = check_set(&set, probes, &options).problems.iter().map(line).collect();
        lines.sort();
        lines.insert(0, name);
        table.push_str(&lines.join("\n  "));
        table.push('\n');
    }
    super::snapshot::matches("", "template_problems", &table);
}

/// Severity, code, probe and, if they are not all, runtimes of a problem.
fn line(problem: &TemplateProblem) -> String {
    let TemplateProblem { diagnostic, probe, runtimes } = problem;
    let names: Vec<&str> = runtimes.iter().map(|runtime| runtime.name()).collect();
    let names =
        if names.len() == TemplateRuntime::ALL.len() { String::new() } else { format!(" in {}", names.join(", ")) };
    let probe = probe.as_deref().unwrap_or("files");
    format!("{} {} by {probe}{names}", diagnostic.severity.word(), diagnostic.code.name())
}
