//! The request as a runtime knows it when it reads an answer: its tools, and whether the prompt opens thinking.

use std::borrow::Borrow;

use serde_json::{Value as Json, json};

/// Most references and alternatives that lead from a parameter to its type.
const MAX_REFERENCES: usize = 10;

/// Most schemas that are looked at for one type, and most that wait for it.
const MAX_SCHEMAS: usize = 1000;

/// The tools of a request; none is not the same as an empty list of them.
#[derive(Clone, Debug, Default)]
pub struct ToolRequest {
    /// The tools, if the request names any.
    pub tools: Option<Vec<Tool>>,
    /// True if the tools were made of the calls in the text, for want of a request.
    pub is_assumed: bool,
    /// Whether thinking is on; absent where it is not known: then it is on if the text ends thinking that it does not begin.
    pub thinking: Option<bool>,
}

/// A tool with the JSON schema of its parameters.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// The schema of its parameters: an object with `properties`.
    pub parameters: Json,
}

impl ToolRequest {
    /// The tools of a list as requests of the OpenAI API have it: `[{"type": "function", "function": {"name", "parameters"}}]`.
    pub fn from_tools(tools: Option<&[Json]>) -> Self {
        let tool = |tool: &Json| {
            let function = tool.get("function").unwrap_or(tool);
            let parameters = function.get("parameters").cloned().unwrap_or(Json::Null);
            Some(Tool { name: function.get("name")?.as_str()?.to_owned(), parameters })
        };
        Self { tools: tools.map(|tools| tools.iter().filter_map(tool).collect()), ..Self::default() }
    }

    /// The tools of a schema file: an object from the name of each tool to the schema of its parameters, or a list of
    /// tools as a request has it. Whether the schemas are right is not asked, as no runtime does.
    ///
    /// # Errors
    /// Says why it is neither.
    pub fn from_file(bytes: &[u8]) -> Result<Self, String> {
        match serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))? {
            Json::Array(tools) => Ok(Self::from_tools(Some(&tools))),
            Json::Object(tools) => {
                let tools = tools.into_iter().map(|(name, parameters)| Tool { name, parameters });
                Ok(Self { tools: Some(tools.collect()), ..Self::default() })
            }
            _ => Err("it is neither a JSON object that maps tool names to schemas nor a list of tools".to_owned()),
        }
    }

    /// Tools that allow these calls: each parameter has the types of the values that it has in them, and none is required.
    pub fn assumed<'c>(calls: impl Iterator<Item = (&'c str, impl Borrow<Json>)>) -> Self {
        let mut tools: Vec<Tool> = Vec::new();
        for (name, arguments) in calls {
            let known = tools.iter().position(|tool| tool.name == name);
            let number = known.unwrap_or_else(|| {
                tools.push(Tool { name: name.to_owned(), parameters: json!({ "type": "object", "properties": {} }) });
                tools.len() - 1
            });
            let properties = &mut tools[number].parameters["properties"];
            for (key, value) in arguments.borrow().as_object().into_iter().flatten() {
                let of_value = json!(type_of(value));
                match properties[key]["type"].as_array_mut() {
                    Some(types) if types.contains(&of_value) => {}
                    Some(types) => types.push(of_value),
                    None => properties[key] = json!({ "type": [of_value] }),
                }
            }
        }
        let single = |property: &mut Json| {
            if let Some([one]) = property["type"].as_array().map(Vec::as_slice) {
                property["type"] = one.clone();
            }
        };
        for tool in &mut tools {
            tool.parameters["properties"].as_object_mut().into_iter().flat_map(|map| map.values_mut()).for_each(single);
        }
        Self { tools: Some(tools), is_assumed: true, thinking: None }
    }

    /// The names of the tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().flatten().map(|tool| tool.name.as_str())
    }

    /// Whether a tool is among them.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Whether it names a tool at all.
    pub fn has_tools(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| !tools.is_empty())
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().flatten().find(|tool| tool.name == name)
    }

    /// The names of the parameters of a tool, in the order of its schema.
    pub fn parameters(&self, tool: &str) -> Vec<&str> {
        let properties = self.tool(tool).and_then(|tool| tool.parameters.get("properties")?.as_object());
        properties.map(|properties| properties.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The tool that a call with these keys is meant for: the only one, or the first of those with the most of the keys
    /// at least half of them; nothing where keys are needed and not known.
    pub fn tool_for(&self, keys: Option<&[String]>) -> Option<&str> {
        let tools = self.tools.as_deref().unwrap_or_default();
        if let [only] = tools {
            return Some(&only.name);
        }
        let keys = keys?;
        let mut best: Option<(usize, &str)> = None;
        for tool in tools {
            let parameters = self.parameters(&tool.name);
            let there = keys.iter().filter(|key| parameters.contains(&key.as_str())).count();
            if !parameters.is_empty() && 2 * there >= keys.len() && best.is_none_or(|(most, _)| there > most) {
                best = Some((there, &tool.name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// The names of the parameters that a tool requires.
    pub fn required(&self, tool: &str) -> Vec<&str> {
        let required = self.tool(tool).and_then(|tool| tool.parameters.get("required")?.as_array());
        required.map(|names| names.iter().filter_map(Json::as_str).collect()).unwrap_or_default()
    }

    /// The schema of all parameters of a tool.
    pub fn parameters_schema(&self, tool: &str) -> Option<&Json> {
        self.tool(tool).map(|tool| &tool.parameters)
    }

    /// The schema of a parameter.
    pub fn schema(&self, tool: &str, parameter: &str) -> Option<&Json> {
        self.tool(tool)?.parameters.get("properties")?.get(parameter)
    }

    /// What names the type of a parameter: its schema, what that refers to under `$defs`, or the first of its alternatives
    /// that does it and is not null.
    pub fn typed_schema(&self, tool: &str, parameter: &str) -> Option<&Json> {
        let definitions = self.tool(tool)?.parameters.get("$defs");
        let mut waiting = vec![(self.schema(tool, parameter)?, 0)];
        let mut looked_at = 0;
        while let Some((schema, depth)) = waiting.pop() {
            looked_at += 1;
            if looked_at > MAX_SCHEMAS {
                return None;
            }
            if schema.get("type").is_some() {
                return Some(schema);
            }
            if depth >= MAX_REFERENCES {
                continue;
            }
            let name = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
            let referred = name.and_then(|path| definitions?.get(path.rsplit('/').next()?));
            let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
            let is_null = |choice: &&Json| choice.get("type").and_then(Json::as_str) == Some("null");
            let choices = lists.filter(|choice| !is_null(choice));
            // The last is looked at first.
            let next: Vec<&Json> = match referred {
                Some(schema) => vec![schema],
                None => choices.collect(),
            };
            let room = MAX_SCHEMAS.saturating_sub(waiting.len());
            waiting.extend(next.into_iter().take(room).rev().map(|schema| (schema, depth + 1)));
        }
        None
    }

    /// Whether the schema says that a parameter is a string.
    pub fn is_string(&self, tool: &str, parameter: &str) -> bool {
        let schema = self.schema(tool, parameter);
        schema.and_then(|schema| schema.get("type")).and_then(Json::as_str) == Some("string")
    }
}

/// Whether a schema names a type among those that a value may have; the types of its alternatives count.
pub fn may_be(schema: &Json, name: &str) -> bool {
    let same = |own: &str| own == name || (name == "number" && own == "integer");
    let is_named = match schema.get("type") {
        Some(Json::String(own)) => same(own),
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).any(same),
        _ => false,
    };
    let values = schema.get("enum").and_then(Json::as_array).into_iter().flatten().chain(schema.get("const"));
    let mut values = values.map(type_of);
    let alternatives = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    is_named || values.any(same) || alternatives.clone().any(|inner| may_be(inner, name))
}

/// The type that a schema gives to a value.
pub(super) fn type_of(value: &Json) -> &'static str {
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
