//! Pages about what makes runtimes differ. The rules are those of the profiles in `runtime/profiles`.

use super::{Code, CodeInfo, ExampleReader};

/// The tools of the request that the examples of these pages answer.
pub(super) const EXAMPLE: &str = r#"{
    "get_weather": {
        "type": "object",
        "required": ["city"],
        "properties": { "city": { "type": "string" }, "days": { "type": "integer" } }
    },
    "ping": { "type": "object", "properties": {} }
}"#;

/// Who reads the examples of a page: a dialect, and parsers that read it.
pub(super) fn example_reader(code: Code) -> Option<ExampleReader> {
    let (dialect, parsers): (_, &[_]) = match code {
        Code::NoToolsInRequest
        | Code::UnknownToolDropped
        | Code::BrokenCall
        | Code::ProseTrimmed
        | Code::NewlineAfterOpener => ("hermes", &["sglang:qwen25"]),
        Code::UnknownToolShown | Code::RepeatedKey | Code::ParameterMissing => ("minicpm5", &["sglang:minicpm5"]),
        Code::UnknownToolRejected | Code::MessageRejected | Code::CutCall => {
            ("hermes", &["llama.cpp:Qwen-Qwen2.5-7B-Instruct.jinja"])
        }
        Code::MessageNotMatched => ("granite4", &["vllm:granite4"]),
        Code::OneCallSpoilsAll
        | Code::WrongShape
        | Code::ArgumentsNotAnObject
        | Code::ProseLost
        | Code::NameNotText => ("hermes", &["vllm:hermes"]),
        Code::ParserRaises => ("hermes", &["mlx-lm:json_tools"]),
        Code::CutInValue => ("qwen3-coder", &["sglang:qwen3_coder"]),
        Code::ValueNotTyped | Code::CallSwallowed => ("qwen3-coder", &["mlx-lm:qwen3_coder"]),
        Code::NoCallInMarkup => ("functiongemma", &["vllm:functiongemma"]),
        Code::ReasoningLost => ("gemma4", &["vllm:gemma4"]),
        Code::ReplacedByLater => ("hermes", &["hf:trl-qwen3"]),
        Code::MarkerInContent => ("harmony", &["sglang:gpt-oss"]),
        Code::TextInCallLost => ("qwen3-coder", &["vllm:qwen3_coder"]),
        Code::CallNotFound => ("qwen3-coder", &["vllm:qwen3_coder", "mlx-lm:qwen3_coder"]),
        Code::CallReadOtherwise => ("mistral-args", &["vllm:mistral", "mlx-lm:mistral"]),
        Code::ValueReadOtherwise => ("functiongemma", &["vllm:functiongemma", "mlx-lm:function_gemma"]),
        Code::NotPortable => ("hermes", &["vllm:hermes", "hf:trl-qwen3", "mlx-lm:json_tools"]),
        _ => return None,
    };
    Some(ExampleReader { dialect, parsers })
}

pub(super) const NO_TOOLS_IN_REQUEST: CodeInfo = CodeInfo {
    title: "the request names no tool, so no call is read",
    help: "give the tools of the request with --schema FILE",
    explanation: "SGLang looks for calls only when the request has tools, and llama.cpp makes its grammar from them. \
        Without tools the whole text is content, with the markup of its calls.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "It is sunny in Paris.",
};

pub(super) const UNKNOWN_TOOL_DROPPED: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name is dropped",
    help: "name the tool in the request, or call one that it names",
    explanation: "Most parsers of SGLang, and vLLM's parsers for GLM, Ling and MiniMax, compare the name of a call \
        with the tools of the request. A call with another name is delivered neither as a call nor as text, and the \
        client is not told.",
    bad: "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const UNKNOWN_TOOL_SHOWN: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name stays text",
    help: "name the tool in the request, or call one that it names",
    explanation: "The parser compares the name of a call with the tools of the request. A call with another name is \
        delivered as content, with its markup.",
    bad: "<function name=\"weather\"><param name=\"city\">Paris</param></function>",
    good: "<function name=\"get_weather\"><param name=\"city\">Paris</param></function>",
};

pub(super) const UNKNOWN_TOOL_REJECTED: CodeInfo = CodeInfo {
    title: "a call of a tool that the request does not name is an error",
    help: "name the tool in the request, or call one that it names",
    explanation: "llama.cpp makes its grammar from the tools of the request. A text with another name does not fit \
        it, and the client gets an error in place of a message.",
    bad: "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const MESSAGE_REJECTED: CodeInfo = CodeInfo {
    title: "the text does not fit the grammar: the client gets an error",
    help: "write the message as the chat template does, with nothing after the last call",
    explanation: "llama.cpp parses the whole message with a grammar that it makes from the chat template and the \
        tools. Text that does not fit, such as prose after a call or other white space in a marker, makes an error \
        of the whole message. The place shown is the furthest that the grammar gets.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\nDone.",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const MESSAGE_NOT_MATCHED: CodeInfo = CodeInfo {
    title: "the text does not fit the pattern of the parser: all of it is content",
    help: "write the message exactly as the pattern of the parser has it",
    explanation: "Some parsers look for one pattern that spans the message. Where it does not fit, the whole text is \
        content, with the markup of its calls.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const ONE_CALL_SPOILS_ALL: CodeInfo = CodeInfo {
    title: "a call that cannot be read makes content of the whole text",
    help: "correct this call: the readable ones are lost with it",
    explanation: "The parser reads all calls in one go, and catches the exception of its JSON decoder around all of \
        them. When one call cannot be read, the whole text is content, and the good calls are not delivered either.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"ping\"}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>",
};

pub(super) const PARSER_RAISES: CodeInfo = CodeInfo {
    title: "the parser raises an exception: the request fails",
    help: "correct what the parser fails at",
    explanation: "The parser does not catch the exception that this text causes. The client gets an error in place \
        of the message, or the request never ends.",
    bad: "<tool_call>\n{\"name\": \"ping\"}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>",
};

pub(super) const CUT_CALL: CodeInfo = CodeInfo {
    title: "the text ends in a call",
    help: "let the model finish the call; raise the token limit if it was reached",
    explanation: "Runtimes differ most where a call is cut off. Some drop it, some show it as text, some deliver the \
        parameters that are complete, and llama.cpp delivers the beginning of the arguments, which is not JSON.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const CUT_IN_VALUE: CodeInfo = CodeInfo {
    title: "the text ends in a value, whose readable part is delivered",
    help: "let the model finish the call; raise the token limit if it was reached",
    explanation: "The parser takes the end of the text for the end of the value. The call looks like any other, and \
        the tool runs with a value that is not complete.",
    bad: "<tool_call>\n<function=get_weather>\n<parameter=city>\nPar",
    good: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
};

pub(super) const BROKEN_CALL: CodeInfo = CodeInfo {
    title: "what is between the markers of a call cannot be read",
    help: "write one JSON object with \"name\" and \"arguments\"",
    explanation: "The parser gives what is between the markers to a decoder of JSON or of Python literals, and the \
        decoder fails. Some parsers drop the call, some show it as text, some raise.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": Paris}}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const WRONG_SHAPE: CodeInfo = CodeInfo {
    title: "the text between the markers is not a call",
    help: "write a call with the keys that the parser looks for",
    explanation: "The parser can read what is between the markers, but not as a call: a key that it looks for is \
        missing or has another name, or it is a list or a plain value.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const ARGUMENTS_NOT_AN_OBJECT: CodeInfo = CodeInfo {
    title: "the arguments of a call are not an object",
    help: "write the arguments as an object, not as a string that holds one",
    explanation: "Arguments that are a string are passed on with their quotation marks by vLLM, SGLang and mlx-lm, \
        unquoted by transformers, and replaced with {} by llama.cpp. A client that decodes them gets no object, or \
        an empty one. Lists and null fare no better.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": \"{\\\"city\\\": \\\"Paris\\\"}\"}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const VALUE_NOT_TYPED: CodeInfo = CodeInfo {
    title: "a value cannot be made what the schema asks for",
    help: "write the value in the type that the schema names, as JSON does",
    explanation: "The parser converts the text of a value to the type that the schema of the tool names. Where that \
        fails, some parsers keep the text, some drop the call, and some raise.",
    bad: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\nthree\n</parameter>\n</function>\n</tool_call>",
    good: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
};

pub(super) const REPEATED_KEY: CodeInfo = CodeInfo {
    title: "a parameter is given twice",
    help: "write each parameter once",
    explanation: "Most parsers keep the last value, some keep the first, some make a list of both, and some do not \
        read the call at all.",
    bad: "<function name=\"get_weather\"><param name=\"city\">Paris</param><param name=\"city\">Rome</param></function>",
    good: "<function name=\"get_weather\"><param name=\"city\">Paris</param></function>",
};

pub(super) const PROSE_LOST: CodeInfo = CodeInfo {
    title: "text between or after the calls is not delivered",
    help: "put what the client must see before the first call, or in a separate message",
    explanation: "Most parsers deliver as content only the text before the first call. The client never sees \
        what comes later.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\nDone.",
    good: "Done.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const PROSE_TRIMMED: CodeInfo = CodeInfo {
    title: "white space at the ends of the content is not delivered",
    help: "do not rely on white space around calls",
    explanation: "The parser strips white space from the text that it delivers as content.",
    bad: "Let me see.\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "Let me see.<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const NEWLINE_AFTER_OPENER: CodeInfo = CodeInfo {
    title: "the marker does not count without its line feed",
    help: "write the line feed after the opening marker and before the closing one",
    explanation: "Some parsers look for a marker together with the white space that the chat template writes around \
        it. Without that they find no call, and the text is content or lost.",
    bad: "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const NO_CALL_IN_MARKUP: CodeInfo = CodeInfo {
    title: "markers without a call make content of the whole text",
    help: "write a call between the markers, or leave them out",
    explanation: "The parser found its markers, but no call between them. The whole text is content, with the markers.",
    bad: "A call begins with <start_function_call>.",
    good: "<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>",
};

pub(super) const NAME_NOT_TEXT: CodeInfo = CodeInfo {
    title: "the name of a call is not a string",
    help: "write the name of the tool as a JSON string",
    explanation: "The parser takes whatever the key of the name holds. A number, a list or null is the name of no \
        tool.",
    bad: "<tool_call>\n{\"name\": [\"get_weather\"], \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const REASONING_LOST: CodeInfo = CodeInfo {
    title: "the reasoning is not delivered",
    help: "use a reasoning parser of the server if the client needs the reasoning",
    explanation: "The parser cuts the reasoning off and delivers nothing of it, neither as reasoning nor as content.",
    bad: "<|channel>thought\nParis, then.<channel|><|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}<tool_call|>",
    good: "<|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}<tool_call|>",
};

pub(super) const REPLACED_BY_LATER: CodeInfo = CodeInfo {
    title: "later text of the same kind replaces this one",
    help: "write no more than one run of content, and one of reasoning, in a message",
    explanation: "A response template of transformers keeps one value for a field that does not repeat. What comes \
        later in the message replaces what came before: of the prose around calls, only the last part is \
        delivered.",
    bad: "Let me see.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\nDone.",
    good: "Let me see.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};

pub(super) const MARKER_IN_CONTENT: CodeInfo = CodeInfo {
    title: "a marker begins no call and is delivered as text",
    help: "write the marker, and what belongs around it, as the parser looks for it",
    explanation: "The parser knows this marker, but something that it needs next to it is missing or written in \
        another way. The marker is content, and the client sees it.",
    bad: "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Paris\"}<|call|>",
    good: "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Paris\"}<|call|>",
};

pub(super) const TEXT_IN_CALL_LOST: CodeInfo = CodeInfo {
    title: "text in a call belongs to no parameter and is lost",
    help: "close each parameter as the parser expects it, and write nothing else into a call",
    explanation: "The parser takes its parameters from the call and skips everything else. A parameter that is \
        not closed, or that is written in another way, is missing from a call that looks complete.",
    bad: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</function>\n</tool_call>",
    good: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
};

pub(super) const CALL_SWALLOWED: CodeInfo = CodeInfo {
    title: "text with markers is delivered neither as a call nor as text",
    help: "write the call as the parser looks for it, up to its closing marker",
    explanation: "The parser began to read a call and did not finish it. What it read is lost, and the client is not \
        told.",
    bad: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n",
    good: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
};

pub(super) const CALL_NOT_FOUND: CodeInfo = CodeInfo {
    title: "another parser finds a call here",
    help: "write the call as all parsers look for it",
    explanation: "This parser reads the same bytes and delivers no call, while others do.",
    bad: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n<function=ping>\n</function>\n</tool_call>",
    good: "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call><tool_call>\n<function=ping>\n</function>\n</tool_call>",
};

pub(super) const CALL_READ_OTHERWISE: CodeInfo = CodeInfo {
    title: "another parser reads another call here",
    help: "write the call as all parsers look for it",
    explanation: "The parsers find calls in the same bytes, but their names differ.",
    bad: "[TOOL_CALLS]get_weather[CALL_ID]abcdef123[ARGS]{\"city\": \"Paris\"}",
    good: "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Paris\"}",
};

pub(super) const VALUE_READ_OTHERWISE: CodeInfo = CodeInfo {
    title: "another parser reads another value here",
    help: "write the value so that its type is plain, and name the type in the schema",
    explanation: "The parsers make values of text by different rules: by the schema, by the look of the text, or not \
        at all. Some find a parameter where others find none.",
    bad: "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}<end_function_call>",
    good: "<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>",
};

pub(super) const PARAMETER_MISSING: CodeInfo = CodeInfo {
    title: "a parameter that the tool requires is missing",
    help: "write every parameter that the schema of the tool requires",
    explanation: "The parser compares the parameters of a call with the schema of the tool. A call without a \
        required one is not delivered as a call.",
    bad: "<function name=\"get_weather\"><param name=\"days\">3</param></function>",
    good: "<function name=\"get_weather\"><param name=\"city\">Paris</param><param name=\"days\">3</param></function>",
};

pub(super) const NOT_PORTABLE: CodeInfo = CodeInfo {
    title: "the runtimes make different things of this message",
    help: "write what all of them read alike; transcope lens shows what each delivers",
    explanation: "The same text gives other calls, other content or an error, depending on the runtime that serves \
        the model. It is reported when check is given --portable, or when the setting portable is on.",
    bad: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\nDone.",
    good: "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
};
