//! Pages about calls in callouts and tool fences. The rules are those of the seed's reference parser, which finds a
//! callout with one regular expression and shows as prose whatever it does not find.

use super::CodeInfo;

pub(super) const CALLOUT_HEADER: CodeInfo = CodeInfo {
    title: "the header of a tool call is not read the way it looks",
    help: "write name and id as plain words without quotes or spaces: [!tool search call_1]",
    explanation: "The header is split at spaces: the first is the name, the second the id, unless they \
        are written as name=… and id=…. Quotation marks stay part of a callout's words, further words are dropped, \
        and what is glued to tool begins the name.",
    bad: "> [!tool name=\"weather lookup\" id=call_1]\n> input: Oslo\n",
    good: "> [!tool name=weather_lookup id=call_1]\n> input: Oslo\n",
};

pub(super) const CALLOUT_UNCLOSED: CodeInfo = CodeInfo {
    title: "the header of a callout has no closing bracket",
    help: "close the header with ] on its line",
    explanation: "The runtime looks for the bracket across line ends: without one the callout is prose, and with one \
        further down everything up to there is taken for the header, a valid callout included.",
    bad: "> [!tool search call_1\n> input: cats\n",
    good: "> [!tool search call_1]\n> input: cats\n",
};

pub(super) const CALLOUT_INDENTED: CodeInfo = CodeInfo {
    title: "a callout does not begin with > and exactly one space",
    help: "begin the line with > and exactly one space: > [!tool name id]",
    explanation: "Markdown allows spaces before the > and any number after it. The runtime does not: it shows \
        the whole callout as prose.",
    bad: "  > [!tool search call_1]\n  > input: cats\n",
    good: "> [!tool search call_1]\n> input: cats\n",
};

pub(super) const CALLOUT_TITLE: CodeInfo = CodeInfo {
    title: "text after the closing bracket of a callout's header",
    help: "end the line right after the closing bracket",
    explanation: "The runtime reads the body only if the line ends right after the bracket. With a title, \
        or even a single space, the call has no input, and its body is shown as prose.",
    bad: "> [!tool search call_1] Looking for cats\n> input: cats\n",
    good: "> [!tool search call_1]\n> input: cats\n",
};

pub(super) const CALLOUT_CARRIAGE_RETURN: CodeInfo = CodeInfo {
    title: "lines of a callout end in CRLF",
    help: "use LF line ends",
    explanation: "The runtime's regular expression for the lines of a body stops at a carriage return. In a text with \
        Windows line ends every callout loses its body, which is shown as prose.",
    bad: "> [!tool search call_1]\r\n> input: cats\r\n",
    good: "> [!tool search call_1]\n> input: cats\n",
};

pub(super) const CALLOUT_NOT_SEPARATED: CodeInfo = CodeInfo {
    title: "no blank line between two callouts",
    help: "put an empty line (without >) between two callouts",
    explanation: "The runtime takes the second header for a line of the first body. That is not YAML, so both \
        calls are shown as prose.",
    bad: "> [!tool search call_1]\n> input: cats\n> [!tool search call_2]\n> input: dogs\n",
    good: "> [!tool search call_1]\n> input: cats\n\n> [!tool search call_2]\n> input: dogs\n",
};

pub(super) const CALLOUT_LAZY_LINE: CodeInfo = CodeInfo {
    title: "a line of a callout's body lacks its >",
    help: "begin each line of the body with > and a space, empty lines too",
    explanation: "The body ends at the first line that does not begin with >. What follows is prose, including later \
        lines with a >.",
    bad: "> [!tool search call_1]\n> input:\n  query: cats\n",
    good: "> [!tool search call_1]\n> input:\n>   query: cats\n",
};

pub(super) const CALLOUT_BODY_INDENTED: CodeInfo = CodeInfo {
    title: "the whole body is indented",
    help: "begin the fields in the first column of the body",
    explanation: "The runtime trims the body as a whole, which removes the indentation of its first line only. The \
        others are then indented too far, the body is not YAML, and the call is shown as prose.",
    bad: "> [!tool search call_1]\n>    state: input-available\n>    input: cats\n",
    good: "> [!tool search call_1]\n> state: input-available\n> input: cats\n",
};

pub(super) const CALLOUT_NOT_FIELDS: CodeInfo = CodeInfo {
    title: "the body of a tool call has no fields",
    help: "write fields: input: and the parameters below it",
    explanation: "A body is an object with fields such as input and output. If it is text, a number or a list, it is \
        shown as prose together with its header.",
    bad: "> [!tool search call_1]\n> - cats\n> - dogs\n",
    good: "> [!tool search call_1]\n> input:\n>   - cats\n>   - dogs\n",
};

pub(super) const CALLOUT_FIELD: CodeInfo = CodeInfo {
    title: "unknown field in a tool call",
    help: "the fields are toolCallId, toolName, state, input, output and errorText",
    explanation: "Fields are compared letter by letter, ids, names and error texts must be text, and a state must be \
        one of the known ones. The runtime silently drops anything else.",
    bad: "> [!tool search call_1]\n> args:\n>   query: cats\n",
    good: "> [!tool search call_1]\n> input:\n>   query: cats\n",
};

pub(super) const CALLOUT_OUTPUT_LOST: CodeInfo = CodeInfo {
    title: "a failed call has an output",
    help: "give either the output or the error text",
    explanation: "An error wins over an output: of a call that has both, the runtime reports only the error and never \
        sends the output.",
    bad: "> [!tool search call_1]\n> output: 3 cats\n> errorText: timeout\n",
    good: "> [!tool search call_1]\n> errorText: timeout\n",
};

pub(super) const TOOL_FENCE_CLOSE: CodeInfo = CodeInfo {
    title: "a tool fence is closed in the middle of a line",
    help: "close the fence on a separate line; a body cannot hold three backticks",
    explanation: "The first three backticks end the block, wherever they stand: what follows them is prose, and those \
        at the end of a value remain part of it.",
    bad: "```tool search call_1\ninput: cats```\n",
    good: "```tool search call_1\ninput: cats\n```\n",
};
