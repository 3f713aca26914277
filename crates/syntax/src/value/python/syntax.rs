//! Tool calls written in Python, and the calls that runtimes extract from them.
//!
//! [`parser`] parses the syntax like `ast.parse`; `calls` extracts calls from the expressions.

pub mod completion;
pub mod cursor;
pub mod expression;
pub mod number;
pub mod parser;
pub mod repair;
pub mod text;

use serde::Deserialize;

use self::cursor::{PythonCursor, Strictness, SyntaxFault};
use self::expression::{CallNode, NodeKind, PythonNode, Sign};
use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::{Member, Members, Placed, PlainValue, float, is_finite};

/// The rules of a parser for Python text.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PythonRules {
    /// Form of the whole text.
    pub(crate) shape: Shape,
    /// Expressions accepted as values.
    pub(crate) literals: Literals,
    /// Names accepted for tools.
    pub(crate) names: Names,
    /// The effect of arguments without a name.
    pub(crate) positional: Positional,
    /// The effect of `**{…}` among the arguments.
    pub(crate) unpacked: Unpacked,
    /// The effect of a number that JSON cannot represent.
    pub(crate) non_finite: NonFinite,
    /// The calls that are lost with one that is rejected.
    pub(crate) bad_call: FailureScope,
    /// The repair of text that is not Python.
    pub(crate) repair: PythonRepair,
    /// True if calls are delivered from text that is cut off, see [`completion`].
    pub(crate) unfinished: bool,
}

/// The form of a Python text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// A list of calls in square brackets.
    #[default]
    List,
    /// A list of calls, or a single call.
    ListOrCall,
    /// Calls without enclosing brackets, separated by commas or line feeds; a call may not contain a line feed.
    Lines,
}

/// The expressions accepted as values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Literals {
    /// Constants, and lists and dictionaries of them.
    Plain,
    /// Also signed numbers, tuples, sets, f-strings without placeholders, and JSON's constants.
    #[default]
    Wide,
    /// The values that Python's `ast.literal_eval` accepts.
    Eval,
    /// The values that `ast.literal_eval` accepts, and `true`, `false`, `null`.
    EvalOrJson,
    /// Constants, signed numbers, tuples, lists and dictionaries; a name is a text.
    Names,
}

/// The names accepted for tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Names {
    /// A name, or names joined by dots.
    #[default]
    Dotted,
    /// A plain name, without a dot.
    Plain,
}

/// The effect of arguments without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Positional {
    /// They are skipped; the call is delivered.
    #[default]
    Lose,
    /// The call is rejected.
    Bad,
}

/// The effect of `**{…}` among the arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unpacked {
    /// It becomes the argument named `null`.
    #[default]
    Null,
    /// Its members become arguments of the call.
    Merge,
    /// The call is rejected.
    Bad,
}

/// The effect of a number that JSON cannot represent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NonFinite {
    /// It is written as Python writes it.
    #[default]
    Keep,
    /// The call is rejected.
    Bad,
}

/// The calls that are lost with one that is rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailureScope {
    /// All calls of the text.
    #[default]
    All,
    /// Only that call.
    Itself,
}

/// The repair of text that is not Python.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PythonRepair {
    /// None: the text has no calls.
    #[default]
    None,
    /// Accepts control characters in strings, zeros before integers and keywords as names of parameters; a string that
    /// contains its own quotes ends at the only possible position.
    Quirks,
    /// The same; if that does not help, each call is parsed separately.
    Salvage,
}

/// A call that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonCall {
    /// The name of the tool.
    pub(crate) name: String,
    /// The bytes of the name in the text.
    pub(crate) name_span: Span,
    /// All bytes of the call, brackets included.
    pub(crate) span: Span,
    /// The arguments as an object with the keywords as keys.
    pub(crate) arguments: PlainValue,
}

/// The calls of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PythonCalls {
    /// The accepted calls, in order.
    pub(crate) calls: Vec<PythonCall>,
    /// Spans of the rejected calls.
    pub(crate) left_out: Vec<Span>,
}

/// Reason why a text has no calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PythonFault {
    /// The text is not Python; the fault has the position.
    Syntax(SyntaxFault),
    /// The text in this span does not have the form that the rules demand.
    Shape(Span),
}

/// The calls in `span` of a text; all spans are in the text.
///
/// # Errors
/// The syntax fault, or the span that is not a call.
pub(crate) fn calls(text: &str, span: Span, rules: PythonRules) -> Result<PythonCalls, PythonFault> {
    let nodes = nodes(text, span, rules)?;
    let mut out = PythonCalls::default();
    for node in &nodes {
        let NodeKind::Call(call) = &node.kind else { return Err(PythonFault::Shape(span)) };
        match (take(text, call, rules), rules.bad_call) {
            (Some(call), _) => out.calls.push(call),
            (None, FailureScope::Itself) => out.left_out.push(call.span),
            (None, FailureScope::All) => return Err(PythonFault::Shape(call.span)),
        }
    }
    if nodes.is_empty() { Err(PythonFault::Shape(span)) } else { Ok(out) }
}

fn nodes(text: &str, span: Span, rules: PythonRules) -> Result<Vec<PythonNode>, PythonFault> {
    if rules.shape == Shape::Lines {
        return lines(text, span).map_err(PythonFault::Syntax);
    }
    let strict = PythonCursor::new(text, span, Strictness::Strict).module();
    let found = match (strict, rules.repair) {
        (Err(fault), PythonRepair::Quirks | PythonRepair::Salvage) => {
            repair::whole(text, span, rules.repair).ok_or(fault)
        }
        (found, _) => found,
    };
    let node = found.map_err(PythonFault::Syntax)?;
    match node.kind {
        NodeKind::List(nodes) => Ok(nodes),
        NodeKind::Call(_) if rules.shape == Shape::ListOrCall => Ok(vec![node]),
        _ => Err(PythonFault::Shape(span)),
    }
}

/// The elements of a list without brackets whose lines are joined with commas.
fn lines(text: &str, span: Span) -> Result<Vec<PythonNode>, SyntaxFault> {
    let (mut nodes, mut start, mut comma_at) = (Vec::new(), span.start, None);
    for line in text[span.start..span.end].split(['\n', '\r']) {
        let within = Span::new(start, start + line.trim_end().len());
        start += line.len() + 1;
        if line.trim().is_empty() {
            continue;
        }
        if let Some(at) = comma_at {
            return Err(SyntaxFault { at, at_end: false });
        }
        let blank = line.len() - line.trim_start().len();
        let within = Span::new(within.start + blank, within.end);
        let (more, comma) = PythonCursor::new(text, within, Strictness::Strict).elements()?;
        nodes.extend(more);
        comma_at = comma.then_some(within.end);
    }
    Ok(nodes)
}

fn take(text: &str, call: &CallNode, rules: PythonRules) -> Option<PythonCall> {
    let (name, name_span) = name(text, &call.function, rules.names)?;
    if call.positional > 0 && rules.positional == Positional::Bad {
        return None;
    }
    let mut members = Members::default();
    for (key, node) in &call.keywords {
        let value = value(text, node, rules.literals)?;
        match (key, rules.unpacked) {
            (Some(key), _) => members.insert(Member::at(&text[key.start..key.end], *key, value)),
            (None, Unpacked::Null) => {
                members.insert(Member { key: "null".to_owned(), key_place: SourcePlace::MadeUp, value });
            }
            (None, Unpacked::Merge) => match value.value {
                PlainValue::Object(more) => more.into_iter().for_each(|member| members.insert(member)),
                _ => return None,
            },
            (None, Unpacked::Bad) => return None,
        }
    }
    let arguments = members.into_object();
    if rules.non_finite == NonFinite::Bad && !is_finite(&arguments) {
        return None;
    }
    Some(PythonCall { name, name_span, span: call.span, arguments })
}

fn name(text: &str, function: &PythonNode, names: Names) -> Option<(String, Span)> {
    let slice = |span: &Span| &text[span.start..span.end];
    let (mut parts, mut node, mut end) = (Vec::new(), function, None);
    while let NodeKind::Attribute(inner, span) = &node.kind {
        if names == Names::Plain {
            return None;
        }
        parts.push(slice(span));
        end = end.or(Some(span.end));
        node = inner;
    }
    let NodeKind::Name(span) = &node.kind else { return None };
    parts.push(slice(span));
    parts.reverse();
    Some((parts.join("."), Span::new(span.start, end.unwrap_or(span.end))))
}

/// The value of an expression; `None` if a parser with these rules rejects it.
pub(crate) fn value(text: &str, node: &PythonNode, literals: Literals) -> Option<Placed> {
    let all =
        |nodes: &[PythonNode]| nodes.iter().map(|node| value(text, node, literals)).collect::<Option<Vec<Placed>>>();
    let made = match &node.kind {
        NodeKind::Constant(constant) => constant.clone(),
        NodeKind::List(nodes) => PlainValue::List(all(nodes)?),
        NodeKind::Tuple(nodes) if literals != Literals::Plain => PlainValue::List(all(nodes)?),
        NodeKind::Set(nodes) if literals == Literals::Wide => PlainValue::List(all(nodes)?),
        NodeKind::Dict(pairs) => {
            let mut members = Members::default();
            for (key, node) in pairs {
                let key = value(text, key.as_ref()?, literals)?;
                let value = value(text, node, literals)?;
                members.insert(Member { key: key_text(key.value)?, key_place: key.place, value });
            }
            members.into_object()
        }
        NodeKind::Signed(sign, inner) if literals != Literals::Plain => {
            match (sign, value(text, inner, literals)?.value) {
                (Sign::Plus, number @ (PlainValue::Int(_) | PlainValue::Float(_))) => number,
                (Sign::Minus, PlainValue::Int(digits)) if digits == "0" => PlainValue::Int(digits),
                (Sign::Minus, PlainValue::Int(digits)) => match digits.strip_prefix('-') {
                    Some(digits) => PlainValue::Int(digits.to_owned()),
                    None => PlainValue::Int(format!("-{digits}")),
                },
                (Sign::Minus, PlainValue::Float(number)) => PlainValue::Float(-number),
                _ => return None,
            }
        }
        NodeKind::PlainFormat(text) if literals == Literals::Wide => PlainValue::Text(text.clone()),
        NodeKind::Name(span) if literals == Literals::Names => PlainValue::Text(text[span.start..span.end].to_owned()),
        NodeKind::Name(span) if matches!(literals, Literals::Wide | Literals::EvalOrJson) => {
            match &text[span.start..span.end] {
                "true" => PlainValue::Bool(true),
                "false" => PlainValue::Bool(false),
                "null" => PlainValue::Null,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Placed { value: made, place: node.place.clone() })
}

/// Python's JSON for a key of a dictionary; `None` if there is none.
fn key_text(key: PlainValue) -> Option<String> {
    Some(match key {
        PlainValue::Text(key) => key,
        PlainValue::Float(number) => float(number),
        PlainValue::List(_) | PlainValue::Object(_) => return None,
        other => other.dumps(),
    })
}

#[cfg(test)]
mod tests {
    use super::{FailureScope, Literals, Names, Positional, PythonRepair, PythonRules, Shape, Unpacked, calls};
    use crate::text::Span;

    fn check(input: &str, rules: PythonRules, expected: &str) {
        let found = calls(input, Span::new(0, input.len()), rules);
        let shown = found.map_or("none".to_owned(), |found| {
            let all = found.calls.iter().map(|call| {
                assert_eq!(&input[call.name_span.start..call.name_span.end], call.name, "{input}");
                format!("{}{}", call.name, call.arguments.dumps())
            });
            let left_out = found.left_out.iter().map(|span| format!("-{}", &input[span.start..span.end]));
            all.chain(left_out).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(shown, expected, "{input}");
    }

    #[test]
    fn python_becomes_calls() {
        let wide = PythonRules::default();
        let each = PythonRules {
            literals: Literals::Plain,
            names: Names::Plain,
            positional: Positional::Bad,
            unpacked: Unpacked::Bad,
            bad_call: FailureScope::Itself,
            ..wide
        };
        let lines = PythonRules { shape: Shape::Lines, ..wide };
        let merged = PythonRules { shape: Shape::ListOrCall, unpacked: Unpacked::Merge, ..wide };
        let quirks = PythonRules { repair: PythonRepair::Quirks, ..wide };
        let salvage = PythonRules { repair: PythonRepair::Salvage, ..wide };
        for (input, rules, expected) in [
            ("[f(a=1), g()]", wide, r#"f{"a": 1} g{}"#),
            ("[a.b(x=-0x1F, y=+1_0, z=.5)]", wide, r#"a.b{"x": -31, "y": 10, "z": 0.5}"#),
            ("[f(a=(1, 2), b={'x'}, c=f'y', d=null)]", wide, r#"f{"a": [1, 2], "b": ["x"], "c": "y", "d": null}"#),
            ("[f(a=1, a=2)]", wide, r#"f{"a": 2}"#),
            ("[f('x', b=1)]", wide, r#"f{"b": 1}"#),
            ("[f(**{'a': 1})]", wide, r#"f{"null": {"a": 1}}"#),
            ("[f(a='x' \"y\")] # done", wide, r#"f{"a": "xy"}"#),
            ("[f(a=1)]\n[g()]", wide, r#"f{"a": 1}"#),
            ("[f(a=1)]\n [g()]", wide, "none"),
            ("[f(a=b)]", wide, "none"),
            ("[f(a=1+2)]", wide, "none"),
            ("[f(a=g())]", wide, "none"),
            ("[f(a=f'{x}')]", wide, "none"),
            ("[f(a=b'x')]", wide, "none"),
            ("[f(a=07)]", wide, "none"),
            ("[f(a='x\ny')]", wide, "none"),
            ("[f(from=1)]", wide, "none"),
            ("[f(a=1", wide, "none"),
            ("f(a=1)", wide, "none"),
            ("[]", wide, "none"),
            ("[f(a=-1), g(b=[{'c': None}])]", each, r#"g{"b": [{"c": null}]} -f(a=-1)"#),
            ("[f(1), g(**{}), a.h(), i()]", each, "i{} -f(1) -g(**{}) -a.h()"),
            ("f(a=1)\n\n  g()\n", lines, r#"f{"a": 1} g{}"#),
            ("f(a=1),\ng()", lines, "none"),
            ("f(\na=1)", lines, "none"),
            ("f(**{'a': 1}, b=2)", merged, r#"f{"a": 1, "b": 2}"#),
            ("[f(a=07, b='x\ny', from=1)]", quirks, r#"f{"a": 7, "b": "x\ny", "from": 1}"#),
            ("[f(a='sed -n '1,9p' x')]", quirks, r#"f{"a": "sed -n '1,9p' x"}"#),
            ("[f(a='x), g(b=1)]", quirks, "none"),
            ("[f(a=), g(b=1)]", salvage, r#"g{"b": 1}"#),
        ] {
            check(input, rules, expected);
        }
    }

    #[test]
    fn nesting_ends_somewhere() {
        for unit in ["[", "(", "{", "-", "f(", "a.", "[f(a="] {
            check(
                &unit.repeat(100_000),
                PythonRules { repair: PythonRepair::Salvage, ..PythonRules::default() },
                "none",
            );
        }
    }
}
