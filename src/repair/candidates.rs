//! Edits that may remove a problem, by its kind.
//!
//! They need not be right: each is tried. This module does not know how.

use super::{Edit, Repair};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Options;
use crate::document::Call;
use crate::params::Argument;
use crate::session::Session;
use crate::text::Span;

/// What may remove a problem, the likeliest first.
pub(super) fn of(session: &Session, options: &Options, problem: &Diagnostic) -> Vec<Repair> {
    let place = Place { session, options, problem };
    let mut found = place.worded();
    found.extend(place.by_code());
    found
}

struct Place<'a> {
    session: &'a Session,
    options: &'a Options,
    problem: &'a Diagnostic,
}

impl Place<'_> {
    fn text(&self, span: Span) -> String {
        self.session.text().read_str(span).into_owned()
    }

    /// The call that the problem is about, or that it lies in.
    fn call(&self) -> Option<Call<'_>> {
        let document = self.session.document();
        let item = self.problem.item.or_else(|| document.item_at(self.problem.span.start))?;
        document.call(item)
    }

    /// The line of an offset, with its line feed.
    fn line(&self, offset: usize) -> Span {
        let (text, lines) = (self.session.text(), self.session.lines());
        let span = lines.span_of(text, lines.line_at(text, offset));
        Span::new(span.start, (span.end + 1).min(text.len()))
    }

    /// What the problem itself says should stand there.
    fn worded(&self) -> Vec<Repair> {
        let mut found = Vec::new();
        let span = self.problem.span;
        let meant = self.problem.help.strip_prefix("did you mean ").and_then(|rest| rest.strip_suffix('?'));
        for words in [meant, self.problem.expected.as_deref()].into_iter().flatten() {
            let is_text = !words.is_empty() && !words.contains('\n') && words.len() < 200;
            if is_text && !span.is_empty() {
                found.push(Repair::new("write what is expected", span, words));
            }
        }
        found
    }

    fn by_code(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let line = self.line(span.start);
        match self.problem.code {
            Code::UnterminatedCall | Code::ImplicitEnd | Code::HeaderWithoutNewline | Code::CalloutUnclosed => {
                self.endings()
            }
            Code::UnclosedParameter | Code::MismatchedTag | Code::MalformedTag | Code::HalfWrapped => self.tags(),
            Code::DuplicatePointer | Code::ValueReplaced | Code::NotAContainer | Code::UnknownParameter => {
                self.without_argument()
            }
            Code::StrayEnd | Code::StrayArgument => {
                vec![Repair::new("take the line out", line, ""), Repair::new("take the marker out", span, "")]
            }
            Code::TextAfterEnd | Code::MarkerMidLine | Code::MarkerOnHeaderLine | Code::GluedTag => {
                vec![Repair::new("begin a new line", Span::at(span.start), "\n")]
            }
            Code::ValueOnPointerLine => {
                let before = self.text(Span::new(line.start, span.start));
                let blank = before.len() - before.trim_end().len();
                vec![Repair::new("begin a new line", Span::new(span.start - blank, span.start), "\n")]
            }
            Code::PaddedName | Code::CaretFenceBlank | Code::CaretLeadingBlank | Code::HiddenCharacters => {
                self.without_blanks()
            }
            Code::CarriageReturnKept | Code::CalloutCarriageReturn => self.without_returns(),
            Code::ColonDependency => vec![Repair::new("a comma between dependencies", span, ",")],
            Code::YamlDuplicateKey | Code::DuplicateKey | Code::CaretStrayLine | Code::IgnoredText => {
                vec![Repair::new("take the line out", line, ""), Repair::new("take it out", span, "")]
            }
            Code::BrokenJson | Code::NotJson => self.json(),
            Code::YamlSyntax | Code::CalloutBodyIndented | Code::CalloutIndented | Code::IndentationKept => {
                self.indentation()
            }
            Code::CalloutLazyLine => vec![Repair::new("quote the line", Span::at(line.start), "> ")],
            Code::CalloutNotSeparated => vec![Repair::new("an empty line in between", Span::at(line.start), "\n")],
            Code::CaretUnclosedArray => self.before_end("]\n", "close the array"),
            Code::CaretUnclosedValue => {
                let key = self.text(span);
                let key = key.trim_end_matches('-').trim();
                self.before_end(&format!("--- {key}\n"), "close the value")
            }
            Code::DuplicateId => {
                let id = self.text(span);
                vec![Repair::new("give it an id of its own", span, format!("{id}_2"))]
            }
            _ => Vec::new(),
        }
    }

    /// The end of a call put behind it.
    fn endings(&self) -> Vec<Repair> {
        let Some(call) = self.call() else {
            return vec![Repair::new("end the line", Span::at(self.problem.span.end), "\n")];
        };
        let marker = self.text(call.marker);
        let tag = marker.trim_start_matches('<').split(['>', ' ', '=', '\n', '\t']).next().unwrap_or_default();
        let end = match call.dialect {
            "gadget" => format!("{}\n", self.options.markers.end()),
            "caret" => "^^^\n".to_owned(),
            "tool-fence" => "```\n".to_owned(),
            "callout" => "]".to_owned(),
            "native" | "hermes" => return self.json(),
            _ => format!("</{tag}>\n"),
        };
        let body = self.text(Span::new(call.span.start, call.span.end));
        // What ends on a line of its own begins one.
        let needs_line = !body.ends_with('\n') && !end.starts_with('<');
        let end = if needs_line { format!("\n{end}") } else { end };
        let mut found = vec![Repair::new("end the call", Span::at(call.span.end), end.clone())];
        let trimmed = call.span.start + body.trim_end().len();
        if trimmed < call.span.end {
            let end = if end.starts_with('<') { end } else { format!("\n{end}") };
            found.push(Repair::new("end the call behind its last value", Span::at(trimmed), end));
        }
        found
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
            let ends = [call.body.end, line.end.saturating_sub(1).max(span.end), line.end];
            for end in ends.into_iter().filter(|end| *end >= span.end && *end <= call.span.end) {
                found.push(Repair::new("close the tag", Span::at(end), close.clone()));
            }
        }
        found.push(Repair::new("take the tag out", span, ""));
        found
    }

    /// The call without the argument at fault.
    fn without_argument(&self) -> Vec<Repair> {
        let document = self.session.document();
        let Some(item) = self.problem.item.or_else(|| document.item_at(self.problem.span.start)) else {
            return Vec::new();
        };
        let Some(assembly) = self.session.dissect(item) else { return Vec::new() };
        let argument = assembly.arguments.iter().find(|argument| argument.place().touches(self.problem.span));
        let Some(place) = argument.map(Argument::place) else { return Vec::new() };
        let whole = Span::new(self.line(place.start).start.max(place.start), self.line(place.end).end);
        vec![
            Repair::new("take the argument out", whole, ""),
            Repair::new("take the argument out", place, ""),
            Repair::new("take the argument out", Span::new(place.start, place.end + 1), ""),
        ]
    }

    fn without_blanks(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let words = self.text(span);
        let seen: String = words.chars().filter(|c| !c.is_control() && !crate::text::sanitize::is_hidden(*c)).collect();
        let line = self.text(self.line(span.start));
        let start = self.line(span.start).start;
        let kept = line.trim_end().len();
        let bare = start + line.trim_end_matches('\n').len();
        vec![
            Repair::new("take out what cannot be seen", span, seen),
            Repair::new("take the white space out", span, words.trim()),
            Repair::new("take the white space out", span, ""),
            Repair::new("take the white space out", Span::new(start + kept, bare), ""),
        ]
    }

    /// The call with line feeds alone at the ends of its lines.
    fn without_returns(&self) -> Vec<Repair> {
        let Some(call) = self.call() else { return Vec::new() };
        let text = self.text(call.span);
        let edits = text.match_indices("\r\n").map(|(at, _)| {
            let start = call.span.start + at;
            Edit { span: Span::new(start, start + 1), with: String::new() }
        });
        vec![Repair { what: "end lines with a line feed alone", edits: edits.collect() }]
    }

    /// JSON with a comma more or less, or with what closes it.
    fn json(&self) -> Vec<Repair> {
        let span = self.problem.span;
        let Some(call) = self.call() else { return Vec::new() };
        let body = self.text(Span::new(call.span.start, call.body.end));
        let at = span.start.saturating_sub(call.span.start).min(body.len());
        let mut found = Vec::new();
        let Some(before) = body.get(..at) else { return found };
        if before.trim_end().ends_with(',') {
            let comma = call.span.start + before.trim_end().len() - 1;
            found.push(Repair::new("take the comma out", Span::new(comma, comma + 1), ""));
        }
        found.push(Repair::new("take it out", span, ""));
        found.push(Repair::new("put a comma in between", Span::at(span.start), ", "));
        found.push(Repair::new("put a colon in between", Span::at(span.start), ": "));
        let quoted = self.text(span).replace('\'', "\"");
        found.push(Repair::new("double quotation marks", span, quoted));
        let closers = closers(&body);
        if !closers.is_empty() {
            let end = call.span.start + body.trim_end().len();
            found.push(Repair::new("close what is open", Span::at(end), closers));
        }
        found
    }

    /// The line at the fault with other blanks in front of it.
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
            .map(|width| Repair::new("indent the line as those around it", here, " ".repeat(width)))
            .collect()
    }

    /// A line put in front of the end of the call.
    fn before_end(&self, words: &str, what: &'static str) -> Vec<Repair> {
        let Some(call) = self.call() else { return Vec::new() };
        let line = self.line(self.problem.span.start);
        let end = call.body.end;
        let begun = self.line(end).start;
        [end, begun, line.end].into_iter().map(|end| Repair::new(what, Span::at(end), words)).collect()
    }
}

/// What closes the strings, objects and arrays that are open at the end of some JSON.
fn closers(json: &str) -> String {
    let mut open = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    for c in json.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop();
            }
            _ => {}
        }
    }
    let quote = if in_string { "\"" } else { "" };
    quote.chars().chain(open.into_iter().rev()).collect()
}
