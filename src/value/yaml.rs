//! YAML as a parameter tree: version 1.2, core schema, with the bytes of every key and value.
//!
//! One walk over a parser's events makes the tree, so that its cost grows with the text alone; what could grow faster
//! (nesting, aliases) has a limit with a name. JSON is read as the subset that it is. On a syntax error the tree goes
//! as far as the text could be read. `<<` and dates are plain text here, as they are in version 1.2; where an older
//! reader takes them for something else, a diagnostic says so.

mod alias;
mod build;
mod check;
mod fault;
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

/// Deepest nesting of nodes, with aliases followed.
pub const MAX_DEPTH: usize = super::pointer::MAX_DEPTH;

/// Longest text that is read, in bytes.
pub const MAX_BYTES: usize = 32 << 20;

/// Keys and values that one text may have.
pub const MAX_NODES: usize = 250_000;

/// Keys and values that all aliases of a text together may repeat.
pub const MAX_ALIAS_NODES: usize = 50_000;

/// Bytes of keys and values that all aliases of a text together may repeat.
pub const MAX_ALIAS_BYTES: usize = 1 << 20;

/// Most problems of one text that are reported; further ones are more of the same.
pub const MAX_PROBLEMS: usize = 64;

/// The library whose reading a runtime has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// js-yaml 4.1.0: a tag that the core schema does not have is an error.
    JsYaml,
    /// yaml 2.9.0: such a tag is dropped.
    Yaml,
}

/// What a text is when it is read as YAML.
#[derive(Clone, Debug)]
pub struct YamlOutcome {
    /// The tree, as far as the text could be read. Its leaves name no arguments yet; see [`YamlOutcome::branch`].
    pub tree: ParamTree,
    /// Its problems, in the order of the text.
    pub problems: Vec<Diagnostic>,
    /// Why it is not YAML, if it is none.
    pub error: Option<String>,
    /// True if there is no value: only spaces and comments.
    pub is_empty: bool,
    /// For each node whether it repeats another one.
    repeated: Vec<bool>,
}

/// Reads YAML that lies in one piece at `base`.
pub fn parse(body: &[u8], base: usize, library: Library) -> YamlOutcome {
    parse_source(&YamlSource::whole(body, base), library)
}

/// Reads YAML from a text that has been put together.
pub fn parse_source(source: &YamlSource, library: Library) -> YamlOutcome {
    repair::read(source, library)
}

impl YamlOutcome {
    /// Where the key of a node stands; empty for an element.
    pub fn key(&self, id: NodeId) -> Span {
        self.tree.node(id).key_place
    }

    /// The members of the tree's root, if it is an object.
    pub fn members(&self) -> &[NodeId] {
        match &self.tree.node(ROOT).value {
            Value::Object(children) => children,
            _ => &[],
        }
    }

    /// What is at and below a node, as the parameters of a call.
    pub fn branch(&self, id: NodeId) -> Assembly {
        self.tree.branch(id, &self.repeated)
    }

    /// The whole tree as a call's parameters.
    pub fn into_assembly(self) -> Assembly {
        Assembly { error: self.error, problems: self.problems.into(), ..self.tree.branch(ROOT, &self.repeated) }
    }
}

#[cfg(test)]
mod tests;
