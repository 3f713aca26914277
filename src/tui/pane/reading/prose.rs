//! Styles for prose written in Markdown; the text itself is shown unchanged.

use std::ops::Range;
use std::panic::catch_unwind;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::highlight::{Language, language_of};
use crate::text::diff_lines::diff_lines;
use crate::tui::highlight::role_of_code;
use crate::tui::style::Role;

/// Minimum bytes of a line that counts as full: prose is usually wrapped at 72 to 100 columns.
const FILLED: usize = 60;

/// The Markdown structure of a text; ranges are byte offsets into the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownStyles {
    /// Styles of ranges, outer before inner.
    pub styles: Vec<(Range<usize>, Role)>,
    /// Paragraphs whose line breaks are insignificant, so that their lines may be joined.
    pub paragraphs: Vec<Range<usize>>,
    /// Code blocks and tables, whose lines use the full width.
    pub wide: Vec<Range<usize>>,
}

/// The Markdown structure of a text.
pub fn markdown_styles(text: &str) -> MarkdownStyles {
    // The parser has panicked on hostile input before; prose without styles is acceptable.
    let owned = text.to_owned();
    catch_unwind(move || collect(&owned)).unwrap_or_default()
}

fn collect(text: &str) -> MarkdownStyles {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut found = MarkdownStyles::default();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let role = match event {
            Event::Start(tag) => {
                if depth == 0 && tag == Tag::Paragraph && is_filled(&text[range.clone()]) {
                    found.paragraphs.push(range.clone());
                }
                depth += 1;
                if matches!(tag, Tag::CodeBlock(_) | Tag::Table(_)) {
                    found.wide.push(range.clone());
                }
                if is_diff(&tag) {
                    found.styles.extend(role_of(&tag).map(|role| (range.clone(), role)));
                    changed_lines(text, range, &mut found.styles);
                    continue;
                }
                role_of(&tag)
            }
            Event::End(_) => {
                depth -= 1;
                None
            }
            Event::Code(_) => Some(Role::InlineCode),
            Event::HardBreak => {
                // A hard line break keeps the lines of its paragraph apart.
                found.paragraphs.pop_if(|paragraph| paragraph.contains(&range.start));
                None
            }
            _ => None,
        };
        found.styles.extend(role.map(|role| (range, role)));
    }
    found
}

/// True for a fenced code block whose tag names a diff.
fn is_diff(tag: &Tag<'_>) -> bool {
    let Tag::CodeBlock(CodeBlockKind::Fenced(tag)) = tag else { return false };
    language_of(None, Some(tag), b"").is_some_and(Language::is_diff)
}

/// Styles for the added, removed and heading lines of a fenced diff.
fn changed_lines(text: &str, fenced: Range<usize>, styles: &mut Vec<(Range<usize>, Role)>) {
    let Some(feed) = text[fenced.clone()].find('\n') else { return };
    let body = fenced.start + feed + 1..fenced.end;
    let roles = diff_lines(&text.as_bytes()[body.clone()]).map(|(line, kind)| (line, role_of_code(kind.into())));
    let moved = |line: Range<usize>| body.start + line.start..body.start + line.end;
    styles.extend(roles.filter(|(_, role)| *role != Role::Text).map(|(line, role)| (moved(line), role)));
}

/// True if every line except the last is long enough to have been wrapped automatically.
fn is_filled(paragraph: &str) -> bool {
    let lines: Vec<&str> = paragraph.trim_end().lines().collect();
    lines.split_last().is_some_and(|(_, before)| before.iter().all(|line| line.len() >= FILLED))
}

fn role_of(tag: &Tag<'_>) -> Option<Role> {
    match tag {
        Tag::Heading { .. } => Some(Role::Heading),
        Tag::Strong | Tag::TableHead => Some(Role::Strong),
        Tag::Emphasis => Some(Role::Emphasis),
        Tag::BlockQuote(_) => Some(Role::Quote),
        Tag::CodeBlock(_) => Some(Role::CodeBlock),
        Tag::Link { .. } => Some(Role::Link),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_gives_stretches_of_the_source_their_looks() {
        let cases: &[(&str, &[(&str, Role)])] = &[
            ("plain", &[]),
            ("# Head\n", &[("# Head\n", Role::Heading)]),
            ("a **b** `c`", &[("**b**", Role::Strong), ("`c`", Role::InlineCode)]),
            ("> q\n", &[("> q\n", Role::Quote)]),
            (
                "```diff\n-a\n b\n+c\n```",
                &[("```diff\n-a\n b\n+c\n```", Role::CodeBlock), ("-a", Role::CodeDeleted), ("+c", Role::CodeInserted)],
            ),
            ("```js\n-a\n```", &[("```js\n-a\n```", Role::CodeBlock)]),
        ];
        for (text, expected) in cases {
            let found: Vec<(&str, Role)> =
                markdown_styles(text).styles.into_iter().map(|(range, role)| (&text[range], role)).collect();
            assert_eq!(&found[..], *expected, "{text:?}");
        }
    }

    const FULL: &str = "a line that was broken because it was full and the next word did not\nfit\n";

    #[test]
    fn lines_are_joined_in_plain_paragraphs_only() {
        let cases: &[(&str, &[&str])] = &[
            ("one\ntwo\n\nthree\n", &["three\n"]),
            (FULL, &[FULL]),
            ("- a\n  b\n", &[]),
            ("> a\n> b\n", &[]),
            ("hard  \nbreak\n", &[]),
            ("    code\n", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = markdown_styles(text).paragraphs.into_iter().map(|range| &text[range]).collect();
            assert_eq!(&found[..], *expected, "{text:?}");
        }
    }
}
