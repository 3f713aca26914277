//! Conversion in the response templates of transformers: its content parsers, and its types by schema.

use serde_json::Value as Json;

use super::{json_value, python_float, python_int};
use crate::text::Span;
use crate::value::json::flavour::{self, Flavour, Placed, PlainValue};
use crate::value::place::{DerivedText, SourceText};
use crate::value::tools::{alternatives, named_types};

/// JSON with single-quoted strings without escapes, else the trimmed text; text is then converted according to the
/// schema.
pub(crate) fn single_quoted(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let derived = double_quoted(text);
    if let Ok(found) = flavour::read_all(SourceText::whole(&derived.text), Flavour::Python) {
        let mut made = by_schema(found, schema, &derived.text);
        made.relocate(&|span| derived.source_of(span));
        return made.value;
    }
    let own = SourceText::whole(text.text()).trimmed();
    let mut made = by_schema(Placed::at(PlainValue::Text(own.to_string()), own.span()), schema, text.text());
    made.relocate(&|span| text.span_of(span.start, span.end));
    made.value
}

/// The text with single-quoted strings replaced by JSON strings.
fn double_quoted(text: SourceText<'_>) -> DerivedText {
    let (mut out, mut rest) = (DerivedText::default(), text);
    while let Some((before, behind)) = rest.text().split_once('\'') {
        let Some((inner, after)) = behind.split_once('\'') else { break };
        out.copy(rest.locate(before));
        let inner = rest.locate(inner);
        let Span { start, end } = inner.span();
        out.write("\"", Span::new(start - 1, start));
        flavour::write_escaped(&mut out, inner);
        out.write("\"", Span::new(end, end + 1));
        rest = rest.locate(after);
    }
    out.copy(rest);
    out
}

/// Converts a text value to the first type of the schema that fits; any other value stays unchanged.
pub(crate) fn by_schema(mut placed: Placed, schema: Option<&Json>, message: &str) -> Placed {
    let mut types = Vec::new();
    if let Some(schema) = schema {
        collect_types(schema, &mut types);
    }
    let read = |text: SourceText<'_>| types.iter().find_map(|name| schema_type(text, name));
    if let Some(found) = flavour::reread(&placed, message, read) {
        placed.value = found;
    }
    placed
}

fn collect_types<'a>(schema: &'a Json, out: &mut Vec<&'a str>) {
    out.extend(named_types(schema));
    alternatives(schema, &["anyOf", "oneOf"]).for_each(|choice| collect_types(choice, out));
    if schema.get("nullable").and_then(Json::as_bool) == Some(true) && !out.contains(&"null") {
        out.push("null");
    }
}

fn schema_type(text: SourceText<'_>, name: &str) -> Option<PlainValue> {
    let whole = |number: &f64| number.is_finite() && number.fract() == 0.0;
    match name {
        "integer" => python_int(&text)
            .or_else(|| python_float(&text).filter(whole).map(|number| PlainValue::Int(format!("{number:.0}")))),
        "number" => {
            let number = python_float(&text).filter(|number| number.is_finite())?;
            let is_whole = whole(&number) && !text.contains('.');
            Some(if is_whole { PlainValue::Int(format!("{number:.0}")) } else { PlainValue::Float(number) })
        }
        "boolean" => match text.trim().to_lowercase().as_str() {
            "true" | "1" => Some(PlainValue::Bool(true)),
            "false" | "0" => Some(PlainValue::Bool(false)),
            _ => None,
        },
        "null" => matches!(text.trim(), "null" | "None").then_some(PlainValue::Null),
        "object" | "array" => json_value(text, Flavour::Python).filter(|value| match value {
            PlainValue::Object(_) => name == "object",
            PlainValue::List(_) => name == "array",
            _ => false,
        }),
        _ => None,
    }
}
