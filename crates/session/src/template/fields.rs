//! The strings and numbers of a conversation that a template may print, with their paths.
//!
//! `role` and `type` are not among them: templates compare them, and what they lead to is the template's own text. Keys are,
//! where they are data: in arguments and in a schema's `properties`.

use serde_json::{Map, Value};

use super::conversation::Conversation;

/// A string or number of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct InputField {
    /// Where it is: `messages[1].content`, `tools[0].function.name`, `bos_token`.
    pub path: String,
    /// True if it is the key at that path, not its value.
    pub is_key: bool,
    /// The value; of a key, its text.
    pub value: Value,
}

impl InputField {
    /// True if it is the id of a call, or of the call that a result answers.
    #[must_use]
    pub fn is_id(&self) -> bool {
        !self.is_key && [".id", ".tool_call_id"].iter().any(|end| self.path.ends_with(end))
    }
}

/// The input of a template, without its options.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemplateInput {
    /// Messages and tools, which have most of the fields.
    pub conversation: Conversation,
    /// Special tokens by the name of their variable.
    pub special_tokens: Map<String, Value>,
}

impl TemplateInput {
    /// All fields, in the order of [`Self::with_fields`].
    #[must_use]
    pub fn fields(&self) -> Vec<InputField> {
        let mut fields = Vec::new();
        _ = self.mapped(&mut |path, is_key, value| {
            fields.push(InputField { path: path.to_owned(), is_key, value: value.clone() });
            value.clone()
        });
        fields
    }

    /// A copy in which each field is replaced by what `replace` returns for its number and value. `None` leaves it unchanged.
    #[must_use]
    pub fn with_fields(&self, mut replace: impl FnMut(usize, &Value) -> Option<Value>) -> Self {
        let mut number = 0;
        self.mapped(&mut |_, _, value| {
            number += 1;
            replace(number - 1, value).unwrap_or_else(|| value.clone())
        })
    }

    fn mapped(&self, visit: &mut Visit<'_>) -> Self {
        let mut list = |name: &str, values: &[Value]| -> Vec<Value> {
            let numbered = values.iter().enumerate();
            numbered.map(|(index, value)| mapped(value, &format!("{name}[{index}]"), Keys::Structure, visit)).collect()
        };
        let messages = list("messages", &self.conversation.messages);
        let tools = self.conversation.tools.as_ref().map(|tools| list("tools", tools));
        let special_tokens = self.special_tokens.iter();
        let special_tokens = special_tokens.map(|(name, value)| (name.clone(), visit(name, false, value))).collect();
        Self { conversation: Conversation { messages, tools }, special_tokens }
    }
}

/// Gets path, "is a key" and value of a field, and returns its replacement.
type Visit<'a> = dyn FnMut(&str, bool, &Value) -> Value + 'a;

/// The keys of an object.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    /// They are the format's, and no field.
    Structure,
    /// They are data, and so are the keys of objects in it.
    Data,
    /// They are data, and the keys of objects in it are not.
    Properties,
}

fn mapped(value: &Value, path: &str, keys: Keys, visit: &mut Visit<'_>) -> Value {
    match value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            Value::Array(numbered.map(|(index, item)| mapped(item, &format!("{path}[{index}]"), keys, visit)).collect())
        }
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| {
                    let inner = format!("{path}.{key}");
                    if keys == Keys::Structure {
                        let mapped = match key.as_str() {
                            "role" | "type" => member.clone(),
                            "arguments" => mapped(member, &inner, Keys::Data, visit),
                            "properties" => mapped(member, &inner, Keys::Properties, visit),
                            _ => mapped(member, &inner, Keys::Structure, visit),
                        };
                        return (key.clone(), mapped);
                    }
                    let replaced = visit(&inner, true, &Value::String(key.clone()));
                    let below = if keys == Keys::Data { Keys::Data } else { Keys::Structure };
                    (replaced.as_str().unwrap_or(key).to_owned(), mapped(member, &inner, below, visit))
                })
                .collect(),
        ),
        scalar => visit(path, false, scalar),
    }
}
