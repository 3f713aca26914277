//! Refused phrases (`phrases.txt`): texts that users see hold none, and in comments their number only falls.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr as _;

use fancy_regex::Regex;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{Source, files, read, root, source_folders, sources};

/// A line of `phrases.txt`.
struct Phrase {
    /// True for `H`: no use of it is right, and no comment holds it.
    is_hard: bool,
    /// Comment lines that still hold it.
    comments: usize,
    expression: String,
    regex: Regex,
    replacement: String,
}

/// A text of the project and the file it is in, as a path below the project's folder.
struct Text {
    file: String,
    text: String,
}

fn list() -> PathBuf {
    root().join("tests/tidy/phrases.txt")
}

fn phrases() -> Vec<Phrase> {
    let text = read(&list());
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let phrase = |line: &str| {
        let [kind, comments, expression, replacement] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("phrases.txt: four columns are expected: {line}");
        };
        assert!(["H", "R"].contains(&kind), "phrases.txt: H or R is expected: {line}");
        Phrase {
            is_hard: kind == "H",
            comments: comments.parse().unwrap_or_else(|error| panic!("phrases.txt: {error}: {line}")),
            expression: expression.to_owned(),
            regex: Regex::new(expression).unwrap_or_else(|error| panic!("phrases.txt: {error}")),
            replacement: replacement.to_owned(),
        }
    };
    let phrases: Vec<Phrase> = lines.map(phrase).collect();
    assert!(!phrases.is_empty(), "phrases.txt holds no phrase, so nothing would be refused");
    phrases
}

impl Phrase {
    fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text).expect("the expressions do not backtrack far")
    }
}

/// The code of a source file, without the tests at its end.
fn code(source: &Source) -> String {
    let text = read(&root().join(source.path()));
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned()
}

/// Each comment line of code and YAML, without its sign.
fn comments() -> Vec<Text> {
    let mut found = Vec::new();
    let mut collect = |file: &str, text: &str, sign: &str| {
        for comment in text.lines().filter_map(|line| line.trim_start().strip_prefix(sign)) {
            found.push(Text { file: file.to_owned(), text: comment.trim_start_matches(['/', '!']).trim().to_owned() });
        }
    };
    for source in sources().values() {
        collect(&source.path(), &code(source), "//");
    }
    for (file, text) in data("yaml") {
        collect(&file, &text, "#");
    }
    found
}

/// Path and text of each file next to the code with that extension.
fn data(extension: &str) -> Vec<(String, String)> {
    let in_folder = |folder: String| {
        let paths = files(&root().join(&folder)).into_iter();
        let paths = paths.filter(|path| path.extension() == Some(extension.as_ref()));
        paths.map(move |path| format!("{folder}/{}", path.display())).collect::<Vec<_>>()
    };
    let paths = source_folders().into_iter().flat_map(in_folder);
    paths.map(|file| (file.clone(), read(&root().join(file)))).collect()
}

/// Texts that users see: string literals and pages, and the help of the command line, which are doc comments of `cli`.
///
/// A literal without a space is a name.
fn shown_texts() -> Vec<Text> {
    let mut found = Vec::new();
    for (name, source) in sources() {
        let tokens = TokenStream::from_str(&code(source)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut literals = Vec::new();
        collect_literals(tokens, source.is_in("cli"), &mut literals);
        found.extend(literals.into_iter().map(|text| Text { file: source.path(), text }));
    }
    for (file, text) in data("html").into_iter().chain(data("md")) {
        found.extend(text.lines().map(|line| Text { file: file.clone(), text: line.to_owned() }));
    }
    found.retain(|shown| shown.text.contains(' '));
    found
}

/// String literals in `tokens`; the ones in doc comments of items only `with_docs`.
fn collect_literals(tokens: TokenStream, with_docs: bool, found: &mut Vec<String>) {
    let mut is_inner = false;
    for token in tokens {
        let follows_bang =
            std::mem::replace(&mut is_inner, matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '!'));
        match token {
            TokenTree::Group(group) => {
                let is_doc = group.delimiter() == Delimiter::Bracket
                    && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc");
                if !is_doc || with_docs && !follows_bang {
                    collect_literals(group.stream(), with_docs, found);
                }
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[test]
fn texts_that_users_see_hold_no_refused_phrase() {
    let texts = shown_texts();
    let mut faults = Vec::new();
    for phrase in phrases() {
        for shown in texts.iter().filter(|shown| phrase.is_in(&shown.text)) {
            faults.push(format!("{}: {:?}: {} → {}", shown.file, shown.text, phrase.expression, phrase.replacement));
        }
    }
    super::none(&faults);
}

#[test]
fn refused_phrases_in_comments_only_become_fewer() {
    let comments = comments();
    let mut faults = Vec::new();
    let mut renewed = read(&list());
    for phrase in phrases() {
        let hits: Vec<&Text> = comments.iter().filter(|comment| phrase.is_in(&comment.text)).collect();
        if hits.len() > phrase.comments {
            let mut fault = format!("{}: {} instead of {}", phrase.expression, hits.len(), phrase.comments);
            for hit in hits {
                write!(fault, "\n    {}: {} → {}", hit.file, hit.text, phrase.replacement).expect("memory");
            }
            faults.push(fault);
        } else if hits.len() < phrase.comments {
            let column = |count| format!("\t{count}\t{}\t", phrase.expression);
            renewed = renewed.replace(&column(phrase.comments), &column(hits.len()));
        }
    }
    super::none(&faults);
    if renewed != read(&list()) {
        fs::write(list(), renewed).expect("phrases.txt is writable");
        assert!(
            std::env::var("CI").is_err(),
            "there are fewer refused phrases than phrases.txt allows: commit its new numbers"
        );
    }
}

#[test]
fn comments_hold_no_hard_phrase() {
    let hard = phrases().into_iter().filter(|phrase| phrase.is_hard && phrase.comments > 0);
    super::none(
        &hard
            .map(|phrase| format!("phrases.txt allows {} of {}", phrase.comments, phrase.expression))
            .collect::<Vec<_>>(),
    );
}
