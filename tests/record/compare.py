#!/usr/bin/env python3
"""Compares recordings with known ones: by parser, how many outcomes are equal, and the smallest text that is not.

    compare.py KNOWN.jsonl... -- RECORDED.jsonl...

KNOWN and RECORDED are recordings (`id`, `text`, `expect`, `error`) or files of `tests/vectors/runtimes`; outcomes are
matched by dialect, runtime, parser, case and text. Errors are equal whatever they say.
"""

import collections
import json
import pathlib
import sys

def outcomes(path):
    """Each outcome of a file: its key, and what was delivered."""
    for line in pathlib.Path(path).read_text().split("\n"):
        if not line:
            continue
        row = json.loads(line)
        if "outcomes" in row:
            for outcome in row["outcomes"]:
                kept = {key: value for key, value in outcome.items() if key != "who"}
                for who in outcome["who"]:
                    runtime, parser = who.split(":", 1)
                    yield (pathlib.Path(path).stem, runtime, parser, row["text"], row["case"]), kept
        elif "text" in row and not row.get("stream"):
            expect = row["expect"] or {"error": row["error"]}
            yield (row["dialect"], row["runtime"], row["parser"], row["text"], row["id"].split("/", 3)[-1]), expect


def plain(outcome):
    """An outcome in one form: what is empty is left out, an error is only an error, a number has one writing."""
    if "error" in outcome and outcome.get("error"):
        return "error"
    calls = []
    for call in outcome.get("calls") or []:
        kept = {key: value for key, value in call.items() if value is not None or key == "arguments"}
        kept.pop("id", None)
        calls.append(kept)
    kept = {"content": outcome.get("content") or "", "reasoning": outcome.get("reasoning") or "", "calls": calls}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False)


def shown(outcome):
    if outcome.get("error"):
        return "error: " + str(outcome["error"])[:200]
    parts = {key: value for key, value in outcome.items() if value}
    for call in parts.get("calls", []):
        call.pop("id", None)
    return json.dumps(parts, ensure_ascii=False)[:600] if parts else "nothing"


def main():
    at = sys.argv.index("--")
    recorded = {}
    for path in sys.argv[at + 1 :]:
        for key, outcome in outcomes(path):
            recorded.setdefault(key, []).append(outcome)
    counts = collections.defaultdict(lambda: [0, 0, None])
    for path in sys.argv[1:at]:
        for key, known in outcomes(path):
            if key not in recorded:
                continue
            count = counts[key[:3]]
            count[1] += 1
            new = recorded[key]
            if any(plain(known) == plain(one) for one in new):
                count[0] += 1
            elif count[2] is None or len(key[3]) < len(count[2][0]):
                count[2] = (key[3], known, new[0])
    same, of = sum(count[0] for count in counts.values()), sum(count[1] for count in counts.values())
    if not of:
        raise SystemExit("no outcome is in both")
    print(f"{same} of {of} outcomes are equal\n")
    for (dialect, runtime, parser), (same, of, example) in sorted(counts.items()):
        print(f"- {dialect} {runtime}:{parser}: {same} of {of}")
        if example:
            text, known, new = example
            print(f"  - text: `{json.dumps(text, ensure_ascii=False)}`")
            print(f"  - known: {shown(known)}\n  - recorded: {shown(new)}")


if __name__ == "__main__":
    main()
