//! Made-up syntaxes, and the proposal for each.

use super::*;

/// The lines of the proposal that describe calls, and the calls that it reads; `nothing` without a proposal.
fn proposed(text: &str) -> String {
    let Some(proposal) = propose(text, "mine") else { return "nothing".to_owned() };
    let members = proposal.yaml.lines().filter(|line| line.starts_with("call:") || line.starts_with("arguments:"));
    let members: Vec<&str> = members.collect();
    format!("{}\n{} of {}: {}", members.join("\n"), proposal.clean, proposal.calls, proposal.tools.join(" "))
}

#[test]
fn what_a_team_may_invent_is_found() {
    let found = ROWS.iter().map(|(text, expected)| (text, proposed(text), expected));
    let wrong: Vec<String> = found
        .filter(|(_, found, expected)| found != *expected)
        .map(|(text, found, expected)| format!("--- of\n{text}--- is proposed\n{found}\n--- and not\n{expected}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ROWS: &[(&str, &str)] = &[
    (
        "I look first.\n<do list_files>{\"path\": \"src\"}</do>\nThen:\n<do read_file>{\"path\": \"src/a.rs\"}</do>\n",
        r#"call: {open: "<do {name}>", close: "</do>", at: line}
arguments: {kind: json}
2 of 2: list_files read_file"#,
    ),
    (
        "Let me see.\n@@call search {\"query\": \"ferry\"}\nand\n@@call open_page {\"number\": 3}\nDone.\n",
        r#"call: {open: "@@call {name}{ws}", followed_by: ["{"], at: line}
arguments: {kind: json}
2 of 2: open_page search"#,
    ),
    (
        "Sure.\n[[tool: weather]]\ncity=Lisbon\ndays=3\n[[/tool]]\nNow the other:\n[[tool: tides]]\nport=Belém\n[[/tool]]\n",
        r#"call: {open: "[[tool: {name}]]", close: "[[/tool]]", at: line}
arguments: {kind: lines, separator: "="}
2 of 2: tides weather"#,
    ),
    (
        "Working.\nTOOL> lookup\n{\"id\": 7}\n<TOOL\nOk.\nTOOL> update\n{\"id\": 7, \"tags\": [\"a\"]}\n<TOOL\n",
        r#"call: {open: "TOOL> {name}{ws}", close: "<TOOL", followed_by: ["{"], at: line}
arguments: {kind: json}
2 of 2: lookup update"#,
    ),
    (
        "{{call send_mail}}\nto: ana\nsubject: Hello\n{{/call}}\nthen\n{{call archive}}\nfolder: done\n{{/call}}\n",
        r#"call: {open: "{{{{call {name}}}}}", close: "{{{{/call}}}}", at: line}
arguments: {kind: lines, separator: ":"}
2 of 2: archive send_mail"#,
    ),
    (
        ":::tool resize\nwidth: 300\nheight: 200\n:::\n\nAnd:\n\n:::tool rotate\nangle: 90\n:::\n",
        r#"call: {open: ":::tool {name}\n", close: ":::", at: line}
arguments: {kind: lines, separator: ":"}
2 of 2: resize rotate"#,
    ),
    (
        "<run cmd=\"grep\"><arg name=\"pattern\">TODO</arg><arg name=\"path\">src</arg></run>\n<run cmd=\"ls\"><arg name=\"path\">.</arg></run>\n",
        r#"call: {open: "<run cmd=\"{name}\">", close: "</run>", at: line}
arguments: {kind: parameters, open: "<arg name=\"{key}\">", close: "</arg>", strip: one_newline}
2 of 2: grep ls"#,
    ),
    (
        "<use>{\"tool\": \"map\", \"args\": {\"zoom\": 4}}</use> and <use>{\"tool\": \"route\", \"args\": {\"to\": \"Faro\"}}</use>\n",
        r#"call: {open: "<use>", close: "</use>"}
arguments: {kind: json_calls, arguments_key: args, name_key: tool}
2 of 2: map route"#,
    ),
    (
        "Thought: I should search.\nAction: search\nAction Input: {\"q\": \"tide\"}\nObservation: 3\nThought: next\nAction: fetch\nAction Input: {\"url\": \"x\"}\nObservation: ok\n",
        r#"call: {open: "Action: {name}{nl}Action Input:", at: line}
arguments: {kind: json}
2 of 2: fetch search"#,
    ),
    (
        "### TOOL create_issue\n{\"title\": \"Broken\"}\n### END\nprose\n### TOOL close_issue\n{\"number\": 4}\n### END\n",
        r####"call: {open: "### TOOL {name}{ws}", close: "### END", followed_by: ["{"], at: line}
arguments: {kind: json}
2 of 2: close_issue create_issue"####,
    ),
    (
        "|>exec shell\n<|key command|>ls -l<|end|>\n<|key cwd|>/tmp<|end|>\n<|done|>\nprose\n|>exec python\n<|key code|>print(1)\nprint(2)<|end|>\n<|done|>\n",
        r#"call: {open: "|>exec {name}\n", close: "<|done|>", at: line}
arguments: {kind: parameters, open: "<|key {key}|>", close: "<|end|>", strip: one_newline}
2 of 2: python shell"#,
    ),
    (
        "$invoke{note}\ntitle: a\nitems:\n  - one\n  - two\n$end\nand\n$invoke{remind}\nwhen: noon\nwho:\n  name: Ana\n$end\n",
        r#"call: {open: "$invoke{{{name}}}", close: "$end", at: line}
arguments: {kind: yaml}
2 of 2: note remind"#,
    ),
    (
        "# Title\n\nSome *prose* with a [link](x) and `code`.\n\n- one: two\n- three: four\n\n```python\nf(1)\n```\n\n```rust\ng()\n```\n",
        "nothing",
    ),
    ("A page: <div class=\"a\">x</div> and <span class=\"b\">y</span>.\n", "nothing"),
    ("12:00:01 INFO [main] started\n12:00:02 WARN [pool] slow\n12:00:03 INFO [main] done\n", "nothing"),
    ("key: value\nother: thing\n\n> quoted\n> lines\n\n| a | b |\n|---|---|\n| c | d |\n", "nothing"),
    ("fn main() {\n    println!(\"{}\", f(1));\n}\n\nstruct A { b: u8 }\n\nimpl A { fn g(&self) {} }\n", "nothing"),
    ("", "nothing"),
];
