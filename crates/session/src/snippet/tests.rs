//! Tests of the rows of problems.

use super::*;
use crate::diagnostic::Code;

#[track_caller]
fn check(text: &str, diagnostic: &Diagnostic, width: usize, expected: &str) {
    let session = Session::from_bytes(text.as_bytes());
    let shown: Vec<String> =
        rows(diagnostic, &session, SnippetLayout { name: Some("a.txt"), width }, &mut Walk::default())
            .iter()
            .map(SnippetRow::text)
            .collect();
    assert_eq!(shown.join("\n"), expected.trim_matches('\n'), "\n{}", shown.join("\n"));
}

fn problem(span: Range<usize>) -> Diagnostic {
    Diagnostic::new(Code::DuplicatePointer, Span::new(span.start, span.end), "Duplicate pointer: b").help("once")
}

#[test]
fn lines_near_one_another_are_joined_and_others_are_left_out() {
    let text = "a\nb\nc\nb\ne\nf\ng\nb\n";
    let near = problem(6..7).related(Span::new(2, 3), "first").contrast("c", "b");
    check(
        text,
        &near,
        60,
        "
error[duplicate-pointer]: Duplicate pointer: b
 --> a.txt:4:1
  |
2 | b
  | - first
3 | c
4 | b
  | ^
  |
  = expected c, found b
  = help: once",
    );
    check(
        text,
        &problem(14..15).related(Span::new(2, 3), "first"),
        60,
        "
error[duplicate-pointer]: Duplicate pointer: b
 --> a.txt:8:1
  |
2 | b
  | - first
...
8 | b
  | ^
  |
  = help: once",
    );
}

#[test]
fn a_span_of_several_lines_shows_the_first_and_the_last() {
    check(
        "say one\ntwo\nthree\nfour five\n",
        &problem(4..22),
        60,
        "
error[duplicate-pointer]: Duplicate pointer: b
 --> a.txt:1:5
  |
1 | say one
  |     ^^^
...
4 | four five
  | ^^^^
  |
  = help: once",
    );
}

#[test]
fn a_long_line_is_a_window_around_each_place() {
    let text = format!("{}HERE{}THERE{}", "x".repeat(5000), "日".repeat(100), "y".repeat(5000));
    check(
        &text,
        &problem(5000..5004).related(Span::new(5304, 5309), "and"),
        40,
        "
error[duplicate-pointer]: Duplicate
                          pointer: b
 --> a.txt:1:5001
  |
1 | …xxxxxxxxxxxxHERE日日日日日日日日日…
  |              ^^^^
1 | …日日日日日日THEREyyyyyyyyyyyyyyyyy…
  |              ----- and
  |
  = help: once",
    );
}

#[test]
fn end_of_text_and_invisible_characters_have_a_column() {
    check(
        "a\tb\u{1b}c",
        &problem(3..4),
        60,
        "
error[duplicate-pointer]: Duplicate pointer: b
 --> a.txt:1:4
  |
1 | a   b␛c
  |      ^
  |
  = help: once",
    );
    check(
        "ab\n",
        &problem(3..3),
        60,
        "
error[duplicate-pointer]: Duplicate pointer: b
 --> a.txt:2:1
  |
2 |
  | ^
  |
  = help: once",
    );
}

#[test]
fn no_row_of_a_message_is_wider_than_the_layout() {
    let problem = Diagnostic { message: "Duplicate pointer: abcdef".into(), ..problem(0..1) };
    let problem = problem.related(Span::new(2, 3), "日本語日本語日本語");
    check(
        "a b\n",
        &problem,
        40,
        "
error[duplicate-pointer]: Duplicate
                          pointer:
                          abcdef
 --> a.txt:1:1
  |
1 | a b
  | ^
  |   - 日本語日本語日本語
  |
  = help: once",
    );
    check(
        "a b\n",
        &problem,
        24,
        "
error[duplicate-pointer]: Duplicate
                          pointer:
                          abcdef
 --> a.txt:1:1
  |
1 | a b
  | ^
  |   -
  |   日本語日本語日本語
  |
  = help: once",
    );
}
