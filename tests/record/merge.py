#!/usr/bin/env python3
"""Puts recordings into the files of `tests/vectors/runtimes`: the outcomes of a parser take the place of its old ones.

    merge.py FOLDER RECORDED.jsonl...

FOLDER has a file per dialect. A text that is in none of its lines is added at the end of its dialect's file, which is
made if there is none. Outcomes of other parsers stay. A recording that was streamed, too, replaces the
`streamed` outcomes of its parser, and a text that has none any more loses what it had.
"""

import json
import pathlib
import sys


def outcome(row):
    """What a row recorded, in the form of the files: what is empty is left out."""
    if row["error"] is not None:
        return {"error": row["error"]}
    kept = {key: row["expect"][key] for key in ("content", "reasoning") if row["expect"][key]}
    calls = [{key: value for key, value in call.items() if key != "id" or value} for call in row["expect"]["calls"]]
    return {**kept, "calls": calls} if calls else kept


def bare(schema):
    """Tools in the form of the files."""
    return None if schema is None else [tool["function"] for tool in schema]


def without_who(known):
    return {key: value for key, value in known.items() if key != "who"}


def put(outcomes, who, found):
    """Lets `who` have the outcome `found` and no other; none if that is nothing."""
    if any(who in known["who"] and without_who(known) == found for known in outcomes):
        return outcomes
    for known in outcomes:
        known["who"] = [name for name in known["who"] if name != who]
    outcomes = [known for known in outcomes if known["who"]]
    if found is None:
        return outcomes
    for known in outcomes:
        if without_who(known) == found:
            known["who"].append(who)
            return outcomes
    return [*outcomes, {"who": [who], **found}]


def put_streamed(line, who, found):
    streamed = put(line.pop("streamed", []), who, found)
    if streamed:
        line["streamed"] = streamed


def main():
    folder = pathlib.Path(sys.argv[1])
    files = {}
    for path in sys.argv[2:]:
        rows = [json.loads(text) for text in pathlib.Path(path).read_text().split("\n") if text]
        streamed = {(row["id"].removesuffix("/stream"), row["text"]) for row in rows if row.get("stream")}
        for row in rows:
            dialect = row["dialect"]
            if dialect not in files:
                file = folder / f"{dialect}.jsonl"
                lines = file.read_text().split("\n") if file.exists() else [json.dumps({"tools": bare(row["schema"])})]
                files[dialect] = [json.loads(line) for line in lines if line]
            lines = files[dialect]
            tools, case = bare(row["schema"]), row["id"].removesuffix("/stream").split("/", 3)[-1]
            who = f"{row['runtime']}:{row['parser']}"
            usual = lines[0]["tools"]
            of_text = (line for line in lines[1:] if (line["text"], line.get("tools", usual)) == (row["text"], tools))
            line = next(of_text, None)
            if line is None:
                line = {"case": case, "text": row["text"], "outcomes": []}
                if tools != lines[0]["tools"]:
                    line = {"case": case, "text": row["text"], "tools": tools, "outcomes": []}
                lines.append(line)
            if row.get("stream"):
                put_streamed(line, who, outcome(row))
                continue
            line["outcomes"] = put(line["outcomes"], who, outcome(row))
            if "stream" in row and (row["id"], row["text"]) not in streamed:
                put_streamed(line, who, None)
    for dialect, lines in files.items():
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{dialect}.jsonl").write_text(written)


if __name__ == "__main__":
    main()
