//! Pages about what a tool's schema says of a call. They arise only with `--schema`.

use super::CodeInfo;

/// The schema that the examples of these pages are read with.
pub(super) const EXAMPLE: &str = r#"{ "Ship": {
    "type": "object",
    "required": ["city"],
    "properties": { "city": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } }
} }"#;

pub(super) const MISSING_PARAMETER: CodeInfo = CodeInfo {
    title: "a required parameter is missing",
    help: "add the parameter; the schema says that it is required",
    explanation: "The runtime checks the parameters against the tool's schema before it runs the tool, and rejects the \
        call.",
    bad: "!!!GADGET_START:Ship:ship_1\n!!!ARG:count\n2\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ship:ship_1\n!!!ARG:count\n2\n!!!ARG:city\nOslo\n!!!GADGET_END\n",
};

pub(super) const UNKNOWN_PARAMETER: CodeInfo = CodeInfo {
    title: "the tool has no such parameter",
    help: "check the spelling; the schema lists what the tool knows",
    explanation: "The runtime silently drops a parameter that the schema does not name; with a strict schema it \
        rejects the call.",
    bad: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:cuont\n2\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:count\n2\n!!!GADGET_END\n",
};

pub(super) const MISTYPED_PARAMETER: CodeInfo = CodeInfo {
    title: "a parameter has the wrong type",
    help: "write a value of the type given in the schema",
    explanation: "With a schema the runtime converts each value to the type that the schema names: numbers and \
        booleans are read from text. Where that is not possible, or an array or object is sent as text, it rejects the \
        call.",
    bad: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:count\ntwo\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:count\n2\n!!!GADGET_END\n",
};

pub(super) const INVALID_PARAMETER: CodeInfo = CodeInfo {
    title: "a parameter does not satisfy the tool's schema",
    help: "write a value that the schema allows",
    explanation: "The value has the right type, but the schema restricts it further: to certain values, a range, a length or \
        a pattern. The runtime rejects the call.",
    bad: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:count\n0\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ship:ship_1\n!!!ARG:city\nOslo\n!!!ARG:count\n2\n!!!GADGET_END\n",
};
