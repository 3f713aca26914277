//! Pages about calls that are JSON: its grammar, and the shapes that runtimes and providers expect.

use super::CodeInfo;

pub(super) const BROKEN_JSON: CodeInfo = CodeInfo {
    title: "not quite JSON",
    help: "write strict JSON: double quotes, no comments, no trailing comma, line feeds as \\n",
    explanation: "A runtime reads the arguments of a call with a strict JSON parser, and at the first fault the whole \
        call is lost, or its arguments reach the tool as one string. transcope reads on where it is clear what was \
        meant and shows the readable part of the tree.",
    bad: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"ping\", \"input\": {\"host\": \"a.test\",}}\n",
    good: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"ping\", \"input\": {\"host\": \"a.test\"}}\n",
};

pub(super) const DUPLICATE_KEY: CodeInfo = CodeInfo {
    title: "a key is given twice",
    help: "give each key once; for several values use an array",
    explanation: "JSON does not say what a second member with the same key means. Most parsers silently keep \
        the last one, and the first one is lost.",
    bad: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"tag\", \"input\": {\"tag\": \"red\", \"tag\": \"blue\"}}\n",
    good: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"tag\", \"input\": {\"tags\": [\"red\", \"blue\"]}}\n",
};

pub(super) const JSON_TOO_LARGE: CodeInfo = CodeInfo {
    title: "JSON that is too deep or has too many values",
    help: "flatten the structure, or send the deep part as one text value",
    explanation: "Many JSON readers stop at a depth of 128. transcope shows 120 levels and 100000 values of a call; \
        the rest is only in the raw text.",
    bad: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"save\", \"input\": {\"deep\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}\n",
    good: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"save\", \"input\": {\"deep\": [[[]]]}}\n",
};

pub(super) const ARGUMENTS_FORM: CodeInfo = CodeInfo {
    title: "the arguments do not have the form that this shape of call needs",
    help: "a chat completion carries the arguments as a string that holds JSON; everywhere else they are an object",
    explanation: "Each shape of a call has one form for its arguments: `function.arguments` of a chat completion is a \
        string of JSON, `input`, `args` and the arguments of a text call are a JSON object. Some runtimes convert, \
        others hand the tool one string instead of its parameters.",
    bad: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"ping\", \"input\": \"{\\\"host\\\": \\\"a.test\\\"}\"}\n",
    good: "{\"type\": \"tool_use\", \"id\": \"toolu_1\", \"name\": \"ping\", \"input\": {\"host\": \"a.test\"}}\n",
};

pub(super) const MISNAMED_ARGUMENTS: CodeInfo = CodeInfo {
    title: "the arguments are under the wrong key",
    help: "use the key that this shape of call needs",
    explanation: "A call in `<tool_call>` tags has its parameters under `arguments`. Another key, `parameters` for \
        instance, is ignored by strict runtimes: the tool is called without any parameter.",
    bad: "<tool_call>\n{\"name\": \"ping\", \"parameters\": {\"host\": \"a.test\"}}\n</tool_call>\n",
    good: "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"a.test\"}}\n</tool_call>\n",
};

pub(super) const END_TAG_IN_STRING: CodeInfo = CodeInfo {
    title: "the end tag inside a value",
    help: "write the < as \\u003c inside the string",
    explanation: "The end tag of the call is part of a JSON string. Runtimes that search for the tag end the call \
        there and are left with half of its JSON. transcope reads the string to its end and shows the whole call.",
    bad: "<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"it ends with </tool_call> on a line\"}}\n</tool_call>\n",
    good: "<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"it ends with \\u003c/tool_call> on a line\"}}\n</tool_call>\n",
};
