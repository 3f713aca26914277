//! Texts that are too large to be dissected for every frame.

use std::rc::Rc;

use super::Transcript;
use crate::dialect::Options;
use crate::session::{MAX_DISSECTED, Session};
use crate::source::{CHUNK, SourceEvent};
use crate::tui::message::Msg;
use crate::tui::pane::Pane as _;
use crate::tui::screen::Screen as _;
use crate::tui::view::cache::Seen;
use crate::tui::view::origin::TextOrigin;
use crate::tui::widget::rows::Line;
use crate::value::Assembly;

fn state() -> Transcript {
    let session = Session::new(crate::container::Container::default(), &Options::default());
    Transcript::new(session, Options::default(), TextOrigin::default(), (80, 24))
}

fn arrives(state: &mut Transcript, event: SourceEvent) {
    state.update(Msg::Source(event));
}

#[test]
fn a_large_call_is_taken_apart_seldom_while_it_arrives_and_then_to_its_end() {
    let mut state = state();
    let argument = format!("!!!ARG:x\n{}\n", "y".repeat(990));
    let text = format!("!!!GADGET_START:Do:a\n{}", argument.repeat(6000));
    let mut chunks = text.as_bytes().chunks(CHUNK).filter(|chunk| chunk.len() == CHUNK);
    let mut trees: Vec<Rc<Assembly>> = Vec::new();
    let count = chunks.clone().count();
    for chunk in chunks.by_ref() {
        arrives(&mut state, SourceEvent::Chunk(chunk.to_vec()));
        let tree = state.view.assembly(0).expect("a call");
        if trees.last().is_none_or(|last| !Rc::ptr_eq(last, &tree)) {
            trees.push(tree);
        }
    }
    assert!(trees.len() > 4 && trees.len() < count * 3 / 4, "{} times of {count}", trees.len());
    arrives(&mut state, SourceEvent::CaughtUp);
    let arguments = state.view.assembly(0).expect("a call").arguments.len();
    assert_eq!(arguments, count * CHUNK / argument.len() + 1);
}

#[test]
fn of_a_call_that_is_very_long_the_beginning_is_looked_into_and_that_is_said() {
    let mut state = state();
    let line = format!("{}\n", "y".repeat(99));
    let text = format!("!!!GADGET_START:Do:a\n!!!ARG:x\n{}", line.repeat(MAX_DISSECTED / 90));
    for end in ["", "!!!GADGET_END\n"] {
        arrives(&mut state, SourceEvent::Chunk(if end.is_empty() { text.clone() } else { end.into() }.into_bytes()));
        let Seen { assembly, end, .. } = state.view.seen(0).expect("a call");
        let end = end.expect("it is not all of the call");
        assert!(end <= "!!!GADGET_START:Do:a\n".len() + MAX_DISSECTED && text[..end].ends_with("y\n"), "{end}");
        assert_eq!(assembly.arguments[0].value.end, end - 1);
        let lines = state.panes.reading.rows(&state.view, 40);
        let lead = |line: &Line| line.rows[line.at].lead.iter().map(|piece| piece.text.clone()).collect::<String>();
        let words: String = lines.iter().map(lead).collect();
        assert!(words.contains("more than 83,885 lines, 8.4 MB"), "{words}");
        assert!(words.contains("this is the first 8.4 MB of 9.3 MB: the raw pane shows all of it"), "{words}");
    }
}

#[test]
fn while_a_file_is_read_a_graph_is_kept_until_a_quarter_is_added() {
    let mut state = state();
    let calls = |from: usize, count: usize| {
        let call = |number: usize| format!("!!!GADGET_START:Do:c{}\n!!!GADGET_END\n", from + number);
        SourceEvent::Chunk((0..count).map(call).collect::<String>().into_bytes())
    };
    for (added, shown) in [(8, 8), (1, 8), (1, 10), (1, 10), (1, 12)] {
        let before = state.view.session.document().calls().len();
        arrives(&mut state, calls(before, added));
        assert_eq!(state.view.graph().nodes.len(), shown, "{added} to {before}");
    }
    arrives(&mut state, calls(12, 1));
    arrives(&mut state, SourceEvent::CaughtUp);
    assert_eq!(state.view.graph().nodes.len(), 13);
}
