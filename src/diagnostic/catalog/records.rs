//! Pages about files of records and saved streams, as containers find them.

use super::CodeInfo;

pub(super) const BROKEN_RECORD: CodeInfo = CodeInfo {
    title: "bytes that are not a record",
    help: "repair the line, or remove it; what is before and after it is read",
    explanation: "The file is a sequence of JSON records, and this is something else: a record that was cut off and \
        overwritten, output of another program, JSON that is not strict. Programs that read the file stop here or skip \
        it. transcope shows the raw bytes and continues at the next line that begins with a bracket.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\nnpm WARN old lockfile\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const CUT_OFF_RECORD: CodeInfo = CodeInfo {
    title: "the file ends in the middle of a record",
    help: "was the writer stopped, or the file copied while it was being written? -f waits for the rest",
    explanation: "The last record has no end. While a file is followed, that is what a record looks like that is being \
        written; at the end of a file the record is lost. In a stream of events the empty line \
        after the last one is missing, without which a reader drops it.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"assistant\", \"uuid\": \"u2\", \"message\": {\"role\": \"assis",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const GLUED_RECORDS: CodeInfo = CodeInfo {
    title: "two records on one line",
    help: "put each record on a separate line, and an empty line after each event of a stream",
    explanation: "A record was written after another one without a line feed between them. Both are read here; a \
        reader that expects one record per line rejects the line.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}{\"type\": \"user\", \"uuid\": \"u2\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u2\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
};

pub(super) const UNKNOWN_RECORD: CodeInfo = CodeInfo {
    title: "a record of an unknown type",
    help: "it was written by a newer version or by another program; the record is shown raw",
    explanation: "The file is of a known kind, but records of this type are not known. It is shown \
        raw, so that nothing is lost. Some readers stop at an unknown record; then it is an error.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"weather-report\", \"sky\": \"grey\"}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const NOTHING_SHOWN: CodeInfo = CodeInfo {
    title: "a file that shows nothing",
    help: "show it with --container plain; if it holds a conversation, it is of a form that is not known here",
    explanation: "The file was recognised by its first records, but nothing in it was read as text, a call or a result. \
        Either its conversation is in members that are not known here, or it has none yet: a session with nothing but \
        its header. If no record has any words, this is a hint.",
    bad: "{\"name\": \"chat\", \"traceId\": \"t1\", \"attributes\": {\"gen_ai.system\": \"x\", \"app.prompt\": \"What is in here?\"}}\n",
    good: "{\"name\": \"chat\", \"traceId\": \"t1\", \"attributes\": {\"gen_ai.system\": \"x\", \"gen_ai.input.messages\": [{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"What is in here?\"}]}]}}\n",
};

pub(super) const DUPLICATE_RECORD: CodeInfo = CodeInfo {
    title: "duplicate record",
    help: "it counts once; look for two programs that write the same file, or a stream that was joined twice",
    explanation: "A record has the id or number of an earlier one. It is skipped.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const RECORD_OUT_OF_ORDER: CodeInfo = CodeInfo {
    title: "a record is out of order",
    help: "records are shown in the order of the file; their ids say which one follows which",
    explanation: "A record names the one that it follows, and that one comes later in the file. This happens if several \
        programs write the same file. In a stream the numbers of the events show it.",
    bad: "{\"type\": \"user\", \"uuid\": \"u2\", \"parentUuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n{\"type\": \"user\", \"uuid\": \"u1\", \"parentUuid\": null, \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"parentUuid\": null, \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u2\", \"parentUuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
};

pub(super) const CALL_IN_TEXT: CodeInfo = CodeInfo {
    title: "a call in text that is not read",
    help: "if the runtime does read it, use --text-calls read; if not, the model wrote a call that never ran",
    explanation: "Text of the model looks like a call in a syntax of text, but the calls of this file are records: the \
        agent has them from an interface, and text is only text to it. It is shown as prose. A model that falls back to \
        a syntax that it was trained on looks like this.",
    bad: "{\"type\": \"assistant\", \"uuid\": \"u1\", \"message\": {\"role\": \"assistant\", \"content\": \"I look.\\n<tool:ls>\\n</tool:ls>\"}}\n",
    good: "{\"type\": \"assistant\", \"uuid\": \"u1\", \"message\": {\"role\": \"assistant\", \"content\": [{\"type\": \"tool_use\", \"id\": \"t1\", \"name\": \"ls\", \"input\": {}}]}}\n",
};

pub(super) const UNANSWERED_CALL: CodeInfo = CodeInfo {
    title: "a call without a result",
    help: "look for a crash, an interruption, or a lost record; providers reject such a conversation",
    explanation: "The file records calls and what came of them, and the conversation continued after this call, but no \
        result names it and none is left over for it. Most providers reject a conversation in which a call has no result. \
        A call in the last message may still be waiting and is not reported.",
    bad: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"user\", \"content\": \"Well?\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"notes.md\"},\n{\"role\": \"user\", \"content\": \"Well?\"}\n]}\n",
};

pub(super) const RESULT_WITHOUT_CALL: CodeInfo = CodeInfo {
    title: "a result without its call",
    help: "was the beginning of the file cut off, or an id changed? providers reject a result without its call",
    explanation: "A result names a call, and no call has that id; or it names none, and no unanswered call is left for \
        it. This happens if a conversation was shortened to fit and the cut went between a call and its result.",
    bad: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"tool\", \"tool_call_id\": \"c9\", \"content\": \"notes.md\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c9\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c9\", \"content\": \"notes.md\"}\n]}\n",
};

pub(super) const TOOL_FAILED: CodeInfo = CodeInfo {
    title: "a tool failed",
    help: "read its result; the text of the call may still be right",
    explanation: "The file says that this call failed or was not allowed. That is not a fault of the text, so `check` reports \
        it as a note and exits with 0; `--deny tool-failed` makes it exit with 1.",
    bad: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": [{\"type\": \"tool_use\", \"id\": \"c1\", \"name\": \"ls\", \"input\": {}}]},\n{\"role\": \"user\", \"content\": [{\"type\": \"tool_result\", \"tool_use_id\": \"c1\", \"is_error\": true, \"content\": \"no such directory\"}]}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": [{\"type\": \"tool_use\", \"id\": \"c1\", \"name\": \"ls\", \"input\": {}}]},\n{\"role\": \"user\", \"content\": [{\"type\": \"tool_result\", \"tool_use_id\": \"c1\", \"content\": \"notes.md\"}]}\n]}\n",
};

pub(super) const ANSWERED_TWICE: CodeInfo = CodeInfo {
    title: "a second result for the same call",
    help: "the model continued with the one it saw last; look for a retry, or a record written twice",
    explanation: "Two results name one call. The first one counts here; a provider rejects the conversation or takes \
        either of them.",
    bad: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"a\"},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"b\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"a\"}\n]}\n",
};

pub(super) const STREAM_CUT_OFF: CodeInfo = CodeInfo {
    title: "a stream ends before its message does",
    help: "was the connection lost, or the request cancelled? what arrived is shown",
    explanation: "A saved stream has the beginning of a message but not its end. A call that was arriving has only \
        part of its arguments.",
    bad: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"Well\"}}\n\n",
    good: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"Well\"}}\n\ndata: {\"type\": \"content_block_stop\", \"index\": 0}\n\ndata: {\"type\": \"message_stop\"}\n\n",
};

pub(super) const ANSWER_STOPPED: CodeInfo = CodeInfo {
    title: "an answer was stopped before the model was done",
    help: "read the reason; ask again, or change the prompt or the tools",
    explanation: "The record says that the answer is not what the model would have said: the provider or the user \
        stopped it, an error ended it, or the provider discarded a call that it could not read or did not expect. Such a call is \
        lost, which is an error; what is left of it may be in the reason.",
    bad: "{\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [{\"text\": \"Let me look.\"}]}, \"finishReason\": \"MALFORMED_FUNCTION_CALL\", \"finishMessage\": \"Malformed function call: print(ls('.'))\"}]}\n",
    good: "{\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [{\"text\": \"Let me look.\"}, {\"functionCall\": {\"name\": \"ls\", \"args\": {\"path\": \".\"}}}]}, \"finishReason\": \"STOP\"}]}\n",
};

pub(super) const STRAY_DELTA: CodeInfo = CodeInfo {
    title: "a delta for a part that is not open",
    help: "an event of the stream is missing, or comes too late",
    explanation: "A stream says where each part begins; this event continues one that has not begun, or that has \
        ended. It is shown raw. Some readers stop here; then it is an error.",
    bad: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_delta\", \"index\": 3, \"delta\": {\"type\": \"text_delta\", \"text\": \"Well\"}}\n\ndata: {\"type\": \"message_stop\"}\n\n",
    good: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"Well\"}}\n\ndata: {\"type\": \"content_block_stop\", \"index\": 0}\n\ndata: {\"type\": \"message_stop\"}\n\n",
};

pub(super) const STREAM_MISMATCH: CodeInfo = CodeInfo {
    title: "deltas that differ from the whole",
    help: "the program that read the stream used the whole; look for lost or repeated events",
    explanation: "The input of a call came in deltas and then as a whole, and the two differ. The deltas are \
        shown.",
    bad: "data: {\"type\": \"tool-input-start\", \"toolCallId\": \"c1\", \"toolName\": \"ping\"}\n\ndata: {\"type\": \"tool-input-delta\", \"toolCallId\": \"c1\", \"inputTextDelta\": \"{\\\"a\\\":1}\"}\n\ndata: {\"type\": \"tool-input-available\", \"toolCallId\": \"c1\", \"toolName\": \"ping\", \"input\": {\"a\": 2}}\n\ndata: {\"type\": \"finish\"}\n\n",
    good: "data: {\"type\": \"tool-input-start\", \"toolCallId\": \"c1\", \"toolName\": \"ping\"}\n\ndata: {\"type\": \"tool-input-delta\", \"toolCallId\": \"c1\", \"inputTextDelta\": \"{\\\"a\\\":1}\"}\n\ndata: {\"type\": \"tool-input-available\", \"toolCallId\": \"c1\", \"toolName\": \"ping\", \"input\": {\"a\": 1}}\n\ndata: {\"type\": \"finish\"}\n\n",
};
