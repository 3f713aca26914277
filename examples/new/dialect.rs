//! A declared dialect: its declaration and its cases.

use super::change::{Change, Name};

/// Changes that add a dialect whose calls are JSON between two tags.
pub fn changes(name: &Name) -> Vec<Change> {
    let file = |path, text| Change::Create { path: name.fill(path), text: name.fill(text) };
    vec![
        file("crates/syntax/src/dialect/declared/KEBAB.yaml", DECLARATION),
        file("tests/data/declared/KEBAB.yaml", &[CASES, BROKEN].concat()),
    ]
}

const DECLARATION: &str = r#"dialect: KEBAB
title: TITLE calls
body_like: native
example: |
  <KEBAB>{"name": "get_weather", "arguments": {"city": "Lisbon", "days": 3}}</KEBAB>
call: {open: "<KEBAB>{ws}", close: "</KEBAB>"}
arguments: {kind: json_calls}
"#;

const CASES: &str = r#"- case: one call
  text: |
    <KEBAB>{"name": "get_weather", "arguments": {"city": "Rome"}}</KEBAB>
  calls:
    - {name: get_weather, arguments: {city: Rome}}

- case: prose before, between and after two calls
  text: |
    First the weather.
    <KEBAB>{"name": "get_weather", "arguments": {"city": "Rome"}}</KEBAB>
    Now the news:
    <KEBAB>{"name": "get_news", "arguments": {}}</KEBAB>
    That is all.
  calls:
    - {name: get_weather, arguments: {city: Rome}}
    - {name: get_news, arguments: {}}

- case: types
  text: |
    <KEBAB>{"name": "plan", "arguments": {"dry": true, "note": null, "size": [12.5, -3], "box": {"soft": false}}}</KEBAB>
  calls:
    - {name: plan, arguments: {dry: true, note: null, size: [12.5, -3], box: {soft: false}}}

- case: letters of other languages and several lines
  text: |
    <KEBAB>
    {"name": "write", "arguments": {"to": "箱 é", "text": "one\n\n  two\n"}}
    </KEBAB>
  calls:
    - {name: write, arguments: {to: "箱 é", text: "one\n\n  two\n"}}

- case: a start tag in a value
  text: |
    <KEBAB>{"name": "write", "arguments": {"text": "a call begins with <KEBAB>"}}</KEBAB>
  calls:
    - {name: write, arguments: {text: "a call begins with <KEBAB>"}}

- case: two calls on one line
  text: |
    <KEBAB>{"name": "get_news", "arguments": {"n": 1}}</KEBAB> <KEBAB>{"name": "get_news", "arguments": {"n": 2}}</KEBAB>
  calls:
    - {name: get_news, arguments: {"n": 1}}
    - {name: get_news, arguments: {"n": 2}}

"#;

const BROKEN: &str = r#"- case: a key twice
  text: |
    <KEBAB>{"name": "plan", "arguments": {"k": 1, "k": 2}}</KEBAB>
  calls:
    - {name: plan, arguments: {k: 2}}
  problems: [duplicate-key]

- case: a trailing comma
  text: |
    <KEBAB>{"name": "plan", "arguments": {"k": [1, 2,]}}</KEBAB>
  calls:
    - {name: plan, arguments: {k: [1, 2]}}
  problems: [broken-json]

- case: cut off in a value
  text: |-
    <KEBAB>{"name": "write", "arguments": {"text": "half
  calls:
    - {name: write, arguments: {text: half}}
  problems: [unterminated-call, broken-json]

- case: arguments as text
  text: |
    <KEBAB>{"name": "get_weather", "arguments": "{\"city\": \"Rome\"}"}</KEBAB>
  calls:
    - {name: get_weather, arguments: {city: Rome}}
  problems: [arguments-form]

- case: arguments under another key
  text: |
    <KEBAB>{"name": "get_weather", "parameters": {"city": "Rome"}}</KEBAB>
  calls:
    - {name: get_weather, arguments: {city: Rome}}
  problems: [misnamed-arguments]

- case: in a code fence
  text: |
    ```
    <KEBAB>{"name": "get_news", "arguments": {}}</KEBAB>
    ```
  calls:
    - {name: get_news, arguments: {}}
  problems: [marker-in-code]
"#;
