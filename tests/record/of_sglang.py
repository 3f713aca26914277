"""SGLang's detectors of one release, through the parser that its server calls for a whole text.

A text of gpt-oss goes through the reasoning parser first, as in the server. An exception is recorded as one; the server
logs it and hands the text on. `response_template+NAME` has the template NAME of `templates.json`; with no NAME, that of
the text's dialect.
"""

import inspect
import logging
import sys

import standin
from tokenizer import MARKER, Tokenizer, response_templates

STAND_IN = [
    "torch", "xgrammar", "triton", "zmq", "sglang.srt.utils.common", "sglang.srt.utils.hf_transformers_patches",
    "sglang.utils", "sglang.lang", "sglang.jit_kernel",
]  # fmt: skip


class Runtime:
    name = "sglang"

    def __init__(self, folder, _cache):
        sys.path.insert(0, str(folder))
        standin.install(STAND_IN)
        from sglang.srt.entrypoints.openai.protocol import Tool
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        logging.disable(logging.CRITICAL)
        self.tool, self.parser = Tool, FunctionCallParser

    def parsers(self):
        return sorted(self.parser.ToolCallParserEnum)

    def has(self, parser):
        return parser.partition("+")[0] in self.parser.ToolCallParserEnum

    def read(self, parser, text, tools):
        tools = [self.tool.model_validate(tool) for tool in tools or []]
        reasoning = None
        if parser == "gpt-oss":
            from sglang.srt.parser.reasoning_parser import ReasoningParser

            reasoning, text = ReasoningParser("gpt-oss", stream_reasoning=False).parse_non_stream(text)
        name = parser.partition("+")[0]
        made = self.parser(tools, name, tokenizer=self.tokenizer(parser))
        content, found = made.parse_non_stream(text or "")
        calls = [{"id": None, "name": call.name, "arguments": call.parameters} for call in found]
        return content, reasoning, calls

    def tokenizer(self, parser):
        name, _, template = parser.partition("+")
        source = inspect.getsource(sys.modules[self.parser.ToolCallParserEnum[name].__module__])
        made = Tokenizer(set(MARKER.findall(source)))
        if template:
            made.response_template = response_templates()[template]
        return made
