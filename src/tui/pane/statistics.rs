//! Statistics: calls by tool, requests by model, messages by role, problems by code. Enter goes through the items that
//! a row counts, calls in the order of the sort column.

mod count;

use std::fmt::Write as _;
use std::rc::Rc;

use crate::diagnostic::{Code, Severity};
use crate::document::MessageRole as Speaker;
use crate::document::facts::requests::Spending;
use crate::document::questions::asks_user;
use crate::text::wrap::fit;
use crate::wording::figures;

use crate::tui::action::{Action, Motion, PaneId, next_in_ring};
use crate::tui::pane::list::{self, List, Moved, Table};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::{Piece, Row, Target, grouped, mark, size};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor};

use count::{Column, SPEAKERS, Tally, Tool};

/// Width of the name column, in a wide and in a narrow pane.
const NAMES: [usize; 2] = [26, 22];

/// Width below which a pane is narrow.
const WIDE: usize = 100;

/// Width of a number column.
const NUMBER: usize = 13;

/// Headings of the columns of models.
const OF_MODELS: [&str; 7] = ["requests", "↑ input", "↓ output", "R cached", "W to cache", "cache hits", "cost"];

/// Indices into [`OF_MODELS`] by importance: as many are shown as fit.
const MODELS_BY_WORTH: [usize; OF_MODELS.len()] = [0, 6, 1, 2, 5, 3, 4];

/// Index of the cost in [`OF_MODELS`].
const COST: usize = 6;

/// Suffix of the names of tools that wait for an answer of the user.
const WAITS: &str = " (you)";

/// The statistics pane: the counters, the chosen row, and the sort column.
#[derive(Clone, Default)]
pub struct Statistics {
    /// The chosen row, among rows that count something.
    at: usize,
    /// The first visible row.
    top: Anchor,
    /// The sort column of tools.
    column: Column,
    tally: Tally,
}

enum Subject<'a> {
    Tool(&'a str, &'a Tool),
    Model(&'a str, &'a Spending),
    Speaker(Option<Speaker>, [usize; 2]),
    Code(Code, Severity, usize),
}

impl Statistics {
    /// The subjects of the rows, in order.
    fn subjects(&self) -> Vec<Subject<'_>> {
        let Tally { tools, models, roles, codes, .. } = &self.tally;
        let mut tools: Vec<_> = tools.iter().collect();
        let column = self.column();
        let value = |tool: &Tool| tool.value(column);
        tools.sort_by(|(name, one), (other, two)| value(two).total_cmp(&value(one)).then_with(|| name.cmp(other)));
        let mut codes: Vec<_> = codes.iter().collect();
        codes.sort_by_key(|&(code, (_, count))| (std::cmp::Reverse(*count), *code));
        let tools = tools.into_iter().map(|(name, tool)| Subject::Tool(name, tool));
        let roles = SPEAKERS.into_iter().zip(*roles).filter(|(_, [count, _])| *count > 0);
        let roles = roles.map(|(role, counts)| Subject::Speaker(role, counts));
        let codes = codes.into_iter().map(|(code, (severity, count))| Subject::Code(*code, *severity, *count));
        let models = models.iter().map(|(name, spending)| Subject::Model(name, spending));
        tools.chain(models).chain(roles).chain(codes).collect()
    }

    /// The sort column of tools; calls if the chosen column has no values.
    fn column(&self) -> Column {
        if self.tally.columns().any(|column| column == self.column) { self.column } else { Column::Calls }
    }

    /// Sorts tools by the next (1) or previous (-1) column. The longest call is included even if it has no values.
    fn sort(&mut self, view: &View, direction: i8) -> Response {
        // Which columns have values is known only after counting.
        let is_behind = self.tally.is_behind(view);
        let known: Vec<Column> = self.tally.columns().chain([Column::Longest]).collect();
        let ring: Vec<Column> = Column::ALL.into_iter().filter(|column| is_behind || known.contains(column)).collect();
        let here = ring.iter().position(|column| *column == self.column).unwrap_or(0);
        self.column = ring[next_in_ring(here, direction, ring.len())];
        self.lacks_longest(view).unwrap_or_else(Response::done)
    }

    /// The response to sorting by the longest call if no call has a duration.
    fn lacks_longest(&self, view: &View) -> Option<Response> {
        let is_known = || self.tally.columns().any(|column| column == Column::Longest);
        let lacks = self.column == Column::Longest && !self.tally.is_behind(view) && !is_known();
        lacks.then(|| Response::message("no call has a recorded duration", Role::Dim))
    }

    /// The rows, each with the index of its subject; headings have none.
    fn table(&self, view: &View) -> Vec<(Row, Option<usize>)> {
        let width = view.width(PaneId::Statistics);
        let name = NAMES[usize::from(width < WIDE)];
        let room = (width.saturating_sub(name + 1) / NUMBER).max(1);
        let columns = Columns { tools: self.tool_columns(room), models: self.model_columns(room), name };
        let mut rows = Vec::new();
        let mut section = None;
        for (number, subject) in self.subjects().into_iter().enumerate() {
            let this = std::mem::discriminant(&subject);
            if section.replace(this) != Some(this) {
                rows.extend((!rows.is_empty()).then(|| (Row::default(), None)));
                rows.push((self.heading(&subject, &columns), None));
            }
            rows.push((row(&subject, &columns), Some(number)));
        }
        rows
    }

    /// The columns of tools that fit into `room` columns, always including the sort column.
    fn tool_columns(&self, room: usize) -> Vec<Column> {
        let mut columns: Vec<Column> = self.tally.columns().collect();
        let sorted = columns.iter().position(|column| *column == self.column()).unwrap_or(0);
        columns.drain(..(sorted + 1).saturating_sub(room));
        columns.truncate(room);
        columns
    }

    /// The columns of models that fit into `room` columns, as indices into [`OF_MODELS`].
    fn model_columns(&self, room: usize) -> Vec<usize> {
        let has_cost = self.tally.models.iter().any(|(_, spending)| spending.cost.is_some());
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            MODELS_BY_WORTH.into_iter().partition(|&column| has_cost || column != COST);
        let mut columns: Vec<usize> = known.into_iter().chain(unknown).take(room).collect();
        columns.sort_unstable();
        columns
    }

    fn heading(&self, subject: &Subject<'_>, shown: &Columns) -> Row {
        let column = |column: &Column| {
            let sign = if *column == self.column() { "▾ " } else { "" };
            format!("{sign}{}", column.name())
        };
        let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (words, columns): (_, Vec<String>) = match subject {
            Subject::Tool(..) => ("tool", shown.tools.iter().map(column).collect()),
            Subject::Model(..) => ("model", shown.models.iter().map(|&at| OF_MODELS[at].to_owned()).collect()),
            Subject::Speaker(..) => ("role", plain(&["messages", "bytes"])),
            Subject::Code(..) => ("problem", plain(&["count"])),
        };
        let name = shown.name;
        let mut words = format!(" {words:name$}");
        for column in columns {
            // Writing to a string cannot fail.
            _ = write!(words, "{column:>NUMBER$}");
        }
        Row::words(vec![Piece::new(words, Role::Heading)])
    }

    /// Goes to the next item that the chosen row counts, wrapping around.
    fn next(&self, view: &View) -> Response {
        let subjects = self.subjects();
        let document = view.session.document();
        let Target { item, offset, .. } = view.selection;
        let target = match subjects.get(self.at) {
            None => None,
            Some(Subject::Tool(_, tool)) => {
                let column = self.column();
                let calls = tool.calls_by(view, column);
                let next = match calls.iter().position(|&call| call == item) {
                    Some(here) => here + 1,
                    None if column == Column::Calls => calls.partition_point(|&call| call < item),
                    None => 0,
                };
                calls.get(next % calls.len().max(1)).and_then(|&call| view.target_of_item(call))
            }
            Some(Subject::Model(name, _)) => {
                let requests = document.requests().iter().filter(|request| request.model == Some(name));
                let places: Vec<usize> = requests.map(|request| request.place).collect();
                let next = places.iter().find(|&&place| place > offset).or(places.first());
                next.map(|&place| view.target_at(place))
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

    /// Moves the choice among the rows that count something.
    fn go(&mut self, view: &View, motion: Motion) -> Response {
        let numbers: Vec<Option<usize>> = self.table(view).into_iter().map(|(_, number)| number).collect();
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
        // The heading before the first row of a section is scrolled into view with it.
        let top = viewport::reveal(&*list, top, Anchor { row, ..Anchor::default() }, list.room(), margin);
        drop(list);
        (self.at, self.top) = (at, top);
        Response::moved(PaneId::Statistics, Moved { target: None, step })
    }
}

struct Columns {
    tools: Vec<Column>,
    /// Indices into [`OF_MODELS`].
    models: Vec<usize>,
    /// Width of the name column.
    name: usize,
}

fn row(subject: &Subject<'_>, columns: &Columns) -> Row {
    let width = columns.name;
    let name = |name: &str, role| Piece::new(format!(" {:width$}", fit(name, width - 1)), role);
    let number = |words: String, role| Piece::new(format!("{words:>NUMBER$}"), role);
    Row::words(match subject {
        Subject::Tool(words, tool) => {
            let words = if words.is_empty() { "(no name)" } else { words };
            let asking = || format!("{}{WAITS}", fit(words, width.saturating_sub(1 + WAITS.len())));
            let words = if asks_user(words) { &asking() } else { words };
            let cells = columns.tools.iter().map(|column| match tool.cell(*column) {
                Some(words) if *column == Column::Failed => number(words, Role::Error),
                words => number(words.unwrap_or_else(|| "–".into()), Role::Text),
            });
            [name(words, Role::Name)].into_iter().chain(cells).collect()
        }
        Subject::Model(words, spending) => {
            let cells = cells_of_model(spending);
            let cell = |&at: &usize| number(cells[at].clone().unwrap_or_else(|| "–".into()), Role::Text);
            [name(words, Role::Strong)].into_iter().chain(columns.models.iter().map(cell)).collect()
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

/// The values of [`OF_MODELS`]; if some requests lack one, the sum of the others is a lower bound.
fn cells_of_model(spending: &Spending) -> [Option<String>; OF_MODELS.len()] {
    let Spending { requests, without_usage, usage, .. } = spending;
    let tokens = |count: Option<u64>, is_least| Some(figures::tokens_figure(count?, is_least));
    let is_partial = *without_usage > 0;
    [
        Some(grouped(*requests)),
        tokens(usage.input, is_partial),
        tokens(usage.answer(), spending.lacks_tokens()),
        tokens(usage.cache_read, is_partial),
        tokens(usage.cache_write, is_partial),
        figures::cache_hits(usage),
        figures::total_dollars(spending),
    ]
}

impl Pane for Statistics {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        if !view.is_shown(PaneId::Statistics) {
            // Its rows are rebuilt each time.
            return None;
        }
        let (rows, numbers): (Vec<Row>, Vec<Option<usize>>) = self.table(view).into_iter().unzip();
        let chosen = numbers.iter().position(|number| *number == Some(self.at));
        let table = Table { pane: PaneId::Statistics, view, rows: Rc::new(rows), chosen };
        Some((Box::new(table), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    /// The choice is not tied to a place in the text.
    fn reveal(&mut self, _: &View) {}

    fn placeholder(&self, view: &View) -> &'static str {
        if self.tally.is_behind(view) {
            "counting …"
        } else {
            "nothing to count: the text has no calls and no turns; o lists recorded sessions"
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => self.go(view, motion),
            Action::Open => self.sort(view, 1),
            Action::Close => self.sort(view, -1),
            Action::Toggle => {
                self.work(view);
                self.lacks_longest(view).unwrap_or_else(|| self.next(view))
            }
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let Some((_, Some(number))) = self.table(view).into_iter().nth(self.top.row + row) else {
            return Response::done();
        };
        let was_chosen = self.at == number && view.layout.focused() == PaneId::Statistics;
        self.at = number;
        if was_chosen { self.next(view) } else { Response::done() }
    }

    fn forget_from(&mut self, first: usize) {
        if first < self.tally.items_seen() {
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
