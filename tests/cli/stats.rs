//! `stats`: its output for a folder in each format, its options for selecting and grouping, and its errors.

use serde_json::Value;

use super::{folder, run_in, snapshot};

/// Arguments of `stats`; the exit code, parts of the output, and a part of standard error.
type Case = (&'static [&'static str], i32, &'static [&'static str], &'static str);

const CASES: &[Case] = &[
    (&["good.txt"], 0, &["1 file: 1 call\n\ntool ", "\nGreet ", "(unknown model)", "\nday "], ""),
    (&["failed.jsonl"], 0, &["1 failure (100.0%), 1 problem\n", "█\n", "\n✗ tool-failed "], ""),
    (&["logs"], 0, &["2 files: ", "\n✗ "], ""),
    (&["--by", "tool,dialect", "good.txt"], 0, &["\ntool   dialect  calls ", "\nGreet  gadget       1 "], ""),
    (&["--by", "tool,tool", "good.txt"], 0, &["\ntool   calls  "], ""),
    (&["--since", "2099-01-01", "logs"], 0, &["0 files: 0 calls\n"], "no transcripts found"),
    (&["--by", "code", "--by", "tool", "logs"], 0, &["\ncode ", " tool ", "\n✗ duplicate-pointer  Greet "], ""),
    (&["--by", "code", "--top", "1", "bad.txt", "failed.jsonl"], 0, &["\n… and 1 more\n"], ""),
    (
        &["--width", "30", "good.txt"],
        0,
        &["\ntool     calls  failures    rate\nGreet        1         0    0.0%\n", "\n(unknow…  "],
        "",
    ),
    (&["--filter", "tool:Nobody", "good.txt"], 0, &["1 file: 0 calls\nfilter: tool:Nobody\n"], ""),
    (&["--format", "csv", "good.txt"], 0, &["dimension,value,severity,", "\ntool,Greet,,,1,0,0,0,0,0,0\n"], ""),
    (&["--format", "csv", "--by", "tool,code", "logs"], 0, &["tool,code,severity,problems,calls,"], ""),
    // The readable part of a truncated file counts.
    (&["cut.gz", "good.txt"], 0, &["2 files (1 unreadable): "], "cut.gz"),
    (&["index"], 0, &["1 file: 1 call"], "index of "),
    (
        &["--runtime", "vllm", "index"],
        2,
        &[],
        "index is an index, which cannot be filtered or parsed with other options",
    ),
    (&["--since", "7d", "index"], 2, &[], "index is an index, which cannot be filtered or parsed with other options"),
    (&["index", "logs"], 2, &[], "index is an index, not a transcript; pass it to transcope stats alone"),
    (&["nowhere"], 2, &[], "could not open nowhere"),
    (&["--by", "tools", "good.txt"], 2, &[], "'tools' for '--by <DIMENSIONS>': did you mean tool?"),
    (&["--top", "0", "good.txt"], 2, &[], "--top"),
    (&["--filter", "tol:x", "good.txt"], 2, &[], "invalid filter"),
    (&[], 2, &[], "<PATH>"),
];

#[test]
fn statistics_are_counted_grouped_and_chosen() {
    let folder = folder();
    assert_eq!(run_in(folder.path(), &["index", "good.txt", "-o", "index"], &[], b"").code, 0);
    for (arguments, code, words, error) in CASES {
        let arguments: Vec<&str> = ["stats"].iter().chain(*arguments).copied().collect();
        let (status, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        assert_eq!(status, *code, "{arguments:?}: {out}{errors}");
        words.iter().for_each(|words| assert!(out.contains(words), "{arguments:?} lacks {words:?}:\n{out}"));
        assert!(errors.contains(error) && (!error.is_empty() || errors.is_empty()), "{arguments:?}: {errors}");
    }
}

#[test]
fn the_numbers_of_json_are_those_of_the_folder() {
    let folder = folder();
    let (status, out, _) =
        run_in(folder.path(), &["stats", "--format", "json", "logs", "failed.jsonl"], &[], b"").parts();
    let stats: Value = serde_json::from_str(&out).expect("it is JSON");
    let sum = |list: &Value, key: &str| -> i64 {
        list.as_array().expect("a list").iter().map(|row| row[key].as_i64().expect("a number")).sum()
    };
    assert_eq!((status, &stats["files"], &stats["unread"]), (0, &3.into(), &0.into()), "{out}");
    for by in ["tool", "dialect", "model", "day"] {
        for key in ["calls", "failures", "rejected"] {
            assert_eq!(sum(&stats["by"][by], key), stats["totals"][key], "{by} {key}: {out}");
        }
    }
    assert_eq!(sum(&stats["by"]["code"], "problems"), stats["totals"]["problems"], "{out}");
    assert!(stats["totals"]["failures"].as_i64() > Some(0), "{out}");
}

#[test]
fn the_help_says_what_is_counted() {
    let folder = folder();
    let (_, out, _) = run_in(folder.path(), &["stats", "--help"], &[], b"").parts();
    snapshot::matches("cli", "help_stats", &out);
}
