//! Pages about markers and headers: where a call begins and ends. The rules are those of the block format's
//! reference runtime.

use super::CodeInfo;

pub(super) const EMPTY_NAME: CodeInfo = CodeInfo {
    title: "a call without a name",
    help: "write the tool's name right after the start marker",
    explanation: "The runtime looks for a tool with an empty name and finds none.",
    bad: "!!!GADGET_START:\n!!!ARG:name\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const PADDED_NAME: CodeInfo = CodeInfo {
    title: "a name ends in white space",
    help: "write the colon right after the name",
    explanation: "The runtime trims the id and the dependencies, but not the end of the name: it looks for a tool \
        whose name ends in a space and finds none.",
    bad: "!!!GADGET_START:Ping :ping_1\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const EMPTY_ID: CodeInfo = CodeInfo {
    title: "a colon without an id after it",
    help: "write an id after the colon, or remove the colon to have an id generated",
    explanation: "A header that ends in a colon gives the call the empty id instead of a generated one. All such \
        calls share it, and no other call can depend on them.",
    bad: "!!!GADGET_START:Greet:\n!!!ARG:name\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const MARKER_ON_HEADER_LINE: CodeInfo = CodeInfo {
    title: "a marker on the header's line",
    help: "put the marker on a separate line",
    explanation: "The header extends to the end of its line, whatever is there: a marker in it has no effect and \
        becomes part of the name, the id or the dependencies.",
    bad: "!!!GADGET_START:Ping!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping\n!!!GADGET_END\n",
};

pub(super) const HEADER_WITHOUT_NEWLINE: CodeInfo = CodeInfo {
    title: "the text ends within a call's header",
    help: "the text was probably cut off here; a header takes a separate line",
    explanation: "A call begins only when its header line or its opening tag is complete. At the end of the text the runtime takes the \
        marker and the header for plain text, and there is no call. A header of more than 64 KiB is certainly not meant as \
        one and is read as prose.",
    bad: "Let me look.\n!!!GADGET_START:ListDirectory:ls_1",
    good: "Let me look.\n!!!GADGET_START:ListDirectory:ls_1\n!!!GADGET_END\n",
};

pub(super) const IMPLICIT_END: CodeInfo = CodeInfo {
    title: "a call is ended by the next start marker",
    help: "write the end marker before the next call",
    explanation: "The end marker is optional: the next start marker ends the call that is open. It is often a \
        mistake, and everything up to the next call belongs to the last value.",
    bad: "!!!GADGET_START:Ping:ping_1\n!!!ARG:host\na.test\n!!!GADGET_START:Ping:ping_2\n!!!ARG:host\nb.test\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!ARG:host\na.test\n!!!GADGET_END\n!!!GADGET_START:Ping:ping_2\n!!!ARG:host\nb.test\n!!!GADGET_END\n",
};

pub(super) const UNTERMINATED_CALL: CodeInfo = CodeInfo {
    title: "a call is ended by the end of the text",
    help: "was the text cut off? if not, write the end marker after the last value",
    explanation: "The runtime runs a call that has no end marker with what has arrived. If the text was cut off, for instance \
        by a token limit, the last value is incomplete and the call runs anyway. The runtime of <tool:…> \
        rejects the whole message instead.",
    bad: "!!!GADGET_START:Write:write_1\n!!!ARG:path\nnotes.md\n!!!ARG:content\nFirst, the lis",
    good: "!!!GADGET_START:Write:write_1\n!!!ARG:path\nnotes.md\n!!!ARG:content\nFirst, the list.\n!!!GADGET_END\n",
};

pub(super) const TEXT_AFTER_END: CodeInfo = CodeInfo {
    title: "text directly after the end marker",
    help: "end the line right after the end marker",
    explanation: "Only the marker's own characters end the call. What follows on the line is shown as prose: a second \
        name and id after the end marker, as in an older form of the format, have no meaning.",
    bad: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END:Ping:ping_1\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const STRAY_END: CodeInfo = CodeInfo {
    title: "an end marker outside of any call",
    help: "remove it, or look above for a missing or misspelt start marker",
    explanation: "No call is open here, so the runtime shows the marker as prose; that of <tool:…> rejects the \
        whole message. Often the start marker was misspelt, or a value contains an end marker and ended too early. Only the first \
        thousand in a text are listed.",
    bad: "Nothing to do.\n!!!GADGET_END\n",
    good: "Nothing to do.\n",
};

pub(super) const STRAY_ARGUMENT: CodeInfo = CodeInfo {
    title: "an argument outside of any call",
    help: "look above for a missing or misspelt start marker, or for an end marker that came too early",
    explanation: "No call is open here, so the runtime shows the argument and its value as prose. Only the first thousand \
        in a text are listed.",
    bad: "!!!ARG:name\nAda\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const MARKER_MID_LINE: CodeInfo = CodeInfo {
    title: "a marker in the middle of a line",
    help: "put a real marker at the beginning of a line; write one that is only mentioned differently",
    explanation: "The runtime looks for markers anywhere, so one that is merely mentioned starts a call, ends it or \
        begins an argument, and there is no way to escape it.",
    bad: "A call begins with !!!GADGET_START:Name and a line end.\n!!!GADGET_END\n",
    good: "A call begins with its start marker and a line end.\n",
};

pub(super) const OVERLAPPING_MARKERS: CodeInfo = CodeInfo {
    title: "markers that overlap",
    help: "choose markers that do not begin alike: --start-prefix, --end-prefix, --arg-prefix",
    explanation: "More than one marker matches in the same bytes, or a marker follows marks that it begins with. The \
        runtime searches for whole markers and takes one of them without a word: a further ! before !!!ARG: becomes the \
        end of the value above, and if one marker begins with another, one of the two may never be read.",
    bad: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const MARKER_IN_CODE: CodeInfo = CodeInfo {
    title: "a start marker inside code",
    help: "if it is an example, alter the marker; the runtime does not know code fences and runs it",
    explanation: "Inside a code fence or between backticks a marker is probably mentioned and not meant. The \
        runtime does not read Markdown: it makes a call of it, and everything that follows becomes its body.",
    bad: "The format looks like this:\n```\n!!!GADGET_START:Name\n!!!GADGET_END\n```\n",
    good: "The format looks like this:\n```\nSTART:Name\nEND\n```\n",
};

pub(super) const MARKER_IN_QUOTATION: CodeInfo = CodeInfo {
    title: "a start marker inside a quotation",
    help: "if it is a quotation, alter the marker; if it is meant, remove the > from each line",
    explanation: "A line that begins with > is a quotation. The runtime makes a call of it anyway, and the > \
        of the following lines become part of the values.",
    bad: "You wrote:\n> !!!GADGET_START:Ping:ping_1\n> !!!GADGET_END\n",
    good: "You wrote a call of Ping.\n",
};

pub(super) const NEAR_MISS_MARKER: CodeInfo = CodeInfo {
    title: "almost a marker",
    help: "write the marker exactly, at the beginning of the line",
    explanation: "Markers are compared byte by byte: with different case, a missing character, a space, a misplaced \
        name, a look-alike character, a backslash or an HTML entity the runtime sees plain text, which inside a call \
        becomes part of a value or is lost. Only the first thousand in a text are listed.",
    bad: "!!GADGET_START:Ping:ping_1\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const FOREIGN_MARKUP: CodeInfo = CodeInfo {
    title: "a call of one dialect inside a value of another",
    help: "end the first call before the second begins, and write all calls in one syntax",
    explanation: "A value is text to the runtime, whatever it looks like, so the call inside it does not happen. \
        Models that have seen several syntaxes mix them, or forget to end a call. A value that merely describes such calls \
        is fine. Where several dialects are read, an unterminated call ends at the first complete call of \
        another dialect that begins a line in it, and both are named; with --dialect X alone it takes the rest, as it \
        does in its runtime.",
    bad: "!!!GADGET_START:Note:note_1\n!!!ARG:text\n<tool:read_files>\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Note:note_1\n!!!ARG:text\nread the files\n!!!GADGET_END\n",
};

pub(super) const CALL_NOT_READ: CodeInfo = CodeInfo {
    title: "what may be a call, and is not read as one",
    help: "name its dialect with --dialect, or ignore this if it is prose",
    explanation: "Some syntaxes have markers that prose may hold as well, such as a list with a name and brackets in it. They are \
        read where their dialect is named, and from the second call of a text on. Calls within reasoning are not made either.",
    bad: "Action:\n```json\n[{\"tool_name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}]\n```\n",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\n",
};

pub(super) const CALL_TOO_LARGE: CodeInfo = CodeInfo {
    title: "a call that is too large to be taken apart",
    help: "hand large content over in a file, and name the file in the call",
    explanation: "A tree of parameters takes several times the memory of its text. Of a call with more than 64 MiB or \
        100000 arguments nothing is checked, and outputs hold its text without parameters; all of it is in the raw pane \
        and in parameters_raw. The outline shows its first 8 MiB.",
    bad: "!!!GADGET_START:WriteFile:write_1\n!!!ARG:content\n… 64 MiB of text …\n!!!GADGET_END\n",
    good: "!!!GADGET_START:CopyFile:copy_1\n!!!ARG:from\n/tmp/content.txt\n!!!GADGET_END\n",
};
