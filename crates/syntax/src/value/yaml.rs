//! YAML as a parameter tree: version 1.2, core schema, with the bytes of every key and value.
//!
//! The tree is built in a single pass through a parser's events, so that its cost grows with the text only; what could
//! grow faster (nesting, aliases) has a named limit. JSON is read as a subset. On a syntax error the tree ends at the
//! last valid part. `<<` and dates are plain text here, as in version 1.2; a diagnostic reports where an older reader
//! would treat them differently.

mod alias;
mod build;
mod check;
mod fault;
pub(crate) mod fields;
mod input;
mod key;
mod layout;
mod nested_lists;
mod plain_blocks;
mod repair;
pub mod scalar;
mod source;

use super::{Assembly, NodeId, ParamTree, ROOT, Value};
use crate::diagnostic::Diagnostic;
use crate::text::Span;

pub use source::YamlSource;

/// Deepest nesting of nodes, including nodes repeated by aliases.
pub(crate) const MAX_DEPTH: usize = super::pointer::MAX_DEPTH;

/// Longest text that is read, in bytes.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// Most keys and values of a text.
pub(crate) const MAX_NODES: usize = 250_000;

/// Most keys and values that all aliases of a text together may repeat.
pub(crate) const MAX_ALIAS_NODES: usize = 50_000;

/// Most bytes of keys and values that all aliases of a text together may repeat.
pub(crate) const MAX_ALIAS_BYTES: usize = 1 << 20;

/// Most problems of a text that are reported; further ones are usually similar.
pub(crate) const MAX_PROBLEMS: usize = 64;

/// The library that a runtime parses YAML with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// js-yaml 4.1.0: a tag outside the core schema is an error.
    JsYaml,
    /// yaml 2.9.0: such a tag is ignored.
    Yaml,
}

/// The result of parsing a text as YAML.
#[derive(Clone, Debug)]
pub struct YamlOutcome {
    /// The tree up to the first syntax error. Its leaves have no arguments yet; see [`YamlOutcome::branch`].
    pub tree: ParamTree,
    /// Its problems, in text order.
    pub problems: Vec<Diagnostic>,
    /// The error message if it is not YAML.
    pub error: Option<String>,
    /// True if there is no value: only spaces and comments.
    pub is_empty: bool,
    /// For each node, true if it repeats another one.
    repeated: Vec<bool>,
}

/// Parses YAML that is contiguous at `base`.
pub fn parse(body: &[u8], base: usize, library: Library) -> YamlOutcome {
    parse_source(&YamlSource::whole(body, base), library)
}

/// Parses YAML from a text assembled from several ranges.
pub(crate) fn parse_source(source: &YamlSource, library: Library) -> YamlOutcome {
    repair::read(source, library)
}

impl YamlOutcome {
    /// Span of the key of a node; empty for an element.
    pub(crate) fn key(&self, id: NodeId) -> Span {
        self.tree.node(id).key_place
    }

    /// The members of the tree's root, if it is an object.
    pub(crate) fn members(&self) -> &[NodeId] {
        match &self.tree.node(ROOT).value {
            Value::Object(children) => children,
            _ => &[],
        }
    }

    /// A node and its descendants as the parameters of a call.
    pub fn branch(&self, id: NodeId) -> Assembly {
        self.tree.branch(id, &self.repeated)
    }

    /// The whole tree as the parameters of a call.
    pub fn into_assembly(self) -> Assembly {
        Assembly { error: self.error, problems: self.problems.into(), ..self.tree.branch(ROOT, &self.repeated) }
    }
}

#[cfg(test)]
mod tests;
