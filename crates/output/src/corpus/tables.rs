//! The tables of an index, with descriptions of the columns. Rows repeat facts about their session, so that most
//! queries need only one table.
//!
//! Byte offsets refer to the decompressed file; lines count from 1. Days and times are in UTC. Of the conversations,
//! rows hold names, ids and problem messages, which may quote the text.

use std::sync::Arc;

use jiff::Timestamp;

use super::cell::table;

/// Version of the tables; incremented when a column is removed or changes its meaning. Adding columns does not change
/// it.
pub const SCHEMA_VERSION: u32 = 1;

table! {
    #[doc = "One row for each file, also for one that could not be read."]
    SessionRow in "sessions" {
        #[doc = "Absolute path of the file."]
        file: Arc<str>,
        #[doc = "Id of the session as its file says it, the same in all of its files; else the path, without the number of a rotated log."]
        session_id: Arc<str>,
        #[doc = "Container that the file was read as; none for one that could not be read."]
        container: Option<Arc<str>>,
        #[doc = "Why the file could not be read to its end; `binary: it holds no text` for one that is no transcript."]
        error: Option<Arc<str>>,
        #[doc = "Size of the file on the disk, in bytes."]
        file_bytes: i64,
        #[doc = "Size of what was said and done in it, decoded, in bytes."]
        text_bytes: i64,
        #[doc = "When the file was written last."]
        modified_at: Option<Timestamp>,
        #[doc = "XXH3 hash of what is in the file, decompressed: 128 bits in hexadecimal."]
        file_hash: Arc<str>,
        #[doc = "Day on which the session began, else on which the file was written last: 2026-11-22."]
        day: Option<Arc<str>>,
        #[doc = "Time of the first message that has one."]
        started_at: Option<Timestamp>,
        #[doc = "Time of the last message that has one."]
        ended_at: Option<Timestamp>,
        #[doc = "Model that said the most messages, where the file names any."]
        model: Option<Arc<str>>,
        #[doc = "Dialects of its calls, in the order of their first ones, comma-separated."]
        dialects: Arc<str>,
        #[doc = "Number of messages."]
        messages: i64,
        #[doc = "Number of turns: prompts that the user typed."]
        turns: i64,
        #[doc = "Number of calls, without withdrawn ones."]
        calls: i64,
        #[doc = "Calls with outcome failed or denied."]
        failed: i64,
        #[doc = "Calls with outcome rejected."]
        rejected: i64,
        #[doc = "Calls with outcome skipped."]
        skipped: i64,
        #[doc = "Calls with outcome unanswered."]
        unanswered: i64,
        #[doc = "Number of problems that are errors."]
        errors: i64,
        #[doc = "Number of problems that are warnings."]
        warnings: i64,
        #[doc = "Number of problems that are hints or notes."]
        hints: i64,
        #[doc = "File that this one repeats, whole or in part: a copy, or a session that was resumed or forked into a file of its own."]
        copy_of: Option<Arc<str>>,
        #[doc = "Calls that an earlier file has as well; `calls` includes them, and statistics do not."]
        copied_calls: i64,
        #[doc = "Of them, those with outcome failed, denied or rejected."]
        copied_failures: i64,
    }
}

table! {
    #[doc = "One row for each call that the file does not take back."]
    CallRow in "calls" {
        #[doc = "Absolute path of the file."]
        file: Arc<str>,
        #[doc = "Id of the session; see sessions."]
        session_id: Arc<str>,
        #[doc = "Container that the file was read as."]
        container: Arc<str>,
        #[doc = "Number of the call in the file, from 1."]
        call_number: i64,
        #[doc = "Number of its message in the file, from 0, as parse counts them."]
        message: i64,
        #[doc = "True if a sub-agent made it."]
        aside: bool,
        #[doc = "Id of the call, as written or as the runtime makes it."]
        call_id: Arc<str>,
        #[doc = "Name of the tool; empty where none is written."]
        tool: Arc<str>,
        #[doc = "Dialect that it is written in; native for a record of the file."]
        dialect: Arc<str>,
        #[doc = "Model that wrote it, where the file says so."]
        model: Option<Arc<str>>,
        #[doc = "Day of `called_at`, else that of the session."]
        day: Option<Arc<str>>,
        #[doc = "Time of its message, or of its part of the message."]
        called_at: Option<Timestamp>,
        #[doc = "Offset of its first byte."]
        byte_start: i64,
        #[doc = "Offset after its last byte."]
        byte_end: i64,
        #[doc = "Line of its first byte."]
        line: i64,
        #[doc = "Line of its last byte."]
        line_end: i64,
        #[doc = "How it ended: complete, implicit (by the next one) or unterminated."]
        status: Arc<str>,
        #[doc = "Its outcome: ok, failed (its result says so), denied, rejected (the runtime cannot read it), skipped, unanswered, or unknown."]
        outcome: Arc<str>,
        #[doc = "True if the outcome is failed, denied or rejected."]
        is_failure: bool,
        #[doc = "Code of the first of the most severe problems about it."]
        code: Option<Arc<str>>,
        #[doc = "Number of errors about it."]
        errors: i64,
        #[doc = "Number of warnings about it."]
        warnings: i64,
        #[doc = "Size of its arguments as they are written, in bytes."]
        argument_bytes: i64,
        #[doc = "Size of its result, in bytes."]
        result_bytes: Option<i64>,
        #[doc = "Time from the call to its result, in milliseconds, where the file says both times."]
        duration_ms: Option<i64>,
        #[doc = "Number of calls that it waits for."]
        dependencies: i64,
        #[doc = "True if an earlier file has the same call: see `copy_of` of sessions. Count calls where it is false."]
        is_copy: bool,
    }
}

table! {
    #[doc = "One row for each problem."]
    ProblemRow in "problems" {
        #[doc = "Absolute path of the file."]
        file: Arc<str>,
        #[doc = "Id of the session; see sessions."]
        session_id: Arc<str>,
        #[doc = "Container that the file was read as."]
        container: Arc<str>,
        #[doc = "Code of the problem; transcope explain CODE explains it."]
        code: Arc<str>,
        #[doc = "error, warning, hint or note."]
        severity: Arc<str>,
        #[doc = "Message of the problem."]
        message: Arc<str>,
        #[doc = "Offset of its first byte."]
        byte_start: i64,
        #[doc = "Offset after its last byte."]
        byte_end: i64,
        #[doc = "Line of its first byte."]
        line: i64,
        #[doc = "Column of its first byte, in characters from 1."]
        line_column: i64,
        #[doc = "Number of the call that it is about; see calls."]
        call_number: Option<i64>,
        #[doc = "Tool of that call."]
        tool: Option<Arc<str>>,
        #[doc = "Dialect of that call."]
        dialect: Option<Arc<str>>,
        #[doc = "Outcome of that call."]
        outcome: Option<Arc<str>>,
        #[doc = "Model that wrote it, where the file says so."]
        model: Option<Arc<str>>,
        #[doc = "Day of its message, else that of the session."]
        day: Option<Arc<str>>,
        #[doc = "True if it is in a copy of a file, or in a call that is a copy."]
        is_copy: bool,
    }
}

table! {
    #[doc = "Precomputed counts of calls and problems, without copies, for statistics; a row counts either calls or problems of one code."]
    CountRow in "counts" {
        #[doc = "Container of the files."]
        container: Arc<str>,
        #[doc = "Dialect of the calls; none for problems that are about no call."]
        dialect: Option<Arc<str>>,
        #[doc = "Model that wrote them, where the files say so."]
        model: Option<Arc<str>>,
        #[doc = "Tool; none for problems that are about no call."]
        tool: Option<Arc<str>>,
        #[doc = "Day, as in calls and problems."]
        day: Option<Arc<str>>,
        #[doc = "Code, where problems are counted; none where calls are."]
        code: Option<Arc<str>>,
        #[doc = "Severity of that code's problems: error, warning, hint or note."]
        severity: Option<Arc<str>>,
        #[doc = "Number of calls; of those with such a problem, where problems are counted."]
        calls: i64,
        #[doc = "Of them, those with outcome failed or denied."]
        failed: i64,
        #[doc = "Of them, those with outcome rejected."]
        rejected: i64,
        #[doc = "Of them, those with outcome skipped."]
        skipped: i64,
        #[doc = "Of them, those with outcome unanswered."]
        unanswered: i64,
        #[doc = "Number of problems; 0 where calls are counted."]
        problems: i64,
    }
}
