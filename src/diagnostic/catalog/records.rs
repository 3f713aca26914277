//! Pages about files of records and saved streams, as containers find them.

use super::{CodeInfo, Severity};

pub(super) const BROKEN_RECORD: CodeInfo = CodeInfo {
    name: "broken-record",
    title: "bytes that are no record",
    severity: Severity::Error,
    help: "repair the line, or remove it; what is before and after it is read",
    explanation: "The file is a sequence of JSON records, and here is something else: a record that was cut off and \
        written over, output of another program, JSON that is not strict. Whatever reads the file stops here or skips \
        it. transcope shows the bytes as they stand and goes on at the next line that begins with a bracket.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\nnpm WARN old lockfile\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const CUT_OFF_RECORD: CodeInfo = CodeInfo {
    name: "cut-off-record",
    title: "the file ends in the midst of a record",
    severity: Severity::Warning,
    help: "was the writer stopped, or the file copied while it was written? with -f the rest is waited for",
    explanation: "The last record has no end. While a file is followed that is how a record looks that is being \
        written, and it waits; at the end of a file it is a record that is lost. In a stream of events the empty line \
        behind the last one is missing, without which a reader drops it.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"assistant\", \"uuid\": \"u2\", \"message\": {\"role\": \"assis",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const GLUED_RECORDS: CodeInfo = CodeInfo {
    name: "glued-records",
    title: "two records on one line",
    severity: Severity::Hint,
    help: "put each record on a line of its own, and an empty line behind each event of a stream",
    explanation: "A record was written behind another one without a line feed between them. Both are read here; a \
        reader that takes a line for a record refuses the line.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}{\"type\": \"user\", \"uuid\": \"u2\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u2\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
};

pub(super) const UNKNOWN_RECORD: CodeInfo = CodeInfo {
    name: "unknown-record",
    title: "a record of an unknown type",
    severity: Severity::Hint,
    help: "a newer version of the program that wrote it, or another program; the record is shown as it stands",
    explanation: "The file is of a known kind, but this record is none of those that are known of it. It is shown as it \
        stands, so that nothing is lost. Some readers stop at a record that they do not know; then it is an error.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"weather-report\", \"sky\": \"grey\"}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const DUPLICATE_RECORD: CodeInfo = CodeInfo {
    name: "duplicate-record",
    title: "a record that comes twice",
    severity: Severity::Hint,
    help: "it counts once; look for two programs that write the same file, or a stream that was joined twice",
    explanation: "A record has the id, or the number, of one that came before. It is passed over.",
    bad: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
};

pub(super) const RECORD_OUT_OF_ORDER: CodeInfo = CodeInfo {
    name: "record-out-of-order",
    title: "a record behind one that follows it",
    severity: Severity::Hint,
    help: "records are shown in the order of the file; who follows whom is known from their ids",
    explanation: "A record names the one that it follows, and that one comes later in the file. It happens where several \
        writers share a file. In a stream the numbers of the events show it.",
    bad: "{\"type\": \"user\", \"uuid\": \"u2\", \"parentUuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n{\"type\": \"user\", \"uuid\": \"u1\", \"parentUuid\": null, \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n",
    good: "{\"type\": \"user\", \"uuid\": \"u1\", \"parentUuid\": null, \"message\": {\"role\": \"user\", \"content\": \"Hi\"}}\n{\"type\": \"user\", \"uuid\": \"u2\", \"parentUuid\": \"u1\", \"message\": {\"role\": \"user\", \"content\": \"Bye\"}}\n",
};

pub(super) const UNANSWERED_CALL: CodeInfo = CodeInfo {
    name: "unanswered-call",
    title: "a call without a result",
    severity: Severity::Warning,
    help: "look for a crash, an interruption, or a record that was lost; providers refuse such a conversation",
    explanation: "The file records calls and what came of them, and the conversation went on behind this call, but no \
        result names it and none was left for it. Most providers refuse a conversation in which a call has no result. \
        A call in the last message may still be waiting and is no problem.",
    bad: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"user\", \"content\": \"Well?\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"notes.md\"},\n{\"role\": \"user\", \"content\": \"Well?\"}\n]}\n",
};

pub(super) const RESULT_WITHOUT_CALL: CodeInfo = CodeInfo {
    name: "result-without-call",
    title: "a result of a call that is not there",
    severity: Severity::Warning,
    help: "was the beginning of the file cut off, or an id changed? providers refuse a result without its call",
    explanation: "A result names a call, and no call has that id; or it names none, and no call was left that it could \
        answer. It happens where a conversation was shortened to fit and the cut went between a call and its result.",
    bad: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"tool\", \"tool_call_id\": \"c9\", \"content\": \"notes.md\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"user\", \"content\": \"Look\"},\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c9\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c9\", \"content\": \"notes.md\"}\n]}\n",
};

pub(super) const ANSWERED_TWICE: CodeInfo = CodeInfo {
    name: "answered-twice",
    title: "a second result of the same call",
    severity: Severity::Warning,
    help: "which of the two the model saw last is what it went on with; look for a retry, or a record written twice",
    explanation: "Two results name one call. The first one counts here; a provider refuses the conversation or takes \
        either of them.",
    bad: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"a\"},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"b\"}\n]}\n",
    good: "{\"messages\": [\n{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"ls\", \"arguments\": \"{}\"}}]},\n{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"a\"}\n]}\n",
};

pub(super) const STREAM_CUT_OFF: CodeInfo = CodeInfo {
    name: "stream-cut-off",
    title: "a stream that ends before its message",
    severity: Severity::Warning,
    help: "was the connection lost, or the request given up? what arrived is shown",
    explanation: "A saved stream has the beginning of a message and not its end. A call that was under way has only a \
        part of its arguments.",
    bad: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"Well\"}}\n\n",
    good: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"Well\"}}\n\ndata: {\"type\": \"content_block_stop\", \"index\": 0}\n\ndata: {\"type\": \"message_stop\"}\n\n",
};

pub(super) const STRAY_DELTA: CodeInfo = CodeInfo {
    name: "stray-delta",
    title: "more of a part that is not open",
    severity: Severity::Warning,
    help: "an event of the stream is missing, or comes too late",
    explanation: "A stream says where each part begins; this event goes on with one that has not begun, or that has \
        ended. It is shown as it stands. Some readers stop here; then it is an error.",
    bad: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"content_block_delta\", \"index\": 3, \"delta\": {\"type\": \"text_delta\", \"text\": \"Well\"}}\n\ndata: {\"type\": \"message_stop\"}\n\n",
    good: "data: {\"type\": \"message_start\", \"message\": {\"id\": \"m1\", \"role\": \"assistant\"}}\n\ndata: {\"type\": \"message_stop\"}\n\n",
};

pub(super) const STREAM_MISMATCH: CodeInfo = CodeInfo {
    name: "stream-mismatch",
    title: "deltas that say something else than the whole",
    severity: Severity::Warning,
    help: "the program that read the stream went by the whole; look for lost or doubled events",
    explanation: "The input of a call came in deltas and then as a whole, and the two are not the same. The deltas are \
        shown.",
    bad: "data: {\"type\": \"tool-input-start\", \"toolCallId\": \"c1\", \"toolName\": \"ping\"}\n\ndata: {\"type\": \"tool-input-delta\", \"toolCallId\": \"c1\", \"inputTextDelta\": \"{\\\"a\\\":1}\"}\n\ndata: {\"type\": \"tool-input-available\", \"toolCallId\": \"c1\", \"toolName\": \"ping\", \"input\": {\"a\": 2}}\n\ndata: {\"type\": \"finish\"}\n\n",
    good: "data: {\"type\": \"tool-input-start\", \"toolCallId\": \"c1\", \"toolName\": \"ping\"}\n\ndata: {\"type\": \"tool-input-delta\", \"toolCallId\": \"c1\", \"inputTextDelta\": \"{\\\"a\\\":1}\"}\n\ndata: {\"type\": \"tool-input-available\", \"toolCallId\": \"c1\", \"toolName\": \"ping\", \"input\": {\"a\": 1}}\n\ndata: {\"type\": \"finish\"}\n\n",
};
