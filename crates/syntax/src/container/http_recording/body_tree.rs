//! A body that a recorder has parsed and written as YAML, as JSON again.

use super::block::{Node, Scalar, Style};
use super::scalar::decode;
use crate::container::fragment::Fragment;
use crate::container::json::Index;
use crate::text::Span;
use crate::value::Scalar as Resolved;
use crate::value::json::string::is_number;
use crate::value::yaml::scalar::resolve;

/// The JSON text of a node of `text`, which begins at `base` in the file. Strings and numbers lead to the bytes that
/// write them; brackets, colons and commas are added.
pub(super) fn json(node: &Node, text: &[u8], base: usize) -> Fragment {
    let mut writer = JsonWriter { text, base, out: Fragment::default() };
    writer.node(node);
    writer.out
}

struct JsonWriter<'a> {
    text: &'a [u8],
    base: usize,
    out: Fragment,
}

impl JsonWriter<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Scalar(scalar) => self.scalar(scalar),
            Node::List(start, items) => {
                self.add("[", *start);
                for (number, item) in items.iter().enumerate() {
                    self.separate(number);
                    self.node(item);
                }
                self.add_behind("]");
            }
            Node::Map(start, members) => {
                self.add("{", *start);
                for (number, (key, value)) in members.iter().enumerate() {
                    self.separate(number);
                    self.out.quote(&decode(key, self.text, self.base));
                    self.add_behind(": ");
                    self.node(value);
                }
                self.add_behind("}");
            }
        }
    }

    fn separate(&mut self, number: usize) {
        if number > 0 {
            self.add_behind(", ");
        }
    }

    fn add(&mut self, words: &str, at: usize) {
        self.out.push_synthetic(words, self.base + at);
    }

    fn add_behind(&mut self, words: &str) {
        self.out.bytes.extend_from_slice(words.as_bytes());
        self.out.map.added_behind(words.len());
    }

    fn scalar(&mut self, scalar: &Scalar) {
        let content = decode(scalar, self.text, self.base);
        let text = String::from_utf8_lossy(&content.bytes);
        let source = Span::new(self.base + scalar.span.start, self.base + scalar.span.end);
        let word = match scalar.style {
            Style::Plain => match resolve(&text) {
                Resolved::Null => Some("null"),
                Resolved::Boolean(true) => Some("true"),
                Resolved::Boolean(false) => Some("false"),
                Resolved::Number(_) if is_number(text.as_bytes()) => Some(&*text),
                _ => None,
            },
            Style::Flow => Index::read(&content.bytes).is_ok().then_some(&*text),
            _ => None,
        };
        match word {
            Some(word) if word == text => self.out.append(&content),
            Some(word) if source.is_empty() => self.out.push_synthetic(word, source.start),
            Some(word) => self.out.push_replacement(word, source),
            None if content.is_empty() => self.add("\"\"", scalar.span.start),
            None => self.out.quote(&content),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::read;
    use super::*;

    #[test]
    fn a_tree_is_json_that_leads_to_its_scalars() {
        let text =
            "a:\n- b: it's\n  c: 1.50\n- {}\n- ~\n- .5\n- 'x''y'\n- \"p\\nq\"\n- True\n- ''\nd: |-\n  one\n  two\n";
        let node = read(text.as_bytes()).expect("it is read");
        let fragment = json(&node, text.as_bytes(), 0);
        let expected = r#"{"a": [{"b": "it's", "c": 1.50}, {}, null, ".5", "x'y", "p\nq", true, ""], "d": "one\ntwo"}"#;
        assert_eq!(String::from_utf8_lossy(&fragment.bytes), expected);
        assert_eq!(fragment.map.len(), fragment.bytes.len());
        for (part, source) in [("it's", "it's"), ("1.50", "1.50"), ("null", "~"), ("x'y", "x''y"), ("true", "True")] {
            let start = expected.find(part).expect("it is there");
            let span = fragment.map.source_of(Span::new(start, start + part.len()));
            assert_eq!(&text[span.start..span.end], source);
        }
    }
}
