//! A pane: its file, its line in the table of panes, its id with its key, and a case.

use super::change::{Change, Name};

/// Changes that add a pane at the bottom of the screen, which lists the calls of a text.
pub fn changes(name: &Name) -> Vec<Change> {
    vec![
        Change::Create { path: name.fill("src/tui/pane/MODULE.rs"), text: name.fill(FILE) },
        Change::Insert {
            path: "src/tui/pane.rs",
            anchor: "    DeclarationEditor => declaration",
            text: name.fill("    PASCAL => MODULE { name: \"TITLE\", hint: Some(\"go there\") }\n"),
        },
        Change::Insert {
            path: "src/tui/action/table.rs",
            anchor: "    DeclarationEditor,",
            text: name.fill("    PASCAL,\n"),
        },
        Change::Insert {
            path: "src/tui/action/table.rs",
            anchor: "    bind(TRANSCRIPT, &[\"t\"]",
            text: name.fill(
                "    bind(TRANSCRIPT, &[\"z INITIAL\"], \"KEBAB\", Action::Focus(PaneId::PASCAL), \"the calls, a row each\"),\n",
            ),
        },
        Change::Insert {
            path: "tests/tui/questions.rs",
            anchor: "    (\"how is it read with other markers\"",
            text: name.fill(
                "    (\"which calls are there\", DEMO, \":KEBAB⏎ j\", &[\"[TITLE]\", \"1  OpenMigration\", \"2  BackupFolder\"]),\n",
            ),
        },
    ]
}

const FILE: &str = r#"//! The calls of a text, a row each.

use std::rc::Rc;

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{List, Table, row_of};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::{Piece, Row, Target};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::Anchor;

/// The list of calls and its first visible row; the selection decides which row is chosen.
#[derive(Clone, Default)]
pub struct PASCAL {
    top: Anchor,
}

impl Pane for PASCAL {
    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        let rows = Rc::new(rows(view));
        let chosen = row_of(&rows, view.selection);
        Some((Box::new(Table { pane: PaneId::PASCAL, view, rows, chosen }), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, _: &View) -> &'static str {
        "no calls yet"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => self.move_selection(view, motion),
            _ => Response::Ignored,
        }
    }
}

fn rows(view: &View) -> Vec<Row> {
    let (document, text) = (view.session.document(), view.session.text());
    let calls = (0..document.items().len()).filter_map(|item| Some((item, document.call(item)?)));
    let row = |(number, (item, call)): (usize, (usize, crate::document::Call<'_>))| {
        let number = Piece::new(format!("{:>5}  ", number + 1), Role::LineNumber);
        let name = Piece::new(call.name(text), Role::Name);
        Row::words(vec![number, name]).to(Target::new(item, call.span.start))
    };
    calls.enumerate().map(row).collect()
}
"#;
