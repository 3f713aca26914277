//! `<tool:read>` with `<param:path>`, whose runtime reads tags in its own way and is strict.
//!
//! A declaration; how it is read and written is in `tags`.

use super::super::{DialectInfo, Numbering, Start};
use super::{Naming, Part, Shape, Tags, Wrapping};
use crate::params::schema::Coercion;

pub(in crate::dialect) static SHAPE: Shape = Shape {
    about: DialectInfo {
        name: "xml",
        title: "XML-ish tool tags",
        recognised_by: "an opening tag <tool:NAME> anywhere; parameters between <param:KEY> and </param:KEY>",
        example: "<tool:read_files>\n<param:project>website</param:project>\n<param:path>index.html</param:path>\n</tool:read_files>\n",
        id_prefix: "tool-1-",
        escapes: true,
        numbering: Numbering::Every,
        key_term: "parameter name",
        next_ends: false,
        start: Start::Anywhere,
        signs: &["<tool:"],
        family: &[],
        body_like: None,
        typing: Coercion::Strings,
        coercion: None,
        new: |_| Box::new(Tags::new(&SHAPE)),
    },
    naming: Naming::InTag,
    words: &[("tool:", Part::Call), ("param:", Part::Parameter)],
    makes_lists: true,
    drops_edges: false,
    wrapping: Wrapping::Group,
    strict: true,
};
