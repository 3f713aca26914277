//! The beginning of a report: session facts, failures, and the dependency graph.

use std::rc::Rc;

use super::{Problem, ReportPage};
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::graph::{Graph, Labels};
use crate::export::waves;
use crate::graph_layout::Drawing;
use crate::redact::Redactor;
use crate::text::Walk;
use crate::wording::{count, file_name, filter_line, grouped, problems};

/// Maximum width in columns for drawing groups of calls side by side.
const DRAWING_WIDTH: usize = 120;

pub(in crate::export) struct ReportHeader {
    /// File name without folders.
    pub(in crate::export) name: String,
    /// The filter of the report, and the number of calls that it selects.
    pub(in crate::export) filter: Option<String>,
    /// Facts about a recorded session, each with a label.
    pub(in crate::export) session: Vec<(&'static str, String)>,
    /// Container format, size, numbers of calls and problems, and dialects; each with true if it is bad news.
    pub(in crate::export) facts: Vec<(String, bool)>,
    /// Failed calls, and problems of the text, each list with its title.
    pub(in crate::export) findings: [(&'static str, Vec<Problem>); 2],
    /// The dependency graph; `None` if no call has dependencies.
    pub(in crate::export) graph: Option<DrawnGraph>,
    /// Summary of what was redacted, by kind; `None` without redaction.
    pub(in crate::export) redacted: Option<String>,
}

/// The dependency graph of a report, sanitized.
pub(in crate::export) struct DrawnGraph {
    /// The waves as text, with a line for each call.
    pub(in crate::export) text: String,
    pub(in crate::export) graph: Graph,
    pub(in crate::export) labels: SafeLabels,
    /// `None` if there are too many boxes to be readable.
    pub(in crate::export) drawing: Option<Drawing>,
}

/// The sanitized names and ids of a graph's calls.
pub(in crate::export) struct SafeLabels(Vec<[String; 2]>);

impl Labels for SafeLabels {
    fn id(&self, node: usize) -> String {
        self.0[node][1].clone()
    }

    fn name(&self, node: usize) -> String {
        self.0[node][0].clone()
    }
}

impl ReportPage<'_> {
    /// The beginning of the report. Folders are removed from `path`.
    pub(in crate::export) fn header(&self, path: &str) -> ReportHeader {
        let document = self.session.document();
        let container = self.session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
        let outcomes = self.session.outcomes();
        let bytes = self.session.file().len();
        let mut facts =
            vec![container.to_owned(), count(bytes, "byte").replacen(&bytes.to_string(), &grouped(bytes), 1)];
        facts.push(count(outcomes.calls, "call"));
        let mut facts: Vec<(String, bool)> = facts.into_iter().map(|fact| (fact, false)).collect();
        facts.extend(outcomes.nonzero_counts().map(|(sign, number, word)| (format!("{sign} {number} {word}"), true)));
        facts.push((count(document.errors(), "error"), document.errors() > 0));
        facts.push((count(document.warnings(), "warning"), document.warnings() > 0));
        let dialects: Vec<&str> = document.dialects_seen().filter(|dialect| *dialect != "native").collect();
        facts.extend((!dialects.is_empty()).then(|| (dialects.join(", "), false)));
        let mut walk = Walk::default();
        let problems = problems(self.session, self.selection).enumerate();
        let mut turn: Option<(usize, Rc<str>)> = None;
        let mut made = |(index, problem): (usize, Diagnostic)| {
            let found = document.turn_of(document.message_at(problem.span.start));
            let found = found.filter(|_| problem.severity == Severity::Note && self.has_turns());
            // Failures of one turn share its text.
            let words = found.map(|found| match &turn {
                Some((number, words)) if *number == found.number => words.clone(),
                _ => {
                    let words: Rc<str> = format!("turn {}: {}", found.number, self.prompt(found)).into();
                    turn = Some((found.number, words.clone()));
                    words
                }
            });
            (problem.severity, Problem { turn: words, ..self.problem(index + 1, &problem, &mut walk) })
        };
        let (failures, problems): (Vec<_>, Vec<_>) =
            problems.map(&mut made).partition(|(severity, _)| *severity == Severity::Note);
        let words = |found: Vec<(Severity, Problem)>| found.into_iter().map(|(_, problem)| problem).collect();
        ReportHeader {
            name: match (file_name(path), self.redactor) {
                ("-", _) => "standard input".to_owned(),
                (name, Some(redactor)) => self.clean_line(&redactor.clean_name(name)),
                (name, None) => self.clean_line(name),
            },
            filter: self.selection.map(|selection| self.clean_line(&filter_line(selection))),
            session: self.session_head(),
            facts,
            findings: [("Failed calls", words(failures)), ("Problems", words(problems))],
            graph: self.graph(),
            redacted: self
                .redactor
                .map(Redactor::summary)
                .map(|found| if found.is_empty() { "nothing".into() } else { found }),
        }
    }

    fn graph(&self) -> Option<DrawnGraph> {
        let mut graph = self.session.graph();
        if graph.edges.is_empty() || self.selection.is_some() {
            return None;
        }
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        drop(waves::write(&mut text, self.session, None));
        let labels = self.session.labels();
        let words = |node| [self.clean_line(&labels.name(node)), self.clean_line(&labels.id(node))];
        let labels = SafeLabels((0..graph.nodes.len()).map(words).collect());
        for missing in &mut graph.missing {
            missing.id = self.clean_line(&missing.id);
        }
        let drawing = Drawing::new(&graph, &labels, DRAWING_WIDTH);
        Some(DrawnGraph {
            text: self.lines_said(&String::from_utf8_lossy(&text)),
            drawing: (!drawing.is_list()).then_some(drawing),
            graph,
            labels,
        })
    }
}
