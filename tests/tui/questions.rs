//! Common questions, answered with at most three keys after opening the file, and filters on the screen.
//!
//! Letters typed into a line do not count as keys here: a filter is completed with Tab.

use std::path::Path;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::player::Player;
use super::shown::text_of;
use super::{LARGE, SMALL, sample};
use transcope::tui::message::{Effect, Task};
use transcope::tui::screen::Screen as _;

const DEMO: &str = "demo.txt";
const CLAUDE: &str = "containers/claude-code/late-ferry.jsonl";
const LEAP: &str = "containers/claude-code/leap-day.jsonl";
const GEMINI: &str = "containers/gemini-cli/session.json";
const OPENCODE: &str = "containers/opencode/tide-table.json";
const TOOLS: &str = "containers/claude-code/what-tools-say.jsonl";
const CODEX: &str = "containers/codex/lock-gates.jsonl";
const SLUICE: &str = "containers/codex/steered.jsonl";
const PIERS: &str = "containers/gemini-cli/two-piers.jsonl";
const WATCH: &str = "containers/opencode/night-watch.json";

/// A completely arrived sample, by its path.
fn player_of(file: &str, size: (u16, u16)) -> Player {
    Player::with_text(file.rsplit('/').next().expect("a name"), &sample(file), usize::MAX, size)
}

/// Types letters into a line.
fn types(player: &mut Player, letters: &str) {
    for letter in letters.chars() {
        player.event(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
    }
}

/// A question, a file, the keys, and text that is then on the screen.
const QUESTIONS: &[(&str, &str, &str, &[&str])] = &[
    ("what is the first thing that went wrong", DEMO, "e", &["1/9 error: Duplicate pointer: folder"]),
    ("what is the first thing that went wrong", CLAUDE, "e", &["1/1 ✗ Bash failed: "]),
    ("what is the first thing that went wrong", CODEX, "e", &["1/2 ✗ apply_patch failed: error: the patch does not"]),
    ("in which turn did it fail, and what had the user asked", LEAP, "e", &["Reading  turn 1 · “Find where the tid"]),
    ("in which turn did it fail, and what had the user asked", CODEX, "e", &["turn 1 · “Which gates are open?”"]),
    ("in which turn did it fail, and what had the user asked", GEMINI, "e", &["turn 1 · “The light list"]),
    ("in which turn did it fail, and what had the user asked", OPENCODE, "e", &["turn 1 · “The tide table"]),
    ("what did the session cost in tokens", GEMINI, "a", &["3 calls · ≥5.2k tokens"]),
    ("what did the session cost in tokens", OPENCODE, "a", &["5 calls · 49k tokens"]),
    ("what had the user asked before", OPENCODE, "G {", &["turn 2 of 2"]),
    ("what had the user asked before", LEAP, "G {", &["turn 2 of 2"]),
    ("what did the session cost in tokens", LEAP, "a", &["2 calls · 94k tokens", "session     4 requests · 28 new"]),
    ("where was the context compacted", LEAP, "z c", &["compaction 1 of 1: compacted (auto), 168k → ~35k, 2m 02s"]),
    ("which sub-agent did it", LEAP, "z s", &["▸ Agent ⑂ Explore  coverage gaps", "sub-agent 1 of 1"]),
    ("in which turn did it fail, and what had the user asked", PIERS, "e", &["1/1 ✗ turn 1 · read_file failed"]),
    (
        "in which turn did it fail, and what had the user asked",
        WATCH,
        "e",
        &["1/1 ✗ turn 1 · bash failed", "1 Run the night watch"],
    ),
    ("what did the session cost in tokens", LEAP, "", &["94k tokens"]),
    ("what did the session cost in tokens", SLUICE, "", &["2.6k tokens"]),
    ("what did the session cost in tokens", PIERS, "", &["5.2k tokens"]),
    ("what did the session cost in tokens", WATCH, "", &["53k tokens"]),
    ("what had the user asked before", SLUICE, "G {", &["turn 2 of 2"]),
    ("what had the user asked before", PIERS, "G {", &["turn 3 of 3"]),
    ("what had the user asked before", WATCH, "G {", &["turn 3 of 3"]),
    ("where was the context compacted", SLUICE, "z c", &["compaction 1 of 1: compacted, ~1.2k → ~300"]),
    ("where was the context compacted", PIERS, "z c", &["compaction 1 of 1: compacted, ~1.3k → ~400"]),
    ("where was the context compacted", WATCH, "z c", &["compaction 1 of 1: compacted (manual), ~10k → ~3.0k"]),
    ("which sub-agent did it", SLUICE, "z s", &["⑂ explorer", "sub-agent 1 of 1"]),
    ("which sub-agent did it", PIERS, "z s", &["⑂ codebase_investigat", "sub-agent 1 of 1"]),
    ("which sub-agent did it", WATCH, "z s", &["⑂ explore  history of LAMPS", "session ses_2b1a0c9d1ffeHistoryLamps4"]),
    ("how full was the context", LEAP, "G a", &["context     34,110 tokens"]),
    ("which bytes are a parameter", DEMO, "c l", &["7 ▌ !!!ARG:title", "8 ▌ Invoices to the new"]),
    ("which bytes are a parameter", CLAUDE, "c l alt-3", &["▌ ", "Raw  5/13"]),
    ("what became of a byte", DEMO, "c alt-3 a", &["byte", "gadget: the beginning of a call of OpenMigration"]),
    ("what became of a byte", CLAUDE, "c alt-3 a", &["byte", "native: "]),
    ("what runs in parallel", DEMO, "d Z", &["│ fetch_customers │   │ fetch_orders │   │ fetch_rates │"]),
    ("what runs in parallel", CLAUDE, "d", &["wave 1: 2 in parallel"]),
    ("why is a call skipped", DEMO, "K", &["skipped by the runtime: unknown", "3/3 error: unknown dependency"]),
    ("is the last call complete", DEMO, "G", &["PostMessage  summary  ← report", "cut off"]),
    ("is the last call complete", CLAUDE, "G", &["Edit  /home/ana/ferry/src/clock.py", "Done: 25:10 is 1:10 now."]),
    ("which calls failed", DEMO, "& Tab Enter", &["no match for failed"]),
    ("which calls failed", CLAUDE, "& Tab Enter", &["filter: failed  1/3 calls", "Bash"]),
    ("which calls failed", CODEX, "& Tab Enter", &["filter: failed  1/3 calls", "apply_patch"]),
    ("in which turn did a call fail", TOOLS, "e", &["1/1 ✗ turn 1 · Bash failed: ", "turn 1    tool-failed"]),
    ("which call took longest", CLAUDE, "# l Enter", &["▾ longest", "≤2.3 s"]),
    ("which call took longest", SLUICE, "# l Enter", &["▾ longest", "1.2 s"]),
    ("which call took longest", WATCH, "# l Enter", &["▾ longest", "42.5 s"]),
    // Gemini CLI records only the time when the message of a call was complete.
    ("which call took longest", PIERS, "# l", &["▾ calls       failed   max result"]),
    ("what did each model cost", CLAUDE, "#", &["model ", "claude-sonnet-4-5-20250", "requests"]),
    ("how is it read with other markers", DEMO, "!", &["marker: !!!GADGET_START:"]),
    ("which call took longest", PIERS, "# l Enter", &["no call has a recorded duration"]),
];

#[test]
fn common_questions_take_at_most_three_keys() {
    let mut missing = Vec::new();
    for &(question, file, keys, expected) in QUESTIONS {
        assert!(keys.split(' ').count() <= 3, "{question}: {keys}");
        let mut player = player_of(file, LARGE);
        player.press(keys);
        let screen = player.screen();
        for words in expected.iter().filter(|words| !screen.contains(**words)) {
            missing.push(format!("{question}, {file}, {keys}: {words:?} is not on\n{screen}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn enter_on_the_call_of_a_sub_agent_opens_its_conversation() {
    for (file, path, expected) in [
        (LEAP, "/p/leap-day.jsonl", Some("/p/leap-day/subagents/agent-a1b2.jsonl")),
        (SLUICE, "/p/rollout-1-0199-sluice.jsonl", Some("/p/-0199b2c3-0000-7000-8000-000000000007.jsonl")),
        (
            PIERS,
            "/p/session-1-6d5f1a9e.jsonl",
            Some("/p/6d5f1a9e-2c44-4c1b-9a57-0b7e5a1f2c3e/codebase_investigator-7f3a.jsonl"),
        ),
        // Another session, which its client stores in a database.
        (WATCH, "/p/session.json", None),
    ] {
        let mut player = player_of(file, LARGE);
        player.state.view.origin.path = Some(path.into());
        player.press("z s");
        let opened = player.press("Enter").into_iter().find_map(|effect| match effect {
            Effect::Run(Task::OpenFirst(files)) => Some(files),
            _ => None,
        });
        let first = opened.and_then(|files| files.into_iter().next()).map(|file| file.folder.join(file.name_end));
        assert_eq!(first.as_deref(), expected.map(Path::new), "{file}");
    }
}

#[test]
fn statistics_lead_to_the_call_that_the_column_is_about() {
    for (file, keys, expected) in [
        (CLAUDE, "# l Enter", "toolu_01B"),
        (CLAUDE, "# l j Enter", "toolu_01C"),
        (TOOLS, "# l Enter", "toolu_41D"),
        (TOOLS, "# l Enter Enter", "toolu_41A"),
        (TOOLS, "# l l Enter", "toolu_41A"),
        (TOOLS, "# h l Enter Enter", "toolu_41D"),
    ] {
        let mut player = player_of(file, LARGE);
        for key in keys.split(' ') {
            player.press(key);
            player.frame();
        }
        let session = &player.state.view.session;
        let call = session.document().call(player.state.view.selection.item);
        let id = call.map(|call| call.id(session.text()));
        assert_eq!(id.as_deref(), Some(expected), "{file}: {keys}\n{}", player.screen());
    }
}

/// A record of Claude Code with text of the user or the model.
fn record(number: usize, role: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"{role}\",\"sessionId\":\"s\",\"uuid\":\"u{number}\",\"message\":{{\"role\":\"{role}\",\
         \"content\":\"{text}\"}}}}\n"
    )
}

#[test]
fn the_last_turn_is_another_one_when_a_further_prompt_arrives() {
    let first = [record(1, "user", "One?"), record(2, "assistant", "Yes.")].concat();
    let mut player = Player::following("a.jsonl", &first, LARGE);
    player.press("&");
    types(&mut player, "turn:last is:text");
    player.press("Enter");
    let selects = |player: &mut Player, words: &str| {
        while player.state.work() {}
        let view = &player.state.view;
        let items = 0..view.session.document().items().len();
        let text =
            |item: usize| view.session.document().items().span(item).map(|span| view.session.text().read_str(span));
        let mut shown = items.filter(|&item| !view.is_filtered_out(item)).filter_map(text);
        shown.any(|text| text.contains(words))
    };
    assert!(selects(&mut player, "One?") && selects(&mut player, "Yes."), "{}", player.screen());
    player.arrives(&[record(3, "user", "Two?"), record(4, "assistant", "No.")].concat());
    assert!(selects(&mut player, "Two?") && !selects(&mut player, "One?"), "{}", player.screen());
}

/// An expression, and the remaining rows of the outline for three files.
const FILTERS: &[(&str, [&[&str]; 3])] = &[
    ("failed", [&[], &["1 The timetable", "Bash"], &["1 Which gates", "apply_patch"]]),
    ("skipped", [&["transcript", "SendMail", "ArchiveFile"], &[], &[]]),
    ("tool:read or tool:MergeData", [&["transcript", "MergeData"], &["1 The timetable", "Read"], &[]]),
    ("role:user", [&[], &["1 The timetable"], &["1 Which gates"]]),
    ("code:array-gap", [&["transcript", "CreateInvoice"], &[], &[]]),
    ("arg:command~pytest", [&[], &["1 The timetable", "Bash"], &[]]),
    ("is:call not tool:bash and not arg:path and dep=0 and /minutes/", [&[], &["1 The timetable", "Edit"], &[]]),
];

#[test]
fn a_filter_leaves_these_rows() {
    for (expression, expected) in FILTERS {
        for (file, expected) in [DEMO, CLAUDE, CODEX].into_iter().zip(expected) {
            let mut player = player_of(file, LARGE);
            player.press("&");
            types(&mut player, expression);
            player.press("Enter");
            let screen = player.screen();
            let rows: Vec<String> = screen
                .lines()
                .skip(2)
                .map(|line| {
                    line.chars()
                        .skip(1)
                        .take(28)
                        .collect::<String>()
                        .trim_start_matches(['▸', '▾', ' ', '⇒'])
                        .trim()
                        .to_owned()
                })
                .take_while(|row| !row.is_empty() && !row.starts_with('─'))
                .collect();
            let fits =
                rows.len() == expected.len() && rows.iter().zip(*expected).all(|(row, words)| row.starts_with(words));
            assert!(fits, "{expression} in {file}: {rows:?}\n{screen}");
        }
    }
}

#[test]
fn a_filter_shows_what_it_leaves_of_a_turn_that_was_folded() {
    let mut player = player_of(CLAUDE, SMALL);
    player.press("BackTab Enter");
    assert!(player.screen().contains("▸ 1 The"), "{}", player.screen());
    player.press("& Tab Enter");
    let screen = player.screen();
    assert!(screen.contains("▾ 1 The") && screen.contains("▸ Bash"), "{screen}");
    player.press("Esc");
    assert!(player.screen().contains("▸ 1 The"), "it is folded again: {}", player.screen());
}

#[test]
fn a_filter_says_what_is_wrong_and_how_it_goes_on_while_it_is_typed() {
    for (typed, expected) in [
        ("", "Tab: failed"),
        ("tool:", "Tab: Bash  Edit  Read"),
        ("tolo:x", "✗ unknown term"),
        ("failed and", "Tab: "),
        ("/a(/", "✗ "),
    ] {
        let mut player = player_of(CLAUDE, LARGE);
        player.press("&");
        types(&mut player, typed);
        let screen = player.screen();
        let line = screen.lines().last().unwrap_or_default();
        assert!(line.contains(expected), "{typed:?}: {line}");
    }
}

#[test]
fn the_rest_is_dimmed_instead_and_esc_shows_everything_again() {
    for size in [SMALL, LARGE] {
        let mut player = player_of(CLAUDE, size);
        let before = player.screen();
        player.press("& Tab Enter H");
        let screen = player.screen();
        assert!(screen.contains("the rest is dimmed") && screen.contains("pytest -q"), "{screen}");
        player.press("H");
        assert!(!player.screen().contains("Read  src/clock.py"), "{}", player.screen());
        player.press("Esc g");
        let after = text_of(&player.frame());
        assert_eq!(
            after.lines().skip(1).take(8).collect::<Vec<_>>(),
            before.lines().skip(1).take(8).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_filter_for_what_is_selected_is_proposed() {
    for (file, keys, expected) in [
        (DEMO, "e \\", "filter: code:duplicate-pointer"),
        (CLAUDE, "c \\", "filter: tool:Read"),
        (CLAUDE, "c l \\", "filter: arg:file_path=/home/ana/ferry/src/clock.py"),
        (CLAUDE, "\\", "filter: role:user"),
    ] {
        let mut player = player_of(file, LARGE);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}: {expected:?} is not on\n{screen}");
    }
}

#[test]
fn a_search_moves_while_it_is_typed_and_esc_goes_back() {
    for (file, keys, typed, expected, selected) in [
        (DEMO, "/", "oslo", "0 matches", 0),
        (DEMO, "/", "backup", "match 1 of", 1),
        (CLAUDE, "/", "minutes", "match 1 of", 1),
        (CLAUDE, "c /", "(", "search: (", 0),
    ] {
        let mut player = player_of(file, LARGE);
        player.press(keys);
        let before = player.state.view.selection;
        types(&mut player, typed);
        player.frame();
        while player.state.work() {}
        let screen = player.screen();
        assert!(screen.contains(expected), "{typed}: {expected:?} is not on\n{screen}");
        assert_eq!(player.state.view.selection != before, selected == 1, "{typed}");
        player.press("Esc");
        player.frame();
        assert_eq!(player.state.view.selection, before, "{typed}: Esc goes back");
    }
}

#[test]
fn what_is_selected_is_searched_for() {
    for (file, keys, expected) in [
        (DEMO, "c *", "match 1 of"),
        (DEMO, "c l *", "Invoices to the new billing service"),
        (CLAUDE, "c l *", "match 2 of 2"),
        (CLAUDE, "*", "n/N match"),
    ] {
        let mut player = player_of(file, LARGE);
        player.press(keys);
        player.frame();
        let screen = player.screen();
        assert!(screen.contains(expected), "{file} {keys}: {expected:?} is not on\n{screen}");
    }
}

#[test]
fn the_first_failure_since_the_user_looked_takes_one_key() {
    let file = String::from_utf8(sample(CLAUDE)).expect("JSON");
    let failure = file.find("\"is_error\":true").and_then(|at| file[..at].rfind('\n')).expect("a call fails");
    let (seen, rest) = file.split_at(failure + 1);
    let broken = "!!!GADGET_START:A\n!!!ARG:x\n1\n!!!ARG:x\n2\n!!!GADGET_END\n";
    let plain = [format!("Two words.\n{broken}"), format!("More.\n{broken}Then.\n")];
    let session = [seen.to_owned(), rest.to_owned()];
    for ([before, after], since, first) in [
        (session, "1 failed since", "1/1 ✗ Bash failed: "),
        (plain, "1 error since", "2/2 error: Duplicate pointer: x"),
    ] {
        for is_hidden in [false, true] {
            let mut player = Player::following("live", &before, LARGE);
            player.press(if is_hidden { "G" } else { "g" });
            assert!(!player.screen().contains("since"), "{}", player.screen());
            player.state.view.hidden = is_hidden;
            player.arrives(&after);
            player.state.enter(player.state.look());
            let screen = player.screen();
            assert!(screen.lines().next().is_some_and(|line| line.contains(since)), "{screen}");
            player.press("e");
            let screen = player.screen();
            assert!(player.status().contains(first) && screen.contains("── new since you looked ──"), "{screen}");
            assert!(!screen.lines().next().is_some_and(|line| line.contains("since")), "it is visited: {screen}");
        }
    }
}
