//! Filters, tests and functions that differ between the engine and jinja2, as transformers sets it up.

use minijinja::value::{DynObject, ObjectRepr, Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters, functions, tests};
use minijinja_contrib::globals;

use super::super::failure::RAISED;
use super::super::marks;
use super::arguments::Arguments;
use super::iterable::{self, Generator, python_type, type_error};
use super::json::text;
use super::methods::{Padding, padded, pairs, split_lines, strip};
use super::{json, markup, operators, rewrite};

/// Adds them to an environment.
pub fn add(environment: &mut Environment<'_>) {
    environment.add_filter(rewrite::ITERATED, iterable::iterated);
    environment.add_filter(rewrite::UNPACKED, iterable::unpacked);
    environment.add_filter(rewrite::SEARCHED, iterable::searched);
    environment.add_filter(rewrite::SLICED, sliced);
    environment.add_filter(operators::ATTRIBUTE, iterable::attribute);
    environment.add_filter("dictsort", dictsort);
    environment.add_filter("tojson", json::tojson);
    environment.add_filter("trim", trim);
    environment.add_filter("length", length);
    environment.add_filter("count", length);
    environment.add_filter("items", items);
    environment.add_filter("string", |value: &Value| markup::like(value, Value::from(text(value))));
    environment.add_filter("center", center);
    environment.add_filter("int", int);
    environment.add_filter("float", float);
    environment.add_filter("indent", indent);
    environment
        .add_filter("wordcount", |value: &Value| text(value).split(|c| !is_word(c)).filter(|w| !w.is_empty()).count());
    add_marking(environment);
    add_iterating(environment);
    environment.add_test("sequence", |value: &Value| iterable::is_sequence(value));
    environment.add_test("iterable", |value: &Value| is_iterable(value));
    environment.add_test("callable", |value: &Value| value.as_object().map(DynObject::repr) == Some(ObjectRepr::Plain));
    let is_in = Value::from_function(tests::is_in);
    environment.add_test("in", move |state: &mut State<'_, '_>, value: Value, container: Value| {
        is_in.call(state, &[value, iterable::searched(container)?])
    });
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("namespace", namespace);
    environment.add_function("dict", dict);
    environment.add_function("joiner", globals::joiner);
    environment.add_function(operators::REMAINDER, markup::remainder);
    environment.add_function(operators::SUM, markup::sum);
    environment.add_function(operators::CONCATENATION, markup::concatenation);
    // Not in jinja2.
    for filter in ["split", "lines", "bool", "chain", "zip"] {
        environment.remove_filter(filter);
    }
    for test in ["safe", "startingwith", "endingwith", "containing"] {
        environment.remove_test(test);
    }
    environment.remove_global("debug");
}

/// Adds the filters that mark a text as safe, and the ones whose result is safe if their text is.
fn add_marking(environment: &mut Environment<'_>) {
    environment.add_filter("safe", |value: &Value| Value::from_safe_string(text(value)));
    for name in ["e", "escape"] {
        environment.add_filter(name, |value: &Value| Value::from_safe_string(markup::escaped(value)));
    }
    environment.add_filter("forceescape", |value: &Value| Value::from_safe_string(markup::escape(&text(value))));
    environment.add_filter("format", |state: &mut State<'_, '_>, pattern: &Value, values: Rest<ValueOrKwargs>| {
        markup::format(state, pattern, &values.into_values())
    });
    let filters: [(&str, Value); 3] = [
        ("upper", Value::from_function(filters::upper)),
        ("lower", Value::from_function(filters::lower)),
        ("capitalize", Value::from_function(filters::capitalize)),
    ];
    for (name, filter) in filters {
        environment.add_filter(name, move |state: &mut State<'_, '_>, value: &Value| {
            let result = filter.call(state, &[Value::from(text(value))])?;
            Ok::<_, Error>(markup::like(value, result))
        });
    }
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
                (_, Some(value)) if name == "reverse" && value.as_str().is_some() => {
                    let reversed: String = text(value).chars().rev().collect();
                    return Ok(markup::like(value, Value::from(reversed)));
                }
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

fn trim(value: &Value, characters: Option<&str>) -> Value {
    markup::like(value, Value::from(strip(&text(value), characters, true, true)))
}

fn center(value: &Value, width: Option<usize>) -> Result<Value, Error> {
    Ok(markup::like(value, Value::from(padded(&text(value), width.unwrap_or(80), " ", Padding::Both)?)))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// `int`: of a text that is not a number, the default.
fn int(value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = Arguments::new(&["default", "base"], arguments)?;
    let base = arguments.get("base")?.map_or(Ok(10), u32::try_from)?;
    let default = arguments.get("default")?;
    arguments.finish()?;
    let of_float = |number: f64| (number.is_finite()).then(|| Value::from(number.trunc() as i128));
    let number = match value.kind() {
        ValueKind::Bool => Some(Value::from(i64::from(value.is_true()))),
        ValueKind::Number if value.is_integer() => Some(value.clone()),
        ValueKind::Number => f64::try_from(value.clone()).ok().and_then(of_float),
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default().trim().replace('_', "");
            integer(&text, base).map(Value::from).or_else(|| text.parse().ok().and_then(of_float))
        }
        _ => None,
    };
    Ok(number.or(default).unwrap_or(Value::from(0)))
}

/// An integer of a base, with the prefix that Python allows for it.
fn integer(text: &str, base: u32) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes: &[&str] = match base {
        2 => &["0b", "0B"],
        8 => &["0o", "0O"],
        16 => &["0x", "0X"],
        10 => &[],
        _ => return None,
    };
    let digits = prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix)).unwrap_or(digits);
    let is_unsigned = digits.chars().next().is_some_and(|digit| digit.is_digit(base));
    i128::from_str_radix(digits, base).ok().filter(|_| is_unsigned).map(|number| sign * number)
}

/// `float`: of a text that is not a number, the default.
fn float(value: &Value, default: Option<Value>) -> Value {
    let number = match value.kind() {
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::String => value.as_str().and_then(|text| text.trim().replace('_', "").parse().ok()),
        _ => None,
    };
    number.map(Value::from).or(default).unwrap_or(Value::from(0.0))
}

/// `indent`: the lines after the first one, by a number of spaces or a text.
fn indent(state: &State<'_, '_>, value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = Arguments::new(&["width", "first", "blank"], arguments)?;
    let (first, blank) = (arguments.is_set("first")?, arguments.is_set("blank")?);
    let width = arguments.get("width")?;
    arguments.finish()?;
    let text = text(value);
    let lines: Vec<Value> = split_lines(&(text + "\n"), false);
    let width = match width {
        Some(width) if width.as_str().is_some() => width.to_string(),
        Some(width) => spaces(state, usize::try_from(i64::try_from(width)?).unwrap_or(0), lines.len())?,
        None => spaces(state, 4, lines.len())?,
    };
    let mut indented = String::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.as_str().unwrap_or_default();
        if index > 0 {
            indented.push('\n');
        }
        if (index > 0 || first) && (blank || !line.is_empty() || index == 0) {
            indented.push_str(&width);
        }
        indented.push_str(line);
    }
    Ok(markup::like(value, Value::from(indented)))
}

/// Spaces that precede each of some lines, if the limit of steps allows all of them.
fn spaces(state: &State<'_, '_>, width: usize, lines: usize) -> Result<String, Error> {
    state.consume_fuel((width as u64).saturating_mul(lines as u64) / 64)?;
    Ok(" ".repeat(width))
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
fn dictsort(value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = Arguments::new(&["case_sensitive", "by", "reverse"], arguments)?;
    let (case_sensitive, reverse) = (arguments.is_set("case_sensitive")?, arguments.is_set("reverse")?);
    let by_value = arguments.get("by")?.is_some_and(|by| by.as_str() == Some("value"));
    arguments.finish()?;
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

/// `dict`: of another one or of pairs, with further members by name.
fn dict(state: &mut State<'_, '_>, given: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut given = given.into_values();
    if let Some(first) = given.first_mut().filter(|first| first.kind() != ValueKind::Map) {
        let pairs = iterable::iterated(first.clone())?;
        let pairs = pairs.try_iter()?.map(|pair| Ok((pair.get_item_by_index(0)?, pair.get_item_by_index(1)?)));
        *first = Value::from_pairs(pairs.collect::<Result<Vec<_>, Error>>()?);
    }
    Value::from_function(functions::dict).call(state, &given)
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
