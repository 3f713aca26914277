//! Walks through a JSON text that is still arriving, and finds the objects in it that are calls.
//!
//! A call is announced as soon as no later member can change its name or id, or else at the end of its object.
//! Arguments are skipped.

use std::borrow::Cow;
use std::sync::Arc;

use super::shape::{CallContext, CallType, Form, MemberKey, ObjectFacts, Quotes, RecognisedCall};
pub(in crate::dialect) use super::shape::{Enclosure, WalkEvent};
use crate::dialect::{Expected, OpenPart, Terminator, Word};
use crate::text::{Span, Text};
use crate::value::ContainerKind;
use crate::value::json::lexer::{Strings, Token, TokenKind};
use crate::value::json::machine::{FaultKind, JsonEvent, JsonParser, is_literal};
use crate::value::json::string::read_string;
use crate::value::pointer::MAX_DEPTH;

/// Maximum number of bytes of JSON that are searched for a call, or for a call's id, before a decision is forced.
pub(in crate::dialect) const LOOK_AHEAD: usize = 16 * 1024;

#[derive(Clone, Debug)]
struct Frame {
    start: usize,
    object: bool,
    /// The key under which the container is found.
    role: MemberKey,
    /// The last key read in it.
    key: MemberKey,
    facts: ObjectFacts,
    /// False once it cannot be a call.
    alive: bool,
    /// True if only structure precedes it.
    leading: bool,
}

#[derive(Clone, Debug)]
pub(in crate::dialect) struct CallWalker {
    machine: JsonParser,
    /// Offset of the value in the transcript.
    pub(in crate::dialect) base: usize,
    frames: Vec<Frame>,
    /// Number of open containers at the current offset.
    pub(in crate::dialect) depth: usize,
    /// Depth of the container that is being skipped, and its key.
    skipped: Option<(usize, MemberKey)>,
    /// Depth of the object of the open call.
    call: Option<usize>,
    tags: Enclosure,
    /// Alternative key of the tool's name, if the dialect has one.
    name_key: Option<Arc<str>>,
    /// Key of the call's id, if the dialect has ids: a call without one is then announced at the end of its object.
    id_key: Option<Arc<str>>,
    /// True once something was seen that only calls have, so that broken JSON is tolerated.
    sure: bool,
    /// True if only structure was seen since the last call.
    leading: bool,
    /// Offset in the value at which the reach begins.
    anchor: usize,
    queue: Option<WalkEvent>,
    over: bool,
    quotes: Quotes,
}

impl CallWalker {
    /// A walker for the value that begins at `base`; `tags` tells whether call tags enclose it.
    pub(in crate::dialect) fn new(base: usize, tags: Enclosure) -> Self {
        let mut machine = JsonParser::at(0);
        let sure = tags != Enclosure::None;
        machine.allow(if sure { Strings::Lines } else { Strings::OneLine });
        Self {
            machine,
            base,
            frames: Vec::new(),
            depth: 0,
            skipped: None,
            call: None,
            tags,
            name_key: None,
            id_key: None,
            sure,
            leading: true,
            anchor: 0,
            queue: None,
            over: false,
            quotes: Quotes::InStep,
        }
    }

    /// Sets an alternative key of the tool's name, and the key of the call's id, which may follow the arguments.
    pub(in crate::dialect) fn with_keys(self, name: &Arc<str>, id: Option<&Arc<str>>) -> Self {
        Self { name_key: Some(Arc::clone(name)), id_key: id.cloned(), ..self }
    }

    /// Offset of the end of the bytes read.
    pub(in crate::dialect) fn offset(&self) -> usize {
        self.base + self.machine.offset()
    }

    /// Offset of the first byte still needed.
    pub(in crate::dialect) fn needed(&self) -> usize {
        self.base + self.machine.gone()
    }

    /// Releases the bytes already read; `bytes` begin at [`CallWalker::needed`]. Between the calls of a tagged list
    /// they are kept, because a fault there quotes them.
    pub(in crate::dialect) fn release(&mut self, bytes: &[u8]) {
        if self.quotes == Quotes::InStep && (self.call.is_some() || self.tags == Enclosure::None) {
            self.machine.release(bytes, LOOK_AHEAD, self.sure);
        }
    }

    /// Offset up to which `bytes`, which begin at [`CallWalker::needed`], surely belong to the open call when the
    /// walker waits for more: the end of the last token, unless in a value, since the next token may be a fault before
    /// other text.
    pub(in crate::dialect) fn decided(&self, bytes: &[u8]) -> usize {
        if let Quotes::Suspect(string) = self.quotes {
            return self.base + string.start;
        }
        if self.sure && self.quotes == Quotes::InStep && self.machine.is_in_value(bytes) {
            self.needed() + bytes.len()
        } else {
            self.offset()
        }
    }

    /// The completions that the open call waits for.
    pub(in crate::dialect) fn expected(&self, text: &Text) -> Expected {
        if self.machine.is_in_value(text.since(self.needed())) {
            return Expected::texts(OpenPart::Value(None), ["\""]);
        }
        Expected::one(OpenPart::Call, Terminator::Words("the } that closes its object"))
    }

    /// Number of open containers in the call, including its own object.
    pub(in crate::dialect) fn depth_in_call(&self) -> usize {
        self.call.map_or(0, |call| (self.depth + 1).saturating_sub(call))
    }

    /// Offset at which to restart a search that ran out of reach: a value that began in the second half of the reach.
    pub(in crate::dialect) fn next_try(&self) -> Option<usize> {
        let start = self.frames.get(1)?.start;
        (start >= LOOK_AHEAD / 2).then_some(self.base + start)
    }

    /// The bytes of an object that has the type of a call but no name yet.
    pub(in crate::dialect) fn nameless(&self) -> Option<Span> {
        let is_call = |frame: &&Frame| matches!(frame.facts.kind, Some(CallType::ToolUse | CallType::ResponseItem));
        let frame = self.frames.iter().rev().find(is_call)?;
        Some(Span::new(self.base + frame.start, self.offset()))
    }

    /// Continues after the object of a broken call, which ends at `end`.
    pub(in crate::dialect) fn resume(&mut self, end: usize) {
        let Some(call) = self.call.take() else { return };
        self.quotes = Quotes::InStep;
        self.depth = call - 1;
        self.machine.resume(end - self.base, self.depth);
        self.ended(end - self.base);
    }

    /// Reads up to `end` in `bytes`, which begin at [`CallWalker::needed`], without searching for calls: only brackets
    /// that close around one.
    pub(in crate::dialect) fn skip_to(&mut self, bytes: &[u8], end: usize) {
        while let Some(step) = self.machine.next(&bytes[..end - self.needed()], false) {
            self.take(step, bytes);
        }
    }

    /// The next finding in `bytes`, which begin at [`CallWalker::needed`]; `None` if more text is needed. The search
    /// for a call does not wait for a token that ends beyond [`LOOK_AHEAD`].
    pub(in crate::dialect) fn next(&mut self, bytes: &[u8], finished: bool) -> Option<WalkEvent> {
        if let Some(found) = self.queue.take() {
            return Some(found);
        }
        while !self.over {
            if self.machine.is_complete() && self.depth == 0 && self.machine.offset() > 0 {
                self.over = true;
                return Some(WalkEvent::Done(self.offset()));
            }
            let reach = if self.call.is_some() { usize::MAX } else { self.anchor + LOOK_AHEAD - self.machine.gone() };
            let within = &bytes[..bytes.len().min(reach)];
            let is_all = within.len() == bytes.len();
            match self.machine.next(within, finished && is_all) {
                Some(step) => {
                    let found = self.take(step, bytes);
                    if found.is_some() {
                        return found;
                    }
                }
                None if is_all => return None,
                None => return Some(self.out_of_reach(within)),
            }
        }
        None
    }

    fn take(&mut self, step: JsonEvent, bytes: &[u8]) -> Option<WalkEvent> {
        let suspect = self.quotes.take_suspect();
        match step {
            JsonEvent::Begin(bracket, start) => {
                self.depth += 1;
                if self.call.is_none() {
                    self.begin(bracket, start);
                }
                self.settled()
            }
            JsonEvent::Key(token) | JsonEvent::Scalar(token)
                if self.quotes != Quotes::InStep && self.machine.content(token, bytes).ends_with(b"\n{") =>
            {
                self.quotes = Quotes::Suspect(token);
                None
            }
            JsonEvent::Key(token) if self.tags == Enclosure::NamedByKey => self.key_is_name(token, bytes),
            JsonEvent::Key(token) => {
                self.key(token, bytes);
                None
            }
            JsonEvent::Scalar(token)
                if !self.sure && token.kind == TokenKind::Word && !is_literal(self.machine.content(token, bytes)) =>
            {
                self.over = true;
                Some(WalkEvent::Broken(self.base + token.start))
            }
            JsonEvent::Scalar(token) => {
                if self.call.is_none() && self.skipped.is_none() {
                    self.scalar(token, bytes);
                }
                self.settled()
            }
            JsonEvent::End(end) => self.end(end),
            JsonEvent::Fault(fault) => {
                // A fault within the string itself may come first.
                let out_of_step = suspect.filter(|string| fault.start == string.end);
                let is_stray = self.sure
                    && self.tags == Enclosure::None
                    && fault.kind == FaultKind::MissingComma
                    && fault.start.checked_sub(self.machine.gone()).and_then(|at| bytes.get(at)) == Some(&b'"');
                self.quotes = match suspect.filter(|string| fault.start < string.end) {
                    Some(string) => Quotes::Suspect(string),
                    None if is_stray => Quotes::Doubtful,
                    None => self.quotes,
                };
                let harmless = matches!(fault.kind, FaultKind::TrailingComma | FaultKind::SingleQuotes);
                if out_of_step.is_none() && !fault.is_fatal() && (self.sure || harmless) {
                    return self.is_behind_call().then_some(WalkEvent::Fault(fault));
                }
                self.over = fault.is_fatal() && self.call.is_none();
                let found = match (out_of_step, fault.kind) {
                    (Some(string), _) => WalkEvent::Broken(self.base + string.start),
                    (None, FaultKind::Truncated) => WalkEvent::Truncated,
                    _ => WalkEvent::Broken(self.base + fault.start),
                };
                if self.is_behind_call() {
                    self.over = true;
                    self.queue = Some(found);
                    return Some(WalkEvent::Fault(fault));
                }
                if self.call.is_none()
                    && let Some(call) = self.best()
                {
                    self.queue = Some(found);
                    self.over = false;
                    return Some(call);
                }
                self.over = self.call.is_none();
                Some(found)
            }
        }
    }

    /// True in a tagged list, after the end of a call.
    fn is_behind_call(&self) -> bool {
        let in_list = self.frames.last().is_some_and(|frame| !frame.object && !frame.alive);
        self.tags != Enclosure::None && self.call.is_none() && in_list
    }

    fn begin(&mut self, bracket: ContainerKind, start: usize) {
        if self.skipped.is_some() {
            return;
        }
        let object = bracket == ContainerKind::Object;
        let mut role = MemberKey::Other;
        if let Some(top) = self.frames.last_mut() {
            role = top.key;
            if top.object && role.is_arguments() {
                top.facts.arguments = Some((role, if object { Form::Object } else { Form::Array }));
            }
        }
        if (object && role.is_arguments()) || self.depth > MAX_DEPTH {
            self.skipped = Some((self.depth, role));
            return;
        }
        let leading = self.leading;
        let key = if object { MemberKey::Other } else { role };
        self.frames.push(Frame { start, object, role, key, facts: ObjectFacts::default(), alive: true, leading });
    }

    /// A call whose name is the first key of its object.
    fn key_is_name(&mut self, token: Token, bytes: &[u8]) -> Option<WalkEvent> {
        let index = self.frames.len().checked_sub(1)?;
        if self.call.is_some() || self.skipped.is_some() || !self.frames[index].object || !self.frames[index].alive {
            return None;
        }
        if self.standing(index) != CallContext::Tagged {
            return None;
        }
        let (name, _) = self.word(token, bytes);
        Some(self.open(index, RecognisedCall { name, id: None, recorded: false }))
    }

    /// A string or bare word as a part of a call, and its text.
    fn word<'a>(&self, token: Token, bytes: &'a [u8]) -> (Word, Cow<'a, str>) {
        let content = self.machine.content(token, bytes);
        let (words, is_escaped) = read_string(content);
        let start = self.base + token.start + usize::from(token.kind == TokenKind::Text);
        let span = Span::new(start, start + content.len());
        let text = match words {
            Cow::Borrowed(words) => String::from_utf8_lossy(words),
            Cow::Owned(words) => Cow::Owned(String::from_utf8_lossy(&words).into_owned()),
        };
        (if is_escaped { Word::decoded(span, &*text) } else { Word::plain(span) }, text)
    }

    fn key(&mut self, token: Token, bytes: &[u8]) {
        if self.call.is_some() {
            return;
        }
        let (key, _) = read_string(self.machine.content(token, bytes));
        if let Some((depth, role)) = self.skipped {
            if depth == self.depth
                && role == MemberKey::Parameters
                && *key == *b"properties"
                && let Some(top) = self.frames.last_mut()
            {
                top.facts.schema = true;
            }
            return;
        }
        let Some(top) = self.frames.last_mut() else { return };
        // Only in call tags: elsewhere such objects are results.
        let is = |own: &Option<Arc<str>>| own.as_deref().is_some_and(|own| own.as_bytes() == &*key);
        let is_tool_name = self.tags == Enclosure::Around && (is(&self.name_key) || *key == *b"tool_name");
        let known = if is_tool_name { MemberKey::Name } else { MemberKey::from_bytes(&key) };
        top.key = if known == MemberKey::Other && is(&self.id_key) { MemberKey::Id } else { known };
        top.facts.alien |= matches!(top.key, MemberKey::Other | MemberKey::ToolCalls) || top.key.is_link();
    }

    fn scalar(&mut self, token: Token, bytes: &[u8]) {
        let Some(top) = self.frames.last_mut() else { return };
        self.leading = false;
        if !top.object {
            return;
        }
        let is_text = token.kind == TokenKind::Text;
        if top.key.is_arguments() {
            top.facts.arguments = Some((top.key, if is_text { Form::Text } else { Form::Other }));
        }
        if !is_text || token.end - token.start > LOOK_AHEAD {
            return;
        }
        let (word, text) = self.word(token, bytes);
        let Some(top) = self.frames.last_mut() else { return };
        self.sure |= top.facts.take(top.key, word, &text);
        if self.sure {
            self.machine.allow(Strings::Lines);
        }
    }

    fn end(&mut self, end: usize) -> Option<WalkEvent> {
        let depth = self.depth;
        self.depth = self.depth.saturating_sub(1);
        if let Some(call) = self.call {
            if self.depth < call {
                self.call = None;
                self.ended(end);
                return Some(WalkEvent::End(self.base + end));
            }
            return None;
        }
        if let Some((unseen, _)) = self.skipped {
            if unseen == depth {
                self.skipped = None;
            }
            return None;
        }
        let frame = self.frames.last()?;
        let found = if frame.object && frame.alive && !frame.role.is_link() {
            frame.facts.call(self.standing(self.frames.len() - 1))
        } else {
            None
        };
        let frame = self.frames.pop()?;
        if let Some(call) = found {
            let start = self.base + frame.start;
            self.queue = Some(WalkEvent::End(self.base + end));
            self.ended(end);
            return Some(WalkEvent::Call { start, call, leading: frame.leading });
        }
        if frame.role.is_link()
            && let Some(parent) = self.frames.last_mut().filter(|parent| parent.object)
        {
            parent.facts.link = Some((frame.role, Box::new(frame.facts)));
        }
        None
    }

    /// Ends a call at `end`; the containers around it are not calls.
    fn ended(&mut self, end: usize) {
        self.frames.iter_mut().for_each(|frame| frame.alive = false);
        self.leading = true;
        self.anchor = end;
    }

    fn standing(&self, index: usize) -> CallContext {
        let around = &self.frames[..index];
        let alone = around.iter().all(|frame| !frame.object);
        let listed = around.last().is_some_and(|frame| !frame.object && frame.role == MemberKey::ToolCalls);
        match (alone, self.tags) {
            (true, Enclosure::Around | Enclosure::NamedByKey) => CallContext::Tagged,
            (true, Enclosure::None) => CallContext::Alone,
            (false, _) if listed => CallContext::Alone,
            (false, _) => CallContext::Within,
        }
    }

    /// The innermost object that is certainly a call.
    fn settled(&mut self) -> Option<WalkEvent> {
        if self.call.is_some() || !self.sure {
            return None;
        }
        let mut index = self.frames.len().checked_sub(1)?;
        let mut link = None;
        if self.frames[index].role.is_link() && index > 0 && self.frames[index].object {
            link = Some((self.frames[index].role, Box::new(self.frames[index].facts.clone())));
            index -= 1;
        }
        let frame = &mut self.frames[index];
        if !frame.object || !frame.alive {
            return None;
        }
        let held = frame.facts.link.is_some();
        if let Some(link) = link {
            frame.facts.link.get_or_insert(link);
        }
        let standing = self.standing(index);
        let call = self.frames[index].facts.settled_call(standing, self.id_key.is_some());
        if call.is_none() && !held {
            // The linked object is still open, so its facts are incomplete.
            self.frames[index].facts.link = None;
        }
        call.map(|call| self.open(index, call))
    }

    /// The innermost object that looks like a call, when no more text can be considered.
    fn best(&mut self) -> Option<WalkEvent> {
        for index in (0..self.frames.len()).rev() {
            if self.frames[index].role.is_link() && index > 0 {
                let facts = Box::new(self.frames[index].facts.clone());
                let role = self.frames[index].role;
                self.frames[index - 1].facts.link.get_or_insert((role, facts));
                continue;
            }
            let frame = &self.frames[index];
            if !frame.object || !frame.alive {
                continue;
            }
            if let Some(call) = frame.facts.call(self.standing(index)) {
                return Some(self.open(index, call));
            }
        }
        None
    }

    fn open(&mut self, index: usize, call: RecognisedCall) -> WalkEvent {
        let (start, leading) = (self.base + self.frames[index].start, self.frames[index].leading);
        self.frames.truncate(index);
        self.skipped = None;
        self.call = Some(index + 1);
        WalkEvent::Call { start, call, leading }
    }

    /// Forces a decision at the end of `bytes`, the reach: the open object is the call that it looks like, or none.
    fn out_of_reach(&mut self, bytes: &[u8]) -> WalkEvent {
        if self.skipped.is_none()
            && self.machine.is_in_value(bytes)
            && let Some(top) = self.frames.last_mut().filter(|top| top.object && top.key.is_arguments())
        {
            top.facts.arguments = Some((top.key, Form::Text));
        }
        let reached = self.machine.gone() + bytes.len();
        if let Some(call) = self.best() {
            return call;
        }
        self.frames.iter_mut().for_each(|frame| frame.alive = false);
        self.leading = false;
        self.anchor = reached;
        WalkEvent::Nothing(self.base + reached)
    }
}
