//! A text that is played: the session is that of what has arrived, and the view stays at its end.
//!
//! This module does not know clocks.

use crate::tui::action::Move;
use std::sync::Arc;
use std::time::Duration;

use crate::container::Container;
use crate::text::Span;
use crate::text::steps::Step;

use crate::tui::cache::Place;
use crate::tui::layout::Pane;
use crate::tui::message::{Effect, Navigation};
use crate::tui::origin::Origin;
use crate::tui::origin::Phase;
use crate::tui::replay::Replay;
use crate::tui::search::Spot;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::timeline::Timeline;
use crate::tui::update::arriving;
use crate::tui::update::tell;
use crate::tui::view::scrubber;

/// The largest text that is played: going back reads it again from its beginning.
const LARGEST: usize = 64 << 20;

/// A state in which a text is played from its beginning.
pub fn replay(like: &State, name: &str, bytes: Arc<[u8]>, container: Container, speed: Option<usize>) -> Option<State> {
    let size = Some(bytes.len() as u64);
    let replay = Replay::new(Arc::clone(&bytes), container, speed);
    let session = replay.fresh(&like.options)?;
    let origin = Origin { name: format!("replay of {name}"), phase: Phase::Following, size, ..Origin::default() };
    let mut state = State::new(session, like.options.clone(), origin, like.size);
    state.track = Some(Box::new(Timeline::new(bytes, container, &like.options)));
    state.replay = Some(replay);
    state.hold_end = true;
    state.focus = Pane::Reading;
    Some(state)
}

/// The same, and it plays.
pub fn playing(
    like: &State,
    name: &str,
    bytes: Arc<[u8]>,
    container: Container,
    speed: Option<usize>,
) -> Option<State> {
    let mut state = replay(like, name, bytes, container, speed)?;
    act(&mut state, Move::Play);
    Some(state)
}

/// Something is done with a text that is played.
pub(super) fn act(state: &mut State, asked: Move) -> Option<Effect> {
    let Some(replay) = &mut state.replay else { return begin(state, asked) };
    match asked {
        Move::Play if replay.is_over() => {
            replay.go_to(0);
            replay.toggle();
        }
        Move::Play => replay.toggle(),
        Move::Step(forward) if replay.step() == Step::Chunk => {
            let at = replay.at();
            replay.go_to(state.track.as_mut().map_or(at, |track| track.chunk(at, forward)));
        }
        Move::Step(forward) => replay.go(forward),
        Move::Unit => replay.next_step(),
        Move::Faster => replay.next_speed(),
    }
    settle(state);
    None
}

/// Goes to a place: a line has arrived then, or so many percent of the bytes.
pub(super) fn to(state: &mut State, spot: Spot) {
    let (Some(replay), Some(track)) = (&mut state.replay, &state.track) else { return };
    replay.go_to(match spot {
        Spot::Line(line) => track.end_of_line(line),
        Spot::Percent(percent) => track.percent(percent),
    });
    settle(state);
}

/// The mouse holds the bar of the replay at a column.
pub(super) fn drag(state: &mut State, x: u16) {
    let Some(area) = state.areas().scrubber else { return };
    let (Some(replay), Some(track)) = (&mut state.replay, &state.track) else { return };
    let columns = scrubber::columns(area, replay);
    if !track.held || columns.is_empty() {
        return;
    }
    let cell = x.clamp(columns.start, columns.end - 1) - columns.start;
    replay.go_to(track.byte_of(usize::from(cell), columns.len()));
    settle(state);
}

/// What is shown is to be played.
fn begin(state: &mut State, asked: Move) -> Option<Effect> {
    if asked != Move::Play {
        tell(state, "P plays this again as if it were arriving", Role::Dim);
        return None;
    }
    let file = state.session.file();
    if state.is_live() || file.is_empty() || file.len() > LARGEST {
        let words = "what is complete and no larger than 64 MB can be played again as if it were arriving";
        tell(state, words, Role::Dim);
        return None;
    }
    let bytes = file.read(Span::new(0, file.len())).into_owned();
    Some(Navigation::Replay(bytes, state.origin.short().to_owned()).into())
}

/// Shows what has arrived after a person has gone somewhere. What was found in bytes that have not arrived any more is
/// forgotten.
fn settle(state: &mut State) {
    let before = state.session.file().len();
    show(state);
    if state.session.file().len() < before {
        state.search = None;
        state.offer = None;
    }
}

/// At the time `now`: what has arrived since is shown.
pub fn beat(state: &mut State, now: Duration) {
    if state.replay.as_mut().is_some_and(|replay| replay.beat(now)) {
        show(state);
    }
}

/// Reads what has arrived, or as much of it as it takes anew where it is less than before.
fn show(state: &mut State) {
    let Some(replay) = &mut state.replay else { return };
    let known = state.session.file().len();
    let over = replay.is_over();
    // What was to be read again is read so from here on.
    let is_other = state.rereading.take().is_some();
    let first = if known > replay.at() || state.session.is_finished() || is_other {
        let Some(session) = replay.read(&state.options) else { return };
        state.session = session;
        Place::default()
    } else {
        // What arrives at once in many bytes is read in two parts, so that there is a mark between them.
        let (cut, at) = (replay.cut(known, &state.options), replay.at());
        let first = arriving::push(&mut state.session, &replay.bytes()[known..cut.unwrap_or(at)]);
        if let Some(cut) = cut {
            replay.set_mark(&state.session, &state.options);
            arriving::push(&mut state.session, &replay.bytes()[cut..at]);
        }
        first
    };
    if over {
        state.session.finish();
    }
    state.origin.phase = if over { Phase::Ended } else { Phase::Following };
    state.so_far.clear();
    {
        let mut cache = state.cache.borrow_mut();
        cache.forget_from(if over { Place::default() } else { first });
        cache.forget_graph();
    }
    state.hold_end = true;
    arriving::to_end(state);
}
