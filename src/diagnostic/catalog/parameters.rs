//! Pages about pointers and values. The rules are those of the block format's reference runtime.

use super::CodeInfo;

pub(super) const DUPLICATE_POINTER: CodeInfo = CodeInfo {
    title: "the same pointer is given twice",
    help: "give each pointer once; to send several values use an array: items/0, items/1",
    explanation: "The runtime rejects the whole call at the second pointer with the same text. It compares the \
        pointers verbatim, without the white space around them.",
    bad: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!ARG:name\nGrace\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:names/0\nAda\n!!!ARG:names/1\nGrace\n!!!GADGET_END\n",
};

pub(super) const ARRAY_GAP: CodeInfo = CodeInfo {
    title: "an array index is skipped",
    help: "number the elements 0, 1, 2 … in the order of the text",
    explanation: "An array is built in the order of the text: an index may name an element that exists or the next \
        one. The runtime does not sort, so 1 before 0 is a gap as well, and it rejects the whole call.",
    bad: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/2\nblue\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/1\nblue\n!!!GADGET_END\n",
};

pub(super) const INVALID_INDEX: CodeInfo = CodeInfo {
    title: "an array has a key that is not an index",
    help: "use numbers for the elements of an array, or names for all keys of an object, but not both",
    explanation: "The first pointer below a path decides what it is: a number makes an array, anything else an \
        object. Once it is an array, a negative or non-numeric key makes the runtime reject the whole call.",
    bad: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/last\nblue\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/1\nblue\n!!!GADGET_END\n",
};

pub(super) const NOT_A_CONTAINER: CodeInfo = CodeInfo {
    title: "a pointer leads into a plain value",
    help: "a path holds either a value or further keys: drop one of the two, or give the value its own key",
    explanation: "An earlier pointer put text, a number or a boolean here, and nothing can be stored inside \
        that. The runtime fails with a JavaScript TypeError and rejects the whole call.",
    bad: "!!!GADGET_START:Save:save_1\n!!!ARG:config\nfast\n!!!ARG:config/retries\n3\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Save:save_1\n!!!ARG:config/mode\nfast\n!!!ARG:config/retries\n3\n!!!GADGET_END\n",
};

pub(super) const POINTER_TOO_DEEP: CodeInfo = CodeInfo {
    title: "a pointer has more than 120 segments",
    help: "flatten the structure, or send the deep part as one text value",
    explanation: "A runtime may build such a tree, but many JSON readers stop at a depth of 128 with everything \
        around the parameters counted, so the value would not survive on its way to the tool. transcope shows the tree without this argument.",
    bad: "!!!GADGET_START:Save:save_1\n!!!ARG:a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a\nx\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Save:save_1\n!!!ARG:a/a/a\nx\n!!!GADGET_END\n",
};

pub(super) const VALUE_REPLACED: CodeInfo = CodeInfo {
    title: "a value overwrites an earlier one",
    help: "give the two values different paths",
    explanation: "The runtime silently overwrites the earlier value, which is lost \
        with everything inside it. In the block format only pointers with exactly the same text are rejected. \
        If the schema wants a single value, caret blocks and tool tags keep the first one instead.",
    bad: "!!!GADGET_START:Save:save_1\n!!!ARG:user/name\nAda\n!!!ARG:user\nGrace\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Save:save_1\n!!!ARG:user/name\nAda\n!!!ARG:user/friend\nGrace\n!!!GADGET_END\n",
};

pub(super) const INDEX_ALIAS: CodeInfo = CodeInfo {
    title: "an index is written in another form",
    help: "write indices as plain decimal numbers: 0, 1, 2",
    explanation: "The runtime reads the digits at the beginning of an index and ignores what follows, as JavaScript's \
        parseInt does in base 10: +1, 1.9 and 1abc are 1; 00 and 0x1 are 0, and overwrite item 0.",
    bad: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/01\nblue\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Tag:tag_1\n!!!ARG:tags/0\nred\n!!!ARG:tags/1\nblue\n!!!GADGET_END\n",
};

pub(super) const RESERVED_KEY: CodeInfo = CodeInfo {
    title: "a key has a special meaning in JavaScript",
    help: "use another key; __proto__, constructor, toString and other members of every object are not safe in JavaScript",
    explanation: "A runtime in JavaScript drops a value stored under __proto__. A longer path through it or through \
        constructor, toString, valueOf or another member that every object inherits changes that member for the whole \
        process, and the parameters lack the value. transcope treats all of them as plain keys.",
    bad: "!!!GADGET_START:Save:save_1\n!!!ARG:__proto__/admin\ntrue\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Save:save_1\n!!!ARG:user/admin\ntrue\n!!!GADGET_END\n",
};

pub(super) const EMPTY_POINTER: CodeInfo = CodeInfo {
    title: "an argument has no pointer",
    help: "write the parameter's name right after the argument marker, on the same line",
    explanation: "The runtime silently skips an argument whose pointer is empty, together with its value.",
    bad: "!!!GADGET_START:Greet:greet_1\n!!!ARG:\nname\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const ODD_KEY: CodeInfo = CodeInfo {
    title: "a key is empty, has white space around it, or was not meant as one",
    help: "write the pointer without a slash at either end and without white space: config/retries",
    explanation: "A pointer is split at each slash and nothing is trimmed within it: /name is the key name inside \
        an empty key, and in a / b the keys are \"a \" and \" b\". Where parameters are lines with a colon, \
        everything before the first one is the key, be it prose, a comment or JSON.",
    bad: "!!!GADGET_START:Set:set_1\n!!!ARG:/name\nAda\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Set:set_1\n!!!ARG:name\nAda\n!!!GADGET_END\n",
};

pub(super) const VALUE_ON_POINTER_LINE: CodeInfo = CodeInfo {
    title: "the value is on the pointer's line",
    help: "put the value on the line below the pointer",
    explanation: "Everything up to the end of the line is the pointer. The runtime makes a parameter with that whole \
        name, and an empty value or the next line as its value.",
    bad: "!!!GADGET_START:Open:open_1\n!!!ARG:path src/main.rs\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Open:open_1\n!!!ARG:path\nsrc/main.rs\n!!!GADGET_END\n",
};

pub(super) const NO_ARGUMENTS: CodeInfo = CodeInfo {
    title: "a body without arguments",
    help: "write each parameter as an argument marker with its name, and the value on the next line",
    explanation: "The runtime reads arguments only. A body in JSON, YAML or prose, and any text before the \
        first argument, is ignored without an error: the tool is called without these parameters.",
    bad: "!!!GADGET_START:Calculator:calc_1\n{\"a\": 5, \"b\": 3}\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Calculator:calc_1\n!!!ARG:a\n5\n!!!ARG:b\n3\n!!!GADGET_END\n",
};

pub(super) const LOSSY_NUMBER: CodeInfo = CodeInfo {
    title: "a number changes its text",
    help: "if it is an identifier, a code or a version, have the tool's schema say string, or add a character that keeps it text",
    explanation: "A value of digits becomes a 64-bit floating point number: leading and trailing zeros are lost (007, \
        1.10), and integers beyond 2^53 are rounded.",
    bad: "!!!GADGET_START:Ship:ship_1\n!!!ARG:zip\n00501\n!!!ARG:city\nHoltsville\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ship:ship_1\n!!!ARG:zip\nNY 00501\n!!!ARG:city\nHoltsville\n!!!GADGET_END\n",
};

pub(super) const NOT_COERCED: CodeInfo = CodeInfo {
    title: "a number or boolean stays text because of a blank line",
    help: "remove the blank line around the value",
    explanation: "Only a value on a single line becomes a number or a boolean. A blank line before the next argument \
        belongs to the value, so this one stays text.",
    bad: "!!!GADGET_START:Wait:wait_1\n!!!ARG:seconds\n5\n\n!!!ARG:reason\nrate limit\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Wait:wait_1\n!!!ARG:seconds\n5\n!!!ARG:reason\nrate limit\n!!!GADGET_END\n",
};

pub(super) const FENCE_CUT: CodeInfo = CodeInfo {
    title: "the closing code fence of the last value is cut off",
    help: "leave out both code fences around the value, or put another argument after it",
    explanation: "The runtime removes a code fence that encloses the whole body. The two ends are removed \
        independently, so a last value that is itself fenced code loses its closing fence and keeps the opening one.",
    bad: "!!!GADGET_START:Run:run_1\n!!!ARG:code\n```js\nlet x = 1;\n```\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Run:run_1\n!!!ARG:code\nlet x = 1;\n!!!GADGET_END\n",
};

pub(super) const CARRIAGE_RETURN_KEPT: CodeInfo = CodeInfo {
    title: "a value keeps a carriage return",
    help: "use LF line ends",
    explanation: "Only the line feed before the next marker is removed. In a text with CRLF line ends each value but \
        the last one of a call ends in a carriage return.",
    bad: "!!!GADGET_START:Greet:greet_1\r\n!!!ARG:name\r\nAda\r\n!!!ARG:tone\r\nwarm\r\n!!!GADGET_END\r\n",
    good: "!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!ARG:tone\nwarm\n!!!GADGET_END\n",
};

pub(super) const INDENTATION_KEPT: CodeInfo = CodeInfo {
    title: "a value keeps the indentation of the next marker",
    help: "put the marker at the beginning of its line",
    explanation: "A value extends to the next marker, so the white space before an indented marker belongs \
        to it; and a number with a second line stays text.",
    bad: "!!!GADGET_START:Wait:wait_1\n!!!ARG:seconds\n5\n  !!!ARG:reason\nrate limit\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Wait:wait_1\n!!!ARG:seconds\n5\n!!!ARG:reason\nrate limit\n!!!GADGET_END\n",
};

pub(super) const SWALLOWED_TEXT: CodeInfo = CodeInfo {
    title: "prose became part of the last value",
    help: "write the end marker before the prose continues",
    explanation: "Without an end marker the last value extends to the next start marker or to the end of the text. \
        What was meant for the reader is sent to the tool. A value of more than 1 MiB is not searched for it.",
    bad: "!!!GADGET_START:Add:add_1\n!!!ARG:a\n5\n!!!ARG:b\n3\n\nNow I will wait for the result.\n",
    good: "!!!GADGET_START:Add:add_1\n!!!ARG:a\n5\n!!!ARG:b\n3\n!!!GADGET_END\n\nNow I will wait for the result.\n",
};
