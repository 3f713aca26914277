//! Rules: the part of a record that each applies to, and what that part holds.

use super::condition::{Choice, Conditions};
use super::facts::{OtherFacts, RequestRule, SessionRule, one_of, path, paths};
use super::path::Path;
use crate::container::facts::Origin;
use crate::container::{CallOutcome, MessageRole};
use crate::value::yaml::fields::{Fields, Item, Source, Word};

/// Most rules within rules; a declaration is not a program.
const MAX_DEPTH: usize = 8;

/// A rule: conditions, and what a value holds if they are met.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) when: Conditions,
    pub(super) reach: Reach,
    pub(super) conversation: Option<ConversationRule>,
    pub(super) session: Option<SessionRule>,
    pub(super) message: Option<MessageRule>,
    pub(super) request: Option<RequestRule>,
    pub(super) facts: OtherFacts,
    pub(super) interrupts: bool,
    pub(super) parts: PartRules,
    /// The first of these rules that fits applies; if none does, the value is unknown.
    pub(super) rules: RuleList,
    /// Further rules for the same value; each that fits applies.
    pub(super) also: Vec<Rule>,
}

/// The beginning of a conversation that is independent of those before it.
#[derive(Clone, Debug)]
pub(super) struct ConversationRule {
    /// Path of its title; it may have none.
    pub(super) title: Option<Path>,
}

impl ConversationRule {
    /// `true` begins one without a title.
    fn new(path: Path) -> Self {
        Self { title: Some(path).filter(|path| &*path.text != "true") }
    }
}

/// The values that a rule applies to.
#[derive(Clone, Debug)]
pub(super) enum Reach {
    Here,
    At(Path),
    /// Each element of a list or member of an object, or a single value.
    Each(Path),
}

#[derive(Clone, Debug)]
pub(super) enum RuleList {
    Own(Vec<Rule>),
    /// The rules for records, again.
    Records,
}

/// The beginning of a message, unless it joins the one before it.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageRule {
    pub(super) role: Choice<RoleSource>,
    pub(super) origin: Choice<Origin>,
    /// True if it continues the open message if that has the same role.
    pub(super) joins: bool,
    pub(super) properties: MessageProperties,
}

#[derive(Clone, Debug)]
pub(super) enum RoleSource {
    Fixed(Option<MessageRole>),
    At(Path),
}

/// Paths of a message's properties.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageProperties {
    pub(super) time: Option<Path>,
    pub(super) id: Option<Path>,
    pub(super) parent: Option<Path>,
    pub(super) model: Option<Path>,
    pub(super) label: Option<Path>,
    pub(super) outside: Option<Path>,
}

/// The parts of a message, in writing order.
#[derive(Clone, Debug, Default)]
pub(super) struct PartRules {
    pub(super) reasoning: Vec<Path>,
    pub(super) content: Vec<Path>,
    /// The text of the user is in an element of this name; the text around it is the program's.
    pub(super) element: Option<Box<str>>,
    /// Parts as the Gemini API has them.
    pub(super) parts: Option<Path>,
    /// Messages as the chat and Anthropic APIs have them, without their roles.
    pub(super) message: Option<Path>,
    pub(super) known_calls: Vec<KnownCall>,
    pub(super) call: Option<CallRule>,
    pub(super) result: Option<ResultRule>,
    /// Values to show, each under a name; without one, under the value's `type` or its key.
    pub(super) show: Vec<(Option<Box<str>>, Path)>,
    /// A word that the declaration does not know, to be reported.
    pub(super) unknown: Option<Path>,
    pub(super) error: Option<ErrorRule>,
}

/// A call in the form of a provider's API, or of an agent that keeps that form.
#[derive(Clone, Debug)]
pub(super) struct KnownCall {
    pub(super) at: Path,
    pub(super) outcome: Choice<CallOutcome>,
}

/// Text of an error that ended the answer.
#[derive(Clone, Debug)]
pub(super) struct ErrorRule {
    pub(super) at: Path,
    /// Beginning of the report, which names where the error is from.
    pub(super) report: &'static str,
}

/// A call, or each of several.
#[derive(Clone, Debug)]
pub(super) struct CallRule {
    pub(super) when: Conditions,
    pub(super) each: Option<Path>,
    pub(super) id: Option<Path>,
    pub(super) name: Option<Path>,
    pub(super) otherwise: Box<str>,
    pub(super) arguments: Option<Path>,
    /// True if each argument is JSON text in a string.
    pub(super) encoded: bool,
    pub(super) outcome: Choice<CallOutcome>,
}

/// The result of a call, or each of several.
#[derive(Clone, Debug)]
pub(super) struct ResultRule {
    pub(super) when: Conditions,
    pub(super) each: Option<Path>,
    pub(super) call: Option<Path>,
    pub(super) content: Vec<Path>,
    pub(super) failed: Option<Path>,
    pub(super) succeeded: Option<Path>,
    pub(super) outcome: Choice<CallOutcome>,
}

const OUTCOMES: [(&str, CallOutcome); 4] = [
    ("unknown", CallOutcome::Unknown),
    ("succeeded", CallOutcome::Succeeded),
    ("failed", CallOutcome::Failed),
    ("denied", CallOutcome::Denied),
];

const ORIGINS: [(&str, Origin); 9] = [
    ("unknown", Origin::Unsaid),
    ("prompt", Origin::Prompt),
    ("command", Origin::Command),
    ("shell", Origin::Shell),
    ("steering", Origin::Steering),
    ("client", Origin::Client),
    ("notification", Origin::Notification),
    ("summary", Origin::Summary),
    ("repeated", Origin::Repeated),
];

/// Reads the rules in the member `name` of a mapping.
pub(super) fn rules(source: &mut Source, fields: &mut Fields, name: &'static str, depth: usize) -> Vec<Rule> {
    let maps = source.maps(fields, name);
    if depth > MAX_DEPTH {
        let place = source.place_of(fields);
        source.fault(place, format!("rules within rules have at most {MAX_DEPTH} levels"));
        return Vec::new();
    }
    maps.into_iter().map(|map| rule(source, map, depth)).collect()
}

fn rule(source: &mut Source, mut fields: Fields, depth: usize) -> Rule {
    let fields = &mut fields;
    let when = Conditions::read(source, fields, "when");
    let (at, each) = (path(source, fields, "at"), path(source, fields, "each"));
    if at.is_some() && each.is_some() {
        let place = source.place_of(fields);
        source.fault(place, "at and each in one rule: use each, and rules with at in it");
    }
    let reach = each.map(Reach::Each).or_else(|| at.map(Reach::At)).unwrap_or(Reach::Here);
    let has_role = source.has(fields, "role");
    let message = MessageRule::read(source, fields);
    let session = source.map(fields, "session").map(|fields| SessionRule::read(source, fields));
    let request = source.map(fields, "request").map(|fields| RequestRule::read(source, fields));
    let rule = Rule {
        when,
        reach,
        conversation: path(source, fields, "conversation").map(ConversationRule::new),
        session,
        message: has_role.then_some(message),
        request,
        facts: OtherFacts::read(source, fields),
        interrupts: source.flag(fields, "interrupted"),
        parts: parts(source, fields),
        rules: list(source, fields, depth),
        also: rules(source, fields, "also", depth + 1),
    };
    let skips = source.flag(fields, "skip");
    if skips == rule.yields_anything() {
        let place = source.place_of(fields);
        let message = if skips {
            "skip: true, and something to show: remove one of them"
        } else {
            "a rule that shows nothing; if that is meant, write skip: true"
        };
        source.fault(place, message);
    }
    source.finish(fields);
    rule
}

fn list(source: &mut Source, fields: &mut Fields, depth: usize) -> RuleList {
    let recursive = source.items(fields, "rules").into_iter().find_map(|item| match item {
        Item::Word(word) => Some(word),
        Item::Map(_) => None,
    });
    match recursive {
        Some(word) => {
            one_of(source, &word, "rules", &[("records", ())]);
            RuleList::Records
        }
        None => RuleList::Own(rules(source, fields, "rules", depth + 1)),
    }
}

impl RuleList {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, RuleList::Own(rules) if rules.is_empty())
    }
}

impl Rule {
    fn yields_anything(&self) -> bool {
        let parts = &self.parts;
        self.conversation.is_some()
            || self.session.is_some()
            || self.message.is_some()
            || self.request.is_some()
            || !self.facts.is_empty()
            || self.interrupts
            || !(parts.reasoning.is_empty() && parts.content.is_empty() && parts.show.is_empty())
            || parts.parts.is_some()
            || parts.message.is_some()
            || parts.call.is_some()
            || !parts.known_calls.is_empty()
            || parts.result.is_some()
            || parts.error.is_some()
            || parts.unknown.is_some()
            || !self.rules.is_empty()
            || !self.also.is_empty()
    }
}

impl MessageRule {
    /// Reads the members of a rule, or of the defaults, that describe a message.
    pub(super) fn read(source: &mut Source, fields: &mut Fields) -> Self {
        Self {
            role: Choice::read(source, fields, "role", |source, word| Some(role(source, word))),
            origin: Choice::read(source, fields, "origin", |source, word| one_of(source, word, "origin", &ORIGINS)),
            joins: source.flag(fields, "joins"),
            properties: MessageProperties {
                time: path(source, fields, "time"),
                id: path(source, fields, "id"),
                parent: path(source, fields, "parent"),
                model: path(source, fields, "model"),
                label: path(source, fields, "label"),
                outside: path(source, fields, "outside"),
            },
        }
    }
}

/// A role, `none`, or a path to one; a member called like a role has a point before it.
fn role(source: &mut Source, word: &Word) -> RoleSource {
    match word.text.as_str() {
        "none" => RoleSource::Fixed(None),
        "system" => RoleSource::Fixed(Some(MessageRole::System)),
        "user" => RoleSource::Fixed(Some(MessageRole::User)),
        "assistant" => RoleSource::Fixed(Some(MessageRole::Assistant)),
        "tool" => RoleSource::Fixed(Some(MessageRole::Tool)),
        text => {
            let text = text.strip_prefix('.').unwrap_or(text).to_owned();
            RoleSource::At(Path::parse(&Word { text, place: word.place }, source))
        }
    }
}

fn parts(source: &mut Source, fields: &mut Fields) -> PartRules {
    let (mut known_calls, mut call) = (Vec::new(), None);
    for item in source.items(fields, "call") {
        match item {
            Item::Word(word) => {
                known_calls.push(KnownCall { at: Path::parse(&word, source), outcome: Choice::default() });
            }
            Item::Map(mut map) => {
                if source.has(&mut map, "known") {
                    known_calls.extend(known_call(source, map));
                } else {
                    call = Some(call_rule(source, map));
                }
            }
        }
    }
    let result = source.map(fields, "result").map(|map| result_rule(source, map));
    let show = source.named_texts(fields, "show");
    PartRules {
        reasoning: paths(source, fields, "reasoning"),
        content: paths(source, fields, "content"),
        element: source.text(fields, "element").map(|word| word.text.into()),
        parts: path(source, fields, "parts"),
        message: path(source, fields, "message"),
        known_calls,
        call,
        result,
        show: show.into_iter().map(|(label, word)| (label.map(Into::into), Path::parse(&word, source))).collect(),
        unknown: path(source, fields, "unknown"),
        error: error(source, fields),
    }
}

fn known_call(source: &mut Source, mut fields: Fields) -> Option<KnownCall> {
    let at = path(source, &mut fields, "known");
    let outcome = outcome(source, &mut fields);
    source.finish(&fields);
    Some(KnownCall { at: at?, outcome })
}

fn error(source: &mut Source, fields: &mut Fields) -> Option<ErrorRule> {
    let reports = [
        ("file", "the file records an error"),
        ("program", "the program reports an error"),
        ("provider", "the provider reports an error"),
    ];
    let report = source.choice(fields, "error_from", &reports);
    path(source, fields, "error").map(|at| ErrorRule { at, report })
}

fn outcome(source: &mut Source, fields: &mut Fields) -> Choice<CallOutcome> {
    Choice::read(source, fields, "outcome", |source, word| one_of(source, word, "outcome", &OUTCOMES))
}

fn call_rule(source: &mut Source, mut fields: Fields) -> CallRule {
    let fields = &mut fields;
    let name = source.required(fields, "name", "the path of the tool's name");
    let rule = CallRule {
        when: Conditions::read(source, fields, "when"),
        each: path(source, fields, "each"),
        id: path(source, fields, "id"),
        name: name.map(|name| Path::parse(&name, source)),
        otherwise: source.text(fields, "otherwise").map_or_else(|| "tool".into(), |word| word.text.into()),
        arguments: path(source, fields, "arguments"),
        encoded: source.flag(fields, "encoded"),
        outcome: outcome(source, fields),
    };
    source.finish(fields);
    rule
}

fn result_rule(source: &mut Source, mut fields: Fields) -> ResultRule {
    let fields = &mut fields;
    let rule = ResultRule {
        when: Conditions::read(source, fields, "when"),
        each: path(source, fields, "each"),
        call: path(source, fields, "call"),
        content: paths(source, fields, "content"),
        failed: path(source, fields, "failed"),
        succeeded: path(source, fields, "succeeded"),
        outcome: outcome(source, fields),
    };
    source.finish(fields);
    rule
}
