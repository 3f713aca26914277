#!/usr/bin/env python3
"""Runs the recipes of CORPUS.md and docs/many-sessions.md on an index, on each engine, and compares the answers.

    transcope index ~/.claude/projects -o index
    python3 -m venv env && env/bin/pip install duckdb chdb pyspark pyarrow pandas
    env/bin/python tests/recipes/run.py index
    env/bin/python tests/recipes/run.py index --engine duckdb,spark --sessions samples/containers

A recipe is a block of code whose first line is `-- recipe NAME: ENGINE, ENGINE` (`# recipe …` in Python). Blocks of one
name must give one answer, whatever file, engine or data they have it from: failure-rate on DuckDB, ClickHouse and Spark,
the same in the guide, and what `transcope stats --by tool,model` says. Rows are compared as sets; an empty text and none
are one, since CSV does not tell them apart.

Blocks of these names are run in their own way:

    views         what an engine needs first: it gives the files of the index the names of the tables
    convert       run where the index is NDJSON; the file that it writes must have the rows of the table
    open          the first call that it finds is opened with `transcope --at +BYTE FILE`
    index, pipe   programs that run transcope on Spark. They need --sessions, a folder with transcripts, of which those
                  that end in .jsonl are laid out as in object storage; the rows must be those of `transcope index`

Exit code 1: answers differ. 2: something could not be run.
"""

import argparse
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(sql|python)\n(?:--|#) recipe ([\w-]+): ([\w, ]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(?:Z|\+00(?::00)?)?")

# Seconds without output after which a program is ended.
LONGEST_SILENCE = 60

# Endings of the files in an index, and how Spark reads them. CORPUS.md says the same in words.
FORMATS = {
    "parquet": 'spark.read.parquet("{}")',
    "ndjson.gz": 'spark.read.json("{}")',
    "csv.gz": 'spark.read.csv("{}", header=True, inferSchema=True)',
}


# The programs that run transcope on Spark, each with the question that its rows must answer as those of an index do.
PROGRAMS = {
    "pipe": "SELECT code, severity, count(*) FROM parquet.`raw-index/problems` GROUP BY code, severity",
    "index": "SELECT tool, model, outcome, count(*), sum(byte_start), sum(argument_bytes), count(called_at),"
    " count(DISTINCT session_id) FROM parquet.`{}/calls` GROUP BY tool, model, outcome",
}


class DuckDb:
    """DuckDB in this process."""

    name = "duckdb"

    def __init__(self):
        import duckdb

        self.version = duckdb.__version__
        self.connection = duckdb.connect()
        self.connection.sql("SET TimeZone = 'UTC'")

    def run(self, _language, code):
        """Gives the rows of the last statement; times are made text by DuckDB, which else asks for pytz."""
        rows = self.connection.sql(code)
        if rows is None:
            return []
        columns = zip(rows.columns, rows.types)
        shown = [f'"{name}"::VARCHAR' if "TIME ZONE" in str(kind) else f'"{name}"' for name, kind in columns]
        return rows.project(", ".join(shown)).fetchall()


class ClickHouse:
    """ClickHouse in this process: chdb, which reads files as clickhouse-local does."""

    name = "clickhouse"

    def __init__(self):
        from chdb import session

        self.session = session.Session()
        self.version = self.session.query("SELECT version()", "TSV").bytes().decode().strip()

    def run(self, _language, code):
        rows = []
        for statement in filter(None, map(str.strip, code.split(";\n"))):
            answer = self.session.query(statement.rstrip(";"), "JSONCompactEachRow")
            lines = answer.bytes().decode().splitlines() if answer else []
            rows = [json.loads(line) for line in lines]
        return rows


class Spark:
    """Spark with two workers in this process; a block of Python leaves its rows in `answer`."""

    name = "spark"

    def __init__(self):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        import pyspark
        from pyspark.sql import SparkSession

        self.version = pyspark.__version__
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "OFF")
        builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "4")
        self.spark = builder.getOrCreate()

    def run(self, language, code):
        if language == "python":
            names = {"spark": self.spark}
            exec(code, names)  # It is a block of our own documents.
            rows = names.get("answer")
        else:
            rows = self.spark.sql(code.strip().rstrip(";"))
        return [tuple(row) for row in rows.collect()] if rows is not None else []


ENGINES = {engine.name: engine for engine in (DuckDb, ClickHouse, Spark)}


class Recipe:
    """A block of code: its name, the document that it is from, its engines and its language."""

    def __init__(self, document, language, name, engines, code):
        self.document, self.language, self.name, self.code = document, language, name, code
        self.engines = [engine.strip() for engine in engines.split(",")]


def recipes():
    """All recipes in the order of the text, but views first."""
    found = [
        Recipe(document, *block.groups())
        for document in ("docs/many-sessions.md", "CORPUS.md")
        for block in BLOCK.finditer((ROOT / document).read_text(encoding="utf-8"))
    ]
    return sorted(found, key=lambda recipe: recipe.name != "views")


def plain(value):
    """A value as it is compared: times and days as one kind of text, numbers as numbers, an empty text as none."""
    if value is None or value == "":
        return None
    if isinstance(value, (bool, int, float)):
        # The last digits of a percentile depend on the order of its sums.
        return float(f"{value:.12g}")
    text = str(value)
    found = TIME.fullmatch(text)
    if found:
        day, clock, fraction = found.groups()
        return f"{day} {clock}.{(fraction or '.')[1:4].ljust(3, '0')}"
    try:
        # Sums are decimals here and integers there.
        return float(text) if not isinstance(value, str) else text
    except ValueError:
        return text


def comparable(rows):
    """Rows whose order and types no longer matter."""
    return sorted((tuple(plain(value) for value in row) for row in rows), key=repr)


class Report:
    """What is compared, and what has been found different."""

    def __init__(self):
        self.first = {}
        self.lines = []
        self.differences = []

    def add(self, name, source, rows, seconds=None):
        """Compares rows with the first ones of that name."""
        rows = comparable(rows)
        outcome = "same" if name in self.first else ""
        first_source, first = self.first.setdefault(name, (source, rows))
        if rows != first:
            outcome = f"DIFFERS from {first_source}"
            here, there = list(set(first) - set(rows))[:3], list(set(rows) - set(first))[:3]
            self.differences.append(f"{name}: {first_source} has {here}, {source} has {there}")
        took = f"{1000 * seconds:8.0f} ms" if seconds is not None else ""
        self.lines.append((name, source, f"{len(rows)} row{'s'[: len(rows) != 1]}", took, outcome))

    def print(self):
        widths = [max(len(line[at]) for line in self.lines) for at in range(5)]
        for line in self.lines:
            print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
        for difference in self.differences:
            print(difference)


def of_format(code, ending):
    """A recipe for an index in another format: the ending of its files is another."""
    if ending != "parquet":
        code = re.sub(r"(index/\w+/\*)\.parquet", rf"\1.{ending}", code)
        code = re.sub(r'spark\.read\.parquet\(f?"(index/[^"]*)"\)', lambda found: read_by_spark(found[1], ending), code)
    return code


def read_by_spark(path, ending):
    """How Spark reads the files of a table; a path with braces is completed by the code around it."""
    return FORMATS[ending].replace('"{}"', f'f"{path}"')


def transcope_stats(program, index):
    """The failures by tool and model as transcope itself adds them up, in the columns of failure-rate. They are read from
    JSON: as CSV, characters that cannot be seen are written in signs."""
    command = [program, "stats", str(index), "--by", "tool,model", "--format", "json"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for row in json.loads(output)["by"]["tool,model"]:
        yield row["tool"], row["model"], row["calls"], row["failures"], row["failures"] / row["calls"]


def lay_out(sessions):
    """Copies transcripts into raw/day=…/agent=…/, as they would lie in object storage."""
    found = sorted(path for path in sessions.rglob("*.jsonl") if path.is_file() and path.stat().st_size)
    for number, path in enumerate(found):
        folder = pathlib.Path("raw", f"day=2026-11-{20 + number % 3}", f"agent={path.parent.name}")
        folder.mkdir(parents=True, exist_ok=True)
        # Spark gives the last line an end where it has none, which a transcript that was cut off has not.
        text = path.read_bytes()
        (folder / path.name).write_bytes(text if text.endswith(b"\n") else text + b"\n")
    print(f"{len(found)} transcripts of {sessions}")


def run(engines, program, index, sessions, report):
    """Runs everything in the working directory, which is ours."""
    endings = [ending for ending in FORMATS if list(index.glob(f"calls/*.{ending}"))]
    if len(endings) != 1:
        raise ValueError(f"{index} has no tables, or tables of several formats")
    pathlib.Path("index").symlink_to(index)
    if sessions:
        lay_out(sessions)
        # A transcript that cannot be read is no failure: its row says why.
        subprocess.run([program, "index", "raw", "-o", "raw-index"], stdout=subprocess.DEVNULL, check=True)
    skipped = {"convert"} if endings != ["ndjson.gz"] else set()
    skipped |= set() if sessions else set(PROGRAMS)
    for engine in engines:
        for recipe in recipes():
            if engine.name in recipe.engines and recipe.name not in skipped:
                try:
                    run_recipe(engine, recipe, of_format(recipe.code, endings[0]), report)
                except Exception as error:
                    raise RuntimeError(f"{recipe.name} on {engine.name} ({recipe.document}): {error}") from error
    if opened := report.first.get("open"):
        file, byte = opened[1][0][:2]
        open_at(program, byte, file)
    report.add("failure-rate", "transcope stats", transcope_stats(program, index))


def open_at(program, byte, file):
    """Opens a file at a byte in a terminal of its own, and quits when its keys are shown."""
    command = [program, "--at", f"+{byte:.0f}", file]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execvpe(program, command, {**os.environ, "TERM": "xterm-256color"})
    shown, asked = b"", False
    while select.select([terminal], [], [], LONGEST_SILENCE)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux: the other end is closed.
            piece = b""
        if not piece:
            break
        shown += piece
        if b"quit" in shown and not asked:
            os.write(terminal, b"q")
            asked = True
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0 or not asked:
        raise RuntimeError(f"{command} ended with {code}: {shown[-200:]!r}")


def run_recipe(engine, recipe, code, report):
    """Runs a recipe on an engine, and reports the rows that it gives, or those of what it has written."""
    begin = time.monotonic()
    if recipe.name == "index":
        run_program(code)
        rows = engine.run("sql", PROGRAMS["index"].format("lake"))
    else:
        rows = engine.run(recipe.language, code)
    seconds = time.monotonic() - begin
    if recipe.name in PROGRAMS:
        report.add(recipe.name, "transcope index", engine.run("sql", PROGRAMS[recipe.name].format("raw-index")))
    if recipe.name == "convert":
        report.add(recipe.name, "the index", engine.run("sql", "SELECT * FROM calls"))
        rows = engine.run("sql", "SELECT * FROM 'calls.parquet'")
    if recipe.name != "views":
        report.add(recipe.name, f"{engine.name}, {recipe.document}", rows, seconds)


def run_program(code):
    """Runs a whole program of CORPUS.md on the transcripts that were laid out."""
    pathlib.Path("program.py").write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, "program.py", "raw", "lake"], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        run.check_returncode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=pathlib.Path, help="folder that transcope index has written")
    parser.add_argument("--engine", help="duckdb, clickhouse, spark, comma-separated [default: those that are installed]")
    parser.add_argument("--sessions", type=pathlib.Path, help="folder with transcripts, for the programs on Spark")
    parser.add_argument("--transcope", default="transcope", help="the program [default: transcope]")
    arguments = parser.parse_args()
    program = shutil.which(arguments.transcope)
    if not program:
        parser.error(f"{arguments.transcope} cannot be run")
    program = os.path.abspath(program)
    wanted = arguments.engine.split(",") if arguments.engine else list(ENGINES)
    if unknown := [name for name in wanted if name not in ENGINES]:
        parser.error(f"unknown engine {unknown[0]}; there are {', '.join(ENGINES)}")
    index, sessions = arguments.index.resolve(), arguments.sessions and arguments.sessions.resolve()
    os.environ["PATH"] = f"{os.path.dirname(program)}{os.pathsep}{os.environ.get('PATH', '')}"
    report = Report()
    # Indexes that are made here are not remembered among those of whoever runs this.
    state = tempfile.TemporaryDirectory()
    os.environ["XDG_STATE_HOME"] = state.name
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        engines = []
        for name in wanted:
            try:
                engines.append(ENGINES[name]())
                print(f"{name} {engines[-1].version}")
            except ImportError as error:
                if arguments.engine:
                    parser.error(f"{name} is not installed: {error}")
                print(f"{name} is not installed: {error}")
        try:
            run(engines, program, index, sessions, report)
        except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(2)
        finally:
            os.chdir("/")
    report.print()
    sys.exit(1 if report.differences else 0)


if __name__ == "__main__":
    main()
