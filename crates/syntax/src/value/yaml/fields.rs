//! Reads the members of a YAML document one by one; each fault becomes a problem with a span and a remedy.
//!
//! A member that was never requested is reported as unknown, with a list of the known ones.

use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::typo::nearest;
use crate::text::{Span, Text};
use crate::value::tree_json::node_to_json;
use crate::value::yaml::{self, Library};
use crate::value::{NodeId, ParamTree, ROOT, Scalar, Value};

/// A parsed YAML text and its problems.
pub(crate) struct Source {
    tree: ParamTree,
    text: Text,
    pub(crate) problems: Vec<Diagnostic>,
    /// Definitions of `${name}`.
    pub(crate) variables: Vec<(String, String)>,
    #[cfg(test)]
    pub(crate) requested: RequestedMembers,
}

/// The members that readers have requested, so that a test can hold them against the documentation.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct RequestedMembers {
    /// Names of members that may be mappings.
    pub(crate) mappings: std::collections::BTreeSet<&'static str>,
    /// Names of mappings that were read completely.
    pub(crate) complete: std::collections::BTreeSet<&'static str>,
    /// Names of such mappings, each with one of the members that its reader requests.
    pub(crate) members: std::collections::BTreeSet<(&'static str, &'static str)>,
}

/// A mapping of the document, and the names of the members that were requested.
pub(crate) struct Fields {
    node: NodeId,
    asked: Vec<&'static str>,
    /// The member that it is; for the document, a few words.
    #[cfg(test)]
    name: &'static str,
}

/// A member of a mapping whose names are free.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The name, with its span in the document.
    pub(crate) key: Word,
    /// The text, or the elements of a list of texts; empty for `null`.
    pub(crate) values: Vec<Word>,
}

/// An element of a list of texts and mappings.
pub(crate) enum Item {
    Word(Word),
    Map(Fields),
}

/// A text of the document, with variables expanded.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) place: Span,
}

impl Source {
    /// Parses YAML; syntax errors are added to the problems.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let read = yaml::parse(bytes, 0, Library::Yaml);
        let mut text = Text::default();
        text.push(bytes);
        Self {
            tree: read.tree,
            text,
            problems: read.problems,
            variables: Vec::new(),
            #[cfg(test)]
            requested: RequestedMembers::default(),
        }
    }

    /// Reports a fault at a span.
    pub(crate) fn fault(&mut self, place: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.problems.push(Diagnostic::new(Code::InvalidDeclaration, place, message));
        self.problems.last_mut().expect("it was just added")
    }

    /// The document itself, which must be a mapping.
    pub(crate) fn root(&mut self) -> Option<Fields> {
        self.fields(ROOT, "a declaration")
    }

    /// A node that must be a mapping.
    fn fields(&mut self, node: NodeId, what: &'static str) -> Option<Fields> {
        if let Value::Object(_) = self.tree.node(node).value {
            return Some(Fields {
                node,
                asked: Vec::new(),
                #[cfg(test)]
                name: what,
            });
        }
        let found = self.tree.node(node).value.type_name();
        self.wrong_type(node, &format!("{what} must be a mapping of names to values"), found);
        None
    }

    fn wrong_type(&mut self, node: NodeId, message: &str, found: &str) {
        let place = self.place(node);
        let problem = Diagnostic::new(Code::InvalidDeclaration, place, format!("{message}, found {found}"));
        self.problems.push(problem);
    }

    /// The span of a node; for an empty document, its beginning.
    pub(crate) fn place(&self, node: NodeId) -> Span {
        let node = self.tree.node(node);
        match &node.value {
            Value::Scalar(_, span) => *span,
            _ if !node.key_place.is_empty() => node.key_place,
            _ => node.place,
        }
    }

    /// A node as text, with variables expanded.
    fn word(&mut self, node: NodeId) -> Option<Word> {
        let place = self.place(node);
        if !matches!(self.tree.node(node).value, Value::Scalar(..)) {
            let found = self.tree.node(node).value.type_name();
            self.wrong_type(node, "expected a string", found);
            return None;
        }
        let mut text = self.tree.scalar_text(node, &self.text).into_owned();
        if let Some(at) = text.find("${") {
            for (name, value) in &self.variables {
                text = text.replace(&format!("${{{name}}}"), value);
            }
            if text[at..].contains("${") {
                let known: Vec<&str> = self.variables.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("a variable that vars does not define; it defines: {}", known.join(", "));
                self.fault(place, message);
            }
        }
        Some(Word { text, place })
    }

    /// The member of a mapping with this name.
    fn member(&self, fields: &mut Fields, name: &'static str) -> Option<NodeId> {
        fields.asked.push(name);
        let children = self.tree.node(fields.node).value.children();
        let found = children.iter().copied().find(|&child| self.tree.node(child).key == name)?;
        let is_null = matches!(self.tree.node(found).value, Value::Scalar(Scalar::Null, _));
        (!is_null).then_some(found)
    }

    /// The span of a mapping's key.
    pub(crate) fn place_of(&self, fields: &Fields) -> Span {
        self.place(fields.node)
    }

    /// True if a mapping has a member with this name.
    pub(crate) fn has(&self, fields: &mut Fields, name: &'static str) -> bool {
        self.member(fields, name).is_some()
    }

    /// An optional text.
    pub(crate) fn text(&mut self, fields: &mut Fields, name: &'static str) -> Option<Word> {
        let node = self.member(fields, name)?;
        self.word(node)
    }

    /// A mandatory text.
    pub(crate) fn required(&mut self, fields: &mut Fields, name: &'static str, what: &str) -> Option<Word> {
        if !self.has(fields, name) {
            let place = self.place_of(fields);
            let message = format!("{name} is missing: {what}");
            // A misspelled name is a better position for the problem.
            let children = self.tree.node(fields.node).value.children();
            let slip = children
                .iter()
                .map(|&child| self.tree.node(child))
                .find(|child| !fields.asked.contains(&child.key.as_str()) && nearest(&child.key, [name]).is_some());
            let problem = match slip {
                Some(slip) => Diagnostic::new(Code::InvalidDeclaration, slip.key_place, message).did_you_mean(
                    name,
                    slip.key.clone(),
                    slip.key_place,
                ),
                None => Diagnostic::new(Code::InvalidDeclaration, place, message),
            };
            self.problems.push(problem);
            return None;
        }
        self.text(fields, name)
    }

    /// A text or a list of texts; empty if missing.
    pub(crate) fn texts(&mut self, fields: &mut Fields, name: &'static str) -> Vec<Word> {
        let Some(node) = self.member(fields, name) else { return Vec::new() };
        match self.tree.node(node).value.clone() {
            Value::Array(children) => children.into_iter().filter_map(|child| self.word(child)).collect(),
            _ => self.word(node).into_iter().collect(),
        }
    }

    /// The same, without spans.
    pub(crate) fn strings(&mut self, fields: &mut Fields, name: &'static str) -> Vec<String> {
        self.texts(fields, name).into_iter().map(|word| word.text).collect()
    }

    /// One of the known words, mapped to its meaning; the first one if missing.
    pub(crate) fn choice<T: Copy>(&mut self, fields: &mut Fields, name: &'static str, known: &[(&str, T)]) -> T {
        let word = self.text(fields, name);
        let Some(word) = word else { return known[0].1 };
        if let Some((_, meaning)) = known.iter().find(|(name, _)| *name == word.text) {
            return *meaning;
        }
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        self.unknown(&format!("{name}: "), &word, &names);
        known[0].1
    }

    /// A boolean; false if missing.
    pub(crate) fn flag(&mut self, fields: &mut Fields, name: &'static str) -> bool {
        self.choice(fields, name, &[("false", false), ("true", true)])
    }

    /// An optional mapping.
    pub(crate) fn map(&mut self, fields: &mut Fields, name: &'static str) -> Option<Fields> {
        #[cfg(test)]
        self.requested.mappings.insert(name);
        let node = self.member(fields, name)?;
        self.fields(node, name)
    }

    /// A list of mappings, or a single mapping as a list of one.
    pub(crate) fn maps(&mut self, fields: &mut Fields, name: &'static str) -> Vec<Fields> {
        #[cfg(test)]
        self.requested.mappings.insert(name);
        let Some(node) = self.member(fields, name) else { return Vec::new() };
        match self.tree.node(node).value.clone() {
            Value::Array(children) => children.into_iter().filter_map(|child| self.fields(child, name)).collect(),
            _ => self.fields(node, name).into_iter().collect(),
        }
    }

    /// The members of the mapping `name` as texts, with their names.
    pub(crate) fn pairs(&mut self, fields: &mut Fields, name: &'static str) -> Vec<(String, Word)> {
        let map = self.member(fields, name).and_then(|node| self.fields(node, name));
        map.map(|map| self.pairs_in(map.node)).unwrap_or_default()
    }

    /// The texts of the member `name`: with their names if it is a mapping, or a single one without.
    pub(crate) fn named_texts(&mut self, fields: &mut Fields, name: &'static str) -> Vec<(Option<String>, Word)> {
        let Some(node) = self.member(fields, name) else { return Vec::new() };
        match self.tree.node(node).value {
            Value::Object(_) => self.pairs_in(node).into_iter().map(|(name, word)| (Some(name), word)).collect(),
            _ => self.word(node).map(|word| (None, word)).into_iter().collect(),
        }
    }

    fn pairs_in(&mut self, node: NodeId) -> Vec<(String, Word)> {
        let children = self.tree.node(node).value.children().to_vec();
        let key = |source: &Self, child: NodeId| source.tree.node(child).key.clone();
        children.into_iter().filter_map(|child| Some((key(self, child), self.word(child)?))).collect()
    }

    /// All members of a mapping: a text, a list of texts, or `null`.
    pub(crate) fn entries(&mut self, fields: &Fields) -> Vec<Entry> {
        #[cfg(test)]
        self.requested.complete.insert(fields.name);
        let children = self.tree.node(fields.node).value.children().to_vec();
        let mut entries = Vec::new();
        for child in children {
            let node = self.tree.node(child);
            let key = Word { text: node.key.clone(), place: node.key_place };
            let values = match node.value.clone() {
                Value::Scalar(Scalar::Null, _) => Vec::new(),
                Value::Array(children) => children.into_iter().filter_map(|child| self.word(child)).collect(),
                _ => self.word(child).into_iter().collect(),
            };
            entries.push(Entry { key, values });
        }
        entries
    }

    /// The elements of a list, or a single text or mapping as a list of one; empty if missing.
    pub(crate) fn items(&mut self, fields: &mut Fields, name: &'static str) -> Vec<Item> {
        #[cfg(test)]
        self.requested.mappings.insert(name);
        let Some(node) = self.member(fields, name) else { return Vec::new() };
        let nodes = match self.tree.node(node).value.clone() {
            Value::Array(children) => children,
            _ => vec![node],
        };
        let mut items = Vec::new();
        for node in nodes {
            let item = match self.tree.node(node).value {
                Value::Object(_) => self.fields(node, name).map(Item::Map),
                _ => self.word(node).map(Item::Word),
            };
            items.extend(item);
        }
        items
    }

    /// A member as JSON.
    pub(crate) fn json(&mut self, fields: &mut Fields, name: &'static str) -> Option<Json> {
        let node = self.member(fields, name)?;
        Some(node_to_json(&self.tree, node, &self.text))
    }

    /// Reports members that were never requested as unknown.
    pub(crate) fn finish(&mut self, fields: &Fields) {
        #[cfg(test)]
        {
            self.requested.complete.insert(fields.name);
            self.requested.members.extend(fields.asked.iter().map(|member| (fields.name, *member)));
        }
        let children = self.tree.node(fields.node).value.children().to_vec();
        for child in children {
            let node = self.tree.node(child);
            if !fields.asked.contains(&node.key.as_str()) {
                let word = Word { text: node.key.clone(), place: node.key_place };
                self.unknown("", &word, &fields.asked);
            }
        }
    }

    /// Reports a word that is not one of the known ones.
    pub(crate) fn unknown(&mut self, context: &str, word: &Word, known: &[&str]) {
        let mut listed: Vec<&str> = known.to_vec();
        listed.sort_unstable();
        listed.dedup();
        let message = format!("{context}unknown: {}; it can be: {}", word.text, listed.join(", "));
        let near = nearest(&word.text, listed.iter().copied());
        let problem = Diagnostic::new(Code::InvalidDeclaration, word.place, message);
        self.problems.push(match near {
            Some(near) => problem.did_you_mean(near, word.text.clone(), word.place),
            None => problem,
        });
    }
}
