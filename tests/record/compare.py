#!/usr/bin/env python3
"""Compares recordings with known ones: by parser, how many outcomes are equal, and the smallest text that is not.

    compare.py [--with RELEASE] [--without-ids] KNOWN.jsonl... -- RECORDED.jsonl...

KNOWN and RECORDED are recordings or files of `tests/vectors/runtimes`. An outcome is compared with the one of the same
dialect, runtime, parser, text and tools, and of the same release or, to see what moved, of the release RELEASE. Errors
are equal whatever they say; ids are compared where both outcomes were recorded with them; outcomes that are known to be
`wrong` are left out.
"""

import collections
import json
import pathlib
import sys

from vectors import Tools, is_equal, named, outcome_of, release_of, written

IN_PIECES = " in pieces"


def outcomes(path, without_ids=False):
    """Each outcome of a file: dialect, runtime, release and parser, text and tools; and what was delivered."""
    path, usual = pathlib.Path(path), None
    lists = Tools(path.parent)
    for line in path.read_text().split("\n"):
        row = json.loads(line) if line else {}
        if "text" not in row:
            usual = row.get("tools", usual)
        elif "outcomes" in row:
            key = row["text"], written(lists.listed(row.get("tools", usual)))
            for kind, mark in (("outcomes", ""), ("streamed", IN_PIECES)):
                for outcome in row.get(kind, []):
                    for runtime, release, parser in map(named, outcome["who"]):
                        if "wrong" not in outcome:
                            yield (path.stem, runtime, release, parser + mark, *key), outcome_of(outcome)
        else:
            key = row["text"], written(lists.listed(row["schema"]))
            who, outcome = (row["dialect"], row["runtime"], release_of(row)), outcome_of(row, without_ids)
            if not row.get("stream"):
                yield (*who, row["parser"], *key), outcome
            if row.get("stream") or row.get("in_pieces") == "equal":
                yield (*who, row["parser"] + IN_PIECES, *key), outcome


def shown(outcome):
    if "error" in outcome:
        return "error: " + outcome["error"]
    return json.dumps(outcome, ensure_ascii=False)[:600] if outcome else "nothing"


def options():
    """What is given: the release to compare with, whether recordings have no ids, known files and recorded ones."""
    given, release, without_ids = sys.argv[1:], None, False
    while given and given[0] in ("--with", "--without-ids"):
        if given.pop(0) == "--with":
            release = given.pop(0)
        else:
            without_ids = True
    if "--" not in given:
        raise SystemExit(__doc__)
    at = given.index("--")
    return release, without_ids, given[:at], given[at + 1 :]


def main():
    release, without_ids, known_files, recorded_files = options()
    recorded = collections.defaultdict(list)
    for path in recorded_files:
        for (dialect, runtime, of, *rest), outcome in outcomes(path, without_ids):
            recorded[(dialect, runtime, release or of, *rest)].append((of, outcome))
    # By dialect, runtime, the two releases and the parser: how many are equal, of how many, and an example.
    counts = collections.defaultdict(lambda: [0, 0, None])
    for path in known_files:
        for key, known in outcomes(path):
            for of, new in recorded.get(key, [])[:1]:
                dialect, runtime, before, parser, text, _tools = key
                count = counts[(dialect, runtime, before, of, parser)]
                count[1] += 1
                if is_equal(known, new):
                    count[0] += 1
                elif count[2] is None or len(text) < len(count[2][0]):
                    count[2] = (text, known, new)
    same, of = sum(count[0] for count in counts.values()), sum(count[1] for count in counts.values())
    if not of:
        raise SystemExit("no outcome is in both")
    print(f"{same} of {of} outcomes are equal\n")
    for (dialect, runtime, before, after, parser), (same, of, example) in sorted(counts.items()):
        releases = after if before == after else f"{after} with {before}"
        print(f"- {dialect} {runtime}@{releases}:{parser}: {same} of {of}")
        if example:
            text, known, new = example
            print(f"  - text: `{json.dumps(text, ensure_ascii=False)}`")
            print(f"  - known: {shown(known)}\n  - recorded: {shown(new)}")


if __name__ == "__main__":
    main()
