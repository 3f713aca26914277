"""vLLM's parsers of one release, out of its wheel.

Two paths: through the serving layer, as a client of the server gets it (`ParserManager` and its `parse`), or the tool
parser alone (`alone`), whose content still has the thinking. Names of parsers beside those of vLLM:
`engine-NAME` is the parser of reasoning and calls together, `NAME_pre11` Mistral's with the tokenizer of before 2025,
`hf+NAME` the one for response templates with the template NAME of `templates.json`; with no NAME, that of the text's
dialect.
"""

import importlib
import inspect
import sys
import uuid

import standin
from tokenizer import HarmonyTokenizer, Tokenizer, markers_in_source, response_templates

# Not needed for parsing, and heavy, compiled or bound to a device.
STAND_IN = [
    "torch", "xgrammar", "triton", "zmq", "vllm.env_override", "vllm.config", "vllm.platforms", "vllm.v1",
    "vllm.outputs", "vllm.utils.torch_utils", "vllm.utils.mistral", "vllm.renderers", "vllm.tokenizers",
    "vllm.inputs", "vllm.logprobs", "vllm.multimodal", "vllm.distributed", "vllm.sampling_params",
    "vllm.model_executor", "vllm.entrypoints.chat_utils",
]  # fmt: skip
# Parsers that follow the template that comes with the tokenizer.
TEMPLATES = {"hf", "beam"}
HARMONY = {"harmony", "openai"}
UNIFIED_ONLY = {"nemotron_v3"}
UNIFIED = {"qwen3": "qwen3", "glm47": "glm47_moe"}
HUNYUAN_NAMES = ["think", "tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value"]
HUNYUAN = {f"<{slash}{name}>" for name in HUNYUAN_NAMES for slash in ("", "/")}
# Markers that a parser looks for in the vocabulary and that its source does not spell out.
MORE_MARKERS = {
    "mistral": {"[TOOL_CALLS]", "[ARGS]", "[THINK]", "[/THINK]"},
    "ernie45": {"<0x0A>"},
    "engine-gemma4": {"<eos>"},
    "minicpm5": {"<function", "<param", "</param>"},
    "hy_v3": HUNYUAN,
    "hy_v4": HUNYUAN,
}
# Parsers tell calls apart by their ids, so each has another.
CALL_IDS = {
    "make_tool_call_id": lambda id_type="random", func_name=None, idx=None: f"chatcmpl-tool-{uuid.uuid4().hex}",
    "get_tool_call_id_type": lambda _config: "random",
}


class Runtime:
    name = "vllm"

    def __init__(self, folder, cache, alone=False, reasoning=None):
        self.cache, self.alone, self.reasoning = cache, alone, reasoning
        sys.path.insert(0, str(folder))
        chat = {"vllm__renderers__chat_utils": CALL_IDS, "vllm__entrypoints__chat_utils": CALL_IDS}
        standin.install(STAND_IN, **chat)
        import logging

        logging.disable(logging.CRITICAL)
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        try:
            from vllm.entrypoints.generate.base.protocol import DeltaMessage
        except ImportError:
            from vllm.entrypoints.openai.engine.protocol import DeltaMessage
        from vllm.parser import ParserManager
        from vllm.tool_parsers import ToolParser, ToolParserManager

        self.request, self.manager = ChatCompletionRequest, ParserManager
        self.tool_parser, self.tools = ToolParser, ToolParserManager
        self.tokenizers, self.nothing = {}, DeltaMessage()

    def parsers(self):
        return self.tools.list_registered()

    def has(self, parser):
        """Whether the release has a parser, in Python: what is compiled is not in the folder."""
        try:
            made, _ = self.made(parser)
        except (ImportError, KeyError, TypeError, StopIteration):
            return False
        parts = [*made.__mro__, *(getattr(made, "tool_parser_cls", None) or object).__mro__]
        return all(part.__name__ != "RustToolParser" for part in parts)

    def made(self, parser):
        """The class of a parser, and whether it is one of the serving layer."""
        name = parser.removesuffix("_pre11").partition("+")[0]
        if name in TEMPLATES:
            return self.manager.get_parser(name, name, enable_auto_tools=True), True
        if parser.startswith("engine-") or parser in UNIFIED_ONLY:
            return self.unified(parser.removeprefix("engine-")), True
        if parser in HARMONY:
            return self.manager.get_parser("openai", "openai_gptoss", enable_auto_tools=True, is_harmony=True), True
        made = self.tools.get_tool_parser(name)
        # Some tool parsers are only a name for a parser of the serving layer.
        if not self.alone or made.extract_tool_calls is self.tool_parser.extract_tool_calls:
            return self.manager.get_parser(name, self.reasoning, enable_auto_tools=True), True
        return made, False

    def read(self, parser, text, tools):
        """Content, reasoning and calls that the parser delivers."""
        request = self.request(model="m", messages=[], tools=tools or None)
        made, served = self.made(parser)
        tokenizer = self.tokenizer(parser, made)
        if served:
            reasoning, content, calls = made(tokenizer, request.tools).parse(
                text, request, enable_auto_tools=True, model_output_token_ids=tokenizer.encode(text)
            )
            # Its id is left out when a call is dumped.
            calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls or []]
            return content, reasoning, calls
        found = made(tokenizer, request.tools).extract_tool_calls(text, request)
        calls = [{"id": call.id, **call.function.model_dump()} for call in found.tool_calls or []]
        return found.content, None, calls

    def read_streamed(self, parser, text, tools):
        """The same when the text comes in pieces."""
        request = self.request(model="m", messages=[], tools=tools or None)
        made, served = self.made(parser)
        tokenizer = self.tokenizer(parser, made)
        deltas = self.deltas_served if served else self.deltas_alone
        content, reasoning, calls = "", "", {}
        for delta in deltas(made(tokenizer, request.tools), tokenizer, text, request):
            content += delta.content or ""
            reasoning += (served and delta.reasoning) or ""
            for part in delta.tool_calls or []:
                call = calls.setdefault(part.index, {"id": None, "name": "", "arguments": ""})
                call["id"] = call["id"] or part.id
                if part.function:
                    call["name"] += part.function.name or ""
                    call["arguments"] += part.function.arguments or ""
        return content, reasoning, [calls[index] for index in sorted(calls)]

    def deltas_alone(self, parser, tokenizer, text, request):
        before, ids, delta = "", [], None
        for piece in tokenizer.pieces(text):
            new = [tokenizer.id_of(piece)]
            after = (before + piece, piece, ids, ids + new, new)
            delta = parser.extract_tool_calls_streaming(before, *after, request)
            before, ids = before + piece, ids + new
            yield delta or self.nothing
        # The server adds what is left of the arguments to a call in the last piece.
        if delta is not None and delta.tool_calls and delta.tool_calls[-1].function:
            delta.content = None
            delta.tool_calls = [delta.tool_calls[-1]]
            delta.tool_calls[0].function.name = None
            delta.tool_calls[0].function.arguments = parser.get_remaining_unstreamed_args()
            yield delta
        if hasattr(parser, "finish_streaming"):
            yield parser.finish_streaming() or self.nothing

    def deltas_served(self, parser, tokenizer, text, request):
        pieces = tokenizer.pieces(text)
        for number, piece in enumerate(pieces, start=1):
            ids = tokenizer.encode(piece)
            last = number == len(pieces)
            yield parser.parse_delta(piece, ids, request, prompt_token_ids=[], finished=last) or self.nothing

    def unified(self, name):
        module = importlib.import_module("vllm.parser." + UNIFIED.get(name, name))
        made = [item for item in vars(module).values() if inspect.isclass(item) and item.__module__ == module.__name__]
        return next(item for item in made if item.__name__.endswith("Parser"))

    def tokenizer(self, parser, made):
        """The tokenizer with the markers of the modules that the parser is written in."""
        if parser in HARMONY and parser not in self.tokenizers:
            self.tokenizers[parser] = HarmonyTokenizer(self.cache)
        if parser not in self.tokenizers:
            markers = set()
            parts = [made]
            for name in ("tool_parser_cls", "reasoning_parser_cls"):
                parts.append(getattr(made, name, None) or object)
            parts += [getattr(part, "_parser_engine_cls", object) for part in parts]
            for part in [base for part in parts for base in part.__mro__]:
                if part.__module__.startswith("vllm.") and not part.__module__.endswith("utils"):
                    markers |= markers_in_source(sys.modules[part.__module__].__file__)
            markers |= MORE_MARKERS.get(parser, set())
            if parser.endswith("_pre11"):
                markers = {"[TOOL_CALLS]"}
            self.tokenizers[parser] = Tokenizer(markers)
            name, _, template = parser.partition("+")
            if name in TEMPLATES:
                self.tokenizers[parser].response_template = response_templates()[template or name]
        return self.tokenizers[parser]
