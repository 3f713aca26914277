"""openai-harmony, as it is installed: its messages of a whole text, as the answer of a server."""

from tokenizer import HarmonyTokenizer


class Runtime:
    name = "harmony"

    def __init__(self, _folder, cache):
        self.tokenizer = HarmonyTokenizer(cache)
        from openai_harmony import Role

        self.role = Role.ASSISTANT

    def parsers(self):
        return ["openai-harmony"]

    def has(self, parser):
        return parser in self.parsers()

    def read(self, _parser, text, _tools):
        content, reasoning, calls = [], [], []
        ids = self.tokenizer.encode(text)
        for message in self.tokenizer.encoding.parse_messages_from_completion_tokens(ids, self.role):
            said = "".join(part.text for part in message.content)
            if message.recipient:
                name = message.recipient.removeprefix("functions.")
                calls.append({"name": name, "arguments": said})
            elif message.channel == "analysis":
                reasoning.append(said)
            else:
                content.append(said)
        return "\n".join(content), "\n".join(reasoning), calls
