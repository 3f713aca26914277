//! Pages about the bytes themselves.

use super::CodeInfo;

pub(super) const HIDDEN_CHARACTERS: CodeInfo = CodeInfo {
    title: "invisible characters",
    help: "remove the character, or retype the name",
    explanation: "A name, an id, a dependency or a pointer holds a control character, a zero-width character or one \
        that changes the direction of the text. It looks like another name but is not the same.",
    bad: "!!!GADGET_START:Pi\u{200b}ng:ping_1\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const INVALID_UTF8: CodeInfo = CodeInfo {
    title: "bytes that are not UTF-8",
    help: "find out the encoding and convert the file to UTF-8",
    explanation: "A runtime replaces such bytes with U+FFFD. transcope keeps them and shows them as <FF>.",
    bad: "",
    good: "Grüße\n",
};

pub(super) const BINARY_DATA: CodeInfo = CodeInfo {
    title: "the file looks binary",
    help: "is this the right file? compressed and binary files are not read",
    explanation: "There are NUL bytes near the beginning, which no transcript has. It is shown as text anyway.",
    bad: "PK\u{3}\u{4}\0\0\n",
    good: "Plain text.\n",
};

pub(super) const LOST_TEXT: CodeInfo = CodeInfo {
    title: "part of the file is no longer there",
    help: "open the file again to see what it holds now",
    explanation: "A large file is not kept in memory: what is shown is read again. The file was truncated, changed \
        or removed since these bytes were parsed, so they cannot be shown; each is shown as the character ␚. The calls \
        found in them are still listed.",
    bad: "\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a}\u{1a} is what can still be read.\n",
    good: "Plain text.\n",
};

pub(super) const NOT_LISTED: CodeInfo = CodeInfo {
    title: "more problems of a kind than are listed",
    help: "do away with the cause of the first ones; --max and the totals count all of them",
    explanation: "Of each kind of problem, by code and severity, the first 10,000 of a text are listed, so that a file \
        with millions of them does not take all memory. This one is at the first that is not listed. All others \
        are counted: in the totals, by --deny and by --max. A filter or a baseline cannot tell which of them are meant, \
        so that all of them count there.",
    bad: "!!!GADGET_START:Ping:same\n!!!GADGET_END\n!!!GADGET_START:Ping:same\n!!!GADGET_END\n… and 10,000 more with this id\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n!!!GADGET_START:Ping:ping_2\n!!!GADGET_END\n",
};
