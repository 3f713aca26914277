//! Outcomes of calls as each container states them: a failure counts as one wherever it was recorded.

use transcope::container::{CallOutcome, Container};
use transcope::dialect::Options;
use transcope::session::Session;

/// Checks the outcomes of the calls of a file, in order, for some records of the container.
#[track_caller]
fn check(container: &str, records: &[&str], outcomes: &str) {
    let mut session = Session::new(Container::named(container).expect("it exists"), &Options::default());
    session.push(records.join("\n").as_bytes());
    session.finish();
    let document = session.document();
    let calls: Vec<_> = document.calls().filter_map(|item| document.call(item)).collect();
    let words: Vec<String> = calls
        .iter()
        .map(|call| call.answer.map_or("none".into(), |answer| format!("{answer:?}").to_lowercase()))
        .collect();
    assert_eq!(words.join(" "), outcomes, "{container}: {records:?}");
    let failures = calls.iter().filter(|call| call.answer.is_some_and(CallOutcome::is_failure)).count();
    assert_eq!(document.failures(), failures, "{container}: {records:?}");
}

#[test]
fn an_output_of_codex_says_by_its_exit_code_that_its_command_failed() {
    let meta = r#"{"type":"session_meta","payload":{"id":"s1"}}"#;
    let call =
        r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}}"#;
    for (output, outcome) in [
        (r#""Exit code: 0\nWall time: 0.2 seconds\nOutput:\nfine""#, "succeeded"),
        (r#""Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno such file""#, "failed"),
        (r#""Chunk ID: a1\nWall time: 0.2 seconds\nProcess exited with code 128\nOutput:\n""#, "failed"),
        (r#""Wall time: 0.2 seconds\nProcess running with session ID 3\nOutput:\n""#, "succeeded"),
        (r#""{\"output\": \"x\", \"metadata\": {\"exit_code\": 2}}""#, "failed"),
        (r#""{\"output\": \"x\", \"metadata\": {\"exit_code\": 0}}""#, "succeeded"),
        (r#""{\"exit_code\": 1, \"stdout\": \"\"}""#, "failed"),
        (r#""{\"metadata\": {\"exit_code\": null}, \"output\": \"x\"}""#, "unknown"),
        (r#"[{"type":"input_text","text":"Script failed\nWall time 0.1 seconds\nOutput:\n"}]"#, "failed"),
        (r#"{"content":"no","success":false}"#, "failed"),
        (r#"{"content":"Exit code: 1\nWall time: 0.2 seconds\nOutput:\n"}"#, "failed"),
        (r#"{"output":"x","metadata":{"exit_code":2}}"#, "failed"),
        (r#"{"output":"x","metadata":{"exit_code":0}}"#, "succeeded"),
        (r#"{"content":"Plan updated"}"#, "unknown"),
        (r#""exec command rejected by user""#, "denied"),
        (r#""Plan updated""#, "unknown"),
    ] {
        let payload = format!(r#"{{"type":"function_call_output","call_id":"c1","output":{output}}}"#);
        let result = format!(r#"{{"type":"response_item","payload":{payload}}}"#);
        check("codex", &[meta, call, &result], outcome);
    }
    let result = r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"x"}}"#;
    for (event, outcome) in [
        (r#"{"type":"exec_command_end","call_id":"c1","exit_code":1}"#, "failed"),
        (r#"{"type":"exec_command_end","call_id":"c1","exit_code":0}"#, "succeeded"),
        (r#"{"type":"exec_command_end","call_id":"c2","exit_code":1}"#, "unknown"),
        (r#"{"type":"exec_command_end","call_id":"c1","exit_code":-1,"status":"declined"}"#, "denied"),
        (r#"{"type":"patch_apply_end","call_id":"c1","success":false}"#, "failed"),
        (r#"{"type":"mcp_tool_call_end","call_id":"c1","result":{"Err":"no server"}}"#, "failed"),
        (r#"{"type":"mcp_tool_call_end","call_id":"c1","result":{"Ok":{"content":[],"isError":true}}}"#, "failed"),
        (r#"{"type":"mcp_tool_call_end","call_id":"c1","result":{"Ok":{"content":[]}}}"#, "succeeded"),
    ] {
        let event = format!(r#"{{"type":"event_msg","payload":{event}}}"#);
        check("codex", &[meta, call, &event, result], outcome);
    }
    for (status, outcome) in [
        (r#""exit_code":0,"status":"completed""#, "succeeded"),
        (r#""exit_code":2,"status":"completed""#, "failed"),
        (r#""status":"declined""#, "denied"),
    ] {
        let item =
            format!(r#"{{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"x",{status}}}"#);
        check("codex", &[&format!(r#"{{"type":"item.completed","item":{item}}}"#)], outcome);
    }
}

#[test]
fn a_result_without_a_flag_for_errors_is_a_success_where_the_format_defines_it_so() {
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]}"#;
    for (flag, content, outcome) in [
        ("", r#""x""#, "succeeded"),
        (r#","is_error":null"#, r#""x""#, "succeeded"),
        (r#","is_error":false"#, r#""x""#, "succeeded"),
        (r#","is_error":true"#, r#""x""#, "failed"),
        (r#","is_error":true"#, r#""The user doesn't want to proceed with this tool use. The tool""#, "denied"),
        (
            r#","is_error":true"#,
            r#"[{"type":"text","text":"Claude requested permissions, but you haven't granted it yet"}]"#,
            "denied",
        ),
        ("", r#""The user doesn't want to proceed with this tool use: a line of a log""#, "succeeded"),
    ] {
        let part = format!(r#"{{"type":"tool_result","tool_use_id":"t1","content":{content}{flag}}}"#);
        let result = format!(r#"{{"role":"user","content":[{part}]}}"#);
        check("anthropic", &[&format!("[{call},{result}]")], outcome);
        let record = |kind: &str, message: &str| {
            format!(r#"{{"type":"{kind}","sessionId":"s1","uuid":"{kind}","message":{message}}}"#)
        };
        check("claude-code", &[&record("assistant", call), &record("user", &result)], outcome);
    }
    for (content, outcome) in [
        (r#"{"type":"web_search_tool_result_error","error_code":"unavailable"}"#, "failed"),
        (r#"[{"type":"web_search_result","title":"x"}]"#, "succeeded"),
        (r#"{"type":"bash_code_execution_result","return_code":1,"stderr":"no"}"#, "failed"),
        (r#"{"type":"bash_code_execution_result","return_code":0,"stdout":"x"}"#, "succeeded"),
    ] {
        let use_it = r#"{"type":"server_tool_use","id":"t1","name":"web_search","input":{}}"#;
        let part = format!(r#"{{"type":"web_search_tool_result","tool_use_id":"t1","content":{content}}}"#);
        check("anthropic", &[&format!(r#"[{{"role":"assistant","content":[{use_it},{part}]}}]"#)], outcome);
    }
    for (status, outcome) in
        [("", "succeeded"), (r#","status":"success""#, "succeeded"), (r#","status":"error""#, "failed")]
    {
        let call = r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"ls","input":{}}}]}"#;
        let part = format!(r#"{{"toolResult":{{"toolUseId":"t1","content":[{{"text":"x"}}]{status}}}}}"#);
        check("bedrock", &[&format!(r#"{{"messages":[{call},{{"role":"user","content":[{part}]}}]}}"#)], outcome);
    }
}

#[test]
fn a_command_that_failed_is_a_failure_in_every_container_that_keeps_its_exit_code() {
    for (code, outcome) in [("0", "succeeded"), ("1", "failed"), ("null", "succeeded")] {
        let state = format!(r#"{{"status":"completed","input":{{}},"output":"x","metadata":{{"exit":{code}}}}}"#);
        let part = format!(r#"{{"type":"tool","callID":"c1","tool":"bash","state":{state}}}"#);
        let message = format!(r#"{{"info":{{"id":"m1","role":"assistant"}},"parts":[{part}]}}"#);
        check("opencode", &[&format!(r#"{{"info":{{"id":"ses_1"}},"messages":[{message}]}}"#)], outcome);
    }
    for (tool, output, outcome) in [
        ("run_shell_command", r"Output: x\nExit Code: 1", "failed"),
        ("run_shell_command", r"Output: x\nExit Code: 0", "succeeded"),
        ("run_shell_command", r"Output: x", "succeeded"),
        ("read_file", r"Output: x\nExit Code: 1", "succeeded"),
    ] {
        let response =
            format!(r#"{{"functionResponse":{{"id":"c1","name":"{tool}","response":{{"output":"{output}"}}}}}}"#);
        let call = format!(r#"{{"id":"c1","name":"{tool}","args":{{}},"status":"success","result":[{response}]}}"#);
        let message = format!(r#"{{"id":"m1","type":"gemini","content":"","toolCalls":[{call}]}}"#);
        let session = format!(r#"{{"sessionId":"s1","projectHash":"h","messages":[{message}]}}"#);
        check("gemini-cli", &[&session], outcome);
    }
    for (content, outcome) in
        [("<returncode>1</returncode>", "failed"), ("<returncode>0</returncode>", "succeeded"), ("x", "unknown")]
    {
        let call = r#"{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}"#;
        let answer = format!(r#"{{"role":"assistant","content":"","tool_calls":[{call}]}}"#);
        let result = format!(r#"{{"role":"tool","tool_call_id":"c1","content":"{content}"}}"#);
        let run = format!(r#"{{"messages":[{answer},{result}],"trajectory_format":"mini-swe-agent-1"}}"#);
        check("swe-agent", &[&run], outcome);
    }
}

#[test]
fn an_observation_of_openhands_says_by_its_code_or_flag_that_its_call_failed() {
    let action = r#"{"id":1,"source":"agent","action":"run","args":{"command":"ls"}}"#;
    for (rest, outcome) in [
        (r#""extras":{"metadata":{"exit_code":2}}"#, "failed"),
        (r#""extras":{"metadata":{"exit_code":-1}},"success":true"#, "succeeded"),
        (r#""extras":{},"success":false"#, "failed"),
        (r#""extras":{},"success":true"#, "succeeded"),
        (r#""extras":{}"#, "unknown"),
    ] {
        let seen = format!(r#"{{"id":2,"source":"agent","cause":1,"observation":"run","content":"x",{rest}}}"#);
        check("openhands", &[&format!("[{action},{seen}]")], outcome);
    }
    let action =
        r#"{"kind":"ActionEvent","id":"a","source":"agent","tool_name":"bash","tool_call_id":"c1","action":{}}"#;
    for (rest, outcome) in [
        (r#""exit_code":1"#, "failed"),
        (r#""exit_code":0"#, "succeeded"),
        (r#""exit_code":-1"#, "succeeded"),
        (r#""metadata":{"exit_code":127}"#, "failed"),
        (r#""is_error":true,"exit_code":0"#, "failed"),
        (r#""exit_code":null,"metadata":{}"#, "succeeded"),
    ] {
        let seen = format!(r#"{{"kind":"TerminalObservation","content":"x",{rest}}}"#);
        let event = format!(
            r#"{{"kind":"ObservationEvent","id":"o","tool_name":"bash","tool_call_id":"c1","observation":{seen}}}"#
        );
        check("openhands", &[&format!("[{action},{event}]")], outcome);
    }
}

#[test]
fn a_tool_of_code_assistant_says_by_its_flag_or_error_that_it_failed() {
    for (answer, outcome) in [
        (r#"{"success":false,"output":"no"}"#, "failed"),
        (r#"{"success":true,"output":"x"}"#, "succeeded"),
        (r#"{"error":"no"}"#, "failed"),
        (r#"{"output":"x","error":null}"#, "succeeded"),
    ] {
        let part = r#"{"type":"tool_use","id":"t1","name":"execute_command","input":{}}"#;
        let message = format!(r#"{{"role":"assistant","content":[{part}]}}"#);
        let execution = format!(r#"{{"tool_request":{{"id":"t1","name":"execute_command"}},"result_json":{answer}}}"#);
        let text =
            format!(r#"{{"id":"s","messages":[{message}],"tool_executions":[{execution}],"tool_mode":"native"}}"#);
        check("code-assistant", &[&text], outcome);
    }
}

#[test]
fn a_saved_file_of_cline_is_a_success() {
    let call = r#"{"role":"assistant","content":"<write_to_file>\n<path>a</path>\n<content>\nx\n</content>\n</write_to_file>"}"#;
    for (words, outcome) in [
        ("The content was successfully saved to a.", "succeeded"),
        ("The user made the following updates to your content:\\n\\n@@", "succeeded"),
        ("Saved?", "unknown"),
    ] {
        let text = format!("[write_to_file for 'a'] Result:\\n{words}");
        let result = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#);
        check("cline", &[&format!("[{call},{result}]")], outcome);
    }
}
