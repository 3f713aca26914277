//! The fields in the YAML body of a call: input, output, and state.
//!
//! If a field has several names, the first one counts whose value is a string that is not only whitespace. Unknown
//! fields are kept as extra data of the call.

use crate::diagnostic::{BoundedProblems, Code, Diagnostic, Severity};
use crate::dialect::{Status, Word};
use crate::text::{Span, trim_end, trim_start};
use crate::value::yaml::{self, Library, YamlOutcome, YamlSource};
use crate::value::{Assembly, CallExtras, NodeId, ROOT, Scalar, Value};

const ID: [&str; 5] = ["toolCallId", "tool_call_id", "callId", "id", "toolCall"];
const NAME: [&str; 4] = ["toolName", "tool_name", "name", "tool"];
const ERROR: [&str; 3] = ["errorText", "error_text", "error"];
const STATES: [&str; 4] = ["input-streaming", "input-available", "output-available", "output-error"];
/// States in later versions of the protocol.
const LATER_STATES: [&str; 3] = ["approval-requested", "approval-responded", "output-denied"];

/// Names that are often written by mistake, and the intended fields.
const MISTAKEN: [(&str, &str); 12] = [
    ("args", "input"),
    ("arg", "input"),
    ("arguments", "input"),
    ("params", "input"),
    ("parameters", "input"),
    ("inputs", "input"),
    ("result", "output"),
    ("results", "output"),
    ("outputs", "output"),
    ("response", "output"),
    ("errors", "errorText"),
    ("status", "state"),
];

/// Facts about a call from outside of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldsContext {
    /// True if the header gives a name.
    pub(crate) has_name: bool,
    /// True if the header gives an id.
    pub(crate) has_id: bool,
    /// True if the runtime knows the later states.
    pub(crate) later_states: bool,
    /// The YAML library of the runtime.
    pub(crate) library: Library,
}

/// Results of reading the fields of a body.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// The input as the tree, and the outcome of the call.
    pub(crate) assembly: Assembly,
    /// The name, if the header has none.
    pub(crate) name: Option<Word>,
    /// The id, if the header has none.
    pub(crate) id: Option<Word>,
}

impl Fields {
    /// Adds problems with the text around the fields, the first error of which is the reason for rejection. A call
    /// that is still arriving has no problems.
    pub(crate) fn with_faults(mut self, faults: Vec<Diagnostic>, status: Status) -> Self {
        let Assembly { error, problems, .. } = &mut self.assembly;
        if status == Status::Open {
            *error = None;
            *problems = BoundedProblems::default();
            return self;
        }
        // A fence that closes in the middle of a line is still valid.
        let worst = faults.iter().find(|fault| fault.severity == Severity::Error && fault.code != Code::ToolFenceClose);
        *error = worst.map(|fault| fault.message.clone()).or(error.take());
        *problems = faults.into_iter().chain(std::mem::take(problems)).collect();
        self
    }
}

/// The YAML in the lines of a body, given with their offsets and line feeds; and a problem with its indentation.
///
/// The runtime trims the body as a whole, which removes the indentation of its first line only. If the result is not
/// valid YAML, the text is read with the indentation that was obviously intended.
pub(crate) fn source(lines: &[(usize, &[u8])], library: Library) -> (YamlSource, Option<Diagnostic>) {
    let filled = |line: &[u8]| trim_start(line) < line.len();
    let Some(first) = lines.iter().position(|(_, line)| filled(line)) else { return (YamlSource::default(), None) };
    let lines = &lines[first..];
    let spaces = |line: &[u8]| line.iter().take_while(|&&byte| byte == b' ').count();
    let (at, line) = lines[0];
    let indent = spaces(line);
    let least = lines[1..].iter().filter(|(_, line)| filled(line)).map(|(_, line)| spaces(line)).min();
    let common = least.filter(|&least| least <= indent).unwrap_or_default();
    let as_read = without(lines, 0);
    if common == 0 {
        return (as_read, None);
    }
    let problem = |message| {
        Diagnostic::new(Code::CalloutBodyIndented, Span::new(at, at + common), message)
            .contrast("fields in the first column", format!("{common} more spaces"))
    };
    if yaml::parse_source(&as_read, library).error.is_none() {
        let message = "the body is indented, but only its first line is dedented: the other lines become nested in it";
        return (as_read, Some(problem(message).with_severity(Severity::Warning)));
    }
    let message = "the body is indented as a whole, and only its first line loses that";
    (without(lines, common), Some(problem(message)))
}

/// The lines trimmed as a whole, and without the first `common` spaces of each.
fn without(lines: &[(usize, &[u8])], common: usize) -> YamlSource {
    let mut source = YamlSource::default();
    for (index, (at, line)) in lines.iter().enumerate() {
        let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
        let cut = if index == 0 { trim_start(line) } else { common.min(spaces) };
        source.push(&line[cut..], at + cut);
    }
    source.truncate(trim_end(source.text().as_bytes()));
    source
}

/// Reads the fields; if the body has none, reports why.
pub(crate) fn read(source: &YamlSource, context: FieldsContext) -> Fields {
    if source.text().is_empty() {
        return Fields::default();
    }
    let mut yaml = yaml::parse_source(source, context.library);
    let mut fields = Fields::default();
    fields.assembly.error = yaml.error.take();
    fields.assembly.problems = std::mem::take(&mut yaml.problems).into();
    if !matches!(yaml.tree.node(ROOT).value, Value::Object(_)) || yaml.is_empty {
        if fields.assembly.error.is_none() {
            not_fields(source, &yaml, &mut fields);
        }
        take(&mut fields.assembly, &yaml, ROOT);
        return fields;
    }
    FieldReader { yaml, source, context, fields, used: Vec::new() }.read()
}

/// Makes a node the input of a call. A null input is left as the empty object.
fn take(assembly: &mut Assembly, yaml: &YamlOutcome, id: NodeId) {
    if !matches!(yaml.tree.node(id).value, Value::Scalar(Scalar::Null, _)) {
        let Assembly { tree, arguments, scalars, .. } = yaml.branch(id);
        (assembly.tree, assembly.arguments, assembly.scalars) = (tree, arguments, scalars);
    }
}

fn not_fields(source: &YamlSource, yaml: &YamlOutcome, fields: &mut Fields) {
    let found = if yaml.is_empty { "a comment" } else { yaml.tree.node(ROOT).value.type_name() };
    let first = source.text().lines().next().unwrap_or_default();
    let span = source.span(0, trim_end(first.as_bytes()));
    let message = format!("the body must be a mapping of fields, found {}", with_article(found));
    let problem = Diagnostic::new(Code::CalloutNotFields, span, &message);
    fields.assembly.problems.push(problem.contrast("fields: input: …", found));
    fields.assembly.error = Some(message);
}

fn with_article(noun: &str) -> String {
    match noun {
        "a comment" | "null" => noun.into(),
        "array" | "object" => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

struct FieldReader<'a> {
    yaml: YamlOutcome,
    source: &'a YamlSource,
    context: FieldsContext,
    fields: Fields,
    /// Nodes of known fields.
    used: Vec<NodeId>,
}

impl FieldReader<'_> {
    fn read(mut self) -> Fields {
        let name = self.first_of(&NAME, "name");
        let id = self.first_of(&ID, "id");
        let error = self.first_of(&ERROR, "error text");
        let mut outcome = CallExtras { error_text: error.map(|id| self.words(id)), ..CallExtras::default() };
        if let Some(id) = self.member("state") {
            outcome.state = self.state(id);
        }
        if let Some(id) = self.member("input") {
            self.used.push(id);
            take(&mut self.fields.assembly, &self.yaml, id);
        }
        if let Some(id) = self.member("output") {
            self.used.push(id);
            outcome.output = Some(self.yaml.branch(id).tree);
            if outcome.error_text.is_some() || outcome.state.as_deref() == Some("output-error") {
                let message = "the call failed, so its output is never sent";
                self.report(Diagnostic::new(Code::CalloutOutputLost, self.yaml.key(id), message));
            }
        }
        self.fields.name = self.unless_given(name, self.context.has_name, "name");
        self.fields.id = self.unless_given(id, self.context.has_id, "id");
        self.judge_fields();
        let extra: Vec<NodeId> = self.yaml.members().iter().copied().filter(|id| !self.used.contains(id)).collect();
        outcome.extra = (!extra.is_empty()).then(|| self.yaml.tree.object(&extra).tree);
        self.fields.assembly.outcome = Some(Box::new(outcome));
        self.fields
    }

    /// Reports a problem with a field, unless the runtime rejects the whole body.
    fn report(&mut self, problem: Diagnostic) {
        if self.fields.assembly.error.is_some() {
            return;
        }
        self.fields.assembly.problems.push(problem);
    }

    fn key(&self, id: NodeId) -> &str {
        &self.yaml.tree.node(id).key
    }

    fn member(&self, key: &str) -> Option<NodeId> {
        self.yaml.members().iter().copied().find(|&id| self.key(id) == key)
    }

    fn words(&self, id: NodeId) -> String {
        let node = self.yaml.tree.node(id);
        match (&node.decoded, &node.value) {
            (Some(words), _) => words.clone().into(),
            (None, Value::Scalar(_, span)) => self.source.text_of(*span).to_owned(),
            (None, _) => String::new(),
        }
    }

    /// The first of a field's names that has a string value.
    fn first_of(&mut self, names: &[&str], what: &str) -> Option<NodeId> {
        for name in names {
            let Some(id) = self.member(name) else { continue };
            let value = self.yaml.tree.node(id).value.type_name();
            if value != "string" {
                let message = format!("the {what} must be a string; {} is ignored", with_article(value));
                let problem = Diagnostic::new(Code::CalloutField, self.yaml.tree.node(id).place, message);
                self.report(problem.contrast("text in quotes", value));
            } else if self.words(id).trim().is_empty() {
                let message = format!("the {what} is empty and ignored");
                self.report(Diagnostic::new(Code::CalloutField, self.yaml.tree.node(id).place, message));
            } else {
                return Some(id);
            }
        }
        None
    }

    /// A name or id from the body, unless the header gives one.
    fn unless_given(&mut self, id: Option<NodeId>, given: bool, what: &str) -> Option<Word> {
        let id = id?;
        if given {
            let message = format!("ignored: the header already gives the {what}");
            self.report(Diagnostic::new(Code::CalloutField, self.yaml.tree.node(id).place, message));
            return None;
        }
        self.used.push(id);
        let node = self.yaml.tree.node(id);
        let Value::Scalar(_, span) = node.value else { return None };
        Some(Word { span, decoded: node.decoded.clone() })
    }

    fn state(&mut self, id: NodeId) -> Option<String> {
        let node = self.yaml.tree.node(id);
        let state = self.words(id);
        let is_text = matches!(node.value, Value::Scalar(Scalar::String, _));
        let known = is_text && STATES.contains(&state.as_str());
        let later = is_text && LATER_STATES.contains(&state.as_str());
        if known || later {
            self.used.push(id);
        }
        if !(known || later && self.context.later_states) {
            let span = match node.value {
                Value::Scalar(_, span) if !span.is_empty() => span,
                _ => node.place,
            };
            let expected = STATES.join(", ");
            let problem = if later {
                let message = format!("{state} is a state of later versions; the runtime drops it");
                Diagnostic::new(Code::CalloutField, span, message).with_severity(Severity::Hint)
            } else {
                let message = "unknown state; the runtime drops it";
                Diagnostic::new(Code::CalloutField, span, message).contrast(expected, state.clone())
            };
            self.report(problem);
        }
        (known || later).then_some(state)
    }

    /// Reports unknown fields whose names resemble known ones.
    fn judge_fields(&mut self) {
        let known = || ID.iter().chain(&NAME).chain(&ERROR).chain(&["state", "input", "output"]).copied();
        let is_other = |id: &NodeId| known().all(|name| name != self.key(*id));
        let others: Vec<NodeId> = self.yaml.members().iter().copied().filter(is_other).collect();
        if others.is_empty() {
            return;
        }
        let given: Vec<&str> = known().filter(|name| self.member(name).is_some()).collect();
        for id in others {
            let key = self.key(id);
            if self.fields.assembly.problems.len() >= yaml::MAX_PROBLEMS {
                return;
            }
            let plain: String =
                key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
            let same = |name: &&str| name.replace('_', "").eq_ignore_ascii_case(&plain);
            let meant = known().find(same);
            let meant = meant.or_else(|| MISTAKEN.iter().find(|(name, _)| *name == plain).map(|(_, field)| *field));
            let Some(meant) = meant.filter(|meant| !given.contains(meant)) else { continue };
            let message = format!("{key} is not a field; the call has no {meant}");
            let problem = Diagnostic::new(Code::CalloutField, self.yaml.key(id), message);
            self.report(problem.contrast(meant, self.key(id)).replace_with(meant));
        }
    }
}
