//! The screen while a text arrives: nothing in view moves, and the end is shown before everything is read.
//!
//! Texts are so large that they do not arrive in one go. Independent of how long anything takes.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use transcope::source::{CHUNK, SourceEvent};
use transcope::text::store::{Backing, ReadAt};
use transcope::tui::layout::Slot;
use transcope::tui::screen::Screen as _;

use super::chance::Chance;
use super::player::Player;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// A file that grows.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl File {
    fn of(text: &[u8]) -> Self {
        Self(Arc::new(Mutex::new(text.to_vec())))
    }

    fn append(&self, text: &[u8]) {
        self.0.lock().expect("nobody panics").extend_from_slice(text);
    }

    fn backing(&self) -> SourceEvent {
        SourceEvent::Backing(Backing::new(self.clone()))
    }
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.lock().expect("nobody panics");
        let rest = bytes.get(usize::try_from(offset).expect("small")..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("nobody panics").len() as u64)
    }
}

/// A transcript of at least `length` bytes: prose, code, and calls; some calls wait, fail or lack their end.
fn transcript(length: usize) -> Vec<u8> {
    steps(length, "")
}

/// The same with pages of prose in between, so that it is long but fast to read.
fn long_transcript(length: usize) -> Vec<u8> {
    steps(length, &"And then there are words, and more words, about nothing that anybody calls.\n".repeat(100))
}

fn steps(length: usize, page: &str) -> Vec<u8> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < length {
        number += 1;
        text.extend([format!(
            "## Step {number}\n\nSome words about step {number}, long enough that they do not fit on one line of a \
             pane: they are wrapped, and they go on.\n\n- one\n- two\n\n"
        )]);
        match number % 5 {
            0 => text.extend([format!("```rust\nfn step_{number}() {{\n    todo!();\n}}\n```\n\n")]),
            1 => text.extend([format!(
                "!!!GADGET_START:Lookup:first_{number}\n!!!ARG:city\nOslo {number}\n!!!ARG:days\n3\n!!!GADGET_END\n\n\
                 {page}"
            )]),
            2 => text.extend([format!(
                "!!!GADGET_START:Merge:second_{number}:first_{}\n!!!ARG:items/0\na\n!!!ARG:items/2\nb\n!!!GADGET_END\n\n",
                number - 1
            )]),
            3 => text.extend([format!(
                "!!!GADGET_START:Report:third_{number}:second_{},later_{}\n!!!ARG:text\nline one\nline two\n",
                number - 1,
                number + 40
            )]),
            _ => {}
        }
    }
    text.into_bytes()
}

/// The contents of the panes, without their borders.
fn panes(player: &mut Player) -> Vec<(Slot, Vec<String>)> {
    let buffer = player.frame();
    let layout = player.state.view.layout;
    let shown = Slot::ALL.into_iter().filter_map(|pane| Some((pane, layout.area(pane)?.inner())));
    let row = |y, x: u16, width| (x..x + width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    shown
        .map(|(pane, area)| (pane, (area.y..area.y + area.height).map(|y| row(y, area.x, area.width)).collect()))
        .collect()
}

/// The same without the heading of the outline, which counts the calls.
fn without_heading(mut panes: Vec<(Slot, Vec<String>)>) -> Vec<(Slot, Vec<String>)> {
    for (pane, rows) in &mut panes {
        if *pane == Slot::Outline {
            rows.retain(|row| !row.contains("transcript"));
        }
    }
    panes
}

/// The panes, clipped to the number of rows that were filled before.
fn clipped(mut panes: Vec<(Slot, Vec<String>)>, before: &[(Slot, Vec<String>)]) -> Vec<(Slot, Vec<String>)> {
    for ((_, rows), (_, before)) in panes.iter_mut().zip(before) {
        let filled = before.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
        for (row, before) in rows[filled..].iter_mut().zip(&before[filled..]) {
            row.clone_from(before);
        }
    }
    panes
}

#[test]
fn nothing_that_is_looked_at_moves_while_a_text_arrives() {
    let text = transcript(60_000);
    let (there, arriving) = text.split_at(30_000);
    let mut chance = Chance(3);
    for size in SIZES {
        for keys in [
            "g",
            "c c c c c",
            "e e e e",
            "3 :200⏎ w",
            "c c c Enter c 1 l j",
            ":400⏎ 2 j j j j",
            "/step⏎ n n n n n n n n n n n",
            "p j j j j j j",
            "p ctrl-d ctrl-d",
            "- c c c c",
            "c c i",
        ] {
            for caught_up in [false, true] {
                let mut player = Player::new("live.txt", size);
                player.source(SourceEvent::Chunk(there.to_vec()));
                if caught_up {
                    player.source(SourceEvent::CaughtUp);
                }
                player.frame();
                player.press(keys);
                let before = without_heading(panes(&mut player));
                let selected = player.state.view.selected_span();
                let mut rest = arriving;
                while !rest.is_empty() {
                    let (piece, more) = rest.split_at(rest.len().min(1 + usize::from(chance.below(9000))));
                    rest = more;
                    player.source(SourceEvent::Chunk(piece.to_vec()));
                    let after = without_heading(panes(&mut player));
                    // Rows may be added at the end of a list.
                    let after = clipped(after, &before);
                    let at = text.len() - rest.len();
                    assert_eq!(before, after, "{size:?}, {keys:?}, caught up: {caught_up}, after {at} bytes");
                }
                assert_eq!(player.state.view.selected_span(), selected);
            }
        }
    }
}

#[test]
fn the_gauge_says_how_far_reading_is_and_goes_when_all_is_read() {
    let text = transcript(1_000_000);
    for (width, expected) in [
        (80, " reading 500 kB of 1.0 MB · 1.0 MB/s · 1 s left "),
        (50, " reading 49% "),
        (200, " reading 500 kB of 1.0 MB · 1.0 MB/s · 1 s left "),
    ] {
        let mut player = Player::new("large.txt", (width, 24));
        player.state.view.origin.size = Some(text.len() as u64);
        player.state.following.throughput.observe(Duration::ZERO, 0);
        player.source(SourceEvent::Chunk(text[..500_000].to_vec()));
        player.state.following.throughput.observe(Duration::from_millis(500), 500_000);
        let status = player.status();
        assert!(status.contains(expected), "{width} columns: {status:?}");
        assert!(status.starts_with(" ? help"), "the hints are still there: {status:?}");
        player.source(SourceEvent::Chunk(text[500_000..].to_vec()));
        player.source(SourceEvent::End);
        let status = player.status();
        assert!(!status.contains("reading"), "{status:?}");
    }
}

#[test]
fn a_search_goes_on_while_a_text_arrives_and_can_be_stopped() {
    let text = transcript(400_000);
    let mut player = Player::new("large.txt", (120, 40));
    player.state.view.origin.size = Some(text.len() as u64);
    player.source(SourceEvent::Chunk(text[..100_000].to_vec()));
    player.press("/fn␣step_⏎");
    let status = player.status();
    assert!(status.contains("searching 24%") && status.contains("Esc stop"), "{status:?}");
    player.press("n n N");
    let found = player.state.view.search.as_ref().map(|search| search.total).expect("it searches");
    player.press("Esc");
    let status = player.status();
    assert!(status.contains("search stopped at 24%"), "{status:?}");
    player.source(SourceEvent::Chunk(text[100_000..].to_vec()));
    player.source(SourceEvent::End);
    player.press("n");
    let status = player.status();
    assert!(status.contains(&format!("of {found} ")), "what was found stays: {status:?}");
    player.press("Esc");
    assert!(player.state.view.search.is_none());
}

#[test]
fn search_waits_for_a_later_match() {
    let text = transcript(300_000);
    let mut player = Player::new("large.txt", (120, 40));
    player.source(SourceEvent::Chunk(text[..100_000].to_vec()));
    player.press(":500⏎ /step␣1␣⏎ /unheard-of⏎");
    assert!(player.status().contains("searching"), "{:?}", player.status());
    player.source(SourceEvent::Chunk(text[100_000..].to_vec()));
    player.source(SourceEvent::Chunk(b"something unheard-of\n".to_vec()));
    player.press("Tab");
    assert!(player.status().contains(" searching 100% · 1 match "), "{:?}", player.status());
    assert_eq!(player.state.view.selection.offset, text.len() + "something ".len());
    player.source(SourceEvent::End);
    player.press("Tab");
    assert!(player.status().contains(" match 1 of 1 "), "{:?}", player.status());
}

/// A player that has read the first `read` bytes of a file.
fn reading(file: &File, read: usize, size: (u16, u16)) -> Player {
    let mut player = Player::new("large.txt", size);
    let text = file.0.lock().expect("nobody panics").clone();
    player.state.view.origin.size = Some(text.len() as u64);
    player.source(file.backing());
    go_on(&mut player, &text, 0, read);
    player
}

/// Continues reading from one offset to another.
fn go_on(player: &mut Player, text: &[u8], from: usize, to: usize) {
    for chunk in text[from..to].chunks(CHUNK) {
        player.source(SourceEvent::Chunk(chunk.to_vec()));
    }
}

/// Rows of panes, without parts that may change when lines get their numbers.
fn without_numbers(panes: Vec<(Slot, Vec<String>)>) -> Vec<(Slot, Vec<String>)> {
    let rows = |(pane, rows): (Slot, Vec<String>)| {
        let rows = rows.into_iter().map(|row| match pane {
            Slot::Raw => {
                let text = row.trim_start_matches([' ', '·']);
                text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().to_owned()
            }
            // Problems of the part above appear in the list once it has been read.
            Slot::Bottom => String::new(),
            _ => row,
        });
        (pane, rows.collect())
    };
    panes.into_iter().map(rows).collect()
}

#[test]
fn the_end_is_there_before_it_is_read_and_no_row_moves_when_it_has_been() {
    let text = long_transcript(3_500_000);
    for size in SIZES {
        for keys in ["G", "G k k k", "G C C C C Enter", "G alt-3 ctrl-u ctrl-u ctrl-u", "G c E E", "G C l alt-1 l j"] {
            let file = File::of(&text);
            let mut player = reading(&file, CHUNK, size);
            let first = player.screen();
            assert!(!first.contains("still loading"), "{first}");
            for key in keys.split(' ') {
                player.press(key);
                player.frame();
            }
            let screen = player.screen();
            assert!(screen.contains("still loading"), "{keys}:\n{screen}");
            let is_raw_shown = screen.contains(" Raw");
            assert!(!is_raw_shown || screen.contains("line not known yet"), "{keys}:\n{screen}");
            assert!(screen.contains("?:"), "{keys}:\n{screen}");
            let before = panes(&mut player);
            let selected = player.state.view.base() + player.state.view.selected_span().start;
            go_on(&mut player, &text, CHUNK, text.len() - 1000);
            assert_eq!(panes(&mut player), before, "{size:?}, {keys}: nothing moves while it is read");
            go_on(&mut player, &text, text.len() - 1000, text.len());
            let after = panes(&mut player);
            assert!(player.state.view.ahead.is_none(), "{keys}: reading has come to the end");
            assert_eq!(without_numbers(after), without_numbers(before), "{size:?}, {keys}");
            assert_eq!(player.state.view.selected_span().start, selected, "{keys}");
            player.source(SourceEvent::End);
            assert!(!player.screen().contains("still loading"));
        }
    }
}

#[test]
fn a_look_at_the_end_can_be_left_and_goes_further_up() {
    let text = long_transcript(8_000_000);
    let file = File::of(&text);
    let mut player = reading(&file, CHUNK, (120, 40));
    player.press("c c c");
    let before = panes(&mut player);
    player.press("G");
    assert!(player.screen().contains("still loading"));
    let base = player.state.view.base();
    for _ in 0..2000 {
        let place = |player: &Player| player.state.view.base() + player.state.view.selection.offset;
        let before = place(&player);
        player.press("C");
        player.frame();
        assert!(place(&player) < before, "each press leads to a call further up");
        if player.state.view.base() < base - 500_000 {
            break;
        }
    }
    assert!(player.state.view.base() < base - 500_000, "more is read in front of {base}: {}", player.state.view.base());
    let screen = player.screen();
    assert!(screen.contains("still loading"), "{screen}");
    player.press("g");
    let screen = player.screen();
    assert!(!screen.contains("still loading") && screen.contains("Step 1"), "{screen}");
    assert!(!player.state.following.hold_end);
    player.press("c c c");
    assert_eq!(panes(&mut player)[1], before[1], "the reading pane");
    player.press("G");
    assert!(player.screen().contains("still loading"));
    player.press(":30⏎");
    assert!(!player.screen().contains("still loading") && player.status().contains("30:1"));
    player.press("G");
    player.frame();
    player.press("/Step␣3$⏎");
    player.source(SourceEvent::End);
    player.frame();
    player.press("n");
    assert!(player.screen().contains("## Step 3"), "{}", player.screen());
}

#[test]
fn a_followed_file_is_shown_from_its_end_at_once_and_kept_up_with() {
    let text = long_transcript(3_000_000);
    let file = File::of(&text);
    let mut player = Player::new("live.txt", (120, 40));
    player.state.following.hold_end = true;
    player.state.view.origin.size = Some(text.len() as u64);
    player.source(file.backing());
    player.source(SourceEvent::Chunk(text[..CHUNK].to_vec()));
    file.append(b"\nthe newest line\n");
    let screen = player.screen();
    assert!(screen.contains("still loading") && screen.contains("the newest line"), "{screen}");
    file.append(b"an even newer line\n");
    assert!(player.screen().contains("an even newer line"));
    let all = file.0.lock().expect("nobody panics").clone();
    go_on(&mut player, &all, CHUNK, all.len());
    player.source(SourceEvent::CaughtUp);
    let screen = player.screen();
    assert!(screen.contains("following ●") && screen.contains("an even newer line"), "{screen}");
    // A burst: while chunks are full, the end is shown first.
    let burst = [long_transcript(4_000_000).as_slice(), b"the end of the burst\n"].concat();
    file.append(&burst);
    go_on(&mut player, &burst, 0, CHUNK);
    let screen = player.screen();
    assert!(screen.contains("still loading") && screen.contains("the end of the burst"), "{screen}");
    go_on(&mut player, &burst, CHUNK, burst.len());
    player.source(SourceEvent::CaughtUp);
    let screen = player.screen();
    assert!(screen.contains("following ●") && screen.contains("the end of the burst"), "{screen}");
}

#[test]
fn a_restarted_or_short_file_ends_the_preview() {
    let text = transcript(3_000_000);
    for event in
        [SourceEvent::Restarted("truncated".into()), SourceEvent::End, SourceEvent::Failed("the disk is gone".into())]
    {
        let mut player = reading(&File::of(&text), CHUNK, (120, 40));
        player.press("G");
        assert!(player.screen().contains("still loading"));
        player.source(event.clone());
        let screen = player.screen();
        assert!(!screen.contains("still loading"), "{event:?}:\n{screen}");
    }
}

#[test]
fn whatever_is_pressed_during_a_look_the_screen_is_sound() {
    let text = long_transcript(4_000_000);
    let mut chance = Chance(11);
    for round in 0..6 {
        let file = File::of(&text);
        let mut player = reading(&file, CHUNK, (120, 40));
        let mut read = CHUNK;
        player.press("G");
        for step in 0..60 {
            player.press(chance.one_of(&[
                "j", "k", "ctrl-u", "b", "C", "c", "e", "E", "Enter", "l", "h", "-", "+", "Tab", "p", "d", "a", "z",
                "w", "G", "T", "/step⏎", "n", "N", ":9⏎", "x", "g", "t", "y", "Esc",
            ]));
            player.wheel(60, 10, chance.one_of(&[-5, -1, 1, 5]));
            if chance.below(4) == 0 && read < text.len() {
                let next = text.len().min(read + CHUNK * usize::from(chance.below(3)));
                go_on(&mut player, &text, read, next);
                read = next;
            }
            player.frame();
            let shown = player.state.view.base() + player.state.view.session.text().len();
            assert!(shown <= text.len(), "round {round}, step {step}: {shown} bytes");
            let span = player.state.view.selected_span();
            assert!(span.end <= player.state.view.session.text().len(), "round {round}, step {step}: {span:?}");
        }
    }
}

#[test]
fn a_long_text_is_read_again_a_little_at_a_time() {
    let call = "!!!GADGET_START:Look:l\n!!!ARG:at\nthe sea\n!!!GADGET_END\n```\n!!!GADGET_START:Quoted:q\n!!!GADGET_END\n```\n";
    let text = call.repeat((3 << 20) / call.len());
    let mut player = Player::following("long.txt", &text, (100, 30));
    let calls = player.state.view.session.document().calls().len();
    let event =
        crossterm::event::KeyEvent::new(crossterm::event::KeyCode::Char('x'), crossterm::event::KeyModifiers::NONE);
    player.event(crossterm::event::Event::Key(event));
    assert!(player.state.has_work() && player.screen().contains("re-reading 0%"), "{}", player.screen());
    assert_eq!(player.state.view.session.document().calls().len(), calls, "what was read is shown until then");
    player.arrives("!!!GADGET_START:Last:z\n!!!GADGET_END\n");
    player.press("");
    assert!(!player.state.has_work());
    assert_eq!(
        player.state.view.session.document().calls().len(),
        calls.div_ceil(2) + 1,
        "what came meanwhile is there"
    );
    let status = player.status();
    assert!(status.contains("markers in code and quotations are prose: "), "{status}");
    player.arrives("!!!GADGET_START:More:m\n!!!GADGET_END\n");
    assert_eq!(player.state.view.session.document().calls().len(), calls.div_ceil(2) + 2);
}

#[test]
fn the_running_call_and_a_long_silence_are_in_the_title() {
    let (words, call, result) = (
        "{\"type\":\"user\",\"uuid\":\"a\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"Test it.\"}}\n",
        "{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"sessionId\":\"s\",\"message\":{\"role\":\"assistant\",\
         \"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"pnpm test\"}}]}}\n",
        "{\"type\":\"user\",\"uuid\":\"c\",\"parentUuid\":\"b\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\
         \"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"ok\"}]}}\n",
    );
    let mut player = Player::following("live.jsonl", words, (120, 40));
    let at = |player: &mut Player, seconds| {
        drop(player.state.prepare_content(Duration::from_secs(seconds)));
        let next = player.state.next_frame(Duration::from_secs(seconds)).map(|next| next.as_secs());
        (player.screen().lines().next().unwrap_or_default().to_owned(), next)
    };
    let (title, next) = at(&mut player, 100);
    assert!(!title.contains("quiet") && next == Some(110), "{title} {next:?}");
    let (title, next) = at(&mut player, 110);
    assert!(title.contains("following ● · quiet 10 s") && next == Some(111), "{title} {next:?}");
    player.arrives(call);
    at(&mut player, 120);
    let (title, next) = at(&mut player, 161);
    assert!(title.contains("· Bash pnpm test, 41 s") && next == Some(162), "{title} {next:?}");
    let (title, next) = at(&mut player, 300);
    assert!(title.contains("· Bash pnpm test, 3 min") && next == Some(360), "{title} {next:?}");
    player.arrives(result);
    let (title, _) = at(&mut player, 301);
    assert!(!title.contains("Bash") && !title.contains("quiet"), "{title}");
    let (title, next) = at(&mut player, 3901);
    assert!(title.contains("quiet 1 h") && next == Some(3961), "{title} {next:?}");
    player.source(SourceEvent::End);
    let (title, next) = at(&mut player, 3950);
    assert!(!title.contains("quiet") && next.is_none(), "{title} {next:?}");
}

#[test]
fn options_given_before_opening_apply() {
    let call = "{\"type\":\"assistant\",\"uuid\":\"b\",\"sessionId\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                \"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\
                \"input\":{\"command\":\"make\"}}]}}\n";
    let recorded = std::time::SystemTime::UNIX_EPOCH + Duration::from_hours(490_896);
    for (text, expected) in [(call, "· Bash make, 41 s"), ("Two words.\n", "· quiet 51 s")] {
        let mut player = Player::following("live.jsonl", text, (120, 40));
        player.state.view.origin.opened = Some(recorded + Duration::from_secs(40));
        player.state.view.origin.modified = Some(recorded - Duration::from_secs(10));
        drop(player.state.prepare_content(Duration::from_secs(7)));
        drop(player.state.prepare_content(Duration::from_secs(8)));
        let screen = player.screen();
        assert!(screen.lines().next().is_some_and(|line| line.contains(expected)), "{expected:?} is not on\n{screen}");
    }
}

#[test]
fn the_key_that_follows_the_end_says_what_it_did() {
    let mut player = Player::following("live.txt", "Two words.\n", (120, 40));
    for expected in ["stopped following; T follows the end again", "following the end"] {
        player.press("T");
        assert!(player.status().contains(expected), "{}", player.status());
    }
}
