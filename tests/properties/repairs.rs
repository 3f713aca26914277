//! Properties of every repair, tried on damaged calls of all dialects: nothing that arrived is lost, no value shrinks,
//! no prose becomes an argument, no two lines become one.
//!
//! Each text contains words that are unique in it. Their positions are compared before and after, and with the text
//! before it was damaged. To try more of them: `PROPTEST_CASES=100000 cargo test --test properties repairs`.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use transcope::convert::Calls;
use transcope::dialect::{DialectInfo, Options, all_names};
use transcope::document::Item;
use transcope::repair::{Budget, repair_all};
use transcope::session::Session;
use transcope::value::Value;

/// Two calls with text around them; each word with a number is unique.
const WHOLE: &str = "w0 before\n\n!!!GADGET_START:write:a\n!!!ARG:path\nw1\n!!!ARG:content\nw2 of it\nw3 \"quoted\" w4\n!!!ARG:count\n77\n\
    !!!GADGET_END\n\nw5 between\nw6 as well\n\n!!!GADGET_START:read:b\n!!!ARG:path\nw7\n!!!ARG:deep/key\nw8\n!!!GADGET_END\n\nw9 after\n";

/// Number of such words.
const WORDS: usize = 10;

/// A kind of damage.
#[derive(Clone, Debug)]
enum Fault {
    /// Some characters of markup are missing.
    Deleted(Index, usize),
    /// Something is repeated, or inserted.
    Inserted(Index, &'static str),
    /// The rest of a line is missing.
    LineCut(Index),
    /// The line is missing.
    LineGone(Index),
    /// The line is there twice.
    LineTwice(Index),
    /// The text ends here.
    Cut(Index),
}

const STRAY: &[&str] = &[
    "\"", "'", "\n", " ", "  ", "<", ">", "}", "]", "{", "[", ",", ":", "/", "`", "```\n", "!", "\u{200b}", "\\", "^",
    "> ",
];

/// All dialects, including declared ones.
fn dialects() -> Vec<&'static DialectInfo> {
    let options = Options::default();
    all_names().filter_map(|name| options.find(name).ok()).collect()
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (any::<Index>(), 1_usize..4).prop_map(|(at, count)| Fault::Deleted(at, count)),
        (any::<Index>(), select(STRAY)).prop_map(|(at, what)| Fault::Inserted(at, what)),
        any::<Index>().prop_map(Fault::LineCut),
        any::<Index>().prop_map(Fault::LineGone),
        any::<Index>().prop_map(Fault::LineTwice),
        any::<Index>().prop_map(Fault::Cut),
    ]
}

impl Fault {
    fn apply(&self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let chars: Vec<char> = text.chars().collect();
        let change_line = |at: &Index, change: fn(&str) -> String| {
            let number = at.index(lines.len());
            lines
                .iter()
                .enumerate()
                .map(|(n, line)| if n == number { change(line) } else { (*line).to_owned() })
                .collect()
        };
        match self {
            Self::Deleted(at, count) => {
                let at = at.index(chars.len());
                let (head, tail) = (&chars[..at], &chars[(at + count).min(chars.len())..]);
                head.iter().chain(tail).collect()
            }
            Self::Inserted(at, what) => {
                let (head, tail) = chars.split_at(at.index(chars.len()));
                head.iter().copied().chain(what.chars()).chain(tail.iter().copied()).collect()
            }
            Self::LineCut(at) => {
                change_line(at, |line| format!("{}\n", line.chars().take(line.chars().count() / 2).collect::<String>()))
            }
            Self::LineGone(at) => change_line(at, |_| String::new()),
            Self::LineTwice(at) => change_line(at, |line| format!("{line}{line}")),
            Self::Cut(at) => chars[..at.index(chars.len())].iter().collect(),
        }
    }
}

/// The position of a word: in prose, in markup, or in a value that contains these numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Where {
    Prose,
    Markup,
    Value(BTreeSet<usize>),
}

/// The unique words of a text, each with its position and the number of its line.
fn words(session: &Session, text: &str) -> BTreeMap<usize, (Where, usize)> {
    let mut found = BTreeMap::new();
    let numbers = |text: &str| (0..WORDS).filter(|n| text.contains(&format!("w{n}"))).collect::<BTreeSet<_>>();
    for (number, item) in session.document().items().iter().enumerate() {
        let tree = item.call().and_then(|_| session.dissect(number)).map(|assembly| assembly.tree);
        for n in 0..WORDS {
            let word = format!("w{n}");
            let mut places = text.match_indices(&word).map(|(at, _)| at);
            let (Some(at), None) = (places.next(), places.next()) else { continue };
            if !item.span().contains(at) {
                continue;
            }
            let value = tree.as_ref().and_then(|tree| {
                tree.walk().find_map(|(id, _)| match tree.node(id).value {
                    Value::Scalar(_, span) if span.contains(at) => Some(numbers(&tree.scalar_text(id, session.text()))),
                    _ => None,
                })
            });
            let place = match (item, value) {
                (Item::Call(_), Some(value)) => Where::Value(value),
                (Item::Call(_), None) => Where::Markup,
                _ => Where::Prose,
            };
            let line = text[..at].matches('\n').count() + text[..at].matches("\\n").count();
            found.insert(n, (place, line));
        }
    }
    found
}

/// Structural text of JSON.
const STRUCTURE: &[&str] = &["\": ", "\": {", "\", \"", ", \"", "\"}"];

/// True if a value contains JSON structure, or the closing tag of a JSON call.
fn holds_markup(words: &str, whole: &str) -> bool {
    let is_tag = |rest: &str| rest.find('>').is_some_and(|end| whole.contains(&format!("</{}", &rest[..=end])));
    // In many dialects, the text of a value may be an object.
    let is_object = words.contains("\"key\"") || words.contains("w8\"}");
    (!is_object && STRUCTURE.iter().any(|part| words.contains(part)))
        || (whole.contains("{\"name\"") && words.split("</").skip(1).any(is_tag))
}

/// Values and tool names with markup in calls without problems.
fn swallowed(session: &Session, whole: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let at_fault: BTreeSet<_> = session.document().diagnostics().iter().filter_map(|problem| problem.item).collect();
    for (number, item) in session.document().items().iter().enumerate() {
        let Some(call) = item.call().filter(|_| !at_fault.contains(&number)) else { continue };
        let Some(tree) = session.dissect(number).map(|assembly| assembly.tree) else { continue };
        let values = tree.walk().filter(|(id, _)| matches!(tree.node(*id).value, Value::Scalar(..)));
        let values = values.map(|(id, _)| tree.scalar_text(id, session.text()).into_owned());
        found.extend(values.filter(|words| holds_markup(words, whole)));
        let name =
            call.name.decoded.map_or_else(|| session.text().read_str(call.name.span).into_owned(), str::to_owned);
        found.extend(Some(name).filter(|name| name.contains(['"', '{', '}'])));
    }
    found
}

fn holds(whole: &str, broken: &str, options: &Options) -> Result<(), TestCaseError> {
    let read = |text: &str| Session::read(text.as_bytes(), options);
    let session = read(broken);
    prop_assume!(!session.is_decoded());
    let Some(repaired) = repair_all(&session, options, &Budget::for_command()) else { return Ok(()) };
    let after = String::from_utf8_lossy(&repaired.repair.applied(broken.as_bytes())).into_owned();
    let [meant, had, has] = [&read(whole), &session, &read(&after)].map(|session| swallowed(session, whole));
    // The name may have been written like that.
    let is_name = |words: &str| !holds_markup(words, whole) && broken.contains(words);
    let is_new =
        |words: &&String| !is_name(words) && !had.contains(*words) && !meant.iter().any(|part| words.contains(part));
    let new: Vec<_> = has.iter().filter(is_new).collect();
    prop_assert!(new.is_empty(), "{:?} has markup in it:\n{}\nbecame\n{}", new, broken, after);
    let [meant, before, now] = [whole, broken, &after].map(|text| words(&read(text), text));
    for n in 0..WORDS {
        let count = |text: &str| text.matches(&format!("w{n}")).count();
        // If a value occurs twice, one copy may be removed.
        prop_assert!(count(&after) == count(broken) || count(&after) == 1, "w{} is lost: {}", n, after);
    }
    for (n, (place, _)) in &now {
        let Some((was, _)) = before.get(n) else { continue };
        let was_meant = meant.get(n).map(|(place, _)| place);
        let keeps = |old: &Where| match (old, place) {
            // Words that were lost by the damage cannot be there.
            (Where::Value(old), Where::Value(new)) => old.iter().all(|n| new.contains(n) || !before.contains_key(n)),
            (Where::Value(_), _) => false,
            (Where::Prose, new) => *new == Where::Prose,
            (Where::Markup, _) => true,
        };
        // A part of a call that was cut off belongs to the call, even if its name is unknown.
        let is_back = matches!((was, was_meant, place), (Where::Prose, Some(Where::Value(_)), Where::Markup));
        let is_kept = is_back || keeps(was) || was_meant.is_some_and(|meant| *meant != Where::Markup && keeps(meant));
        prop_assert!(is_kept, "w{} was {:?} and is {:?}:\n{}\nbecame\n{}", n, was, place, broken, after);
    }
    let lines =
        |words: &BTreeMap<usize, (Where, usize)>| words.iter().map(|(n, (_, line))| (*n, *line)).collect::<Vec<_>>();
    let (old, new) = (lines(&before), lines(&now));
    for ((a, line), (b, other)) in old.iter().zip(old.iter().skip(1)) {
        let now = |n| new.iter().find(|(number, _)| *number == n).map(|(_, line)| *line);
        let (Some(first), Some(second)) = (now(*a), now(*b)) else { continue };
        prop_assert!(
            line == other || first != second,
            "w{} and w{} were on two lines:\n{}\nbecame\n{}",
            a,
            b,
            broken,
            after
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_repair_keeps_all_that_arrived_where_it_was(
        about in select(dialects()),
        faults in vec(fault(), 1..4),
    ) {
        let source = Session::from_bytes(WHOLE.as_bytes());
        let whole = Calls::in_their_text(&source).convert(about, &Options::default()).text;
        let whole = String::from_utf8(whole).expect("it was text");
        let broken = faults.iter().fold(whole.clone(), |text, fault| fault.apply(&text));
        let options = Options { only: vec![about], ..Options::default() };
        holds(&whole, &broken, &options)?;
        holds(&whole, &broken, &Options::default())?;
    }
}
