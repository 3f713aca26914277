"""A tokenizer as a parser needs it: the markers of its dialect are tokens, all other text is words, digits and signs.

A parser asks a tokenizer for the ids of its markers, for the ids of a text and for the text of ids. None of that
depends on how a real tokenizer cuts the text between markers, apart from Harmony, which has its own (`harmony_ranks`).
"""

import ast
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile

# What looks like a marker in a parser's source: `<tool_call>`, `<｜tool▁sep｜>`, `[TOOL_CALLS]`, `<0x0A>`.
MARKER = re.compile(r"</?[^\s<>=/]+>|\[/?[A-Z][A-Z_]+\]")
STREAM = re.compile(r" ?[^\W\d_]+|\d{1,3}| ?[^\w\s]{1,3}|\s+|.", re.DOTALL)
TEMPLATES = pathlib.Path(__file__).with_name("templates.json")
HARMONY_HASH = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


class Tokenizer:
    is_fast = True
    chat_template = None
    unk_token_id = None

    def __init__(self, markers):
        self.markers = sorted(set(markers), key=lambda marker: (-len(marker), marker))
        self.texts = dict(enumerate(self.markers, start=100))
        self.ids = {text: number for number, text in self.texts.items()}
        pieces = [re.escape(marker) for marker in self.markers] + [r"[^\W\d_]+", r"\d{1,3}", r"\s", r"."]
        self.pattern = re.compile("|".join(pieces), re.DOTALL)
        self.marker = re.compile("(" + ("|".join(map(re.escape, self.markers)) or "(?!)") + ")")
        self.eos_token = "<eos>"
        self.eos_token_id = self.id_of(self.eos_token)
        self.all_special_tokens = list(self.markers)
        self.all_special_ids = [self.ids[marker] for marker in self.markers]

    def id_of(self, text):
        if text not in self.ids:
            number = 1000 + len(self.ids)
            self.ids[text] = number
            self.texts[number] = text
        return self.ids[text]

    def get_vocab(self):
        return {marker: self.ids[marker] for marker in self.markers}

    vocab = property(get_vocab)

    def __len__(self):
        return 100_000

    def encode(self, text, add_special_tokens=False, **_options):
        return [self.id_of(piece) for piece in self.pattern.findall(text)]

    def pieces(self, text):
        """A text as it comes in a stream: a marker, a word, up to three digits or signs, white space."""
        parts = self.marker.split(text)
        return [piece for part in parts for piece in ([part] if part in self.markers else STREAM.findall(part))]

    def tokenize(self, text, **_options):
        return self.pattern.findall(text)

    def decode(self, ids, skip_special_tokens=False, **_options):
        ids = [ids] if isinstance(ids, int) else ids
        return "".join(self.texts[i] for i in ids if not (skip_special_tokens and i in self.all_special_ids))

    def convert_tokens_to_ids(self, tokens):
        if isinstance(tokens, str):
            return self.ids.get(tokens)
        return [self.ids.get(token) for token in tokens]

    def convert_ids_to_tokens(self, ids, **_options):
        return self.texts[ids] if isinstance(ids, int) else [self.texts[i] for i in ids]

    def convert_tokens_to_string(self, tokens):
        return "".join(tokens)

    def apply_chat_template(self, *_messages, **_options):
        raise NotImplementedError("a stand-in has no chat template")

    def __call__(self, text, **_options):
        return {"input_ids": self.encode(text)}


def response_templates():
    """Response templates of checkpoints and of transformers' tests, by name."""
    return json.loads(TEMPLATES.read_text())


def markers_in_source(path):
    """The markers that a Python file names in its strings, apart from those in doc comments."""
    tree = ast.parse(pathlib.Path(path).read_text())
    others = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            others |= {id(entry.value) for entry in body if isinstance(entry, ast.Expr)}
        # A part of a longer marker is none.
        if isinstance(node, ast.JoinedStr):
            others |= {id(part) for part in node.values}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others:
            if MARKER.fullmatch(node.value):
                found.add(node.value)
    return found


def harmony_ranks(cache):
    """Let openai-harmony find the ranks of o200k without its server: they are in a package of npm, in another form."""
    file = cache / "o200k_base.tiktoken"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            pack = ["npm", "pack", "--silent", "js-tiktoken@1.0.21"]
            subprocess.run(pack, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            subprocess.run("tar xzf js-tiktoken*.tgz", shell=True, cwd=folder, check=True)
            text = pathlib.Path(folder, "package/dist/ranks/o200k_base.js").read_text()
        ranks = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]["bpe_ranks"]
        lines = []
        for line in ranks.split("\n"):
            _, first, *tokens = line.split(" ")
            lines += [f"{token} {int(first) + offset}\n" for offset, token in enumerate(tokens)]
        lines.sort(key=lambda line: int(line.rpartition(" ")[2]))
        content = "".join(lines).encode()
        if hashlib.sha256(content).hexdigest() != HARMONY_HASH:
            raise SystemExit("the ranks of o200k are not those that openai-harmony expects")
        assert base64.b64decode(lines[0].split(" ")[0])
        file.write_bytes(content)
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(cache)


class HarmonyTokenizer:
    """The tokenizer of gpt-oss."""

    def __init__(self, cache):
        harmony_ranks(cache)
        from openai_harmony import HarmonyEncodingName, load_harmony_encoding

        self.encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)

    def encode(self, text, **_options):
        return self.encoding.encode(text, allowed_special="all")

    def decode(self, ids, **_options):
        return self.encoding.decode(ids)

    def pieces(self, text):
        """A text as it comes in a stream, a token at a time; a sign of several tokens comes whole."""
        pieces, held = [], []
        for token in self.encode(text):
            held.append(token)
            piece = self.encoding.decode(held)
            if "\ufffd" not in piece:
                pieces.append(piece)
                held = []
        return pieces

    def get_vocab(self):
        names = ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"]
        return {name: self.encode(name)[0] for name in names}
