//! How a call is written between the tags of a shape.
//!
//! Nothing is escaped, since no runtime unescapes. This module does not know how tags are read.

use std::fmt::Write as _;

use super::{Naming, Part, Shape};
use crate::dialect::CallContent;
use crate::dialect::writer::{plain_list, words};

/// The opening and the closing tag of something with a name.
fn tags(shape: &Shape, part: Part, name: &str) -> (String, String) {
    let word = shape.word(part).unwrap_or_default();
    match shape.naming {
        Naming::InTag => (format!("<{word}{name}>"), format!("</{word}{name}>")),
        Naming::Attribute => (format!("<{word} name=\"{name}\">"), format!("</{word}>")),
        Naming::Equals => (format!("<{word}{name}>"), format!("</{}>", word.trim_end_matches('='))),
    }
}

pub(super) fn write(shape: &Shape, call: &CallContent<'_>) -> String {
    let (opening, closing) = tags(shape, Part::Call, call.name);
    let edge = if shape.drops_edges { "\n" } else { "" };
    let mut out = opening + "\n";
    for (key, value) in call.members() {
        // One value alone is no list here.
        let list = plain_list(value, 2).filter(|_| shape.makes_lists);
        let (opening, closing) = tags(shape, Part::Parameter, key);
        for value in list.unwrap_or(std::slice::from_ref(value)) {
            _ = writeln!(out, "{opening}{edge}{}{edge}{closing}", words(value));
        }
    }
    out += &(closing + "\n");
    match shape.word(Part::Wrapper) {
        Some(wrapper) => format!("<{wrapper}>\n{out}</{wrapper}>\n"),
        None => out,
    }
}
