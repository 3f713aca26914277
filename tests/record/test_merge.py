"""python3 -m unittest discover tests/record"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import compare
import merge
from vectors import FIRST, ROOT, known_releases

NEWEST = known_releases()["vllm"][0]
TOOLS = json.loads((ROOT / "tests/vectors/runtime-tools.json").read_text())
CALL = {"name": "f", "arguments": {"n": 2}}


def row(calls=(), version=NEWEST, **more):
    outcome = {"content": None, "reasoning": None, "calls": [{"id": None, **call} for call in calls]}
    return {
        "id": "hermes/vllm/hermes/one", "dialect": "hermes", "runtime": "vllm", "version": version, "parser": "hermes",
        "source": "run", "text": "t", "schema": TOOLS["search"], "expect": outcome, "error": None, **more,
    }  # fmt: skip


class Merged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "runtimes"
        self.folder.mkdir()
        self.file, self.rows = self.folder / "hermes.jsonl", self.folder.parent / "rows.jsonl"

    def merge(self, *rows, options=()):
        self.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
        with mock.patch.object(sys, "argv", ["merge.py", *options, str(self.folder), str(self.rows)]):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                merge.main()
        return said.getvalue()

    def given(self, *outcomes, **more):
        lines = [{"tools": None}, {"case": "one", "text": "t", "tools": "search", "outcomes": list(outcomes), **more}]
        self.file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def line(self):
        return json.loads(self.file.read_text().split("\n")[1])

    def test_an_equal_outcome_is_joined_and_stays(self):
        self.given({"who": ["vllm:hermes"], "calls": [CALL]})
        self.merge(row([CALL]))
        self.assertEqual(self.line()["outcomes"], [{"who": ["vllm:hermes", f"vllm@{NEWEST}:hermes"], "calls": [CALL]}])
        before = self.file.read_text()
        self.assertEqual(self.merge(row([CALL]), row([CALL], FIRST["vllm"])), "nothing changes\n")
        self.assertEqual(self.file.read_text(), before)

    def test_a_release_replaces_only_what_it_delivered(self):
        self.given({"who": ["vllm:hermes", f"vllm@{NEWEST}:hermes"], "calls": [CALL]})
        other = {"name": "f", "arguments": {"n": 2.0}}
        self.merge(row([other]))
        old, new = self.line()["outcomes"]
        self.assertEqual((old["who"], new["who"]), (["vllm:hermes"], [f"vllm@{NEWEST}:hermes"]))
        self.assertIn("2.0", self.file.read_text())

    def test_order_of_keys_makes_another_outcome_and_another_list_of_tools(self):
        self.given({"who": ["vllm:hermes"], "calls": [{"name": "f", "arguments": {"a": 1, "b": 2}}]})
        self.merge(row([{"name": "f", "arguments": {"b": 2, "a": 1}}]))
        self.assertEqual(len(self.line()["outcomes"]), 2)
        turned = [{"function": dict(reversed(tool["function"].items()))} for tool in TOOLS["search"]]
        self.merge(row([CALL], schema=turned))
        self.assertEqual(len(self.file.read_text().splitlines()), 3)

    def test_ids_take_the_place_of_an_outcome_without_them(self):
        self.given({"who": [f"vllm@{NEWEST}:hermes"], "calls": [CALL], "ids": False})
        self.assertEqual(self.merge(row([CALL])), "nothing changes\n")
        self.merge(row([{**CALL, "id": "t"}]))
        self.assertEqual(self.line()["outcomes"][0]["calls"], [{**CALL, "id": "t"}])
        self.assertEqual(self.merge(row([CALL]), options=["--without-ids"]), "nothing changes\n")

    def test_a_wrong_outcome_stays_until_it_is_recorded_otherwise(self):
        self.given({"who": [f"vllm@{NEWEST}:hermes"], "calls": [CALL], "wrong": "why"})
        self.assertEqual(self.merge(row([CALL])), "nothing changes\n")
        self.merge(row())
        self.assertEqual(self.line()["outcomes"], [{"who": [f"vllm@{NEWEST}:hermes"]}])

    def test_pieces_that_differ_are_kept_apart_from_the_whole(self):
        self.given({"who": ["vllm:hermes"]}, streamed=[{"who": ["vllm:hermes"], "content": "t"}])
        pieces = row([CALL], stream=True, id="hermes/vllm/hermes/one/stream")
        self.merge(row(stream=False), pieces)
        self.assertEqual([len(outcome["who"]) for outcome in self.line()["streamed"]], [1, 1])
        self.merge(row(stream=False))
        self.assertEqual(len(self.line()["streamed"]), 2)
        self.merge(row(stream=False, in_pieces="equal"))
        self.assertEqual(self.line()["streamed"], [{"who": ["vllm:hermes"], "content": "t"}])

    def test_a_new_file_names_its_tools_and_has_only_rows_of_ours(self):
        self.merge(row([CALL]), row(source="a/repository", text="u"), row(source="server", text="v"))
        tools, line = map(json.loads, self.file.read_text().splitlines())
        self.assertEqual(tools, {"tools": "search"})
        self.assertEqual(line["outcomes"], [{"who": [f"vllm@{NEWEST}:hermes"], "calls": [CALL]}])

    def test_what_a_server_delivers_is_kept_where_the_parser_alone_delivers_something_else(self):
        who = [f"vllm@{NEWEST}:hermes"]
        self.given({"who": who, "calls": [CALL]})
        self.assertEqual(self.merge(row([CALL], source="server")), "nothing changes\n")
        self.merge(row(source="server"))
        self.assertEqual((self.line()["outcomes"], self.line()["server"]), ([{"who": who, "calls": [CALL]}], [{"who": who}]))
        self.assertEqual(self.merge(row(source="server+qwen3", text="t")), "nothing changes\n")
        self.merge(row([CALL], source="server"))
        self.assertNotIn("server", self.line())

    def test_a_release_must_be_known(self):
        with self.assertRaises(SystemExit):
            self.merge(row(version="0.1"))
        self.merge(row(runtime="hf", version="transformers 5.23.0 + trl 1.16.0"))
        self.assertIn("hf@5.23.0+trl1.16.0:hermes", self.file.read_text())

    def test_outcomes_are_compared_within_a_release_or_with_another(self):
        wrong = {"who": [f"vllm@{NEWEST}:hermes"], "wrong": "why"}
        self.given({"who": ["vllm:hermes"]}, {"who": [f"vllm@{NEWEST}:hermes"], "calls": [CALL], "ids": False}, wrong)
        self.rows.write_text(json.dumps(row([{**CALL, "id": "t"}])))
        equal = {(): "1 of 1", ("--with", FIRST["vllm"]): "0 of 1"}
        for options, expected in equal.items():
            with mock.patch.object(sys, "argv", ["", *options, str(self.file), "--", str(self.rows)]):
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    compare.main()
            self.assertTrue(said.getvalue().startswith(f"{expected} outcomes are equal\n"), said.getvalue())


if __name__ == "__main__":
    unittest.main()
