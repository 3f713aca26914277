//! The switches of what a text is read with, and what the last one has changed.
//!
//! This module does not know how rows are drawn.

use crate::compare::RowKind;
use crate::dialect::Examples;
use crate::params::schema::Schemas;
use crate::text::sanitize::visible_str;

use super::super::layout::Pane;
use super::super::settings::{Setting, is_read};
use super::super::state::State;
use super::super::theme::Role;
use super::{Piece, Row, wrapped};

/// Columns of the names.
const NAME: usize = 18;

/// The switches, a row each.
pub fn switches(state: &State) -> Vec<Row> {
    state.settings.all(&state.options).into_iter().map(|setting| switch(state, setting)).collect()
}

/// What the last change has led to, under a heading; nothing where no call has changed.
pub fn changed(state: &State) -> Vec<Row> {
    let settings = &state.settings;
    let mut out = Vec::new();
    if !settings.changed.is_empty() {
        out.push(Row::words(vec![Piece::new("effect of the last change", Role::Heading)]));
    }
    let width = state.width(Pane::Bottom).saturating_sub(2).max(10);
    for (kind, words) in &settings.changed {
        let (sign, role) = match kind {
            RowKind::Same => ("  ", Role::Dim),
            RowKind::Changed => ("~ ", Role::Warning),
            RowKind::Left => ("- ", Role::CodeDeleted),
            RowKind::Right => ("+ ", Role::CodeInserted),
        };
        for (index, line) in wrapped(words, width).into_iter().enumerate() {
            let sign = if index == 0 { sign } else { "  " };
            out.push(Row::words(vec![Piece::new(sign, role), Piece::new(line, role)]));
        }
    }
    out
}

fn switch(state: &State, setting: Setting) -> Row {
    let options = &state.options;
    let (on, name, words) = match setting {
        Setting::Dialect(name) => (Some(is_read(options, name)), name, "calls in this dialect".to_owned()),
        Setting::Examples => (
            Some(options.examples == Examples::Prose),
            "examples",
            "markers in code and quotations are prose".to_owned(),
        ),
        Setting::OneCall => (
            Some(options.one_call_per_message),
            "one call",
            "more than one caret block in a message is an error".to_owned(),
        ),
        Setting::Schema => {
            let words = match state.settings.given(options) {
                Some(_) => "parameters are checked by the schemas of their tools",
                None => "parameters are checked by schemas: Enter asks for their file",
            };
            (Some(options.schemas.is_some()), "schema", words.to_owned())
        }
        Setting::SchemaFile => {
            let name = state.settings.given(options).map_or("", Schemas::name);
            (None, "schema file", visible_str(name).into_owned())
        }
        Setting::Marker(marker) => (None, marker.word(), marker.of(&options.markers).to_owned()),
    };
    let sign = match on {
        Some(true) => "[x] ",
        Some(false) => "[ ] ",
        None => "    ",
    };
    let role = if on == Some(false) { Role::Dim } else { Role::Name };
    let value = if on.is_none() { Role::Marker } else { Role::Dim };
    Row::words(vec![Piece::new(sign, role), Piece::new(format!("{name:<NAME$}"), role), Piece::new(words, value)])
}
