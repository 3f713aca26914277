//! Prose as it was written, with the looks of its Markdown: nothing is moved or left out.
//!
//! This module does not know where the prose stands or how wide a pane is.

use std::ops::Range;
use std::panic::catch_unwind;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::super::theme::Role;

/// The styles of stretches of `text`, outer ones before inner ones.
pub fn styles(text: &str) -> Vec<(Range<usize>, Role)> {
    // The parser has panicked on hostile input before; prose without looks is no loss.
    let owned = text.to_owned();
    catch_unwind(move || collect(&owned)).unwrap_or_default()
}

fn collect(text: &str) -> Vec<(Range<usize>, Role)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut styles = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let role = match event {
            Event::Start(Tag::Heading { .. }) => Role::Heading,
            Event::Start(Tag::Strong) => Role::Strong,
            Event::Start(Tag::Emphasis) => Role::Emphasis,
            Event::Start(Tag::BlockQuote(_)) => Role::Quote,
            Event::Start(Tag::CodeBlock(_)) => Role::CodeBlock,
            Event::Start(Tag::Link { .. }) => Role::Link,
            Event::Start(Tag::TableHead) => Role::Strong,
            Event::Code(_) => Role::InlineCode,
            _ => continue,
        };
        styles.push((range, role));
    }
    styles
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
        ];
        for (text, expected) in cases {
            let found: Vec<(&str, Role)> = styles(text).into_iter().map(|(range, role)| (&text[range], role)).collect();
            assert_eq!(&found[..], *expected, "{text:?}");
        }
    }
}
