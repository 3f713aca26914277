//! Edits that may remove a problem, by its kind.
//!
//! They need not be right: each is tried.

use std::cell::RefCell;
use std::rc::Rc;

use super::window::line_of;
use super::{Repair, json};
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::dialect::Closer;
use crate::document::Call;
use crate::session::Session;
use crate::text::Span;
use crate::value::{Argument, Assembly};

/// Number of words in a marker, not counting the names of HTML character references.
fn words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !matches!(*word, "" | "lt" | "gt" | "amp" | "quot")).count()
}

/// Most bytes after a call that are searched for the end of its JSON.
const LONGEST_REST: usize = 64 << 10;

/// Most bytes after an edit that are searched for the closing tag with the same name.
const LONGEST_BODY: usize = 64 << 10;

/// Least bytes of a cut tag: fewer could be any text.
const SHORTEST_TAG: usize = 4;

/// A text whose problems are examined one after another.
pub(super) struct Candidates<'a> {
    session: &'a Session,
    /// True if all of it is UTF-8. In other text, the offsets of bytes and of decoded characters differ.
    is_utf8: bool,
    /// The call dissected last: problems of one call are consecutive.
    dissected: RefCell<Option<(usize, Rc<Assembly>)>>,
    /// The JSON repaired last, with its repairs.
    json: RefCell<Option<(Span, Vec<Repair>)>>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        let text = session.text();
        let is_utf8 = std::str::from_utf8(&text.read(Span::new(0, text.len()))).is_ok();
        Self { session, is_utf8, dissected: RefCell::default(), json: RefCell::default() }
    }

    /// Edits that may remove a problem, the likeliest first.
    pub(super) fn for_problem(&self, problem: &Diagnostic) -> Vec<Repair> {
        let place = ProblemSite { session: self.session, problem, candidates: self };
        let mut found = place.remedied();
        let is_utf8 = |span| std::str::from_utf8(&self.session.text().read(span)).is_ok();
        if self.is_utf8 || is_utf8(super::allowed_span(self.session, problem)) {
            found.extend(place.by_code());
        }
        found
    }

    fn dissect(&self, item: usize) -> Option<Rc<Assembly>> {
        if let Some((_, assembly)) = self.dissected.borrow().as_ref().filter(|(known, _)| *known == item) {
            return Some(Rc::clone(assembly));
        }
        let assembly = Rc::new(self.session.dissect(item)?);
        *self.dissected.borrow_mut() = Some((item, Rc::clone(&assembly)));
        Some(assembly)
    }
}

struct ProblemSite<'a> {
    session: &'a Session,
    problem: &'a Diagnostic,
    candidates: &'a Candidates<'a>,
}

impl ProblemSite<'_> {
    fn text(&self, span: Span) -> String {
        self.session.text().read_str(span).into_owned()
    }

    /// The item that the problem is assigned to, or that contains it.
    fn item(&self) -> Option<usize> {
        self.problem.item.or_else(|| self.session.document().item_at(self.problem.span.start))
    }

    fn call(&self) -> Option<Call<'_>> {
        self.session.document().call(self.item()?)
    }

    /// The line at an offset, with its line feed.
    fn line(&self, offset: usize) -> Span {
        line_of(self.session, offset)
    }

    /// The remedy of the problem; if it renames a tag, its closing tag is renamed too.
    fn remedied(&self) -> Vec<Repair> {
        let Some(edit) = self.problem.remedy.clone() else { return Vec::new() };
        // Text next to the name of a call must not get lost; attributes, which no runtime reads, may.
        let old = self.text(edit.span);
        let is_kept = match self.problem.code {
            Code::MalformedTag => old.contains('=') || words(&edit.with) >= words(&old),
            Code::NearMissMarker => words(&edit.with) >= words(&old),
            // In JSON without an end, the call ends at the tag.
            Code::EndTagInString => !self.is_broken_json(),
            _ => true,
        };
        if !is_kept {
            return Vec::new();
        }
        let alone = Repair { edits: vec![edit.clone()] };
        let name = self.text(edit.span);
        let closing = self.call().and_then(|call| {
            let rest = Span::new(edit.span.end, call.span.end.clamp(edit.span.end, edit.span.end + LONGEST_BODY));
            let text = String::from_utf8(self.session.text().read(rest).into_owned()).ok()?;
            let tag = [format!("</{name}>"), format!(":{name}>")].into_iter().find_map(|tag| text.find(&tag))?;
            let at = rest.start + tag + text[tag..].find(&name)?;
            Some(Edit { span: Span::new(at, at + name.len()), with: edit.with.clone() })
        });
        let both = closing.map(|closing| Repair { edits: vec![edit, closing] });
        both.into_iter().chain([alone]).collect()
    }

    fn is_broken_json(&self) -> bool {
        let (document, item) = (self.session.document(), self.item());
        document.diagnostics().iter().any(|problem| problem.code == Code::BrokenJson && problem.item == item)
    }

    fn by_code(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let line = self.line(span.start);
        match self.problem.code {
            Code::UnterminatedCall | Code::ImplicitEnd | Code::HeaderWithoutNewline => self.endings(),
            Code::CalloutUnclosed => {
                let end = line.start + self.text(line).trim_end().len();
                vec![Repair::new(Span::at(end), "]"), Repair::new(Span::at(span.end), "]")]
            }
            Code::HalfWrapped => self.other_half(),
            Code::NestedTag => self.before_nested(),
            Code::UnclosedParameter | Code::MismatchedTag | Code::MalformedTag => self.tags(),
            Code::DuplicatePointer | Code::ValueReplaced => self.without_argument(),
            // A closing tag without an opening one lacks that; deleting it repairs nothing.
            Code::StrayEnd if !self.text(span).starts_with('<') => {
                let is_alone = self.text(line).trim() == self.text(span).trim();
                vec![Repair::new(if is_alone { line } else { span }, "")]
            }
            Code::TextAfterEnd | Code::MarkerMidLine | Code::MarkerOnHeaderLine | Code::GluedTag => {
                vec![Repair::new(Span::at(span.start), "\n")]
            }
            Code::ValueOnPointerLine => {
                let before = self.text(Span::new(line.start, span.start));
                let blank = before.len() - before.trim_end().len();
                vec![Repair::new(Span::new(span.start - blank, span.start), "\n")]
            }
            Code::PaddedName | Code::CaretFenceBlank | Code::CaretLeadingBlank | Code::HiddenCharacters => {
                self.without_blanks()
            }
            Code::CarriageReturnKept | Code::CalloutCarriageReturn => self.without_returns(),
            Code::ColonDependency => vec![Repair::new(span, ",")],
            Code::BrokenJson | Code::NotJson => self.json(),
            // A line without a key may have been cut off.
            Code::YamlSyntax if !self.text(line).contains([':', '-']) => Vec::new(),
            Code::YamlSyntax | Code::CalloutBodyIndented | Code::CalloutIndented | Code::IndentationKept => {
                self.indentation()
            }
            Code::CalloutLazyLine => vec![Repair::new(Span::at(line.start), "> ")],
            Code::CalloutNotSeparated => vec![Repair::new(Span::at(line.start), "\n")],
            Code::CaretUnclosedArray => self.before_end("]\n"),
            Code::CaretUnclosedValue => {
                let key = self.text(span);
                let key = key.trim_end_matches('-').trim();
                self.before_end(&format!("--- {key}\n"))
            }
            // If no id is written, the span covers the name, which must stay.
            Code::DuplicateId if self.call().is_some_and(|call| call.id.is_some_and(|id| id.span == span)) => {
                let id = self.text(span);
                (2..6).map(|number| Repair::new(span, format!("{id}_{number}"))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Appends the missing end of a call.
    fn endings(&self) -> Vec<Repair> {
        let Some(call) = self.call() else {
            return vec![Repair::new(Span::at(self.problem.span.end), "\n")];
        };
        let Some(dialect) = self.session.dialect(call.dialect) else { return Vec::new() };
        if self.ends_anywhere(&call) {
            return Vec::new();
        }
        // An end marker that takes a whole line needs a line feed before it.
        let (end, line, json) = match dialect.closer(&self.text(call.marker)) {
            Closer::Inline(end) => (end, "", false),
            Closer::Line(end) => (end, "\n", false),
            Closer::Json(Some(end)) => (end, "\n", true),
            Closer::Json(None) => return self.json(),
        };
        let text = self.text(call.span);
        let trimmed = text.trim_end();
        // A prefix of the end marker may be there already.
        let begun =
            (2..end.len()).rev().filter(|&at| end.is_char_boundary(at)).find(|&at| trimmed.ends_with(&end[..at]));
        let mut found = Vec::new();
        if let Some(begun) = begun {
            found.push(Repair::new(Span::at(call.span.start + trimmed.len()), &end[begun..]));
        }
        // Any text after it goes to the next line.
        for at in [text.len(), trimmed.len()] {
            let lead = if text[..at].ends_with('\n') { "" } else { line };
            let behind = self.text(Span::new(call.span.start + at, (call.span.end + 1).min(self.session.text().len())));
            let tail = if behind.starts_with(['\n', '\r']) { "" } else { "\n" };
            found.push(Repair::new(Span::at(call.span.start + at), format!("{lead}{end}{tail}")));
        }
        if json {
            found.extend(self.json());
        }
        found.dedup();
        found
    }

    /// True if a call ends where another one begins, after a multi-line value: some of its lines may be prose, but
    /// which ones is unknown.
    fn ends_anywhere(&self, call: &Call<'_>) -> bool {
        let Some(item) = self.item() else { return false };
        let next = self.session.document().call(item + 1);
        if self.problem.code != Code::UnterminatedCall || next.is_none_or(|next| next.dialect == call.dialect) {
            return false;
        }
        let assembly = self.candidates.dissect(item);
        let last = assembly.as_ref().and_then(|assembly| assembly.arguments.last());
        last.is_some_and(|argument| self.text(argument.value).trim().contains('\n'))
    }

    /// Closing tags of parameters and calls.
    fn tags(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let opened = self.text(span);
        let name = opened.trim_start_matches(['<', '/']).split(['>', ' ', '=', '\n']).next().unwrap_or_default();
        let mut found = Vec::new();
        if let Some(call) = self.call() {
            let close = format!("</{name}>");
            let line = self.line(span.start);
            let body = self.text(Span::new(span.end, call.body.end));
            // A value that begins right after its tag ends right before the closing one.
            let own = if body.starts_with('\n') { body.len() } else { body.trim_end().len() };
            let ends = [span.end + own, call.body.end, line.end.saturating_sub(1).max(span.end), line.end];
            for end in ends.into_iter().filter(|end| *end >= span.end && *end <= call.span.end) {
                found.push(Repair::new(Span::at(end), close.clone()));
            }
        }
        found.push(Repair::new(span, ""));
        found
    }

    /// The closing tag of a value, before the tag that is nested in it.
    fn before_nested(&self) -> Vec<Repair> {
        let Some(outer) = self.problem.related.first().map(|related| related.span) else { return Vec::new() };
        let opened = self.text(outer);
        let name = opened.trim_start_matches('<').split(['>', ' ', '=', '\n']).next().unwrap_or_default();
        // Other tags are usually part of the value: an example, a file.
        if !self.text(self.problem.span).starts_with(&format!("<{name}")) {
            return Vec::new();
        }
        let value = self.text(Span::new(outer.end, self.problem.span.start));
        vec![Repair::new(Span::at(outer.end + value.trim_end().len()), format!("</{name}>"))]
    }

    /// The missing tag of a wrapper, on the other side of the call; or the wrapper removed.
    fn other_half(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let tag = self.text(span);
        let half = self.call().map(|call| {
            let (at, place, missing) = if let Some(rest) = tag.strip_prefix("</") {
                let before = self.line(call.span.start.saturating_sub(1));
                (call.span.start, Span::new(before.start, call.span.start.min(before.end)), format!("<{rest}"))
            } else {
                let end = call.span.end;
                let line = self.line(end);
                let after = if self.text(line).ends_with('\n') { line.end } else { end };
                (end, Span::new(end, self.line(after).end), format!("</{}", tag.trim_start_matches('<')))
            };
            let whole = || if at == place.end { format!("{missing}\n") } else { format!("\n{missing}") };
            self.damaged(place, &missing).unwrap_or_else(|| Repair::new(Span::at(at), whole()))
        });
        half.into_iter().chain([Repair::new(span, "")]).collect()
    }

    /// Completes a tag that was cut at its beginning or its end, if all of `place` is a part of it.
    fn damaged(&self, place: Span, tag: &str) -> Option<Repair> {
        let text = self.text(place);
        let rest = text.trim();
        let is_part = rest.len() >= SHORTEST_TAG && rest != tag && (tag.starts_with(rest) || tag.ends_with(rest));
        let start = place.start + text.len() - text.trim_start().len();
        is_part.then(|| Repair::new(Span::new(start, start + rest.len()), tag.to_owned()))
    }

    /// Removes the argument at fault, or the earlier one, if it is empty or has the same value.
    fn without_argument(&self) -> Vec<Repair> {
        let Some(assembly) = self.item().and_then(|item| self.candidates.dissect(item)) else { return Vec::new() };
        let find = |span: Span| {
            let from = assembly.arguments.partition_point(|argument| argument.place().end <= span.start);
            assembly.arguments.get(from).filter(|argument| argument.place().touches(span))
        };
        let words = |argument: &Argument| self.text(argument.value).trim().to_owned();
        let own = find(self.problem.span);
        let earlier = self.problem.related.first().and_then(|related| find(related.span));
        let (Some(own), Some(earlier)) = (own, earlier) else { return Vec::new() };
        let (value, other) = (words(own), words(earlier));
        let place = match (value.is_empty() || value == other, other.is_empty()) {
            (true, _) => own.place(),
            (false, true) => earlier.place(),
            // It is unknown which of two values is meant.
            (false, false) => return Vec::new(),
        };
        let whole = Span::new(self.line(place.start).start.max(place.start), self.line(place.end).end);
        vec![Repair::new(whole, ""), Repair::new(place, ""), Repair::new(Span::new(place.start, place.end + 1), "")]
    }

    fn without_blanks(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let words = self.text(span);
        // A line break is not an invisible character to remove: it ends a text.
        let is_seen = |c: &char| *c == '\n' || !c.is_control() && !crate::text::sanitize::is_hidden(*c);
        let seen: String = words.chars().filter(is_seen).collect();
        let line = self.text(self.line(span.start));
        let start = self.line(span.start).start;
        let kept = line.trim_end().len();
        let bare = start + line.trim_end_matches('\n').len();
        let blanks = words.trim().is_empty().then(|| Repair::new(span, ""));
        let rest = [Repair::new(span, words.trim()), Repair::new(Span::new(start + kept, bare), "")];
        let found = [Repair::new(span, seen)].into_iter().chain(blanks).chain(rest);
        found.filter(|repair| repair.edits.iter().any(|edit| edit.with != self.text(edit.span))).collect()
    }

    /// The call with CRLF replaced by LF.
    fn without_returns(&self) -> Vec<Repair> {
        let Some(call) = self.call() else { return Vec::new() };
        let text = self.text(call.span);
        let edits = text.match_indices("\r\n").map(|(at, _)| {
            let start = call.span.start + at;
            Edit { span: Span::new(start, start + 1), with: String::new() }
        });
        vec![Repair { edits: edits.collect() }]
    }

    /// Repairs the JSON of a call, or of a value.
    fn json(&self) -> Vec<Repair> {
        let Some(call) = self.call() else { return Vec::new() };
        let is_value = self.problem.code == Code::NotJson;
        let start = if is_value { self.problem.span.start } else { call.body.start };
        let end = if is_value {
            self.problem.span.end
        } else {
            self.line(self.problem.span.end.max(call.body.end.saturating_sub(1))).end
        };
        let mut known = self.candidates.json.borrow_mut();
        match &*known {
            Some((place, repairs)) if *place == Span::new(start, end) => repairs.clone(),
            _ => {
                let repairs = self.json_repairs(&call, start, end);
                *known = Some((Span::new(start, end), repairs.clone()));
                repairs
            }
        }
    }

    /// Repairs the JSON from `start` to `end`, or to another place where it may end.
    fn json_repairs(&self, call: &Call<'_>, start: usize, end: usize) -> Vec<Repair> {
        let mut ends = vec![end];
        if self.problem.code != Code::NotJson {
            let rest = self.text(Span::new(start, (call.span.end + LONGEST_REST).min(self.session.text().len())));
            let tag = match self.session.dialect(call.dialect).map(|dialect| dialect.closer(&self.text(call.marker))) {
                Some(Closer::Json(Some(end))) => rest.find(&end).map(|at| start + at),
                _ => None,
            };
            ends = [Some(call.body.end), tag, Some(call.span.end), Some(end)].into_iter().flatten().collect();
        }
        let mut found = Vec::new();
        for end in ends {
            let Some(edits) = json::edits(&self.text(Span::new(start, end))) else { continue };
            let repair = Repair { edits }.shifted(start);
            if !found.contains(&repair) {
                found.push(repair);
            }
        }
        found
    }

    /// The line at the fault with other indentations.
    fn indentation(&self) -> Vec<Repair> {
        let line = self.line(self.problem.span.start);
        let words = self.text(line);
        let quote = words.len() - words.trim_start_matches(['>']).len();
        let rest = &words[quote..];
        let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let here = Span::new(line.start + quote, line.start + quote + indent);
        let before = line.start.checked_sub(1).map(|end| self.text(self.line(end))).unwrap_or_default();
        let above = before.trim_start_matches('>');
        let above = above.len() - above.trim_start_matches([' ', '\t']).len();
        let mut widths = vec![above, above + 2, above.saturating_sub(2), indent.saturating_sub(1), indent + 1];
        widths.push(usize::from(quote > 0));
        widths
            .into_iter()
            .filter(|width| *width != indent || rest.starts_with('\t'))
            .map(|width| Repair::new(here, " ".repeat(width)))
            .collect()
    }

    /// Inserts a line before the end of the call.
    fn before_end(&self, words: &str) -> Vec<Repair> {
        let Some(call) = self.call() else { return Vec::new() };
        let line = self.line(self.problem.span.start);
        let end = call.body.end;
        let begun = self.line(end).start;
        [end, begun, line.end].into_iter().map(|end| Repair::new(Span::at(end), words)).collect()
    }
}
