//! Makes calls of what a grammar has found.

mod members;
mod written;

use serde_json::Value as Json;

use super::elements;
use super::gemma;
use super::grammar::Label;
use super::json::{self, Flavour, Value};
use super::matcher::Capture;
use super::nested;
use super::outcome::{Call, Reason, ReasonCode};
use super::profile::{
    ArgumentText, BadItem, Behaviour, Behind, BodyForm, Coercion, ListRule, Missing, Nameless, OtherArguments,
    OtherBody, OtherName, Spacing, Unclosed,
};
use super::python::{self, PythonCall, PythonFault};
use super::request::Request;
use super::typing;
use crate::text::Span;

/// Why a call is not delivered, and where.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The bytes that cannot be read.
    pub span: Span,
    /// The rule.
    pub code: ReasonCode,
    /// Whether the parser raises.
    pub raises: bool,
}

/// Makes the calls of one stretch.
pub struct CallMaker<'a> {
    profile: &'a Behaviour,
    text: &'a str,
    request: &'a Request,
    /// What was decided on the way.
    pub reasons: Vec<Reason>,
}

impl Fault {
    /// Whether what it is about can be read, but is no call.
    pub fn is_of_shape(self) -> bool {
        matches!(self.code, ReasonCode::WrongShape | ReasonCode::NameNotText | ReasonCode::ArgumentsNotAnObject)
    }
}

impl<'a> CallMaker<'a> {
    /// A maker for a text and the tools of its request.
    pub fn new(profile: &'a Behaviour, text: &'a str, request: &'a Request) -> Self {
        Self { profile, text, request, reasons: Vec::new() }
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    fn note(&mut self, code: ReasonCode, span: Span) {
        self.reasons.push(Reason { code, span });
    }

    /// The calls of a capture.
    pub fn make(&mut self, captures: &[Capture]) -> Result<Vec<Call>, Fault> {
        let find = |label: Label| captures.iter().find(|capture| capture.label == label);
        if let Some(body) = find(Label::Body) {
            return self.make_of_body(body.span);
        }
        if let Some(calls) = find(Label::Python) {
            return self.make_of_python(calls.span);
        }
        let whole = captures[0].span;
        let name = find(Label::Name).map(|capture| capture.span);
        let id = find(Label::Id).map(|capture| self.slice(capture.span).to_owned());
        let mut call = Call {
            name: name.map(|span| self.name_of(span)),
            arguments: Json::Null,
            id,
            span: whole,
            name_span: name.unwrap_or(whole),
        };
        let read = self.profile.rules.arguments.read;
        if matches!(read, ArgumentText::Written | ArgumentText::WrittenGemma) {
            return Ok(self.written(call, captures, read).into_iter().collect());
        }
        if let Some(arguments) = find(Label::Arguments) {
            if call.name.is_none() && self.profile.rules.nameless == Nameless::Infer {
                let inferred = self.request.tool_for(self.keys(arguments.span).as_deref());
                let fault = Fault { span: whole, code: ReasonCode::WrongShape, raises: false };
                call.name = Some(inferred.ok_or(fault)?.to_owned());
            }
            call.arguments = self.arguments_of_text(*arguments, call.name.as_deref().unwrap_or_default())?;
            return Ok(vec![call]);
        }
        if let Some(raw) = find(Label::Raw) {
            let text = self.profile.rules.values.trim.apply(self.slice(raw.span));
            call.arguments = deliver(&Value::Object(vec![("raw".to_owned(), Value::Text(text.to_owned()))]));
            self.note(ReasonCode::BrokenArguments, raw.span);
            return Ok(vec![call]);
        }
        let members = self.members(captures, call.name.as_deref().unwrap_or_default())?;
        let members = self.coerced(Value::Object(members), call.name.as_deref().unwrap_or_default());
        call.arguments = match self.profile.rules.arguments.unclosed {
            Unclosed::Open if find(Label::Close).is_none() => {
                self.note(ReasonCode::CutCall, whole);
                Json::String(self.unclosed(&members, captures))
            }
            _ => deliver(&members),
        };
        if let (Json::String(text), Spacing::Compact) = (&mut call.arguments, self.profile.rules.arguments.spacing) {
            *text = json::compact::compact(text);
        }
        Ok(vec![call])
    }

    /// The text of arguments that is never closed: without its last brace, and without the last quote if the message ends
    /// in a value.
    fn unclosed(&self, members: &Value, captures: &[Capture]) -> String {
        // An object that is never closed is not begun before its first member.
        let text = if members.is_falsy() { String::new() } else { members.dumps() };
        let open = text.strip_suffix('}').unwrap_or(&text);
        let value = captures.iter().rfind(|capture| matches!(capture.label, Label::Value | Label::Text));
        let is_cut = value.is_some_and(|value| value.span.end == self.text.len());
        open.strip_suffix('"').filter(|_| is_cut).unwrap_or(open).to_owned()
    }

    fn name_of(&self, span: Span) -> String {
        let rules = &self.profile.rules;
        rules.name_references.apply(rules.names.apply(self.slice(span))).into_owned()
    }

    /// The keys of an object in JSON; nothing where it is none.
    fn keys(&self, span: Span) -> Option<Vec<String>> {
        match json::read_all(self.slice(span), Flavour::Python) {
            Ok(Value::Object(members)) => Some(members.into_iter().map(|(key, _)| key).collect()),
            _ => None,
        }
    }

    /// A call with the text that is written of what was found of its arguments; nothing where its name is not known.
    fn written(&mut self, mut call: Call, captures: &[Capture], read: ArgumentText) -> Option<Call> {
        call.name = Some(call.name?.trim_end().to_owned());
        call.id = call.id.map(|id| {
            let id = id.trim_end();
            id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id).to_owned()
        });
        let found = captures.iter().find(|capture| capture.label == Label::Arguments);
        if captures[0].cut {
            self.note(ReasonCode::CutCall, captures[0].span);
        }
        if let Some(other) = found.filter(|found| !self.slice(found.span).starts_with('{')) {
            self.note(ReasonCode::ArgumentsNotAnObject, other.span);
        }
        call.arguments = passed_on(&match (read, found) {
            (ArgumentText::WrittenGemma, found) => written::json_of_gemma(self.slice(found?.span)),
            _ => {
                let tool = call.name.as_deref().unwrap_or_default();
                let json = |key: &str, text: &str| {
                    let schema = self.request.schema(tool, key).unwrap_or(&Json::Null);
                    elements::read(text, schema, &self.profile.rules.arguments.marker, key)
                };
                written::arguments(captures, self.text, json)
            }
        });
        Some(call)
    }

    fn arguments_of_text(&mut self, capture: Capture, tool: &str) -> Result<Json, Fault> {
        let rules = &self.profile.rules.arguments;
        let text = rules.trim.apply(self.slice(capture.span));
        let read = match rules.read {
            ArgumentText::PassOn | ArgumentText::Written | ArgumentText::WrittenGemma => {
                let passed = passed_on(text);
                if !passed.is_object() {
                    self.note(ReasonCode::ArgumentsNotAnObject, capture.span);
                }
                return Ok(passed);
            }
            ArgumentText::StrictJson => json::read_all(text, Flavour::NoConstants).ok(),
            ArgumentText::Json | ArgumentText::JsonOrText => json::read_all(text, Flavour::Python).ok(),
            ArgumentText::FirstJsonOrText => json::read(text, Flavour::Python).ok().map(|(value, _)| value),
            ArgumentText::JsonOrLiteral => Some(typing::json_or_literal(text)),
            ArgumentText::NestedTags => nested::read(text, &rules.mark, self.request.parameters_schema(tool)),
            ArgumentText::GemmaTexts => Some(gemma::scan(text, gemma::Bare::Text)),
            ArgumentText::GemmaGuessed => Some(gemma::scan(text, gemma::Bare::Guessed)),
            ArgumentText::GemmaJson => json::read_all(&gemma::to_json(text), Flavour::Python).ok(),
        };
        let fault = Fault { span: capture.span, code: ReasonCode::BrokenArguments, raises: false };
        match read {
            Some(value) => {
                let value = self.coerced(value, tool);
                self.arguments(&value, capture.span)
            }
            None if matches!(rules.read, ArgumentText::JsonOrText | ArgumentText::FirstJsonOrText) => {
                self.note(fault.code, fault.span);
                Ok(Json::String(text.to_owned()))
            }
            None => Err(fault),
        }
    }

    /// What the arguments are that stand alone under a key that is not the tool's own, if the profile says that.
    fn unwrapped(&self, arguments: Value, tool: &str) -> Value {
        let known = self.request.parameters(tool);
        let wrappers = &self.profile.rules.arguments.unwrap;
        let inner = match &arguments {
            Value::Object(members) if !known.is_empty() => match members.as_slice() {
                [(key, value)] if wrappers.contains(key) && !known.contains(&key.as_str()) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let inner = match inner {
            Some(Value::Text(text)) => json::read_all(text, Flavour::Python).ok(),
            other => other.cloned(),
        };
        match inner {
            Some(Value::Object(members)) if members.iter().all(|(key, _)| known.contains(&key.as_str())) => {
                Value::Object(members)
            }
            _ => arguments,
        }
    }

    /// Arguments as the schema of their tool wants them, if the profile says that.
    fn coerced(&self, arguments: Value, tool: &str) -> Value {
        let rule = self.profile.rules.coerce;
        let arguments = self.unwrapped(arguments, tool);
        let Value::Object(members) = arguments else { return arguments };
        if rule == Coercion::None {
            return Value::Object(members);
        }
        let one = |(name, value): (String, Value)| {
            let value = match (self.request.schema(tool, &name).filter(|schema| schema.is_object()), value) {
                (Some(schema), value) if rule == Coercion::Vllm => typing::coerced(value, schema),
                (Some(schema), value) => typing::transformers::by_schema(value, Some(schema)),
                (None, value) => value,
            };
            (name, value)
        };
        Value::Object(members.into_iter().map(one).collect())
    }

    /// Arguments that may be no object.
    fn arguments(&mut self, value: &Value, span: Span) -> Result<Json, Fault> {
        if matches!(value, Value::Object(_)) {
            return Ok(deliver(value));
        }
        let code = ReasonCode::ArgumentsNotAnObject;
        match self.profile.rules.arguments.other {
            OtherArguments::EmptyIfFalsy if value.is_falsy() => {
                self.note(code, span);
                Ok(Json::Object(serde_json::Map::new()))
            }
            OtherArguments::EmptyIfNull if *value == Value::Null => {
                self.note(code, span);
                Ok(Json::Object(serde_json::Map::new()))
            }
            OtherArguments::Keep | OtherArguments::EmptyIfFalsy | OtherArguments::EmptyIfNull => {
                self.note(code, span);
                Ok(deliver(value))
            }
            OtherArguments::Empty => {
                self.note(code, span);
                Ok(Json::Object(serde_json::Map::new()))
            }
            OtherArguments::Value => {
                self.note(code, span);
                Ok(value.to_json().unwrap_or_else(|| Json::String(value.dumps())))
            }
            OtherArguments::Text | OtherArguments::TextOrKeep if let Value::Text(text) = value => {
                self.note(code, span);
                Ok(passed_on(text))
            }
            OtherArguments::TextOrKeep if *value != Value::Null => {
                self.note(code, span);
                Ok(deliver(value))
            }
            OtherArguments::Text | OtherArguments::TextOrKeep | OtherArguments::Bad => {
                Err(Fault { span, code, raises: false })
            }
        }
    }

    fn make_of_body(&mut self, span: Span) -> Result<Vec<Call>, Fault> {
        let rules = &self.profile.rules.body;
        let fault = |code| Fault { span, code, raises: false };
        let text = self.slice(span);
        let read = match rules.behind {
            Behind::Refuse => json::read_all(text, rules.read),
            Behind::Ignore => json::read(text, rules.read).map(|(value, _)| value),
        };
        let value = read.map_err(|fault| Fault {
            span: Span::new(span.start + fault.at.min(span.len()), span.end),
            code: if fault.at_end { ReasonCode::CutCall } else { ReasonCode::BrokenCall },
            raises: false,
        })?;
        let items = match (value, rules.list) {
            (Value::List(items), ListRule::Allow | ListRule::Require) => items,
            (value @ Value::Object(_), ListRule::Allow | ListRule::Refuse) => vec![value],
            (value, _) if rules.other == OtherBody::Lacking => vec![value],
            _ => return Err(fault(ReasonCode::WrongShape)),
        };
        let bad_item = rules.bad_item;
        let mut calls = Vec::new();
        for item in &items {
            match self.make_of_value(item, span) {
                Ok(call) => calls.push(call),
                Err(fault) if bad_item == BadItem::Skip && fault.code == ReasonCode::WrongShape && !fault.raises => {
                    self.note(fault.code, fault.span);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(calls)
    }

    fn make_of_python(&mut self, span: Span) -> Result<Vec<Call>, Fault> {
        let found = python::calls(self.text, span, self.profile.rules.python).map_err(|fault| match fault {
            PythonFault::Syntax(fault) => {
                let code = if fault.at_end { ReasonCode::CutCall } else { ReasonCode::BrokenCall };
                Fault { span: Span::new(fault.at.min(span.end), span.end), code, raises: false }
            }
            PythonFault::Shape(span) => Fault { span, code: ReasonCode::WrongShape, raises: false },
        })?;
        found.left_out.into_iter().for_each(|span| self.note(ReasonCode::WrongShape, span));
        let call = |call: PythonCall| Call {
            name: Some(call.name),
            arguments: deliver(&call.arguments),
            id: None,
            span: call.span,
            name_span: call.name_span,
        };
        Ok(found.calls.into_iter().map(call).collect())
    }

    fn make_of_value(&mut self, item: &Value, span: Span) -> Result<Call, Fault> {
        let rules = &self.profile.rules.body;
        let fault = |raises| Fault { span, code: ReasonCode::WrongShape, raises };
        if rules.form == BodyForm::Keyed {
            let Value::Object(members) = item else { return Err(fault(false)) };
            let Some((name, value)) = members.first() else { return Err(fault(false)) };
            let arguments = self.arguments(value, span)?;
            return Ok(Call { name: Some(name.clone()), arguments, id: None, span, name_span: span });
        }
        let named = |keys: &[String]| keys.iter().find_map(|key| item.get(key));
        let name = match (named(&rules.name), rules.missing_name) {
            (Some(Value::Text(name)), _) => Some(name.clone()),
            (Some(_), _) if rules.other_name == OtherName::Bad => {
                return Err(Fault { span, code: ReasonCode::NameNotText, raises: false });
            }
            (Some(Value::Null), _) => None,
            (Some(other), _) => Some(other.dumps()),
            (None, Missing::Empty) => Some(String::new()),
            (None, Missing::Bad) => return Err(fault(false)),
            (None, Missing::Raise) => return Err(fault(true)),
            (None, _) => None,
        };
        let last = rules.arguments.last();
        let counts = |key: &String, value: &Value| !rules.skips_falsy || Some(key) == last || !value.is_falsy();
        let found = rules.arguments.iter().find_map(|key| item.get(key).filter(|value| counts(key, value)));
        let arguments = match (found, rules.missing_arguments) {
            (Some(value), _) => {
                let value = self.coerced(value.clone(), name.as_deref().unwrap_or_default());
                self.arguments(&value, span)?
            }
            (None, Missing::Bad) => return Err(fault(false)),
            (None, Missing::Raise) => return Err(fault(true)),
            (None, Missing::Empty) => Json::Object(serde_json::Map::new()),
            (None, Missing::None) => self.arguments(&Value::Null, span)?,
        };
        let id = named(&rules.id).map(|id| match id {
            Value::Text(id) => id.clone(),
            other => other.dumps(),
        });
        Ok(Call { name, arguments, id, span, name_span: span })
    }
}

/// What stands in `arguments` for a value: an object, or else its JSON text.
fn deliver(value: &Value) -> Json {
    match value.to_json() {
        Some(object @ Json::Object(_)) => object,
        _ => Json::String(value.dumps()),
    }
}

/// What a text is that stands in `arguments` unread: an object, or else the text itself.
fn passed_on(text: &str) -> Json {
    match serde_json::from_str(text) {
        Ok(object @ Json::Object(_)) => object,
        _ => Json::String(text.to_owned()),
    }
}
