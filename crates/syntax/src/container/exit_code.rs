//! Detects the outcome of a command from the lines that agents write before or after its output.
//!
//! | agent | lines |
//! |---|---|
//! | Codex, one command | `Exit code: 1`, `Wall time: 0.1 seconds`, `Total output lines: 9`, `Output:` |
//! | Codex, a shell that stays open | `Chunk ID: 6f2a`, `Wall time: 0.1 seconds`, `Process exited with code 128`, `Original token count: 9`, `Output:` |
//! | Codex, a script that calls tools | `Script failed`, `Wall time 0.1 seconds`, `Output:` |
//! | Codex, no output | `execution error: …`, `exec command rejected by user`, … |
//! | Gemini CLI | `Exit Code: 1`, after the output |
//! | Roo | `Command executed in terminal …`, `Exit code: 1`, `Output:` |
//! | mini-swe-agent | `<returncode>1</returncode>` |
//!
//! A command with an exit code other than 0 failed, as it does for agents that set a flag then.

use super::CallOutcome;
use super::json::{JsonKind, JsonValue};

/// Beginnings of header lines other than the one with the exit code.
const HEAD: [&[u8]; 6] =
    [b"Command: ", b"Chunk ID: ", b"Wall time: ", b"Wall time ", b"Total output lines: ", b"Original token count: "];

/// Beginnings of header lines that end with the exit code.
const CODES: [&[u8]; 2] = [b"Exit code: ", b"Process exited with code "];

/// Most lines of a header.
const MOST_LINES: usize = 8;

/// Beginnings of outputs if Codex did not run the command because it was not allowed to, or if the user aborted it.
const REFUSED: [&[u8]; 5] = [
    b"exec command rejected by user",
    b"patch rejected by user",
    b"rejected by user",
    b"aborted by user",
    b"approval policy is ",
];

/// Beginnings of outputs that Codex writes if the tool could not run.
const FAILED: [&[u8]; 11] = [
    b"execution error: ",
    b"exec_command failed",
    b"write_stdin failed",
    b"apply_patch verification failed",
    b"failed to parse function arguments",
    b"failed in sandbox",
    b"command timed out after ",
    b"tool call error: ",
    b"unable to locate image at ",
    b"unsupported call: ",
    b"unsupported custom tool call: ",
];

/// The outcome for an exit code in a record; `null` or a value that is not a number says nothing.
pub(super) fn of_value(code: Option<JsonValue<'_>>) -> CallOutcome {
    let code = code.filter(|code| code.kind() == JsonKind::Word);
    code.and_then(|code| number(code.raw())).map_or(CallOutcome::Unknown, of)
}

/// The outcome of a Codex call by the header of its output.
pub(super) fn of_codex(output: &[u8]) -> CallOutcome {
    let mut lines = output.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut is_first = true;
    for _ in 0..MOST_LINES {
        let Some(line) = lines.next() else { break };
        if let Some(code) = CODES.iter().find_map(|start| number(line.strip_prefix(*start)?)) {
            return of(code);
        }
        let begins = |start: &&[u8]| line.starts_with(start);
        if is_first && line.starts_with(b"Script ") {
            let is_timed = lines.next().is_some_and(|next| next.starts_with(b"Wall time "));
            return match line {
                _ if !is_timed => CallOutcome::Unknown,
                b"Script failed" | b"Script terminated" => CallOutcome::Failed,
                _ => CallOutcome::Succeeded,
            };
        }
        // The process is still running; a later call has its exit code.
        if line.starts_with(b"Process running with session ID ") {
            return CallOutcome::Succeeded;
        }
        if REFUSED.iter().any(begins) || line == b"aborted" {
            return CallOutcome::Denied;
        }
        if FAILED.iter().any(begins) {
            return CallOutcome::Failed;
        }
        if !HEAD.iter().any(begins) {
            break;
        }
        is_first = false;
    }
    CallOutcome::Unknown
}

/// The outcome of a command by the last line that begins with `label` followed by a number.
pub(super) fn of_last_line(output: &[u8], label: &[u8]) -> CallOutcome {
    let mut ends = memchr::memmem::rfind_iter(output, label);
    let line = ends.find(|&at| at == 0 || output[at - 1] == b'\n').map(|at| &output[at + label.len()..]);
    let line = line.and_then(|rest| number(rest.split(|byte| matches!(byte, b'\n' | b'\r')).next()?));
    line.map_or(CallOutcome::Unknown, of)
}

/// The outcome of a command whose exit code is the content of the element `name`.
pub(super) fn of_element(output: &[u8], name: &str) -> CallOutcome {
    let open = format!("<{name}>");
    let code = memchr::memmem::find(output, open.as_bytes()).and_then(|at| {
        let rest = &output[at + open.len()..];
        number(rest[..memchr::memchr(b'<', rest)?].trim_ascii())
    });
    code.map_or(CallOutcome::Unknown, of)
}

/// The outcome for an exit code.
fn of(code: &[u8]) -> CallOutcome {
    CallOutcome::from_error_flag(Some(code.iter().any(|digit| *digit != b'0')))
}

/// The same text if it is a whole number, which may be negative.
fn number(words: &[u8]) -> Option<&[u8]> {
    let digits = words.strip_prefix(b"-").unwrap_or(words);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_in_the_head_of_an_output_says_how_the_command_went() {
        let (fine, failed, denied, unsaid) =
            (CallOutcome::Succeeded, CallOutcome::Failed, CallOutcome::Denied, CallOutcome::Unknown);
        for (output, outcome) in [
            ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1\n", fine),
            ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno such file\n", failed),
            ("Exit code: 124\r\nWall time: 10 seconds\r\nOutput:\r\n", failed),
            ("Exit code: -1", failed),
            ("Exit code: one", unsaid),
            ("Chunk ID: 6f2a\nWall time: 0.05 seconds\nProcess exited with code 128\nOutput:\n", failed),
            ("Wall time: 0.05 seconds\nProcess exited with code 0\nOutput:\n", fine),
            ("Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n", fine),
            ("Wall time: 0.1 seconds\nOutput:\nProcess exited with code 1\n", unsaid),
            ("Wall time: 2.1 seconds\naborted by user", denied),
            ("aborted by user after 2.1s", denied),
            ("exec command rejected by user", denied),
            ("apply_patch verification failed: invalid hunk", failed),
            ("execution error: Io(…)", failed),
            ("Script failed\nWall time 0.1 seconds\nOutput:\n", failed),
            ("Script completed\nWall time 0.1 seconds\nOutput:\n", fine),
            ("Script failed\nand more", unsaid),
            ("ok\nExit code: 1\n", unsaid),
            ("", unsaid),
        ] {
            assert_eq!(of_codex(output.as_bytes()), outcome, "{output:?}");
        }
    }

    #[test]
    fn the_exit_code_after_an_output_is_the_last_line_of_its_kind() {
        for (output, outcome) in [
            ("Output: (empty)\nError: none\nExit Code: 2\nSignal: 0", CallOutcome::Failed),
            ("Output: Exit Code: 2\nExit Code: 0\n", CallOutcome::Succeeded),
            ("Output: Exit Code: 2", CallOutcome::Unknown),
            ("Exit Code: (none)", CallOutcome::Unknown),
        ] {
            assert_eq!(of_last_line(output.as_bytes(), b"Exit Code: "), outcome, "{output:?}");
        }
        assert_eq!(of_element(b"<returncode> 1 </returncode>\n<output>", "returncode"), CallOutcome::Failed);
        assert_eq!(of_element(b"<returncode>0</returncode>", "returncode"), CallOutcome::Succeeded);
        assert_eq!(of_element(b"<returncode>", "returncode"), CallOutcome::Unknown);
    }
}
