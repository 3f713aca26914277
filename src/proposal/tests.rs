//! Made-up syntaxes, and what is proposed for each.

use super::*;

/// The members that say how calls are written, and the calls that are read; the reasons where nothing is proposed.
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
        "# Title\n\nSome *prose* with a [link](x) and `code`.\n\n- one: two\n- three: four\n\n```python\nf(1)\n```\n\n```rust\ng()\n```\n",
        "nothing",
    ),
    ("A page: <div class=\"a\">x</div> and <span class=\"b\">y</span>.\n", "nothing"),
    ("", "nothing"),
];
