#!/usr/bin/env python3
"""Merges recorded outcomes into the vectors of a dialect.

    merge.py --into tests/vectors/runtimes/hermes.jsonl [--without-ids] [--replace] ROWS.jsonl…

A row is one outcome, as record.py writes it: `id`, `runtime`, `version`, `parser`, `text`, `schema`, `expect` (null where the
parser raised) and `error`. Vectors have a line for each text and an outcome for each group of parsers that deliver the same.
A list of tools that `runtime-tools.json` beside their folder has is written as its name there.
Rows that are in the vectors already change nothing. Rows of inputs that are not ours (a `source` other than `run`) are left out.
"""

import argparse
import json
import pathlib

VERSION_OF_ROWS = {
    "llama.cpp": "python-0.3.36",
    "hf": "5.23.0+trl1.16.0",
}


class Tools:
    """Lists of tools by name."""

    def __init__(self, path):
        self.lists = json.loads(path.read_text())

    def named(self, tools):
        """The name of a list, or the list."""
        return next((name for name, known in self.lists.items() if known == tools), tools)


def key_of(text, tools):
    return text, json.dumps(tools, sort_keys=True)


def outcome_of(row, without_ids):
    """The outcome of a row as vectors have it: absent members are empty."""
    expected = row.get("expect")
    if expected is None:
        return {"error": (row.get("error") or "raised").splitlines()[0][:200]}
    out = {name: expected[name] for name in ("content", "reasoning") if expected.get(name)}
    calls = []
    for call in expected.get("calls") or []:
        kept = {"name": call.get("name"), "arguments": call.get("arguments")}
        if call.get("id") is not None:
            kept["id"] = call["id"]
        calls.append(kept)
    if calls:
        out["calls"] = calls
    if without_ids and calls:
        out["ids"] = False
    return out


def is_same(known, outcome):
    """True if an outcome of a line is this, whoever delivered it. 2 and 2.0 differ, which Python's comparison does not see."""
    return json.dumps({name: value for name, value in known.items() if name != "who"}) == json.dumps(outcome)


def who_of(row):
    version = VERSION_OF_ROWS.get(row["runtime"], row["version"])
    return f"{row['runtime']}@{version}:{row['parser']}"


def add(lines, shared, row, tools, without_ids, replace):
    """Adds an outcome to the line of its text; True if it is new."""
    schema = tools.named(row["schema"])
    key = key_of(row["text"], schema)
    line = lines.get(key)
    if line is None:
        case = row["id"].split("/")[-1]
        line = lines[key] = {"case": case, "text": row["text"], "outcomes": []}
        if schema != shared:
            line["tools"] = schema
    who, outcome = who_of(row), outcome_of(row, without_ids)
    held = next((known for known in line["outcomes"] if who in known["who"]), None)
    if held is not None:
        if not replace or is_same(held, outcome):
            return False
        held["who"].remove(who)
        line["outcomes"] = [known for known in line["outcomes"] if known["who"]]
    for known in line["outcomes"]:
        if is_same(known, outcome):
            known["who"].append(who)
            return True
    line["outcomes"].append({"who": [who], **outcome})
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=pathlib.Path, required=True)
    parser.add_argument("--without-ids", action="store_true", help="the rows have no ids of calls")
    parser.add_argument("--replace", action="store_true", help="a new outcome takes the place of an old one")
    parser.add_argument("rows", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    written = args.into.read_text().strip("\n").split("\n") if args.into.exists() else ['{"tools": []}']
    head, *rest = (json.loads(line) for line in written)
    shared = head["tools"]
    lines = {}
    for line in rest:
        lines[key_of(line["text"], line.get("tools", shared))] = line
    added, tools = 0, Tools(args.into.parent.parent / "runtime-tools.json")
    for path in args.rows:
        for row in map(json.loads, path.read_text().strip("\n").split("\n")):
            if row.get("source", "run") == "run":
                added += add(lines, shared, row, tools, args.without_ids, args.replace)
    with args.into.open("w") as out:
        for line in [head, *lines.values()]:
            print(json.dumps(line, ensure_ascii=False), file=out)
    print(f"{args.into}: {added} outcomes added, {len(lines)} texts")


if __name__ == "__main__":
    main()
