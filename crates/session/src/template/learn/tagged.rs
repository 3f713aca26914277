//! Drafts for calls whose opening marker has the name, with a body or with arguments between markers.

use super::boundary::{
    ID, KEY, NAME, TYPE, common_prefix, common_suffix, divisions, endings, mask, mask_numbers, to_marker,
};
use super::sample::{IDS, KEYS, NAMES, NUMBER, Samples, VALUES};
use crate::proposal::writer::{ArgumentsDraft, Draft, DraftPlace};

/// Most opening markers that are tried where two calls do not show it.
const MAX_OPENS: usize = 4;

/// The arguments of a call in a text.
struct Body {
    arguments: ArgumentsDraft,
    /// End of the text between the name and the arguments, which belongs to the opening marker.
    header_end: usize,
    end: usize,
    /// Texts, one of which follows the opening marker.
    leads: Vec<String>,
}

/// Drafts for the samples; none if no name precedes the arguments.
pub(super) fn drafts(samples: &Samples) -> Vec<Draft> {
    let Some(one) = &samples.one else { return Vec::new() };
    let Some(key_at) = one.find(KEYS[0]) else { return Vec::new() };
    let Some(name_at) = one[..key_at].rfind(NAMES[0]) else { return Vec::new() };
    let name_end = name_at + NAMES[0].len();
    let mut drafts = Vec::new();
    for body in bodies(samples, one, name_end) {
        let mut masks: Vec<Mask> = vec![masked];
        if (one[..key_at].to_owned() + &one[body.end..]).contains(|c: char| c.is_ascii_digit()) {
            masks.push(numberless);
        }
        for mask in masks {
            let between = between(samples).map(|text| mask(&text));
            let texts = (&*mask(&one[..name_at]), &*mask(&one[body.end..]), between.as_deref());
            for markers in markers(samples, mask, texts) {
                add(&mut drafts, samples, mask, (one, name_end), &body, &markers);
            }
        }
    }
    drafts
}

/// Replaces the words that differ from call to call.
type Mask = fn(&str) -> String;

/// The markers around a call, up to its name, and around all calls.
#[derive(Debug, Clone, Default, PartialEq)]
struct CallMarkers {
    open: String,
    close: String,
    section: Option<(String, String)>,
    /// The part of the opening marker in a turn whose prompt has the rest of it.
    start: Option<String>,
}

fn masked(text: &str) -> String {
    mask(&mask(text, &IDS, ID), &NAMES, NAME)
}

/// The text without the numbers of calls, too.
fn numberless(text: &str) -> String {
    mask_numbers(&masked(text))
}

/// The text from the end of the first of two calls to the name of the second.
fn between(samples: &Samples) -> Option<String> {
    let two = samples.two_calls.as_ref()?;
    let key_at = two.find(KEYS[0])?;
    let name_end = two[..key_at].rfind(NAMES[0])? + NAMES[0].len();
    let ends = bodies(samples, two, name_end);
    let end = ends.first()?.end;
    let second = two[end..].find(KEYS[1]).and_then(|at| two[end..end + at].rfind(NAMES[1]))?;
    Some(two[end..end + second].to_owned())
}

/// The ways to divide the texts before the name, after the arguments, and between two calls into markers.
fn markers(samples: &Samples, mask: Mask, texts: (&str, &str, Option<&str>)) -> Vec<CallMarkers> {
    let (before, after, between) = texts;
    let mut found = Vec::new();
    let own = samples.own_opening(before, mask);
    let own_text = own.as_ref().map(|own| own.text.as_str());
    if let Some(between) = between {
        for (close, open) in divisions(between, after, before) {
            let lead = own_text.map_or(&before[..before.len() - open.len()], |own| {
                own.strip_suffix(open.as_str()).unwrap_or_default()
            });
            let rest = after.trim_start().strip_prefix(close.as_str()).unwrap_or_default().trim();
            let mut sections = endings(lead.trim());
            if !own.as_ref().is_some_and(|own| own.is_certain) {
                sections.reverse();
            }
            let sections = sections.into_iter().take(1).chain([""]);
            found.extend(sections.filter(|section| section.is_empty() || !rest.is_empty()).map(|section| {
                CallMarkers {
                    open: open.clone(),
                    close: close.clone(),
                    section: (!section.is_empty()).then(|| (section.to_owned(), rest.to_owned())),
                    start: None,
                }
            }));
        }
        let whole = samples.prompt_end.clone() + before;
        let begun = divisions(between, after, &whole).into_iter().filter(|(_, open)| open.len() > before.len());
        found.extend(begun.map(|(close, open)| CallMarkers {
            open,
            close,
            section: None,
            start: Some(before.to_owned()),
        }));
    }
    let mut opens: Vec<String> = own.into_iter().map(|own| own.text).collect();
    opens.extend(endings(before).into_iter().map(str::to_owned));
    if before.trim().is_empty() {
        opens.push(String::new());
    }
    opens.truncate(MAX_OPENS);
    for open in opens {
        for close in [after.trim(), first_marker(after)] {
            found.push(CallMarkers { open: open.clone(), close: close.to_owned(), ..CallMarkers::default() });
        }
    }
    found
}

/// The text up to the end of its first bracketed word.
fn first_marker(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(['>', ']', '\n']).map_or(text.len(), |at| at + 1);
    text[..end].trim_end()
}

/// Adds the draft for a body between markers, at all places where it may count.
fn add(
    drafts: &mut Vec<Draft>,
    samples: &Samples,
    mask: Mask,
    (one, name_end): (&str, usize),
    body: &Body,
    markers: &CallMarkers,
) {
    let written = mask(&one[name_end..body.header_end]);
    let is_bare = written.trim().is_empty();
    let header = if is_bare {
        // Without anything else, the name ends at whitespace or at what follows it.
        let none = samples.no_arguments.as_deref();
        let none = none.and_then(|text| text.find(NAMES[0]).map(|at| &text[at + NAMES[0].len()..]));
        let has_break = written.contains('\n') || none.is_some_and(|after| after.starts_with('\n'));
        if has_break { "{nl}".to_owned() } else { "{ws}".to_owned() }
    } else {
        to_marker(&written)
    };
    let mut followed_by = Vec::new();
    if is_bare && !body.leads.is_empty() {
        followed_by.extend(body.leads.iter().cloned());
        followed_by.extend((!markers.close.is_empty()).then(|| markers.close.replace([NAME, ID], "")));
    }
    let draft = Draft {
        open: format!("{}{{name}}{header}", to_marker(&markers.open)),
        at_start: markers.start.as_ref().map(|start| format!("{}{{name}}{header}", to_marker(start))),
        followed_by,
        close: (!markers.close.is_empty()).then(|| to_marker(&markers.close)),
        place: DraftPlace::Anywhere,
        is_open_value: false,
        section: markers.section.as_ref().map(|(open, close)| (to_marker(open), to_marker(close))),
        arguments: body.arguments.clone(),
    };
    let is_at_start = one.starts_with(&markers.open.replace(NAME, NAMES[0]).replace(ID, IDS[0]));
    if !drafts.contains(&draft) {
        drafts.push(draft.clone());
        if is_at_start && draft.at_start.is_none() && !markers.open.starts_with(['<', '[']) {
            drafts.push(Draft { place: DraftPlace::MessageStart, ..draft });
        }
    }
}

/// The notations that fit the arguments of a call whose name ends at `name_end`.
fn bodies(samples: &Samples, text: &str, name_end: usize) -> Vec<Body> {
    let rest = &text[name_end..];
    let (Some(key), Some(value)) = (rest.find(KEYS[0]), rest.find(VALUES[0])) else { return Vec::new() };
    if key > value {
        return Vec::new();
    }
    let (key, value) = (name_end + key, name_end + value);
    let mut bodies = Vec::new();
    bodies.extend(json_body(text, name_end, key, value));
    bodies.extend(object_body(text, key, value));
    bodies.extend(keyword_arguments(text, name_end, key, value));
    bodies.extend(nested_tags(text, name_end, key, value));
    bodies.extend(lines(text, name_end, key, value));
    if bodies.is_empty() {
        bodies.extend(parameters(samples, text, name_end, key, value));
    }
    bodies
}

/// A JSON object with the argument as its member.
fn json_body(text: &str, name_end: usize, key: usize, value: usize) -> Option<Body> {
    let start = name_end + text[name_end..key].rfind('{')?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
    values.next()?.ok()?.get(KEYS[0])?;
    let end = start + values.byte_offset();
    (end > value).then(|| Body { arguments: ArgumentsDraft::Json, header_end: start, end, leads: vec!["{".to_owned()] })
}

/// An object with bare keys: `{key:"value"}`, with any text as the quotation mark.
fn object_body(text: &str, key: usize, value: usize) -> Option<Body> {
    let start = text[..key].strip_suffix('{')?.len();
    let quote = text[key + KEYS[0].len()..value].strip_prefix(':')?.trim();
    let after = text[value + VALUES[0].len()..].strip_prefix(quote)?;
    let end = text.len() - after.strip_prefix('}')?.len();
    let arguments = ArgumentsDraft::Object { quote: quote.to_owned() };
    (!quote.is_empty()).then(|| Body { arguments, header_end: start, end, leads: vec!["{".to_owned()] })
}

/// Keyword arguments in parentheses.
fn keyword_arguments(text: &str, name_end: usize, key: usize, value: usize) -> Option<Body> {
    let is_call = text[name_end..key].ends_with('(') && text[key + KEYS[0].len()..value].starts_with('=');
    let end = value + text[value..].find(')').filter(|_| is_call)?;
    let arguments = ArgumentsDraft::KeywordArguments;
    Some(Body { arguments, header_end: key, end, leads: vec![KEYS[0].to_owned()] })
}

/// A line with the key and the value.
fn lines(text: &str, name_end: usize, key: usize, value: usize) -> Option<Body> {
    let separator = match text[key + KEYS[0].len()..value].trim() {
        ":" => ":",
        "=" => "=",
        _ => return None,
    };
    let value_end = value + VALUES[0].len();
    let is_line = text[name_end..key].ends_with('\n') && text[value_end..].starts_with('\n');
    let arguments = ArgumentsDraft::Lines { separator };
    is_line.then(|| Body { arguments, header_end: key, end: value_end, leads: Vec::new() })
}

/// A tag with the key as its name.
fn nested_tags(text: &str, name_end: usize, key: usize, value: usize) -> Vec<Body> {
    let closer = format!("</{}>", KEYS[0]);
    let is_tag = text[..key].ends_with('<') && text[key + KEYS[0].len()..value].trim_end() == ">";
    let value_end = value + VALUES[0].len();
    let Some(closing) = text[value_end..].find(&closer).filter(|_| is_tag) else { return Vec::new() };
    let prefix = text[value_end..value_end + closing].trim().to_owned();
    let Some(start) = text[..key - 1].strip_suffix(prefix.as_str()).map(str::len) else { return Vec::new() };
    let header_end = name_end + text[name_end..start].trim_end().len();
    let strip = strip_rule(&text[key..value], &text[value_end..]);
    vec![Body {
        arguments: ArgumentsDraft::NestedTags { prefix: prefix.clone(), strip },
        header_end,
        end: value_end + closing + closer.len(),
        leads: vec![format!("{prefix}<")],
    }]
}

/// The rule for whitespace around a value, from the texts before and after it.
fn strip_rule(before: &str, after: &str) -> &'static str {
    match (before.ends_with('\n'), after.starts_with('\n')) {
        (true, true) => "one_newline",
        _ if before.ends_with(char::is_whitespace) || after.starts_with(char::is_whitespace) => "trim",
        _ => "nothing",
    }
}

/// Arguments between markers that have the key.
fn parameters(samples: &Samples, text: &str, name_end: usize, key: usize, value: usize) -> Vec<Body> {
    let with_key = |text: &str| masked(&mask(text, &KEYS, KEY));
    let Some(two) = &samples.two_arguments else { return Vec::new() };
    let ends = (two.find(VALUES[0]), two.rfind(KEYS[1]));
    let (Some(first), Some(second)) = ends else { return Vec::new() };
    let first = first + VALUES[0].len();
    // The key may be in the closing marker of its value, too.
    let second = two[first..].find(KEYS[1]).map_or(second, |at| first + at);
    if first > second {
        return Vec::new();
    }
    let (before, after) = (&text[name_end..key], with_key(&text[value + VALUES[0].len()..]));
    let mut bodies = Vec::new();
    for (close, open) in divisions(&with_key(&two[first..second]), &after, before) {
        let mut middle = masked(&text[key + KEYS[0].len()..value]);
        let rules = rules(samples, &mut middle, text);
        let strip = strip_rule(&middle, &after);
        let open_marker = format!("{}{{key}}{}", to_marker(&open), to_marker(middle.trim_end()));
        let header_end = name_end + before.len() - open.len();
        let header_end = name_end + text[name_end..header_end].trim_end().len();
        let written = close.replace(KEY, KEYS[0]).replace(NAME, NAMES[0]).replace(ID, IDS[0]);
        let value_end = value + VALUES[0].len();
        let Some(closing) = text[value_end..].find(&written).filter(|_| !close.is_empty()) else { continue };
        let end = value_end + closing + written.len();
        let is_json = rules.iter().any(|rule| rule.contains("json_or_text"));
        let close = if is_json { close.strip_prefix('"').unwrap_or(&close) } else { &close };
        bodies.push(Body {
            arguments: ArgumentsDraft::Parameters { open: open_marker, close: to_marker(close), strip, rules },
            header_end,
            end,
            leads: vec![open.replace([NAME, ID, KEY], "")],
        });
    }
    bodies
}

/// Rules for types and escapes of values. `middle` is the text between key and value; a word in it that tells the type becomes a
/// stand-in, and a quotation mark of JSON is left out.
fn rules(samples: &Samples, middle: &mut String, text: &str) -> Vec<String> {
    let mut rules = Vec::new();
    let between = |sample: &Option<String>, value: &str| {
        let sample = sample.as_ref()?;
        let key = sample.find(KEYS[0])? + KEYS[0].len();
        let value = sample[key..].find(value)?;
        Some(masked(&sample[key..key + value]))
    };
    let number = between(&samples.number, &NUMBER.to_string());
    let others: Vec<String> =
        ["rue", "Feldspar"].iter().zip(&samples.others).filter_map(|(value, sample)| between(sample, value)).collect();
    if let Some(number) = number.filter(|number| number != middle) {
        if middle.strip_suffix('"').is_some_and(|rest| rest == number) {
            *middle = number;
            return vec!["values: {json_or_text: true}".to_owned()];
        }
        let (start, end) = (common_prefix(middle, &number), common_suffix(middle, &number));
        let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Letters that both words share belong to the word.
        let start = middle[..start].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let tail =
            middle[middle.len() - end..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let word = |text: &str| text.get(start..text.len().checked_sub(tail)?).map(str::to_owned);
        if let (Some(text_type), Some(number_type)) = (word(middle), word(&number))
            && is_word(&text_type)
            && is_word(&number_type)
        {
            let is_one = others.iter().all(|other| other.contains(&number_type));
            let json = if is_one { format!("json_type: {number_type:?}, ") } else { String::new() };
            rules.push(format!("values: {{{json}text_type: {text_type:?}}}"));
            let masked = format!("{}{TYPE}{}", &middle[..start], &middle[middle.len() - tail..]);
            *middle = masked;
        }
    }
    let escapes = ["&lt;", "<![CDATA["];
    let is_escaped = |sample: &String| escapes.iter().any(|escape| sample.contains(escape) && !text.contains(escape));
    if samples.markup.as_ref().is_some_and(is_escaped) {
        rules.push("unescape: xml".to_owned());
    }
    rules
}
