"""mlx-lm's server of one release: its own handler of a completion around the parser of calls of a dialect.

What the handler needs of the model is made here: a generator that gives the text in tokens, and a tokenizer with the
markers of thinking that the dialect's models have. The prompt does not open thinking.
"""

import importlib
import io
import json
import sys

import standin
from tokenizer import Tokenizer

STAND_IN = ["mlx", "mlx_lm.models", "mlx_lm.utils", "mlx_lm.processors", "mlx_lm.sample_utils", "mlx_lm.convert"]
THINK = {"<think>", "</think>"}
# The tokens by which the server knows that a model thinks; a parser that is not here has models that do.
THINKING = {
    "function_gemma": set(),
    "gemma4": {"<|channel>", "<channel|>"},
    "kimi_k3": {"<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"},
    "longcat": {"<longcat_think>", "</longcat_think>"},
    "mistral": set(),
    "muse_spark": set(),
}
# Parsers whose models have a template of mlx-lm's, which may say more of how an answer is laid out.
TEMPLATES = {"muse_spark": "muse_spark"}


class Runtime:
    name = "mlx-lm"

    def __init__(self, folder, _cache):
        self.folder = folder
        sys.path.insert(0, str(folder))
        standin.install(STAND_IN)
        import logging

        logging.disable(logging.CRITICAL)
        import mlx_lm.server as server
        from mlx_lm.generate import make_text_state_machine
        from mlx_lm.tokenizer_utils import TokenizerWrapper

        self.server, self.state_machine, self.wrapper = server, make_text_state_machine, TokenizerWrapper

    def parsers(self):
        names = sorted(path.stem for path in (self.folder / "mlx_lm/tool_parsers").glob("*.py"))
        return [name for name in names if name != "__init__"]

    def has(self, parser):
        return parser in self.parsers()

    def read(self, parser, text, tools):
        module = importlib.import_module("mlx_lm.tool_parsers." + parser)
        more = {}
        if parser in TEMPLATES:
            template = importlib.import_module("mlx_lm.chat_templates." + TEMPLATES[parser])
            more = {"response_format": getattr(template, "RESPONSE_FORMAT", None)}
        calls = {module.tool_call_start, module.tool_call_end} - {""}
        tokens = Tokenizer(THINKING.get(parser, THINK) | calls)
        tokenizer = self.wrapper(
            tokens,
            lambda _tokenizer: None,
            tool_call_start=module.tool_call_start,
            tool_call_end=module.tool_call_end,
            tool_parser=module.parse_tool_call,
            **more,
        )
        context = self.server.GenerationContext(
            has_tool_calling=True,
            has_thinking=tokenizer.has_thinking,
            tool_parser=module.parse_tool_call,
            text_sm=self.state_machine(tokenizer, []),
            initial_state=getattr(tokenizer, "response_initial_state", None) or "normal",
            prompt=[],
        )
        # A text that ends within a marker has been cut: then the server delivers what it has held back.
        pieces = [self.server.Response(piece, 0, 0.0, None, ()) for piece in tokens.tokenize(text)]
        pieces.append(self.server.Response("", 0, 0.0, "length", ()))
        message = self.complete(context, pieces, tools)["choices"][0]["message"]
        calls = [{"id": call["id"], **call["function"]} for call in message.get("tool_calls") or []]
        return message["content"], message.get("reasoning"), calls

    def complete(self, context, pieces, tools):
        """The answer of the server's own handler."""

        class Handler(self.server.APIHandler):
            """A handler without a connection; settings of sampling that it asks for are not set."""

            object_type, request_id, created, stream, top_logprobs = "chat.completion", "r", 0, False, 0

            def __init__(self):
                self.wfile = io.BytesIO()

            def __getattr__(self, _name):
                return None

            def send_header(self, *_header):
                pass

            def end_headers(self):
                pass

            def _set_completion_headers(self, _status):
                pass

        class Generator:
            def generate(self, *_args, **_options):
                return context, iter(pieces)

        handler = Handler()
        handler.response_generator = Generator()
        handler.handle_completion(self.server.CompletionRequest("chat", "", [], tools, None), [])
        return json.loads(handler.wfile.getvalue())
