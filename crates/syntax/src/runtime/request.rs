//! The request as a runtime knows it when reading the answer: its tools and settings.

use std::borrow::Borrow;

use serde_json::{Value as Json, json};

use super::settings::RequestSettings;
use crate::value::tools::{ALTERNATIVES, Tool, ToolSet, alternatives, type_of};

/// Maximum number of references and alternatives between a parameter and its type.
const MAX_REFERENCES: usize = 10;

/// Maximum number of schemas that are examined for one type, and that are queued.
const MAX_SCHEMAS: usize = 1000;

/// The tools of a request; a request without tools differs from one with an empty list.
#[derive(Clone, Debug, Default)]
pub struct ToolRequest {
    /// The tools, if the request has any.
    pub tools: Option<ToolSet>,
    /// True if the tools were derived from the calls in the text, in the absence of a request.
    pub is_assumed: bool,
    /// Settings other than the tools; the default leaves all unstated.
    pub settings: RequestSettings,
}

impl ToolRequest {
    /// A request with these tools.
    pub fn with(tools: ToolSet) -> Self {
        Self { tools: Some(tools), ..Self::default() }
    }

    /// Tools that accept these calls: each parameter has the types of its values in them, and none is required.
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
        Self { tools: Some(ToolSet { tools }), is_assumed: true, settings: RequestSettings::default() }
    }

    /// The tools; empty if the request has none.
    pub fn tools(&self) -> &[Tool] {
        self.tools.as_ref().map(|set| set.tools.as_slice()).unwrap_or_default()
    }

    /// The names of the tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools().iter().map(|tool| tool.name.as_str())
    }

    /// True if the request has a tool with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.as_ref()?.get(name)
    }

    /// The names of the parameters of a tool, in the order of its schema.
    pub(crate) fn parameters(&self, tool: &str) -> Vec<&str> {
        self.tool(tool).map(|tool| tool.keys().collect()).unwrap_or_default()
    }

    /// The tool that a call with these keys is meant for: the only one, or the first one with the most of the keys,
    /// which must be at least half of them. `None` if the keys are needed but not known.
    pub(crate) fn tool_for(&self, keys: Option<&[String]>) -> Option<&str> {
        let tools = self.tools();
        if let [only] = tools {
            return Some(&only.name);
        }
        let keys = keys?;
        let mut best: Option<(usize, &str)> = None;
        for tool in tools {
            let parameters: Vec<&str> = tool.keys().collect();
            let there = keys.iter().filter(|key| parameters.contains(&key.as_str())).count();
            if !parameters.is_empty() && 2 * there >= keys.len() && best.is_none_or(|(most, _)| there > most) {
                best = Some((there, &tool.name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// The names of the parameters that a tool requires.
    pub(crate) fn required(&self, tool: &str) -> Vec<&str> {
        self.tool(tool).map(|tool| tool.required().collect()).unwrap_or_default()
    }

    /// The schema of all parameters of a tool.
    pub(crate) fn parameters_schema(&self, tool: &str) -> Option<&Json> {
        self.tool(tool).map(|tool| &tool.parameters)
    }

    /// The schema of a parameter.
    pub(crate) fn schema(&self, tool: &str, parameter: &str) -> Option<&Json> {
        self.tool(tool)?.schema(parameter)
    }

    /// The schema that states the type of a parameter: its own, one under `$defs` that it refers to, or the first of
    /// its alternatives that states a type other than null.
    pub(crate) fn typed_schema(&self, tool: &str, parameter: &str) -> Option<&Json> {
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
            let is_null = |choice: &&Json| choice.get("type").and_then(Json::as_str) == Some("null");
            let choices = alternatives(schema, &ALTERNATIVES).filter(|choice| !is_null(choice));
            // The last one is examined first.
            let next: Vec<&Json> = match referred {
                Some(schema) => vec![schema],
                None => choices.collect(),
            };
            let room = MAX_SCHEMAS.saturating_sub(waiting.len());
            waiting.extend(next.into_iter().take(room).rev().map(|schema| (schema, depth + 1)));
        }
        None
    }

    /// True if the schema of a parameter has the type `string`.
    pub(crate) fn is_string(&self, tool: &str, parameter: &str) -> bool {
        let schema = self.schema(tool, parameter);
        schema.and_then(|schema| schema.get("type")).and_then(Json::as_str) == Some("string")
    }
}
