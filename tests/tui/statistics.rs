//! Statistics of many sessions, from files and from an index of them: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use transcope::corpus::update::ReadProgress;
use transcope::dialect::Options;
use transcope::location::Location;
use transcope::tui::corpus::job::CorpusJob;
use transcope::tui::corpus::{CorpusEvent, CorpusPaths, CorpusReading, CorpusRequest};
use transcope::tui::keymap::{Keymap, ScreenId};
use transcope::tui::message::Task;
use transcope::tui::screen::statistics::StatisticsScreen;
use transcope::tui::tabs::{NewTab, Tabs};

use super::corpus::{FOLDER, Folder, Player, SAMPLES, calendar};
use super::helping::is_explained;
use super::shown::{self, shows};
use super::walk::is_sound;
use super::{LARGE, SMALL, sample};

/// The largest tested screen size.
const HUGE: (u16, u16) = (200, 60);

/// A harmful name, and one that is long and written from right to left.
const HOSTILE: [&str; 2] = ["\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}loot", "שלום שלום שלום שלום שלום שלום שלום שלום שלום"];

/// A codex session with failing calls of these tools.
fn session(tools: &[&str]) -> Vec<u8> {
    let mut lines = vec![
        serde_json::json!({"timestamp": "2026-03-22T09:14:02Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/"}}),
    ];
    for (number, tool) in tools.iter().enumerate() {
        let time = format!("2026-03-22T09:{:02}:{:02}Z", 15 + number / 60, number % 60);
        let id = format!("call_{number}");
        let call = serde_json::json!({"type": "function_call", "name": tool, "arguments": "{}", "call_id": id});
        let output = r#"{"output":"no such file","metadata":{"exit_code":1}}"#;
        let answer = serde_json::json!({"type": "function_call_output", "call_id": id, "output": output});
        for payload in [call, answer] {
            lines.push(serde_json::json!({"timestamp": time, "type": "response_item", "payload": payload}));
        }
    }
    lines.iter().flat_map(|line| [line.to_string(), "\n".into()]).collect::<String>().into_bytes()
}

#[test]
fn keys_lead_to_screens() {
    for (name, size, keys) in [
        ("corpus_80x24", SMALL, ""),
        ("corpus_120x40", LARGE, "j"),
        ("corpus_by_model_200x60", HUGE, "Tab Tab"),
        ("corpus_by_day", SMALL, "l l l"),
        ("corpus_by_problem", LARGE, "BackTab BackTab j"),
        ("corpus_filtered", SMALL, "/ba"),
        ("corpus_of_failed_calls_80x24", SMALL, "Enter"),
        ("corpus_of_failed_calls_120x40", LARGE, "BackTab Enter j"),
        ("corpus_of_a_problem_200x60", HUGE, "BackTab BackTab Enter"),
        ("corpus_help", SMALL, "?"),
    ] {
        let mut player = Player::of(Folder::of_samples().indexed(), size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn hostile_names_do_nothing_to_the_screen() {
    let long = "x".repeat(5000);
    let tools: Vec<&str> = HOSTILE.into_iter().chain([long.as_str(), "", "日本語の道具"]).collect();
    let folder = || Folder::new(&[("evil\u{1b}[2J\u{202e}.jsonl", session(&tools))]);
    for (name, folder) in [("corpus_hostile", folder()), ("corpus_hostile_of_an_index", folder().indexed())] {
        let mut player = Player::of(folder, SMALL);
        shows(name, &player.frame());
        for _ in 0..tools.len() {
            player.press("Enter");
            is_sound(&player.frame(), "a list");
            let screen = player.screen();
            assert!(screen.contains("2026-03-22 09:1"), "{screen}");
            player.press("Esc j");
            is_sound(&player.frame(), "a table");
        }
    }
}

#[test]
fn files_and_their_index_give_the_same_tables_and_places() {
    let tables = |folder: Folder| {
        let mut player = Player::of(folder, HUGE);
        let mut screens = Vec::new();
        for _ in 0..6 {
            for keys in ["", "Enter", "Esc G Enter", "Esc g Tab"] {
                player.press(keys);
                // The first line names their source.
                screens.push(player.screen().lines().skip(1).collect::<Vec<_>>().join("\n"));
            }
        }
        screens
    };
    let (files, index) = (tables(Folder::of_samples()), tables(Folder::of_samples().indexed()));
    for (number, (files, index)) in files.iter().zip(&index).enumerate() {
        assert_eq!(files, index, "screen {number}");
    }
}

#[test]
fn the_screen_says_what_a_key_did() {
    for (keys, expected) in [
        ("", "index of 3 h ago"),
        ("", "Statistics, most failures first"),
        ("s", "highest rate first"),
        ("s s", "most calls first"),
        ("s s s", "by name"),
        ("s s s s", "most failures first"),
        ("Tab", "[call format]"),
        ("BackTab", "[file format]"),
        ("h h", "[problem]"),
        ("3 Tab", "[model]"),
        ("BackTab BackTab", "most problems first"),
        ("l l l", "Statistics, newest first"),
        ("/zebra", "no name matches \"zebra\"; Esc shows all"),
        ("/bash⏎", "name \"bash\""),
        ("/bash⏎ Esc", "[tool]"),
        ("Enter", "Selected"),
        ("Enter h", "[tool]"),
        ("Enter Esc", "[tool]"),
        ("Enter Tab", "[call format]"),
        ("r", "index of 3 h ago"),
        ("Enter Enter", " statistics ["),
        ("Enter l O", "Selected"),
        ("?", "read what has changed"),
        ("ctrl-p read␣what⏎", "index of 3 h ago"),
    ] {
        let mut player = Player::of(Folder::of_samples().indexed(), LARGE);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

#[test]
fn a_row_leads_to_its_calls_and_a_call_to_its_place_in_its_session() {
    for folder in [Folder::of_samples(), Folder::of_samples().indexed()] {
        let mut player = Player::of(folder, LARGE);
        player.press("/bash⏎ Enter");
        let list = player.screen();
        player.press("Enter");
        let [(name, Location::Byte(byte))] = &player.opened[..] else { panic!("{:?}", player.opened) };
        let bytes = sample(SAMPLES.iter().find(|path| path.ends_with(name.as_str())).expect("a sample"));
        let line = bytes[..*byte].split(|byte| *byte == b'\n').count();
        assert!(list.contains(&format!("{name}:{line}")), "{list}");
        let text = player.tabs.text().expect("it is open");
        let document = text.view.session.document();
        let call = document.call(text.view.selection.item).expect("a call is selected");
        assert!(call.has_failed(), "{}", player.screen());
        // The selection is kept, and the file is not opened twice.
        player.press("O");
        assert_eq!(player.screen().lines().skip(2).collect::<Vec<_>>()[..20], list_below(&list)[..20]);
        player.press("Enter");
        assert_eq!(player.opened.len(), 1);
        assert!(player.tabs.text().is_some());
    }
}

/// The lines of a screen without tabs below its title; as many as with tabs.
fn list_below(screen: &str) -> Vec<&str> {
    screen.lines().skip(1).collect()
}

#[test]
fn the_list_of_sessions_leads_to_statistics_and_back() {
    let mut player = Player::listing(Folder::of_samples().indexed(), LARGE);
    player.press("#");
    let screen = player.screen();
    assert!(screen.contains("statistics of ~/sessions") && screen.contains("index of 3 h ago"), "{screen}");
    assert!(!screen.contains("since; r reads them"), "nothing was written:\n{screen}");
    player.press("Tab Esc");
    assert!(player.screen().contains("Sessions, newest first"), "{}", player.screen());
    player.press("#");
    let screen = player.screen();
    assert!(screen.contains("[call format]"), "it is the same tab:\n{screen}");
    assert_eq!(screen.lines().nth(1).map(|bar| bar.matches("statistics").count()), Some(1), "{screen}");
    player.press("Enter Enter Esc O Esc Esc");
    assert!(player.screen().contains("Sessions, newest first"), "{}", player.screen());
}

#[test]
fn files_newer_than_the_index_are_counted() {
    let folder = Folder::of_samples().indexed();
    let path = folder.sessions().join("new.jsonl");
    fs::write(&path, session(&["Shovel", "Shovel"])).expect("it can be written");
    let file = fs::File::options().append(true).open(&path).expect("it is there");
    file.set_modified((calendar().now)() - Duration::from_hours(1)).expect("it is ours");
    let mut player = Player::listing(folder, LARGE);
    player.press("#");
    let screen = player.screen();
    assert!(screen.contains("index of 3 h ago, 1 file since; r reads them"), "{screen}");
    assert!(!screen.contains("Shovel"), "{screen}");
    player.press("r");
    let screen = player.screen();
    assert!(screen.contains("Shovel"), "{screen}");
}

#[test]
fn an_index_that_is_named_is_shown() {
    let folder = Folder::of_samples().indexed();
    let screen = StatisticsScreen::new(CorpusPaths::Index(folder.index()), "~/index".into(), None, calendar());
    let mut player = Player::new(folder, NewTab::Screen(Box::new(screen)), SMALL);
    let screen = player.screen();
    assert!(screen.contains("statistics of ~/index ── index of 3 h ago"), "{screen}");
    fs::remove_dir_all(player.folder.index()).expect("it is ours");
    player.press("r");
    let screen = player.screen();
    assert!(screen.contains("the index in "), "{screen}");
    assert!(player.names().contains(&"Bash".to_owned()), "what is known stays:\n{screen}");
}

#[test]
fn the_way_out_of_damage_can_be_read_to_its_end() {
    let folder = Folder::of_samples().indexed();
    let counts = fs::read_dir(folder.index().join("counts")).expect("a table").flatten().next().expect("a part").path();
    fs::write(counts, "damaged").expect("it is ours");
    let screen = StatisticsScreen::new(CorpusPaths::Index(folder.index()), "~/index".into(), None, calendar());
    let mut player = Player::new(folder, NewTab::Screen(Box::new(screen)), SMALL);
    let screen = player.screen().replace('┃', "");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("damaged table: unexpected end of file; delete this file, and run transcope index again"),
        "{words}"
    );
}

#[test]
fn the_selection_is_kept_while_rows_arrive() {
    let folder = Folder::new(&[("a.jsonl", session(&["Axe", "Axe", "Bow"]))]);
    let paths = CorpusPaths::Folders(vec![folder.sessions()]);
    let whole = || {
        let job = |folder: &Folder| CorpusJob {
            request: CorpusRequest { number: 0, paths: paths.clone(), reading: CorpusReading::Known },
            setup: Arc::clone(&folder.setup),
            registry: None,
        };
        let mut events = Vec::new();
        job(&folder).run(&mut |event| {
            events.push(event);
            true
        });
        events.into_iter().rfind(|event| matches!(event, CorpusEvent::Statistics(_))).expect("it is read")
    };
    let before = whole();
    folder.write("b.jsonl", &session(&["Cup", "Cup", "Cup", "Cup"]));
    let after = whole();
    let screen = StatisticsScreen::new(paths.clone(), "~/sessions".into(), None, calendar());
    let mut tabs = Tabs::new(vec![NewTab::Screen(Box::new(screen))], Options::default(), SMALL);
    let Some(Task::ReadStatistics(request)) = tabs.prepare(Duration::ZERO) else { panic!("it asks for statistics") };
    assert_eq!(request.reading, CorpusReading::Known);
    let is_cancelled = tabs.awaits_statistics(request.number).expect("it waits for them");
    let mut player = Player {
        tabs,
        folder: Folder::new(&[]),
        theme: shown::theme(),
        terminal: Terminal::new(TestBackend::new(SMALL.0, SMALL.1)).expect("a buffer takes everything"),
        opened: Vec::new(),
    };
    assert!(player.screen().contains(" reading …"), "{}", player.screen());
    player.tabs.statistics_told(request.number, before);
    player.tabs.statistics_told(request.number, CorpusEvent::Progress(ReadProgress { files: (1, 2), bytes: (1, 4) }));
    player.press("j");
    let screen = player.screen();
    assert!(screen.contains("reading 1/2 files, 25%") && screen.contains(" 2/2"), "{screen}");
    assert_eq!(player.names(), ["Axe", "Bow"]);
    player.tabs.statistics_told(request.number, after);
    assert_eq!(player.names(), ["Cup", "Axe", "Bow"]);
    assert!(player.screen().contains(" 3/3"), "Bow stays chosen:\n{}", player.screen());
    assert!(!is_cancelled());
    player.press("Esc");
    assert!(is_cancelled(), "Esc stops the reading");
    assert!(player.screen().contains("stopped; r reads again"), "{}", player.screen());
    player.tabs.statistics_told(request.number, CorpusEvent::Failed("nobody hears it".into()));
    assert!(!player.screen().contains("nobody hears it"));
}

#[test]
fn an_empty_folder_is_reported() {
    let mut player = Player::of(Folder::new(&[]), SMALL);
    let screen = player.screen();
    assert!(screen.contains("0 files") && screen.contains(" no calls"), "{screen}");
    player.press("Enter j G s Tab Enter BackTab");
    is_sound(&player.frame(), "an empty table");
    let mut player = Player::of(Folder::new(&[("note.txt", b"only words\n".to_vec())]), SMALL);
    assert!(player.screen().contains("1 file · 1 session · 0 calls"), "{}", player.screen());
}

#[test]
fn a_click_chooses_and_a_second_one_opens() {
    let mut player = Player::of(Folder::of_samples().indexed(), SMALL);
    let row = |player: &mut Player, words: &str| {
        let screen = player.screen();
        let row = screen.lines().position(|line| line.contains(words));
        u16::try_from(row.unwrap_or_else(|| panic!("{words}:\n{screen}"))).expect("on the screen")
    };
    let second = player.names()[1].clone();
    let at = row(&mut player, &format!(" {second} "));
    player.click(4, at);
    assert!(player.screen().contains(" 2/"), "{}", player.screen());
    player.click(4, at);
    assert!(player.screen().contains(&format!("Failed calls of {second}")), "{}", player.screen());
    player.press("Esc");
    let names = row(&mut player, "[tool]");
    let column = player.screen().lines().nth(names.into()).and_then(|line| line.find("model")).expect("it is there");
    // The border takes one column and three bytes.
    player.click(u16::try_from(column - 2).expect("on the screen"), names);
    assert!(player.screen().contains("[model]"), "{}", player.screen());
}

#[test]
fn every_symbol_is_in_the_legend() {
    for keys in ["", "j", "Tab Tab", "l l l", "BackTab BackTab j", "s s", "Enter j", "BackTab BackTab Enter", "/ba"] {
        for folder in [Folder::of_samples(), Folder::of_samples().indexed()] {
            let mut player = Player::of(folder, HUGE);
            player.press(keys);
            is_explained(ScreenId::Corpus, keys, &player.screen());
        }
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, LARGE, (160, 50)] {
        let mut player = Player::of(Folder::new(&[]), size);
        player.press("?");
        let mut seen = player.screen();
        for _ in 0..250 {
            player.press("Down");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Corpus) {
            assert!(seen.contains(&format!(" {} ", binding.help)), "{size:?}: {:?} is cut", binding.help);
        }
    }
}

#[test]
fn long_paths_keep_their_last_parts() {
    let mut player = Player::of(Folder::of_samples().indexed(), SMALL);
    player.press("/bash⏎ Enter");
    let screen = player.screen();
    assert!(screen.contains(&Path::new(FOLDER).join("what-tools-say.jsonl").display().to_string()), "{screen}");
    assert!(screen.contains("…") && screen.contains("jsonl:"), "{screen}");
}
