//! Matches of grammars with short texts.

use super::*;
use crate::runtime::profile::{Profile, parse_defaults, parse_file};

fn profile(grammar: &str) -> Profile {
    let grammar = grammar.replace('\n', "\n      ");
    let file = format!("dialect: d\nprofiles:\n  - runtime: r\n    parser: p\n    grammar: |\n      {grammar}\n");
    let runtimes = parse_defaults("r: {releases: [1 2026-01-01], checked: 2026-01-01}").expect("a runtime");
    parse_file(&file, &runtimes).expect("the grammar is right").remove(0)
}

#[test]
fn stretches_end_where_the_notation_says() {
    let cases = [
        (r#"item = within(to("]"), json) "]""#, r#"{"a": 1}]"#, Matched::To(9)),
        (r#"item = within(to("]"), json) "]""#, r#"["a"]]"#, Matched::No),
        (r#"item = within(to("]"), json end)"#, "1 2]", Matched::No),
        (r#"item = within(to("]"), any)"#, "1 2]", Matched::To(3)),
        (r#"item = to(begun("</x>") | end)"#, "a</b </", Matched::To(5)),
        (r#"item = to(begun("</x>") | end)"#, "a</x>", Matched::To(5)),
        // The target of `to` may depend on names matched before, and is then searched for again.
        ("item = pair pair end\npair = name:any key:any to(same_key) any", "abxbacxc", Matched::To(8)),
        // A match inside `within` ends no later than the outer one.
        (r#"item = within(to("]"), to("b")) | to("b")"#, "a]b", Matched::To(2)),
    ];
    for (grammar, text, expected) in cases {
        let profile = profile(grammar);
        let request = ToolRequest::default();
        let mut matcher = GrammarMatcher::new(&profile.whole, text, &request);
        let rule = profile.whole.grammar.number("item").expect("the grammar has this rule");
        assert_eq!(matcher.rule(rule, 0), expected, "{grammar} over {text}");
    }
}

#[test]
fn a_marker_that_is_missing_is_looked_for_once() {
    let profile = profile(r#"item = ("<x>" to("</x>") "</x>" | any)*"#);
    let text = "<x>".repeat(200_000);
    let request = ToolRequest::default();
    let mut matcher = GrammarMatcher::new(&profile.whole, &text, &request);
    let rule = profile.whole.grammar.number("item").expect("the grammar has this rule");
    assert_eq!(matcher.rule(rule, 0), Matched::To(text.len()));
    assert!(matcher.steps < 20 * text.len(), "{} steps", matcher.steps);
}
