//! Turns a text into runs of roles, with the grammars of syntect and two-face.
//!
//! A grammar gives each piece of text a stack of scopes, `source.rust meta.function.rust storage.type.function.rust`.
//! The innermost scope that has a role decides.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::highlight::{CodeRole, Highlighted, Language, MAX_LINE_BYTES, MAX_LINES, MAX_TEXT_BYTES, diff};
use crate::text::colour_codes::{sequences, without};

/// Lines that are not reached within this time stay plain, so that one slow text does not block others.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The grammars, and a cache of the roles of scopes.
pub struct Painter {
    grammars: SyntaxSet,
    rules: Vec<(Scope, CodeRole)>,
    key: Scope,
    roles: HashMap<Scope, Option<CodeRole>>,
}

impl Painter {
    /// Loads the grammars, in about two milliseconds; each compiles its expressions on first use.
    pub fn load() -> Painter {
        let scope = |name: &str| Scope::new(name).expect("a scope of at most eight atoms");
        Painter {
            grammars: two_face::syntax::extra_newlines(),
            rules: RULES.iter().map(|(name, role)| (scope(name), *role)).collect(),
            key: scope("meta.mapping.key"),
            roles: HashMap::new(),
        }
    }

    /// Highlights a text until a limit is reached or `is_cancelled` returns true; the rest stays plain.
    pub fn paint(&mut self, language: Language, text: &[u8], is_cancelled: impl Fn() -> bool) -> Highlighted {
        #[cfg(any(test, feature = "testing"))]
        assert_ne!(language, Language::PANICS, "a panic on purpose");
        if language.is_diff() {
            return diff::paint(text);
        }
        let Some(grammar) = self.grammars.find_syntax_by_token(language.token()) else {
            return Highlighted::default();
        };
        let begin = ParseState::new(grammar);
        let mut state = begin.clone();
        let mut stack = ScopeStack::new();
        let mut lines = Vec::new();
        let mut bytes = 0;
        let started = Instant::now();
        for line in text.split(|&byte| byte == b'\n').take(MAX_LINES) {
            bytes += line.len() + 1;
            if bytes > MAX_TEXT_BYTES || is_cancelled() || started.elapsed() > MAX_TIME {
                break;
            }
            if says_cut(line) {
                // Code after the cut does not continue the lines before it.
                state = begin.clone();
                stack = ScopeStack::new();
                lines.push(Vec::new());
                continue;
            }
            if language.is_excerpt() {
                (state, stack) = (begin.clone(), ScopeStack::new());
            }
            lines.push(self.paint_line(line, &mut state, &mut stack));
        }
        Highlighted { lines }
    }

    /// The runs of a line; none if it is too long, is not UTF-8, or the grammar fails.
    fn paint_line(&mut self, line: &[u8], state: &mut ParseState, stack: &mut ScopeStack) -> Vec<(usize, CodeRole)> {
        let mut runs = Vec::new();
        if line.len() > MAX_LINE_BYTES {
            return runs;
        }
        let Ok(coloured) = std::str::from_utf8(line) else {
            return runs;
        };
        // A line that another program has coloured is parsed without its escape sequences.
        let text = without(coloured);
        // The grammars expect the line end.
        let Ok(changes) = state.parse_line(&format!("{text}\n"), &self.grammars) else {
            return runs;
        };
        let mut start = 0;
        for (at, change) in changes {
            let end = at.min(text.len());
            add_run(&mut runs, end - start, self.role(stack));
            start = end;
            // A grammar that pops what it has not pushed costs no more than a wrong colour.
            let _ = stack.apply(&change);
        }
        add_run(&mut runs, text.len() - start, self.role(stack));
        add_sequences(&mut runs, line);
        if runs.iter().all(|(_, role)| *role == CodeRole::Plain) {
            runs.clear();
        }
        runs
    }

    fn role(&mut self, stack: &ScopeStack) -> CodeRole {
        let innermost = stack.as_slice().iter().rev().find_map(|scope| self.role_of(*scope));
        match innermost {
            // Grammars of data formats give a key the scope of a string, inside a scope for keys.
            Some(CodeRole::String) if stack.as_slice().iter().any(|scope| self.key.is_prefix_of(*scope)) => {
                CodeRole::Property
            }
            role => role.unwrap_or(CodeRole::Plain),
        }
    }

    fn role_of(&mut self, scope: Scope) -> Option<CodeRole> {
        let rules = &self.rules;
        *self
            .roles
            .entry(scope)
            .or_insert_with(|| rules.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, role)| *role))
    }
}

/// True if a line replaces lines that a tool has left out: `... [29 lines truncated] ...`.
fn says_cut(line: &[u8]) -> bool {
    /// Most bytes of such a line.
    const LONGEST: usize = 160;
    let line = line.trim_ascii();
    let Ok(words) = std::str::from_utf8(&line[..line.len().min(LONGEST)]) else { return false };
    words.len() == line.len()
        && words.starts_with(['[', '(', '<', '{', '.', '…', '*', '-'])
        && ["truncated", "omitted", "lines hidden", "more lines", "elided", "characters cut"]
            .iter()
            .any(|said| words.contains(said))
}

/// Extends runs of the text without escape sequences so that they cover the original line.
fn add_sequences(runs: &mut Vec<(usize, CodeRole)>, line: &[u8]) {
    let mut at = 0;
    // The first byte after the run.
    let mut end = runs.first().map_or(0, |(len, _)| *len);
    for sequence in sequences(line) {
        while end < sequence.start && at + 1 < runs.len() {
            at += 1;
            end += runs[at].0;
        }
        match runs.get_mut(at) {
            Some((len, _)) => *len += sequence.len(),
            None => runs.push((sequence.len(), CodeRole::Plain)),
        }
        end += sequence.len();
    }
}

fn add_run(runs: &mut Vec<(usize, CodeRole)>, len: usize, role: CodeRole) {
    match runs.last_mut() {
        _ if len == 0 => {}
        Some((last, of_last)) if *of_last == role => *last += len,
        _ => runs.push((len, role)),
    }
}

/// Roles of scopes: the first matching prefix decides. A scope without a match takes the role of the one around it.
#[rustfmt::skip]
const RULES: &[(&str, CodeRole)] = &[
    ("comment", CodeRole::Comment),
    ("punctuation.definition.comment", CodeRole::Comment),
    ("punctuation.definition.string", CodeRole::String),
    ("punctuation.definition.inserted", CodeRole::Inserted),
    ("punctuation.definition.deleted", CodeRole::Deleted),
    ("punctuation.separator.decimal", CodeRole::Number),
    ("punctuation", CodeRole::Punctuation),
    ("constant.numeric", CodeRole::Number),
    ("constant", CodeRole::Constant),
    ("string", CodeRole::String),
    // Code within a string is code again.
    ("meta.interpolation", CodeRole::Plain),
    ("meta.template.expression", CodeRole::Plain),
    ("meta.embedded", CodeRole::Plain),
    ("source", CodeRole::Plain),
    ("meta.brace", CodeRole::Punctuation),
    ("meta.object-literal.key", CodeRole::Property),
    ("keyword.operator.word", CodeRole::Keyword),
    ("keyword.operator.logical.python", CodeRole::Keyword),
    ("keyword.operator.expression", CodeRole::Keyword),
    ("keyword.operator.new", CodeRole::Keyword),
    ("keyword.operator", CodeRole::Punctuation),
    ("keyword", CodeRole::Keyword),
    ("storage", CodeRole::Keyword),
    ("entity.name.function", CodeRole::Function),
    ("entity.name.constant", CodeRole::Constant),
    ("entity.name.label", CodeRole::Constant),
    ("entity.name.key", CodeRole::Property),
    ("entity.name.tag.yaml", CodeRole::Property),
    ("entity.name.tag.toml", CodeRole::Property),
    ("entity.name", CodeRole::Type),
    ("entity.other.attribute-name", CodeRole::Property),
    ("entity.other.inherited-class", CodeRole::Type),
    ("support.function", CodeRole::Function),
    ("support.macro", CodeRole::Function),
    ("support.type.property-name", CodeRole::Property),
    ("support.constant", CodeRole::Constant),
    ("support.type", CodeRole::Type),
    ("support.class", CodeRole::Type),
    ("variable.function", CodeRole::Function),
    ("variable.language", CodeRole::Constant),
    ("variable.other.member", CodeRole::Property),
    ("variable.other.property", CodeRole::Property),
    ("variable.other.object.property", CodeRole::Property),
    ("variable.other.key", CodeRole::Property),
    ("variable", CodeRole::Plain),
    ("markup.inserted", CodeRole::Inserted),
    ("markup.deleted", CodeRole::Deleted),
    ("markup.heading", CodeRole::Type),
    ("markup.raw", CodeRole::String),
    ("markup.underline.link", CodeRole::String),
    ("meta.diff.header", CodeRole::Type),
    ("meta.diff.range", CodeRole::Function),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::language_of;

    fn paint(tag: &str, text: &[u8]) -> Highlighted {
        let language = language_of(None, Some(tag), b"").expect(tag);
        Painter::load().paint(language, text, || false)
    }

    /// The text of each run of a line, with its role.
    fn shown(line: &str, runs: &[(usize, CodeRole)]) -> Vec<(CodeRole, String)> {
        let mut start = 0;
        let mut shown = Vec::new();
        for (len, role) in runs {
            shown.push((*role, line[start..start + len].to_owned()));
            start += len;
        }
        assert!(runs.is_empty() || start == line.len(), "the runs of {line:?} do not make it up");
        shown
    }

    #[test]
    fn words_have_the_role_that_they_have_in_their_language() {
        for (tag, line, words) in [
            (
                "ts",
                "const n: number = f(1); // é",
                &[
                    (CodeRole::Keyword, "const"),
                    (CodeRole::Number, "1"),
                    (CodeRole::Function, "f"),
                    (CodeRole::Comment, "// é"),
                ][..],
            ),
            ("tsx", "interface A { b: string }", &[(CodeRole::Keyword, "interface"), (CodeRole::Type, "A")]),
            (
                "rs",
                "fn f() { \"a\\n\" }",
                &[
                    (CodeRole::Keyword, "fn"),
                    (CodeRole::Function, "f"),
                    (CodeRole::String, "\"a"),
                    (CodeRole::Constant, "\\n"),
                ],
            ),
            (
                "json",
                "{\"key\": \"value\", \"n\": -1.5, \"b\": true}",
                &[
                    (CodeRole::Property, "\"key\""),
                    (CodeRole::String, "\"value\""),
                    (CodeRole::Number, "-1.5"),
                    (CodeRole::Constant, "true"),
                ],
            ),
            (
                "yaml",
                "key: value # note",
                &[(CodeRole::Property, "key"), (CodeRole::String, "value"), (CodeRole::Comment, "# note")],
            ),
            ("toml", "key = \"value\"", &[(CodeRole::Property, "key"), (CodeRole::String, "\"value\"")]),
            (
                "bash",
                "if true; then echo \"x\"; fi",
                &[(CodeRole::Keyword, "if"), (CodeRole::Function, "echo"), (CodeRole::String, "\"x\"")],
            ),
            ("py", "def f(): return not None", &[(CodeRole::Function, "f"), (CodeRole::Constant, "None")]),
            (
                "html",
                "<p class=\"a\">",
                &[(CodeRole::Type, "p"), (CodeRole::Property, "class"), (CodeRole::String, "\"a\"")],
            ),
            ("diff", "+added", &[(CodeRole::Inserted, "+added")]),
            ("diff", "-removed", &[(CodeRole::Deleted, "-removed")]),
        ] {
            let runs = shown(line, &paint(tag, line.as_bytes()).lines[0]);
            for (role, word) in words {
                let has_word = |(of_run, run): &(CodeRole, String)| of_run == role && run.trim() == *word;
                assert!(runs.iter().any(has_word), "{tag}: no {role:?} {word:?} in {runs:?}");
            }
        }
    }

    #[test]
    fn a_line_that_was_coloured_by_another_program_is_painted_as_if_it_was_not() {
        for (line, expected) in [
            ("\x1b[31mtrue\x1b[0m", vec![(4 + 9, CodeRole::Constant)]),
            ("tr\x1b[1mue\x1b[m 1", vec![(4 + 7, CodeRole::Constant), (1, CodeRole::Plain), (1, CodeRole::Number)]),
            ("\x1b[31m", vec![]),
        ] {
            assert_eq!(paint("js", line.as_bytes()).lines[0], expected, "{line:?}");
        }
    }

    #[test]
    fn a_line_that_is_not_utf8_or_too_long_is_plain_and_the_next_is_not() {
        let long = format!("\"{}\"", "x".repeat(MAX_LINE_BYTES));
        let text = [b"1", b"\xff 1".as_slice(), b"1 // \xc3\xa9\r", long.as_bytes(), b"true"].join(&b'\n');
        let lines = paint("js", &text).lines;
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0], [(1, CodeRole::Number)]);
        assert!(lines[1].is_empty());
        assert_eq!(lines[2], [(1, CodeRole::Number), (1, CodeRole::Plain), (6, CodeRole::Comment)]);
        assert!(lines[3].is_empty());
        assert_eq!(lines[4], [(4, CodeRole::Constant)]);
    }

    #[test]
    fn the_colours_of_a_value_end_where_it_was_cut() {
        for cut in
            ["... [29 lines truncated] ...", "[... omitted 3 of 40 lines ...]", "…12 more lines…", "<truncated 4 kB>"]
        {
            let text = format!("x = \"\"\"begun\n{cut}\nreturn None");
            let lines = paint("py", text.as_bytes()).lines;
            assert!(lines[1].is_empty(), "{cut}");
            assert!(lines[2].contains(&(4, CodeRole::Constant)), "{cut}: {:?}", lines[2]);
        }
        let text = "x = \"\"\"begun\n...\nreturn None";
        assert_eq!(paint("py", text.as_bytes()).lines[2], [(11, CodeRole::String)], "three dots alone are code");
    }

    #[test]
    fn a_text_that_begins_in_a_string_is_not_coloured_inside_out() {
        let text = "the end of the words.\n\"\"\"\nreturn None\n# done";
        let language = language_of(None, Some("py"), b"").expect("Python");
        let line = |language| Painter::load().paint(language, text.as_bytes(), || false).lines.swap_remove(2);
        assert_eq!(line(language), [(11, CodeRole::Comment)]);
        assert!(line(language.of_excerpt()).contains(&(4, CodeRole::Constant)));
    }

    #[test]
    fn a_text_beyond_the_limits_is_plain_there() {
        assert_eq!(paint("json", &b"1\n".repeat(MAX_LINES + 10)).lines.len(), MAX_LINES);
        let line = [b"\"".as_slice(), &[b'x'; 4000], b"\"\n"].concat();
        let lines = paint("json", &line.repeat(100)).lines;
        assert!(lines.len() <= MAX_TEXT_BYTES / line.len() && !lines.is_empty());
    }

    #[test]
    fn cancelled_work_ends() {
        let language = language_of(None, Some("json"), b"").expect("JSON");
        assert_eq!(Painter::load().paint(language, b"1\n2", || true), Highlighted::default());
    }
}
