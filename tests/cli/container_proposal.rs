//! `container new`: proposals of declarations for logs of unknown programs.

use super::run_in;

const LOG: &str = r#"{"t":"2026-01-02T03:04:05Z","run":"r-19","kind":"ask","text":"List the files here"}
{"t":"2026-01-02T03:04:06Z","run":"r-19","kind":"exec","cid":"c1","tool":"ls","args":{"path":"."}}
{"t":"2026-01-02T03:04:07Z","run":"r-19","kind":"out","cid":"c1","text":"a.txt","failed":false}
{"t":"2026-01-02T03:04:08Z","run":"r-19","kind":"say","text":"There is one","in_tok":100,"out_tok":7}
"#;

#[test]
fn a_declaration_is_proposed_that_reads_the_log() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("odd.jsonl"), LOG).expect("a file can be made");
    std::fs::write(folder.path().join("prose.txt"), "Nothing but prose.\n").expect("a file can be made");
    let cases: [(&[&str], i32, &str, &str); 7] = [
        (
            &["container", "new", "--from", "odd.jsonl"],
            0,
            "container: mine\n",
            "from 4 records: reads 4 messages (4 with a time), 1 call, 1 result; 100 tokens in, 7 out\n",
        ),
        (&["container", "new", "--from", "odd.jsonl", "-o", "odd.yaml", "--name", "odd"], 0, "", "from 4 records: "),
        (&["container", "new", "--from", "odd.jsonl", "-o", "odd.yaml"], 2, "", "it exists; choose another name\n"),
        (&["container", "check", "odd.yaml"], 0, "container odd: 0 examples read\n", ""),
        (&["parse", "--container-file", "odd.yaml", "odd.jsonl"], 0, "\"container\":\"odd\"", ""),
        (&["container", "new", "--from", "prose.txt"], 1, "", "no declaration found: looked for JSON objects"),
        (&["container", "new", "--from", "odd.jsonl", "--name", "a b"], 2, "", "error: --name \"a b\": a name has"),
    ];
    for (arguments, code, stdout, stderr) in cases {
        let run = run_in(folder.path(), arguments, &[], b"");
        let is_fine = run.code == code && run.stdout.contains(stdout) && run.stderr.contains(stderr);
        assert!(is_fine, "{arguments:?} gave {}\n{}\n{}", run.code, run.stdout, run.stderr);
    }
}
