//! A chat template, its prompt and the conversation: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use std::fs;
use std::path::PathBuf;

use crossterm::event::{Event, KeyCode, MouseButton, MouseEventKind};
use serde_json::json;
use transcope::template::RenderOptions;
use transcope::template::check::ProbedConversation;
use transcope::template::conversation::Conversation;
use transcope::template::probes::TemplateProbe;
use transcope::tui::keymap::{Keymap, ScreenId};
use transcope::tui::message::{Msg, Task};
use transcope::tui::screen::template::{OpenedTemplate, TemplateScreen};
use transcope::tui::tabs::NewTab;

use super::comparing::Player;
use super::helping::is_explained;
use super::player::Player as OneText;
use super::shown::shows;
use super::walk::is_sound;
use super::{LARGE, SMALL};

/// The largest tested screen size.
const HUGE: (u16, u16) = (200, 60);

/// A template that loses ids and writes no reasoning.
const TEMPLATE: &str = "\
{# Roles between bars, calls in brackets. #}
{%- if tools %}<|system|>
{%- for tool in tools %}
{{ tool.function | tojson }}
{%- endfor %}<|end|>
{% endif %}
{%- for message in messages %}<|{{ message.role }}|>
{{ message.content }}
{%- for call in message.tool_calls or [] %}
[CALL]{{ call.function.name }} {{ call.function.arguments | tojson }}[/CALL]
{%- endfor %}<|end|>
{% endfor %}
{%- if add_generation_prompt %}<|assistant|>
{% endif %}";

/// A template with escape sequences, whose text is written, too.
pub(super) const HOSTILE_TEMPLATE: &str = "\u{1b}[2J{# \u{202e} #}{% for m in messages %}<|\u{7}{{ m.role }}\u{9b}31m|>\r\n\
    {{ m.content }}\t{{ m.tool_calls }}\u{1b}]0;t\u{7}{% endfor %}";

/// A template at a path with the probes of the program, or with a conversation that contains a text.
pub(super) fn opened(path: PathBuf, text: Option<&str>) -> OpenedTemplate {
    let mut probes: Vec<ProbedConversation> = TemplateProbe::all().iter().map(ProbedConversation::from).collect();
    if let Some(text) = text {
        let call = json!({"id": text, "type": "function", "function": {"name": text, "arguments": {(text): text}}});
        let messages = vec![
            json!({"role": text, "content": text}),
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        ];
        let conversation = Conversation { messages, tools: None };
        probes.insert(0, ProbedConversation { name: text.to_owned(), conversation, generation_prompt: true });
    }
    let first = if text.is_some() { probes[0].name.clone() } else { "parallel_results".to_owned() };
    OpenedTemplate { path, probes: probes.into(), first, options: RenderOptions::default(), tokenizer: None }
}

/// A folder with a template, and its screen.
struct Template {
    folder: tempfile::TempDir,
    player: Player,
}

impl Template {
    fn new(source: &str, size: (u16, u16)) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("chat.jinja");
        fs::write(&path, source).expect("it can be written");
        let screen = TemplateScreen::new(opened(path, None));
        let mut player = Player::showing(NewTab::Screen(Box::new(screen)), size);
        player.frame();
        Self { folder, player }
    }

    /// Presses keys, with a frame after each, as the loop does it.
    fn press(&mut self, keys: &str) -> Vec<Task> {
        let mut tasks = Vec::new();
        for key in keys.split_whitespace() {
            tasks.extend(self.player.press(key));
            self.player.frame();
        }
        tasks
    }

    fn screen(&mut self) -> String {
        self.player.screen()
    }
}

#[test]
fn keys_lead_to_screens() {
    for (name, source, size, keys) in [
        ("template_80x24", TEMPLATE, SMALL, ""),
        ("template_120x40", TEMPLATE, LARGE, ""),
        ("template_200x60", TEMPLATE, HUGE, "e"),
        ("template_problem", TEMPLATE, LARGE, "e e"),
        ("template_next_part", TEMPLATE, LARGE, "l l l l l l"),
        ("template_conversation_80x24", TEMPLATE, SMALL, "Tab j j j j"),
        ("template_probes", TEMPLATE, SMALL, "p j"),
        ("template_one_pane", TEMPLATE, (60, 20), "BackTab j j j"),
        ("template_that_raises", "{{ raise_exception('no roles') }}", LARGE, ""),
        ("template_hostile", HOSTILE_TEMPLATE, SMALL, ""),
        ("template_help", TEMPLATE, SMALL, "?"),
    ] {
        let mut template = Template::new(source, size);
        template.press(keys);
        shows(name, &template.player.frame());
    }
}

/// The template with another syntax of calls.
fn other_template() -> String {
    TEMPLATE
        .replace("[CALL]{{ call.function.name }} ", "<call name=\"{{ call.function.name }}\">")
        .replace("[/CALL]", "</call>")
}

/// Two templates in tabs, the first one shown.
fn two_templates(size: (u16, u16)) -> Template {
    let mut template = Template::new(TEMPLATE, size);
    let path = template.folder.path().join("other.jinja");
    fs::write(&path, other_template()).expect("it can be written");
    template.player.tabs.add(NewTab::Screen(Box::new(TemplateScreen::new(opened(path, None)))));
    template.player.frame();
    template.press("[");
    template
}

#[test]
fn two_prompts_of_a_conversation_are_compared() {
    for (name, size, keys) in [
        ("template_compare_choice", SMALL, "D"),
        ("prompts_80x24", SMALL, "D G Enter"),
        ("prompts_120x40", LARGE, "D G Enter e"),
        ("prompts_only_differences", LARGE, "D G Enter m l l"),
        ("prompts_below_each_other", (60, 30), "D G Enter"),
        ("prompts_as_another_runtime", SMALL, "D Enter"),
    ] {
        let mut templates = two_templates(size);
        templates.press(keys);
        shows(name, &templates.player.frame());
    }
}

#[test]
fn a_comparison_of_prompts_says_what_differs_and_where_it_is_from() {
    for (keys, expected) in [
        ("D", "Compare this prompt with"),
        ("D G", "other.jinja"),
        ("D Esc", "Conversation"),
        ("D Enter", "the prompts are the same, byte for byte"),
        ("D Enter e", "no differences"),
        ("D G Enter", "difference 1/"),
        ("D G Enter", "line 10 of other.jinja → text of the template"),
        ("D G Enter", "line 10 of chat.jinja → text of the template"),
        ("D G Enter Tab l", "line 10 of chat.jinja → messages[1].tool_calls[0].function.name"),
        ("D G Enter e", "difference 2/"),
        ("D G Enter E", "first difference"),
        ("D G Enter e e e e e e e", "last difference"),
        ("D G Enter m", "showing only lines that differ"),
        ("D G Enter Enter", "other.jinja"),
        ("D G Enter Tab Enter", "line 10 → text of the template"),
        ("D G Enter Esc", "Conversation"),
        ("D G Enter ?", "show the byte in its template"),
    ] {
        let mut templates = two_templates(LARGE);
        templates.press(keys);
        let screen = templates.screen();
        assert!(screen.contains(expected), "{keys}, {expected}:\n{screen}");
    }
}

/// A recorded session in a tab, and the path of a template.
fn session(sample_path: &str, size: (u16, u16)) -> (tempfile::TempDir, Player) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("chat.jinja"), TEMPLATE).expect("it can be written");
    let name = sample_path.rsplit('/').next().expect("a name");
    let text = OneText::with_text(name, &super::sample(sample_path), usize::MAX, size);
    (folder, Player::of(std::iter::once(text), size))
}

impl Player {
    /// Types a line into the prompt.
    fn types(&mut self, line: &str) {
        for character in line.chars() {
            self.event(Event::Key(KeyCode::Char(character).into()));
        }
        self.press("Enter");
        self.frame();
    }
}

#[test]
fn a_session_up_to_the_selection_is_a_prompt() {
    for (name, size, keys) in [("session_prompt_80x24", SMALL, "} } c"), ("session_prompt_120x40", LARGE, "} } c")] {
        let (folder, mut player) = session("containers/claude-code/late-ferry.jsonl", size);
        player.press(keys);
        player.press("z p");
        player.types(&folder.path().join("chat.jinja").display().to_string());
        shows(name, &player.frame());
    }
}

#[test]
fn the_template_of_a_session_is_asked_for_once_more_or_refused() {
    let (folder, mut player) = session("containers/claude-code/late-ferry.jsonl", LARGE);
    player.press("G z p");
    assert!(player.screen().contains("chat template:"), "{}", player.screen());
    player.types("no-such.jinja");
    let screen = player.screen();
    assert!(screen.contains("could not use the template no-such.jinja"), "{screen}");
    player.press("Esc z p");
    let path = folder.path().join("chat.jinja").display().to_string();
    player.types(&path);
    assert!(
        player.screen().contains("note: no system prompt is recorded; no tools are recorded"),
        "{}",
        player.screen()
    );
    player.press("Esc");
    player.press("z p");
    let line = player.screen();
    assert!(line.contains("chat.jinja"), "the last one is proposed:\n{line}");
    player.press("Enter");
    player.frame();
    let titles = player.screen();
    assert_eq!(
        titles.matches("chat.jinja").count(),
        titles.lines().take(4).collect::<String>().matches("chat.jinja").count()
    );

    let (_folder, mut plain) = session("demo.txt", LARGE);
    plain.press("z p");
    let screen = plain.screen();
    assert!(screen.contains("this text names no speakers: open a recorded session"), "{screen}");
}

#[test]
fn the_focused_pane_is_searched() {
    for (keys, pattern, then, expected) in [
        ("", "rome", "", "match 1 of 2"),
        ("", "rome", "n", "match 2 of 2"),
        ("", "rome", "n n", "continued at the other end"),
        ("", "rome", "N", "match 2 of 2"),
        ("", "paris-result", "", "line 8 → messages[3].content"),
        ("BackTab", "tojson", "n", "match 2 of 2"),
        ("Tab", "call_", "", "match 1 of"),
        ("Tab", "call_", "", "is not in the prompt"),
        ("", "nowhere", "", "no match for \"nowhere\""),
        ("", "(", "", "is not a regular expression"),
        ("", "rome", "Esc n", "no search yet; press /"),
    ] {
        let mut template = Template::new(TEMPLATE, LARGE);
        template.press(keys);
        template.press("/");
        template.player.types(pattern);
        template.press(then);
        let message = template.screen();
        template.player.tabs.shown_mut().chrome_mut().message = None;
        let screen = format!("{message}{}", template.screen());
        assert!(screen.contains(expected), "{keys} /{pattern} {then}, {expected}:\n{screen}");
    }
}

#[test]
fn a_match_is_shown_at_80_columns() {
    let mut template = Template::new(TEMPLATE, SMALL);
    template.press("/");
    template.player.types("rome");
    shows("template_search_80x24", &template.player.frame());
}

#[test]
fn the_text_of_a_prompt_precedes_its_origins() {
    let mut template = Template::new(TEMPLATE, LARGE);
    let Some(Task::RenderTemplate(tab, number)) =
        template.player.press("s").pop().or_else(|| template.player.tabs.prepare(std::time::Duration::ZERO))
    else {
        panic!("it is rendered again")
    };
    let (job, is_gone) = template.player.tabs.template_job(tab, number).expect("a screen waits for it");
    let mut events = Vec::new();
    job.run(is_gone, |event| events.push(event));
    let mut seen = Vec::new();
    for event in events {
        template.player.tabs.template_told(tab, number, event);
        let screen = template.screen();
        seen.push((screen.contains("origins: computing …"), screen.contains("rome-result")));
    }
    assert_eq!(seen[..2], [(true, true), (false, true)]);
}

#[test]
fn control_tokens_of_a_tokenizer_are_marked() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (path, tokenizer) = (folder.path().join("chat.jinja"), folder.path().join("tokenizer.json"));
    fs::write(&path, TEMPLATE).expect("it can be written");
    let tokens =
        r#"{"added_tokens": [{"id": 1, "content": "<|end|>", "special": true}, {"id": 2, "content": "rome"}]}"#;
    fs::write(&tokenizer, tokens).expect("it can be written");
    let template = OpenedTemplate { tokenizer: Some(tokenizer), ..opened(path, None) };
    let screen = TemplateScreen::new(template);
    let mut player = Player::showing(NewTab::Screen(Box::new(screen)), LARGE);
    player.frame();
    shows("template_tokenizer", &player.frame());
}

#[test]
fn a_side_without_a_prompt_says_why() {
    let source =
        TEMPLATE.replace("[CALL]", "{{ raise_exception('no calls') if call.function.arguments is string }}[CALL]");
    let mut template = Template::new(&source, LARGE);
    template.press("p");
    // The probe with arguments as a text: vLLM makes an object of it.
    while !template.screen().lines().any(|line| line.contains("args_string") && line.contains('▸')) {
        let before = template.screen();
        if before.contains("args_string") {
            break;
        }
        template.press("j");
    }
    let at = TemplateProbe::all().iter().position(|probe| probe.name == "args_string").expect("it exists");
    template.press(&format!("g {} Enter D Enter", "j ".repeat(at)));
    let screen = template.screen();
    assert!(screen.contains("no calls") && screen.contains("nothing to compare"), "{screen}");
}

#[test]
fn the_status_line_says_what_is_selected() {
    for (keys, expected) in [
        ("", "text of the template"),
        ("l l l l l", "→ "),
        ("Tab", "→ "),
        ("BackTab g", "this line writes nothing"),
        ("BackTab G", "this line writes nothing"),
        ("Tab g", "messages[0]"),
        ("Tab j", "line 8 → messages[0].content"),
        ("Tab j j j j j", "messages[1].tool_calls[0].id is not in the prompt"),
        ("s", "rendered as vllm does it"),
        ("s s", "rendered as llama.cpp does it"),
        ("T", "without the generation prompt"),
        ("T T", "with the generation prompt"),
        ("p", "Conversation to render"),
        ("p Esc Esc", "there is nothing to go back to"),
        ("3 Tab g", "messages[0]"),
    ] {
        let mut template = Template::new(TEMPLATE, LARGE);
        template.press(keys);
        let screen = template.screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

#[test]
fn a_problem_is_named_where_one_pane_has_room() {
    let mut template = Template::new(TEMPLATE, (60, 20));
    template.press("e");
    let screen = template.screen();
    assert!(
        screen.contains("chat.jinja:") && screen.lines().last().is_some_and(|line| line.contains("✗ no parser reads")),
        "{screen}"
    );
}

#[test]
fn another_conversation_is_rendered_when_it_is_chosen() {
    let mut template = Template::new(TEMPLATE, LARGE);
    template.press("p g Enter G");
    let screen = template.screen();
    let first = &TemplateProbe::all()[0].name;
    assert!(screen.lines().next().is_some_and(|title| title.contains(&format!("── {first} as"))), "{screen}");
    assert!(screen.contains("<|assistant|>↵"), "its generation prompt is rendered:\n{screen}");
}

#[test]
fn a_saved_template_is_rendered_again() {
    let mut template = Template::new(TEMPLATE, LARGE);
    let path = template.folder.path().join("chat.jinja");
    let watched = template.player.tabs.shown().edited_file().map(std::path::Path::to_path_buf);
    assert_eq!(watched.as_deref(), Some(path.as_path()));
    for (source, is_new) in [(TEMPLATE.to_owned(), false), (TEMPLATE.replace("[CALL]", "[DO]"), true)] {
        fs::write(&path, &source).expect("it can be written");
        drop(template.player.tabs.update(Msg::Reloaded(source)));
        let screen = template.screen();
        assert_eq!(screen.contains("[DO]"), is_new, "{screen}");
    }
}

#[test]
fn what_is_selected_can_be_copied() {
    for (keys, expected) in [
        ("y y", "<|system|>"),
        ("y b", "[CALL]"),
        ("Tab j y p", "messages[0].content"),
        ("Tab j y y", "How is the weather?"),
        ("BackTab j j y y", "tool.function | tojson"),
    ] {
        let tasks = Template::new(TEMPLATE, LARGE).press(keys);
        let [.., Task::Copy(copied)] = tasks.as_slice() else { panic!("{keys}: {tasks:?}") };
        assert!(copied.text.contains(expected), "{keys}: {:?}", copied.text);
    }
}

#[test]
fn a_click_selects_what_is_under_it() {
    let mut template = Template::new(TEMPLATE, LARGE);
    let screen = template.screen();
    let row = screen.lines().position(|line| line.contains("How is the weather?")).expect("it is shown");
    let line: Vec<char> = screen.lines().nth(row).expect("a row").chars().collect();
    let found = (0..line.len()).find(|&at| line[at..].starts_with(&['H', 'o', 'w'])).expect("it is there");
    let cell = (u16::try_from(found).expect("on the screen"), u16::try_from(row).expect("on the screen"));
    template.player.mouse(MouseEventKind::Down(MouseButton::Left), cell.0, cell.1);
    let screen = template.screen();
    assert!(screen.contains("line 8 → messages[0].content"), "{screen}");
}

#[test]
fn a_long_line_costs_what_is_visible() {
    let source = format!("{{{{ messages[0].content * 400000 }}}}{TEMPLATE}");
    let mut template = Template::new(&source, LARGE);
    for key in ["G", "g", "PageDown", "k", "l", "h", "200G"] {
        template.press(key);
        is_sound(&template.player.frame(), key);
    }
    assert!(template.screen().contains("MB"), "{}", template.screen());
}

#[test]
fn every_symbol_is_in_the_legend() {
    for keys in ["", "e", "e e", "l l l l l l", "Tab j j j j", "p j", "BackTab j j j", "/a", "a"] {
        let mut template = Template::new(TEMPLATE, HUGE);
        template.press(keys);
        is_explained(ScreenId::Template, keys, &template.screen());
    }
    for keys in ["D G Enter", "D G Enter e", "D G Enter m l l", "D Enter"] {
        let mut templates = two_templates(HUGE);
        templates.press(keys);
        is_explained(ScreenId::Prompts, keys, &templates.screen());
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, LARGE, (160, 50)] {
        let mut template = Template::new(TEMPLATE, size);
        template.press("?");
        let mut seen = template.screen();
        for _ in 0..250 {
            template.press("Down");
            seen.push_str(&template.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Template) {
            assert!(seen.contains(&format!(" {} ", binding.help)), "{size:?}: {:?} is cut", binding.help);
        }
    }
}

#[test]
fn parsers_of_runtimes_are_asked_about_the_answer() {
    let hermes = TEMPLATE.replace(
        "[CALL]{{ call.function.name }} {{ call.function.arguments | tojson }}[/CALL]",
        "<tool_call>\n{{ call.function | tojson }}\n</tool_call>",
    );
    let opened_thinking = hermes.replace(
        "{%- if add_generation_prompt %}<|assistant|>",
        "{%- if add_generation_prompt %}<|assistant|>\n<think>",
    );
    for (source, keys, expected) in [
        (&hermes, "V", &["hermes", "get_weather", "vllm:hermes", "parallel_results"][..]),
        (&opened_thinking, "V", &["vllm:hermes", "get_weather"]),
        (&hermes, "p g Enter V", &["the conversation has no answer of the model"]),
        (&hermes, "V Esc", &["chat.jinja parallel_results", "2 calls"]),
    ] {
        let mut template = Template::new(source, LARGE);
        template.press(keys);
        let screen = template.screen();
        for expected in expected {
            assert!(screen.contains(expected), "{keys}, {expected}:\n{screen}");
        }
    }
}
