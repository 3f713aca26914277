//! Words about the outcomes of runtimes.

use crate::lens::{FactPlace, Group, Lens, LensRow};
use crate::runtime::release::Day;
use crate::runtime::{ToolRequest, catalog};

/// A name for the place of a fact.
pub fn label_of(place: &FactPlace) -> String {
    match place {
        FactPlace::Error => "error".to_owned(),
        FactPlace::Call(number) => format!("call {}", number + 1),
        FactPlace::Id(_) => "  id".to_owned(),
        FactPlace::Value(_, path) if path.is_empty() => "  arguments".to_owned(),
        FactPlace::Value(_, path) => format!("  {path}"),
        FactPlace::Content => "content".to_owned(),
        FactPlace::Reasoning => "reasoning".to_owned(),
    }
}

/// The dialects whose parsers are in the lens, and others that fit the message.
pub fn dialects_of(lens: &Lens) -> String {
    let dialects = lens.dialects.join(", ");
    if lens.others.is_empty() { dialects } else { format!("{dialects} (also fits {})", lens.others.join(", ")) }
}

/// The tools that the parsers are told, for the command line.
pub fn tools_of(request: &ToolRequest) -> String {
    let names = || request.names().collect::<Vec<_>>().join(", ");
    match (request.has_tools(), request.is_assumed) {
        (true, true) => format!("tools assumed from the calls: {}; --schema gives the request's", names()),
        (true, false) => format!("tools: {}", names()),
        (false, _) => "no tools: give the request's tools with --schema".to_owned(),
    }
}

/// The releases of the parsers in the lens, with their dates.
pub fn releases_of(lens: &Lens, today: Day) -> String {
    let mut releases: Vec<String> = Vec::new();
    for parser in lens.rows.iter().map(|row| &row.parser) {
        let name = &parser.profile.runtime;
        let stale = catalog::runtime(name).filter(|runtime| runtime.is_stale(today));
        let stale = stale.map(|runtime| format!(", last compared on {}, over 180 days ago", runtime.checked));
        let words = format!("{name} {}{}", parser.release, stale.unwrap_or_default());
        if !releases.contains(&words) {
            releases.push(words);
        }
    }
    releases.join(", ")
}

/// `on` or `off`.
pub fn switch(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

/// The parsers of a group whose outcome depends on the thinking of the prompt, where that is not known.
pub fn thinking_of(lens: &Lens, group: &Group) -> Vec<String> {
    let of = |assumed: bool| {
        let rows = group.rows.iter().map(|&row| &lens.rows[row]).filter(|row| row.thinking == Some(assumed));
        let names: Vec<String> = rows.map(LensRow::name).collect();
        let [is, other] = [assumed, !assumed].map(switch);
        (!names.is_empty())
            .then(|| format!("assumed: thinking {is} (--thinking {other} changes it): {}", names.join(", ")))
    };
    [true, false].into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lens::{MessageText, ParserChoice};
    use crate::text::Span;

    #[test]
    fn releases_say_when_they_are_out_of_date() {
        let text = b"<tool_call>\n{}\n</tool_call>";
        let message = MessageText::new(text, Span::new(0, text.len()), vec!["hermes"]);
        let choice = ParserChoice { runtimes: vec!["vllm:hermes".parse().expect("a name")], ..ParserChoice::default() };
        let lens = Lens::new(&message, &ToolRequest::default(), &choice);
        let runtime = catalog::runtime("vllm").expect("a runtime");
        let fresh = format!("vllm {}", runtime.releases[0]);
        assert_eq!(releases_of(&lens, runtime.checked), fresh);
        let later = runtime.checked.saturating_add(jiff::Span::new().days(181));
        assert_eq!(
            releases_of(&lens, later),
            format!("{fresh}, last compared on {}, over 180 days ago", runtime.checked)
        );
    }
}
