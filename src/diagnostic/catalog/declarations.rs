//! Faults in declarations of dialects.

use super::CodeInfo;

pub(super) const INVALID_DECLARATION: CodeInfo = CodeInfo {
    title: "a declaration of a dialect that cannot be used",
    help: "write what the declaration needs there; transcope dialect show hermes is an example",
    explanation: "A declaration is a YAML document with dialect, example, call and arguments. Names of members are checked, so \
        that a slip is no silent default, and markers are templates: a text with places such as {name} and {key} in it.",
    bad: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {nam}>\", close: \"</do>\"}\narguments: {kind: json}\n",
    good: "dialect: mine\nexample: \"<do f>{}</do>\"\ncall: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: json}\n",
};
