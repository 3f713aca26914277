//! Loads a response template from a `tokenizer_config.json`, or from the template object alone.
//!
//! Reports the errors that the reference raises on loading, with its messages and in its order, each with a span in
//! the file and a remedy; also patterns that are not supported here.

use super::field::Field;
use super::load::{LoadError, Node, Source};

/// Maximum number of fields in a template.
pub(crate) const MAX_FIELDS: usize = 64;

const KEYS: [&str; 5] = ["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"];

/// A valid template. Fields are in file order.
#[derive(Debug)]
pub struct Template {
    pub(super) fields: Vec<Field>,
    /// The field that takes the text outside of all other fields' regions.
    pub(super) implicit: Option<usize>,
}

impl Template {
    /// Reads a `tokenizer_config.json` with the key `response_template`, or the template alone.
    ///
    /// # Errors
    /// All errors, in the reference's order; spans are byte offsets in `json`.
    pub(crate) fn from_json(json: &str) -> Result<Self, Vec<LoadError>> {
        let source = Source::parse(json)?;
        let root = source.root();
        let whole = match root.member("response_template") {
            Some(template) => template,
            None if KEYS.iter().any(|key| root.member(key).is_some()) => root,
            None => {
                let (message, help) = match root.member("response_schema") {
                    Some(_) => (
                        "the file has a response_schema and no response_template",
                        "a response_schema is no longer read by transformers 5.13 and later: write a response_template",
                    ),
                    None => (
                        "the file has no key response_template",
                        "name a tokenizer_config.json with a response_template, or a file with the template alone",
                    ),
                };
                return Err(vec![LoadError::new(root.mark(), message, help)]);
            }
        };
        let mut errors = Vec::new();
        let template = read(whole, &mut errors);
        errors.extend_from_slice(source.problems());
        match template {
            Some(template) if errors.is_empty() => Ok(template),
            _ => Err(errors),
        }
    }
}

fn read(whole: Node<'_>, errors: &mut Vec<LoadError>) -> Option<Template> {
    if !whole.is_object() {
        let message = format!("response_template must be a dict, got {}", whole.python_type());
        errors.push(LoadError::new(whole.mark(), message, "write an object"));
        return None;
    }
    if let Some(version) = whole.member("version")
        && !version.is_one()
    {
        let message = format!("Unsupported response_template version: {}", version.python_str());
        errors.push(LoadError::new(version.mark(), message, "write 1, or leave the version out"));
    }
    errors.extend(whole.unknown_keys(&KEYS, |keys| format!("Unknown keys in response_template: {keys}")));
    if let Some(defaults) = whole.member("defaults").filter(|defaults| !defaults.is_object()) {
        errors.push(LoadError::new(defaults.mark(), "response_template.defaults must be a dict", "write an object"));
    }
    let fields = read_fields(whole, errors);
    let implicit: Vec<usize> = (0..fields.len()).filter(|&index| fields[index].is_implicit).collect();
    if implicit.len() > 1 {
        let names: Vec<&str> = implicit.iter().map(|&index| fields[index].name.as_str()).collect();
        let message = format!(
            "At most one field may omit 'open'/'open_pattern' (that field becomes the implicit-open / leftover sink). \
             Found: {}",
            names.join(", ")
        );
        let place = whole.member("fields").and_then(|node| node.member(names[1])).unwrap_or(whole);
        errors.push(LoadError::new(place.mark(), message, "give all except one of them an open or an open_pattern"));
    }
    let anchor = whole.pattern("response_template", "start_anchor", "start_anchor_pattern", errors);
    let names = ["start_anchor", "start_anchor_pattern"];
    if anchor.is_none() && names.iter().all(|name| whole.member(name).is_none()) {
        let message = "response_template must define 'start_anchor' or 'start_anchor_pattern'.";
        let help = "give the text with which the prompt begins a message of the assistant";
        errors.push(LoadError::new(whole.mark(), message, help));
    }
    anchor.map(|_| Template { implicit: implicit.first().copied(), fields })
}

fn read_fields(whole: Node<'_>, errors: &mut Vec<LoadError>) -> Vec<Field> {
    let node = whole.member("fields");
    let members: Vec<Node<'_>> = node.filter(Node::is_object).map(|node| node.children().collect()).unwrap_or_default();
    if members.is_empty() {
        let message = "response_template.fields must be a non-empty dict";
        errors.push(LoadError::new(node.unwrap_or(whole).mark(), message, "write an object with a field"));
    }
    if members.len() > MAX_FIELDS {
        let message = format!("the template has {} fields; at most {MAX_FIELDS} are read", members.len());
        errors.push(LoadError::new(members[MAX_FIELDS].mark(), message, "take fields out"));
    }
    members.into_iter().take(MAX_FIELDS).filter_map(|node| Field::read(node, errors)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template with one field that has these additional members.
    fn with(field: &str) -> String {
        format!(r#"{{"start_anchor": "A", "fields": {{"c": {{"open": "<c>"{field}}}}}}}"#)
    }

    #[test]
    fn a_template_is_found_in_a_configuration_or_alone() {
        let alone = with("");
        for json in [alone.clone(), format!(r#"{{"bos_token": "x", "response_template": {alone}, "added": {{}}}}"#)] {
            let template = Template::from_json(&json).unwrap_or_else(|errors| panic!("{json}: {errors:?}"));
            assert_eq!(template.fields.iter().map(|field| &*field.name).collect::<Vec<_>>(), ["c"], "{json}");
        }
    }

    /// Error messages, and the text in the file that each refers to.
    #[test]
    fn faults_are_said_at_their_place_with_a_remedy() {
        let cases: &[(String, &[(&str, &str)])] = &[
            ("{".into(), &[("", "the file is not JSON: unexpected end of JSON: an object or array is not closed")]),
            (String::new(), &[("", "the file is not JSON: unexpected end of JSON")]),
            ("[]".into(), &[("[", "the file has no key response_template")]),
            (r#"{"a": 1}"#.into(), &[("{", "the file has no key response_template")]),
            (r#"{"response_schema": {}}"#.into(), &[("{", "the file has a response_schema and no response_template")]),
            (
                r#"{"response_template": 3}"#.into(),
                &[("\"response_template\": 3", "response_template must be a dict, got int")],
            ),
            (with(r#", "repeat": true"#), &[("\"repeat\": true", "Field 'c': unknown keys ['repeat']")]),
            (
                with(r#", "close_pattern": "é(?!x)""#),
                &[("(", "Field 'c': invalid close_pattern regex: this look-around is not supported here")],
            ),
            (
                with(r#", "close_pattern": "\n(""#),
                &[("", "Field 'c': invalid close_pattern regex: missing ) at position 2")],
            ),
            (
                with(r#", "content": "xml-inline", "content_args": {"tag_pattern": "<(?P<key>a)>(?P<value>.)</\\1>"}"#),
                &[("\\", "xml-inline: invalid tag_pattern regex: a reference to a group is not supported here")],
            ),
            (
                with(r#", "join": 1, "transform_each": true"#),
                &[
                    ("\"join\": 1", "Field 'c': 'join' must be a string, got int"),
                    ("\"transform_each\": true", "Field 'c': transform_each is set but no transform was provided"),
                ],
            ),
        ];
        for (json, expected) in cases {
            let errors = Template::from_json(json).expect_err(json);
            let found: Vec<(&str, &str)> = errors
                .iter()
                .map(|error| (json.get(error.span.start..error.span.end).expect("a place"), error.message.as_str()))
                .collect();
            assert_eq!(&found, expected, "{json}");
            assert!(errors.iter().all(|error| !error.help.is_empty()), "{json}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_refused() {
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        let fields: Vec<String> =
            (0..=MAX_FIELDS).map(|number| format!(r#""f{number}": {{"open": "<{number}>"}}"#)).collect();
        let cases = [
            (with(&format!(r#", "transform": {deep}"#)), "levels deep"),
            (with(&format!(r#", "close_pattern": "{}""#, "a".repeat(20_000))), "at most 16384 are read"),
            (format!(r#"{{"start_anchor": "A", "fields": {{{}}}}}"#, fields.join(",")), "at most 64 are read"),
            (with(&format!(r#", "content_args": {}"#, "[".repeat(100_000))), "not JSON"),
        ];
        for (json, words) in cases {
            let errors = Template::from_json(&json).expect_err(words);
            assert!(errors.iter().any(|error| error.message.contains(words)), "{words}: {:?}", errors.first());
        }
    }
}
