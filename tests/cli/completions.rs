//! Completions offer the values of options, also the user's own, and the manual lists the built-in ones.

use std::fs;
use std::process::Command;

use super::skip::skip;
use super::{program, run_in};

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

#[test]
fn bash_completes_words_that_it_splits_at_colons_and_equals_signs() {
    const SCRIPT: &str = "source <(transcope completions bash)
complete_words() {
    COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) COMP_LINE=\"$*\" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMPREPLY=()
    _transcope transcope \"${@: -1}\" \"${@: -2:1}\"
    printf '%s ' \"${COMPREPLY[@]}\"
    echo
}
complete_words transcope lens --runtime vllm : herm
complete_words transcope lens --runtime vllm:herm
complete_words transcope lens --runtime sglang : qwen3
complete_words transcope sessions --latest = gem
complete_words transcope explain duplicate-p
complete -p transcope
";
    let Ok(bash) = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"]
        .iter()
        .find(|bash| fs::exists(bash).unwrap_or_default())
        .ok_or(())
    else {
        return skip("no bash");
    };
    let home = home();
    let mut completed = Command::new(bash);
    let folder =
        std::path::Path::new(program(home.path()).get_program()).parent().expect("it is in a folder").to_owned();
    completed.args(["--norc", "-c", SCRIPT]).env_clear().env("HOME", home.path());
    completed.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).current_dir(home.path());
    let output = completed.output().expect("bash can be run");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    let [split, whole, other, agent, code, registered] = lines[..] else { panic!("{lines:?}\n{errors}") };
    assert_eq!((split, whole, agent, code), ("hermes", "vllm:hermes", "gemini", "duplicate-pointer"), "{errors}");
    assert!(other.split(' ').all(|parser| parser.starts_with("qwen3")) && !other.is_empty(), "{other}");
    assert!(registered.contains("-F _transcope"), "{registered}");
}

#[test]
fn each_command_has_a_page_with_its_values() {
    let home = home();
    let run = run_in(home.path(), &["man", "--out", "man1"], &[], b"");
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let page = |name: &str| fs::read_to_string(home.path().join("man1").join(format!("{name}.1"))).expect("a page");
    for (name, words) in [
        ("transcope", ".SH KEYS"),
        ("transcope", "transcope\\-check(1)"),
        ("transcope", "Values: dark, light"),
        ("transcope-check", "[\\-\\-format\\ human|json|sarif|github]"),
        ("transcope-check", "[\\-\\-deny\\ warnings|CODE\\ …]"),
        ("transcope-check", "Values: warnings, duplicate\\-pointer, array\\-gap"),
        ("transcope-check", "[\\-\\-portable[=LIST]]\n[\\-\\-baseline\\ FILE]"),
        ("transcope", "[\\-\\-edit\\ [FILE]]"),
        ("transcope", "\\fBtranscope\\fR COMMAND …"),
        ("transcope-check", ".SH SEE ALSO\ntranscope(1)"),
        ("transcope-convert", "\n\\-\\-to\\ DIALECT\n"),
        ("transcope-parse", "hermes"),
        ("transcope-template-render", "transcope template render"),
        ("transcope-explain", "Values: duplicate\\-pointer"),
    ] {
        assert!(page(name).contains(words), "{name} lacks {words:?}:\n{}", page(name));
    }
    let pages = fs::read_dir(home.path().join("man1")).expect("the folder is there").count();
    assert!(pages > 30, "{pages} pages");
    let run = run_in(home.path(), &["man", "template", "render"], &[], b"");
    assert_eq!(run.stdout, page("transcope-template-render"));
    let run = run_in(home.path(), &["man", "chekc"], &[], b"");
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (2, "error: transcope has no subcommand \"chekc\"; try transcope help\n")
    );
}
