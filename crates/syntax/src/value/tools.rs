//! Tools with the JSON Schemas of their parameters: parsing their file, and the common steps of walking a schema.
//!
//! Nothing here validates or converts: each runtime walks a schema in its own order.

use serde_json::Value as Json;

/// Most references that are followed one after another; a schema may refer to itself.
const MAX_REFERENCES: usize = 16;

/// The keywords of a schema that list alternatives.
pub(crate) const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// A tool.
#[derive(Clone, Debug)]
pub struct Tool {
    pub(crate) name: String,
    /// The schema of its parameters: an object with `properties`; null if it has none.
    pub(crate) parameters: Json,
}

/// The tools of a request or of a file, in order.
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    pub(crate) tools: Vec<Tool>,
}

impl ToolSet {
    /// Parses the tools of a file: a JSON object from the name of each tool to the schema of its parameters, or the
    /// `tools` of a request to the OpenAI API, a list of `{"type": "function", "function": {"name", "parameters"}}`.
    ///
    /// # Errors
    /// Says in one line that the file is neither, or that a tool has no name.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        match serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))? {
            Json::Object(tools) => {
                let tools = tools.into_iter().map(|(name, parameters)| Tool { name, parameters });
                Ok(Self { tools: tools.collect() })
            }
            Json::Array(tools) => {
                let set = Self::from_list(&tools);
                if set.tools.len() < tools.len() {
                    return Err("a tool of the list has no name".into());
                }
                Ok(set)
            }
            _ => Err("it is neither a JSON object that maps tool names to schemas nor a list of tools".into()),
        }
    }

    /// The tools in the form of requests to the OpenAI API; tools without a name are left out.
    pub fn from_list(tools: &[Json]) -> Self {
        let tool = |tool: &Json| {
            let function = tool.get("function").unwrap_or(tool);
            let parameters = function.get("parameters").cloned().unwrap_or(Json::Null);
            Some(Tool { name: function.get("name")?.as_str()?.to_owned(), parameters })
        };
        Self { tools: tools.iter().filter_map(tool).collect() }
    }

    /// The tool with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl Tool {
    /// The names of its parameters, in the order of the schema.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let properties = self.parameters.get("properties").and_then(Json::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str))
    }

    /// The schema of a parameter.
    pub(crate) fn schema(&self, parameter: &str) -> Option<&Json> {
        self.parameters.get("properties")?.get(parameter)
    }

    /// The names of the required parameters.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        elements(&self.parameters, "required").filter_map(Json::as_str)
    }
}

/// The elements of a list under a keyword; empty if there is no list.
pub(crate) fn elements<'a>(schema: &'a Json, keyword: &str) -> std::slice::Iter<'a, Json> {
    schema.get(keyword).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}

/// The alternatives of a schema under these keywords.
pub(crate) fn alternatives<'a>(schema: &'a Json, keywords: &'a [&str]) -> impl Iterator<Item = &'a Json> + Clone {
    keywords.iter().flat_map(move |keyword| elements(schema, keyword))
}

/// The names under `type`, which may be a single one, a list, or missing.
pub(crate) fn named_types(schema: &Json) -> impl Iterator<Item = &str> {
    let one = schema.get("type").and_then(Json::as_str);
    one.into_iter().chain(elements(schema, "type").filter_map(Json::as_str))
}

/// A schema, or the one in the same file that it refers to.
pub(crate) fn resolve<'a>(root: &'a Json, mut schema: &'a Json) -> &'a Json {
    for _ in 0..MAX_REFERENCES {
        let target = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix('#'));
        match target.and_then(|path| root.pointer(path)) {
            Some(found) => schema = found,
            None => break,
        }
    }
    schema
}

/// True if a schema or one of its alternatives names this type.
pub(crate) fn may_be(schema: &Json, name: &str) -> bool {
    let same = |own: &str| own == name || (name == "number" && own == "integer");
    let mut values = elements(schema, "enum").chain(schema.get("const")).map(type_of);
    named_types(schema).any(same)
        || values.any(same)
        || alternatives(schema, &ALTERNATIVES).any(|inner| may_be(inner, name))
}

/// The name of a value's type in a schema.
pub(crate) fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
