//! How the runtimes read a message: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{MouseButton, MouseEventKind};
use transcope::config::schemas;
use transcope::template::request_facts::TemplateRequest;
use transcope::tui::keymap::{Keymap, ScreenId};
use transcope::tui::message::{Msg, RequestTemplate, Task};
use transcope::tui::screen::Screen as _;
use transcope::value::schema::Schemas;

use super::comparing::Player;
use super::helping::is_explained;
use super::player::Player as OneText;
use super::shown::shows;
use super::{LARGE, SMALL};

/// The largest tested screen size.
const HUGE: (u16, u16) = (200, 60);

/// The tools of the request, if there are any.
const TOOLS: &str = r#"[
  {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}}}}},
  {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
]"#;

/// All parsers find the same call.
const AGREED: &str = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Paris\", \"days\": 3}\
                      <｜tool▁call▁end｜><｜tool▁calls▁end｜>";

/// The last call is cut off.
const CUT: &str = "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 3}}\n\
                   </tool_call>\n<tool_call>\n{\"name\": \"ping\", \"argum";

/// None of the parsers finds a call.
const PROSE: &str = "It will rain in Paris.\n";

fn tools() -> Arc<Schemas> {
    Arc::new(Schemas::parse("tools.json", TOOLS.as_bytes()).expect("a list of tools"))
}

/// A text read with the tools of the request, after some keys.
fn player(text: &str, size: (u16, u16), keys: &str) -> Player {
    let mut one = OneText::with_text("answer.txt", text.as_bytes(), usize::MAX, size);
    one.state.update(Msg::Schema(tools()));
    let mut player = Player::of(std::iter::once(one), size);
    player.press(keys);
    player
}

/// The same without tools.
fn untold(text: &str, size: (u16, u16), keys: &str) -> Player {
    let one = OneText::with_text("answer.txt", text.as_bytes(), usize::MAX, size);
    let mut player = Player::of(std::iter::once(one), size);
    player.press(keys);
    player
}

#[test]
fn keys_lead_to_screens() {
    for (name, text, size, keys) in [
        ("lens_that_agree", AGREED, SMALL, "V"),
        ("lens_that_differ_80x24", CUT, SMALL, "V"),
        ("lens_that_differ_120x40", CUT, LARGE, "V e"),
        ("lens_that_differ_200x60", CUT, HUGE, "V + e"),
        ("lens_without_a_call", PROSE, SMALL, "V"),
        ("lens_with_one_marked", CUT, SMALL, "V l j j Space e"),
        ("lens_settings_80x24", CUT, SMALL, "V r j h"),
        ("lens_settings_changed_120x40", CUT, LARGE, "V r j h Esc"),
    ] {
        shows(name, &player(text, size, keys).frame());
    }
    shows("lens_without_tools", &untold(AGREED, LARGE, "V").frame());
}

#[test]
fn the_screen_says_what_a_key_did() {
    for (keys, expected) in [
        ("V", "outcome 1/"),
        ("V e", "outcome 2/"),
        ("V E", "first outcome"),
        ("V e e e e e e e e e", "last outcome"),
        ("V n N", "outcome 1/"),
        ("V Space", ": D on another parser compares the two"),
        ("V Space Space", ": D compares with the first outcome"),
        ("V D", "nothing to compare with: choose another parser, or mark one with Space"),
        ("V g D", "choose an outcome first: e goes to the next one"),
        ("V g Enter", "choose an outcome first"),
        ("V e D", "[comparison]"),
        ("V Space e e D", "[comparison]"),
        ("V e Enter", "reads it; [ returns"),
        ("V e Enter [", "[lens]"),
        ("V Esc", "answer.txt ── plain"),
        ("V ?", "read the text as this parser"),
        ("V s", "schema file: tools.json"),
        ("V s Esc", "outcome 1/"),
        ("V c", " 1:1 "),
        // A delivered name or value leads to its bytes.
        ("V j c", "3:11"),
        ("V j j c", "3:47"),
        ("V j j j j j j c", " 5:1 "),
        ("V e e e e e e j j c", "no source in the text: generated or not delivered by this parser"),
        ("V V", "outcome 1/"),
        // The settings of the request.
        ("V", "request  defaults; assumes tool_choice auto (9 of 20), several calls allowed (6 of 20)  (r: settings)"),
        ("V r", "tool_choice          [default] auto  required  none"),
        ("V r Esc", "outcome 1/"),
        ("V r r", "outcome 1/"),
        ("V r Esc Esc", "answer.txt ── plain"),
        ("V r j l", "tool_choice           default [auto] required  none"),
        ("V r j h", "tool_choice=none: "),
        ("V r j h", "request  tool_choice=none  (r: settings)"),
        ("V r j h l", "tool_choice=default: "),
        ("V r j l h", "request  defaults"),
        ("V r j l", "tool_choice=auto: no outcome changes"),
        ("V r j h Esc e e e e", "9 changed, 12 of 20 parsers"),
        ("V r j h Esc e e e e l", "  changed"),
        ("V r Enter", "4 of 21 parsers"),
        ("V r Enter", "request  thinking=on"),
        ("V r Enter Enter", "request  thinking=off"),
        ("V r j j j j Enter qwen3⏎", "request  reasoning_format=qwen3"),
        ("V r j j j j Enter qwen3⏎", "deepseek-legacy [qwen3]"),
        ("V r j j j j Enter qwen3⏎ h", "request  reasoning_format=deepseek-legacy"),
        ("V r j j j j Enter qwen3⏎ l", "request  defaults"),
        ("V r j j j j Enter Esc", "reasoning_format     [default] none  auto "),
        ("V r G h", "request  defaults"),
        ("V r G Enter", "chat template: "),
        // They hold for the next question.
        ("V r j h Esc V", "request  tool_choice=none"),
        ("V r j h Esc Esc V", "request  tool_choice=none"),
        ("V l", "▾ 1 "),
        ("V l h", "▸ 1 "),
        ("ctrl-p runtimes⏎", "outcome 1/"),
        (":ask-runtimes⏎", "outcome 1/"),
    ] {
        let screen = player(CUT, LARGE, keys).screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

#[test]
fn a_value_leads_to_its_own_bytes_whatever_is_in_its_keys() {
    let text = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a/b\": 11, \"a\": {\"b\": \"caf\\u00e9\"}, \"\": 33}}\n</tool_call>\n";
    let line = text.lines().nth(1).expect("a call");
    for (keys, value) in [("V j j j j c", "11"), ("V j j j j j c", "\"caf"), ("V j j j j j j c", "33")] {
        let place = format!(" 2:{} ", line.find(value).expect("it is in the call") + 1);
        let screen = untold(text, LARGE, keys).screen();
        assert!(screen.contains(&place), "{keys} leads to{place}:\n{screen}");
    }
}

#[test]
fn a_reading_is_that_of_the_parser_that_was_chosen() {
    let mut player = player(CUT, LARGE, "V e");
    let screen = player.screen();
    let header = screen.lines().find(|line| line.contains("▸ 2 ")).expect("there is a second outcome").to_owned();
    let name = header.split_whitespace().nth(3).expect("a name").trim_end_matches([',', '~']).to_owned();
    player.press("Enter");
    let screen = player.screen();
    assert!(screen.contains(&format!("answer.txt as {name} ")), "{screen}");
    let state = player.tabs.text().expect("a text");
    let runtime = state.view.options.runtime.as_ref().map(ToString::to_string);
    assert_eq!(runtime.as_deref(), Some(name.as_str()));
    assert_eq!(state.view.options.only.iter().map(|info| info.name).collect::<Vec<_>>(), ["hermes"]);
    assert!(state.view.options.schemas.is_some(), "the tools of the request are kept");
    // The same reading is shown in the same tab.
    player.press("[ Enter");
    assert_eq!(player.screen().matches("answer.txt as ").count(), 2, "{}", player.screen());
}

#[test]
fn the_tools_of_the_request_can_be_named_on_the_screen() {
    let mut player = untold(AGREED, LARGE, "V");
    let before = player.screen();
    assert!(
        before.contains("tools    inferred from the calls: get_weather") && before.contains("all 6 parsers agree"),
        "{before}"
    );
    let tasks = player.press("s tools.json⏎");
    assert!(matches!(tasks.as_slice(), [Task::ReadSchema(_)]), "{tasks:?}");
    // The answer of the loop.
    let task = player.tabs.update(Msg::Schema(tools()));
    player.answer(task.as_ref());
    let after = player.screen();
    assert!(after.contains("tools    get_weather, ping") && after.contains("parsers agree"), "{after}");
    assert!(schemas::read("no/such/file.json".as_ref()).is_err());
}

#[test]
fn a_change_of_the_request_keeps_the_parser_that_was_chosen() {
    let mut player = player(CUT, LARGE, "V e l");
    let name_of = |screen: &str| {
        let (_, rest) = screen.split_once("▾ ").expect("an outcome is unfolded");
        rest.lines()
            .nth(1)
            .and_then(|line| line.split_whitespace().nth(1))
            .expect("a parser")
            .trim_end_matches('~')
            .to_owned()
    };
    let before = name_of(&player.screen());
    player.press("r j l l Esc");
    assert_eq!(name_of(&player.screen()), before, "{}", player.screen());
}

#[test]
fn a_template_states_settings_of_the_request() {
    let path = PathBuf::from("models/think.jinja");
    let facts = TemplateRequest { thinking: Some(true), ..TemplateRequest::default() };
    let mut player = player(CUT, LARGE, "V");
    let tasks = player.press("r G Enter models/think.jinja⏎");
    assert!(matches!(tasks.as_slice(), [Task::ReadRequestTemplate(_)]), "{tasks:?}");
    let task = player.tabs.update(Msg::RequestTemplate(Box::new(RequestTemplate { path, facts })));
    let Some(Task::AskRuntimes(request)) = &task else { panic!("{task:?}") };
    assert!(request.dialects.is_empty(), "the template names no dialect");
    player.answer(task.as_ref());
    let screen = player.screen();
    assert!(screen.contains("request  template=think.jinja (thinking on)"), "{screen}");
    assert!(screen.contains("template=think.jinja (thinking on): "), "{screen}");
    // What is stated takes precedence; the template can be removed.
    player.press("k k k k k l l");
    assert!(player.screen().contains("request  thinking=off, template=think.jinja"), "{}", player.screen());
    player.press("G h");
    assert!(player.screen().contains("request  thinking=off;"), "{}", player.screen());
    // A template that cannot be read is asked for again.
    player.press("Enter none.jinja⏎");
    player.tabs.update(Msg::Failed("could not use the template none.jinja".to_owned()));
    assert!(player.screen().contains("chat template: none.jinja"), "{}", player.screen());
}

#[test]
fn a_click_on_a_setting_takes_its_next_value_and_one_elsewhere_closes_the_list() {
    let mut player = player(CUT, LARGE, "V r");
    let screen = player.screen();
    let row = screen.lines().position(|line| line.contains("parallel_tool_calls")).expect("it is listed");
    let press = MouseEventKind::Down(MouseButton::Left);
    player.mouse(press, 50, u16::try_from(row).expect("on the screen"));
    assert!(player.screen().contains("request  parallel_tool_calls=on"), "{}", player.screen());
    player.mouse(press, 1, 1);
    assert!(!player.screen().contains("Settings of the request"), "{}", player.screen());
}

#[test]
fn of_a_recorded_session_the_message_at_the_cursor_is_asked_about() {
    let messages: Vec<String> = [("user", "Hello."), ("assistant", AGREED), ("user", "And now?"), ("assistant", CUT)]
        .into_iter()
        .map(|(role, content)| serde_json::json!({ "role": role, "content": content }).to_string())
        .collect();
    let text = format!("{{\"messages\": [{}]}}\n", messages.join(", "));
    for (keys, expected) in [("g V", "parsers agree"), ("c V", "parsers agree"), ("G V", "argum"), ("c c V", "argum")] {
        let screen = player(&text, LARGE, keys).screen();
        assert!(screen.contains("message  ") && screen.contains(expected), "{keys}:\n{screen}");
    }
    shows("lens_of_a_recorded_session", &player(&text, LARGE, "G V").frame());
    let screen = player(&text, LARGE, "G V Enter").screen();
    assert!(screen.contains("reads it; [ returns"), "{screen}");
}

#[test]
fn a_click_chooses_a_row_and_a_second_one_reads_it() {
    let mut player = player(CUT, LARGE, "V");
    let row = player.screen().lines().position(|line| line.contains("▸ 2 ")).expect("it is there");
    let row = u16::try_from(row).expect("on the screen");
    let press = MouseEventKind::Down(MouseButton::Left);
    player.mouse(press, 8, row);
    assert!(player.screen().contains("outcome 2/"), "{}", player.screen());
    let row = player.screen().lines().position(|line| line.contains("▸ 2 ")).expect("it is there");
    player.mouse(press, 8, u16::try_from(row).expect("on the screen"));
    assert!(player.screen().contains("[answer.txt as "), "{}", player.screen());
}

#[test]
fn every_symbol_is_in_the_legend() {
    for keys in ["V", "V e", "V + e", "V l j j Space e", "V a", "V l l l", "V s", "V r j h"] {
        is_explained(ScreenId::Lens, keys, &player(CUT, HUGE, keys).screen());
        is_explained(ScreenId::Lens, keys, &player(PROSE, HUGE, keys).screen());
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, LARGE, (160, 50)] {
        let mut player = player(CUT, size, "V ?");
        let mut seen = player.screen();
        for _ in 0..250 {
            player.press("Down");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Lens) {
            assert!(seen.contains(&format!(" {} ", binding.help)), "{size:?}: {:?} is cut", binding.help);
        }
    }
}
