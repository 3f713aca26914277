//! Descriptions of the settings that differ between two readings.

use std::sync::Arc;

use crate::dialect::gadget::Marker;
use crate::dialect::{DialectInfo, Examples, Options, REGISTRY, TextCalls};

/// The settings in which two readings differ, described for each; `None` if they are equal.
pub fn differences(one: &Options, other: &Options) -> Option<[String; 2]> {
    let mut words: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut both = |of: &dyn Fn(&Options) -> String, is_other: bool| {
        let said = [of(one), of(other)];
        if is_other || said[0] != said[1] {
            words.iter_mut().zip(said).for_each(|(words, said)| words.push(said));
        }
    };
    both(&dialects, false);
    let examples = |options: &Options| match options.examples {
        Examples::Calls => "examples are calls".into(),
        Examples::Prose => "examples are prose".into(),
    };
    both(&examples, false);
    let text_calls = |options: &Options| match options.text_calls {
        TextCalls::Auto => "calls in text where the runtime may read them".into(),
        TextCalls::Read => "calls in all text".into(),
        TextCalls::Ignore => "no calls in text".into(),
    };
    both(&text_calls, false);
    for marker in [Marker::Start, Marker::End, Marker::Argument] {
        both(&|options| options.markers.text(marker).to_owned(), false);
    }
    let schemas = |options: &Options| if options.schemas.is_some() { "with schemas" } else { "without schemas" }.into();
    both(
        &schemas,
        one.schemas.as_ref().zip(other.schemas.as_ref()).is_some_and(|(one, other)| !Arc::ptr_eq(one, other)),
    );
    let runtime = |options: &Options| options.runtime.as_ref().map_or("any runtime".to_owned(), ToString::to_string);
    both(&runtime, false);
    let calls = |options: &Options| {
        if options.one_call_per_message { "one call per message" } else { "any number of calls per message" }.into()
    };
    both(&calls, false);
    (!words[0].is_empty()).then(|| words.map(|words| words.join(", ")))
}

/// The dialects that are read.
fn dialects(options: &Options) -> String {
    let (read, not): (Vec<&DialectInfo>, Vec<&DialectInfo>) =
        REGISTRY.iter().partition(|about| options.reads(about.name));
    let [read, not] = [read, not].map(|some| some.into_iter().map(|about| about.name).collect::<Vec<_>>());
    match (read.len(), not.len()) {
        (_, 0) => "all formats".into(),
        (read_count, not_count) if not_count < read_count => format!("all formats but {}", not.join(", ")),
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
            (plain.clone(), of(&["gadget"], Examples::Calls), Some(["all formats", "gadget"])),
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
