//! Texts about the outcomes of runtimes.

use crate::diagnostic::Code;
use crate::lens::{FactPlace, Group, Lens, LensRow};
use crate::runtime::release::Day;
use crate::runtime::{
    AppliedSetting, Expectation, GrammarFault, Reason, RuntimeReading, SettingEffect, SettingName, ToolRequest, catalog,
};

/// The label of a fact.
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

/// The tools that the parsers receive, for the command line.
pub(crate) fn tools_of(request: &ToolRequest) -> String {
    let names = || request.names().collect::<Vec<_>>().join(", ");
    match (!request.tools().is_empty(), request.is_assumed) {
        (true, true) => format!("tools inferred from the calls: {}; --schema gives the request's", names()),
        (true, false) => format!("tools: {}", names()),
        (false, _) => "no tools: give the request's tools with --schema".to_owned(),
    }
}

/// The releases of the parsers in the lens, marking runtimes that were last compared long ago.
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

/// The title of a reason. If the parser's grammar stops at its place, also the expected and found characters.
pub fn reason_text(reading: &RuntimeReading, reason: &Reason) -> String {
    use Code::{CallNotFound, CallSwallowed, MessageNotMatched, MessageRejected, NewlineAfterOpener};
    let title = &reason.code.info().title;
    let at = match reason.code {
        CallNotFound | CallSwallowed | MessageNotMatched | MessageRejected => Some(reason.span.start),
        NewlineAfterOpener => Some(reason.span.end),
        _ => None,
    };
    let stop = reading.stops.iter().find(|stop| at == Some(stop.at));
    stop.map_or_else(|| title.clone(), |stop| format!("{title}; the parser {}", stop_text(stop)))
}

/// The characters that a parser expects and finds where it stops.
fn stop_text(stop: &GrammarFault) -> String {
    let later = |expected: &Expectation| match expected {
        Expectation::Later(bytes) => Some(characters(bytes)),
        _ => None,
    };
    if let Some(all) = stop.expected.iter().map(later).collect::<Option<Vec<_>>>() {
        let place =
            if stop.before.is_empty() { "after this place".to_owned() } else { format!("after `{}`", stop.before) };
        return format!("finds no {} {place}", all.join(" or "));
    }
    let after = if stop.before.is_empty() { String::new() } else { format!(" after `{}`", stop.before) };
    let found = if stop.found.is_empty() { "the end of the text".to_owned() } else { characters(&stop.found) };
    let expected: Vec<String> = stop.expected.iter().map(expectation).collect();
    format!("expects {}{after}, and finds {found}", expected.join(" or "))
}

fn expectation(expected: &Expectation) -> String {
    match expected {
        Expectation::Bytes(bytes) => characters(bytes),
        Expectation::Later(bytes) => format!("{} further on", characters(bytes)),
        Expectation::End => "the end".to_owned(),
        Expectation::Json => "JSON".to_owned(),
        Expectation::Tool => "a tool of the request".to_owned(),
        Expectation::Parameter => "a parameter that is not given yet".to_owned(),
    }
}

/// Characters in backticks, with control characters escaped; a line end alone is named.
fn characters(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    match text {
        "\n" => "a line feed".to_owned(),
        "\r\n" => "CR LF".to_owned(),
        _ => format!("`{}`", text.chars().map(shown).collect::<String>()),
    }
}

/// `on` or `off`.
pub fn switch(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

/// The settings that parsers of several outcomes assume, each once for all of them: `tool_choice auto (7 of 9)`.
pub fn shared_assumptions(lens: &Lens) -> Option<String> {
    let all = settings_in(lens, 0..lens.rows.len());
    let shared = all.iter().filter(|(setting, _)| is_shared(lens, setting));
    let shared: Vec<String> = shared.map(|(setting, rows)| assumed_by(lens, setting, rows, lens.rows.len())).collect();
    (!shared.is_empty()).then(|| shared.join(", "))
}

/// The settings of the request that matter for a group, with their effects and the parsers concerned: first the assumed
/// ones, unless other groups assume them as well.
pub fn settings_of(lens: &Lens, group: &Group) -> Vec<String> {
    let all = settings_in(lens, group.rows.iter().copied());
    let parsers = group.rows.len();
    let (assumed, stated): (Vec<_>, Vec<_>) =
        all.iter().partition(|(setting, _)| setting.effect == SettingEffect::Assumed);
    let own = assumed.iter().filter(|(setting, _)| !is_shared(lens, setting));
    let own: Vec<String> = own.map(|(setting, rows)| assumed_by(lens, setting, rows, parsers)).collect();
    let stated = stated.iter().map(|(setting, rows)| {
        let AppliedSetting { name, value, effect } = setting;
        format!("{}={value}: {}{}", name.name(), effect_text(*effect), of_parsers(lens, rows, parsers))
    });
    let own = (!own.is_empty()).then(|| format!("assumes {}", own.join(", ")));
    own.into_iter().chain(stated).collect()
}

/// The different settings that matter for parsers, each with the rows of the parsers concerned.
fn settings_in(lens: &Lens, rows: impl Iterator<Item = usize>) -> Vec<(&AppliedSetting, Vec<usize>)> {
    let mut all: Vec<(&AppliedSetting, Vec<usize>)> = Vec::new();
    for row in rows {
        for setting in &lens.rows[row].settings {
            match all.iter_mut().find(|(known, _)| *known == setting) {
                Some((_, rows)) => rows.push(row),
                None => all.push((setting, vec![row])),
            }
        }
    }
    all
}

/// True if parsers of more than one group assume a setting.
fn is_shared(lens: &Lens, setting: &AppliedSetting) -> bool {
    let assumes = |group: &&Group| group.rows.iter().any(|&row| lens.rows[row].settings.contains(setting));
    setting.effect == SettingEffect::Assumed && lens.groups.iter().filter(assumes).count() > 1
}

/// An assumed setting, and the parsers that assume it if these are not all.
fn assumed_by(lens: &Lens, setting: &AppliedSetting, rows: &[usize], parsers: usize) -> String {
    format!("{}{}", assumed_value(setting), of_parsers(lens, rows, parsers))
}

/// The parsers of rows after a statement about them: nothing if these are all, a single one by its name.
fn of_parsers(lens: &Lens, rows: &[usize], parsers: usize) -> String {
    match rows {
        rows if rows.len() == parsers => String::new(),
        [one] => format!(" ({})", lens.rows[*one].name()),
        rows => format!(" ({} of {parsers})", rows.len()),
    }
}

/// An assumed setting in a few words.
fn assumed_value(setting: &AppliedSetting) -> String {
    let AppliedSetting { name, value, .. } = setting;
    match (name, value.as_str()) {
        (SettingName::SkipSpecialTokens, "off") => "special tokens kept".to_owned(),
        (SettingName::ParallelToolCalls, "on") => "several calls allowed".to_owned(),
        (SettingName::ReasoningFormat, "none") => "no reasoning parser".to_owned(),
        _ => format!("{} {value}", name.name()),
    }
}

/// The effect of a setting on an outcome, for people.
pub fn effect_text(effect: SettingEffect) -> &'static str {
    match effect {
        SettingEffect::Assumed => "assumed",
        SettingEffect::Ignored => "ignored by this runtime",
        SettingEffect::Unknown => "effect not known, read as usual",
        SettingEffect::NotParsed => "the text is not searched for calls",
        SettingEffect::CallsDropped => "the calls are read and dropped",
        SettingEffect::JsonArray => "the text is read as a JSON array of calls",
        SettingEffect::NotJson => "the text is not the JSON array of calls that is demanded",
        SettingEffect::Sampler => "constrains the sampling, the text is read as usual",
        SettingEffect::FirstCall => "calls after the first are dropped",
        SettingEffect::SecondCallRejected => "a second call is an error",
        SettingEffect::TokensRemoved => "special tokens are removed before reading",
        SettingEffect::TokensKept => "this parser keeps special tokens",
        SettingEffect::TokensUnknown => "special tokens are not known, name them with --template",
        SettingEffect::ReasoningInContent => "reasoning stays in the content",
        SettingEffect::ReasoningSplit => "reasoning is split off before calls are read",
    }
}

/// The parsers of a group whose outcome depends on the thinking of the prompt, if that is unknown. `remedy` says how to
/// state that thinking is `on` or `off`.
pub fn thinking_of(lens: &Lens, group: &Group, remedy: impl Fn(&str) -> String) -> Vec<String> {
    let of = |assumed: bool| {
        let rows = group.rows.iter().map(|&row| &lens.rows[row]).filter(|row| row.thinking == Some(assumed));
        let names: Vec<String> = rows.map(LensRow::name).collect();
        let [is, other] = [assumed, !assumed].map(switch);
        (!names.is_empty()).then(|| format!("assumed: thinking {is} ({}): {}", remedy(other), names.join(", ")))
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
