//! Commands that read many transcripts: the output does not depend on the number of threads.

use std::fs;

use super::program::run_in;
use super::{BAD, GOOD};

#[test]
fn the_number_of_threads_makes_no_difference() {
    let folder = super::folder();
    let root = folder.path();
    fs::create_dir_all(root.join("many")).expect("a folder can be made");
    for number in 0..150 {
        let text = format!("Session {number}\n\n{}", if number % 3 == 0 { BAD } else { GOOD });
        fs::write(root.join(format!("many/{number:03}.txt")), text).expect("a file can be made");
        if number % 10 == 0 {
            // Messages about a file stay next to its output.
            fs::write(root.join(format!("many/{number:03}.txt.notes.yaml")), "notes: 7\n").expect("a file can be made");
        }
    }
    let known = run_in(root, &["check", "--format", "json", "many", "bad.txt"], &[], b"");
    fs::write(root.join("known.json"), known.stdout).expect("a file can be made");
    let paths = ["many", "cut.gz", "nothing.txt", "-", "bad.txt", "logs", "session.jsonl", "many/007.txt"];
    for words in [
        &["check"][..],
        &["check", "--format", "json"],
        &["check", "--format", "sarif"],
        &["check", "--format", "github"],
        &["check", "--baseline", "known.json"],
        &["check", "--filter", "tool:Greet", "--max", "duplicate-pointer=3"],
        &["grep", "has:problem"],
        &["grep", "--format", "csv", "tool:Greet"],
    ] {
        let [one, many] = ["1", "4"].map(|jobs| {
            let run = run_in(root, &[words, &["-j", jobs], &paths].concat(), &[], BAD.as_bytes());
            (run.code, run.stdout, run.stderr)
        });
        assert_eq!(one, many, "{words:?}");
        let (code, stdout, stderr) = one;
        assert_eq!(code, 2, "{words:?}");
        assert!(stdout.contains("many/003.txt") || words.contains(&"--baseline"), "{words:?}: {stdout}");
        assert!(stderr.contains("cut.gz") && stderr.contains("nothing.txt"), "{words:?}: {stderr}");
    }
}
