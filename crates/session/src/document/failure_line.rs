//! Finds the line of a failed call's result that states the reason: `AssertionError: 3 != 4` rather than a rule, a
//! stack frame, or a leading exit status.
//!
//! Each line is ranked independently, except that the last exception of a Python traceback wins, as it ended the
//! program. Only the beginning and end of a long output are read.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::text::colour_codes::stretches;
use crate::text::escape_sequences::without_escapes;
use crate::text::line_regex::{Regex, fixed};
use crate::text::{Span, Text, steps, trim};

/// Maximum length of the quoted line in bytes, without colour codes.
const LINE: usize = 160;

/// Number of bytes searched at each end of a result.
const WINDOW: usize = 8 * 1024;

/// Number of bytes of a line that are ranked.
const WEIGHED: usize = 512;

/// Cache of the lines found, by the items of the results. A result is complete, and cached, once another item follows
/// it.
#[derive(Debug, Default)]
pub(super) struct FailureLines(Mutex<HashMap<usize, Span>>);

impl Clone for FailureLines {
    /// Clones are empty: the cache fills again.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl FailureLines {
    /// The line of result number `item`, whose bytes are `span`. The result is `complete` if no more bytes can arrive.
    pub(super) fn line(&self, item: usize, span: Span, complete: bool, text: &Text) -> Span {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = known.get(&item).filter(|line| line.start >= span.start && line.end <= span.end) {
            return *line;
        }
        let line = failure_line(span, text);
        if complete {
            known.insert(item, line);
        }
        line
    }
}

/// True if the quoted span is cut off before the end of its line.
pub(super) fn is_cut(quoted: Span, text: &Text) -> bool {
    /// Maximum number of bytes of an incomplete character at the end.
    const CHARACTER: usize = 3;
    let rest = text.read_str(Span::new(quoted.end, text.len().min(quoted.end + WEIGHED)));
    let rest = rest.lines().next().map(|rest| without_escapes(rest).into_owned()).unwrap_or_default();
    let rest = rest.trim();
    quoted.len() + CHARACTER >= LINE && !rest.is_empty() && rest.as_bytes() != SUFFIX
}

/// How informative a line is, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// A stack frame, a heading, an exit status.
    Frame,
    /// Any text.
    Words,
    /// Text that suggests a failure: `No such file or folder`, `FAILED tests/a.py`.
    Failing,
    /// `error: …`
    Error,
    /// The name of an exception and its message.
    Exception,
}

/// The line of a result that states why the call failed, trimmed, at most [`LINE`] bytes of it; an empty span for a
/// result without text.
fn failure_line(span: Span, text: &Text) -> Span {
    let head = Span::new(span.start, span.end.min(span.start + WINDOW));
    let tail = Span::new(head.end.max(span.end.saturating_sub(WINDOW)), span.end);
    let mut search = Search::default();
    for (window, is_cut) in [(head, false), (tail, tail.start > head.end)] {
        let bytes = text.read(window);
        steps::add(bytes.len() / WEIGHED + 1);
        let mut start = window.start;
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            // The first line of the tail may be incomplete.
            if !(is_cut && number == 0) {
                search.weigh(start, line);
            }
            start += line.len() + 1;
        }
    }
    search.best.map_or(Span::at(span.start), |(_, found)| found)
}

#[derive(Default)]
struct Search {
    best: Option<(Weight, Span)>,
    /// True within a traceback, whose last exception wins.
    in_traceback: bool,
    /// True if the previous line announced the error message.
    announced: bool,
}

impl Search {
    /// Ranks a line that begins at text offset `start`.
    fn weigh(&mut self, start: usize, line: &[u8]) {
        let Some(said) = words_of_line(line) else { return };
        let words = String::from_utf8_lossy(&line[said.start..said.end.min(said.start + WEIGHED)]);
        let words = without_escapes(&words);
        let own = weight(words.trim());
        let Some(own) = own else { return };
        let weight = if std::mem::take(&mut self.announced) { Weight::Exception } else { own };
        self.in_traceback |= words.starts_with("Traceback (most recent call last)");
        self.announced = PANIC.is_match(&*words) && words.trim_end().ends_with(':');
        let is_later =
            |best: Weight| weight > best || (weight == best && weight == Weight::Exception && self.in_traceback);
        if self.best.is_none_or(|(best, _)| is_later(best)) {
            let skipped = PREFIX.find(&*words).filter(|_| line[said.start] != b'\x1b').map_or(0, |found| found.end());
            let skipped = if skipped < said.end - said.start { skipped } else { 0 };
            let end = said.end - if line[..said.end].ends_with(SUFFIX) { SUFFIX.len() } else { 0 };
            self.best = Some((weight, Span::new(start + said.start + skipped, start + end)));
        }
    }
}

/// Prefixes added by pytest and by agents' tools.
static PREFIX: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?:E {2,}|<tool_use_error>\s*)"));
/// Suffix added to errors by agents' tools.
const SUFFIX: &[u8] = b"</tool_use_error>";
static PANIC: LazyLock<Regex> = LazyLock::new(|| fixed(r"^thread '.*' (?:\(\d+\) )?panicked at "));
static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(concat!(
        r"^(?:Uncaught |Unhandled |Caused by: )?(?:[\w$]+[.:]{1,2})*",
        r"(?:[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt)|Error)(?:\s*[\[(][\w.]+[\])])?(?::\s*\S|\s*$)",
        r"|^thread '.*' panicked at '|^panic: \S|^fatal: \S|^error\[\w+\]: \S|^assertion .* failed"
    ))
});
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"(?i)^(?:\[?(?:error|err|fatal|critical)\]?\b\s*[:!|]?\s*\S)|(?i): (?:fatal )?error\b[^.]*:")
});
static FAILING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(concat!(
        r"(?i)no such file|permission denied|not found\b|does not exist|doesn't exist|timed out|timeout|refused\b",
        r"|\bcannot\b|\bcan't\b|could not\b|couldn't\b|failed to\b|\bunable to\b|\bdenied\b|\binvalid\b|\bnot allowed\b",
        r"|^E {2,}|\bFAIL(?:ED|URE)?\b|^not ok\b|\bERR!|^[✗✘×✕] "
    ))
});
static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    fixed(concat!(
        r#"(?i)^Traceback \(most recent|^at \S+|^File ".*", line \d+|^(?:error:?\s*)?(?:process |command |script )?"#,
        r"(?:failed with |finished with |exited with |returned )?(?:an? )?(?:non-zero )?exit(?:ed)?(?: with)?(?: code| status| value)?:?\s*-?\d+\.?$",
        r"|^(?:stdout|stderr|output|error|errors|failures|command|cwd|chunk id|wall time|original token count)\s*:?\s*$",
        r"|^(?:chunk id|wall time|original token count|process exited with code|exit code)\b",
        r"|^(?:=|-|_|─|━|═|#|\*){3,}.*(?:=|-|_|─|━|═|#|\*){3,}$",
        r"|^thread '.*' (?:\(\d+\) )?panicked at .*:$|^During handling of the above exception|^note: run with",
        r"|^npm err! (?:code|errno|path|command|a complete log|/)|^error: (?:test failed|could not compile|script )"
    ))
});

/// Ranks text; `None` if it has no letters or digits, such as a rule.
fn weight(words: &str) -> Option<Weight> {
    if !words.chars().any(char::is_alphanumeric) {
        return None;
    }
    let said = &words[PREFIX.find(words).map_or(0, |found| found.end())..];
    Some(match () {
        () if FRAME.is_match(said) => Weight::Frame,
        () if EXCEPTION.is_match(said) => Weight::Exception,
        () if ERROR.is_match(said) => Weight::Error,
        () if FAILING.is_match(words) => Weight::Failing,
        () => Weight::Words,
    })
}

/// The text of a line without surrounding spaces: at most [`LINE`] bytes, plus the colour codes in between.
fn words_of_line(line: &[u8]) -> Option<Span> {
    let mut room = LINE;
    let mut found: Option<Span> = None;
    for stretch in stretches(line) {
        let words = trim(&line[stretch.clone()], stretch.start);
        if words.is_empty() && found.is_none() {
            continue;
        }
        let mut end = words.end.min(words.start + room);
        // Does not split a character.
        while end < words.end && end > words.start && line[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        if end > words.start {
            found = Some(Span::new(found.map_or(words.start, |found| found.start), end));
        }
        room = room.saturating_sub(stretch.len());
        if room == 0 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: &str, expected: &str) {
        let mut text = Text::default();
        text.push(result.as_bytes());
        let span = failure_line(Span::new(0, result.len()), &text);
        assert_eq!(text.read_str(span), expected, "{result:?}");
    }

    #[test]
    fn without_words_of_failing_the_first_line_tells_that_says_more_than_colours() {
        let long = "é".repeat(LINE);
        for (result, expected) in [
            ("", ""),
            (" \n\t", ""),
            ("  plain words \nmore", "plain words"),
            ("\x1b[31m\x1b[1m\n \x1b[22m a.test.ts \x1b[0m b\x1b[m \n", "a.test.ts \x1b[0m b"),
            ("\x1b[31m\n\x1b[0m", ""),
            (&long, &long[..LINE]),
            (&format!("x{long}"), &format!("x{long}")[..LINE - 1]),
        ] {
            check(result, expected);
        }
    }

    #[test]
    fn the_line_that_tells_is_chosen_and_neither_a_rule_nor_the_first() {
        for (result, expected) in [
            ("==========\nplain words", "plain words"),
            ("Exit code 1\nplain words", "plain words"),
            ("Exit code 1", "Exit code 1"),
            (
                "Chunk ID: 3f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nls: x: No such file",
                "ls: x: No such file",
            ),
            ("<tool_use_error>File has not been read yet.</tool_use_error>", "File has not been read yet."),
            (
                "===== FAILURES =====\n____ test_sum ____\n>       assert f() == 4\nE       AssertionError: assert 3 == 4\n\nt.py:3: AssertionError\n=== short test summary info ===\nFAILED t.py::test_sum - AssertionError: assert 3 == 4",
                "AssertionError: assert 3 == 4",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3\npkg.errors.ConfigError: no key a",
                "pkg.errors.ConfigError: no key a",
            ),
            (
                "/app/a.js:3\n  throw new TypeError('x is not a function')\n  ^\n\nTypeError: x is not a function\n    at f (/app/a.js:3:9)\n    at Module._compile",
                "TypeError: x is not a function",
            ),
            ("AssertionError [ERR_ASSERTION]: 3 == 4\n    at x", "AssertionError [ERR_ASSERTION]: 3 == 4"),
            (
                "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at src/lib.rs:3:9:\nindex out of bounds: the len is 3\nnote: run with `RUST_BACKTRACE=1`\n\nerror: test failed, to rerun pass `--lib`",
                "index out of bounds: the len is 3",
            ),
            (
                "   Compiling a v0.1.0\nwarning: unused\nerror[E0308]: mismatched types\n --> src/main.rs:2:5\nerror: could not compile `a`",
                "error[E0308]: mismatched types",
            ),
            (
                "building\nmain.c:3:5: error: expected ';' before '}'\nmake: *** [all] Error 1",
                "main.c:3:5: error: expected ';' before '}'",
            ),
            ("\x1b[1m\x1b[31mValueError\x1b[0m: bad\nmore", "ValueError\x1b[0m: bad"),
            ("hint: look\nfatal: not a git repository", "fatal: not a git repository"),
        ] {
            check(result, expected);
        }
        // Nothing is searched in the middle of an output that is longer than both windows.
        let filler = "plain\n".repeat(WINDOW);
        check(&format!("{filler}ValueError: a\n{filler}"), "plain");
        check(&format!("{filler}ValueError: a\n"), "ValueError: a");
    }
}
