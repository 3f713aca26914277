//! Completions offer the values of options, also the user's own, and the manual lists the built-in ones.

use std::fs;

use super::run_in;

/// A command line to complete, candidates that are offered, and one that is not.
const OFFERED: &[(&[&str], &[&str], &str)] = &[
    (&["ch"], &["check"], "parse"),
    (&["check", "--dialect", "her"], &["hermes"], "gadget"),
    (&["check", "--dialect", "fer"], &["ferry"], "hermes"),
    (&["dialect", "show", "fer"], &["ferry"], "hermes"),
    (&["convert", "--to", "car"], &["caret"], "hermes"),
    (&["parse", "--container", "claude"], &["claude-code", "claude-ai"], "codex"),
    (&["container", "show", "qw"], &["qwen-code"], "codex"),
    (&["--theme", "da"], &["dark", "dark-16"], "light"),
    (&["--theme", "mi"], &["mine"], "dark"),
    (&["lens", "--runtime", "vllm"], &["vllm", "vllm:hermes"], "sglang"),
    (&["explain", "duplicate-p"], &["duplicate-pointer"], "array-gap"),
    (&["check", "--deny", "w"], &["warnings"], "array-gap"),
    (&["check", "--max", "array"], &["array-gap=0"], "warnings"),
    (&["sessions", "--latest=co"], &["--latest=codex", "--latest=copilot"], "--latest=claude"),
    (&["template", "render", "--probe", "v"], &["values"], "single"),
    (&["help", "ke"], &["keys"], "check"),
    (&["help", "che"], &["check"], "keys"),
    (&["export", "--to", "m"], &["markdown"], "html"),
    (&["check", "note"], &["notes.md"], "mine.yaml"),
];

/// A home with a dialect and a theme of the user.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in [
        ("config/transcope/themes/mine.yaml", "name: mine\nabout: my own\nextends: dark\n"),
        ("config/transcope/themes/e\u{1b}vil.yaml", "name: evil\nextends: dark\n"),
        (
            "config/transcope/dialects/ferry.yaml",
            "dialect: ferry\nexample: '<do f>{}</do>'\ncall: {open: '<do {name}>', close: </do>}\narguments: {kind: json}\n",
        ),
        ("notes.md", ""),
    ] {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    }
    home
}

#[test]
fn completions_offer_the_values_of_options_and_the_users_own() {
    let home = home();
    for (line, offered, other) in OFFERED {
        let words: Vec<&str> = ["--", "transcope"].iter().chain(*line).copied().collect();
        let index = line.len().to_string();
        let variables = [("COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", index.as_str()), ("_CLAP_IFS", "\n")];
        let run = run_in(home.path(), &words, &variables, b"");
        let candidates: Vec<&str> = run.stdout.lines().collect();
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{line:?}");
        assert!(offered.iter().all(|wanted| candidates.contains(wanted)), "{line:?}: {candidates:?}");
        assert!(!candidates.contains(other) && !run.stdout.contains('\u{1b}'), "{line:?}: {candidates:?}");
    }
    let run = run_in(home.path(), &["--", "transcope", ""], &[("COMPLETE", "tcsh")], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("tcsh"), "{}", run.stderr);
}

#[test]
fn each_shell_gets_a_script_that_asks_the_program() {
    let home = home();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = run_in(home.path(), &["completions", shell], &[], b"");
        assert_eq!(run.code, 0, "{shell}: {}", run.stderr);
        assert!(run.stdout.contains("COMPLETE") && run.stdout.contains("transcope"), "{shell}: {}", run.stdout);
    }
}
