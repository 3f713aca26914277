//! Terms about the facts of a session: turns, times, durations, sub-agents, compactions.

use super::labels;
use crate::container::Container;
use crate::dialect::Options;
use crate::filter::{ArrivalFilter, Filter, KnownItems, Matcher, Selection, complete};
use crate::session::Session;

/// Three turns: a call that took 15 s at most, a sub-agent that ran for 64 s, a call of 400 ms, a compaction.
const SESSION: &[u8] = include_bytes!("session_facts.jsonl");

const ROWS: &[(&str, &str)] = &[
    ("turn:1", "text0 a =a b text6 text7 =b"),
    ("turn:2", "text9 c =c text13 text14"),
    ("turn:last", "text15 text16"),
    ("turn:2..", "text9 c =c text13 text14 text15 text16"),
    ("turn:1..2 is:call", "a b c"),
    ("turn:4", ""),
    ("took>10s", "a =a b =b"),
    ("took>15s", "b =b"),
    ("took>=15s took<1m", "a =a"),
    ("took<500ms", "c =c"),
    ("took=400ms", "c =c"),
    ("after:2026-01-31T10:10", "text9 c =c text13 text14 text15 text16"),
    ("before:2026-01-31T11:00:05+01:00", "text0"),
    ("after:2026-02-01", ""),
    ("after:10m before:20m", "text9 c =c"),
    ("before:26s", "text0 a =a b =b"),
    ("agent:explore", "b text6 text7 =b"),
    ("agent:a17", "b text6 text7 =b"),
    ("agent:\"find the clock\"", "b text6 text7 =b"),
    ("agent:clock", ""),
    ("agent:*clock", "b text6 text7 =b"),
    ("is:compaction", "text13"),
    ("is:subagent", "b text6 text7 =b"),
    ("is:turn", "text0 text9 text15"),
    ("not is:turn is:text", "text6 text7 text13 text14 text16"),
];

/// Items that an expression selects, except whitespace between records.
fn selected(session: &Session, expression: &str) -> String {
    let filter = Filter::parse(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let selection = Selection::new(&filter, session);
    let is_blank = |item: usize| {
        let span = session.document().items().span(item).unwrap_or_default();
        session.text().read(span).trim_ascii().is_empty()
    };
    labels(session, selection.items().iter().copied().filter(|&item| !is_blank(item)))
}

#[test]
fn facts_of_a_session_select_items() {
    let session = Session::from_bytes(SESSION);
    let found = ROWS.iter().map(|(expression, _)| (*expression, selected(&session, expression)));
    let expected = ROWS.iter().map(|(expression, items)| (*expression, (*items).to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let plain = Session::from_bytes(super::DEMO);
    for expression in ["turn:1", "turn:last", "took<1h", "after:2020-01-01", "before:1h", "agent:*", "is:subagent"] {
        assert_eq!(selected(&plain, expression), "", "{expression}");
    }
}

#[test]
fn facts_decide_the_same_in_the_same_order_however_a_session_arrives() {
    let whole = Session::from_bytes(SESSION);
    for (expression, _) in ROWS {
        let filter = Filter::parse(expression).expect("a filter");
        let selection = Selection::new(&filter, &whole);
        let decided = |step: usize| {
            let mut session = Session::new(Container::default(), &Options::default());
            let mut arrival = ArrivalFilter::new(filter.clone());
            let mut decided = Vec::new();
            for piece in SESSION.chunks(step) {
                session.push(piece);
                decided.extend(arrival.decide(&session));
            }
            session.finish();
            decided.extend(arrival.decide(&session));
            decided
        };
        let found = decided(1);
        assert_eq!(found, decided(97), "{expression}");
        assert_eq!(found, decided(SESSION.len()), "{expression}");
        assert!(found.iter().all(|(item, given)| *given == selection.contains(*item)), "{expression}");
        assert_eq!(found.len(), whole.document().items().len(), "{expression}");
    }
}

#[test]
fn only_facts_that_a_later_record_may_state_wait_for_the_end() {
    let session = Session::from_bytes(SESSION);
    let call = session.document().calls().next().expect("a call");
    for (expression, item, given) in [
        // The turn may be abandoned later.
        ("turn:1", 0, None),
        ("turn:2", 0, Some(false)),
        ("turn:last", 0, None),
        ("took>10s", call, None),
        ("took>10s", 0, Some(false)),
        ("after:5s", call, Some(true)),
        ("before:2026-01-01", 0, Some(false)),
        ("agent:explore", 0, Some(false)),
        ("agent:explore", call, None),
        ("is:turn", 0, Some(true)),
        ("is:subagent", 0, Some(false)),
        ("is:subagent", 6, Some(true)),
        ("is:compaction", 0, None),
    ] {
        let mut matcher = Matcher::new(Filter::parse(expression).expect("a filter"));
        matcher.update(&session);
        assert_eq!(matcher.decide(&session, item, KnownItems::UpTo(item)), given, "{expression} of {item}");
    }
}

#[test]
fn an_abandoned_turn_has_no_number_to_select_it_by() {
    let record = |(uuid, parent, role): (&str, &str, &str)| {
        format!(
            r#"{{"uuid":"{uuid}","parentUuid":{parent},"type":"{role}","message":{{"role":"{role}","content":"{uuid}"}}}}"#
        )
    };
    let records = [
        ("p1", "null", "user"),
        ("a1", "\"p1\"", "assistant"),
        ("p2", "\"a1\"", "user"),
        ("a2", "\"p2\"", "assistant"),
        ("p3", "\"a2\"", "user"),
        ("q2", "\"a1\"", "user"),
        ("b2", "\"q2\"", "assistant"),
        ("q3", "\"b2\"", "user"),
    ];
    let session = Session::from_bytes(records.map(record).join("\n").as_bytes());
    let document = session.document();
    let turns: Vec<_> = document.turns().map(|turn| (turn.number, document.turn_number(turn))).collect();
    assert_eq!(turns, [(1, Some(1)), (2, None), (3, None), (2, Some(2)), (3, Some(3))]);
    assert_eq!(document.turn_count(), 3);
    for (expression, expected) in
        [("turn:1", "p1 a1"), ("turn:2", "q2 b2"), ("turn:2..", "q2 b2 q3"), ("turn:last", "q3")]
    {
        let selection = Selection::new(&Filter::parse(expression).expect("a filter"), &session);
        let selected = (0..document.items().len()).filter(|item| selection.contains(*item));
        let texts =
            selected.filter_map(|item| Some(session.text().read_str(document.items().span(item)?).into_owned()));
        let texts: Vec<String> = texts.map(|text| text.trim().to_owned()).collect();
        assert_eq!(texts.join(" "), expected, "{expression}");
    }
}

#[test]
fn turns_and_sub_agents_are_offered_by_name() {
    let session = Session::from_bytes(SESSION);
    for (written, expected) in [
        ("turn:", "last the last turn, 3 Thanks., 2 Now the tests., 1 Fix the clock."),
        ("agent:", "Explore 1 sub-agent, \"Find the clock\" Explore"),
        ("is:sub", "subagent messages of sub-agents in this file, and calls that start one"),
        ("took", "took>10s calls by how long they took: took>10s"),
    ] {
        let found = complete(written, written.len(), Some(&session)).list;
        let offers: Vec<String> = found.iter().map(|offer| format!("{} {}", offer.text, offer.about)).collect();
        assert_eq!(offers.join(", "), expected, "{written}");
    }
}
