//! Reads the records of a file by the rules of a declaration.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use super::content::{self, CallOrder};
use super::declaration::{ContainerDeclaration, Tree};
use super::facts::{self, words};
use super::path::Scope;
use super::rule::{MessageRule, Reach, RoleSource, Rule, RuleList};
use crate::container::facts::{Fact, Origin, RequestFacts, SessionFact, SessionState};
use crate::container::json::{JsonKind, JsonValue};
use crate::container::messages::{parts_of, role as role_of_content, unknown};
use crate::container::prompt_history::PromptHistory;
use crate::container::record_ids::RecordIds;
use crate::container::unread_text::unless_shown;
use crate::container::writer::TextWriter;
use crate::container::{CallSource, ContainerEvent, JsonRecord, Message, MessageRole, RecordReader};

/// The reader of a file in a declared container.
pub(super) struct DeclaredReader {
    declaration: &'static ContainerDeclaration,
    /// The session's model and effort so far.
    usual: RequestFacts,
    /// Role of the open message, and true if it is outside the conversation.
    open: Option<(Option<MessageRole>, bool)>,
    calls: CallOrder,
    ids: RecordIds,
    repeated: PromptHistory,
    /// Facts of the session as last stated, by kind, so that records which repeat them state nothing.
    stated: HashMap<SessionFactKind, SessionFact>,
    /// Id and parent of the current record in a tree, until a message takes them.
    link: Option<(Box<str>, Option<Box<str>>)>,
}

impl DeclaredReader {
    pub(super) fn new(declaration: &'static ContainerDeclaration) -> Self {
        Self {
            declaration,
            usual: RequestFacts::default(),
            open: None,
            calls: CallOrder::new(declaration.calls == CallSource::Records),
            ids: RecordIds::default(),
            repeated: PromptHistory::default(),
            stated: HashMap::new(),
            link: None,
        }
    }

    /// Takes a record, or a member of one that arrived alone.
    fn root(&mut self, scope: &Scope<'_, '_>, out: &mut TextWriter) {
        if let Some(session) = &self.declaration.session {
            self.session(session, scope, out);
        }
        if let Some(tree) = &self.declaration.tree
            && !self.node(tree, scope, out)
        {
            return;
        }
        let is_known = self.first_of(&self.declaration.records, scope, out);
        if !is_known && scope.member.is_none() {
            out.end();
            self.open = None;
            unknown(scope.value, out);
        }
        self.end_node(out);
    }

    /// Takes the record's place in the tree; returns false if it repeats an earlier one.
    fn node(&mut self, tree: &Tree, scope: &Scope<'_, '_>, out: &mut TextWriter) -> bool {
        let Some(id) = tree.id.words(scope).filter(|_| tree.when.hold(scope)) else { return true };
        let parent = words(tree.parent.as_ref(), scope);
        let is_new = self.ids.take(&id, parent.as_deref(), scope.value.source(), out);
        self.link = is_new.then_some((id, parent));
        is_new
    }

    /// A record without a message is a node between others.
    fn end_node(&mut self, out: &mut TextWriter) {
        if let Some((id, parent)) = self.link.take() {
            out.event(ContainerEvent::Link { id: id.clone(), parent });
            if self.declaration.tree.as_ref().is_some_and(|tree| tree.last_is_leaf) {
                out.event(ContainerEvent::Active(id));
            }
        }
    }

    /// Applies the first rule that fits; returns false if none does.
    fn first_of(&mut self, rules: &[Rule], scope: &Scope<'_, '_>, out: &mut TextWriter) -> bool {
        let found = rules.iter().find(|rule| rule.when.hold(scope));
        if let Some(rule) = found {
            self.apply(rule, scope, out);
        }
        found.is_some()
    }

    fn apply(&mut self, rule: &Rule, scope: &Scope<'_, '_>, out: &mut TextWriter) {
        match &rule.reach {
            Reach::Here => self.body(rule, scope, scope, out),
            Reach::At(path) => path.with_value(scope, &mut |value| self.body(rule, &scope.inner(value), scope, out)),
            Reach::Each(path) => content::each(Some(path), scope, &mut |inner| {
                let before = out.yielded();
                self.body(rule, inner, inner, out);
                if out.yielded().messages > before.messages {
                    unless_shown(inner.value, before, out);
                }
            }),
        }
    }

    /// Writes what a rule says of a value; defaults of messages are relative to `base`.
    fn body(&mut self, rule: &Rule, scope: &Scope<'_, '_>, base: &Scope<'_, '_>, out: &mut TextWriter) {
        if let Some(conversation) = &rule.conversation {
            out.conversation(words(conversation.title.as_ref(), scope));
            self.open = None;
            self.calls.begin();
            self.repeated.begin();
            self.usual = RequestFacts::default();
        }
        if let Some(session) = &rule.session {
            self.session(session, scope, out);
        }
        let before = out.yielded();
        if let Some(message) = &rule.message {
            self.message(message, rule, scope, base, out);
        }
        let role = self.open.and_then(|(role, _)| role);
        let is_aside = self.open.is_some_and(|(_, is_outside)| is_outside);
        if let Some(request) = &rule.request
            && let Some(facts) = request.request(scope, &self.usual, is_aside)
        {
            out.fact(Fact::Request(facts));
        }
        rule.facts.write(scope, out);
        if rule.interrupts {
            out.fact(Fact::State(SessionState::Interrupted));
        }
        for path in &rule.parts.reasoning {
            path.with_value(scope, &mut |value| content::write_reasoning(value, out));
        }
        for path in &rule.parts.content {
            path.with_value(scope, &mut |value| self.content(rule, value, scope, role, out));
        }
        content::write(&rule.parts, scope, role, &mut self.calls, out);
        content::write_others(&rule.parts, scope, out);
        if !rule.rules.is_empty() {
            let records;
            let rules = match &rule.rules {
                RuleList::Own(rules) => rules,
                RuleList::Records => {
                    records = &self.declaration.records;
                    records
                }
            };
            if !self.first_of(rules, scope, out) {
                unknown(scope.value, out);
            }
        }
        for also in &rule.also {
            if also.when.hold(scope) {
                self.apply(also, scope, out);
            }
        }
        if rule.message.is_some() {
            unless_shown(scope.value, before, out);
        }
    }

    /// Writes content: text, a part, or a list of parts; the declaration may have rules for parts.
    fn content(
        &mut self,
        rule: &Rule,
        value: JsonValue<'_>,
        scope: &Scope<'_, '_>,
        role: Option<MessageRole>,
        out: &mut TextWriter,
    ) {
        match value.kind() {
            JsonKind::Array => value.items().for_each(|item| self.content(rule, item, scope, role, out)),
            JsonKind::Object => {
                let inner = scope.inner(value);
                if !self.first_of(&self.declaration.blocks, &inner, out) {
                    parts_of(value, role, out);
                }
            }
            JsonKind::Text | JsonKind::Word => match &rule.parts.element {
                Some(element) if value.kind() == JsonKind::Text => content::write_element(element, value, role, out),
                _ => parts_of(value, role, out),
            },
        }
    }

    fn session(&mut self, rule: &facts::SessionRule, scope: &Scope<'_, '_>, out: &mut TextWriter) {
        out.session_id(|| words(rule.id.as_ref(), scope));
        let usual = &mut self.usual;
        usual.model = words(rule.model.as_ref(), scope).or_else(|| usual.model.take());
        usual.effort = words(rule.effort.as_ref(), scope).or_else(|| usual.effort.take());
        let stated = &mut self.stated;
        rule.facts(scope, &mut |fact| {
            let kind = kind_of(&fact);
            if stated.get(&kind) != Some(&fact) {
                stated.insert(kind, fact.clone());
                out.fact(Fact::Session(fact));
            }
        });
    }

    fn message(
        &mut self,
        rule: &MessageRule,
        whole: &Rule,
        scope: &Scope<'_, '_>,
        base: &Scope<'_, '_>,
        out: &mut TextWriter,
    ) {
        let usual = &self.declaration.message;
        let role = self.role(rule, whole, scope);
        let (own, other) = (&rule.properties, &usual.properties);
        let property = |own: &Option<super::path::Path>, other: &Option<super::path::Path>| {
            words(own.as_ref(), scope).or_else(|| words(other.as_ref(), base))
        };
        let is_outside =
            own.outside.as_ref().map(|path| (path, scope)).or(other.outside.as_ref().map(|path| (path, base)));
        let is_outside = is_outside
            .and_then(|(path, scope)| path.value(scope))
            .is_some_and(|value| value.truth().unwrap_or_else(|| !value.is_void()));
        let time = facts::time(own.time.as_ref(), scope).or_else(|| facts::time(other.time.as_ref(), base));
        if (rule.joins || usual.joins) && self.open == Some((role, is_outside)) && role != Some(MessageRole::User) {
            return out.time(time);
        }
        let origin = rule.origin.pick(scope).or_else(|| usual.origin.pick(base)).copied();
        let mut origin = origin.filter(|_| role == Some(MessageRole::User)).unwrap_or_default();
        if self.declaration.repeats && self.repeated.origin(scope.value) == Origin::Repeated {
            origin = Origin::Repeated;
        }
        let (id, parent) = match self.link.take() {
            Some((id, parent)) => (Some(id), parent),
            None => (property(&own.id, &other.id), property(&own.parent, &other.parent)),
        };
        let model = property(&own.model, &other.model).or_else(|| self.usual.model.clone());
        out.message(Message {
            role,
            time,
            model: model.filter(|_| role == Some(MessageRole::Assistant)),
            id,
            parent,
            is_outside,
            origin,
            label: property(&own.label, &other.label),
            ..Message::default()
        });
        self.open = Some((role, is_outside));
    }

    /// The role of a message; one that has only results in its content is the tool's.
    fn role(&self, rule: &MessageRule, whole: &Rule, scope: &Scope<'_, '_>) -> Option<MessageRole> {
        match rule.role.pick(scope)? {
            RoleSource::Fixed(role) => *role,
            RoleSource::At(path) => {
                let word = path.words(scope)?;
                let declared = self.declaration.roles.iter().find(|(name, _)| **name == *word);
                let named = declared.map_or_else(|| MessageRole::named(&word), |(_, role)| *role);
                let of_content =
                    whole.parts.message.as_ref().and_then(|path| path.value(scope)).and_then(role_of_content);
                if of_content == Some(MessageRole::Tool) { of_content } else { named }
            }
        }
    }
}

/// A kind of facts of which a later one replaces an earlier one.
type SessionFactKind = (Discriminant<SessionFact>, u8);

/// The kind of a fact; titles and links of different kinds do not replace each other.
fn kind_of(fact: &SessionFact) -> SessionFactKind {
    let subkind = match fact {
        SessionFact::Title(_, kind) => *kind as u8,
        SessionFact::Link(relation, _) => *relation as u8,
        _ => 0,
    };
    (discriminant(fact), subkind)
}

impl RecordReader for DeclaredReader {
    fn streamed_keys(&self) -> &'static [&'static str] {
        self.declaration.streamed
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        self.declaration.whole
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let Some(key) = record.member else { return self.root(&Scope::record(record.value), out) };
        if !self.declaration.streamed.contains(&key) {
            return self.root(&Scope::of_member(key, record.value), out);
        }
        // An element of a list that is read as it arrives: the rules for each of its elements apply.
        let scope = Scope::record(record.value);
        let declaration = self.declaration;
        for rule in declaration.records.iter().flat_map(|rule| std::iter::once(rule).chain(&rule.also)) {
            if let Reach::Each(path) = &rule.reach
                && path.only_key() == Some(key)
            {
                self.body(rule, &scope, &scope, out);
            }
        }
    }

    fn close(&mut self, _out: &mut TextWriter) {
        self.open = None;
        self.calls.begin();
    }
}
