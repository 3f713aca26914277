//! A response template, and behind a line of `%%%` a message that it takes apart: in pieces as in one.

use std::sync::Arc;

use transcope::dialect::response_template::{MessageParser, Template, ToolTypes};

use super::chance::Chance;

/// Longest message that is read, in bytes.
const LONGEST: usize = 4 * 1024;

/// Takes the message apart, unless the template is refused.
pub fn check(bytes: &[u8]) {
    let (json, message) = super::in_two(bytes);
    let (Ok(json), Ok(message)) = (std::str::from_utf8(json), std::str::from_utf8(message)) else { return };
    let Ok(template) = Template::from_json(json).map(Arc::new) else { return };
    let message = &message[..message.floor_char_boundary(LONGEST)];
    let read = |pieces: &[&str]| {
        let mut parser = MessageParser::new(Arc::clone(&template), "", ToolTypes::default());
        for piece in pieces {
            if parser.push(piece).is_err() {
                return None;
            }
        }
        parser.finish().ok()
    };
    _ = read(&[message]);
    let mut chance = Chance::from_bytes(bytes);
    let at = message.floor_char_boundary(chance.below(message.len() + 1));
    // It commits as early as its reference does, so that other pieces may well be another message.
    _ = read(&[&message[..at], &message[at..]]);
}
