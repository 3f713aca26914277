//! Calls in Python syntax, between markers or in a list that begins a line.
//!
//! ```text
//! block = OPEN ( "[" calls "]" | calls ) CLOSE
//! calls = name "(" key "=" value { "," … } ")" { ( "," | line feed ) call }
//! ```
//!
//! Without a marker, a list contains calls only if its first call has keyword arguments or no arguments.

mod parser;

use std::sync::Arc;

use super::block_markers::BlockMarkers;
use super::marker::MatchResult;
use crate::diagnostic::Code;
use crate::dialect::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, OpenPart, ParseEvent, Probe,
    ProbePoint, Status, Terminator, Triggers,
};
use crate::text::{Span, Text};
use crate::value::json::Arrival;
use crate::value::{Assembly, Findings, python};

/// The markers of such calls, and whether they are written in a list.
#[derive(Debug)]
pub(super) struct PythonCalls {
    pub(super) about: &'static DialectInfo,
    pub(super) markers: BlockMarkers,
    pub(super) is_list: bool,
}

/// Finds Python calls; keeps state about a block whose first call is still arriving.
#[derive(Clone)]
pub(super) struct PythonCallsDialect {
    shape: Arc<PythonCalls>,
    pending: Option<(usize, parser::PythonCallsParser)>,
}

impl PythonCallsDialect {
    pub(super) fn new(shape: Arc<PythonCalls>) -> Self {
        Self { shape, pending: None }
    }
}

impl Dialect for PythonCallsDialect {
    fn info(&self) -> &'static DialectInfo {
        self.shape.about
    }

    fn triggers(&self) -> Triggers {
        let anywhere = self.shape.markers.leads();
        let is_tag = anywhere.iter().any(|lead| lead.starts_with(b"<"));
        let lines = if is_tag { vec![b'<', b'&'] } else { Vec::new() };
        Triggers { anywhere, lines, ..Triggers::default() }
    }

    fn begin_message(&mut self) {
        self.pending = None;
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let markers = &self.shape.markers;
        if markers.at_line && !place.is_line_start() {
            return Probe::Nothing;
        }
        let ahead = place.text.since(place.at);
        let mut block = match self.pending.take() {
            Some((at, block)) if at == place.at => block,
            _ => match markers.opening(ahead, place.at, place.finished) {
                MatchResult::Partial => return Probe::Wait(ahead.len()),
                MatchResult::None => return Probe::Nothing,
                MatchResult::Match(found) => {
                    let end = if markers.is_open_value { place.at } else { found.end };
                    parser::PythonCallsParser::new(Arc::clone(&self.shape), Span::new(place.at, end))
                }
            },
        };
        let mut events = Vec::new();
        match block.first(place.text, place.finished, &mut events) {
            None => {
                self.pending = Some((place.at, block));
                Probe::Wait(ahead.len())
            }
            Some(false) => Probe::Nothing,
            Some(true) => {
                out.append(&mut events);
                let placement = place.placement_problem(block.tag, "a start marker");
                out.extend(placement.filter(|problem| problem.code != Code::MarkerMidLine).map(ParseEvent::of_call));
                Probe::Open(Box::new(block))
            }
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        match self.shape.markers.opening(ahead, 0, false) {
            MatchResult::Match(_) => {
                Some(Expected::one(OpenPart::Header, Terminator::Words("a name and its parenthesis")))
            }
            _ if self.shape.markers.open.iter().any(|open| ahead.starts_with(open.lead())) => {
                Some(Expected::one(OpenPart::Header, Terminator::Words("a name and its parenthesis")))
            }
            _ => Expected::marker(&self.triggers(), ahead),
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let is_call = |rest: &[u8]| matches!(rest.first(), None | Some(b'[' | b'a'..=b'z' | b'A'..=b'Z' | b'_'));
        let near = self.shape.markers.near_miss(line, at, is_call);
        out.extend(near.map(|problem| ParseEvent::of_prose(problem.hint_if(markdown.in_fence()))));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        python::assemble(&text.read(parts.body), parts.body.start, arrival(parts))
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        python::check(&text.read(parts.body), parts.body.start, arrival(parts))
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        let markers = &self.shape.markers;
        let written = format!("{}({})", call.name, python::write(call.parameters));
        let written = if self.shape.is_list { format!("[{written}]") } else { written };
        let open = markers.open.first().filter(|_| !markers.is_open_value);
        let open = open.map(|open| open.write(|_| None)).unwrap_or_default();
        format!("{open}{written}{}\n", markers.end)
    }

    fn closer(&self, _marker: &str) -> Closer {
        let list = if self.shape.is_list { "]" } else { "" };
        Closer::Inline(format!("){list}{}", self.shape.markers.end))
    }
}

/// Whether more of a call can arrive.
fn arrival(parts: CallParts<'_>) -> Arrival {
    if parts.status == Status::Open { Arrival::Open } else { Arrival::Whole }
}
