#!/usr/bin/env python3
"""Records what the parsers of one release of a runtime deliver for each text: `README.md` says how.

    record.py --runtime vllm --version 0.33.0 [--parser NAME]... TEXTS.jsonl... > OUT.jsonl

TEXTS is a file of `tests/vectors/runtimes` (its first line has the tools) or of recordings (each line has `text` and
`schema`); its name, or a row's `dialect`, is the dialect. A row of the output is one text in one parser: `expect`, or
`error` if the parser raised.
"""

import argparse
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import zipfile

from vectors import LONGEST, Tools, case_of, named, written

HERE = pathlib.Path(__file__).resolve().parent
# The distribution whose wheel is unpacked; the one of harmony is installed.
WHEELS = {"vllm": "vllm", "sglang": "sglang", "mlx-lm": "mlx_lm", "hf": "trl"}
MODULES = {"harmony": "of_harmony", "vllm": "of_vllm", "sglang": "of_sglang", "mlx-lm": "of_mlx", "hf": "of_hf"}
# Parsers that follow the template that comes with a checkpoint, and the templates for the dialects.
FOLLOWING = {"hf", "response_template"}
TEMPLATES = {
    "beam": "beam", "cohere-r7b": "cohere", "ernie45": "ernie", "gemma4": "gemma4", "harmony": "gpt-oss",
    "inkling": "inkling",
}  # fmt: skip
# Seconds after which a parser counts as hanging.
PATIENCE = 20


def unpacked(distribution, version, cache):
    """The folder with the Python files of a release; downloads its wheel if it is not in the cache."""
    folder = cache / f"{distribution}-{version}"
    if not folder.exists():
        wheels = cache / "wheels"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels)]
        found = list(wheels.glob(f"{distribution}-{version}-*.whl"))
        if not found:
            subprocess.run([*command, f"{distribution}=={version}"], check=True, stdout=sys.stderr)
            found = list(wheels.glob(f"{distribution}-{version}-*.whl"))
        with zipfile.ZipFile(found[0]) as wheel:
            names = [name for name in wheel.namelist() if not name.endswith(".so")]
            wheel.extractall(folder, names)
        found[0].unlink()
    return folder


def texts(path, runtime):
    """Each text of a file once: dialect, case, text, tools, and the parsers of the runtime that it has outcomes of."""
    usual, found, lists = None, {}, Tools(path.parent)
    for line in path.read_text().split("\n"):
        if not line:
            continue
        row = json.loads(line)
        if "text" not in row:
            usual = row.get("tools")
            continue
        dialect = row.get("dialect") or path.stem
        tools = lists.listed(row["schema"] if "schema" in row else row.get("tools", usual))
        who = {named(name) for outcome in row.get("outcomes", []) for name in outcome["who"]}
        who |= {(row.get("runtime"), None, row.get("parser"))}
        names = {parser for of, _, parser in who if of == runtime}
        key = (dialect, row["text"], written(tools))
        found.setdefault(key, (dialect, case_of(row), row["text"], tools, set()))[4].update(names)
    return found.values()


def as_schema(tools):
    """Tools in the form of a request."""
    return None if tools is None else [{"type": "function", "function": tool} for tool in tools]


def arguments(value, are_text):
    """A call's arguments: an object if that is what they are the text of, else what they are."""
    if isinstance(value, str) and are_text:
        try:
            read = json.loads(value)
        except ValueError:
            return value
        # Numbers that JSON lacks, as NaN, keep it a text.
        return read if isinstance(read, dict) and is_plain(read) else value
    return value if is_plain(value) else json.dumps(value, ensure_ascii=False)


def is_plain(value):
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def call_of(call, text, are_text):
    call = call if isinstance(call, dict) else call.model_dump()
    call_id = call.get("id")
    # An id that is not in the text is made up, at random.
    kept = call_id if isinstance(call_id, str) and call_id in text else None
    return {"name": call["name"], "arguments": arguments(call["arguments"], are_text), "id": kept}


class Hangs(Exception):
    pass


def outcome(read, parser, text, tools, are_text):
    """What is expected, or the error; None for both if that cannot be read."""

    def stop(_signal, _frame):
        raise Hangs(f"no answer within {PATIENCE} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        found = read(parser, text, tools)
        if found is None:
            return None, None
        content, reasoning, calls = found
        calls = [call_of(call, text, are_text) for call in calls or []]
        return {"content": content or None, "reasoning": reasoning or None, "calls": calls}, None
    except Exception as error:  # whatever a parser raises is its outcome
        return None, f"{type(error).__name__}: {str(error)[:LONGEST]}"
    finally:
        signal.alarm(0)


def is_other(row, expect, error):
    """Whether a streamed outcome is another than that of the whole text; white space around content is none."""
    if error is not None or row["error"] is not None:
        return (error is None) != (row["error"] is None)
    strip = lambda outcome: {**outcome, "content": (outcome["content"] or "").strip()}
    return written(strip(expect)) != written(strip(row["expect"]))


def recorded(runtime, given, parser, row, text, schema):
    """The row of a text in a parser, and one of the text in pieces if that is wanted and differs."""
    are_text = getattr(runtime, "arguments_are_text", True)
    follows = parser in FOLLOWING and row["dialect"] in TEMPLATES
    asked = f"{parser}+{TEMPLATES[row['dialect']]}" if follows else parser
    expect, error = outcome(runtime.read, asked, text, schema, are_text)
    # The files of outcomes have vLLM's tool parsers alone.
    source = "run" if runtime.name != "vllm" or given.tool_parser_only else "server"
    source += f"+{given.reasoning_parser}" if given.reasoning_parser else ""
    row |= {
        "runtime": runtime.name, "version": getattr(runtime, "version", given.version), "parser": parser,
        "source": source, "text": text, "schema": schema, "expect": expect, "error": error,
    }  # fmt: skip
    if not given.streamed:
        return [row]
    row["stream"] = False
    expect, error = outcome(runtime.read_streamed, asked, text, schema, are_text)
    if not expect and not error:
        return [row]
    if not is_other(row, expect, error):
        return [{**row, "in_pieces": "equal"}]
    return [row, {**row, "id": row["id"] + "/stream", "expect": expect, "error": error, "stream": True}]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runtime", required=True, choices=MODULES)
    options.add_argument("--version", required=True)
    options.add_argument("--parser", action="append", default=[], help="default: those that the text's file names")
    options.add_argument("--tool-parser-only", action="store_true", help="vLLM: not through its serving layer")
    options.add_argument("--streamed", action="store_true", help="vLLM: also what differs when the text is streamed")
    options.add_argument("--reasoning-parser", help="vLLM: the reasoning parser that runs before the tool parser")
    options.add_argument("--cache", type=pathlib.Path, default=pathlib.Path.home() / ".cache/transcope-record")
    options.add_argument("--into", type=pathlib.Path, help="a folder for a file per parser, instead of one output")
    options.add_argument("--list", action="store_true", help="only list the parsers of the release")
    options.add_argument("texts", nargs="*", type=pathlib.Path)
    given = options.parse_args()

    # What is imported may print; the output is for rows alone.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, str(HERE))
    module = importlib.import_module(MODULES[given.runtime])
    distribution = WHEELS.get(given.runtime)
    folder = unpacked(distribution, given.version, given.cache) if distribution else None
    settings = {}
    if given.runtime == "vllm":
        settings = {"alone": given.tool_parser_only, "reasoning": given.reasoning_parser}
    runtime = module.Runtime(folder, given.cache, **settings)
    if given.list:
        print("\n".join(runtime.parsers()), file=output)
        return
    by_parser, lacking = {}, set()
    for path in given.texts:
        for dialect, case, text, tools, known in texts(path, runtime.name):
            for parser in given.parser or sorted(known):
                if runtime.has(parser):
                    row = {"id": f"{dialect}/{runtime.name}/{parser}/{case}", "dialect": dialect}
                    rows = recorded(runtime, given, parser, row, text, as_schema(tools))
                    by_parser.setdefault(parser, []).extend(rows)
                else:
                    lacking.add(parser)
    if lacking:
        names = ", ".join(sorted(lacking))
        print(f"{runtime.name} {given.version} has no parser {names} that can be recorded", file=sys.stderr)
    version = getattr(runtime, "version", given.version)
    if given.into:
        given.into.mkdir(parents=True, exist_ok=True)
    for parser, rows in by_parser.items():
        if len(rows) > 1 and all(row["error"] for row in rows):
            print(f"{parser} fails on every text, the first time with {rows[0]['error']}", file=sys.stderr)
        rows = [written(row) + "\n" for row in rows]
        if given.into:
            file = given.into / f"{runtime.name}-{version}-{parser}.jsonl"
            part = file.with_suffix(".part")
            part.write_text("".join(rows))
            part.replace(file)
        else:
            output.writelines(rows)
    output.flush()


if __name__ == "__main__":
    main()
