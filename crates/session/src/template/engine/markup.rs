//! Texts that are marked as safe, as `Markup` of markupsafe: what is joined to one is escaped, and the result is safe, too.
//!
//! Escaping is off for templates of chats, and still `'<'|safe + text` escapes the text: jinja2 compiles `+` to Python's, and
//! `Markup` redefines it. `~`, `join`, `replace` and `title` give plain texts. The operators of a template that marks texts are
//! calls of the functions here ([`super::operators`]).

use std::sync::LazyLock;

use minijinja::value::{Kwargs, Rest, Tuple, Value, ValueKind};
use minijinja::{Environment, Error, Expression, State, filters};

use super::json::text;

/// Steps that one join of texts costs, for each of its bytes.
const BYTES_OF_A_STEP: usize = 64;

/// Names of the filters whose results are safe.
pub const MARKING: [&str; 4] = ["safe", "e", "escape", "forceescape"];

/// A text with the five characters of markup escaped, as markupsafe writes them.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\'' => escaped.push_str("&#39;"),
            '"' => escaped.push_str("&#34;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The text of a value as a part of a safe one.
pub fn escaped(value: &Value) -> String {
    if value.is_safe() { text(value) } else { escape(&text(value)) }
}

/// The result of a filter or method, safe if its text was: strings, and the strings of a list.
pub fn like(source: &Value, result: Value) -> Value {
    match (source.is_safe(), result.kind()) {
        (true, ValueKind::String) => Value::from_safe_string(text(&result)),
        (true, ValueKind::Seq) => {
            let items = || result.try_iter().into_iter().flatten().map(|item| like(source, item));
            if result.is_tuple() { Value::from(Tuple::from(items().collect::<Vec<_>>())) } else { items().collect() }
        }
        _ => result,
    }
}

/// The arguments of a method of a safe text: the ones that become parts of it are escaped.
pub fn arguments(method: &str, args: &[Value]) -> Vec<Value> {
    let escaped = |value: &Value| match value.kind() {
        ValueKind::String => Value::from(escaped(value)),
        ValueKind::Bool | ValueKind::Number => value.clone(),
        ValueKind::Map if value.is_kwargs() => value.clone(),
        _ => Value::from(escape(&text(value))),
    };
    let mut args = args.to_vec();
    match method {
        "replace" | "ljust" | "rjust" | "center" => args.iter_mut().skip(1).take(1).for_each(|arg| *arg = escaped(arg)),
        "format" => args.iter_mut().for_each(|arg| *arg = escaped(arg)),
        "join" => {
            for arg in &mut args {
                if let (false, Ok(items)) = (arg.is_none(), arg.try_iter()) {
                    *arg =
                        items.map(|item| if item.as_str().is_some() { escaped(&item) } else { item.clone() }).collect();
                }
            }
        }
        _ => {}
    }
    args
}

/// `a + b + …`, from the left.
///
/// # Errors
///
/// Operands that the engine cannot add.
pub fn sum(state: &State<'_, '_>, operands: Rest<Value>) -> Result<Value, Error> {
    static ADD: LazyLock<Option<Expression<'static, 'static>>> = LazyLock::new(|| compiled("left + right"));
    fold(operands, |left, right| match (left.as_str(), right.as_str()) {
        (Some(_), Some(_)) if left.is_safe() || right.is_safe() => {
            let joined = escaped(left) + &escaped(right);
            charge(state, &joined)?;
            Ok(Value::from_safe_string(joined))
        }
        (Some(one), Some(other)) => {
            let joined = [one, other].concat();
            charge(state, &joined)?;
            Ok(Value::from(joined))
        }
        _ => evaluate(ADD.as_ref(), left, right),
    })
}

/// `a ~ b ~ …`: a plain text.
///
/// # Errors
///
/// Too many bytes.
pub fn concatenation(state: &State<'_, '_>, operands: Rest<Value>) -> Result<Value, Error> {
    let joined: String = operands.0.into_iter().map(|operand| text(&operand)).collect();
    charge(state, &joined)?;
    Ok(Value::from(joined))
}

/// `a % b % …`: the remainder, or a text with its `%s` and `%d` replaced.
///
/// # Errors
///
/// Operands without a remainder, and values that a text has no place for.
pub fn remainder(state: &mut State<'_, '_>, operands: Rest<Value>) -> Result<Value, Error> {
    static REMAINDER: LazyLock<Option<Expression<'static, 'static>>> = LazyLock::new(|| compiled("left % right"));
    fold(operands, |left, right| {
        let Some(pattern) = left.as_str() else { return evaluate(REMAINDER.as_ref(), left, right) };
        let values = match right.kind() {
            _ if right.is_tuple() => right.try_iter()?.collect(),
            ValueKind::Map if pattern.contains("%(") => {
                let pairs = right.try_iter()?.map(|key| Ok((key.to_string(), right.get_item(&key)?)));
                vec![Value::from(pairs.collect::<Result<Kwargs, Error>>()?)]
            }
            _ => vec![right.clone()],
        };
        format(state, left, &values)
    })
}

/// The filter `format`, which is `%` of a text.
///
/// # Errors
///
/// Values that the text has no place for.
pub fn format(state: &mut State<'_, '_>, pattern: &Value, values: &[Value]) -> Result<Value, Error> {
    let mut args = vec![Value::from(text(pattern))];
    args.extend(if pattern.is_safe() { arguments("format", values) } else { values.to_vec() });
    let formatted = Value::from_function(filters::format).call(state, &args)?;
    Ok(like(pattern, formatted))
}

fn charge(state: &State<'_, '_>, joined: &str) -> Result<(), Error> {
    state.consume_fuel((joined.len() / BYTES_OF_A_STEP) as u64)
}

fn fold(operands: Rest<Value>, mut apply: impl FnMut(&Value, &Value) -> Result<Value, Error>) -> Result<Value, Error> {
    let mut operands = operands.0.into_iter();
    let first = operands.next().unwrap_or_default();
    operands.try_fold(first, |left, right| apply(&left, &right))
}

/// An operator of the engine as a function of `left` and `right`.
fn compiled(operator: &'static str) -> Option<Expression<'static, 'static>> {
    static PLAIN: LazyLock<Environment<'static>> = LazyLock::new(Environment::empty);
    PLAIN.compile_expression(operator).ok()
}

/// Applies the operator. Its errors have no line, so that they get the template's.
fn evaluate(operator: Option<&Expression<'static, 'static>>, left: &Value, right: &Value) -> Result<Value, Error> {
    let operands = minijinja::context! { left => left, right => right };
    let Some(operator) = operator else { return Ok(Value::UNDEFINED) };
    operator.eval(operands).map_err(|error| Error::new(error.kind(), error.detail().unwrap_or_default().to_owned()))
}
