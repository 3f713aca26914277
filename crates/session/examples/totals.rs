//! Prints what a recorded session used, and what failed in it: `cargo run -p transcope-session --example totals -- FILE`.

use transcope_session::container::CallOutcome;
use transcope_session::dialect::Options;
use transcope_session::session::Session;

/// A session of Claude Code: two requests and a command that failed.
const EXAMPLE: &str = concat!(
    r#"{"type":"user","sessionId":"s1","uuid":"1","message":{"role":"user","content":"Run the tests."}}"#,
    "\n",
    r#"{"type":"assistant","sessionId":"s1","uuid":"2","parentUuid":"1","message":{"id":"msg_1","role":"assistant","#,
    r#""content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"pytest -q"}}],"#,
    r#""usage":{"input_tokens":120,"output_tokens":30}}}"#,
    "\n",
    r#"{"type":"user","sessionId":"s1","uuid":"3","parentUuid":"2","message":{"role":"user","content":"#,
    r#"[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"pytest: command not found"}]}}"#,
    "\n",
    r#"{"type":"assistant","sessionId":"s1","uuid":"4","parentUuid":"3","message":{"id":"msg_2","role":"assistant","#,
    r#""content":[{"type":"text","text":"pytest is not installed."}],"usage":{"input_tokens":170,"output_tokens":8}}}"#,
    "\n",
);

/// Requests, tokens, calls and failed calls of a session. A total that the file does not state is unknown, never 0.
fn totals(file: &[u8]) -> String {
    let session = Session::read(file, &Options::default());
    let (document, spending) = (session.document(), session.document().session_spending());
    let tokens = spending.known_usage().and_then(|usage| usage.total());
    let tokens = tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string());
    let mut lines = vec![format!("requests: {}, tokens: {tokens}", spending.requests)];
    lines.push(format!("calls: {}, failed: {}", document.calls_that_count(), document.failures()));
    for item in document.calls() {
        let Some(call) = document.call(item) else { continue };
        if call.answer.is_some_and(CallOutcome::is_failure) {
            lines.push(format!("  failed: {}", call.name(session.text())));
        }
    }
    lines.join("\n")
}

fn main() -> std::io::Result<()> {
    let file = std::env::args_os().nth(1).map_or_else(|| Ok(EXAMPLE.into()), std::fs::read)?;
    #[expect(clippy::print_stdout, reason = "an example that prints")]
    {
        println!("{}", totals(&file));
    }
    Ok(())
}

#[test]
fn tokens_and_failed_calls_are_counted() {
    assert_eq!(totals(EXAMPLE.as_bytes()), "requests: 2, tokens: 328\ncalls: 1, failed: 1\n  failed: Bash");
}
