//! Pages about what makes runtimes differ. The rules are those of the profiles in `runtime/profiles`.

use super::CodeInfo;

pub(super) const NO_TOOLS_IN_REQUEST: CodeInfo = CodeInfo {
    title: "the request names no tool, so nothing is read",
    help: "give the tools of the request with --schema FILE",
    explanation: "SGLang looks for calls only in the answer to a request that has tools, and llama.cpp makes its grammar from them. Without tools the whole text is content.",
    bad: "",
    good: "",
};

pub(super) const UNKNOWN_TOOL_DROPPED: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name is dropped",
    help: "name the tool in the request, or write the name of one that is there",
    explanation: "Most parsers of SGLang, and those of vLLM for GLM and MiniMax, compare the name with the tools of the request. A call with another name is left out without a word to the client.",
    bad: "",
    good: "",
};

pub(super) const UNKNOWN_TOOL_SHOWN: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name stays text",
    help: "name the tool in the request, or write the name of one that is there",
    explanation: "The parser compares the name with the tools of the request. A call with another name is delivered as text, with its markup.",
    bad: "",
    good: "",
};

pub(super) const UNKNOWN_TOOL_REJECTED: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name is an error",
    help: "name the tool in the request, or write the name of one that is there",
    explanation: "llama.cpp makes its grammar from the tools of the request. A text with another name does not fit it, and the client gets an error in place of a message.",
    bad: "",
    good: "",
};

pub(super) const MESSAGE_REJECTED: CodeInfo = CodeInfo {
    title: "the text does not fit the grammar: the client gets an error",
    help: "write the message as the chat template does, with nothing behind the last call",
    explanation: "llama.cpp parses the whole message with a grammar that it makes from the chat template and the tools. Text that does not fit, such as prose behind a call or other white space in a marker, makes an error of the message.",
    bad: "",
    good: "",
};

pub(super) const MESSAGE_NOT_MATCHED: CodeInfo = CodeInfo {
    title: "the text does not fit the parser's pattern: all of it is content",
    help: "write the message exactly as the parser's pattern has it",
    explanation: "Some parsers look for one pattern that spans the message. Where it does not fit, the whole text is content, with the markup of its calls.",
    bad: "",
    good: "",
};

pub(super) const ONE_CALL_SPOILS_ALL: CodeInfo = CodeInfo {
    title: "a call that cannot be read makes content of the whole text",
    help: "mend this call: the good ones are lost with it",
    explanation: "The parser catches the exception of its JSON decoder around all calls together. When one of them fails, the whole text is content and the good calls are not delivered either.",
    bad: "",
    good: "",
};

pub(super) const PARSER_RAISES: CodeInfo = CodeInfo {
    title: "the parser raises an exception: the request fails",
    help: "mend what the parser stumbles over",
    explanation: "The parser does not catch what this text makes it raise. The client gets an error, or the request never ends.",
    bad: "",
    good: "",
};

pub(super) const CUT_CALL: CodeInfo = CodeInfo {
    title: "the text ends in a call",
    help: "let the model finish the call, and raise the limit of tokens if that cut it",
    explanation: "Runtimes differ most where a call is cut off: some drop it, some make text of it, some deliver what had come, and llama.cpp delivers arguments that are no JSON.",
    bad: "",
    good: "",
};

pub(super) const CUT_IN_VALUE: CodeInfo = CodeInfo {
    title: "the text ends in a value, which is delivered as it is",
    help: "let the model finish the call, and raise the limit of tokens if that cut it",
    explanation: "The end of the text closes whatever is open. The tool runs with a value that is not all there.",
    bad: "",
    good: "",
};

pub(super) const BROKEN_CALL: CodeInfo = CodeInfo {
    title: "what stands between the markers of a call cannot be read",
    help: "write one JSON object with name and arguments",
    explanation: "The parser takes what stands between the markers for JSON. A decoder that fails leaves no call.",
    bad: "",
    good: "",
};

pub(super) const WRONG_SHAPE: CodeInfo = CodeInfo {
    title: "what stands between the markers is JSON, but no call",
    help: "write an object with the keys that the parser looks for",
    explanation: "Each parser looks for its own keys. Other keys, a list or a plain value are no call to it, or one without a name or arguments.",
    bad: "",
    good: "",
};

pub(super) const ARGUMENTS_NOT_AN_OBJECT: CodeInfo = CodeInfo {
    title: "the arguments are no object",
    help: "write the arguments as an object, not as a string that holds one",
    explanation: "Arguments that are a string, a list or null are passed on as such by vLLM, SGLang and mlx-lm, unwrapped by transformers and emptied by llama.cpp. A client that decodes them gets no object.",
    bad: "",
    good: "",
};

pub(super) const VALUE_NOT_TYPED: CodeInfo = CodeInfo {
    title: "a value cannot become what the schema asks for",
    help: "write the value as its type is written in JSON",
    explanation: "The parser makes values of text by the schema of the tool. Where that fails, some keep the text and some raise.",
    bad: "",
    good: "",
};

pub(super) const REPEATED_KEY: CodeInfo = CodeInfo {
    title: "a key comes twice",
    help: "write each parameter once",
    explanation: "Most parsers keep the last value, some the first, some make a list of both, and some do not read the call.",
    bad: "",
    good: "",
};

pub(super) const PROSE_LOST: CodeInfo = CodeInfo {
    title: "text beside the calls is not delivered",
    help: "write what the client must see in a message of its own",
    explanation: "Most parsers deliver only the text in front of the first call. What stands between calls or behind them is lost.",
    bad: "",
    good: "",
};

pub(super) const PROSE_TRIMMED: CodeInfo = CodeInfo {
    title: "white space at the ends of the text is not delivered",
    help: "rely on no white space around calls",
    explanation: "The parser strips the text that it delivers as content.",
    bad: "",
    good: "",
};

pub(super) const NEWLINE_AFTER_OPENER: CodeInfo = CodeInfo {
    title: "the marker does not count without the white space that belongs to it",
    help: "write the line feed behind the opener and in front of the closer",
    explanation: "Some parsers look for the marker together with its line feed, as the chat template writes it. Without it they find no call, and the text is content or lost.",
    bad: "",
    good: "",
};

pub(super) const NOT_PORTABLE: CodeInfo = CodeInfo {
    title: "the runtimes make different things of this message",
    help: "write what all of them read alike; transcope lens shows each",
    explanation: "The same text gives different calls, another text or an error, depending on the runtime that serves the model.",
    bad: "",
    good: "",
};

pub(super) const NO_CALL_IN_MARKUP: CodeInfo = CodeInfo {
    title: "markers without a call make content of the whole text",
    help: "write a call between the markers, or leave them out",
    explanation: "The parser has found its markers, but nothing between them that is a call. The whole text is content, with the markers.",
    bad: "",
    good: "",
};

pub(super) const NAME_NOT_TEXT: CodeInfo = CodeInfo {
    title: "the name of a call is no string",
    help: "write the name of the tool as a JSON string",
    explanation: "The parser takes whatever stands under the key of the name. A name that is no string belongs to no tool.",
    bad: "",
    good: "",
};

pub(super) const REASONING_LOST: CodeInfo = CodeInfo {
    title: "the reasoning is not delivered",
    help: "look for the reasoning where the client gets it, or name a reasoning parser to the server",
    explanation: "The parser cuts the reasoning off and delivers nothing of it.",
    bad: "",
    good: "",
};

pub(super) const REPLACED_BY_LATER: CodeInfo = CodeInfo {
    title: "a later stretch of the same kind takes the place of this one",
    help: "write one stretch of each kind in a message",
    explanation: "A response template keeps one value for a field that does not repeat. What comes later in the message overwrites what came before.",
    bad: "",
    good: "",
};

pub(super) const MARKER_IN_CONTENT: CodeInfo = CodeInfo {
    title: "a marker begins no call and is delivered as text",
    help: "write the marker and what follows it as the parser looks for it",
    explanation: "The parser knows this marker, but what follows it, or what is missing behind it, makes no call. It is content, and the client sees the markup.",
    bad: "",
    good: "",
};

pub(super) const TEXT_IN_CALL_LOST: CodeInfo = CodeInfo {
    title: "text inside of a call belongs to no parameter and is lost",
    help: "close each parameter as the parser looks for it, and write nothing else into a call",
    explanation: "The parser takes from a call what is a parameter to it and passes over the rest. A parameter that is not closed, or is written in another way, is missing from a call that succeeds.",
    bad: "",
    good: "",
};

pub(super) const CALL_SWALLOWED: CodeInfo = CodeInfo {
    title: "a stretch with markers is delivered neither as a call nor as text",
    help: "write the call as the parser looks for it, to its closing marker",
    explanation: "The parser has begun to read a call and does not finish it. What it took is delivered neither as a call nor as text, and no error says so.",
    bad: "",
    good: "",
};

pub(super) const CALL_NOT_FOUND: CodeInfo = CodeInfo {
    title: "another parser finds a call here",
    help: "write the call as all parsers look for it",
    explanation: "This parser reads the same bytes and finds no call in them.",
    bad: "",
    good: "",
};

pub(super) const CALL_READ_OTHERWISE: CodeInfo = CodeInfo {
    title: "another parser makes another call of this text",
    help: "write the call as all parsers look for it",
    explanation: "The parsers take the same bytes for calls with other names.",
    bad: "",
    good: "",
};

pub(super) const VALUE_READ_OTHERWISE: CodeInfo = CodeInfo {
    title: "another parser makes another value of this text",
    help: "write the value so that its type is plain, and name its type in the schema",
    explanation: "The parsers make values of text by rules of their own: by the schema, by the look of the text, or not at all.",
    bad: "",
    good: "",
};

pub(super) const PARAMETER_MISSING: CodeInfo = CodeInfo {
    title: "a parameter that the tool requires is missing",
    help: "write every parameter that the schema of the tool requires",
    explanation: "The grammar that llama.cpp makes from the schema of the tool asks for each required parameter. A call without one does not fit it.",
    bad: "",
    good: "",
};
