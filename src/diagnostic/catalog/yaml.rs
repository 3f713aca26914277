//! Pages about YAML bodies: what makes one unreadable, and where readers of YAML differ.

use super::CodeInfo;

pub(super) const YAML_SYNTAX: CodeInfo = CodeInfo {
    title: "the body is not YAML",
    help: "put values that hold : # [ ] { } or begin with a sign in quotes, and indent with spaces",
    explanation: "The YAML parser stops at the first error, and the runtime loses the whole call: it shows the text of \
        the call as prose. transcope shows the part of the tree that could be read.",
    bad: "> [!tool search call_1]\n> input: what: who\n",
    good: "> [!tool search call_1]\n> input: \"what: who\"\n",
};

pub(super) const YAML_DUPLICATE_KEY: CodeInfo = CodeInfo {
    title: "an object has the same key twice",
    help: "give each key once; to send several values use a list",
    explanation: "YAML does not allow it, and the runtime loses the whole call. The tree shows both values.",
    bad: "> [!tool search call_1]\n> input:\n>   query: cats\n>   query: dogs\n",
    good: "> [!tool search call_1]\n> input:\n>   query: [cats, dogs]\n",
};

pub(super) const YAML_DOCUMENTS: CodeInfo = CodeInfo {
    title: "a body holds several documents",
    help: "remove the line ---, or put it in quotes or after | if it is part of a text",
    explanation: "A line of three hyphens begins another YAML document. A body must be a single document; the runtime loses \
        the whole call. The tree shows the first document.",
    bad: "> [!tool search call_1]\n> input: cats\n> ---\n> output: none\n",
    good: "> [!tool search call_1]\n> input: cats\n> output: none\n",
};

pub(super) const YAML_ALIAS: CodeInfo = CodeInfo {
    title: "an undefined or recursive alias",
    help: "put a value that begins with * or & in quotes",
    explanation: "In YAML *name repeats the value that &name marks further up. A word that merely begins with an \
        asterisk, as Markdown's emphasis does, names nothing, and a value that contains itself has no end.",
    bad: "> [!tool search call_1]\n> input: *cats*\n",
    good: "> [!tool search call_1]\n> input: \"*cats*\"\n",
};

pub(super) const YAML_TOO_LARGE: CodeInfo = CodeInfo {
    title: "a body is too large",
    help: "send less, or large data as one text value; a few lines of aliases that expand to a lot are often an attack",
    explanation: "A few lines of nested aliases can expand to gigabytes, which a careless parser tries to build. \
        transcope reads at most 32 MiB and 250000 keys and values of one body, and of what aliases repeat at most \
        50000 keys and values and 1 MiB of text. The tree shows what was read up to there.",
    bad: "> [!tool search call_1]\n> a: &a [x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x]\n> b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n> c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n> d: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n",
    good: "> [!tool search call_1]\n> a: &a [x, x]\n> b: [*a, *a]\n",
};

pub(super) const YAML_TOO_DEEP: CodeInfo = CodeInfo {
    title: "a body is nested more than 120 levels deep",
    help: "flatten the structure, or send the deep part as one text value",
    explanation: "Many readers stop at a depth of 128 with everything around the parameters counted, and some \
        overflow their stack. transcope shows the tree up to there.",
    bad: "> [!tool search call_1]\n> input: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
    good: "> [!tool search call_1]\n> input: [[[cats]]]\n",
};

pub(super) const YAML_TAG: CodeInfo = CodeInfo {
    title: "a tag that is not in YAML's core schema",
    help: "put a value that begins with ! in quotes",
    explanation: "A word that begins with an exclamation mark is a tag: it says what kind of value follows. Most \
        parsers reject an unknown one, and the runtime loses the whole call.",
    bad: "> [!tool style call_1]\n> input: !important red\n",
    good: "> [!tool style call_1]\n> input: \"!important red\"\n",
};

pub(super) const YAML_AMBIGUOUS: CodeInfo = CodeInfo {
    title: "a value or key that parsers read differently",
    help: "put it in quotes if it is meant as text",
    explanation: "YAML 1.2 reads dates, 1_000 and 0b101 as strings and << as a plain key. Readers with the types of \
        version 1.1, js-yaml among them, make a date or a number of them and merge what << names. A key that is null \
        becomes a different text in each parser. In {a:1} the key is a:1, because there is no space after the colon.",
    bad: "> [!tool book call_1]\n> input:\n>   day: 2024-01-02\n",
    good: "> [!tool book call_1]\n> input:\n>   day: \"2024-01-02\"\n",
};

pub(super) const YAML_COMPLEX_KEY: CodeInfo = CodeInfo {
    title: "a list or an object as a key",
    help: "use text as the key",
    explanation: "YAML allows any value as a key, JSON only text. Every parser turns it into a different text: a,b or \
        [ a, b ]. transcope shows the one that the runtime makes; js-yaml does not accept a list inside a list.",
    bad: "> [!tool plot call_1]\n> input:\n>   ? [1, 2]\n>   : red\n",
    good: "> [!tool plot call_1]\n> input:\n>   \"1,2\": red\n",
};
