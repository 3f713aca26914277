//! Pages about markers and headers: where a call begins and ends. The rules are those of the block format's
//! reference runtime.

use super::{CodeInfo, Severity};

pub(super) const EMPTY_NAME: CodeInfo = CodeInfo {
    name: "empty-name",
    title: "a call without a name",
    severity: Severity::Error,
    help: "write the tool's name directly behind the start marker",
    explanation: "The runtime looks for a tool whose name is empty and finds none.",
    bad: "!!!GADGET_START:\n!!!ARG:name\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const PADDED_NAME: CodeInfo = CodeInfo {
    name: "padded-name",
    title: "a name ends in white space",
    severity: Severity::Error,
    help: "write the colon directly behind the name",
    explanation: "The runtime trims the id and the dependencies, but not the end of the name: it looks for a tool \
        whose name ends in a space and finds none.",
    bad: "!!!GADGET_START:Ping :ping_1\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const EMPTY_ID: CodeInfo = CodeInfo {
    name: "empty-id",
    title: "a colon, but no id behind it",
    severity: Severity::Warning,
    help: "write an id behind the colon, or leave the colon out and an id is made",
    explanation: "A header that ends in a colon gives the call the empty id instead of a generated one. All such \
        calls share it, and no other call can depend on them.",
    bad: "!!!GADGET_START:Greet:\n!!!ARG:name\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const MARKER_ON_HEADER_LINE: CodeInfo = CodeInfo {
    name: "marker-on-header-line",
    title: "a marker on the header's line",
    severity: Severity::Error,
    help: "put the marker on a line of its own",
    explanation: "The header reaches to the end of its line, whatever stands there: a marker in it does not act and \
        becomes part of the name, the id or the dependencies.",
    bad: "!!!GADGET_START:Ping!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping\n!!!GADGET_END\n",
};

pub(super) const HEADER_WITHOUT_NEWLINE: CodeInfo = CodeInfo {
    name: "header-without-newline",
    title: "the text ends in a call's header",
    severity: Severity::Error,
    help: "the text was probably cut off here; a header takes a line of its own",
    explanation: "A call begins only when its header line or its opening tag is complete. At the end of the text the runtime takes the \
        marker and the header for plain text, and no call is made. A header of more than 64 KiB was meant by nobody and \
        is read as prose.",
    bad: "Let me look.\n!!!GADGET_START:ListDirectory:ls_1",
    good: "Let me look.\n!!!GADGET_START:ListDirectory:ls_1\n!!!GADGET_END\n",
};

pub(super) const IMPLICIT_END: CodeInfo = CodeInfo {
    name: "implicit-end",
    title: "a call is ended by the next start marker",
    severity: Severity::Warning,
    help: "write the end marker in front of the next call",
    explanation: "The end marker is optional: the next start marker ends the call that is open. It is easily a \
        mistake, and everything up to the next call belongs to the last value.",
    bad: "!!!GADGET_START:Ping:ping_1\n!!!ARG:host\na.test\n!!!GADGET_START:Ping:ping_2\n!!!ARG:host\nb.test\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!ARG:host\na.test\n!!!GADGET_END\n!!!GADGET_START:Ping:ping_2\n!!!ARG:host\nb.test\n!!!GADGET_END\n",
};

pub(super) const UNTERMINATED_CALL: CodeInfo = CodeInfo {
    name: "unterminated-call",
    title: "a call is ended by the end of the text",
    severity: Severity::Warning,
    help: "was the text cut off? if not, write the end marker behind the last value",
    explanation: "The runtime runs a call that has no end marker with what has arrived. When the text was cut off, by \
        a limit of tokens for instance, the last value is incomplete and runs all the same. The runtime of <tool:…> \
        rejects the whole message instead.",
    bad: "!!!GADGET_START:Write:write_1\n!!!ARG:path\nnotes.md\n!!!ARG:content\nFirst, the lis",
    good: "!!!GADGET_START:Write:write_1\n!!!ARG:path\nnotes.md\n!!!ARG:content\nFirst, the list.\n!!!GADGET_END\n",
};

pub(super) const TEXT_AFTER_END: CodeInfo = CodeInfo {
    name: "text-after-end",
    title: "text is glued to the end marker",
    severity: Severity::Warning,
    help: "end the line behind the end marker",
    explanation: "Only the marker's own characters end the call. What follows on the line is shown as prose: a second \
        name and id behind the end marker, as an older form of the format had them, mean nothing.",
    bad: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END:Ping:ping_1\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const STRAY_END: CodeInfo = CodeInfo {
    name: "stray-end",
    title: "an end marker outside of any call",
    severity: Severity::Warning,
    help: "remove it, or look above for a start marker that is missing or misspelt",
    explanation: "No call is open here, so the runtime shows the marker as prose; that of <tool:…> rejects the \
        whole message. Often the start marker was misspelt, or a value contains an end marker and ended too early. Of more than a \
        thousand in a text the first thousand are listed, and one that says so.",
    bad: "Nothing to do.\n!!!GADGET_END\n",
    good: "Nothing to do.\n",
};

pub(super) const STRAY_ARGUMENT: CodeInfo = CodeInfo {
    name: "stray-argument",
    title: "an argument outside of any call",
    severity: Severity::Warning,
    help: "look above for a start marker that is missing or misspelt, or an end marker that came too early",
    explanation: "No call is open here, so the runtime shows the argument and its value as prose. Of more than a thousand \
        in a text the first thousand are listed, and one that says so.",
    bad: "!!!ARG:name\nAda\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const MARKER_MID_LINE: CodeInfo = CodeInfo {
    name: "marker-mid-line",
    title: "a marker in the middle of a line",
    severity: Severity::Warning,
    help: "put a marker that is meant at the beginning of a line; write it differently where it is only talked about",
    explanation: "The runtime looks for markers anywhere, so one that is merely mentioned starts a call, ends it or \
        begins an argument, and there is no way to escape it.",
    bad: "A call begins with !!!GADGET_START:Name and a line end.\n!!!GADGET_END\n",
    good: "A call begins with its start marker and a line end.\n",
};

pub(super) const MARKER_IN_CODE: CodeInfo = CodeInfo {
    name: "marker-in-code",
    title: "a start marker inside code",
    severity: Severity::Warning,
    help: "if it is an example, alter the marker; the runtime does not know code fences and runs it",
    explanation: "Inside a code fence or between backticks a marker is probably talked about and not meant. The \
        runtime does not read Markdown: it makes a call of it, and everything that follows becomes its body.",
    bad: "The format looks like this:\n```\n!!!GADGET_START:Name\n!!!GADGET_END\n```\n",
    good: "The format looks like this:\n```\nSTART:Name\nEND\n```\n",
};

pub(super) const MARKER_IN_QUOTATION: CodeInfo = CodeInfo {
    name: "marker-in-quotation",
    title: "a start marker inside a quotation",
    severity: Severity::Warning,
    help: "if it is quoted, alter the marker; if it is meant, remove the > in front of each line",
    explanation: "A line that begins with > quotes somebody. The runtime makes a call of it all the same, and the > \
        of the following lines become part of the values.",
    bad: "You wrote:\n> !!!GADGET_START:Ping:ping_1\n> !!!GADGET_END\n",
    good: "You wrote a call of Ping.\n",
};

pub(super) const NEAR_MISS_MARKER: CodeInfo = CodeInfo {
    name: "near-miss-marker",
    title: "almost a marker",
    severity: Severity::Warning,
    help: "write the marker exactly, at the beginning of the line",
    explanation: "Markers are compared byte by byte: another case, a mark too few, a space, a name in another \
        place, a look-alike character, a backslash or an HTML entity and the runtime sees plain text, which inside of a call \
        becomes part of a value or is lost. Of more than a thousand in a text the first thousand are listed, and one \
        that says so.",
    bad: "!!GADGET_START:Ping:ping_1\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const FOREIGN_MARKUP: CodeInfo = CodeInfo {
    name: "foreign-markup",
    title: "a call of one dialect inside a value of another",
    severity: Severity::Warning,
    help: "end the first call before the second begins, and write all calls in one syntax",
    explanation: "A value is text to the runtime, whatever it looks like, so the call inside of it does not happen. \
        Models that have seen several syntaxes mix them, or forget to end a call. A value that talks about such calls \
        is in order. Where several dialects are read, a call that nothing ends gives way to the first complete call of \
        another dialect that begins a line in it, and both are named; with --dialect X alone it takes the rest, as it \
        does in its runtime.",
    bad: "!!!GADGET_START:Note:note_1\n!!!ARG:text\n<tool:read_files>\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Note:note_1\n!!!ARG:text\nread the files\n!!!GADGET_END\n",
};
