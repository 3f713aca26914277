//! Soups of markers, pieces of markers and other text, and pointers and values. Independent of the properties to check.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value as Json, json};

/// The start, end and argument marker.
pub type Three = [&'static str; 3];

/// The default markers.
pub const DEFAULT: Three = ["!!!GADGET_START:", "!!!GADGET_END", "!!!ARG:"];

/// Other markers: some share a prefix, contain each other, repeat themselves, are not ASCII, begin or end with a space
/// or look like a code fence. They are tried in any order.
const CUSTOM: [Three; 18] = [
    DEFAULT,
    ["<<<S:", ">>>", "<<<A:"],
    ["@@", "@@@", "@"],
    ["aab", "aa", "aaa"],
    ["\u{bb}open ", "\u{bb}close", "\u{bb}"],
    ["--", "-- end --", "-- end"],
    ["[call]", "[/call]", "[arg]"],
    ["##TOOL:", "##", "#"],
    ["#", "##", "###"],
    ["##T:", "x##", "x"],
    ["x##T", "T:", "##"],
    ["\t--", "--", "\t-"],
    ["\ta\t", "b\t", "\tb"],
    ["\u{3000}a", "a\u{a0}", "a\u{3000}a"],
    ["\u{85}", "\u{feff}a", "\u{feff}\u{85}"],
    ["\u{1f980}", "\u{1f980}\u{1f980}", "\u{1f980}:"],
    ["```", "`", "json"],
    ["items", "/0", "a/0x1"],
];

/// Text between markers.
const WORDS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "  ",
    ":",
    "::",
    ",",
    "/",
    "//",
    "a",
    "b",
    "name",
    "items/0",
    "items/1",
    "items/2",
    "items/-1",
    "items/0x1",
    "toString/zzz",
    "a/b/c",
    "__proto__",
    "0",
    "1",
    "01",
    "-0",
    "1e400",
    "3.10",
    "true",
    "null",
    "{",
    "}",
    "{\"a\":1}",
    "\"",
    "'",
    "`",
    "```",
    "```json\n",
    "~~~",
    "> ",
    "# ",
    "| a |",
    "é",
    "日本",
    "👩‍🚀",
    "\u{301}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "!",
    "!!",
    "!!!",
    "!!!!",
    "gadget_1",
    "&lt;",
    "\\",
    "\0",
    "\u{1b}[2J",
    "!!!arg:",
    "!!!GADGET_STRT:",
    "!!! ARG:",
    "！！！ARG:",
    "x: 1\n",
    "- y\n",
];

/// Pieces of the other dialects, whole lines and halves of markers.
const MARKUP: &[&str] = &[
    "\n^^^",
    "\n^^^write\n",
    "\n^^^\n",
    "key ---\n",
    "\n--- key\n",
    "list: [\n",
    "\n]\n",
    "\n---\n",
    "content: |\n  two\n",
    "\n> [!tool search c1]\n",
    "\n> [!tool",
    "> input:\n>   query: x\n",
    "> output: [1, {a: b}]\n",
    "\n```tool find c2\n",
    "\n```\n",
    "<tool:read>",
    "</tool:read>",
    "<param:a>",
    "</param:a>",
    "<invoke name=\"f\">",
    "</invoke>",
    "<parameter name=\"k\">",
    "</parameter>",
    "<function_calls>",
    "</function_calls>",
    "<function=f>",
    "</function>",
    "<parameter=k>",
    "<tool_call>",
    "</tool_call>",
    "{\"name\": \"f\", \"arguments\": {\"a\": [1, \"x\\n\"]}}",
    "\n{\"type\": \"tool_use\", \"id\": \"t\", \"name\": \"f\", \"input\": {",
    "\n[{\"function\": {\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1}\"}}]\n",
    "}}",
    "\"",
    "<",
    ">",
];

/// An ingredient of a soup.
pub fn ingredient(markers: Three) -> impl Strategy<Value = Vec<u8>> {
    let piece =
        (select(markers.to_vec()), any::<prop::sample::Index>(), any::<bool>()).prop_map(|(marker, at, first)| {
            let bytes = marker.as_bytes();
            let (front, back) = bytes.split_at(at.index(bytes.len()));
            if first { front.to_vec() } else { back.to_vec() }
        });
    prop_oneof![
        6 => select(markers.to_vec()).prop_map(|marker| marker.as_bytes().to_vec()),
        2 => piece,
        12 => select(WORDS.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        8 => select(MARKUP.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        2 => (select(markers.to_vec()), select(vec!["folder", "items/0", "a/b"]), select(vec!["x", "12", "true"]))
            .prop_map(|(marker, key, value)| format!("\n{marker}{key}\n{value}\n").into_bytes()),
        1 => vec(any::<u8>(), 0..4),
    ]
}

/// A soup with the given markers.
pub fn soup(markers: Three) -> impl Strategy<Value = Vec<u8>> {
    vec(ingredient(markers), 0..60).prop_map(|ingredients| ingredients.concat())
}

/// A pointer, which often shares segments with another one.
pub fn pointer() -> impl Strategy<Value = String> {
    let segment = select(vec![
        "a",
        "b",
        "list",
        "0",
        "1",
        "2",
        "00",
        "-1",
        "1x",
        "",
        " ",
        "__proto__",
        "é",
        "x:1",
        "a_b",
        "-",
        "+1",
        ".",
        "9999999999",
        "0x1",
        "toString",
        "length",
    ]);
    let usual = select(vec!["a", "b", "list", "0", "1"]);
    vec(prop_oneof![6 => usual, 1 => segment], 1..5).prop_map(|segments| segments.join("/"))
}

/// A value, usually one that may be converted to another type.
pub fn value() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "",
        "5",
        "-0",
        "0.50",
        "0.25",
        "-1.5",
        "007",
        "true",
        "false",
        " ",
        "\n",
        "\r",
        "\t",
        "text",
        "x\ny",
        "```",
        "`",
        "\u{a0}",
        "\u{feff}",
        "123456789012345678",
        "1e5",
        ".",
        "-",
        "                                        ",
    ]);
    let long = (piece.clone(), piece.clone(), 200_usize..300)
        .prop_map(|(a, b, length)| format!("{a}{}{b}", " ".repeat(length)));
    prop_oneof![6 => vec(piece, 0..4).prop_map(|pieces| pieces.concat()), 1 => long]
}

/// A soup with any of the markers.
pub fn any_soup() -> impl Strategy<Value = (Three, Vec<u8>)> {
    let markers = select(CUSTOM.to_vec()).prop_flat_map(|markers| Just(markers).prop_shuffle());
    markers.prop_flat_map(|markers| (Just(markers), soup(markers)))
}

/// The type that a schema requires, and how it allows null.
#[derive(Clone, Debug)]
pub struct Shape {
    kind: Kind,
    null: usize,
}

#[derive(Clone, Debug)]
enum Kind {
    /// One of some texts, which are read as numbers.
    Number(usize),
    Text(usize),
    Flag(bool),
    Choice,
    List(Box<Shape>, usize),
    Object(Vec<Shape>),
    Record(Box<Shape>),
}

const NUMBERS: [(&str, f64); 6] =
    [("42", 42.0), ("1e3", 1000.0), ("0x10", 16.0), ("+5", 5.0), (".5", 0.5), ("-0.25", -0.25)];
const TEXTS: [&str; 5] = ["007", "true", "null", "1e3", "two words"];
const RECORD_KEYS: [&str; 3] = ["Content-Type", "a b", "x1"];

/// A shape, usually a nested one.
pub fn shape() -> impl Strategy<Value = Shape> {
    let plain = prop_oneof![
        (0..NUMBERS.len()).prop_map(Kind::Number),
        (0..TEXTS.len()).prop_map(Kind::Text),
        any::<bool>().prop_map(Kind::Flag),
        Just(Kind::Choice),
    ];
    let with_null = |kind: BoxedStrategy<Kind>| (kind, 0_usize..6).prop_map(|(kind, null)| Shape { kind, null });
    with_null(plain.boxed()).prop_recursive(4, 40, 4, move |inner| {
        let kind = prop_oneof![
            (inner.clone(), 1_usize..4).prop_map(|(of, length)| Kind::List(Box::new(of), length)),
            vec(inner.clone(), 1..4).prop_map(Kind::Object),
            inner.prop_map(|of| Kind::Record(Box::new(of))),
        ];
        with_null(kind.boxed())
    })
}

impl Shape {
    /// An object with this shape in it.
    pub fn root(parts: Vec<Shape>) -> Self {
        Self { kind: Kind::Object(parts), null: 0 }
    }

    /// The shape as JSON Schema.
    pub fn schema(&self) -> Json {
        let mut schema = match &self.kind {
            Kind::Number(number) => json!({ "type": if number % 3 == 0 { "integer" } else { "number" } }),
            Kind::Text(_) => json!({ "type": "string" }),
            Kind::Flag(_) => json!({ "type": "boolean" }),
            Kind::Choice => json!({ "type": "string", "enum": ["1", "on", "off"] }),
            Kind::List(of, _) => json!({ "type": "array", "items": of.schema() }),
            Kind::Object(parts) => {
                let properties: Map<String, Json> =
                    parts.iter().enumerate().map(|(number, part)| (format!("p{number}"), part.schema())).collect();
                let names: Vec<&String> = properties.keys().collect();
                json!({ "type": "object", "required": names, "additionalProperties": false, "properties": properties })
            }
            Kind::Record(of) => json!({ "type": "object", "additionalProperties": of.schema() }),
        };
        match self.null {
            1 => schema["type"] = json!([schema["type"], "null"]),
            2 => schema["nullable"] = json!(true),
            3 => schema = json!({ "anyOf": [schema, { "type": "null" }] }),
            4 => schema = json!({ "oneOf": [{ "type": "null" }, schema] }),
            _ => {}
        }
        schema
    }

    /// Writes arguments of this shape at a pointer. Returns their value.
    pub fn write(&self, pointer: &str, out: &mut String) -> Json {
        let below = |key: &str| if pointer.is_empty() { key.to_owned() } else { format!("{pointer}/{key}") };
        let (text, value) = match &self.kind {
            Kind::Number(number) if number % 3 == 0 => ("0x2A", json!(42)),
            Kind::Number(number) => (NUMBERS[*number].0, json!(NUMBERS[*number].1)),
            Kind::Text(number) => (TEXTS[*number], json!(TEXTS[*number])),
            Kind::Flag(flag) => (if *flag { "true" } else { "false" }, json!(flag)),
            Kind::Choice => ("1", json!("1")),
            Kind::List(of, length) => return (0..*length).map(|at| of.write(&below(&at.to_string()), out)).collect(),
            Kind::Object(parts) => {
                let parts = parts.iter().enumerate().map(|(number, part)| (format!("p{number}"), part));
                return parts.map(|(key, part)| (key.clone(), part.write(&below(&key), out))).collect();
            }
            Kind::Record(of) => {
                return RECORD_KEYS.iter().map(|&key| (key.to_owned(), of.write(&below(key), out))).collect();
            }
        };
        out.extend(["!!!ARG:", pointer, "\n", text, "\n"]);
        value
    }
}

/// A flow collection, with text that YAML libraries read differently.
fn flow() -> impl Strategy<Value = String> {
    let plain = select(vec![
        "1", "x", "a b", "a:1", "\"a\":1", "\"s\"", "'t'", "null", "~", "", "?", "- x", "http://x", "a\nb", "*x",
        "&x 1", "!t 1", "# c\n", "\t", ": 1", "...", "1.0", "é",
    ]);
    let blank = || select(vec!["", "", "", " ", "\n  ", "\n", "\n\t"]);
    plain.prop_map(str::to_owned).prop_recursive(3, 12, 3, move |inner| {
        let list = (vec(inner.clone(), 0..3), blank(), blank())
            .prop_map(|(parts, before, between)| format!("[{before}{}]", parts.join(&format!(",{between}"))));
        let key = select(vec!["a", "paths", "\"q\"", "null", "~", "1.0", "[a, b]", "{a: 1}", "a b", ""]);
        let colon = select(vec![":", ": ", ":", " : ", ":\n  "]);
        let pairs = vec((key, colon, inner), 0..3);
        let object = (pairs, blank(), blank()).prop_map(|(pairs, before, between)| {
            let pairs: Vec<String> =
                pairs.into_iter().map(|(key, colon, value)| format!("{key}{colon}{value}")).collect();
            format!("{{{before}{}}}", pairs.join(&format!(",{between}")))
        });
        prop_oneof![list, object]
    })
}

/// The body of a callout or a fence, often YAML.
fn yaml_body() -> impl Strategy<Value = String> {
    let key = select(vec![
        "input", "input", "output", "a", "null", "~", "? [a]\n", "? a\n", "1.0", "", "  b", " c", "id", "name",
        "state", "error",
    ]);
    let line = prop_oneof![
        4 => (key, flow()).prop_map(|(key, value)| format!("{key}: {value}\n")),
        1 => select(vec![
            "...\n", "---\n", "- a\n", "-\ta: 1\n", "\t- a\n", "> quote\n", "\n", "# c\n", "a: |\n   x\n  y\n", "%YAML 1.2\n", "a: \"x\n",
            "x\r\n", "{\n", "}\n", "<<: *x\n",
        ])
        .prop_map(str::to_owned),
    ];
    (vec(line, 0..4), select(vec!["", "", "", " ", "...\n", "\u{feff}"]))
        .prop_map(|(lines, lead)| lead.to_owned() + &lines.concat())
}

/// Callouts and fences, one after another, with YAML bodies and text between them.
pub fn callouts() -> impl Strategy<Value = Vec<u8>> {
    let header = select(vec![
        "> [!tool a]",
        "> [!tool a c1]",
        "> [!tool]",
        "> [!TOOL name=\"x\" id=]",
        ">[!tool x]",
        " > [!tool x]",
        "> [!tool b] T",
        "> [!toolbox]",
        "> [!tool x",
        "> [!tool a]\r",
    ]);
    let mark = select(vec!["> ", "> ", "> ", ">", ">  ", "\t> ", ""]);
    let callout = (header, mark, yaml_body()).prop_map(|(header, mark, body)| {
        let lines: String = body.lines().flat_map(|line| [mark, line, "\n"]).collect();
        format!("{header}\n{lines}")
    });
    let opening =
        select(vec!["```tool", "```tool a c1", "```tool name=\"\" id='", "```toolbox", "```TOOL \"s\"", "````tool"]);
    let fence = (opening, yaml_body(), select(vec!["```\n", "```\n", " ```\n", "```", ""]))
        .prop_map(|(opening, body, end)| format!("{opening}\n{body}{end}"));
    let between = select(vec!["\n", "\n", "", "prose\n", "> quote\n"]);
    let part = (prop_oneof![callout, fence], between).prop_map(|(call, between)| call + between);
    vec(part, 1..3).prop_map(|parts| parts.concat().into_bytes())
}
