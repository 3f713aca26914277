#!/usr/bin/env python3
"""Puts recordings into the files of `tests/vectors/runtimes`, beside the outcomes of other releases.

    merge.py [--without-ids] FOLDER RECORDED.jsonl...

FOLDER has a file per dialect. A text that is in none of its lines is added at the end of its dialect's file, which is
made if there is none. An outcome is of the release of its row (`vllm@0.33.0:hermes`), which runtimes.yaml must have; it
joins one that is equal, and takes the place of what that release delivered when it was recorded before. Rows that are
in the files change nothing (nor does an error that says something else), and rows of inputs that are not ours (a
`source` other than `run` and `server`) are left out. A row of a server is kept as `server` where the parser alone delivers
something else; that has to be in the files before.

A text that was recorded in pieces, too, replaces the `streamed` outcome of its parser, or takes it away if the pieces
give the same as the whole.
"""

import argparse
import json
import pathlib

from vectors import Tools, case_of, is_equal, known_releases, named, outcome_of, release_of, says_more, written


class File:
    """A file of a dialect; lines that do not change keep their writing."""

    def __init__(self, path, tools, row):
        self.path, self.tools = path, tools
        if path.exists():
            self.lines = [[json.loads(line), line] for line in path.read_text().split("\n") if line]
        else:
            self.lines = [[{"tools": tools.named(tools.listed(row["schema"]))}, None]]
        self.usual = tools.listed(self.lines[0][0]["tools"])
        self.by_text = {}
        for entry in self.lines[1:]:
            line = entry[0]
            key = self.key(line["text"], tools.listed(line["tools"]) if "tools" in line else self.usual)
            self.by_text.setdefault(key, []).append(entry)

    def key(self, text, tools):
        return text, written(tools)

    def line(self, row, who, among):
        """The line of a row's text, of several the one that has an outcome of the parser; made if there is none."""
        tools = self.tools.listed(row["schema"])
        entries = self.by_text.setdefault(self.key(row["text"], tools), [])
        if not entries:
            line = {"case": case_of(row), "text": row["text"]}
            if written(tools) != written(self.usual):
                line["tools"] = self.tools.named(tools)
            entries.append([{**line, "outcomes": []}, None])
            self.lines.append(entries[0])
        for held_in in (among, "outcomes"):
            for entry in entries:
                if held_by(entry[0].get(held_in, []), who):
                    return entry
        return entries[0]

    def put(self, row, without_ids):
        """How many outcomes of the file a row changes."""
        who = row["runtime"], release_of(row), row["parser"]
        if row.get("source") == "server":
            return self.put_served(row, who)
        if row.get("stream"):
            return self.set("streamed", row, who, outcome_of(row, without_ids))
        changed = self.set("outcomes", row, who, outcome_of(row, without_ids))
        if row.get("in_pieces") == "equal":
            changed += self.set("streamed", row, who, None)
        return changed

    def put_served(self, row, who):
        known = self.by_text.get(self.key(row["text"], self.tools.listed(row["schema"])), [])
        alone = next(filter(None, (held_by(entry[0]["outcomes"], who) for entry in known)), None)
        if alone is None or row.get("stream"):
            return 0
        found = outcome_of(row)
        return self.set("server", row, who, None if is_equal(found, outcome_of(alone)) else found)

    def set(self, among, row, who, found):
        entry = self.line(row, who, among)
        line = entry[0]
        outcomes = put(line.get(among, []), who, found)
        if outcomes is None:
            return 0
        line[among], entry[1] = outcomes, None
        if not outcomes and among != "outcomes":
            del line[among]
        return 1

    def write(self):
        lines = [line if as_read is None else as_read for line, as_read in self.lines]
        self.path.write_text("".join((line if isinstance(line, str) else written(line)) + "\n" for line in lines))


def held_by(outcomes, who):
    """The outcome of a parser of a release."""
    return next((known for known in outcomes if any(named(name) == who for name in known["who"])), None)


def put(outcomes, who, found):
    """The outcomes with `found` as that of `who`, or with none if that is nothing; nothing if they are so already."""
    held = held_by(outcomes, who)
    if found is None and held is None:
        return None
    if found is not None and held is not None and not says_more(found, outcome_of(held)):
        return None
    if held is not None:
        held["who"] = [name for name in held["who"] if named(name) != who]
        outcomes = [known for known in outcomes if known["who"]]
    if found is None:
        return outcomes
    name = "{}@{}:{}".format(*who)
    for known in outcomes:
        if "wrong" not in known and written(outcome_of(known)) == written(found):
            known["who"].append(name)
            return outcomes
    return [*outcomes, {"who": [name], **found}]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--without-ids", action="store_true", help="the rows were recorded without the ids of calls")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("recorded", type=pathlib.Path, nargs="+")
    given = options.parse_args()
    tools, releases = Tools(given.folder), known_releases()
    files, changed = {}, {}
    for path in given.recorded:
        for row in (json.loads(line) for line in path.read_text().split("\n") if line):
            if row.get("source", "run") not in ("run", "server"):
                continue
            if release_of(row) not in releases.get(row["runtime"], []):
                raise SystemExit(f"{path}: {row['runtime']} {release_of(row)} is not in crates/syntax/src/runtime/runtimes.yaml")
            dialect = row["dialect"]
            if dialect not in files:
                files[dialect] = File(given.folder / f"{dialect}.jsonl", tools, row)
            changed[dialect] = changed.get(dialect, 0) + files[dialect].put(row, given.without_ids)
    for dialect, file in files.items():
        if changed[dialect]:
            file.write()
            print(f"{file.path}: {changed[dialect]} outcomes")
    if not any(changed.values()):
        print("nothing changes")


if __name__ == "__main__":
    main()
