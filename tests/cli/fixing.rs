//! `fix`: the text, the diff, the file and its backup, and the messages.

use super::run_in;

#[test]
fn fix_repairs_what_it_can_and_says_what_it_cannot() {
    let broken = "Hi \u{1b}[31mthere.\n!!!GADGET_START:Do:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\nBye.";
    let repaired = broken.replace("x/2", "x/1");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("a.txt");
    std::fs::write(&file, broken).expect("a file can be made");
    let run = |arguments: &[&str], input: &str| run_in(folder.path(), arguments, &[], input.as_bytes());
    // The repaired text goes to standard output, the report to standard error.
    let plain = run(&["fix", "a.txt"], "");
    assert_eq!((plain.code, plain.stdout.as_str()), (0, repaired.as_str()));
    assert_eq!(
        plain.stderr,
        "a.txt:5:10: repaired array-gap: replace `2` with `1`\na.txt: 1 repair; no problems left\n"
    );
    assert_eq!(run(&["fix", "-"], broken).stdout, repaired);
    let diff = run(&["fix", "--diff", "a.txt"], "");
    assert_eq!(diff.code, 0);
    let expected = "--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n !!!GADGET_START:Do:a\n !!!ARG:x/0\n 1\n-!!!ARG:x/2\n+!!!ARG:x/1\n 2\n \
        !!!GADGET_END\n Bye.\n\\ No newline at end of file\n";
    assert_eq!(diff.stdout, expected);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), broken);
    // In place, with a backup of the original; an existing backup is kept.
    let held = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let in_place = run(&["fix", "--in-place", "a.txt"], "");
    assert_eq!((in_place.code, in_place.stdout.as_str()), (0, ""));
    assert_eq!((held("a.txt"), held("a.txt.orig")), (repaired.clone(), broken.to_owned()));
    assert!(in_place.stderr.contains("a.txt.orig"), "{}", in_place.stderr);
    assert_eq!(run(&["fix", "--in-place", "a.txt"], "").code, 0);
    assert_eq!(held("a.txt.orig2"), "", "where nothing is repaired nothing is kept");
    std::fs::write(&file, format!("{broken}\n")).expect("a file can be written");
    assert_eq!(run(&["fix", "--in-place", "a.txt"], "").code, 0);
    assert_eq!((held("a.txt.orig"), held("a.txt.orig2")), (broken.to_owned(), format!("{broken}\n")));
    // An error that remains.
    let ghost = "!!!GADGET_START:Do:a\n!!!ARG:__proto__/x\n1\n!!!ARG:y/0\n1\n!!!ARG:y/k\n1\n!!!GADGET_END\n";
    let left = run(&["fix", "-"], ghost);
    assert_eq!((left.code, left.stdout.as_str()), (1, ghost));
    assert!(left.stderr.contains("not repaired: error["), "{}", left.stderr);
    // Recorded sessions, and paths that are not files.
    let recorded = "{\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": \"Hi\"}, \"uuid\": \"u\", \"sessionId\": \"s\"}\n";
    let refused = run(&["fix", "--container", "claude-code", "-"], recorded);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("only plain text can be repaired"), "{}", refused.stderr);
    for arguments in
        [&["fix", "nosuch.txt"][..], &["fix", "--in-place", "-"], &["fix", "--in-place", "--diff", "a.txt"], &["fix"]]
    {
        let failed = run(arguments, broken);
        assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(failed.stderr.lines().count(), 1, "{}", failed.stderr);
    }
}

#[test]
fn a_cut_tag_around_a_call_is_completed() {
    const CALL: &str = "<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n";
    let folder = tempfile::tempdir().expect("a folder can be made");
    let whole = format!("Hi.\n<tool_call>\n{CALL}</tool_call>\n");
    for (opening, closing) in [
        ("<tool_call", "</tool_call>"),
        ("<tool_", "</tool_call>"),
        ("tool_call>", "</tool_call>"),
        ("<tool_call>", "</tool_"),
    ] {
        let text = format!("Hi.\n{opening}\n{CALL}{closing}\n");
        let (_, out, errors) = run_in(folder.path(), &["fix", "-"], &[], text.as_bytes()).parts();
        assert_eq!(out, whole, "{opening} {closing}: {errors}");
    }
    // Other text before the call stays.
    let (_, out, _) =
        run_in(folder.path(), &["fix", "-"], &[], format!("Look\n{CALL}</tool_call>\n").as_bytes()).parts();
    assert_eq!(out, format!("Look\n<tool_call>\n{CALL}</tool_call>\n"));
}
