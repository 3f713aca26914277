//! Builds calls from a text that holds the name and the arguments together.

use super::super::outcome::{DeliveredArguments, DeliveredCall};
use super::super::profile::{BadItem, BodyForm, ListRule, MissingMember, OtherBody, OtherName, TrailingText};
use super::{CallFault, CallMaker};
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::json::flavour::{self, Flavour};
use crate::value::place::{SourcePlace, SourceText};
use crate::value::plain::{Member, Placed, PlainValue};

impl CallMaker<'_> {
    pub(super) fn make_of_body(&mut self, span: Span) -> Result<Vec<DeliveredCall>, CallFault> {
        let rules = &self.profile.rules.body;
        if rules.form == BodyForm::Mentioned {
            return self.make_of_mention(span);
        }
        let fault = |code| CallFault { span, code, raises: false };
        let text = self.part(span);
        let read = match rules.trailing {
            TrailingText::Refuse => flavour::read_all(text, rules.read),
            TrailingText::Ignore => flavour::read(text, rules.read).map(|(value, _)| value),
        };
        let value = read.map_err(|fault| {
            if let Some(closer) = self.closer_in_string(span) {
                return CallFault { span: closer, code: Code::CloserInValue, raises: false };
            }
            let is_cut = fault.at_end && self.is_end(span.end);
            let code = if is_cut { Code::CutCall } else { Code::BrokenCall };
            CallFault { span: Span::new(span.start + fault.at.min(span.len()), span.end), code, raises: false }
        })?;
        let items = match (value.value, rules.list) {
            (PlainValue::List(items), ListRule::Allow | ListRule::Require) => items,
            (object @ PlainValue::Object(_), ListRule::Allow | ListRule::Refuse) => {
                vec![Placed { value: object, place: value.place }]
            }
            (other, _) if rules.other == OtherBody::Lacking => vec![Placed { value: other, place: value.place }],
            _ => return Err(fault(Code::WrongShape)),
        };
        let bad_item = rules.bad_item;
        let mut calls = Vec::new();
        for item in &items {
            match self.make_of_value(item, span) {
                Ok(call) => calls.push(call),
                Err(fault)
                    if bad_item == BadItem::Skip
                        && matches!(fault.code, Code::WrongShape | Code::NoName | Code::NameNotText)
                        && !fault.raises =>
                {
                    self.note(fault.code, fault.span);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(calls)
    }

    /// A call whose tool is mentioned in a text that ends with an object.
    fn make_of_mention(&mut self, span: Span) -> Result<Vec<DeliveredCall>, CallFault> {
        let (text, trailing) = (self.part(span), self.part(Span::new(span.start, self.text.len())));
        let mentions =
            self.request.names().filter_map(|name| Some((trailing.find(name)?, std::cmp::Reverse(name.len()), name)));
        let fault = CallFault { span, code: Code::WrongShape, raises: false };
        let (at, _, name) = mentions.min().ok_or(fault)?;
        let mut objects = text.match_indices('{').map(|(at, _)| text.part(at, text.len()));
        let object = objects.find_map(|text| flavour::read_all(text, self.profile.rules.body.read).ok());
        let object = object.ok_or(fault)?;
        let keys = &self.profile.rules.body.arguments;
        let arguments = match arguments_in(&object, name, keys) {
            MentionedArguments::Given(found) => self.object_in(found).ok_or(fault)?,
            MentionedArguments::Lacking => return Err(fault),
            MentionedArguments::Itself => object,
        };
        let name_place = SourcePlace::At(trailing.span_of(at, at + name.len()));
        let arguments = DeliveredArguments::of_value(arguments.value);
        let id_place = SourcePlace::MadeUp;
        Ok(vec![DeliveredCall { name: Some(name.to_owned()), arguments, id: None, span, name_place, id_place }])
    }

    /// An object, or the object in a string.
    fn object_in(&self, value: &Placed) -> Option<Placed> {
        let is_object = |value: &PlainValue| matches!(value, PlainValue::Object(_));
        if is_object(&value.value) {
            return Some(value.clone());
        }
        let read = |text: SourceText<'_>| flavour::read_all(text, Flavour::Go).ok().map(|found| found.value);
        let inner = flavour::reread(value, self.text, read).filter(is_object)?;
        Some(Placed { value: inner, place: value.place.clone() })
    }

    fn make_of_value(&mut self, item: &Placed, span: Span) -> Result<DeliveredCall, CallFault> {
        let rules = &self.profile.rules.body;
        let fault = |raises| CallFault { span, code: Code::WrongShape, raises };
        if rules.form == BodyForm::Keyed {
            let PlainValue::Object(members) = &item.value else { return Err(fault(false)) };
            let Some(Member { key, key_place, value }) = members.first() else { return Err(fault(false)) };
            let arguments = self.arguments(value.clone(), span)?;
            let (name, name_place) = (Some(key.clone()), key_place.without_quotes(self.text));
            return Ok(DeliveredCall { name, arguments, id: None, span, name_place, id_place: SourcePlace::MadeUp });
        }
        let named = |keys: &[String]| keys.iter().find_map(|key| item.value.get(key));
        let place_of = |found: Option<&Placed>| found.map_or(SourcePlace::MadeUp, |found| found.word_place(self.text));
        let (name_place, id_place) = (place_of(named(&rules.name)), place_of(named(&rules.id)));
        let name = match (named(&rules.name).map(|name| &name.value), rules.missing_name) {
            (Some(PlainValue::Text(name)), _) => Some(name.clone()),
            (Some(_), _) if rules.other_name == OtherName::Bad => {
                return Err(CallFault { span, code: Code::NameNotText, raises: false });
            }
            (Some(_), _) if rules.other_name == OtherName::Empty => Some(String::new()),
            (Some(PlainValue::Null), _) => None,
            (Some(other), _) => Some(other.dumps()),
            (None, MissingMember::Empty) => Some(String::new()),
            (None, missing @ (MissingMember::Bad | MissingMember::Raise)) => {
                let code = if matches!(item.value, PlainValue::Object(_)) { Code::NoName } else { Code::WrongShape };
                return Err(CallFault { span, code, raises: missing == MissingMember::Raise });
            }
            (None, _) => None,
        };
        let last = rules.arguments.last();
        let counts = |key: &String, value: &PlainValue| !rules.skips_falsy || Some(key) == last || !value.is_falsy();
        let found =
            rules.arguments.iter().find_map(|key| item.value.get(key).filter(|found| counts(key, &found.value)));
        if rules.bad_item == BadItem::Skip && found.is_none() && named(&rules.name).is_none() {
            return Err(fault(false));
        }
        let arguments = match (found, rules.missing_arguments) {
            (Some(found), _) if rules.falsy_is_text && found.value.is_falsy() => {
                DeliveredArguments::Text(String::new())
            }
            (Some(Placed { value, place: SourcePlace::At(span) }), _)
                if matches!(rules.read, Flavour::Raw | Flavour::RawCut) && value.to_json().is_none() =>
            {
                self.note(Code::ArgumentsNotAnObject, *span);
                DeliveredArguments::Text(self.slice(*span).to_owned())
            }
            (Some(value), _) => {
                let value = self.coerced(value.clone(), name.as_deref().unwrap_or_default());
                self.arguments(value, span)?
            }
            (None, MissingMember::Bad) => return Err(fault(false)),
            (None, MissingMember::Raise) => return Err(fault(true)),
            (None, MissingMember::Empty) => DeliveredArguments::default(),
            (None, MissingMember::None) => self.arguments(Placed::made_up(PlainValue::Null), span)?,
        };
        let id = named(&rules.id).map(|id| match &id.value {
            PlainValue::Text(id) => id.clone(),
            other => other.dumps(),
        });
        Ok(DeliveredCall { name, arguments, id, span, name_place, id_place })
    }
}

/// The place of a tool's arguments in an object.
enum MentionedArguments<'v> {
    Given(&'v Placed),
    /// An object with a name has none.
    Lacking,
    /// The object itself, which holds no call.
    Itself,
}

fn arguments_in<'v>(object: &'v Placed, tool: &str, keys: &[String]) -> MentionedArguments<'v> {
    let mut waiting = vec![object];
    while let Some(value) = waiting.pop() {
        match &value.value {
            PlainValue::Object(members) => {
                if value.value.get("name").is_some() {
                    let given = keys.iter().find_map(|key| value.value.get(key));
                    return given.map_or(MentionedArguments::Lacking, MentionedArguments::Given);
                }
                if let Some(found) = value.value.get(tool) {
                    return MentionedArguments::Given(found);
                }
                waiting.extend(members.iter().rev().map(|member| &member.value));
            }
            PlainValue::List(items) => {
                waiting.extend(items.iter().rev().filter(|item| matches!(item.value, PlainValue::Object(_))));
            }
            _ => {}
        }
    }
    MentionedArguments::Itself
}
