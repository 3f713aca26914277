//! Builds the arguments of a call from its keys and values.

use std::collections::{HashMap, HashSet};

use super::super::grammar::CaptureLabel;
use super::super::matcher::Capture;
use super::super::profile::{MissingKey, References, Repeated, UnknownKey};
use super::{CallFault, CallMaker};
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::cast::{self, Typing, TypingFault};
use crate::value::json::flavour::{self, Flavour};
use crate::value::place::{SourcePlace, SourceText};
use crate::value::plain::{Member, Placed, PlainValue};
use crate::value::python::literal_eval;

impl CallMaker<'_> {
    /// The members of the arguments object, each key once.
    pub(super) fn members(&mut self, captures: &[Capture], tool: &str) -> Result<Vec<Member>, CallFault> {
        let rules = &self.profile.rules.values;
        let parameters: HashSet<&str> = match rules.unknown {
            UnknownKey::Keep => HashSet::new(),
            _ => self.request.parameters(tool).into_iter().collect(),
        };
        let mut members: Vec<Member> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut spans: HashMap<usize, Span> = HashMap::new();
        let mut key: Option<Span> = None;
        for capture in captures {
            if capture.label == CaptureLabel::Key {
                key = Some(capture.span);
            }
            if !matches!(capture.label, CaptureLabel::Value | CaptureLabel::Text | CaptureLabel::Plain) {
                continue;
            }
            let Some(key) = key.take() else { continue };
            let key = self.trimmed(rules.trim_key, key).span();
            let name = self.profile.rules.name_references.apply(self.part(key)).text;
            let fault = |code, raises| CallFault { span: capture.span, code, raises };
            if !parameters.is_empty() && !parameters.contains(name.as_str()) {
                if rules.wrappers.contains(&name) {
                    let wrapped = self.wrapped(capture.span, tool, &parameters);
                    let wrapped = wrapped.ok_or(fault(Code::UnknownParameter, false))?;
                    for member in wrapped {
                        if places.insert(member.key.clone(), members.len()).is_some() {
                            return Err(fault(Code::RepeatedKey, false));
                        }
                        members.push(member);
                    }
                    continue;
                }
                if rules.unknown == UnknownKey::Bad {
                    return Err(CallFault { span: key, code: Code::UnknownParameter, raises: false });
                }
                self.note(Code::UnknownParameter, key);
                continue;
            }
            let text = self.trimmed(rules.trim, capture.span);
            let references = if capture.label == CaptureLabel::Plain { References::Keep } else { rules.references };
            let decoded = references.apply(text);
            let made = if capture.label == CaptureLabel::Text {
                Ok(PlainValue::Text(decoded.text.clone()))
            } else {
                let schema = if rules.read == Typing::Dots {
                    self.request.typed_schema(tool, &name)
                } else {
                    self.request.schema(tool, &name)
                };
                cast::value(SourceText::whole(&decoded.text), schema, rules.read)
            };
            let value = match made {
                Ok(mut value) => {
                    value.relocate(&|span| decoded.source_of(span));
                    // White space around a value is part of it if it is kept.
                    let is_kept = matches!(&value, PlainValue::Text(kept) if *kept == decoded.text);
                    Placed::at(value, if is_kept { text } else { text.trimmed() }.span())
                }
                Err(TypingFault::Bad) => return Err(fault(Code::ValueNotTyped, false)),
                Err(TypingFault::Raise) => return Err(fault(Code::ValueNotTyped, true)),
            };
            // A value up to the end of the text was not ended by a marker.
            if capture.cut || (capture.span.end == self.text.len() && !capture.span.is_empty()) {
                self.note(Code::CutInValue, capture.span);
            }
            match (places.get(&name), rules.repeated) {
                (Some(_), Repeated::Bad) => return Err(fault(Code::RepeatedKey, false)),
                (Some(_), Repeated::First) => self.note(Code::RepeatedKey, capture.span),
                (Some(place), _) => {
                    members[*place].value = value;
                    members[*place].key_place = SourcePlace::At(key);
                    if let Some(lost) = spans.insert(*place, capture.span) {
                        self.note(Code::RepeatedKey, lost);
                    }
                }
                (None, _) => {
                    spans.insert(members.len(), capture.span);
                    places.insert(name.clone(), members.len());
                    members.push(Member::at(name, key, value));
                }
            }
        }
        if rules.missing == MissingKey::Bad
            && self.request.required(tool).iter().any(|name| !places.contains_key(*name))
        {
            return Err(CallFault { span: captures[0].span, code: Code::ParameterMissing, raises: false });
        }
        Ok(members)
    }

    /// The parameters in an object that `span` holds in JSON or Python; `None` if there are none.
    fn wrapped(&self, span: Span, tool: &str, parameters: &HashSet<&str>) -> Option<Vec<Member>> {
        let text = self.part(span);
        let value = flavour::read_all(text, Flavour::Python).ok().or_else(|| literal_eval::read_all(text))?;
        let PlainValue::Object(members) = value.value else { return None };
        let mut out = Vec::new();
        for mut member in members {
            if !parameters.contains(member.key.as_str()) {
                continue;
            }
            let schema = self.request.schema(tool, &member.key);
            let read = |text: SourceText<'_>| cast::value(text, schema, self.profile.rules.values.read).ok();
            match &member.value.value {
                PlainValue::Text(_) => member.value.value = flavour::reread(&member.value, self.text, read)?,
                other if self.request.is_string(tool, &member.key) => {
                    member.value.value = PlainValue::Text(other.dumps());
                }
                _ => {}
            }
            out.push(member);
        }
        (!out.is_empty()).then_some(out)
    }
}
