//! Builds calls from the captures of a grammar.

mod body;
mod members;
mod text_fault;
mod written;

use std::collections::HashSet;

use serde_json::Value as Json;

use super::grammar::CaptureLabel;
use super::matcher::Capture;
use super::outcome::{DeliveredArguments, DeliveredCall, Reason};
use super::profile::{ArgumentCoercion, ArgumentText, Behaviour, Nameless, OtherArguments, Spacing, Trim, Unclosed};
use super::request::ToolRequest;
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::cast;
use crate::value::elements;
use crate::value::gemma4;
use crate::value::json::compact;
use crate::value::json::flavour::{self, Flavour};
use crate::value::marked_tags;
use crate::value::notation::pairs;
use crate::value::place::{DerivedText, SourcePlace, SourceText};
use crate::value::plain::{Member, Placed, PlainValue};
use crate::value::python::syntax::{self, PythonCall, PythonCalls, PythonFault};

/// Reason why a call is not delivered, and its location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallFault {
    /// The bytes that cannot be read.
    pub(crate) span: Span,
    /// The rule that was violated.
    pub(crate) code: Code,
    /// True if the parser raises an exception for it.
    pub(crate) raises: bool,
}

/// Builds the calls of one match.
pub(crate) struct CallMaker<'a> {
    profile: &'a Behaviour,
    text: &'a str,
    request: &'a ToolRequest,
    /// Reasons for the decisions made on the way.
    pub(crate) reasons: Vec<Reason>,
}

impl CallFault {
    /// True if the text can be read, but does not have the shape of a call.
    pub(crate) fn is_of_shape(self) -> bool {
        matches!(self.code, Code::WrongShape | Code::NoName | Code::NameNotText | Code::ArgumentsNotAnObject)
    }
}

impl<'a> CallMaker<'a> {
    /// A maker for a text and the tools of its request.
    pub(crate) fn new(profile: &'a Behaviour, text: &'a str, request: &'a ToolRequest) -> Self {
        Self { profile, text, request, reasons: Vec::new() }
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    fn part(&self, span: Span) -> SourceText<'a> {
        SourceText::new(self.text, span)
    }

    fn trimmed(&self, trim: Trim, span: Span) -> SourceText<'a> {
        self.part(span).locate(trim.apply(self.slice(span)))
    }

    fn note(&mut self, code: Code, span: Span) {
        self.reasons.push(Reason { code, span });
    }

    /// The calls in the captures of one call block.
    pub(crate) fn make(&mut self, captures: &[Capture]) -> Result<Vec<DeliveredCall>, CallFault> {
        let find = |label: CaptureLabel| captures.iter().find(|capture| capture.label == label);
        if let Some(body) = find(CaptureLabel::Body) {
            return self.make_of_body(body.span);
        }
        if let Some(calls) = find(CaptureLabel::Python) {
            return self.make_of_python(calls.span);
        }
        let whole = captures[0].span;
        let name = find(CaptureLabel::Name).map(|capture| capture.span);
        let id = find(CaptureLabel::Id).map(|capture| capture.span);
        let at = |span: Option<Span>| span.map_or(SourcePlace::MadeUp, SourcePlace::At);
        let mut call = DeliveredCall {
            name: name.map(|span| self.name_of(span)),
            arguments: DeliveredArguments::default(),
            id: id.map(|span| self.slice(span).to_owned()),
            span: whole,
            name_place: at(name.map(|span| self.trimmed(self.profile.rules.names, span).span())),
            id_place: at(id),
        };
        let read = self.profile.rules.arguments.read;
        if matches!(read, ArgumentText::Written | ArgumentText::Joined | ArgumentText::WrittenGemma) {
            return Ok(self.written(call, captures, read).into_iter().collect());
        }
        if let Some(arguments) = find(CaptureLabel::Arguments) {
            if call.name.is_none() && self.profile.rules.nameless == Nameless::Infer {
                let inferred = self.request.tool_for(self.keys(arguments.span).as_deref());
                let fault = CallFault { span: whole, code: Code::WrongShape, raises: false };
                call.name = Some(inferred.ok_or(fault)?.to_owned());
            }
            call.arguments = self.arguments_of_text(*arguments, call.name.as_deref().unwrap_or_default())?;
            return Ok(vec![call]);
        }
        if let Some(raw) = find(CaptureLabel::Raw) {
            let text = self.trimmed(self.profile.rules.values.trim, raw.span);
            let value = Placed::at(PlainValue::Text(text.to_string()), text.span());
            let member = Member { key: "raw".to_owned(), key_place: SourcePlace::MadeUp, value };
            call.arguments = DeliveredArguments::Object(vec![member]);
            self.note(Code::BrokenArguments, raw.span);
            return Ok(vec![call]);
        }
        let unclosed = self.profile.rules.arguments.unclosed;
        let repeated = self.repeated_key(captures).filter(|_| unclosed == Unclosed::Typed);
        let captures = &captures[..repeated.unwrap_or(captures.len())];
        let members = self.members(captures, call.name.as_deref().unwrap_or_default())?;
        let members = Placed::at(PlainValue::Object(members), whole);
        let members = self.coerced(members, call.name.as_deref().unwrap_or_default()).value;
        let is_closed = repeated.is_none() && captures.iter().any(|capture| capture.label == CaptureLabel::Close);
        call.arguments = match unclosed {
            Unclosed::Quote if !is_closed => {
                self.note(Code::CutCall, whole);
                self.open_string(members, captures, call.name.as_deref().unwrap_or_default())
            }
            _ if unclosed != Unclosed::Close && !is_closed => {
                self.note(if repeated.is_some() { Code::RepeatedKey } else { Code::CutCall }, whole);
                DeliveredArguments::Text(self.unclosed(
                    members,
                    captures,
                    repeated.is_some(),
                    call.name.as_deref().unwrap_or_default(),
                ))
            }
            _ => DeliveredArguments::of_value(members),
        };
        if let (DeliveredArguments::Text(text), Spacing::Compact) =
            (&mut call.arguments, self.profile.rules.arguments.spacing)
        {
            *text = compact::compact(text);
        }
        Ok(vec![call])
    }

    /// Index of the first capture that repeats a key of the call.
    fn repeated_key(&self, captures: &[Capture]) -> Option<usize> {
        let mut known = HashSet::new();
        let is_known = |capture: &Capture| {
            capture.label == CaptureLabel::Key
                && !known.insert(self.profile.rules.values.trim_key.apply(self.slice(capture.span)))
        };
        captures.iter().position(is_known)
    }

    /// The text of arguments without an end: without its last brace, and without the last quote if the message ends in
    /// a value.
    fn unclosed(&self, members: PlainValue, captures: &[Capture], ends_in_value: bool, tool: &str) -> String {
        let is_typed = self.profile.rules.arguments.unclosed == Unclosed::Typed;
        let end = if is_typed { captures[0].span.end } else { self.text.len() };
        let value = captures.iter().rfind(|capture| matches!(capture.label, CaptureLabel::Value | CaptureLabel::Text));
        let is_cut = ends_in_value || value.is_some_and(|value| value.span.end == end);
        let (mut members, mut waiting) = (members, None);
        if let PlainValue::Object(all) = &mut members
            && is_typed
            && is_cut
        {
            let has_type = |key: &str| self.request.schema(tool, key).is_some() && !self.request.is_string(tool, key);
            waiting = all.pop_if(|member| has_type(&member.key)).map(|member| PlainValue::Text(member.key).dumps());
        }
        // An object that is never closed only begins with its first member.
        let text = if members.is_falsy() { String::new() } else { members.dumps() };
        let open = text.strip_suffix('}').unwrap_or(&text);
        match waiting {
            Some(key) => format!("{}{key}: ", if open.is_empty() { "{".to_owned() } else { open.to_owned() + ", " }),
            None => open.strip_suffix('"').filter(|_| is_cut).unwrap_or(open).to_owned(),
        }
    }

    /// Arguments that end in a value: a string lacks its closing quote, anything else is left out.
    fn open_string(&self, mut members: PlainValue, captures: &[Capture], tool: &str) -> DeliveredArguments {
        let value = captures.iter().rfind(|capture| capture.label == CaptureLabel::Value);
        let begun = value.map_or("", |value| self.slice(value.span).trim_start());
        if let PlainValue::Object(all) = &mut members
            && let Some(Member { key, .. }) = all.last()
        {
            let is_string = self.request.schema(tool, key).is_none() || self.request.is_string(tool, key);
            if is_string && !begun.is_empty() && !begun.starts_with('"') {
                let text = members.dumps();
                return DeliveredArguments::Text(
                    text.strip_suffix("\"}").map_or(text.clone(), |open| format!("{open}}}")),
                );
            }
            all.pop();
        }
        DeliveredArguments::of_value(members)
    }

    fn name_of(&self, span: Span) -> String {
        let rules = &self.profile.rules;
        rules.name_references.apply(self.trimmed(rules.names, span)).text
    }

    /// The keys of a JSON object; `None` if the text is not one.
    fn keys(&self, span: Span) -> Option<Vec<String>> {
        match flavour::read_all(self.part(span), Flavour::Python).ok()?.value {
            PlainValue::Object(members) => Some(members.into_iter().map(|member| member.key).collect()),
            _ => None,
        }
    }

    /// A call whose arguments are the text assembled from its captures; `None` if its name is unknown.
    fn written(&mut self, mut call: DeliveredCall, captures: &[Capture], read: ArgumentText) -> Option<DeliveredCall> {
        call.name = Some(call.name?.trim_end().to_owned());
        call.id = call.id.map(|id| {
            let id = id.trim_end();
            id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id).to_owned()
        });
        let found = captures.iter().find(|capture| capture.label == CaptureLabel::Arguments);
        if captures[0].cut {
            self.note(Code::CutCall, captures[0].span);
        }
        if let Some(other) = found.filter(|found| !self.slice(found.span).starts_with('{')) {
            self.note(Code::ArgumentsNotAnObject, other.span);
        }
        let text = if read == ArgumentText::WrittenGemma {
            written::json_of_gemma(self.part(found?.span))
        } else if read == ArgumentText::Joined {
            written::joined(captures, self.text)
        } else {
            let tool = call.name.as_deref().unwrap_or_default();
            let json = |key: &str, text: SourceText<'a>| {
                let schema = self.request.schema(tool, key).unwrap_or(&Json::Null);
                elements::read(text, schema, &self.profile.rules.arguments.marker, key)
            };
            written::arguments(captures, self.text, json)
        };
        call.arguments = written::passed_on(&text);
        Some(call)
    }

    fn arguments_of_text(&mut self, capture: Capture, tool: &str) -> Result<DeliveredArguments, CallFault> {
        let rules = &self.profile.rules.arguments;
        let text = self.trimmed(rules.trim, capture.span);
        let first = match rules.read {
            ArgumentText::FirstJsonOrText => flavour::read(text, Flavour::Python).ok(),
            _ => None,
        };
        let read = match rules.read {
            ArgumentText::PassOn | ArgumentText::Written | ArgumentText::Joined | ArgumentText::WrittenGemma => {
                let passed = written::passed_on_part(text);
                if passed.members().is_none() {
                    let fault = self.fault_of_text(capture.span, Code::ArgumentsNotAnObject);
                    self.note(fault.code, fault.span);
                }
                return Ok(passed);
            }
            ArgumentText::Pairs => pairs::read(text),
            ArgumentText::StrictJson => flavour::read_all(text, Flavour::NoConstants).ok(),
            ArgumentText::Go => flavour::read_all(text, Flavour::Go).ok(),
            ArgumentText::Rfc8259 => flavour::read_all(text, Flavour::Strict).ok(),
            ArgumentText::GemmaTyped => gemma4::typed::read(text, self.request.parameters_schema(tool)),
            ArgumentText::Json | ArgumentText::JsonOrText => flavour::read_all(text, Flavour::Python).ok(),
            ArgumentText::FirstJsonOrText => first.clone().map(|(value, _)| value),
            ArgumentText::JsonOrLiteral => Some(Placed::at(cast::json_or_literal(text), text.span())),
            ArgumentText::NestedTags => marked_tags::read(text, &rules.mark, self.request.parameters_schema(tool)),
            ArgumentText::LeadingTags => {
                Some(marked_tags::read_leading(text, &rules.mark, self.request.parameters_schema(tool)))
            }
            ArgumentText::GemmaTexts => Some(gemma4::scan(text, gemma4::Bare::Text).value),
            ArgumentText::GemmaGuessed => {
                let scanned = gemma4::scan(text, gemma4::Bare::Guessed);
                if scanned.is_endless {
                    self.note(Code::ParserMayHang, capture.span);
                }
                Some(scanned.value)
            }
            ArgumentText::GemmaJson => json_of(&gemma4::to_json(text)),
            ArgumentText::GemmaOrEmpty => {
                let found = json_of(&gemma4::with_quoted_keys(text));
                if found.is_none() {
                    self.note(Code::BrokenArguments, capture.span);
                }
                found.or_else(|| Some(Placed::made_up(PlainValue::Object(Vec::new()))))
            }
        };
        let fault = self.fault_of_text(capture.span, Code::BrokenArguments);
        match read {
            Some(value) => {
                let value = self.coerced(value, tool);
                match first {
                    // Numbers that do not exist in JSON are left unchanged.
                    Some((raw, len)) if raw == value && value.value.to_json().is_none() => {
                        Ok(DeliveredArguments::Text(text[..len].to_owned()))
                    }
                    _ if rules.other == OtherArguments::Decode => Ok(DeliveredArguments::of_value(value.value)),
                    _ if rules.ascii && !matches!(value.value, PlainValue::Object(_)) => {
                        Ok(DeliveredArguments::Text(compact::ascii(&value.value.dumps())))
                    }
                    _ => self.arguments(value, capture.span),
                }
            }
            None if matches!(rules.read, ArgumentText::JsonOrText | ArgumentText::FirstJsonOrText) => {
                self.note(fault.code, fault.span);
                Ok(DeliveredArguments::Text(text.to_string()))
            }
            None => Err(fault),
        }
    }

    /// The arguments without a wrapper key, if the profile has wrapper keys and the schema does not have this one.
    fn unwrapped(&self, arguments: Placed, tool: &str) -> Placed {
        let known = self.request.parameters(tool);
        let wrappers = &self.profile.rules.arguments.unwrap;
        let inner = match &arguments.value {
            PlainValue::Object(members) if !known.is_empty() => match members.as_slice() {
                [Member { key, value, .. }] if wrappers.contains(key) && !known.contains(&key.as_str()) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let read = |text: SourceText<'_>| flavour::read_all(text, Flavour::Python).ok().map(|found| found.value);
        let inner = inner.and_then(|inner| match &inner.value {
            PlainValue::Text(_) => flavour::reread(inner, self.text, read),
            other => Some(other.clone()),
        });
        match inner {
            Some(PlainValue::Object(members)) if members.iter().all(|member| known.contains(&member.key.as_str())) => {
                Placed { value: PlainValue::Object(members), ..arguments }
            }
            _ => arguments,
        }
    }

    /// The arguments converted to the types of their tool's schema, if the profile says that.
    fn coerced(&self, arguments: Placed, tool: &str) -> Placed {
        let rule = self.profile.rules.coerce;
        let mut arguments = self.unwrapped(arguments, tool);
        if let PlainValue::Object(members) = &mut arguments.value
            && rule != ArgumentCoercion::None
        {
            for Member { key, value, .. } in members {
                let Some(schema) = self.request.schema(tool, key).filter(|schema| schema.is_object()) else { continue };
                let own = std::mem::replace(value, Placed::made_up(PlainValue::Null));
                *value = match rule {
                    ArgumentCoercion::Vllm => cast::coerced(own, schema, self.text),
                    _ => cast::transformers::by_schema(own, Some(schema), self.text),
                };
            }
        }
        arguments
    }

    /// Delivers arguments, which may not be an object.
    fn arguments(&mut self, placed: Placed, span: Span) -> Result<DeliveredArguments, CallFault> {
        use OtherArguments as Other;
        if matches!(placed.value, PlainValue::Object(_)) {
            return Ok(DeliveredArguments::of_value(placed.value));
        }
        let code = Code::ArgumentsNotAnObject;
        let object = |flavour| {
            let read = |text: SourceText<'_>| flavour::read_all(text, flavour).ok().map(|found| found.value);
            flavour::reread(&placed, self.text, read).filter(|found| matches!(found, PlainValue::Object(_)))
        };
        let delivered = match (self.profile.rules.arguments.other, &placed.value) {
            (Other::Empty, _) | (Other::EmptyIfNull | Other::TextOrEmpty, PlainValue::Null) => {
                DeliveredArguments::default()
            }
            (Other::Wrap, _) => {
                let member = Member { key: "value".to_owned(), key_place: SourcePlace::MadeUp, value: placed };
                DeliveredArguments::Object(vec![member])
            }
            (Other::EmptyIfFalsy, value) if value.is_falsy() => DeliveredArguments::default(),
            (Other::Value, PlainValue::Text(text)) => DeliveredArguments::Text(text.clone()),
            (Other::NullOrBad, PlainValue::Null) => DeliveredArguments::Value(PlainValue::Null),
            (Other::Value, value) if value.to_json().is_some() => DeliveredArguments::Value(value.clone()),
            (Other::Text | Other::TextOrKeep | Other::TextOrJson | Other::TextOrEmpty, PlainValue::Text(text)) => {
                object(Flavour::Strict)
                    .map_or_else(|| DeliveredArguments::Text(text.clone()), DeliveredArguments::of_value)
            }
            (Other::Decode, PlainValue::Text(_)) if let Some(object) = object(Flavour::Python) => {
                DeliveredArguments::of_value(object)
            }
            (Other::Text | Other::Decode | Other::Bad | Other::NullOrBad, _)
            | (Other::TextOrKeep, PlainValue::Null) => {
                return Err(CallFault { span, code, raises: false });
            }
            _ => match DeliveredArguments::of_value(placed.value) {
                DeliveredArguments::Text(text) if self.profile.rules.arguments.spacing == Spacing::Compact => {
                    DeliveredArguments::Text(compact::compact(&text))
                }
                delivered => delivered,
            },
        };
        self.note(code, span);
        Ok(delivered)
    }

    fn make_of_python(&mut self, span: Span) -> Result<Vec<DeliveredCall>, CallFault> {
        let rules = self.profile.rules.python;
        let unfinished = rules.unfinished.then(|| syntax::completion::calls(self.text, span, rules));
        let (found, open) = match unfinished {
            Some(found) => found.map(|(calls, open)| (PythonCalls { calls, left_out: Vec::new() }, open)),
            None => syntax::calls(self.text, span, rules).map(|found| (found, None)),
        }
        .map_err(|fault| match fault {
            PythonFault::Syntax(fault) => {
                let code = if fault.at_end { Code::CutCall } else { Code::BrokenCall };
                CallFault { span: Span::new(fault.at.min(span.end), span.end), code, raises: false }
            }
            PythonFault::Shape(span) => CallFault { span, code: Code::WrongShape, raises: false },
        })?;
        found.left_out.into_iter().for_each(|span| self.note(Code::WrongShape, span));
        let call = |call: PythonCall| DeliveredCall {
            name: Some(call.name),
            arguments: DeliveredArguments::of_value(call.arguments),
            id: None,
            span: call.span,
            name_place: SourcePlace::At(call.name_span),
            id_place: SourcePlace::MadeUp,
        };
        let mut calls: Vec<DeliveredCall> = found.calls.into_iter().map(call).collect();
        if let (Some(open), Some(last)) = (open, calls.last_mut()) {
            last.arguments = DeliveredArguments::Text(open);
            let span = last.span;
            self.note(Code::CutCall, span);
        }
        Ok(calls)
    }
}

/// The JSON value that was derived from a part of the message.
fn json_of(derived: &DerivedText) -> Option<Placed> {
    let mut value = flavour::read_all(SourceText::whole(&derived.text), Flavour::Python).ok()?;
    value.relocate(&|span| derived.source_of(span));
    Some(value)
}
