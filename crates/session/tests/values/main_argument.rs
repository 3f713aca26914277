//! The argument that says what a call is about.

use transcope_session::session::Session;
use transcope_syntax::container::Container;
use transcope_syntax::dialect::Options;
use transcope_syntax::value::main_argument::main_argument;

#[test]
fn what_a_call_is_about_is_chosen_by_key_and_else_by_shortness() {
    for (arguments, expected) in [
        ("{}", None),
        (r#"{"description": "Run the tests", "command": "pnpm test"}"#, Some("pnpm test")),
        (r#"{"pattern": "fn main", "path": "src"}"#, Some("fn main")),
        (r#"{"questions": [{"header": "Gate", "question": "Which gate?", "options": []}]}"#, Some("Which gate?")),
        (r#"{"old_string": "a", "file_path": "src/a.rs"}"#, Some("src/a.rs")),
        (r#"{"command": ["bash", "-lc", "grep -n open gates.txt\necho"]}"#, Some("grep -n open gates.txt")),
        (r#"{"command": ["ls", "-l"]}"#, Some("ls -l")),
        (r#"{"count": 3, "city": "Rome"}"#, Some("Rome")),
        (r#"{"count": 3}"#, Some("3")),
        (r#"{"query": "  \n  two\nlines"}"#, Some("two")),
        (r#"{"search": "old", "path": "src"}"#, Some("old")),
        (r#"{"path": "a.rs", "search": "old", "replace": "new"}"#, Some("a.rs")),
        (r#"{"deep": {"a": 1}}"#, None),
        (r#"{"path": ""}"#, None),
        (r#"{"input": "*** Begin Patch\n*** Update File: a/gates.txt\n@@\n"}"#, Some("a/gates.txt")),
    ] {
        let mut session = Session::new(Container::plain(), &Options::default());
        session.push(format!("[{{\"name\": \"f\", \"arguments\": {arguments}}}]\n").as_bytes());
        session.finish();
        let tree = session.dissect(session.document().calls().next().expect("there is a call")).expect("a tree").tree;
        assert_eq!(
            main_argument(&tree, session.text(), &["deep".to_owned(), "city".to_owned()]).as_deref(),
            expected,
            "{arguments}"
        );
    }
}
