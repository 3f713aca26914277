//! Notes and marks: keys in, screen out. What is shown, what is saved, and what stays in place while a text grows or is
//! replaced.

use crossterm::event::Event;
use transcope::notes::sidecar::SavedNotes;
use transcope::notes::{NoteEdit, NoteList};
use transcope::source::SourceEvent;
use transcope::text::replay_steps::ReplayOptions;
use transcope::tui::message::{Effect, Msg, Task};
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::replay::replay;

use super::player::{Player, keys_of};
use super::shown::shows;
use super::{LARGE, SMALL, demonstration, sample};

/// A player whose text is a file, and the file of its notes.
struct Noted {
    player: Player,
    file: NoteList,
}

impl Noted {
    fn new(mut player: Player) -> Self {
        player.state.view.origin.path = Some("demo.txt".into());
        Self { player, file: NoteList::default() }
    }

    /// Presses keys, and saves notes as the loop does.
    fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace().flat_map(keys_of) {
            if let Some(Effect::Run(Task::SaveNotes { path, edits })) = self.player.event(Event::Key(key)) {
                assert_eq!(path.to_str(), Some("demo.txt"));
                for edit in edits {
                    self.file.apply(edit);
                }
                let path = Some("demo.txt.transcope.yaml".into()).filter(|_| !self.file.is_empty());
                self.player.state.update(Msg::NotesSaved(SavedNotes { notes: self.file.clone(), path }));
            }
        }
        self
    }

    /// The notes in the file: letter, text and place.
    fn kept(&self) -> Vec<String> {
        let words = |note: &transcope::notes::Note| {
            format!("{} {} | {}", note.letter.unwrap_or('-'), note.words, note.place.quote)
        };
        self.file.iter().map(words).collect()
    }

    fn screen(&mut self) -> String {
        self.player.screen()
    }
}

fn demo() -> Noted {
    Noted::new(demonstration(LARGE))
}

#[test]
fn notes_lead_to_screens() {
    let keys = "c c A why_twice?⏎ j j m b :38⏎ A three_at_once⏎ \"";
    for (name, size) in [("notes_120x40", LARGE), ("notes_80x24", SMALL)] {
        let mut noted = Noted::new(demonstration(size));
        noted.press(keys);
        shows(name, &noted.player.frame());
    }
    let mut noted = demo();
    noted.press("c c A why_twice?⏎ a");
    shows("notes_in_the_details", &noted.player.frame());
}

/// Keys, the line at the bottom after them, and the saved notes.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("A one⏎", " note saved in demo.txt.transcope.yaml", &["- one | # Moving the invoices of Juniper & Pine"]),
    ("A ⏎", " bookmark set in demo.txt.transcope.yaml", &["-  | # Moving the invoices of Juniper & Pine"]),
    ("A ⏎ A ⏎", " note removed; A restores it", &[]),
    ("A one⏎ A two⏎", " note saved", &["- onetwo | # Moving the invoices of Juniper & Pine"]),
    ("A one⏎ X", " note removed; A restores it", &[]),
    ("A one⏎ X A", " note: one", &[]),
    ("A one⏎ X A ⏎", " note saved", &["- one | # Moving the invoices of Juniper & Pine"]),
    ("A one⏎ X c A", " note:  ", &[]),
    ("A one Esc", "1:1  0%", &[]),
    ("X", " no note here; A writes one", &[]),
    ("c A call⏎ c A other⏎", " note saved", &["- call | OpenMigration migration", "- other | BackupFolder backup"]),
    // A node of a call is another place than the call.
    ("c A call⏎ j A node⏎", " note saved", &["- call | OpenMigration migration", "- node | OpenMigration title"]),
    ("c A call⏎ j A node⏎ k X", " note removed from demo", &["- node | OpenMigration title"]),
    ("c A a⏎ 1 X", " note removed", &[]),
    // Marks.
    ("c m a", " mark a set in demo.txt.transcope.yaml", &["a  | OpenMigration migration"]),
    ("c m a c m a", " mark a set", &["a  | BackupFolder backup"]),
    ("c A x⏎ m a c m a", " mark a set", &["- x | OpenMigration migration", "a  | BackupFolder backup"]),
    ("c m a m b", " mark b set", &["b  | OpenMigration migration"]),
    ("c m a c c ' a", " mark a  ", &["a  | OpenMigration migration"]),
    ("c m a m Z c ' q", " no mark q; there are Z", &["Z  | OpenMigration migration"]),
    ("' q", " no mark q; m q sets it", &[]),
    ("m Esc c", "6:1", &[]),
    ("m 5", "1:1  0%", &[]),
    // In the list.
    ("c A a⏎ c A b⏎ \" g X", " note removed", &["- b | BackupFolder backup"]),
    ("c A a⏎ c A b⏎ \" G A c⏎", " note saved", &["- a | OpenMigration migration", "- bc | BackupFolder backup"]),
    ("c c A b⏎ g \" Enter", "27:1", &["- b | BackupFolder backup"]),
    ("\" A", " note:  ", &[]),
    // Filters.
    ("c A a⏎ &has:note⏎ c", "filter: has:note  1/18 calls", &["- a | OpenMigration migration"]),
    ("&has:note⏎ Esc c A a⏎ &has:note⏎ X", "filter: has:note  0/18 calls", &[]),
];

#[test]
fn keys_write_and_remove_notes_and_set_marks() {
    let mut faults = Vec::new();
    for (keys, said, kept) in CASES {
        let mut noted = demo();
        noted.press(keys);
        let (status, found) = (noted.player.status(), noted.kept());
        if !status.contains(said) || found != *kept {
            faults.push(format!("{keys:?} says {status:?} and keeps {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn notes_without_a_file_are_reported_as_temporary() {
    let mut player = demonstration(LARGE);
    assert_eq!(player.press("c A words⏎"), []);
    let screen = player.screen();
    assert!(screen.contains("note saved; notes are kept until you quit, since this is not a file"), "{screen}");
    assert!(screen.contains("│ ✎ words") && screen.contains("Notes 1"), "{screen}");
    let mut playground = Player::playing("Some text.\n", LARGE).escaped();
    assert_eq!(playground.press("A"), []);
    assert!(playground.status().contains("a playground has no notes; save it, and open the file"));
    let mut replayed = Player::new("replay", LARGE);
    let container = replayed.state.view.session.container();
    replayed.state = replay(&replayed.state, "a.txt", sample("demo.txt").into(), container, ReplayOptions::default());
    for keys in ["A", "m a"] {
        replayed.press(keys);
        assert!(replayed.status().contains("a replay has no notes"), "{}", replayed.status());
    }
}

#[test]
fn an_invalid_sidecar_is_reported_and_never_overwritten() {
    let mut player = Player::new("demo.txt", LARGE);
    player.state.view.origin.path = Some("demo.txt".into());
    player.state.set_notes(Err("could not use the notes in demo.txt.transcope.yaml: line 3: odd".into()));
    player.arrives("Some text.\n");
    player.source(SourceEvent::End);
    assert!(player.screen().contains("could not use the notes in demo.txt.transcope.yaml: line 3"));
    for keys in ["A", "m a", "X"] {
        assert_eq!(player.press(keys), []);
    }
    player.press("A");
    assert!(player.status().contains("could not use the notes"), "{}", player.status());
    player.press("v");
    assert!(player.screen().contains("[Events 1]"), "{}", player.screen());
}

#[test]
fn what_could_not_be_saved_is_saved_with_the_next_note() {
    let mut player = demonstration(LARGE);
    player.state.view.origin.path = Some("demo.txt".into());
    player.press("c A one⏎");
    player.state.update(Msg::Failed("could not save notes in demo.txt.transcope.yaml: no space left".into()));
    assert!(player.screen().contains("│ ✎ one"), "it is still there");
    let effects = player.press("c A two⏎");
    let [Effect::Run(Task::SaveNotes { edits, .. })] = effects.as_slice() else { panic!("{effects:?}") };
    let words = |edit: &NoteEdit| match edit {
        NoteEdit::Put(note) => note.words.clone(),
        NoteEdit::Remove(_) => "-".into(),
    };
    assert_eq!(edits.iter().map(words).collect::<Vec<_>>(), ["one", "two"]);
}

const CALL: &str = "!!!GADGET_START:Lookup\n!!!ARG:city\nOslo\n!!!GADGET_END\n";

#[test]
fn notes_stay_at_their_places_while_a_file_grows_and_when_it_is_written_anew() {
    let start = format!("A plan for the harbour.\n{CALL}Then we wait.\n");
    let mut noted = Noted::new(Player::following("demo.txt", &start, LARGE));
    noted.press("g A the_plan⏎ c A the_call⏎ G A the_end⏎");
    let places = |noted: &Noted| -> Vec<String> {
        let session = &noted.player.state.view.session;
        let words = |number: usize| {
            let place = session.notes().place(number)?;
            let line = session.position(place.offset).line;
            Some(format!("{}:{line}", session.notes().notes().get(number)?.words))
        };
        (0..session.notes().notes().len()).map(|number| words(number).unwrap_or_else(|| "gone".into())).collect()
    };
    assert_eq!(places(&noted), ["the_plan:1", "the_call:2", "the_end:6"]);
    for piece in ["And we wait some more, ", "until the ferry comes.\n", CALL, "The last line.\n"] {
        noted.player.arrives(piece);
        noted.screen();
        assert_eq!(places(&noted), ["the_plan:1", "the_call:2", "the_end:6"], "{piece}");
    }
    // The file is rewritten with a new beginning, and without the end of its first line.
    noted.player.source(SourceEvent::Restarted("demo.txt was replaced; reading the new file".into()));
    assert_eq!(places(&noted), ["gone", "gone", "gone"]);
    noted.player.arrives(&format!("Written again.\n{CALL}{}", start.replace('\n', "\r\n")));
    noted.player.source(SourceEvent::CaughtUp);
    noted.screen();
    assert_eq!(places(&noted)[1..], ["the_call:7", "the_end:11"]);
    noted.press("\" g Enter");
    assert!(noted.screen().contains("Notes 3"));
    // The previous contents keep their notes, and get no others.
    let former = noted.player.state.previous_contents.take().expect("it is kept");
    assert_eq!(former.view.session.notes().notes().len(), 3);
    let mut earlier = Noted::new(Player::new("demo.txt", LARGE));
    earlier.player.state = *former;
    earlier.player.press("A");
    assert!(earlier.player.status().contains("earlier contents"), "{}", earlier.player.status());
}

#[test]
fn a_lost_note_is_listed_and_can_be_removed() {
    let mut noted = Noted::new(Player::following("demo.txt", &format!("Words.\n{CALL}"), LARGE));
    noted.press("c A the_call⏎");
    noted.player.source(SourceEvent::Restarted("demo.txt was truncated".into()));
    noted.player.arrives("Nothing of that is here any more.\n");
    noted.press("\"");
    let screen = noted.screen();
    assert!(screen.contains("[Notes 1 · lost 1]") && screen.contains("place not found"), "{screen}");
    noted.press("Enter");
    assert!(noted.player.status().contains("the place of this note was not found; X removes it"));
    noted.press("X");
    assert_eq!(noted.kept(), [""; 0]);
    assert!(noted.screen().contains("no notes; A writes one on the selection"));
}

#[test]
fn nothing_in_a_note_acts_on_the_terminal() {
    let mut noted = demo();
    noted.press("c A x⏎");
    let mut file = NoteList::default();
    for note in noted.file.iter() {
        let mut note = note.clone();
        note.words = "\u{1b}[2J\u{202e}red\u{7}\nline".into();
        note.place.quote = "\u{9b}31m".into();
        file.apply(NoteEdit::Put(Box::new(note)));
    }
    noted.player.state.update(Msg::NotesSaved(SavedNotes { notes: file, path: None }));
    for keys in ["\"", "a", "A"] {
        noted.player.press(keys);
        let buffer = noted.player.frame();
        super::walk::is_sound(&buffer, keys);
        assert!(super::text_of(&buffer).contains("␛[2J"), "{keys}");
    }
}
