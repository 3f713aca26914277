//! Prints the calls of a text with their arguments, and its problems: `cargo run -p transcope-session --example check -- FILE`.

use std::io::Write;

use transcope_session::dialect::Options;
use transcope_session::session::Session;
use transcope_session::value::tree_json;

/// A call that gives the same pointer twice.
const EXAMPLE: &[u8] = b"Hello!\n\n!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!ARG:name\nGrace\n!!!GADGET_END\n";

/// Writes a line for each call of a text, and two for each problem: its place, and what to do.
fn check(text: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    let session = Session::read(text, &Options::default());
    for item in session.document().calls() {
        let (Some(call), Some(assembly)) = (session.document().call(item), session.dissect(item)) else { continue };
        let arguments = tree_json::to_json(&assembly.tree, session.text());
        writeln!(out, "{}: {} {arguments}", call.dialect, call.name(session.text()))?;
    }
    for problem in session.document().sorted_diagnostics() {
        let place = session.position(problem.span.start);
        let (severity, code) = (problem.severity.word(), problem.code.name());
        writeln!(out, "{}:{}: {severity}[{code}]: {}", place.line, place.column, problem.message)?;
        writeln!(out, "  {}", problem.help_text())?;
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let text = std::env::args_os().nth(1).map_or_else(|| Ok(EXAMPLE.to_vec()), std::fs::read)?;
    check(&text, &mut std::io::stdout())
}

#[test]
fn calls_are_printed_with_their_arguments_and_problems_with_their_places() {
    let mut out = Vec::new();
    check(EXAMPLE, &mut out).expect("memory takes every write");
    let out = String::from_utf8(out).expect("all of it is UTF-8");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "gadget: Greet {\"name\":\"Ada\"}");
    assert_eq!(lines[1], "6:8: error[duplicate-pointer]: Duplicate pointer: name");
    assert!(lines[2].starts_with("  give each pointer once"), "{out}");
    assert_eq!(lines.len(), 3, "{out}");
}
