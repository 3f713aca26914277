//! Guesses the language of a value from the tag of its fence, the name of its file, or its first bytes.
//!
//! The guess is cheap enough to be made for every value on the screen.

use serde::de::IgnoredAny;

use crate::text::colour_codes::bytes_without;
use crate::text::diff_lines::is_diff;

/// A language that can be highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Language {
    token: &'static str,
    is_excerpt: bool,
}

impl Language {
    /// The extension or name that selects the grammar.
    pub fn token(self) -> &'static str {
        self.token
    }

    /// True for diffs, which contain text in other languages.
    pub fn is_diff(self) -> bool {
        self.token == DIFF
    }

    /// Marks the text as one that begins in the middle of a file, perhaps in a string or a comment.
    pub(crate) fn of_excerpt(self) -> Self {
        Self { is_excerpt: true, ..self }
    }

    /// True if each line is highlighted on its own, since the state at the first line is unknown.
    pub(crate) fn is_excerpt(self) -> bool {
        self.is_excerpt
    }

    /// Has painting panic, for tests of threads that paint.
    #[cfg(any(test, feature = "testing"))]
    pub const PANICS: Language = Language { token: "panics", is_excerpt: false };
}

/// The token of the one language that has no grammar.
const DIFF: &str = "diff";

/// Most bytes examined to recognise a language by its content.
const SNIFFED_BYTES: usize = 4 * 1024;

/// The language of a value: by the tag of its fence, else diff if it begins like one, else by the name of its file,
/// else by its content. A diff wins over the file name, since that names the file that it changes.
///
/// `file_name` may be a path. An unknown tag or extension falls through to the next hint; `None` if no hint is left.
pub fn language_of(file_name: Option<&str>, fence_tag: Option<&str>, content: &[u8]) -> Option<Language> {
    let content = bytes_without(&content[..content.len().min(SNIFFED_BYTES)]);
    fence_tag
        .and_then(of_fence_tag)
        .or_else(|| if is_diff(&content) { named(DIFF) } else { None })
        .or_else(|| file_name.and_then(of_file_name))
        .or_else(|| of_content(&content))
}

/// Tokens of grammars, each with the tags, extensions, file names and interpreters that select it, in lower case.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bat", &["bat", "cmd", "batch"]),
    ("c", &["c", "h"]),
    ("clj", &["clj", "cljs", "cljc", "edn", "clojure"]),
    ("cmake", &["cmake", "cmakelists.txt"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "c++"]),
    ("cs", &["cs", "csharp", "c#"]),
    ("css", &["css"]),
    ("dart", &["dart"]),
    (DIFF, &["diff", "patch", "udiff"]),
    ("dockerfile", &["dockerfile", "containerfile", "docker"]),
    ("elixir", &["ex", "exs", "elixir"]),
    ("elm", &["elm"]),
    ("erl", &["erl", "hrl", "erlang"]),
    ("fs", &["fs", "fsx", "fsi", "fsharp", "f#"]),
    ("go", &["go", "golang"]),
    ("graphql", &["graphql", "gql"]),
    ("groovy", &["groovy", "gradle", "jenkinsfile"]),
    ("haskell", &["hs", "haskell"]),
    ("html", &["html", "htm", "xhtml"]),
    ("ini", &["ini", "cfg", "editorconfig", "gitconfig"]),
    ("java", &["java"]),
    ("js", &["js", "javascript", "mjs", "cjs", "jsx", "node"]),
    ("json", &["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest"]),
    ("julia", &["jl", "julia"]),
    ("kt", &["kt", "kts", "kotlin"]),
    ("less", &["less"]),
    ("lua", &["lua"]),
    ("makefile", &["makefile", "gnumakefile", "mk", "make"]),
    ("md", &["md", "markdown", "mdx"]),
    ("nix", &["nix"]),
    ("ocaml", &["ml", "mli", "ocaml"]),
    ("perl", &["pl", "pm", "perl"]),
    ("php", &["php"]),
    ("proto", &["proto", "protobuf"]),
    ("py", &["py", "python", "pyi", "pyw", "python3", "py3"]),
    ("r", &["r", "rscript"]),
    ("rb", &["rb", "ruby", "gemfile", "rakefile", "gemspec"]),
    ("rs", &["rs", "rust"]),
    ("sass", &["sass"]),
    ("scala", &["scala", "sc", "sbt"]),
    ("scss", &["scss"]),
    ("sh", &["sh", "bash", "zsh", "ksh", "dash", "ash", "shell", "console", "shellscript", "bashrc", "bash_profile",
        "profile", "zshrc", "envrc"]),
    ("sql", &["sql", "sqlite", "postgres", "postgresql", "mysql", "ddl", "dml"]),
    ("svelte", &["svelte"]),
    ("swift", &["swift"]),
    ("tf", &["tf", "tfvars", "hcl", "terraform"]),
    ("toml", &["toml", "cargo.lock", "poetry.lock", "uv.lock"]),
    ("ts", &["ts", "typescript", "mts", "cts"]),
    ("tsx", &["tsx"]),
    ("vue", &["vue"]),
    ("xml", &["xml", "svg", "xsd", "xsl", "xslt", "plist", "csproj"]),
    ("yaml", &["yaml", "yml"]),
    ("zig", &["zig"]),
];

fn named(name: &str) -> Option<Language> {
    let name = name.to_ascii_lowercase();
    let means_it = |(_, names): &&(&'static str, &[&str])| names.contains(&name.as_str());
    LANGUAGES.iter().find(means_it).map(|(token, _)| Language { token, is_excerpt: false })
}

/// The language of an info string of a fence: `ts`, `python title="x"`, `{.rust .numberLines}`, `rust,ignore`.
fn of_fence_tag(tag: &str) -> Option<Language> {
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '.' | ':');
    tag.split(separates).find(|word| !word.is_empty()).and_then(named)
}

fn of_file_name(path: &str) -> Option<Language> {
    let name = path.rsplit(['/', '\\']).next()?;
    // `Dockerfile.dev` is named for its kind before the dot.
    let (stem, extension) = (name.split('.').next()?, name.rsplit('.').next()?);
    [name, extension, stem].into_iter().find_map(named)
}

fn of_content(content: &[u8]) -> Option<Language> {
    let content = content.trim_ascii_start();
    let first_line = content.split(|&byte| byte == b'\n').next()?;
    let starts =
        |prefix: &str| content.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()));
    match content.first()? {
        b'#' if starts("#!") => of_interpreter(first_line),
        b'{' | b'[' if is_json_so_far(content) => named("json"),
        b'<' if starts("<!doctype html") || starts("<html") => named("html"),
        b'<' if starts("<?xml") || starts("<svg") => named("xml"),
        b'<' if starts("<?php") => named("php"),
        _ => None,
    }
}

/// The interpreter of a shebang line such as `#!/usr/bin/env -S python3.12 -u`.
fn of_interpreter(line: &[u8]) -> Option<Language> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("#!")?;
    let mut programs =
        line.split_whitespace().filter(|word| !word.starts_with('-')).filter_map(|word| word.rsplit('/').next());
    let program = match programs.next()? {
        "env" => programs.next()?,
        program => program,
    };
    named(program).or_else(|| named(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')))
}

/// True if the content, which may be cut anywhere, begins with an array or object, with nothing else on the line where
/// it ends.
fn is_json_so_far(content: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(content).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {
            let rest = &content[values.byte_offset()..];
            rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')).is_none_or(|&byte| byte == b'\n')
        }
        Some(Err(error)) => error.is_eof(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file_name: Option<&str>, fence_tag: Option<&str>, content: &str, expected: Option<&str>) {
        let found = language_of(file_name, fence_tag, content.as_bytes()).map(Language::token);
        assert_eq!(found, expected, "{file_name:?} {fence_tag:?} {content:?}");
    }

    #[test]
    fn every_language_has_a_grammar_and_every_name_one_language() {
        let grammars = two_face::syntax::extra_newlines();
        let mut names = Vec::new();
        for (token, of_token) in LANGUAGES {
            let grammar = grammars.find_syntax_by_token(token);
            assert!(grammar.is_some_and(|grammar| grammar.name != "Plain Text"), "{token} has no grammar");
            names.extend_from_slice(of_token);
        }
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name means two languages");
    }

    #[test]
    fn the_tag_goes_before_the_name_and_the_name_before_the_content() {
        check(Some("a.py"), Some("ts"), "{}", Some("ts"));
        check(Some("a.py"), Some("unknown"), "{}", Some("py"));
        check(Some("a.unknown"), None, "{}", Some("json"));
        check(Some("a.py"), None, "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n", Some("diff"));
        check(Some("a.md"), None, "diff --git a/x b/x\n", Some("diff"));
        check(Some("a.md"), None, "--- \ntitle: x\n", Some("md"));
        check(Some("a.py"), Some("py"), "@@ -1 +1 @@\n", Some("py"));
        check(None, None, "just words", None);
        check(None, None, "", None);
    }

    #[test]
    fn fence_tags_may_carry_more() {
        for (tag, expected) in [
            ("TypeScript", "ts"),
            ("rust,ignore", "rs"),
            ("{.python .numberLines}", "py"),
            ("js title=\"a.js\"", "js"),
            ("json:schema", "json"),
            ("c++", "cpp"),
        ] {
            check(None, Some(tag), "", Some(expected));
        }
        check(None, Some(""), "", None);
    }

    #[test]
    fn files_are_known_by_extension_or_name() {
        for (name, expected) in [
            ("/src/app/main.TS", "ts"),
            ("C:\\work\\a.json", "json"),
            ("Dockerfile", "dockerfile"),
            ("deploy/Dockerfile.dev", "dockerfile"),
            ("Makefile", "makefile"),
            ("CMakeLists.txt", "cmake"),
            ("Cargo.lock", "toml"),
            (".bashrc", "sh"),
            ("archive.test.tsx", "tsx"),
        ] {
            check(Some(name), None, "", Some(expected));
        }
        check(Some("notes.txt"), None, "", None);
        check(Some(""), None, "", None);
    }

    #[test]
    fn content_is_recognised_by_its_first_bytes() {
        for (content, expected) in [
            ("#!/bin/sh\necho", Some("sh")),
            ("#!/usr/bin/env -S python3.12 -u\n", Some("py")),
            ("#!/usr/local/bin/node\n", Some("js")),
            ("# a heading", None),
            ("{\"a\": [1, 2", Some("json")),
            (" \n[\n  {\"a\": 1}\n]\n", Some("json")),
            ("{\"a\":1}\n{\"a\":2}\n", Some("json")),
            ("{ a: 1 }", None),
            ("[1] see below", None),
            ("[section]\nkey = 1", None),
            ("diff --git a/x b/x\n", Some("diff")),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", Some("diff")),
            ("---\ntitle: x\n", None),
            ("<!DOCTYPE HTML><p>", Some("html")),
            ("<?xml version='1.0'?>", Some("xml")),
            ("<p>", None),
        ] {
            check(None, None, content, expected);
        }
    }
}
