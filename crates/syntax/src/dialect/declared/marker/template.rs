//! Parses a template into literal texts and slots.

use super::{Element, MarkerError, SLOTS, Slot};

/// The elements of a template.
pub(super) fn parse(source: &str) -> Result<Vec<Element>, MarkerError> {
    let mut elements: Vec<Element> = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(next) = source[at..].chars().next() {
        if let Some((word, slot, length)) = attribute_slot(&source[at..]) {
            flush(&mut literal, &mut elements);
            let slot = slot_named(slot).ok_or_else(|| unknown_slot(slot, at))?;
            match elements.last_mut() {
                Some(Element::Attributes(known)) => {
                    let mut all = std::mem::take(known).into_vec();
                    all.push((word.into(), slot));
                    *known = all.into();
                }
                _ => elements.push(Element::Attributes([(word.into(), slot)].into())),
            }
            at += length;
            continue;
        }
        let rest = &source[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            literal.push(next);
            at += 2;
        } else if next == '{' {
            let Some(length) = rest.find('}') else {
                let message = "unclosed brace; write {{ for a literal {".to_owned();
                return Err(MarkerError { at, message });
            };
            flush(&mut literal, &mut elements);
            let name = &rest[1..length];
            let element = match name {
                "ws" => Element::Space(""),
                "nl" => Element::Space("\n"),
                _ => Element::Hole(slot_named(name).ok_or_else(|| unknown_slot(name, at))?),
            };
            let touches = matches!(elements.last(), Some(Element::Hole(_) | Element::Attributes(_)));
            if touches && matches!(element, Element::Hole(_)) {
                let message = format!("nothing separates {{{name}}} from the slot before it");
                return Err(MarkerError { at, message });
            }
            elements.push(element);
            at += length + 1;
        } else {
            literal.push(next);
            at += next.len_utf8();
        }
    }
    flush(&mut literal, &mut elements);
    Ok(elements)
}

fn flush(literal: &mut String, elements: &mut Vec<Element>) {
    if !literal.is_empty() {
        elements.push(Element::Literal(std::mem::take(literal).into_bytes().into()));
    }
}

/// ` word="{slot}"` at the beginning of a template: the word, the slot, and the length of the whole.
fn attribute_slot(rest: &str) -> Option<(&str, &str, usize)> {
    let behind = rest.strip_prefix(' ')?;
    let word = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let slot = behind[word..].strip_prefix("=\"{")?;
    let length = slot.find("}\"")?;
    (word > 0).then(|| (&behind[..word], &slot[..length], 1 + word + 3 + length + 2))
}

fn slot_named(name: &str) -> Option<Slot> {
    SLOTS.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
}

fn unknown_slot(name: &str, at: usize) -> MarkerError {
    let known: Vec<&str> = SLOTS.iter().map(|(name, _)| *name).chain(["ws", "nl"]).collect();
    MarkerError { at, message: format!("unknown slot {{{name}}}; the slots are: {}", known.join(", ")) }
}
