//! `<function=read>` with `<parameter=path>`, in `<tool_call>` or alone.
//!
//! A declaration; how it is read and written is in `tags`.

use super::super::{DialectInfo, Numbering, Start};
use super::{Naming, Part, Shape, Tags, Wrapping};
use crate::params::schema::Coercion;

pub(in crate::dialect) static SHAPE: Shape = Shape {
    about: DialectInfo {
        name: "function",
        title: "function= tags",
        recognised_by: "an opening tag <function=NAME> anywhere, in <tool_call> or alone",
        example: "<tool_call>\n<function=get_weather>\n<parameter=city>\nLisbon\n</parameter>\n</function>\n</tool_call>\n",
        id_prefix: "function_",
        escapes: true,
        numbering: Numbering::Every,
        key_term: "parameter name",
        next_ends: false,
        start: Start::Anywhere,
        signs: &["<function="],
        family: &["hermes"],
        body_like: None,
        typing: Coercion::Strings,
        coercion: None,
        new: |_| Box::new(Tags::new(&SHAPE)),
    },
    naming: Naming::Equals,
    words: &[
        ("function=", Part::Call),
        ("parameter=", Part::Parameter),
        ("tool_call", Part::Wrapper),
        ("seed:tool_call", Part::Wrapper),
    ],
    makes_lists: false,
    drops_edges: true,
    wrapping: Wrapping::Each,
    strict: false,
};
