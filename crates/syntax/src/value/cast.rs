//! How runtimes convert the text of a parameter to a value.

mod dots;
mod dynamo;
mod glm45;
mod hunyuan;
mod lmdeploy;
mod ollama;
mod schema_type;
mod schema_types;
pub(crate) mod smg;
pub mod transformers;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::value::json::flavour::{self, Flavour, Placed, PlainValue};
use crate::value::place::SourceText;
use crate::value::plain::Member;
pub use crate::value::plain::is_finite;
use crate::value::python::literal_eval;
use crate::value::tools::{ALTERNATIVES, alternatives, elements, named_types, type_of};

/// The rules for converting text to a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Typing {
    /// Always text, whatever the schema says.
    #[default]
    Text,
    /// JSON if it is valid JSON, else text.
    JsonOrText,
    /// JSON without Python's `NaN` and infinities if it is valid, else text.
    StrictJsonOrText,
    /// Only JSON of RFC 8259 if it is valid, else text.
    Rfc8259OrText,
    /// vLLM's `coerce_to_schema_type`: the first type of the schema that fits, in the order null, integer, number,
    /// boolean, object, array, string; then JSON; then text.
    Vllm,
    /// A Python literal if it is one, else text.
    LiteralOrText,
    /// transformers: JSON with single-quoted strings if it is valid, else text; text is then converted to the first
    /// type of the schema that fits.
    SingleQuoted,
    /// SGLang's rules for GLM-4.5, based on JSON.
    SglangGlm45,
    /// SGLang's rules for GLM-4.7, based on JSON.
    SglangGlm47,
    /// The same, but a string in the schema is the text itself.
    SglangVerbatimStrings,
    /// SGLang's rules for Hunyuan 3: the types in the order boolean, integer, number, JSON, string; then JSON.
    Hunyuan,
    /// vLLM's rules for Hunyuan 3: the same, then a Python literal.
    HunyuanOrLiteral,
    /// vLLM's rules for Poolside: JSON, a Python literal, else trimmed text; text for strings.
    VllmPoolside,
    /// SGLang's rules for K2 Horizon: JSON, else text; text for strings.
    SglangHorizon,
    /// SGLang's rules for Spark 2.5, by a single type.
    SglangSpark,
    /// SGLang's rules for Poolside: JSON, a Python literal if the schema names a type, else text; text for strings.
    SglangPoolside,
    /// JSON, else a Python literal, else text; text if the schema asks for a string.
    JsonOrLiteral,
    /// The same, and text if the schema has no type for it.
    TypedJsonOrLiteral,
    /// A Python number, a boolean or null, if that is the only type in the schema; else text.
    Scalar,
    /// The rules of Dots, by a single type, which may be found through references.
    Dots,
    /// SGLang's rules for Qwen3-Coder, by a single type.
    SglangQwen,
    /// SGLang's rules for `MiMo`, by a single type.
    SglangMimo,
    /// vLLM's rules for Step 3.5, by a single type.
    VllmStep,
    /// mlx-lm's rules for Qwen3-Coder, by a single type.
    MlxQwen,
    /// SGLang's rules for `MiniMax` M2, by all types.
    SglangMinimax,
    /// mlx-lm's rules for `MiniMax` M2, by all types.
    MlxMinimax,
    /// `LMDeploy`'s rules for values in tags, by a single type; a text that does not fit is kept.
    Lmdeploy,
    /// Dynamo's rules for values in tags: `null` is null, whole numbers are integers, else as `Vllm`.
    Dynamo,
    /// Ollama's rules for values in tags, by all types.
    Ollama,
    /// Ollama's rules for Python's literals: words, numbers, JSON or a literal in brackets, else text.
    OllamaLiteral,
    /// SMG's rules for GLM and Step 3: by a single type, then JSON, Python's constants, numbers.
    SmgTags,
    /// SMG's rules for Qwen3-Coder: by a single type, then JSON, Python's constants.
    SmgParameters,
    /// SMG's rules for `MiniMax` M2: by a single type, then words and numbers.
    SmgLiterals,
    /// SMG's rules for Step 3, which has no schema: JSON, Python's constants, numbers.
    SmgUntyped,
}

/// The first source of a value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOrigin {
    /// The schema of the parameter.
    Schema,
    /// The text, read as JSON.
    Json,
    /// The text, read as a Python literal.
    Python,
}

impl Typing {
    /// The first source of a value's type by these rules.
    pub(crate) fn type_origin(self) -> TypeOrigin {
        match self {
            Self::JsonOrText
            | Self::StrictJsonOrText
            | Self::Rfc8259OrText
            | Self::SglangGlm45
            | Self::SglangGlm47
            | Self::SmgUntyped => TypeOrigin::Json,
            Self::LiteralOrText | Self::SingleQuoted | Self::JsonOrLiteral | Self::OllamaLiteral => TypeOrigin::Python,
            _ => TypeOrigin::Schema,
        }
    }
}

/// The consequence of a text that cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypingFault {
    /// The call cannot be read.
    Bad,
    /// The parser raises, and the request fails.
    Raise,
}

/// Converts a text; `schema` is the parameter's, if the request has one.
///
/// # Errors
/// The consequence if the rules reject the text.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>, typing: Typing) -> Result<PlainValue, TypingFault> {
    match typing {
        Typing::Text => Ok(PlainValue::Text(text.to_string())),
        Typing::JsonOrText => Ok(json_or_text(text, Flavour::Python)),
        Typing::StrictJsonOrText => Ok(json_or_text(text, Flavour::NoConstants)),
        Typing::Vllm => Ok(vllm(text, schema)),
        Typing::Rfc8259OrText => Ok(json_or_text(text, Flavour::Strict)),
        Typing::LiteralOrText => Ok(literal_value(text).unwrap_or_else(|| PlainValue::Text(text.to_string()))),
        Typing::SingleQuoted => Ok(transformers::single_quoted(text, schema)),
        Typing::SglangGlm45 => Ok(glm45::sglang_45(text, schema)),
        Typing::SglangGlm47 => Ok(glm45::sglang_47(text, schema)),
        Typing::Hunyuan => hunyuan::value(text, schema, hunyuan::Fallback::Json),
        Typing::HunyuanOrLiteral => hunyuan::value(text, schema, hunyuan::Fallback::JsonOrLiteral),
        Typing::VllmPoolside => Ok(glm45::unless_string(text, schema)),
        Typing::SglangHorizon => Ok(glm45::horizon(text, schema)),
        Typing::SglangSpark => Ok(glm45::spark(text, schema)),
        Typing::SglangPoolside => Ok(glm45::poolside(text, schema)),
        Typing::SglangVerbatimStrings => Ok(glm45::sglang_verbatim_strings(text, schema)),
        Typing::JsonOrLiteral => {
            let is_string = schema.and_then(|schema| schema.get("type")?.as_str()) == Some("string");
            Ok(if is_string { PlainValue::Text(text.to_string()) } else { json_or_literal(text) })
        }
        Typing::TypedJsonOrLiteral => Ok(match schema.and_then(|schema| schema.get("type")) {
            None => PlainValue::Text(text.to_string()),
            Some(name) if name.as_str() == Some("string") => PlainValue::Text(text.to_string()),
            Some(_) => json_or_literal(text),
        }),
        Typing::Scalar => Ok(scalar(text, schema)),
        Typing::Dots => Ok(dots::value(text, schema)),
        Typing::SglangQwen => schema_type::value(text, schema, schema_type::SchemaTypeVariant::SglangQwen),
        Typing::SglangMimo => schema_type::value(text, schema, schema_type::SchemaTypeVariant::SglangMimo),
        Typing::VllmStep => schema_type::value(text, schema, schema_type::SchemaTypeVariant::VllmStep),
        Typing::MlxQwen => schema_type::value(text, schema, schema_type::SchemaTypeVariant::Mlx),
        Typing::SglangMinimax => schema_types::value(text, schema, schema_types::SchemaTypesVariant::Sglang),
        Typing::MlxMinimax => schema_types::value(text, schema, schema_types::SchemaTypesVariant::Mlx),
        Typing::Dynamo => Ok(dynamo::value(text, schema)),
        Typing::Lmdeploy => Ok(lmdeploy::value(text, schema)),
        Typing::Ollama => Ok(ollama::value(text, schema)),
        Typing::OllamaLiteral => Ok(ollama::literal(text)),
        Typing::SmgTags => Ok(smg::value(text, schema, smg::Untyped::JsonWordsNumbers)),
        Typing::SmgParameters => Ok(smg::value(text, schema, smg::Untyped::JsonWords)),
        Typing::SmgLiterals => Ok(smg::value(text, schema, smg::Untyped::WordsNumbers)),
        Typing::SmgUntyped => Ok(smg::value(text, None, smg::Untyped::JsonWordsNumbers)),
    }
}

fn json_or_text(text: SourceText<'_>, flavour: Flavour) -> PlainValue {
    json_value(text, flavour).unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

fn scalar(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let found = match schema.and_then(|schema| schema.get("type")?.as_str()) {
        Some("integer") => python_int(&text),
        Some("number") => python_float(&text).map(PlainValue::Float),
        Some("boolean") => match text.to_lowercase().as_str() {
            "true" => Some(PlainValue::Bool(true)),
            "false" => Some(PlainValue::Bool(false)),
            _ => None,
        },
        Some("null") => text.eq_ignore_ascii_case("null").then_some(PlainValue::Null),
        _ => None,
    };
    found.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// The value of a text that is valid JSON.
fn json_value(text: SourceText<'_>, flavour: Flavour) -> Option<PlainValue> {
    flavour::read_all(text, flavour).ok().map(|found| found.value)
}

/// The value of a text that is a Python literal.
fn literal_value(text: SourceText<'_>) -> Option<PlainValue> {
    literal_eval::read_all(text).map(|found| found.value)
}

/// JSON, else a Python literal, else text.
pub(crate) fn json_or_literal(text: SourceText<'_>) -> PlainValue {
    let found = json_value(text, Flavour::Python).or_else(|| literal_value(text));
    found.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// The types in a schema, in no particular order; `string` if it names none.
pub(crate) fn types(schema: Option<&Json>) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(schema) = schema {
        collect_types(schema, &mut out);
    }
    if out.is_empty() {
        out.push("string".to_owned());
    }
    out
}

fn collect_types(schema: &Json, out: &mut Vec<String>) {
    out.extend(named_types(schema).map(str::to_owned));
    out.extend(elements(schema, "enum").map(|value| type_of(value).to_owned()));
    for choice in alternatives(schema, &ALTERNATIVES) {
        let before = out.len();
        collect_types(choice, out);
        if out.len() == before {
            out.push("string".to_owned());
        }
    }
}

/// The standard name of a type.
fn plain_type(name: &str) -> String {
    let name = name.trim().to_lowercase();
    match name.as_str() {
        "str" | "text" | "varchar" | "char" | "enum" => "string".to_owned(),
        "int" | "int32" | "int64" | "uint" | "uint32" | "uint64" | "long" | "short" | "unsigned" => {
            "integer".to_owned()
        }
        "float" | "float32" | "float64" | "double" => "number".to_owned(),
        "bool" => "boolean".to_owned(),
        "dict" => "object".to_owned(),
        "arr" | "list" | "sequence" => "array".to_owned(),
        _ => name,
    }
}

fn vllm(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let types: Vec<String> = types(schema).iter().map(|name| plain_type(name)).collect();
    for candidate in ["null", "integer", "number", "boolean", "object", "array", "string"] {
        if !types.iter().any(|name| name == candidate) {
            continue;
        }
        let found = match candidate {
            "null" => text.eq_ignore_ascii_case("null").then_some(PlainValue::Null),
            "integer" => python_int(&text),
            "number" => python_int(&text).or_else(|| match python_float(&text)? {
                number if !number.is_finite() => None,
                number if number.fract() == 0.0 && number.abs() < 1e15 => Some(PlainValue::Int(format!("{number:.0}"))),
                number => Some(PlainValue::Float(number)),
            }),
            "boolean" => match text.to_lowercase().trim() {
                "true" | "1" => Some(PlainValue::Bool(true)),
                "false" | "0" => Some(PlainValue::Bool(false)),
                _ => None,
            },
            "string" => Some(PlainValue::Text(text.to_string())),
            _ => json_value(text, Flavour::Python).filter(is_finite),
        };
        if let Some(found) = found {
            return found;
        }
    }
    let found = json_value(text, Flavour::Python).filter(is_finite);
    found.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// A value coerced to its schema as vLLM's engine does, including objects and lists; `message` is the source text.
pub(crate) fn coerced(mut placed: Placed, schema: &Json, message: &str) -> Placed {
    placed.value = match placed.value {
        PlainValue::Object(members) => {
            let properties = schema.get("properties").and_then(Json::as_object);
            let one = |member: Member| {
                let schema = properties.and_then(|all| all.get(&member.key)).filter(|schema| schema.is_object());
                match schema {
                    Some(schema) => Member { value: coerced(member.value, schema, message), ..member },
                    None => member,
                }
            };
            PlainValue::Object(members.into_iter().map(one).collect())
        }
        PlainValue::List(items) => match schema.get("items").filter(|items| items.is_object()) {
            Some(schema) => PlainValue::List(items.into_iter().map(|item| coerced(item, schema, message)).collect()),
            None => PlainValue::List(items),
        },
        PlainValue::Text(text) => {
            placed.value = PlainValue::Text(text);
            let made = flavour::reread(&placed, message, |text| Some(vllm(text, Some(schema))));
            made.unwrap_or(PlainValue::Null)
        }
        other => vllm(SourceText::whole(&other.dumps()), Some(schema)),
    };
    placed
}

/// The JSON schema name of a value's type.
pub(crate) fn json_type(value: &PlainValue) -> &'static str {
    match value {
        PlainValue::Null => "null",
        PlainValue::Bool(_) => "boolean",
        PlainValue::Float(number) if number.fract() != 0.0 => "number",
        PlainValue::Int(_) | PlainValue::Float(_) => "integer",
        PlainValue::Text(_) => "string",
        PlainValue::List(_) => "array",
        PlainValue::Object(_) => "object",
    }
}

/// The result of Python's `int(number)` for a number without a fraction.
pub(crate) fn whole_number(number: f64) -> PlainValue {
    if !number.is_finite() {
        return PlainValue::Float(number);
    }
    PlainValue::Int(if number == 0.0 { "0".to_owned() } else { format!("{number:.0}") })
}

/// The result of Python's `int(text)`; `None` if it raises.
pub(crate) fn python_int(text: &str) -> Option<PlainValue> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = !digits.is_empty() && !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    if !plain || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let digits = digits.trim_start_matches('0');
    Some(PlainValue::Int(if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") }))
}

/// The result of Python's `float(text)`; `None` if it raises.
pub(crate) fn python_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let words = text.trim_start_matches(['+', '-']).to_lowercase();
    let named = matches!(words.as_str(), "inf" | "infinity" | "nan");
    let plain = words.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if named || plain { text.replace('_', "").parse().ok() } else { None }
}
