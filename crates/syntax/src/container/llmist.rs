//! Files that llmist writes into its log directories.
//!
//! ```text
//! request  = ("=== " role " ===" NL text NL NL)*     the whole history: instructions, messages, results
//! response = the model's text only
//! log      = (time TAB level TAB "[" logger "]" TAB message NL)*
//! ```
//!
//! Nothing is escaped: only the missing empty line before it distinguishes a heading inside a text. The
//! instructions hold examples of calls, and results quote anything; calls are parsed only in text of the model. The
//! transcript text contains the whole file, at the same offsets.

use super::lines::{HEAD, Lines, TakeLines, without_end};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, Message, MessagePart,
    MessageRole, ToolResult,
};

pub(super) static REQUEST: ContainerInfo = ContainerInfo {
    name: "llmist-request",
    title: "a request that llmist logged",
    calls: CallSource::Either,
    definition: Definition::Code {
        claims: |head| match head {
            FileHead::Line(line) => {
                heading(line).map(|_| Claim::Sure("its first line is a heading with a role, such as === SYSTEM ==="))
            }
            _ => None,
        },
        open: || FormatReader::Text(Box::<Lines<Sections>>::default()),
    },
};

/// A response looks like any other text of a model, and is read in the same way.
pub(super) static RESPONSE: ContainerInfo = ContainerInfo {
    name: "llmist-response",
    title: "a response that llmist logged",
    calls: CallSource::Either,
    definition: Definition::Code { claims: |_| None, open: super::plain::open },
};

pub(super) static LOG: ContainerInfo = ContainerInfo {
    name: "llmist-log",
    title: "the log of a session of llmist",
    calls: CallSource::Either,
    definition: Definition::Code {
        claims: |head| match head {
            FileHead::Line(line) => {
                entry(line).map(|_| Claim::Sure("its first line has a time, a level and a logger between tabs"))
            }
            _ => None,
        },
        open: || FormatReader::Text(Box::<Lines<Entries>>::default()),
    },
};

/// Beginning of the result of a call.
const RESULT: &[u8] = b"Result (";

fn heading(line: &[u8]) -> Option<MessageRole> {
    let word = line.strip_prefix(b"=== ")?.strip_suffix(b" ===")?;
    match word {
        b"SYSTEM" => Some(MessageRole::System),
        b"USER" => Some(MessageRole::User),
        b"ASSISTANT" => Some(MessageRole::Assistant),
        b"TOOL" => Some(MessageRole::Tool),
        _ => None,
    }
}

/// Time and label of a log entry.
fn entry(line: &[u8]) -> Option<(&str, &str)> {
    let head = std::str::from_utf8(&line[..line.len().min(HEAD)])
        .unwrap_or_else(|error| std::str::from_utf8(&line[..error.valid_up_to()]).expect("it is valid up to there"));
    let (time, rest) = head.split_once('\t')?;
    let (level, rest) = rest.split_once('\t')?;
    let logger = rest.strip_prefix('[')?.split_once("]\t")?.0;
    let digits = time.bytes().filter(u8::is_ascii_digit).count();
    let is_time = digits + 6 == time.len() && digits >= 14 && time.as_bytes().get(10) == Some(&b' ');
    let is_level = !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_uppercase());
    // Level and logger are adjacent.
    let behind_level = time.len() + 1 + level.len() + 1;
    let label = &head[time.len() + 1..behind_level + logger.len() + 2];
    (is_time && is_level).then_some((time, label))
}

/// The open section.
#[derive(Debug, Default)]
struct Sections {
    role: Option<MessageRole>,
    /// True if the section has any content.
    said: bool,
    behind_blank: bool,
}

impl TakeLines for Sections {
    fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter) {
        let behind_blank = std::mem::replace(&mut self.behind_blank, is_start && without_end(line).is_empty());
        if is_start && (behind_blank || at == 0) && heading(without_end(line)).is_some() {
            self.role = heading(without_end(line));
            self.said = false;
            out.message(Message { role: self.role, ..Message::default() });
            out.begin(MessagePart::Envelope("heading".into()));
            out.copy(line, at);
            out.end();
            return;
        }
        if !std::mem::replace(&mut self.said, true) {
            if self.role.is_none() {
                out.message(Message::default());
            }
            let id = answered(line).filter(|_| self.role == Some(MessageRole::User));
            out.begin(match id {
                Some(id) => MessagePart::Result(ToolResult::new(Some(id), None)),
                None => MessagePart::Text(Interpretation::from_role(self.role)),
            });
        }
        out.copy(line, at);
    }
}

/// The id in `Result (ID): …`.
fn answered(line: &[u8]) -> Option<Box<str>> {
    let rest = line.strip_prefix(RESULT)?;
    let end = memchr::memmem::find(rest, b"): ")?;
    Some(String::from_utf8_lossy(&rest[..end]).into())
}

/// The entries of a log; any other line belongs to the entry before it.
#[derive(Default)]
struct Entries {
    begun: bool,
}

impl TakeLines for Entries {
    fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter) {
        let found = if is_start { entry(line) } else { None };
        if found.is_some() || !self.begun {
            let (time, label) = found.unwrap_or_default();
            let told = |words: &str| (!words.is_empty()).then(|| Box::from(words.replace('\t', " ")));
            // A colon, not a period, separates the fraction from the seconds.
            let time = match time.match_indices(':').nth(2) {
                Some((at, _)) => format!("{}.{}", &time[..at], &time[at + 1..]),
                None => time.to_owned(),
            };
            out.message(Message { time: told(&time), label: told(label), ..Message::default() });
            out.begin(MessagePart::Text(Interpretation::Shown));
            self.begun = true;
        }
        out.copy(line, at);
    }
}
