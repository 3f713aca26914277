//! Values written as nested elements that a schema describes: `<tags><item>a</item></tags>`.
//!
//! llama.cpp reads the values of `MiniMax` M3 this way. Each tag begins with the same marker, which the grammar gives.

use serde_json::Value as Json;

use crate::value::json::flavour::{self, Flavour, write_open};
use crate::value::place::{DerivedText, SourceText};
use crate::value::tools::{elements, may_be};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 60;

/// The result of reading a value.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    /// Its length in bytes, and its JSON.
    Whole(usize, DerivedText),
    /// The text ends within it; this is the JSON up to there.
    Cut(DerivedText),
    /// There is no such element here.
    No,
}

/// Reads the value at the beginning of a text, up to its end tag, which is not consumed.
pub(crate) fn read(text: SourceText<'_>, schema: &Json, marker: &str, key: &str) -> Element {
    let reader = ElementReader { text, marker };
    reader.value(0, schema, key, 0)
}

struct ElementReader<'a> {
    text: SourceText<'a>,
    marker: &'a str,
}

/// The result of looking for a tag.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    Yes(usize),
    Cut,
    No,
}

impl ElementReader<'_> {
    fn tag(&self, at: usize, tag: &str) -> Follows {
        let rest = &self.text[at..];
        let whole = format!("{}<{tag}>", self.marker);
        if rest.starts_with(&whole) {
            Follows::Yes(at + whole.len())
        } else if whole.starts_with(rest) {
            Follows::Cut
        } else {
            Follows::No
        }
    }

    fn blanks(&self, at: usize) -> usize {
        self.text.len() - self.text[at..].trim_start().len()
    }

    /// A value and the position of its end tag; the text after that is not examined.
    fn value(&self, at: usize, schema: &Json, key: &str, depth: usize) -> Element {
        let end = format!("/{key}");
        if depth > MAX_DEPTH {
            return Element::No;
        }
        if may_be(schema, "string") {
            return self.string(at, &end);
        }
        let choices = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_array());
        if let Some(choices) = choices {
            let mut found = choices.iter().map(|choice| self.value(at, choice, key, depth + 1));
            return found.find(|found| !matches!(found, Element::No)).unwrap_or(Element::No);
        }
        let properties = schema.get("properties").and_then(Json::as_object).is_some_and(|all| !all.is_empty());
        let container = if properties {
            self.object(at, schema, depth)
        } else if may_be(schema, "array") {
            self.list(at, schema.get("items").unwrap_or(&Json::Null), depth)
        } else {
            let copied = |end: usize| {
                let mut out = DerivedText::default();
                out.copy(self.text.part(at, end));
                out
            };
            match flavour::read(self.text.part(at, self.text.len()), Flavour::Grammar) {
                Ok((_, len)) => Element::Whole(at + len, copied(at + len)),
                Err(fault) if fault.at_end => return Element::Cut(copied(self.text.len())),
                Err(_) => return Element::No,
            }
        };
        match container {
            Element::Whole(to, json) => match self.tag(to, &end) {
                Follows::Yes(_) => Element::Whole(to, json),
                // A container's closing bracket is written only once its end tag has arrived.
                Follows::Cut => {
                    let end = json.text.strip_suffix(['}', ']']).map_or(json.text.len(), str::len);
                    Element::Cut(json.truncated(end))
                }
                Follows::No => Element::No,
            },
            other => other,
        }
    }

    fn string(&self, at: usize, end: &str) -> Element {
        let mut out = DerivedText::default();
        let whole = format!("{}<{end}>", self.marker);
        if let Some(len) = self.text[at..].find(&whole) {
            write_open(&mut out, self.text.part(at, at + len));
            out.add("\"");
            return Element::Whole(at + len, out);
        }
        let starts = self.text[at..].char_indices().map(|(offset, _)| at + offset);
        let tail = self.text.len().saturating_sub(whole.len());
        let cut = starts.filter(|start| *start >= tail).find(|start| whole.starts_with(&self.text[*start..]));
        write_open(&mut out, self.text.part(at, cut.unwrap_or(self.text.len())));
        Element::Cut(out)
    }

    fn object(&self, mut at: usize, schema: &Json, depth: usize) -> Element {
        let required: Vec<&str> = elements(schema, "required").filter_map(Json::as_str).collect();
        let empty = serde_json::Map::new();
        let all = schema.get("properties").and_then(Json::as_object).unwrap_or(&empty);
        let (first, others): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| required.contains(&name.as_str()));
        let mut out = DerivedText::default();
        out.add("{");
        let mut order = first.into_iter();
        loop {
            // Required members must be in the order of the schema; the others follow in any order.
            let wanted = order.next();
            let begin = if out.text.len() == 1 && wanted.is_some() { at } else { self.blanks(at) };
            let choices = wanted.map_or_else(|| others.clone(), |one| vec![one]);
            let mut found = None;
            for (name, inner) in choices {
                match self.tag(begin, name) {
                    Follows::Yes(behind) => found = Some((name, inner, behind)),
                    Follows::Cut => return Element::Cut(out),
                    Follows::No => continue,
                }
                break;
            }
            let Some((name, inner, behind)) = found else {
                if wanted.is_some() {
                    return Element::No;
                }
                out.add("}");
                return Element::Whole(self.blanks(at), out);
            };
            out.add(if out.text.len() == 1 { "" } else { "," });
            write_open(&mut out, self.text.part(behind - 1 - name.len(), behind - 1));
            out.add("\":");
            match self.value(behind, inner, name, depth + 1) {
                Element::Whole(to, json) => {
                    out.append(&json);
                    let Follows::Yes(end) = self.tag(to, &format!("/{name}")) else { return Element::No };
                    at = end;
                }
                Element::Cut(json) => {
                    out.append(&json);
                    return Element::Cut(out);
                }
                Element::No => return Element::No,
            }
        }
    }

    fn list(&self, mut at: usize, schema: &Json, depth: usize) -> Element {
        let mut out = DerivedText::default();
        out.add("[");
        loop {
            match self.tag(self.blanks(at), "item") {
                Follows::Yes(behind) => {
                    out.add(if out.text.len() == 1 { "" } else { "," });
                    match self.value(behind, schema, "item", depth + 1) {
                        Element::Whole(to, json) => {
                            out.append(&json);
                            let Follows::Yes(end) = self.tag(to, "/item") else { return Element::No };
                            at = end;
                        }
                        Element::Cut(json) => {
                            out.append(&json);
                            return Element::Cut(out);
                        }
                        Element::No => return Element::No,
                    }
                }
                Follows::Cut => return Element::Cut(out),
                Follows::No => {
                    out.add("]");
                    return Element::Whole(self.blanks(at), out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Element, SourceText, read};

    fn check(input: &str, expected: &str) {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array", "items": {"type": "string"}},
        }, "required": ["n"]});
        let found = match read(SourceText::whole(input), &schema, "#", "k") {
            Element::Whole(len, json) => format!("{} and {}", json.text, &input[len..]),
            Element::Cut(json) => format!("{} cut", json.text),
            Element::No => "no".to_owned(),
        };
        assert_eq!(found, expected, "{input}");
    }

    #[test]
    fn elements_become_json_by_their_schema() {
        for (input, expected) in [
            ("#<n>1#</n>#</k>", r#"{"n":1} and #</k>"#),
            ("#<n>1#</n> #<l>#<item>a#</item>#</l>#</k>", r#"{"n":1,"l":["a"]} and #</k>"#),
            ("#<n>1#</n>#<s>a \"b\"#</s>#</k>", r#"{"n":1,"s":"a \"b\""} and #</k>"#),
            ("#<s>a#</s>#</k>", "no"),
            ("#<n>x#</n>#</k>", "no"),
            ("#<n>1#</n>#<s>a#</", r#"{"n":1,"s":"a cut"#),
            ("#<n>1#</n>#<l>#<item>a#</item>#<it", r#"{"n":1,"l":["a" cut"#),
            ("#<n>1#</n>", r#"{"n":1 cut"#),
            ("", "{ cut"),
        ] {
            check(input, expected);
        }
    }
}
