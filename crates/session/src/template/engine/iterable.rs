//! Iterables that Python has and the engine does not tell from lists: generators, which are used up by one iteration, and
//! views of dicts.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr, Value, ValueKind};
use minijinja::{Error, ErrorKind};

/// What `map`, `select`, `items` and other filters return in Python: true, without a length, iterable once.
#[derive(Debug)]
pub struct Generator(Mutex<Option<Value>>);

impl Generator {
    /// A generator of the items of a value.
    pub fn of(items: Value) -> Value {
        Value::from_object(Self(Mutex::new(Some(items))))
    }
}

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let items = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match items.map(|items| items.try_iter()) {
            Some(Ok(items)) => Enumerator::Iter(Box::new(items)),
            Some(Err(_)) | None => Enumerator::Iter(Box::new(std::iter::empty())),
        }
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        None
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("<generator object>")
    }
}

/// True if a value can be iterated only once.
pub fn is_generator(value: &Value) -> bool {
    value.downcast_object_ref::<Generator>().is_some()
}

/// What `items`, `keys` and `values` of a dict return in Python: not a list for JSON, else like one.
#[derive(Debug)]
pub struct DictView {
    kind: DictViewKind,
    values: Vec<Value>,
}

/// The method that returned a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DictViewKind {
    /// Pairs of key and value, as of `dict.items()`.
    Items,
    /// Keys alone, as of `dict.keys()`.
    Keys,
    /// Values alone, as of `dict.values()`.
    Values,
}

impl DictView {
    /// A view of the values.
    pub fn of(kind: DictViewKind, values: Vec<Value>) -> Value {
        Value::from_object(Self { kind, values })
    }
}

impl Object for DictView {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.values.clone())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.values.len())
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            DictViewKind::Items => "dict_items",
            DictViewKind::Keys => "dict_keys",
            DictViewKind::Values => "dict_values",
        };
        write!(out, "{name}({})", Value::from(self.values.clone()))
    }
}

/// A method of a dict that is not called: true, and nothing else.
#[derive(Debug)]
pub struct DictMethod(String);

impl Object for DictMethod {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "<built-in method {} of dict object>", self.0)
    }
}

/// An attribute with the name of a method of dicts.
///
/// # Errors
///
/// An attribute of an undefined value.
pub fn attribute(value: &Value, name: String) -> Result<Value, Error> {
    // A namespace is a map of the engine.
    let is_dict = value.kind() == ValueKind::Map
        && !value.as_object().is_some_and(|object| object.type_name().contains("Namespace"));
    if is_dict { Ok(Value::from_object(DictMethod(name))) } else { value.get_attr(&name) }
}

/// True if Python takes the value for a sequence: it has a length, and items by number or key.
pub fn is_sequence(value: &Value) -> bool {
    value.is_undefined()
        || value.as_str().is_some()
        || matches!(value.kind(), ValueKind::Map | ValueKind::Seq)
        || value.kind() == ValueKind::Iterable
            && value.len().is_some()
            && value.downcast_object_ref::<DictView>().is_none()
}

/// The value that a loop iterates.
///
/// # Errors
///
/// None and other values that Python refuses to iterate.
pub fn iterated(value: Value) -> Result<Value, Error> {
    if value.is_none() || value.as_object().is_none() && value.as_str().is_none() && !value.is_undefined() {
        return Err(type_error(format!("'{}' object is not iterable", python_type(&value))));
    }
    Ok(match value.as_str() {
        // The engine does not know how many characters a string has, and would miss the last turn.
        Some(text) => Value::from(text.chars().map(Value::from).collect::<Vec<_>>()),
        None if is_generator(&value) => Value::from(value.try_iter()?.collect::<Vec<_>>()),
        None => value,
    })
}

/// The value that a loop with several targets iterates: a string among its items is unpacked into characters.
///
/// # Errors
///
/// Values that Python refuses to iterate.
pub fn unpacked(value: Value) -> Result<Value, Error> {
    let value = iterated(value)?;
    if value.is_undefined() {
        return Ok(value);
    }
    let mut items: Vec<Value> = value.try_iter()?.collect();
    if !items.iter().any(|item| item.as_str().is_some()) {
        return Ok(value);
    }
    for item in &mut items {
        let characters: Option<Vec<Value>> = item.as_str().map(|text| text.chars().map(Value::from).collect());
        if let Some(characters) = characters {
            *item = Value::from(characters);
        }
    }
    Ok(Value::from(items))
}

/// The right operand of `in`.
///
/// # Errors
///
/// None and numbers, in which nothing can be searched.
pub fn searched(value: Value) -> Result<Value, Error> {
    if value.is_none() || value.as_object().is_none() && value.as_str().is_none() && !value.is_undefined() {
        return Err(type_error(format!("argument of type '{}' is not iterable", python_type(&value))));
    }
    Ok(value)
}

/// An error of the kind that Python calls `TypeError`.
pub fn type_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// Name of a value's type in Python.
pub fn python_type(value: &Value) -> &'static str {
    match value.kind() {
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Map => "dict",
        ValueKind::Iterable if is_generator(value) => "generator",
        ValueKind::Seq | ValueKind::Iterable => "list",
        ValueKind::Undefined => "Undefined",
        _ => "object",
    }
}
