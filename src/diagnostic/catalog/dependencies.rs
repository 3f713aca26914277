//! Pages about ids and what waits for what. The rules are those of the block format's reference runtime.

use super::CodeInfo;

pub(super) const DUPLICATE_ID: CodeInfo = CodeInfo {
    title: "two calls have the same id",
    help: "give each call its own id",
    explanation: "Both calls run and their results cannot be told apart. A call that depends on the id waits for \
        all of them and is skipped when one fails; if both wait for something, the first one is lost.",
    bad: "!!!GADGET_START:Ping:ping\n!!!GADGET_END\n!!!GADGET_START:Ping:ping\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n!!!GADGET_START:Ping:ping_2\n!!!GADGET_END\n",
};

pub(super) const COLON_DEPENDENCY: CodeInfo = CodeInfo {
    title: "dependencies are separated by a colon",
    help: "separate dependencies by commas: Name:id:first,second",
    explanation: "A header has three fields: name, id and dependencies. The runtime reads further colons as commas; \
        earlier releases of it ignored what followed, and the call depended on the wrong calls.",
    bad: "!!!GADGET_START:Ping:a\n!!!GADGET_END\n!!!GADGET_START:Ping:b\n!!!GADGET_END\n!!!GADGET_START:Merge:m:a:b\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:a\n!!!GADGET_END\n!!!GADGET_START:Ping:b\n!!!GADGET_END\n!!!GADGET_START:Merge:m:a,b\n!!!GADGET_END\n",
};

pub(super) const UNKNOWN_DEPENDENCY: CodeInfo = CodeInfo {
    title: "a call depends on an id that no call has",
    help: "check the spelling; an id may also be given further down, but some call must have it",
    explanation: "The call can never start. When the text ends the runtime skips it, and with it everything that \
        depends on it, and does not tell the model.",
    bad: "!!!GADGET_START:Merge:merge_1:fetch_1\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Fetch:fetch_1\n!!!GADGET_END\n!!!GADGET_START:Merge:merge_1:fetch_1\n!!!GADGET_END\n",
};

pub(super) const SELF_DEPENDENCY: CodeInfo = CodeInfo {
    title: "a call depends on itself",
    help: "remove the call's own id from its dependencies",
    explanation: "A call that waits only for itself is skipped. If it has other dependencies as well, the runtime \
        ignores this one, and the call runs.",
    bad: "!!!GADGET_START:Ping:ping_1:ping_1\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:ping_1\n!!!GADGET_END\n",
};

pub(super) const DEPENDENCY_CYCLE: CodeInfo = CodeInfo {
    title: "calls wait for each other in a cycle",
    help: "remove one of the dependencies so that one of the calls can start",
    explanation: "None of these calls can start. When the text ends the runtime skips all of them and everything that \
        depends on them.",
    bad: "!!!GADGET_START:Ping:a:b\n!!!GADGET_END\n!!!GADGET_START:Ping:b:a\n!!!GADGET_END\n",
    good: "!!!GADGET_START:Ping:a\n!!!GADGET_END\n!!!GADGET_START:Ping:b:a\n!!!GADGET_END\n",
};
