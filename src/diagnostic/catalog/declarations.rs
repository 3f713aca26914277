//! Faults in declarations of dialects.

use super::CodeInfo;

pub(super) const INVALID_DECLARATION: CodeInfo = CodeInfo {
    title: "a declaration of a dialect that cannot be used",
    help: "write what the declaration needs there; transcope dialect show hermes is an example",
    explanation: "A declaration is a YAML document with dialect, example, call and arguments. Names of members are checked, so \
        that a slip is not a silent default, and markers are templates: a text with places such as {name} and {key} in it.",
    bad: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {nam}>\", close: \"</do>\"}\narguments: {kind: json}\n",
    good: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: json}\n",
};

pub(super) const EXAMPLE_MISMATCH: CodeInfo = CodeInfo {
    title: "an example that is not read as its declaration says",
    help: "correct the example or the markers; transcope parse --dialect-file shows what is read",
    explanation: "The examples of a declaration are its tests. Each is read whole, byte by byte and in random cuts, its calls are \
        compared with the declared ones, and they are written and read once more.",
    bad: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: json}\n\
        examples:\n- text: '<do look>{\"at\": \"map\"}</do>'\n  calls: [{name: look, arguments: {at: list}}]\n",
    good: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: json}\n\
        examples:\n- text: '<do look>{\"at\": \"map\"}</do>'\n  calls: [{name: look, arguments: {at: map}}]\n",
};

pub(super) const AMBIGUOUS_DIALECT: CodeInfo = CodeInfo {
    title: "a dialect whose calls another dialect reads as well",
    help: "name the dialect with --dialect, or choose another marker",
    explanation: "Where several dialects are read, the first one that finds its marker at a place has the call: first the \
        built-in dialects in code, then the users' dialects, then the built-in declared ones. Naming a dialect reads that one alone.",
    bad: "dialect: mine\nexample: \"<tool_call>{\\\"name\\\": \\\"f\\\", \\\"arguments\\\": {}}</tool_call>\"\n\
        call: {open: \"<tool_call>\", close: \"</tool_call>\"}\narguments: {kind: json_calls}\n",
    good: "dialect: mine\nexample: \"<my_call>{\\\"name\\\": \\\"f\\\", \\\"arguments\\\": {}}</my_call>\"\n\
        call: {open: \"<my_call>\", close: \"</my_call>\"}\narguments: {kind: json_calls}\n",
};
