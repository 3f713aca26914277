//! Filters, tests and functions that differ between the engine and jinja2, as transformers sets it up.

use minijinja::value::{DynObject, Kwargs, ObjectRepr, Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters, functions, tests};

use super::super::failure::RAISED;
use super::super::marks;
use super::iterable::{self, Generator, python_type, type_error};
use super::methods::{pairs, strip};
use super::{json, rewrite};

/// Adds them to an environment.
pub fn add(environment: &mut Environment<'_>) {
    environment.add_filter(rewrite::ITERATED, iterable::iterated);
    environment.add_filter(rewrite::UNPACKED, iterable::unpacked);
    environment.add_filter(rewrite::SEARCHED, iterable::searched);
    environment.add_filter(rewrite::SLICED, sliced);
    environment.add_filter("dictsort", dictsort);
    environment.add_filter("tojson", json::tojson);
    environment.add_filter("trim", trim);
    environment.add_filter("length", length);
    environment.add_filter("count", length);
    environment.add_filter("items", items);
    environment.add_filter("string", |value: &Value| Value::from(text(value)));
    environment.add_filter("safe", |value: &Value| Value::from(text(value)));
    add_iterating(environment);
    environment.add_test("iterable", |value: &Value| is_iterable(value));
    let is_in = Value::from_function(tests::is_in);
    environment.add_test("in", move |state: &mut State<'_, '_>, value: Value, container: Value| {
        is_in.call(state, &[value, iterable::searched(container)?])
    });
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("namespace", namespace);
    // Not in jinja2.
    for filter in ["split", "lines", "bool", "chain", "zip"] {
        environment.remove_filter(filter);
    }
    environment.remove_global("debug");
}

/// The treatment of values that Python cannot iterate, and the kind of result.
#[derive(Clone, Copy)]
enum Iterating {
    /// It raises, and returns a list or one value.
    Strict,
    /// It raises, and returns a generator.
    StrictGenerator,
    /// It takes false values for empty ones, and returns a generator.
    LenientGenerator,
}

/// Makes the filters that iterate raise and return generators where the ones of jinja2 do.
fn add_iterating(environment: &mut Environment<'_>) {
    use Iterating::{LenientGenerator, Strict, StrictGenerator};
    let filters: [(&str, Iterating, Value); 18] = [
        ("first", Strict, Value::from_function(filters::first)),
        ("last", Strict, Value::from_function(filters::last)),
        ("list", Strict, Value::from_function(filters::list)),
        ("join", Strict, Value::from_function(filters::join)),
        ("sort", Strict, Value::from_function(filters::sort)),
        ("sum", Strict, Value::from_function(filters::sum)),
        ("min", Strict, Value::from_function(filters::min)),
        ("max", Strict, Value::from_function(filters::max)),
        ("groupby", Strict, Value::from_function(filters::groupby)),
        ("unique", StrictGenerator, Value::from_function(filters::unique)),
        ("batch", StrictGenerator, Value::from_function(filters::batch)),
        ("slice", StrictGenerator, Value::from_function(filters::slice)),
        ("reverse", StrictGenerator, Value::from_function(filters::reverse)),
        ("map", LenientGenerator, Value::from_function(filters::map)),
        ("select", LenientGenerator, Value::from_function(filters::select)),
        ("reject", LenientGenerator, Value::from_function(filters::reject)),
        ("selectattr", LenientGenerator, Value::from_function(filters::selectattr)),
        ("rejectattr", LenientGenerator, Value::from_function(filters::rejectattr)),
    ];
    for (name, iterating, filter) in filters {
        environment.add_filter(name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
            let mut args = args.into_values();
            match (iterating, args.first_mut()) {
                (LenientGenerator, Some(value)) if !value.is_true() => *value = Value::from(Vec::<Value>::new()),
                (_, Some(value)) => *value = iterable::iterated(value.clone())?,
                (_, None) => {}
            }
            let result = filter.call(state, &args)?;
            match iterating {
                StrictGenerator | LenientGenerator if result.as_str().is_none() => Ok(Generator::of(result)),
                _ => Ok::<_, Error>(result),
            }
        });
    }
}

/// True if Python can iterate the value. Undefined ones are empty.
fn is_iterable(value: &Value) -> bool {
    let repr = value.as_object().map(DynObject::repr);
    value.is_undefined() || value.as_str().is_some() || repr.is_some_and(|repr| repr != ObjectRepr::Plain)
}

/// A value as Python's `str` prints it; nothing of an undefined one.
fn text(value: &Value) -> String {
    match value.kind() {
        ValueKind::Number if !value.is_integer() => json::number(value),
        _ => value.to_string(),
    }
}

fn trim(value: &Value, characters: Option<&str>) -> Value {
    Value::from(strip(&text(value), characters, true, true))
}

fn length(value: &Value) -> Result<usize, Error> {
    let length = if value.is_undefined() { Some(0) } else { value.len() };
    length.ok_or_else(|| type_error(format!("object of type '{}' has no len()", python_type(value))))
}

fn items(value: &Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Undefined => Ok(Generator::of(Value::from(Vec::<Value>::new()))),
        ValueKind::Map => Ok(Generator::of(Value::from(pairs(value)?))),
        _ => Err(type_error("Can only get item pairs from a mapping.")),
    }
}

/// Steps that one slice costs.
const SLICE_STEPS: u64 = 100;

/// The start of a slice.
fn sliced(state: &State<'_, '_>, start: Value) -> Result<Value, Error> {
    state.consume_fuel(SLICE_STEPS)?;
    Ok(start)
}

/// `dictsort`: pairs by key without regard to case, or as the arguments say.
#[expect(clippy::needless_pass_by_value, reason = "the engine passes arguments so")]
fn dictsort(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let case_sensitive = options.get::<Option<bool>>("case_sensitive")?.unwrap_or(false);
    let by_value = options.get::<Option<String>>("by")?.is_some_and(|by| by == "value");
    let reverse = options.get::<Option<bool>>("reverse")?.unwrap_or(false);
    options.assert_all_used()?;
    if value.kind() != ValueKind::Map {
        return Err(type_error(format!("'{}' object has no attribute 'items'", python_type(value))));
    }
    let mut pairs = pairs(value)?;
    pairs.sort_by_cached_key(|pair| {
        let key = marks::sort_key(&pair.get_item_by_index(usize::from(by_value)).unwrap_or_default());
        match key.as_str() {
            Some(text) if !case_sensitive => Value::from(text.to_lowercase()),
            _ => key,
        }
    });
    if reverse {
        pairs.reverse();
    }
    Ok(Value::from(pairs))
}

fn raise_exception(message: &Value) -> Result<Value, Error> {
    Err(type_error(format!("{RAISED}{}", text(message))))
}

/// `namespace` of transformers: a name that begins with an underscore is refused.
fn namespace(state: &mut State<'_, '_>, attributes: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let attributes = attributes.into_values();
    for given in &attributes {
        for name in given.try_iter()? {
            if name.as_str().is_some_and(|name| name.starts_with('_')) {
                return Err(Error::new(
                    ErrorKind::InvalidOperation,
                    format!(
                        "chat templates cannot store underscore-prefixed attributes on a namespace, but got '{name}'"
                    ),
                ));
            }
        }
    }
    Value::from_function(functions::namespace).call(state, &attributes)
}
