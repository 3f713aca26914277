"""Response templates of transformers: those that TRL ships, and those of checkpoints and of transformers' own tests.

The version is TRL's; transformers is the one that is installed, since its tokenizer and its hub client are libraries of
their own. A parser has the name of its template: `trl-NAME` is `NAME_template` of TRL (what follows a `+` only says
that the texts end as that template needs), any other is in `templates.json`.
"""

import sys

import standin
from tokenizer import response_templates

STAND_IN = ["torch", "accelerate", "datasets", "PIL", "trl.data_utils"]


class Runtime:
    name = "hf"
    # They are values, not the text of JSON.
    arguments_are_text = False

    def __init__(self, folder, _cache):
        sys.path.insert(0, str(folder))
        standin.install(STAND_IN)
        # TRL itself wants its whole world; its templates are in one module.
        package = type(sys)("trl")
        package.__path__ = [str(folder / "trl")]
        sys.modules["trl"] = package
        import transformers
        import trl.chat_template_utils as trl
        from transformers.utils.chat_parsing import parse_response

        self.parse = parse_response
        self.templates = response_templates()
        for name, value in vars(trl).items():
            if name.endswith("_template") and isinstance(value, dict):
                self.templates["trl-" + name.removesuffix("_template")] = value
        release = folder.name.rpartition("-")[2]
        self.version = f"{transformers.__version__}+trl{release}"

    def parsers(self):
        return sorted(self.templates)

    def has(self, parser):
        return parser.partition("+")[0] in self.templates

    def read(self, parser, text, tools):
        message = self.parse(text, self.templates[parser.partition("+")[0]], prefix="", tools=tools)
        calls = []
        for call in message.get("tool_calls") or []:
            function = call["function"]
            # A template that hands an object on whole may have it under another name.
            values = function.get("arguments", function.get("parameters"))
            calls.append({"name": function.get("name"), "arguments": values})
        return message.get("content"), message.get("thinking") or message.get("reasoning_content"), calls
