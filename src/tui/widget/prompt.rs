//! The colours of a prompt: by message, with its control tokens marked; and the reason why there is none.

use std::ops::Range;

use crate::template::failure::TemplateFailure;
use crate::tui::row::{Piece, Row};
use crate::tui::style::Role;
use crate::tui::template::RenderedTemplate;
use crate::tui::template::prompt::{IndexedPrompt, SpanOwner};
use crate::tui::widget::RowWriter;

/// Maximum bytes of a control token, with its brackets.
const LONGEST_TOKEN: usize = 64;

/// The role of a message's text, by who speaks.
pub fn message_role(speaker: &str) -> Role {
    match speaker {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::Heading,
    }
}

/// The role of bytes by what they are from; `roles` has a name for each message.
pub fn owner_role(owner: SpanOwner, roles: &[String]) -> Role {
    match owner {
        SpanOwner::Template => Role::Dim,
        SpanOwner::Message(number) => message_role(roles.get(number).map_or("", String::as_str)),
        SpanOwner::Tools => Role::Name,
        SpanOwner::Variable => Role::Marker,
        SpanOwner::Unknown => Role::Hint,
    }
}

/// Writes why a template could not be read, or has no prompt. Nothing is written if it has one.
pub fn write_failure(writer: &mut RowWriter<'_>, rendered: &Result<Box<RenderedTemplate>, String>) {
    let failure = match rendered {
        Err(words) => return writer.put_wrapped(&Piece::new(words, Role::Error)),
        Ok(template) => template.outcome.as_ref().err(),
    };
    let Some(failure) = failure else { return };
    writer.put_wrapped(&Piece::new(failure_words(failure), Role::Error));
    if let Some(help) = &failure.help {
        writer.put(&Row::default());
        writer.put_wrapped(&Piece::new(format!("help: {help}"), Role::Dim));
    }
}

/// The failure with its line, without the name of the file.
fn failure_words(failure: &TemplateFailure) -> String {
    let words = failure.to_string();
    let words = words.strip_prefix(&failure.template).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&words).trim();
    if failure.line.is_some() { format!("line {words}") } else { words.to_owned() }
}

/// The colours of bytes of a prompt: by message, with its control tokens. These are the model's added tokens if they are known,
/// else text of the template in brackets. `part` is the line with the bytes, or a part of it.
pub fn text_roles(
    prompt: &IndexedPrompt,
    roles: &[String],
    bytes: &Range<usize>,
    part: &Range<usize>,
) -> Vec<(Range<usize>, Role)> {
    let mut found = Vec::new();
    let tokens = prompt.tokens_in(bytes);
    for span in &prompt.spans[prompt.spans_in(bytes)] {
        found.push((span.range.clone(), owner_role(span.owner, roles)));
        if tokens.is_none() && span.owner == SpanOwner::Template {
            found.extend(control_tokens(&prompt.text, &span.range, part));
        }
    }
    found.extend(tokens.into_iter().flatten().map(|token| (token.clone(), Role::Marker)));
    found
}

/// Control tokens in a span, within a part of the text: `<|im_start|>`, `</tool_call>`, `[INST]`.
fn control_tokens(text: &str, span: &Range<usize>, part: &Range<usize>) -> Vec<(Range<usize>, Role)> {
    let start = span.start.max(part.start);
    let bytes = text.get(start..span.end.min(part.end)).unwrap_or_default().as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(open) = bytes[at..].iter().position(|byte| matches!(byte, b'<' | b'[')).map(|found| at + found) {
        let (is_square, close) = if bytes[open] == b'[' { (true, b']') } else { (false, b'>') };
        let is_inside = |byte: u8| {
            if is_square {
                byte.is_ascii_uppercase() || matches!(byte, b'_' | b'/')
            } else {
                !byte.is_ascii_whitespace() && !matches!(byte, b'<' | b'>')
            }
        };
        let length = bytes[open + 1..].iter().take(LONGEST_TOKEN).take_while(|byte| is_inside(**byte)).count();
        let end = open + 1 + length;
        if length > 0 && bytes.get(end) == Some(&close) {
            tokens.push((start + open..start + end + 1, Role::Marker));
            at = end + 1;
        } else {
            at = open + 1;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_tokens_are_text_in_brackets() {
        for (text, expected) in [
            ("<|im_start|>user\n", vec!["<|im_start|>"]),
            ("[INST] a [/INST]</s>", vec!["[INST]", "[/INST]", "</s>"]),
            ("[1, 2] < 3 >< <a b>[]<>", vec![]),
        ] {
            let all = 0..text.len();
            let found: Vec<&str> =
                control_tokens(text, &all, &all).into_iter().map(|(range, _)| &text[range]).collect();
            assert_eq!(found, expected);
        }
    }
}
