//! Statistics: calls by tool, messages by role, problems by code. Enter leads from one to the next of what a row counts.
//!
//! What stays as it is whatever follows is counted once, a little at a time while nothing else happens.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::rc::Rc;

use crate::diagnostic::{Code, Severity};
use crate::document::{Item, MessageRole as Speaker};
use crate::text::wrap::fit;

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::list::{self, List, Moved, Table};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::{Piece, Row, Target, grouped, mark, size};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor};

/// Items that are counted in one go.
const STEP: usize = 2_000;

/// Columns of the screen for the names.
const NAME: usize = 28;

/// Columns of the screen for each number.
const NUMBER: usize = 12;

/// What tools are sorted by, largest first.
const COLUMNS: [&str; 5] = ["calls", "failed", "bytes", "mean time", "longest"];

/// Who may speak, in the order of the rows.
const SPEAKERS: [Option<Speaker>; 5] =
    [Some(Speaker::System), Some(Speaker::User), Some(Speaker::Assistant), Some(Speaker::Tool), None];

/// The statistics: what was counted, the row that is chosen, and what tools are sorted by.
#[derive(Clone, Default)]
pub struct Statistics {
    /// The row that is chosen, among those that count something.
    at: usize,
    /// The first row that is shown.
    top: Anchor,
    /// The column that tools are sorted by.
    column: usize,
    tally: Tally,
}

#[derive(Clone, Default)]
struct Tally {
    /// Items, messages and problems that were looked at.
    seen: [usize; 3],
    tools: HashMap<String, Tool>,
    /// Messages and bytes of them, by who speaks.
    roles: [[usize; 2]; SPEAKERS.len()],
    codes: BTreeMap<Code, (Severity, usize)>,
}

#[derive(Clone, Default)]
struct Tool {
    /// Their items, in the order of the text.
    items: Vec<u32>,
    failed: usize,
    bytes: usize,
    /// Seconds between a call and its result, where the file says both times: their number, sum and maximum.
    times: (usize, f64, f64),
}

enum Subject<'a> {
    Tool(&'a str, &'a Tool),
    Speaker(Option<Speaker>, [usize; 2]),
    Code(Code, Severity, usize),
}

impl Tool {
    fn value(&self, column: usize) -> f64 {
        match column {
            0 => self.items.len() as f64,
            1 => self.failed as f64,
            2 => self.bytes as f64,
            3 => self.times.1 / (self.times.0.max(1) as f64),
            _ => self.times.2,
        }
    }

    fn cell(&self, column: usize) -> String {
        match column {
            0 => grouped(self.items.len()),
            1 if self.failed > 0 => grouped(self.failed),
            2 => size(self.bytes),
            3 | 4 if self.times.0 > 0 => format!("{:.1} s", self.value(column)),
            _ => "–".into(),
        }
    }
}

impl Tally {
    /// How much there is to be counted.
    fn there(view: &View) -> [usize; 3] {
        let document = view.session.document();
        // The last message may go on, and the problems of what is not settled may go away.
        let messages = document.messages().len().saturating_sub(usize::from(view.is_live()));
        let items = if view.is_live() { document.settled() } else { document.items().len() };
        [items, messages, document.diagnostics().len()]
    }

    fn is_behind(&self, view: &View) -> bool {
        self.seen.iter().zip(Self::there(view)).any(|(seen, there)| *seen != there)
    }

    /// Counts on by at most [`STEP`] items, messages and problems.
    fn count(&mut self, view: &View) {
        let there = Self::there(view);
        if self.seen.iter().zip(there).any(|(seen, there)| *seen > there) {
            // The text has become shorter: a replay that went back.
            *self = Self::default();
        }
        let range = |at: usize| self.seen[at]..there[at].min(self.seen[at] + STEP);
        let [items, messages, problems] = [range(0), range(1), range(2)];
        self.seen = [items.end, messages.end, problems.end];
        items.for_each(|item| self.item(view, item));
        let document = view.session.document();
        for message in messages {
            let span = document.message_span(message, view.session.text().len());
            let role = document.messages().role(message);
            let at = SPEAKERS.iter().position(|speaker| *speaker == role).unwrap_or(SPEAKERS.len() - 1);
            self.roles[at][0] += 1;
            self.roles[at][1] += span.len();
        }
        for brief in problems.filter_map(|number| document.diagnostics().brief(number)) {
            self.codes.entry(brief.code).or_insert((brief.severity, 0)).1 += 1;
        }
    }

    fn item(&mut self, view: &View, item: usize) {
        let (document, text) = (view.session.document(), view.session.text());
        match document.items().get(item) {
            Some(Item::Call(call)) if !document.is_withdrawn(item) => {
                let tool = self.tools.entry(call.name(text)).or_default();
                tool.items.push(item as u32);
                tool.failed += usize::from(call.failed);
                tool.bytes += call.span.len();
            }
            Some(Item::Result(answer)) => {
                let Some(call) = answer.call.and_then(|(item, _)| document.call(item)) else { return };
                let time = document.time_taken(call.span.start, answer.span.start);
                let tool = self.tools.entry(call.name(text)).or_default();
                tool.failed += usize::from(call.has_failed() && !call.failed);
                if let Some(seconds) = time.map(|time| time.as_secs_f64()) {
                    let (count, sum, longest) = &mut tool.times;
                    *count += 1;
                    *sum += seconds;
                    *longest = longest.max(seconds);
                }
            }
            _ => {}
        }
    }
}

impl Statistics {
    /// What is counted, in the order of the rows.
    fn subjects(&self) -> Vec<Subject<'_>> {
        let Tally { tools, roles, codes, .. } = &self.tally;
        let mut tools: Vec<_> = tools.iter().collect();
        let value = |tool: &Tool| tool.value(self.column);
        tools.sort_by(|(name, one), (other, two)| value(two).total_cmp(&value(one)).then_with(|| name.cmp(other)));
        let mut codes: Vec<_> = codes.iter().collect();
        codes.sort_by_key(|&(code, (_, count))| (std::cmp::Reverse(*count), *code));
        let tools = tools.into_iter().map(|(name, tool)| Subject::Tool(name, tool));
        let roles = SPEAKERS.into_iter().zip(*roles).filter(|(_, [count, _])| *count > 0);
        let roles = roles.map(|(role, counts)| Subject::Speaker(role, counts));
        let codes = codes.into_iter().map(|(code, (severity, count))| Subject::Code(*code, *severity, *count));
        tools.chain(roles).chain(codes).collect()
    }

    /// The rows, each with the number of what it counts; headings count nothing.
    fn table(&self) -> Vec<(Row, Option<usize>)> {
        let mut rows = Vec::new();
        let mut section = None;
        for (number, subject) in self.subjects().into_iter().enumerate() {
            let this = std::mem::discriminant(&subject);
            if section.replace(this) != Some(this) {
                rows.extend((!rows.is_empty()).then(|| (Row::default(), None)));
                rows.push((self.heading(&subject), None));
            }
            rows.push((row(&subject), Some(number)));
        }
        rows
    }

    fn heading(&self, subject: &Subject<'_>) -> Row {
        let (name, columns): (_, &[&str]) = match subject {
            Subject::Tool(..) => ("tool", &COLUMNS),
            Subject::Speaker(..) => ("role", &["messages", "bytes"]),
            Subject::Code(..) => ("problem", &["count"]),
        };
        let mut words = format!(" {name:NAME$}");
        for (at, column) in columns.iter().enumerate() {
            let is_sorted = matches!(subject, Subject::Tool(..)) && at == self.column;
            let column = if is_sorted { format!("▾ {column}") } else { (*column).to_owned() };
            // Nothing can go wrong in a string.
            _ = write!(words, "{column:>NUMBER$}");
        }
        Row::words(vec![Piece::new(words, Role::Heading)])
    }

    /// Goes to the next of what the chosen row counts, and round the end.
    fn next(&self, view: &View) -> Response {
        let subjects = self.subjects();
        let document = view.session.document();
        let Target { item, offset, .. } = view.selection;
        let target = match subjects.get(self.at) {
            None => None,
            Some(Subject::Tool(_, tool)) => {
                let next = tool.items.partition_point(|&call| call as usize <= item) % tool.items.len().max(1);
                tool.items.get(next).and_then(|&call| view.target_of_item(call as usize))
            }
            Some(Subject::Speaker(role, _)) => {
                let (messages, here) = (document.messages(), document.message_at(offset));
                let mut order = (here + 1..messages.len()).chain(0..=here);
                let next = order.find(|&message| messages.role(message) == *role);
                next.and_then(|message| messages.start(message)).map(|start| view.target_at(start))
            }
            Some(Subject::Code(code, ..)) => {
                let problems = view.problems();
                let here = problems.first_from(offset + 1);
                let number = (here..problems.len()).chain(0..here).filter_map(|place| problems.at(place));
                let is_same = |number: &usize| problems.brief(*number).is_some_and(|problem| problem.code == *code);
                number
                    .clone()
                    .find(is_same)
                    .and_then(|number| Some((number, problems.brief(number)?)))
                    .map(|(number, problem)| Target { problem: Some(number), ..view.target_at(problem.span.start) })
            }
        };
        Response::jump(target)
    }

    /// Goes where a motion leads among what is counted.
    fn go(&mut self, view: &View, motion: Motion) -> Response {
        let numbers: Vec<Option<usize>> = self.table().into_iter().map(|(_, number)| number).collect();
        let number_at = |at: Anchor| numbers.get(at.row).copied().flatten();
        let Some((list, top)) = self.list(view) else { return Response::done() };
        let step = list::paged(&*list, top, motion, |at| number_at(at).is_some());
        let last = numbers.iter().flatten().next_back().copied().unwrap_or(0);
        let at = match step {
            Some(step) => step.cursor.and_then(number_at).unwrap_or(self.at),
            None => motion.moved(self.at, 1, last),
        };
        let row = numbers.iter().position(|number| *number == Some(at)).unwrap_or(0);
        let margin = usize::from(list.room() > 2);
        // The heading in front of the first row of a section is shown with it.
        let top = viewport::reveal(&*list, top, Anchor { row, ..Anchor::default() }, list.room(), margin);
        drop(list);
        (self.at, self.top) = (at, top);
        Response::moved(PaneId::Statistics, Moved { target: None, step })
    }
}

/// The row of what is counted.
fn row(subject: &Subject<'_>) -> Row {
    let name = |name: &str, role| Piece::new(format!(" {:NAME$}", fit(name, NAME - 1)), role);
    let number = |words: String, role| Piece::new(format!("{words:>NUMBER$}"), role);
    Row::words(match subject {
        Subject::Tool(words, tool) => {
            let role = |column| if column == 1 && tool.failed > 0 { Role::Error } else { Role::Text };
            let words = if words.is_empty() { "(no name)" } else { words };
            let cells = (0..COLUMNS.len()).map(|column| number(tool.cell(column), role(column)));
            [name(words, Role::Name)].into_iter().chain(cells).collect()
        }
        Subject::Speaker(role, [count, bytes]) => vec![
            name(role.map_or("message", Speaker::word), Role::Strong),
            number(grouped(*count), Role::Text),
            number(size(*bytes), Role::Text),
        ],
        Subject::Code(code, severity, count) => {
            let (sign, role) = mark(*severity);
            vec![name(&format!("{sign} {}", code.name()), role), number(grouped(*count), Role::Text)]
        }
    })
}

impl Pane for Statistics {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        if !view.is_shown(PaneId::Statistics) {
            // Its rows are made anew each time.
            return None;
        }
        let (rows, numbers): (Vec<Row>, Vec<Option<usize>>) = self.table().into_iter().unzip();
        let chosen = numbers.iter().position(|number| *number == Some(self.at));
        let table = Table { pane: PaneId::Statistics, view, rows: Rc::new(rows), chosen };
        Some((Box::new(table), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    /// What is chosen in it is no place of the text.
    fn reveal(&mut self, _: &View) {}

    fn placeholder(&self, view: &View) -> &'static str {
        if self.tally.is_behind(view) { "counting …" } else { "nothing to count" }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => return self.go(view, motion),
            Action::Open => self.column = (self.column + 1) % COLUMNS.len(),
            Action::Close => self.column = (self.column + COLUMNS.len() - 1) % COLUMNS.len(),
            Action::Toggle => return self.next(view),
            _ => return Response::Ignored,
        }
        Response::done()
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let Some((_, Some(number))) = self.table().into_iter().nth(self.top.row + row) else { return Response::done() };
        let was_chosen = self.at == number && view.layout.focused() == PaneId::Statistics;
        self.at = number;
        if was_chosen { self.next(view) } else { Response::done() }
    }

    fn forget_from(&mut self, first: usize) {
        if first < self.tally.seen[0] {
            self.tally = Tally::default();
        }
    }

    fn has_work(&self, view: &View) -> bool {
        view.is_shown(PaneId::Statistics) && self.tally.is_behind(view)
    }

    fn work(&mut self, view: &View) {
        self.tally.count(view);
    }
}
