//! Requests of aider to its model and the answers: `.aider.llm.history`, as `--llm-history-file` writes it.
//!
//! ```text
//! file     = (request | response)*
//! request  = "TO LLM " time NL ("-------" NL lines)*
//! response = "LLM RESPONSE " time NL lines
//! lines    = (ROLE " " words NL)*
//! ```
//!
//! Each request contains the whole history: a message that was in the request or response before it, in the same order,
//! is skipped. The program adds files in the role of the user.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::super::facts::{Fact, Origin, RequestFacts};
use super::super::lines::{Lines, TakeLines, without_end};
use super::super::writer::TextWriter;
use super::super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, Message, MessagePart,
    MessageRole, moment_of,
};
use super::edits::EditBlocks;

pub(in crate::container) static ABOUT: ContainerInfo = ContainerInfo {
    name: "aider-llm",
    title: "what aider sent to a model and got back",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| match head {
            FileHead::Line(line) if line.starts_with(REQUEST) => {
                Some(Claim::Sure("its first line says when aider sent a request"))
            }
            _ => None,
        },
        open: || FormatReader::Text(Box::<Lines<Exchanges>>::default()),
    },
};

const REQUEST: &[u8] = b"TO LLM ";

const RESPONSE: &[u8] = b"LLM RESPONSE ";

/// The line between two messages of a request.
const RULE: &[u8] = b"-------";

const ROLES: [(&[u8], MessageRole); 4] = [
    (b"SYSTEM ", MessageRole::System),
    (b"USER ", MessageRole::User),
    (b"ASSISTANT ", MessageRole::Assistant),
    (b"TOOL ", MessageRole::Tool),
];

/// Beginnings of messages that the program adds in the role of the user.
const OF_PROGRAM: [&[u8]; 5] = [
    b"I have *added these files",
    b"Here are summaries of some files",
    b"Here are some READ ONLY files",
    b"I switched to a new code base",
    b"I am not sharing any files",
];

/// The current message, which is held until it is known not to be a repetition.
#[derive(Debug, Default)]
struct HeldMessage {
    role: Option<MessageRole>,
    /// Chunks of lines without their roles: text, offset in the file, and true at the start of a line.
    stretches: Vec<(Vec<u8>, usize, bool)>,
}

struct Exchanges {
    message: HeldMessage,
    /// Time of the current request or response.
    time: Option<Box<str>>,
    /// Time of the request whose response is being read.
    sent: Option<Box<str>>,
    is_response: bool,
    hasher: RandomState,
    /// Positions of each message in the history before this request, by hash.
    before: HashMap<u64, Vec<usize>>,
    /// Number of messages of that history that were repeated and skipped.
    passed: usize,
    /// Hashes of the messages of this request and its response.
    said: Vec<u64>,
    blocks: EditBlocks,
}

impl Default for Exchanges {
    fn default() -> Self {
        Self {
            message: HeldMessage::default(),
            time: None,
            sent: None,
            is_response: false,
            hasher: RandomState::new(),
            before: HashMap::new(),
            passed: 0,
            said: Vec::new(),
            blocks: EditBlocks::without_outcomes(),
        }
    }
}

impl Exchanges {
    /// Ends the held message: it is written unless it is a repetition.
    fn end_message(&mut self, out: &mut TextWriter) {
        let HeldMessage { role, stretches } = std::mem::take(&mut self.message);
        if stretches.is_empty() {
            return;
        }
        let words: Vec<u8> = stretches.iter().flat_map(|(stretch, ..)| stretch).copied().collect();
        let hash = self.hasher.hash_one((role.map(MessageRole::word), words.trim_ascii()));
        self.said.push(hash);
        let found = self.before.get(&hash).map_or(&[][..], Vec::as_slice);
        if let Some(&found) = found.get(found.partition_point(|&place| place < self.passed)) {
            self.passed = found + 1;
            return;
        }
        let is_of_program = OF_PROGRAM.iter().any(|begin| words.trim_ascii_start().starts_with(begin));
        let origin = match role {
            Some(MessageRole::User) if is_of_program => Origin::Client,
            Some(MessageRole::User) => Origin::Prompt,
            _ => Origin::Unsaid,
        };
        out.message(Message { role, time: self.time.clone(), origin, ..Message::default() });
        if role == Some(MessageRole::Assistant) {
            for (stretch, at, is_start) in stretches {
                self.blocks.take(&stretch, at, is_start, out);
            }
            self.blocks.end(out);
            self.blocks.take_edits();
        } else {
            out.begin(MessagePart::Text(Interpretation::from_role(role)));
            for (stretch, at, _) in &stretches {
                out.copy(stretch, *at);
            }
            out.end();
        }
    }

    /// Ends the request whose response is being read, if any.
    fn end_request(&mut self, out: &mut TextWriter) {
        self.end_message(out);
        if std::mem::take(&mut self.is_response) {
            let [start, end] = [self.sent.take(), self.time.clone()].map(|time| moment_of(&time?));
            out.fact(Fact::Request(RequestFacts { start, end, ..RequestFacts::default() }));
        }
    }

    /// Begins a request or a response.
    fn begin(&mut self, time: &[u8]) {
        self.time = Some(String::from_utf8_lossy(time).trim().into());
    }
}

impl TakeLines for Exchanges {
    fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter) {
        let bare = without_end(line);
        if is_start && bare == RULE {
            return self.end_message(out);
        }
        if let Some(time) = bare.strip_prefix(REQUEST).filter(|_| is_start) {
            self.end_request(out);
            self.begin(time);
            self.before.clear();
            for (place, hash) in std::mem::take(&mut self.said).into_iter().enumerate() {
                self.before.entry(hash).or_default().push(place);
            }
            self.passed = 0;
            return;
        }
        if let Some(time) = bare.strip_prefix(RESPONSE).filter(|_| is_start) {
            self.end_request(out);
            self.sent = self.time.take();
            self.is_response = true;
            self.begin(time);
            // An answer does not repeat the messages before the request.
            self.before.clear();
            return;
        }
        let role = ROLES.iter().find(|(word, _)| is_start && line.starts_with(word));
        let skipped = role.map_or(0, |(word, _)| word.len());
        if let Some((_, role)) = role {
            if self.message.role.is_some_and(|open| open != *role) {
                self.end_message(out);
            }
            self.message.role = Some(*role);
        }
        // An empty line precedes each request.
        if role.is_some() || !is_start || !bare.is_empty() {
            self.message.stretches.push((line[skipped..].to_vec(), at + skipped, is_start));
        }
    }

    fn finish(&mut self, out: &mut TextWriter) {
        self.end_request(out);
    }

    fn held(&self) -> usize {
        self.message.stretches.iter().map(|(stretch, ..)| stretch.len()).sum()
    }
}
