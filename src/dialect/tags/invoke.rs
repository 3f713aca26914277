//! `<invoke name="read">` with `<parameter name="path">`, in `<function_calls>` or alone; also with a prefix.
//!
//! A declaration; how it is read and written is in `tags`.

use super::super::{DialectInfo, Numbering, Start};
use super::{Naming, Part, Shape, Tags, Wrapping};
use crate::params::schema::Coercion;

pub(in crate::dialect) static SHAPE: Shape = Shape {
    about: DialectInfo {
        name: "invoke",
        title: "invoke tags",
        recognised_by: "an opening tag <invoke name=\"NAME\"> anywhere, also with an antml: or ｜DSML｜ prefix, in <function_calls> or alone",
        example: "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Lisbon</parameter>\n</invoke>\n</function_calls>\n",
        id_prefix: "invoke_",
        escapes: true,
        numbering: Numbering::Every,
        key_term: "parameter name",
        next_ends: false,
        start: Start::Anywhere,
        signs: &["<invoke name="],
        family: &[],
        body_like: None,
        typing: Coercion::Strings,
        coercion: None,
        new: |_| Box::new(Tags::new(&SHAPE)),
    },
    naming: Naming::Attribute,
    words: &[
        ("invoke", Part::Call),
        ("parameter", Part::Parameter),
        ("function_calls", Part::Wrapper),
        ("antml:invoke", Part::Call),
        ("antml:parameter", Part::Parameter),
        ("antml:function_calls", Part::Wrapper),
        ("｜DSML｜invoke", Part::Call),
        ("｜DSML｜parameter", Part::Parameter),
        ("｜DSML｜function_calls", Part::Wrapper),
        ("｜DSML｜tool_calls", Part::Wrapper),
        ("minimax:tool_call", Part::Wrapper),
    ],
    makes_lists: false,
    drops_edges: false,
    wrapping: Wrapping::Group,
    strict: false,
};
