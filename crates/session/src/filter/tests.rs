//! Tests of the filter language as tables: selections, errors, and completions.

mod session_facts;

use super::*;
use crate::container::Container;
use crate::dialect::Options;
use crate::document::{Item, ItemKind};
use crate::session::Session;
use crate::text::Span;

const DEMO: &[u8] = include_bytes!("../../../../samples/demo.txt");
const CLAUDE: &[u8] = include_bytes!("../../../../samples/containers/claude-code/late-ferry.jsonl");
const CODEX: &[u8] = include_bytes!("../../../../samples/containers/codex/lock-gates.jsonl");

/// Labels of items: calls by id, results by id prefixed with `=`, others by kind and number.
fn labels(session: &Session, items: impl IntoIterator<Item = usize>) -> String {
    let text = session.text();
    let label = |item: usize| match session.document().items().get(item) {
        Some(Item::Call(call)) => call.id(text),
        Some(Item::Result(answer)) => format!("={}", answer.id.map(|id| id.text(text)).unwrap_or_default()),
        Some(Item::Text(_)) => format!("text{item}"),
        Some(Item::Aside(aside)) => format!("{}{item}", aside.name.unwrap_or("reasoning")),
        None => "?".into(),
    };
    items.into_iter().map(label).collect::<Vec<_>>().join(" ")
}

fn selected(session: &Session, expression: &str) -> String {
    let filter = Filter::parse(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    assert_eq!(filter.to_string(), expression.trim());
    labels(session, Selection::new(&filter, session).items().iter().copied())
}

/// An expression, and what it selects from the demonstration, a Claude Code session and a Codex session.
type Row = (&'static str, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // Outcomes of calls.
    ("failed", "", "toolu_01B =toolu_01B", "call_2 =call_2"),
    ("rejected", "backup rehearsal", "", ""),
    ("skipped", "tell_customers retire_spreadsheet", "", ""),
    ("rejected or skipped", "backup rehearsal tell_customers retire_spreadsheet", "", ""),
    ("open", "", "", ""),
    ("has:result is:call", "", "toolu_01A toolu_01B toolu_01C", "call_1 call_2 call_3"),
    ("is:call not failed", DEMO_CALLS, "toolu_01A toolu_01C", "call_1 call_3"),
    // A result is neither kept nor dropped without its call.
    ("is:result not failed", "", "=toolu_01A =toolu_01C", "=call_1 =call_3"),
    // Names, ignoring case where it hardly matters.
    ("tool:fetchdata", "fetch_customers fetch_orders fetch_rates", "", ""),
    ("tool:fetch", "", "", ""),
    ("tool:*FILE", "write_money write_importer write_check patch_settings retire_spreadsheet", "", ""),
    ("tool:\"*file\"", "", "", ""),
    ("tool:SHELL", "", "", "call_1 =call_1"),
    ("tool:bash failed", "", "toolu_01B =toolu_01B", ""),
    ("id:write_*", "write_money write_importer write_check", "", ""),
    ("id:call_1", "", "", "call_1 =call_1"),
    ("id:CALL_1", "", "", ""),
    ("id:call_3", "", "", "call_3 =call_3"),
    ("dialect:Gadget dep=0", "migration write_money write_check rehearsal gadget_1", "", ""),
    ("dialect:native is:call", "", "toolu_01A toolu_01B toolu_01C", "call_1 call_2 call_3"),
    // Dependencies.
    ("dep>=3", "merge", "", ""),
    ("dep>1", "merge tell_customers", "", ""),
    ("dep<=1 tool:write*", "report write_money write_importer write_check", "", ""),
    ("dep=2", "tell_customers", "", ""),
    // Speakers, and kinds of items.
    ("role:user", "", "text0", "text1"),
    ("role:human", "", "text0", "text1"),
    ("role:system", "", "", "text0 text14 turn_aborted15"),
    ("role:tool", "", "=toolu_01A =toolu_01B =toolu_01C", "=call_1 =call_2 =call_3"),
    // The model's output, with the results of its calls.
    ("role:assistant tool:read", "", "toolu_01A =toolu_01A", ""),
    ("is:reasoning", "", "reasoning1", "reasoning2"),
    ("is:envelope", "", "", "turn_aborted15"),
    ("is:text modulo", "", "text9", ""),
    // Problems.
    ("code:array-gap", "rehearsal", "", ""),
    ("code:*-Dependency", "tell_customers", "", ""),
    ("has:error", "backup rehearsal tell_customers", "", ""),
    ("has:warning", "write_importer move_customer gadget_1 go_live summary", "", "text14"),
    ("has:problem not has:warning", "backup rehearsal tell_customers", "", ""),
    ("has:hint", "", "", ""),
    // Parameters.
    ("arg:path", "report retire_spreadsheet", "", ""),
    ("arg:filePath~SRC/", "", "", ""),
    ("arg:filePath~src/", "write_money write_check", "", ""),
    ("arg:filepath", "", "", ""),
    ("arg:compress=true", "backup", "", ""),
    ("arg:customer/address/zip=04109", "move_customer", "", ""),
    ("arg:customer~linden", "move_customer", "", ""),
    ("arg:customer=Leipzig", "", "", ""),
    ("arg:\"title\"~\"new billing\"", "migration", "", ""),
    ("arg:lines/0", "rehearsal", "", ""),
    // Arguments that did not fit into the tree are searched too.
    ("arg:lines~bulb", "rehearsal", "", ""),
    ("arg:folder=exports", "backup", "", ""),
    ("arg:command~pytest", "", "toolu_01B =toolu_01B", ""),
    // Texts.
    ("leipzig", "move_customer", "", ""),
    ("Leipzig", "move_customer", "", ""),
    ("LEIPZIG", "", "", ""),
    ("/LEIPZIG/i", "move_customer", "", ""),
    ("/^!!!ARG:z\\w*$/", "", "", ""),
    ("/^!!!ARG:.*\\/zip$/", "move_customer", "", ""),
    ("/€ \\d+/", "text14 text21", "", ""),
    ("\"not depend\"", "text4", "", ""),
    ("not depend not fetch is:text lamps", "", "", ""),
    // The text of a result is not that of its call.
    ("FAILED", "", "=toolu_01B", ""),
    ("\"failed\" is:result", "", "=toolu_01B", ""),
    ("pytest", "", "toolu_01B =toolu_01B", ""),
    // How terms are joined.
    ("skipped and dep>1 or rejected", "backup rehearsal tell_customers", "", ""),
    ("skipped AND (dep>1 or rejected)", "tell_customers", "", ""),
    ("!(tool:read OR tool:bash) is:call failed", "", "", "call_2"),
    ("not not !!rejected", "backup rehearsal", "", ""),
    ("NOT is:text Not tool:*", "", "reasoning1", "reasoning2 turn_aborted15"),
    ("  failed\ttool:Bash ", "", "toolu_01B =toolu_01B", ""),
];

const DEMO_CALLS: &str = "migration backup fetch_customers fetch_orders fetch_rates merge report write_money \
                          write_importer write_check patch_settings rehearsal move_customer gadget_1 tell_customers \
                          retire_spreadsheet go_live summary";

#[test]
fn an_expression_selects_these_items() {
    let sessions = [DEMO, CLAUDE, CODEX].map(Session::from_bytes);
    for (expression, demo, claude, codex) in ROWS {
        let found = sessions.each_ref().map(|session| selected(session, expression));
        assert_eq!(found, [*demo, *claude, *codex], "{expression}");
    }
}

#[test]
fn cheap_terms_are_evaluated_first() {
    for (written, asked) in [
        ("/a/ tool:b failed", ["Failed", "Tool", "Text"]),
        ("(arg:x or is:call) or id:b or failed", ["Failed", "Id", "Is"]),
        ("b or not c or dep>1", ["Dependencies", "Text", "Text"]),
    ] {
        let mut terms = Vec::new();
        Filter::parse(written).expect("a filter").expression.visit(&mut |_, term| terms.push(format!("{term:?}")));
        let names: Vec<&str> = terms.iter().filter_map(|term| term.split('(').next()).take(3).collect();
        assert_eq!(names, asked, "{written}");
    }
}

#[test]
fn a_call_without_a_result_is_open_where_others_have_one() {
    let lines: Vec<&[u8]> = CLAUDE.split_inclusive(|&byte| byte == b'\n').collect();
    let cut = lines.iter().rposition(|line| line.windows(9).any(|part| part == b"toolu_01C")).expect("its result");
    let session = Session::from_bytes(&lines[..cut].concat());
    assert_eq!(selected(&session, "open"), "toolu_01C");
    assert_eq!(selected(&session, "is:call not open"), "toolu_01A toolu_01B");
    let asked = lines[..cut - 4].concat();
    assert_eq!(selected(&Session::from_bytes(&asked), "open"), "", "there are no results at all");
    let mut session = Session::new(Container::default(), &Options::default());
    session.push(&asked);
    assert_eq!(selected(&session, "open"), "toolu_01A toolu_01B", "they may still come");
}

/// An expression, the span of its error, the message, and a part of the help.
const FAULTS: &[(&str, (usize, usize), &str, &str)] = &[
    ("", (0, 0), "empty filter", "write a term: failed, rejected, "),
    (" \t", (2, 2), "empty filter", "write a term"),
    ("\"\"", (0, 2), "empty text", "write the text to search for"),
    ("failed and", (10, 10), "expected a term after and", "write one"),
    ("and failed", (0, 3), "expected a term before this", "write one"),
    ("failed or or open", (10, 12), "expected a term after or", "quote it"),
    ("not", (3, 3), "expected a term after not", "write one"),
    ("failed !", (8, 8), "expected a term after !", "write one"),
    ("()", (1, 2), "expected a term after the parenthesis", "write one"),
    ("(failed", (0, 1), "unclosed parenthesis", "add )"),
    ("failed)", (6, 7), "closing parenthesis without an opening one", "remove it"),
    ("a \"b c", (2, 6), "unclosed quotation mark", "add the closing \""),
    ("/a b", (0, 4), "unclosed regular expression", "add the closing /"),
    ("/home/ana", (6, 9), "unknown regular expression flag \"ana\"", "quote it"),
    ("//", (0, 2), "empty regular expression", "between the slashes"),
    ("open /(/", (5, 8), "invalid regular expression: unclosed group", "escape"),
    ("/(a{1000}){1000}/", (0, 17), "invalid regular expression: the compiled pattern exceeds 1048576 bytes", ""),
    ("tol:Bash", (0, 4), "unknown term \"tol:\"", "did you mean tool:Bash?"),
    ("https://example.com", (0, 6), "unknown term \"https:\"", "to look for a text with a colon, quote it"),
    ("tool: Bash", (5, 5), "tool: without a value", "write it directly after the colon: tool:Bash"),
    ("failed code:aray-gap", (12, 20), "unknown code \"aray-gap\"", "did you mean array-gap?"),
    ("code:zzz*", (5, 9), "unknown code \"zzz*\"", "transcope explain lists them all"),
    ("has:errors", (4, 10), "unknown property \"errors\"", "did you mean error?"),
    ("has:x", (4, 5), "unknown property \"x\"", "write one of problem, error, warning, hint, result"),
    ("is:calls", (3, 8), "unknown kind of item \"calls\"", "did you mean call?"),
    ("role:\"x y\"", (6, 9), "unknown role \"x y\"", "write one of user, assistant, tool, system"),
    ("dialect:hermse", (8, 14), "unknown dialect \"hermse\"", "did you mean hermes?"),
    ("arg:", (4, 4), "arg: without a value", "arg:path~src/"),
    ("arg:~x", (4, 4), "arg: without a parameter", "arg:items/0/name"),
    ("arg:path~", (8, 9), "~ without a text", "arg:NAME alone"),
    ("dep>x", (3, 5), "not a comparison", "dep>2"),
    ("dep>", (3, 4), "not a comparison", "dep>2"),
    ("dep > 2", (0, 3), "dep needs a comparison", "without spaces: dep>2"),
    ("dep:2", (0, 4), "dep takes no colon", "dep>2"),
    ("took>x", (4, 6), "not a comparison", "write a duration in ms, s, m or h after >, >=, =, <= or <: took>10s"),
    ("took>10", (4, 7), "not a comparison", "took>10s"),
    ("took > 10s", (0, 4), "took needs a comparison", "without spaces: took>10s"),
    ("took:10s", (0, 5), "took takes no colon", "compare the duration: took>10s"),
    ("turn:first", (5, 10), "not a turn: \"first\"", "turn:3, turn:2..5, turn:last"),
    ("turn:", (5, 5), "turn: without a value", "turn:3"),
    ("after:noon", (6, 10), "not a time: \"noon\"", "after:2026-01-31, after:2026-01-31T10:00, after:5m"),
    ("before:10", (7, 9), "not a time: \"10\"", "before:5m"),
    ("agnet:Explore", (0, 6), "unknown term \"agnet:\"", "did you mean agent:Explore?"),
    ("is:subagents", (3, 12), "unknown kind of item \"subagents\"", "did you mean subagent?"),
];

#[test]
fn an_invalid_expression_says_where_and_what_would_be_valid() {
    for (expression, (start, end), message, help) in FAULTS {
        let error = Filter::parse(expression).expect_err(expression);
        assert_eq!((error.span, error.message.as_str()), (Span::new(*start, *end), *message), "{expression}");
        assert!(error.help.contains(help), "{expression}: {}", error.help);
        assert!(!error.help.contains('\n') && !error.message.contains('\n'), "{expression}");
    }
}

#[test]
fn the_place_of_a_fault_is_marked_whatever_is_written() {
    for (expression, expected) in [
        ("failed code:aray-gap", ["failed code:aray-gap", "            ^^^^^^^^"]),
        ("failed and", ["failed and", "          ^"]),
        ("über tol:x", ["über tol:x", "     ^^^^"]),
        ("\u{1b}[2J tol:x", ["␛[2J tol:x", "     ^^^^"]),
    ] {
        assert_eq!(Filter::parse(expression).expect_err(expression).marked(), expected);
    }
    let long = format!("{}tol:x {}", "failed ".repeat(100), "open ".repeat(100));
    let [line, carets] = Filter::parse(&long).expect_err("tol").marked();
    assert!(line.starts_with('…') && line.ends_with('…') && line.chars().count() < 150, "{line}");
    let at = carets.find('^').expect("carets");
    assert_eq!(line.chars().skip(at).take(4).collect::<String>(), "tol:");
}

#[test]
fn expressions_are_bounded() {
    let long = "x".repeat(5000);
    let deep = format!("{}failed{}", "(".repeat(51), ")".repeat(51));
    let many = "/a/ ".repeat(21);
    for (expression, message) in [
        (&long, "the filter is longer than 4096 bytes"),
        (&deep, "more than 50 nested parentheses"),
        (&many, "more than 20 regular expressions"),
    ] {
        assert_eq!(Filter::parse(expression).expect_err("too large").message, message);
    }
    let session = Session::from_bytes(CODEX);
    for expression in [
        "!".repeat(4000) + "failed",
        "not ".repeat(1000) + "failed",
        format!("{}failed{}", "(".repeat(50), ")".repeat(50)),
        "failed ".repeat(500),
        "open or ".repeat(500) + "failed",
    ] {
        assert_eq!(selected(&session, &expression), "call_2 =call_2", "{}", &expression[..20]);
    }
    // More costly terms than the cache holds.
    let words = (0..200).map(|_| "gate").collect::<Vec<_>>().join(" or ");
    assert_eq!(selected(&session, &words), selected(&session, "gate"));
}

#[test]
fn nothing_that_is_written_panics() {
    let pieces = [
        "failed",
        "tool:",
        "Bash",
        "*",
        "\"",
        "\\",
        "/",
        "(",
        ")",
        "!",
        " ",
        "not ",
        "or",
        "and ",
        "arg:",
        "a/0",
        "~",
        "=",
        "dep",
        ">",
        "<=",
        "2",
        "code:",
        "array-gap",
        "é",
        "\u{202e}",
        "\n",
        "has:",
        ":",
        "[",
        "{1000}",
        "i",
        "turn:",
        "..",
        "took",
        "s",
        "after:",
    ];
    let session = Session::from_bytes(CLAUDE);
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..3000 {
        let expression: String = (0..=next(9)).map(|_| pieces[next(pieces.len())]).collect();
        match Filter::parse(&expression) {
            Ok(filter) => drop(Selection::new(&filter, &session)),
            Err(error) => {
                assert!(error.span.end <= expression.len(), "{expression:?}");
                assert_eq!(error.marked()[0].lines().count(), 1, "{expression:?}");
            }
        }
        let cursor = next(expression.len() + 2);
        let found = complete(&expression, cursor, Some(&session));
        assert!(expression.get(found.replace.start..found.replace.end).is_some(), "{expression:?} at {cursor}");
    }
}

/// An expression with the cursor at `|`, the part that is replaced, and the first completions.
const COMPLETIONS: &[(&str, &str, &str)] = &[
    ("|", "", "failed rejected skipped open tool: arg: code: dep>0"),
    ("f|", "f", "failed"),
    ("failed |", "", "failed rejected"),
    ("failed o|", "o", "open or"),
    ("n|", "n", "not open"),
    ("tool:|", "", "FetchData WriteFile"),
    ("tool:WRI|", "WRI", "WriteFile WriteReport"),
    ("tool:\"Wri|", "\"Wri", "WriteFile WriteReport"),
    ("tool:Wri|tten failed", "Written", "WriteFile WriteReport"),
    ("(tool:file|)", "file", "WriteFile ArchiveFile PatchFile"),
    ("!id:write_|", "write_", "write_money write_importer write_check"),
    ("code:|", "", "duplicate-pointer array-gap"),
    ("role:a|", "a", "assistant"),
    ("dialect:|", "", "gadget"),
    ("has:e|", "e", "error problem"),
    ("arg:file|", "file", "filePath"),
    ("arg:filePath~|", "filePath~", ""),
    ("/tool:|", "", ""),
    ("\"tool |", "\"tool ", ""),
    ("nothing:|", "", ""),
];

#[test]
fn what_may_be_written_is_offered_with_the_names_of_the_session() {
    let session = Session::from_bytes(DEMO);
    for (written, replaced, expected) in COMPLETIONS {
        let (before, after) = written.split_once('|').expect("a cursor");
        let expression = format!("{before}{after}");
        let found = complete(&expression, before.len(), Some(&session));
        assert_eq!(&expression[found.replace.start..found.replace.end], *replaced, "{written}");
        let texts: Vec<&str> = found.list.iter().map(|offer| offer.text.as_str()).collect();
        let count = if expected.is_empty() { usize::MAX } else { expected.split(' ').count() };
        assert_eq!(texts[..texts.len().min(count)].join(" "), *expected, "{written}");
        assert!(found.list.iter().all(|offer| !offer.about.is_empty()), "{written}");
    }
    assert!(complete("code:", 5, None).list.iter().any(|offer| offer.text == "array-gap"));
    assert_eq!(complete("tool:", 5, None).list, []);
}

#[test]
fn early_answers_are_final() {
    let expressions: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    for bytes in [DEMO, CLAUDE, CODEX] {
        let whole = Session::from_bytes(bytes);
        for expression in &expressions {
            let filter = Filter::parse(expression).expect("a filter");
            let selection = Selection::new(&filter, &whole);
            for step in [97, bytes.len()] {
                let mut session = Session::new(Container::default(), &Options::default());
                let mut matcher = Matcher::new(filter.clone());
                let mut decided = 0;
                for piece in bytes.chunks(step) {
                    session.push(piece);
                    matcher.update(&session);
                    let settled = session.document().stable_items();
                    for item in decided..settled {
                        let given = matcher.decide(&session, item, KnownItems::UpTo(item));
                        assert!(given.is_none_or(|given| given == selection.contains(item)), "{expression}: {item}");
                    }
                    decided = settled;
                }
            }
        }
    }
}

#[test]
fn only_what_depends_on_what_follows_waits_for_it() {
    let session = Session::from_bytes(CLAUDE);
    let first = session.document().calls().next().expect("a call");
    let answer = session.document().answer_of(first).expect("a result");
    assert_eq!(session.document().items().kind(answer), Some(ItemKind::Result));
    for (expression, early, late) in [
        ("failed", None, Some(false)),
        ("not failed", None, Some(true)),
        ("failed tool:edit", Some(false), Some(false)),
        ("failed or tool:read", Some(true), Some(true)),
        ("open", None, Some(false)),
        ("has:result", None, Some(true)),
        ("skipped", Some(false), Some(false)),
        ("has:error", None, None),
        ("code:array-gap", Some(false), Some(false)),
        ("code:answered-twice", None, None),
    ] {
        let mut matcher = Matcher::new(Filter::parse(expression).expect("a filter"));
        matcher.update(&session);
        let given = [first, answer].map(|last| matcher.decide(&session, first, KnownItems::UpTo(last)));
        assert_eq!(given, [early, late], "{expression}");
    }
}
