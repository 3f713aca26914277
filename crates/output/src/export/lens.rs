//! The lens as text and as JSON: how the runtimes read a message.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::diagnostic::Code;
use crate::lens::fact::{compare, facts};
use crate::lens::upgrade::{ParserUpgrade, Upgrade};
use crate::lens::{FactPlace, FactState, Group, Lens, LensRow, MessageText, OutcomeFact};
use crate::runtime::release::Day;
use crate::runtime::{AppliedSetting, DeliveredCall, Outcome, Reason, Release, SettingEffect};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, word_rows};
use crate::wording::count;
use crate::wording::lens::{
    dialects_of, effect_text, label_of, reason_text, releases_of, settings_of, shared_assumptions, switch, thinking_of,
    tools_of,
};

/// Width in columns of a fact's label.
const LABEL: usize = 12;

/// Maximum number of characters shown of a value.
const MOST: usize = 200;

/// An array for a message: what each parser delivers and why, with spans in the message.
pub fn to_json(lens: &Lens) -> Json {
    let row = |row: &LensRow| {
        let reasons = row.reading.reasons.iter();
        let reason =
            |why: &Reason| json!({ "code": why.code.name(), "span": why.span, "text": reason_text(&row.reading, why) });
        let reasons: Vec<Json> = reasons.map(reason).collect();
        let mut record = json!({
            "runtime": row.parser.profile.runtime,
            "parser": row.parser.parser,
            "version": row.parser.release.version,
            "date": row.parser.release.date,
            "outcome": outcome_to_json(&row.reading.outcome),
            "reasons": reasons,
            "assumes": assumptions(lens, row),
        });
        let stated = row.settings.iter().filter(|setting| setting.effect != SettingEffect::Assumed);
        let stated: Vec<Json> = stated.map(setting_to_json).collect();
        if !stated.is_empty() {
            record["settings"] = Json::Array(stated);
        }
        if let Some(streamed) = &row.streamed {
            record["streamed"] = outcome_to_json(streamed);
        }
        if let Some(served) = &row.served {
            record["server"] = outcome_to_json(served);
        }
        record
    };
    Json::Array(lens.rows.iter().map(row).collect())
}

/// An outcome, with the bytes of each call.
pub(super) fn outcome_to_json(outcome: &Outcome) -> Json {
    let mut record = json!(outcome);
    for (number, call) in outcome.calls.iter().enumerate() {
        record["calls"][number]["spans"] = spans(call);
    }
    record
}

/// The assumptions of an outcome: always about tools and thinking, and the settings that matter for it.
fn assumptions(lens: &Lens, row: &LensRow) -> Json {
    let mut all = json!({ "tools": lens.request.is_assumed, "thinking": row.thinking.map(switch) });
    for setting in row.settings.iter().filter(|setting| setting.effect == SettingEffect::Assumed) {
        all[setting.name.name()] = json!(setting.value);
    }
    all
}

fn setting_to_json(setting: &AppliedSetting) -> Json {
    let AppliedSetting { name, value, effect } = setting;
    json!({ "name": name.name(), "value": value, "effect": effect.name(), "text": effect_text(*effect) })
}

/// Spans in the message of a call's parts: of its name and id, and of each key and value by pointer. `null` for parts
/// that the parser makes up; several spans are joined.
fn spans(call: &DeliveredCall) -> Json {
    let mut values = Vec::new();
    call.arguments.walk(&mut |pointer, member, value| {
        let key = member.map(|member| &member.key_place);
        values.push(json!({ "pointer": pointer, "pointer_span": key, "value_span": value.place }));
    });
    json!({ "call": call.span, "name": call.name_place, "id": call.id_place, "values": values })
}

/// Writes the lens as text: equal outcomes grouped, differences marked, with reasons.
pub fn write_text<W: Write>(
    out: &mut W,
    session: &Session,
    message: &MessageText,
    lens: &Lens,
    width: usize,
    today: Day,
) -> io::Result<()> {
    let outcomes = count(lens.groups.len(), "outcome");
    let parsers = count(lens.rows.len(), "parser");
    let dialects = dialects_of(lens);
    let words = format!("{dialects}: {outcomes} of {parsers}; {}", tools_of(&lens.request));
    write_wrapped(out, &words, "", "  ", width)?;
    write_wrapped(out, &releases_of(lens, today), "", "  ", width)?;
    if let Some(words) = shared_assumptions(lens) {
        write_wrapped(out, &format!("assumes {words}"), "", "  ", width)?;
    }
    for (number, group) in lens.groups.iter().enumerate() {
        writeln!(out)?;
        write_outcome(out, lens, number, width)?;
        write_reasons(out, session, message, lens, group, width)?;
    }
    let legend = [
        (lens.groups.len() > 1, "≠ differs from 1, − missing here"),
        (lens.rows.iter().any(LensRow::is_approximate), "~ approximate: see transcope dialects --conformance"),
    ];
    let legend: Vec<&str> = legend.into_iter().filter_map(|(is_needed, words)| is_needed.then_some(words)).collect();
    if !legend.is_empty() {
        writeln!(out)?;
    }
    legend.into_iter().try_for_each(|words| write_wrapped(out, words, "", "  ", width))
}

/// Writes what the parsers deliver, equal outcomes grouped, without reasons.
pub fn write_outcomes<W: Write>(out: &mut W, lens: &Lens, width: usize) -> io::Result<()> {
    for number in 0..lens.groups.len() {
        write_outcome(out, lens, number, width)?;
    }
    Ok(())
}

/// Writes the parsers of a group, and what they deliver.
fn write_outcome<W: Write>(out: &mut W, lens: &Lens, number: usize, width: usize) -> io::Result<()> {
    let group = &lens.groups[number];
    let names: Vec<String> = group.rows.iter().map(|&row| name_of(lens, row)).collect();
    write_wrapped(out, &names.join(", "), &format!("{:<4}", number + 1), "    ", width)?;
    write_facts(out, &group.facts, "  ", width)?;
    if group.facts.is_empty() {
        writeln!(out, "    no output")?;
    }
    Ok(())
}

/// Writes text wrapped at `width`, with `first` before the first line and `next` before the others.
pub(super) fn write_wrapped<W: Write>(
    out: &mut W,
    words: &str,
    first: &str,
    next: &str,
    width: usize,
) -> io::Result<()> {
    for (line, row) in word_rows(words, width.saturating_sub(next.len())).enumerate() {
        writeln!(out, "{}{}", if line == 0 { first } else { next }, visible_str(row))?;
    }
    Ok(())
}

/// Name of a parser, with a mark if its profile is approximate.
fn name_of(lens: &Lens, row: usize) -> String {
    let row = &lens.rows[row];
    let mark = if row.is_approximate() { "~" } else { "" };
    format!("{}{mark}", row.name())
}

/// Writes facts wrapped at `width`, each with a mark if it differs, its label and its value.
pub(super) fn write_facts<'f, W: Write>(
    out: &mut W,
    facts: impl IntoIterator<Item = &'f OutcomeFact>,
    indent: &str,
    width: usize,
) -> io::Result<()> {
    let labelled: Vec<(&OutcomeFact, String)> =
        facts.into_iter().map(|fact| (fact, visible_str(&label_of(&fact.place)).into_owned())).collect();
    let columns = |label: &str| display_width(label.as_bytes());
    let most = (width / 3).max(LABEL);
    let column = labelled.iter().map(|(_, label)| columns(label)).filter(|column| *column <= most).max();
    let column = column.unwrap_or(0).max(LABEL);
    for (fact, label) in labelled {
        let mark = match fact.state {
            FactState::Same => ' ',
            FactState::Different => '≠',
            FactState::Missing => '−',
        };
        let words = match fact.state {
            FactState::Missing => "missing".to_owned(),
            _ => words_of(fact),
        };
        let gap = " ".repeat(column.saturating_sub(columns(&label)));
        let next = " ".repeat(indent.len() + 2 + column + 1);
        write_wrapped(out, &words, &format!("{indent}{mark} {label}{gap} "), &next, width)?;
    }
    Ok(())
}

/// The value of a fact as text: names unquoted, everything else as JSON.
pub(crate) fn words_of(fact: &OutcomeFact) -> String {
    let short = |words: &str| words.chars().take(MOST).collect::<String>();
    match (&fact.place, &fact.value) {
        (FactPlace::Call(_), Json::String(name)) => short(name),
        (FactPlace::Call(_), _) => "without a name".to_owned(),
        (FactPlace::Error, Json::String(words)) => short(words),
        (_, value) => short(&value.to_string()),
    }
}

/// Writes why the parsers of a group deliver this outcome, each reason once, and how it may differ when streamed or
/// served.
fn write_reasons<W: Write>(
    out: &mut W,
    session: &Session,
    message: &MessageText,
    lens: &Lens,
    group: &Group,
    width: usize,
) -> io::Result<()> {
    // Equal reasons at the same places share a line.
    let mut said: Vec<(Code, String, Vec<usize>, Vec<usize>)> = Vec::new();
    let codes: BTreeSet<Code> =
        group.rows.iter().flat_map(|&row| &lens.rows[row].reading.reasons).map(|reason| reason.code).collect();
    for code in codes {
        for &row in &group.rows {
            let reading = &lens.rows[row].reading;
            let mut texts: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for reason in reading.reasons.iter().filter(|reason| reason.code == code) {
                texts.entry(reason_text(reading, reason)).or_default().insert(reason.span.start);
            }
            for (text, places) in texts {
                let places: Vec<usize> = places.into_iter().collect();
                match said.iter_mut().find(|(_, known, _, there)| *known == text && *there == places) {
                    Some((.., rows, _)) => rows.push(row),
                    None => said.push((code, text, vec![row], places)),
                }
            }
        }
    }
    said.sort_by_key(|(code, _, _, places)| (places[0], *code));
    for (code, text, rows, places) in said {
        let places = places.iter().map(|place| {
            let position = session.position(message.span.start + place);
            format!("{}:{}", position.line, position.column)
        });
        let whose = match (rows.as_slice(), group.rows.len()) {
            (rows, all) if rows.len() == all => String::new(),
            ([one], _) => format!(" ({})", lens.rows[*one].name()),
            (rows, all) => format!(" ({} of {all})", rows.len()),
        };
        let words = format!("{} {}: {text}{whose}", list(places), code.name());
        write_wrapped(out, &words, "    ", "      ", width)?;
    }
    let thinking = thinking_of(lens, group, |other| format!("--thinking {other} changes it"));
    for words in settings_of(lens, group).into_iter().chain(thinking) {
        write_wrapped(out, &words, "    ", "      ", width)?;
    }
    write_others(
        out,
        lens,
        group,
        width,
        |row| row.streamed.as_ref(),
        |names| format!("when streamed, {names} may deliver instead:"),
    )?;
    write_others(
        out,
        lens,
        group,
        width,
        |row| row.served.as_ref(),
        |names| format!("a client of a server with {names} gets instead:"),
    )
}

/// Writes the changes of an upgrade by parser; unchanged parsers are only counted.
pub fn write_upgrade<W: Write>(out: &mut W, upgrade: &Upgrade, width: usize) -> io::Result<()> {
    let changed: Vec<_> = upgrade.parsers.iter().filter(|parser| parser.is_changed()).collect();
    let of = count(upgrade.parsers.len(), "parser");
    let Upgrade { runtime, from, to, .. } = upgrade;
    if upgrade.parsers.is_empty() {
        return writeln!(out, "{runtime} has no parser for the dialect of this message");
    }
    let new: Vec<&str> =
        upgrade.parsers.iter().filter(|parser| parser.before.is_none()).map(|parser| parser.parser).collect();
    let new = if new.is_empty() { String::new() } else { format!("; new: {}", new.join(", ")) };
    let words = format!("{runtime} {from} to {to}: {} of {of} changed{new}", changed.len());
    write_wrapped(out, &words, "", "  ", width)?;
    for parser in changed {
        writeln!(out, "\n{}: {runtime}:{}", parser.dialect, parser.parser)?;
        for (release, outcome) in [(from, &parser.before), (to, &parser.after)] {
            writeln!(out, "  {}", release.version)?;
            let facts = if release == to { parser.facts() } else { facts(&outcome.clone().unwrap_or_default()) };
            match outcome {
                None => writeln!(out, "      does not have this parser")?,
                Some(_) if facts.is_empty() => writeln!(out, "      no output")?,
                Some(_) => write_facts(out, &facts, "    ", width)?,
            }
        }
    }
    Ok(())
}

/// The changes of an upgrade as a JSON array with an object for each parser.
pub fn upgrade_to_json(upgrade: &Upgrade) -> Json {
    let side = |release: &Release, outcome: &Option<Outcome>| json!({ "version": release.version, "date": release.date, "outcome": outcome });
    let row = |parser: &ParserUpgrade| {
        json!({
            "runtime": upgrade.runtime,
            "dialect": parser.dialect,
            "parser": parser.parser,
            "changed": parser.is_changed(),
            "from": side(upgrade.from, &parser.before),
            "to": side(upgrade.to, &parser.after),
        })
    };
    Json::Array(upgrade.parsers.iter().map(row).collect())
}

/// Writes the different facts of the outcomes that parsers of a group deliver in other circumstances. Equal outcomes
/// are written once, introduced by `words` of the parsers' names.
fn write_others<W: Write>(
    out: &mut W,
    lens: &Lens,
    group: &Group,
    width: usize,
    other: impl Fn(&LensRow) -> Option<&Outcome>,
    words: impl Fn(&str) -> String,
) -> io::Result<()> {
    let mut said: Vec<(&Outcome, Vec<String>)> = Vec::new();
    for row in group.rows.iter().map(|&row| &lens.rows[row]) {
        let Some(outcome) = other(row) else { continue };
        match said.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, names)) => names.push(row.name()),
            None => said.push((outcome, vec![row.name()])),
        }
    }
    let whole = &lens.rows[group.rows[0]].reading.outcome;
    for (outcome, names) in said {
        write_wrapped(out, &words(&names.join(", ")), "    ", "      ", width)?;
        let facts = compare(whole, outcome);
        write_facts(out, facts.iter().filter(|fact| fact.state != FactState::Same), "    ", width)?;
    }
    Ok(())
}

/// Joins places with commas; of many, only the first ones and the number of the others.
fn list(places: impl Iterator<Item = String>) -> String {
    /// Maximum number of places listed for a reason.
    const MOST: usize = 4;
    let all: Vec<String> = places.collect();
    match all.len().checked_sub(MOST) {
        Some(others @ 1..) => format!("{} and {others} more", all[..MOST].join(", ")),
        _ => all.join(", "),
    }
}
