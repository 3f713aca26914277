//! Pages about arguments that are no JSON: keyword arguments as Python has them, and objects with strings in delimiters.

use super::CodeInfo;

pub(super) const BROKEN_ARGUMENTS: CodeInfo = CodeInfo {
    title: "arguments that break the rules of their syntax",
    help: "close each string and bracket, and write a comma between two arguments",
    explanation: "The arguments are written in a special syntax: Python's keyword arguments, or an object whose \
        strings are between delimiters. At the first fault most runtimes show the whole call as text, and some drop \
        it without a word. transcope reads on where it is clear what was meant and shows the readable part of the tree.",
    bad: "<|tool_call_start|>[wait(seconds=5 reason='rate limit')]<|tool_call_end|>\n",
    good: "<|tool_call_start|>[wait(seconds=5, reason='rate limit')]<|tool_call_end|>\n",
};

pub(super) const NOT_A_LITERAL: CodeInfo = CodeInfo {
    title: "a value that is not a literal",
    help: "write the value itself: a number, a string in quotes, True, False, None, a list or a dictionary",
    explanation: "Names, sums and calls are not evaluated. Some runtimes give the tool the bare text, others drop the \
        call or show it as text. The same goes for f-strings, bytes and unpacked dictionaries, and for bare words \
        where strings have delimiters.",
    bad: "<|tool_call_start|>[wait(seconds=60*5)]<|tool_call_end|>\n",
    good: "<|tool_call_start|>[wait(seconds=300)]<|tool_call_end|>\n",
};

pub(super) const POSITIONAL_ARGUMENT: CodeInfo = CodeInfo {
    title: "an argument without a name",
    help: "write the parameter's name and = before the value",
    explanation: "Tools have named parameters. Some runtimes drop an argument without a name, some match it to the \
        schema by its position, and others show the whole call as text. transcope shows it under its number.",
    bad: "<|tool_call_start|>[wait(5, reason='rate limit')]<|tool_call_end|>\n",
    good: "<|tool_call_start|>[wait(seconds=5, reason='rate limit')]<|tool_call_end|>\n",
};
