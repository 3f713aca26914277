//! Pages about triple-caret blocks. The rules are those of the shipped runtime, and of the draft where it is named.

use super::CodeInfo;

pub(super) const SEVERAL_CALLS: CodeInfo = CodeInfo {
    title: "more than one block",
    help: "write one tool block per message; see --one-call-per-message",
    explanation: "The draft allows exactly one tool block in a message. The shipped runtime accepts several, as \
        long as all except the first only read something; it drops the first one that does not, and all that follow. A plain \
        text does not say where messages end, so all its blocks are counted.",
    bad: "^^^list_files\npath: src\n^^^\n^^^list_files\npath: docs\n^^^\n",
    good: "^^^list_files\npath: [\nsrc\ndocs\n]\n^^^\n",
};

pub(super) const FENCE_BLANK: CodeInfo = CodeInfo {
    title: "white space after a fence",
    help: "end the line right after the fence, with LF only",
    explanation: "The runtime compares whole lines: with a space or a carriage return after it, an opening fence is \
        prose and there is no call, and a closing fence does not close, so the block continues to the next one. \
        In a text with CRLF line ends there is no call at all.",
    bad: "^^^list_projects \n^^^\n",
    good: "^^^list_projects\n^^^\n",
};

pub(super) const FENCE_IN_VALUE: CodeInfo = CodeInfo {
    title: "a fence inside a value",
    help: "indent the ^^^ inside the value, or write it differently",
    explanation: "The runtime takes the first line that is just ^^^ for the end of the block, even inside a multi-line \
        value. The value is cut off there, and the rest of it is prose. It is shown here as it was meant, \
        because its end follows.",
    bad: "^^^write_file\npath: format.md\ncontent ---\nA block ends with\n^^^\n--- content\n^^^\n",
    good: "^^^write_file\npath: format.md\ncontent ---\nA block ends with\n  ^^^\n--- content\n^^^\n",
};

pub(super) const OPEN_INSIDE: CodeInfo = CodeInfo {
    title: "a block begins inside another block",
    help: "close the block with ^^^ before the next one",
    explanation: "An opening fence inside a block is a line without a meaning, and the runtime drops it. The \
        parameters after it belong to the block that is still open, and the second call is never made.",
    bad: "^^^read_files\npath: a.rs\n^^^list_files\ndepth: 2\n^^^\n",
    good: "^^^read_files\npath: a.rs\n^^^\n",
};

pub(super) const DRAFT_FORM: CodeInfo = CodeInfo {
    title: "a block in the form of the draft",
    help: "write multi-line values as key --- … --- key, and arrays as key: [ … ]",
    explanation: "The draft of the format has a bare --- between header and body, block scalars as in YAML \
        (content: | and indented lines) and lists of - items. The shipped runtime knows none of these and does not \
        complain: it drops --- and all lines without a colon, takes lines with one for parameters, gives the key of a \
        block scalar the value | and the key of a list an empty one. The tree shows what is meant.",
    bad: "^^^write_file\npath: notes.md\n---\ncontent: |\n  First line\n  Second line\n^^^\n",
    good: "^^^write_file\npath: notes.md\ncontent ---\nFirst line\nSecond line\n--- content\n^^^\n",
};

pub(super) const MIXED_FORMS: CodeInfo = CodeInfo {
    title: "markers of both forms in one block",
    help: "keep to the shipped form: key --- … --- key, and key: [ … ]",
    explanation: "A block with markers of the shipped form is read as the shipped runtime reads it, and the markers of the \
        draft have no meaning in it: a bare --- is dropped, a block scalar is | and its lines are dropped or become \
        parameters, a list is empty.",
    bad: "^^^write_file\ntags: [\ndraft\n]\ncontent: |\n  First line\n^^^\n",
    good: "^^^write_file\ntags: [\ndraft\n]\ncontent ---\nFirst line\n--- content\n^^^\n",
};

pub(super) const CONTENT_IGNORED: CodeInfo = CodeInfo {
    title: "content both in the header and below the separator",
    help: "give content once: in the header or below ---",
    explanation: "In the draft everything below --- is assigned to content unless the header has a content already. \
        In that case what is below is lost.",
    bad: "^^^write_file\ncontent: short\n---\nThe long text.\n^^^\n",
    good: "^^^write_file\ncontent: short\n^^^\n",
};

pub(super) const STRAY_LINE: CodeInfo = CodeInfo {
    title: "a line of a block that is not a parameter",
    help: "write key: value, or key --- before text of several lines and --- key after it",
    explanation: "A line outside of values and arrays needs a colon, or is key ---. The runtime silently drops every other \
        line. A common cause is a multi-line value that was not begun as one: content: --- has \
        a colon too many, content--- lacks the space.",
    bad: "^^^write_file\npath: notes.md\ncontent: ---\nFirst line\n--- content\n^^^\n",
    good: "^^^write_file\npath: notes.md\ncontent ---\nFirst line\n--- content\n^^^\n",
};

pub(super) const UNCLOSED_VALUE: CodeInfo = CodeInfo {
    title: "unterminated multi-line value",
    help: "write --- and the same key, at the beginning of a line, after the value",
    explanation: "The value extends to the end of the block, and parameters after it are part of its text. Only \
        --- key at the beginning of a line ends it: not indented, with a space, with the same key.",
    bad: "^^^write_file\ncontent ---\nFirst line\n---content\npath: notes.md\n^^^\n",
    good: "^^^write_file\ncontent ---\nFirst line\n--- content\npath: notes.md\n^^^\n",
};

pub(super) const UNCLOSED_ARRAY: CodeInfo = CodeInfo {
    title: "unterminated array",
    help: "write ] on a separate line after the last item",
    explanation: "Every line up to a line that is just ] is an item, whatever it looks like; parameters after the array \
        become items of it.",
    bad: "^^^read_files\npaths: [\na.rs\nproject: shop\n^^^\n",
    good: "^^^read_files\npaths: [\na.rs\n]\nproject: shop\n^^^\n",
};

pub(super) const LEADING_BLANK: CodeInfo = CodeInfo {
    title: "a value begins with a blank line",
    help: "begin the value on the line after key ---",
    explanation: "The runtime puts a line feed between two lines only when there is text already, so blank lines at \
        the beginning of a value are lost. Those at its end are kept.",
    bad: "^^^write_file\ncontent ---\n\nFirst line\n--- content\n^^^\n",
    good: "^^^write_file\ncontent ---\nFirst line\n--- content\n^^^\n",
};

pub(super) const MARKS_KEPT: CodeInfo = CodeInfo {
    title: "quotation marks, commas or brackets are part of a value",
    help: "write values without quotes, and each item of an array on a separate line",
    explanation: "Values are not quoted: a value is everything after the colon, and an item is its whole line. \
        Quotation marks around them, commas between items and brackets on one line reach the tool.",
    bad: "^^^read_files\npaths: [a.rs, b.rs]\n^^^\n",
    good: "^^^read_files\npaths: [\na.rs\nb.rs\n]\n^^^\n",
};
