//! What two texts are read with, in words, as far as that is not the same.
//!
//! This module does not know the texts.

use std::sync::Arc;

use crate::dialect::gadget::Markers;
use crate::dialect::{DialectInfo, Examples, Options, REGISTRY};

/// What each of two settings has that the other one has not; nothing where they are the same.
pub fn differences(one: &Options, other: &Options) -> Option<[String; 2]> {
    let mut words: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut both = |is_other: bool, of: &dyn Fn(&Options) -> String| {
        if is_other {
            words[0].push(of(one));
            words[1].push(of(other));
        }
    };
    both(dialects(one) != dialects(other), &dialects);
    both(one.examples != other.examples, &|options| match options.examples {
        Examples::Calls => "examples are calls".into(),
        Examples::Prose => "examples are prose".into(),
    });
    let pairs: [fn(&Markers) -> &str; 3] = [Markers::start, Markers::end, Markers::argument];
    for marker in pairs {
        both(marker(&one.markers) != marker(&other.markers), &|options| marker(&options.markers).to_owned());
    }
    let is_other_schema = match (&one.schemas, &other.schemas) {
        (Some(one), Some(other)) => !Arc::ptr_eq(one, other),
        (one, other) => one.is_some() != other.is_some(),
    };
    both(is_other_schema, &|options| match options.schemas {
        Some(_) => "with schemas".into(),
        None => "without schemas".into(),
    });
    both(one.one_call_per_message != other.one_call_per_message, &|options| {
        if options.one_call_per_message {
            "one call per message".into()
        } else {
            "any number of calls per message".into()
        }
    });
    (!words[0].is_empty()).then(|| words.map(|words| words.join(", ")))
}

/// The dialects that are read.
fn dialects(options: &Options) -> String {
    let (read, not): (Vec<&DialectInfo>, Vec<&DialectInfo>) = REGISTRY.iter().partition(|about| options.reads(about));
    let [read, not] = [read, not].map(|some| some.into_iter().map(|about| about.name).collect::<Vec<_>>());
    match (read.len(), not.len()) {
        (_, 0) => "all dialects".into(),
        (read_count, not_count) if not_count < read_count => format!("all dialects but {}", not.join(", ")),
        _ => read.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_said() {
        let of = |only: &[&str], examples: Examples| Options {
            only: only.iter().filter_map(|name| crate::dialect::named(name)).collect(),
            examples,
            ..Options::default()
        };
        let plain = Options::default();
        for (one, other, expected) in [
            (plain.clone(), of(&[], Examples::Calls), None),
            (plain.clone(), of(&["gadget"], Examples::Calls), Some(["all dialects", "gadget"])),
            (
                of(&["xml", "caret"], Examples::Prose),
                of(&["caret", "xml"], Examples::Calls),
                Some(["examples are prose", "examples are calls"]),
            ),
        ] {
            assert_eq!(differences(&one, &other), expected.map(|words| words.map(str::to_owned)), "{one:?} {other:?}");
        }
    }
}
