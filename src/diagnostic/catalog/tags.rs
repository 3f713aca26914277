//! Pages about calls between tags. The rules of `<tool:…>` are those of its reference runtime.

use super::CodeInfo;

pub(super) const MISMATCHED_TAG: CodeInfo = CodeInfo {
    title: "mismatched closing tag",
    help: "use the same word and name as in the opening tag",
    explanation: "The runtime of <tool:…> compares the two names byte by byte and rejects the whole message when they \
        differ, even by a space. Runtimes that look for <invoke …> with a prefix such as antml: find no closing tag \
        without it and lose the call.",
    bad: "<tool:read_files>\n<param:path>a.txt</param:path>\n</tool:read_file>\n",
    good: "<tool:read_files>\n<param:path>a.txt</param:path>\n</tool:read_files>\n",
};

pub(super) const UNCLOSED_PARAMETER: CodeInfo = CodeInfo {
    title: "a parameter's closing tag is missing",
    help: "close each parameter with its own closing tag before the next tag",
    explanation: "A value ends at its own closing tag and at nothing else. Where another one is written, such as \
        </content> for </parameter>, the value silently swallows the parameters after it; where \
        none follows, runtimes drop the parameter or reject the call.",
    bad: "<invoke name=\"write_file\">\n<parameter name=\"content\">Hello</content>\n<parameter name=\"path\">a.txt</parameter>\n</invoke>\n",
    good: "<invoke name=\"write_file\">\n<parameter name=\"content\">Hello</parameter>\n<parameter name=\"path\">a.txt</parameter>\n</invoke>\n",
};

pub(super) const NESTED_TAG: CodeInfo = CodeInfo {
    title: "a tag of the syntax inside a call or a value",
    help: "close what is open first; in a value about the syntax, write the tags differently",
    explanation: "Nothing nests and nothing can be escaped. The runtime of <tool:…> rejects the whole message; the runtimes \
        of <invoke …> and <function=…> end the value at the first closing tag, even if that belongs to an example \
        inside the value.",
    bad: "<tool:write_file>\n<param:content>Use <tool:name> for a call.</param:content>\n</tool:write_file>\n",
    good: "<tool:write_file>\n<param:content>Use a tool tag for a call.</param:content>\n</tool:write_file>\n",
};

pub(super) const FOREIGN_TAG: CodeInfo = CodeInfo {
    title: "another tag between the parameters of a call",
    help: "write only parameter tags between <tool:…> and </tool:…>; other markup belongs inside a value",
    explanation: "Text between parameters is ignored, but a tag that is not part of the syntax, such as a comment or an emphasis, \
        makes the runtime reject the whole message.",
    bad: "<tool:read_files>\n<!-- the entry point -->\n<param:path>main.rs</param:path>\n</tool:read_files>\n",
    good: "<tool:read_files>\n<param:path>main.rs</param:path>\n</tool:read_files>\n",
};

pub(super) const GLUED_TAG: CodeInfo = CodeInfo {
    title: "no white space after the opening tag of a call",
    help: "end the line after the opening tag",
    explanation: "The runtime takes everything up to the first white space for the tool's name. Written on one line, \
        the name becomes the whole call, and no such tool is found.",
    bad: "<tool:list_projects></tool:list_projects>\n",
    good: "<tool:list_projects>\n</tool:list_projects>\n",
};

pub(super) const LONE_ANGLE_BRACKET: CodeInfo = CodeInfo {
    title: "a lone < hides the next tag",
    help: "write a > after the < before the next tag, or avoid the <",
    explanation: "The runtime goes from each < to the next > anywhere after it and takes what is between for one \
        tag. A comparison or a shift without a > swallows the tag that follows, and the whole message is rejected. \
        Nothing can be escaped: &lt; stays &lt; in the value.",
    bad: "<tool:write_file>\n<param:content>if a < b</param:content>\n</tool:write_file>\n",
    good: "<tool:write_file>\n<param:content>if b > a</param:content>\n</tool:write_file>\n",
};

pub(super) const MALFORMED_TAG: CodeInfo = CodeInfo {
    title: "a malformed opening tag",
    help: "write the tag exactly: the name and nothing else, and its own closing tag",
    explanation: "A tag has no attributes besides its name, no spaces, and is never self-closing: the runtime takes all of it \
        for the name and finds no closing tag for that, or does not see the tag at all.",
    bad: "<tool:list_projects/>\n",
    good: "<tool:list_projects>\n</tool:list_projects>\n",
};

pub(super) const HALF_WRAPPED: CodeInfo = CodeInfo {
    title: "only one of a wrapper's two tags",
    help: "write both <tool_call> and </tool_call>, or neither",
    explanation: "Some runtimes look for calls between the wrapper's tags only and show the call as text when one of \
        them is missing; others do without. Models often leave out the opening tag.",
    bad: "<function=list_dir>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>\n",
    good: "<tool_call>\n<function=list_dir>\n<parameter=path>\n.\n</parameter>\n</function>\n</tool_call>\n",
};

pub(super) const SHARED_WRAPPER: CodeInfo = CodeInfo {
    title: "several calls in one wrapper",
    help: "write <tool_call> and </tool_call> around each call",
    explanation: "Some runtimes read every call in the wrapper, others only the first, and some none of them.",
    bad: "<tool_call>\n<function=pull>\n</function>\n<function=build>\n</function>\n</tool_call>\n",
    good: "<tool_call>\n<function=pull>\n</function>\n</tool_call>\n<tool_call>\n<function=build>\n</function>\n</tool_call>\n",
};

pub(super) const IGNORED_TEXT: CodeInfo = CodeInfo {
    title: "text between the parameters of a call",
    help: "put the text before the call, or into a parameter",
    explanation: "Runtimes read only the parameters of a call. Text between them is neither shown to the reader \
        nor sent to the tool.",
    bad: "<tool:read_files>\nThe entry point first:\n<param:path>main.rs</param:path>\n</tool:read_files>\n",
    good: "The entry point first:\n<tool:read_files>\n<param:path>main.rs</param:path>\n</tool:read_files>\n",
};

pub(super) const NOT_JSON: CodeInfo = CodeInfo {
    title: "a value is declared as JSON and is not",
    help: "write JSON, or string=\"true\" for plain text",
    explanation: "With string=\"false\" the runtime reads the value as JSON. Where that fails, the tool gets the bare text \
        or nothing at all.",
    bad: "<｜DSML｜invoke name=\"wait\">\n<｜DSML｜parameter name=\"seconds\" string=\"false\">five</｜DSML｜parameter>\n</｜DSML｜invoke>\n",
    good: "<｜DSML｜invoke name=\"wait\">\n<｜DSML｜parameter name=\"seconds\" string=\"false\">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n",
};

pub(super) const VALUE_DROPPED: CodeInfo = CodeInfo {
    title: "a value that makes the runtime drop its parameter",
    help: "write the value without the characters that are named",
    explanation: "Some runtimes find values by an expression that stops at certain characters. A value that holds them does not \
        match, and its parameter is missing from the call without a word.",
    bad: "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"write\">\
        <steptml:parameter name=\"text\">1 < 2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>\n",
    good: "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"write\">\
        <steptml:parameter name=\"text\">one is less than two</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>\n",
};
