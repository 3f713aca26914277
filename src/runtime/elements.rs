//! Values that are written as nested elements, whose schema says what is in them: `<tags><item>a</item></tags>`.
//!
//! llama.cpp reads the values of `MiniMax` M3 so. Each tag begins with the same marker, which the grammar gives. This module
//! knows neither calls nor what stands around a value.

use serde_json::Value as Json;

use super::json::{self, Flavour};
use super::request::may_be;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 60;

/// What came of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// It took so many bytes, and this is its JSON.
    Whole(usize, String),
    /// The text ends in it, and this is the JSON of what is there.
    Cut(String),
    /// The text holds no such element here.
    No,
}

/// Reads the value at the beginning of a text, up to its end tag, which stays.
pub fn read(text: &str, schema: &Json, marker: &str, key: &str) -> Element {
    let reader = Reader { text, marker };
    reader.value(0, schema, key, 0)
}

struct Reader<'a> {
    text: &'a str,
    marker: &'a str,
}

/// What follows at a place.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    Yes(usize),
    Cut,
    No,
}

impl Reader<'_> {
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

    /// A value and the place of its end tag, behind which nothing is looked at.
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
            let found = choices.iter().map(|choice| self.value(at, choice, key, depth + 1));
            return found.into_iter().find(|found| *found != Element::No).unwrap_or(Element::No);
        }
        let properties = schema.get("properties").and_then(Json::as_object).is_some_and(|all| !all.is_empty());
        let container = if properties {
            self.object(at, schema, depth)
        } else if may_be(schema, "array") {
            self.list(at, schema.get("items").unwrap_or(&Json::Null), depth)
        } else {
            match json::read(&self.text[at..], Flavour::Grammar) {
                Ok((_, len)) => Element::Whole(at + len, self.text[at..at + len].to_owned()),
                Err(fault) if fault.at_end => return Element::Cut(self.text[at..].to_owned()),
                Err(_) => return Element::No,
            }
        };
        match container {
            Element::Whole(to, json) => match self.tag(to, &end) {
                Follows::Yes(_) => Element::Whole(to, json),
                // What closes a container is written when its end tag is there.
                Follows::Cut if json.ends_with(['}', ']']) => Element::Cut(json[..json.len() - 1].to_owned()),
                Follows::Cut => Element::Cut(json),
                Follows::No => Element::No,
            },
            other => other,
        }
    }

    fn string(&self, at: usize, end: &str) -> Element {
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        let whole = format!("{}<{end}>", self.marker);
        if let Some(len) = self.text[at..].find(&whole) {
            return Element::Whole(at + len, quoted(&self.text[at..at + len]));
        }
        let starts = self.text[at..].char_indices().map(|(offset, _)| at + offset);
        let tail = self.text.len().saturating_sub(whole.len());
        let cut = starts.filter(|start| *start >= tail).find(|start| whole.starts_with(&self.text[*start..]));
        let open = quoted(&self.text[at..cut.unwrap_or(self.text.len())]);
        Element::Cut(open[..open.len() - 1].to_owned())
    }

    fn object(&self, mut at: usize, schema: &Json, depth: usize) -> Element {
        let required: Vec<&str> =
            schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        let empty = serde_json::Map::new();
        let all = schema.get("properties").and_then(Json::as_object).unwrap_or(&empty);
        let (first, others): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| required.contains(&name.as_str()));
        let mut members: Vec<String> = Vec::new();
        let mut order = first.into_iter();
        loop {
            // Those that are required come in the order of the schema, then the others in any order.
            let wanted = order.next();
            let begin = if members.is_empty() && wanted.is_some() { at } else { self.blanks(at) };
            let choices = wanted.map_or_else(|| others.clone(), |one| vec![one]);
            let mut found = None;
            for (name, inner) in choices {
                match self.tag(begin, name) {
                    Follows::Yes(behind) => found = Some((name, inner, behind)),
                    Follows::Cut => return Element::Cut(format!("{{{}", members.join(","))),
                    Follows::No => continue,
                }
                break;
            }
            let Some((name, inner, behind)) = found else {
                if wanted.is_some() {
                    return Element::No;
                }
                return Element::Whole(self.blanks(at), format!("{{{}}}", members.join(",")));
            };
            let named = |json: &str| format!("{}:{json}", serde_json::to_string(name).unwrap_or_default());
            match self.value(behind, inner, name, depth + 1) {
                Element::Whole(to, json) => {
                    members.push(named(&json));
                    let Follows::Yes(end) = self.tag(to, &format!("/{name}")) else { return Element::No };
                    at = end;
                }
                Element::Cut(json) => {
                    members.push(named(&json));
                    return Element::Cut(format!("{{{}", members.join(",")));
                }
                Element::No => return Element::No,
            }
        }
    }

    fn list(&self, mut at: usize, schema: &Json, depth: usize) -> Element {
        let mut items: Vec<String> = Vec::new();
        loop {
            match self.tag(self.blanks(at), "item") {
                Follows::Yes(behind) => match self.value(behind, schema, "item", depth + 1) {
                    Element::Whole(to, json) => {
                        items.push(json);
                        let Follows::Yes(end) = self.tag(to, "/item") else { return Element::No };
                        at = end;
                    }
                    Element::Cut(json) => {
                        items.push(json);
                        return Element::Cut(format!("[{}", items.join(",")));
                    }
                    Element::No => return Element::No,
                },
                Follows::Cut => return Element::Cut(format!("[{}", items.join(","))),
                Follows::No => return Element::Whole(self.blanks(at), format!("[{}]", items.join(","))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Element, read};

    fn check(input: &str, expected: &str) {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array", "items": {"type": "string"}},
        }, "required": ["n"]});
        let found = match read(input, &schema, "#", "k") {
            Element::Whole(len, json) => format!("{json} and {}", &input[len..]),
            Element::Cut(json) => format!("{json} cut"),
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
