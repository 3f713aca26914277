//! Plain text output: prose, then each call as a tree with its problems below it.
//!
//! Only values are changed to fit: they are wrapped, and invisible characters become visible symbols. Each row of a
//! value is after a bar or in quotation marks, so that a value cannot be mistaken for a part of the tree.
//! [`linear`](super::linear) uses the same trees without a frame, on lines of any length.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::diagnostic::Severity;
use crate::document::graph::{Fate, Graph, SkipReason};
use crate::document::{Call, CallResult, Item, Message, SideRecord};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::colour_codes::{ColourCodes, bytes_without, without};
use crate::text::sanitize::{is_plain_ascii, visible, visible_str};
use crate::text::wrap::{cells, display_width, wrap};
use crate::text::{Span, TextRange, Walk, trim_end};
use crate::value::coerce::number_text;
use crate::value::{Assembly, CallExtras, NodeId, ParamTree, ROOT, Scalar, Value};

use super::notes::{self, NoteLine};
use crate::wording::{WITHDRAWN, count, ending, filter_line, message_labels, problems_by_item, sign};

/// Minimum width of a row in columns.
const MIN_WIDTH: usize = 20;

/// Writes a completely read transcript or a selection of it, in rows of at most `width` columns.
pub fn write<W: Write>(out: &mut W, session: &Session, width: usize, selection: Option<&Selection>) -> io::Result<()> {
    let mut page = TextPrinter { out, frame: &DRAWN, width: width.max(MIN_WIDTH), begun: false };
    let items = session.document().items();
    let mut problems = problems_by_item(session).into_iter().peekable();
    let (mut walk, mut noted) = (Walk::default(), Walk::default());
    let mut messages = session.document().messages().iter().enumerate().peekable();
    let graph = session.graph();
    if let Some(selection) = selection {
        page.block(["", "  "], visible_str(&filter_line(selection)).as_bytes())?;
        page.begun = true;
    }
    let mut heading = None;
    for (number, item) in items.iter().enumerate() {
        while let Some(message) = messages.next_if(|(_, message)| message.start <= item.span().start) {
            if selection.is_none() {
                page.message(session, message.0, &message.1)?;
            } else {
                heading = Some(message);
            }
        }
        if selection.is_some_and(|selection| !selection.contains(number)) {
            while problems.next_if(|(item, _)| *item == number).is_some() {}
            continue;
        }
        if let Some((number, message)) = heading.take() {
            page.message(session, number, &message)?;
        }
        if session.document().is_withdrawn(number) && !is_blank(session, &item) {
            page.withdrawn()?;
        }
        match item {
            Item::Text(span) => page.write_lines(session, span, "", ColourCodes::Pictured)?,
            Item::Call(call) => page.call(session, &graph, number, &call)?,
            Item::Result(answer) => page.answer(session, &answer)?,
            Item::Aside(aside) => page.aside(session, &aside)?,
        }
        for note in notes::of_item(session, number, &mut noted) {
            page.note(&note)?;
        }
        while let Some((_, problem)) = problems.next_if(|(item, _)| *item == number) {
            page.problem(session, problem as usize, &mut walk)?;
        }
    }
    // An empty text has no item, but can have problems.
    for (_, problem) in problems.filter(|_| selection.is_none()) {
        page.problem(session, problem as usize, &mut walk)?;
    }
    let lost = if selection.is_none() { notes::lost(session) } else { Vec::new() };
    if !lost.is_empty() {
        page.gap()?;
        page.line(notes::LOST)?;
    }
    lost.iter().try_for_each(|note| page.note(note))
}

/// True if an item is whitespace-only text.
pub(super) fn is_blank(session: &Session, item: &Item<'_>) -> bool {
    matches!(item, Item::Text(span) if trim_end(&session.text().read(*span)) == 0)
}

/// Writes rows to an output.
pub(super) struct TextPrinter<'a, W> {
    out: &'a mut W,
    frame: &'static Frame,
    width: usize,
    /// True if something was written, so that a blank line must precede the next block.
    begun: bool,
}

/// Prefixes of rows.
struct Frame {
    /// A result: first row, and other rows.
    outcome: [&'static str; 2],
    /// A node of a tree: with following siblings, and last.
    branch: [&'static str; 2],
    /// Children of such a node.
    below: [&'static str; 2],
    /// The lines of a value.
    value: &'static str,
    /// A problem: first row, in which `?` is replaced by its sign, and other rows.
    problem: [&'static str; 2],
    /// Help of a problem: first row, and other rows.
    help: [&'static str; 2],
}

const DRAWN: Frame = Frame {
    outcome: ["⇒ ", "  "],
    branch: ["├─ ", "└─ "],
    below: ["│  ", "   "],
    value: "┃ ",
    problem: ["  ? ", "      "],
    help: ["    ", "      "],
};

/// Text only: transcope's own text begins in the first column, text of the file does not.
const LINEAR: Frame = Frame {
    outcome: ["result ", INDENT],
    branch: [INDENT; 2],
    below: [INDENT; 2],
    value: INDENT,
    problem: [""; 2],
    help: [""; 2],
};

/// Indentation of text of the file, where there is no frame.
const INDENT: &str = "  ";

/// Width of a line that is never wrapped.
const UNWRAPPED: usize = usize::MAX / 8;

impl<'a, W: Write> TextPrinter<'a, W> {
    /// Creates a printer for unwrapped lines without a frame.
    pub(super) fn linear(out: &'a mut W) -> Self {
        Self { out, frame: &LINEAR, width: UNWRAPPED, begun: false }
    }

    /// Writes a line of transcope's own text.
    pub(super) fn line(&mut self, words: &str) -> io::Result<()> {
        self.block([""; 2], words.as_bytes())
    }

    /// Writes a line of the file.
    pub(super) fn quoted(&mut self, line: &[u8]) -> io::Result<()> {
        self.block([INDENT; 2], line)
    }

    fn is_linear(&self) -> bool {
        self.width == UNWRAPPED
    }

    fn gap(&mut self) -> io::Result<()> {
        let is_linear = self.is_linear();
        if std::mem::replace(&mut self.begun, !is_linear) { writeln!(self.out) } else { Ok(()) }
    }

    /// Writes the speaker and other labels of a message.
    fn message(&mut self, session: &Session, number: usize, message: &Message) -> io::Result<()> {
        if !session.is_decoded() {
            return Ok(());
        }
        self.gap()?;
        let words = visible_str(&message_labels(session, number, message).join(" · ")).into_owned();
        self.block(["── ", "   "], words.as_bytes())
    }

    fn withdrawn(&mut self) -> io::Result<()> {
        self.gap()?;
        self.begun = false;
        self.row(&format!("({WITHDRAWN})"), b"")
    }

    fn answer(&mut self, session: &Session, answer: &CallResult<'_>) -> io::Result<()> {
        self.gap()?;
        let text = session.text();
        let call = answer.call.and_then(|(item, _)| session.document().call(item));
        let name = call.map_or_else(String::new, |call| format!("{} ", call.name(text)));
        let id = answer.id.map(|id| id.text(text)).or_else(|| Some(call?.id(text))).unwrap_or_else(|| "a call".into());
        let words = match (answer.verdict.label(), answer.call) {
            ("", Some(_)) => format!("{name} {id}"),
            ("", None) => format!("{id}  (no such call)"),
            (words, _) => format!("{name} {id}  ({words})"),
        };
        self.block(self.frame.outcome, visible_str(&words).as_bytes())?;
        self.begun = false;
        self.write_lines(session, answer.span, self.frame.outcome[1], ColourCodes::Dropped)?;
        self.begun = true;
        Ok(())
    }

    /// Writes reasoning or a record outside the conversation.
    fn aside(&mut self, session: &Session, aside: &SideRecord<'_>) -> io::Result<()> {
        self.gap()?;
        let words = format!("({})", visible_str(aside.name.unwrap_or("reasoning")));
        self.block(["", ""], words.as_bytes())?;
        self.begun = false;
        self.write_lines(session, aside.span, "  ", ColourCodes::Dropped)?;
        self.begun = true;
        Ok(())
    }

    /// Writes indented lines without leading and trailing blank lines.
    pub(super) fn write_lines(
        &mut self,
        session: &Session,
        span: Span,
        lead: &str,
        colour_codes: ColourCodes,
    ) -> io::Result<()> {
        let text = session.text();
        let (mut rest, mut begun) = (TextRange::new(text, span).trimmed_end(), false);
        while !rest.is_empty() {
            let piece = rest.split_lines();
            let read = text.read(piece);
            let bytes = match colour_codes {
                ColourCodes::Dropped => bytes_without(&read),
                ColourCodes::Pictured => Cow::Borrowed(&*read),
            };
            let end =
                if rest.is_empty() { trim_end(&bytes) } else { bytes.strip_suffix(b"\n").unwrap_or(&bytes).len() };
            let mut blank = 0;
            if !begun {
                blank = bytes[..end].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
                if blank == end {
                    continue;
                }
                self.gap()?;
                begun = true;
            }
            for line in bytes[blank..end].split(|&byte| byte == b'\n') {
                self.block([lead, lead], line.strip_suffix(b"\r").unwrap_or(line))?;
            }
        }
        Ok(())
    }

    fn call(&mut self, session: &Session, graph: &Graph, number: usize, call: &Call<'_>) -> io::Result<()> {
        let text = session.text();
        let node = graph.node_of(number);
        let assembly = session.dissect(number).unwrap_or_default();
        self.gap()?;
        let mut head = format!("{}  {}", call.name(text), call.id(text));
        let dependencies = call.dependencies(text);
        if !dependencies.is_empty() {
            head.push_str("  ← ");
            head.push_str(&dependencies.join(", "));
        }
        for words in ending(call) {
            head.extend(["  (", words, ")"]);
        }
        match node.map(|node| graph.nodes[node].fate) {
            Some(Fate::Skipped(SkipReason::BlockedBy(_))) => {
                let reason = node.and_then(|node| graph.skip_reason(node, &session.labels())).unwrap_or_default();
                head.extend(["  (skipped)  ", &reason]);
            }
            // The call's problem states the reason.
            Some(Fate::Skipped(_)) => head.push_str("  (skipped)"),
            Some(Fate::Runs(_) | Fate::Fails | Fate::Withdrawn) | None => {}
        }
        self.block(["● ", "    "], visible_str(&head).as_bytes())?;
        self.parameters(session, &assembly)
    }

    /// Writes the parameters of a call, and the outcome that it carries.
    pub(super) fn parameters(&mut self, session: &Session, assembly: &Assembly) -> io::Result<()> {
        let tree = &assembly.tree;
        // Usually the members of an object, but the whole input may be a scalar.
        match tree.node(ROOT).value {
            Value::Scalar(..) => self.node(session, tree, ROOT, self.frame.branch[1], self.frame.below[1])?,
            _ => self.children(session, tree, ROOT, "")?,
        }
        match &assembly.outcome {
            Some(outcome) => self.outcome(session, outcome),
            None => Ok(()),
        }
    }

    fn outcome(&mut self, session: &Session, outcome: &CallExtras) -> io::Result<()> {
        let [first, rest] = self.frame.outcome;
        if let Some(state) = &outcome.state {
            self.block([first, rest], format!("state: {}", visible_str(state)).as_bytes())?;
        }
        for (label, tree) in [("output", &outcome.output), ("extra", &outcome.extra)] {
            let Some(tree) = tree else { continue };
            let mut tree = tree.clone();
            tree.node_mut(ROOT).key = label.into();
            self.node(session, &tree, ROOT, first, rest)?;
            self.children(session, &tree, ROOT, rest)?;
        }
        if let Some(error) = &outcome.error_text {
            self.block([first, rest], format!("error: \"{}\"", visible_str(&without(error))).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the children of a node; `lead` is the frame to the left. Recursive, as trees have a limited depth.
    fn children(&mut self, session: &Session, tree: &ParamTree, id: NodeId, lead: &str) -> io::Result<()> {
        let children = tree.node(id).value.children();
        for (index, &child) in children.iter().enumerate() {
            let last = usize::from(index + 1 == children.len());
            let own = format!("{lead}{}", self.frame.branch[last]);
            // Stops indenting very deep trees, to leave space for values.
            let deeper = display_width(lead.as_bytes()) + 3 <= self.width / 2;
            let below = if deeper { format!("{lead}{}", self.frame.below[last]) } else { lead.to_owned() };
            self.node(session, tree, child, &own, &below)?;
            self.children(session, tree, child, &below)?;
        }
        Ok(())
    }

    fn node(&mut self, session: &Session, tree: &ParamTree, id: NodeId, own: &str, below: &str) -> io::Result<()> {
        let node = tree.node(id);
        let key = visible_str(&node.key);
        let indent = [own, below];
        let Value::Scalar(scalar, span) = &node.value else {
            let brackets = match (&node.value, node.value.children().is_empty()) {
                (Value::Array(_), true) => ": []",
                (_, true) => ": {}",
                _ if self.is_linear() => ":",
                _ => "",
            };
            return self.block(indent, format!("{key}{brackets}").as_bytes());
        };
        let words = tree.scalar_text(id, session.text());
        // Shows undecoded text byte by byte, so that invalid UTF-8 is visible.
        let bytes = match node.decoded {
            Some(_) => Cow::Borrowed(words.as_bytes()),
            None => session.text().read(*span),
        };
        let bytes = bytes_without(&bytes);
        let short = match scalar {
            Scalar::Number(number) => Some(Cow::Owned(number_text(*number))),
            Scalar::Boolean(boolean) => Some(Cow::Borrowed(if *boolean { "true" } else { "false" })),
            Scalar::Null => Some(Cow::Borrowed("null")),
            Scalar::String if bytes.contains(&b'\n') || bytes.len() > self.width * 4 => None,
            Scalar::String => Some(Cow::Owned(format!("\"{}\"", visible(&bytes)))),
        };
        if let Some(short) = short {
            let row = if id == ROOT && key.is_empty() { short.into_owned() } else { format!("{key}: {short}") };
            let room = self.width.saturating_sub(display_width(own.as_bytes()));
            if !matches!(scalar, Scalar::String) || display_width(row.as_bytes()) <= room {
                return self.block(indent, row.as_bytes());
            }
        }
        let mut row = format!("{key}:");
        if self.is_linear() {
            // Without a frame, the number of lines tells where a value ends.
            row.extend([" text of ", &count(bytes.split(|&byte| byte == b'\n').count(), "line")]);
        }
        self.block(indent, row.as_bytes())?;
        let bar = format!("{below}{}", self.frame.value);
        for line in bytes.split(|&byte| byte == b'\n') {
            self.block([&bar, &bar], line)?;
        }
        Ok(())
    }

    /// Writes a problem and its help. Skips the note on a failed call, as the result reports the failure.
    pub(super) fn problem(&mut self, session: &Session, number: usize, walk: &mut Walk) -> io::Result<()> {
        let found = session.document().diagnostics().get(number);
        let Some(problem) = found.filter(|found| found.severity != Severity::Note) else { return Ok(()) };
        let first = self.frame.problem[0].replace('?', &sign(problem.severity).to_string());
        self.begun = !self.is_linear();
        let place = session.place_of_problem(walk, &problem);
        let words = format!(
            "{} {}:{} {}: {}",
            problem.severity.word(),
            place.line,
            place.column,
            problem.code.name(),
            visible_str(&problem.message)
        );
        self.block([&first, self.frame.problem[1]], words.as_bytes())?;
        let help = format!("help: {}", visible_str(&problem.help_text()));
        self.block(self.frame.help, help.as_bytes())
    }

    /// Writes a user's note on the item above.
    fn note(&mut self, note: &NoteLine) -> io::Result<()> {
        self.begun = true;
        let first = format!("  {} ", notes::SIGN);
        self.block([&first, "    "], format!("note {}", visible_str(&note.text())).as_bytes())
    }

    /// Writes one line of text, wrapped, with a prefix for the first row and one for the others.
    fn block(&mut self, [first, rest]: [&str; 2], line: &[u8]) -> io::Result<()> {
        let widest = display_width(first.as_bytes()).max(display_width(rest.as_bytes()));
        let room = self.width.saturating_sub(widest).max(1);
        let plain = is_plain_ascii(line);
        if plain && line.len() <= room {
            return self.row(first, line);
        }
        for (number, row) in wrap(line, room).into_iter().enumerate() {
            let lead = if number == 0 { first } else { rest };
            let bytes = &line[row.start..row.end];
            if plain {
                self.row(lead, bytes)?;
            } else {
                let shown: String = cells(bytes, 0).map(|glyph| glyph.text).collect();
                self.row(lead, shown.as_bytes())?;
            }
        }
        Ok(())
    }

    fn row(&mut self, lead: &str, shown: &[u8]) -> io::Result<()> {
        let shown = shown.trim_ascii_end();
        let lead = if shown.is_empty() { lead.trim_end() } else { lead };
        self.out.write_all(lead.as_bytes())?;
        self.out.write_all(shown)?;
        self.out.write_all(b"\n")
    }
}
