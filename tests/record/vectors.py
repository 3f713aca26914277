"""The form of `tests/vectors/runtimes` and of recordings: who delivered something, with which tools, and outcomes."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of an error, so many characters of its first line are kept.
LONGEST = 200
# Other writings of a release, and how runtimes.yaml has it.
WRITINGS = [(r"transformers (\S+) \+ trl (\S+)", r"\1+trl\2"), (r"llama-cpp-python (\S+)", r"python-\1"),
            (r"(?:tool-parser|dynamo-parsers) (\S+)", r"\1"), (r"(?:tabbyAPI )?(\w+) \([-0-9]+\)", r"\1")]


def first_releases():
    """By runtime, the release of outcomes that name none."""
    source = (ROOT / "tests/corpus/conformance.rs").read_text()
    listed = re.search(r"const FIRST:.*?= \[(.*?)\];", source, re.DOTALL)
    return dict(re.findall(r'\("([^"]+)", "([^"]+)"\)', listed[1]))


def known_releases():
    """By runtime, the releases that runtimes.yaml names."""
    source = (ROOT / "crates/syntax/src/runtime/runtimes.yaml").read_text()
    listed = re.findall(r"^(\S+):\n  releases: \[(.*?)\]", source, re.MULTILINE)
    return {runtime: [named.split()[0] for named in releases.split(",")] for runtime, releases in listed}


FIRST = first_releases()


def named(who):
    """Runtime, release and parser of a name in `who`."""
    runtime, parser = who.split(":", 1)
    runtime, _, release = runtime.partition("@")
    return runtime, release or FIRST.get(runtime), parser


def release_of(row):
    """The release of a recorded row, as runtimes.yaml names it."""
    version = row.get("version") or FIRST.get(row["runtime"])
    for writing, ours in WRITINGS:
        version = re.sub(f"^{writing}$", ours, version)
    return version


def case_of(row):
    return row.get("case") or row["id"].removesuffix("/stream").split("/", 3)[-1]


def bare(tools):
    """Tools without the frame of a request."""
    return None if tools is None else [tool.get("function", tool) for tool in tools]


def written(value):
    """JSON in which the order of keys and 2 and 2.0 differ."""
    return json.dumps(value, ensure_ascii=False)


class Tools:
    """The lists of tools that have a name, for the files of a folder."""

    def __init__(self, folder):
        beside = folder.resolve().parent / "runtime-tools.json"
        path = beside if beside.exists() else ROOT / "tests/vectors/runtime-tools.json"
        self.lists = {name: bare(tools) for name, tools in json.loads(path.read_text()).items()}

    def listed(self, tools):
        """The bare list of tools or of their name."""
        return self.lists[tools] if isinstance(tools, str) else bare(tools)

    def named(self, tools):
        """The name of a bare list, or the list."""
        return next((name for name, known in self.lists.items() if written(known) == written(tools)), tools)


def error_of(message):
    return ((message or "raised").splitlines() or ["raised"])[0][:LONGEST]


def outcome_of(found, without_ids=False):
    """An outcome, of a row or of a line, as the files have it: what is empty is left out."""
    expect = found["expect"] if "expect" in found else found
    if expect is None or "error" in expect:
        return {"error": error_of(found.get("error"))}
    out = {key: expect[key] for key in ("content", "reasoning") if expect.get(key)}
    with_ids = expect.get("ids") is not False and not without_ids
    calls = []
    for call in expect.get("calls") or []:
        kept = {"name": call.get("name"), "arguments": call.get("arguments")}
        if with_ids and call.get("id") is not None:
            kept["id"] = call["id"]
        calls.append(kept)
    if calls:
        out["calls"] = calls
        if not with_ids:
            out["ids"] = False
    return out


def says_more(outcome, other):
    """True if an outcome is another than the known one, or has ids where that was recorded without."""
    if written(outcome) == written(other) or "error" in outcome and "error" in other:
        return False
    if "ids" in outcome or "ids" in other:
        has_ids = "ids" in other and any("id" in call for call in outcome["calls"])
        return has_ids or written(outcome_of(outcome, True)) != written(outcome_of(other, True))
    return True


def is_equal(outcome, other):
    """True if two outcomes are equal; ids count if both were recorded with them, of errors only that they are."""
    if "error" in outcome or "error" in other:
        return "error" in outcome and "error" in other
    without = "ids" in outcome or "ids" in other
    return written(outcome_of(outcome, without)) == written(outcome_of(other, without))
