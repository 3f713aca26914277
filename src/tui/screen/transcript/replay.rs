//! Replaying a text: the session contains what has arrived so far, and the view follows its end.

use std::sync::Arc;
use std::time::Duration;

use crate::container::Container;
use crate::diagnostic::BoundedProblems;
use crate::text::Span;
use crate::text::replay_steps::{ReplayOptions, ReplayStep};

use crate::location::Location;
use crate::tui::action::{PaneId, ReplayControl};
use crate::tui::message::{Effect, Navigation};
use crate::tui::replay::Replay;
use crate::tui::replay_overview::ReplayOverview;
use crate::tui::screen::transcript::{Transcript, replay_bar};
use crate::tui::style::Role;
use crate::tui::view;
use crate::tui::view::cache::Changed;
use crate::tui::view::origin::{Phase, TextOrigin};

/// Maximum bytes of a text to replay: going back reads it again from the beginning.
const LARGEST: usize = 64 << 20;

/// A transcript that replays a text from its beginning.
pub fn replay(
    like: &Transcript,
    name: &str,
    bytes: Arc<[u8]>,
    container: Container,
    options: ReplayOptions,
) -> Transcript {
    let size = Some(bytes.len() as u64);
    let replay = Replay::new(Arc::clone(&bytes), container, options);
    let session = replay.fresh(&like.view.options);
    let origin =
        TextOrigin { name: format!("replay of {name}"), phase: Phase::Following, size, ..TextOrigin::default() };
    let mut state = Transcript::new(session, like.view.options.clone(), origin, like.chrome.size);
    let mut overview = ReplayOverview::new(bytes, container, &like.view.options, options.keeps_pauses);
    // Must be known before anything is shown: whether the file has timestamps.
    overview.look_ahead();
    state.replay_overview = Some(Box::new(overview));
    state.replay = Some(replay);
    state.following.hold_end = true;
    state.view.layout.focus_on(PaneId::Reading);
    state.divide();
    act(&mut state, ReplayControl::Play);
    state
}

/// Carries out an action on the replay.
pub(super) fn act(state: &mut Transcript, asked: ReplayControl) -> Option<Effect> {
    let Some(replay) = &mut state.replay else { return begin(state, asked) };
    match asked {
        ReplayControl::Play if replay.is_over() => {
            replay.go_to(0);
            replay.toggle();
        }
        ReplayControl::Play => replay.toggle(),
        ReplayControl::Step(forward) if replay.step == ReplayStep::Chunk => {
            let at = replay.at();
            replay.go_to(state.replay_overview.as_mut().map_or(at, |track| track.chunk(at, forward)));
        }
        ReplayControl::Step(forward) => replay.go(forward),
        ReplayControl::Unit => replay.next_step(),
        ReplayControl::Faster => replay.next_speed(),
    }
    show_after_seek(state);
    None
}

/// Goes to a location: the end of a line, or a percentage of the bytes.
pub(super) fn to(state: &mut Transcript, location: &Location) {
    let (Some(replay), Some(track)) = (&mut state.replay, &state.replay_overview) else { return };
    replay.go_to(match *location {
        Location::Line(line, _) => track.end_of_line(line),
        Location::Percent(percent) => track.percent(percent),
        _ => return state.show_message("a replay goes to a line, or to a percentage such as 50%", Role::Dim),
    });
    show_after_seek(state);
}

/// Moves the replay to a column of its bar that the mouse has grabbed.
pub(super) fn drag(state: &mut Transcript, x: u16) {
    let Some(area) = state.replay_bar_area() else { return };
    let words = replay_bar::words(state);
    let (Some(replay), Some(track)) = (&mut state.replay, &state.replay_overview) else { return };
    let columns = replay_bar::columns(area, &words);
    if !track.held || columns.is_empty() {
        return;
    }
    let cell = x.clamp(columns.start, columns.end - 1) - columns.start;
    replay.go_to(track.byte_of(usize::from(cell), columns.len()));
    show_after_seek(state);
}

/// Starts replaying the current text.
fn begin(state: &mut Transcript, asked: ReplayControl) -> Option<Effect> {
    if asked != ReplayControl::Play {
        return state.chrome.refuse("press P to replay this as a stream");
    }
    let file = state.view.session.file();
    if state.view.is_live() || file.is_empty() || file.len() > LARGEST {
        return state.chrome.refuse("only a complete text of up to 64 MB can be replayed");
    }
    let bytes = file.read(Span::new(0, file.len())).into_owned();
    Some(Effect::Go(Navigation::Replay(bytes, state.view.origin.short().to_owned())))
}

/// Shows what has arrived after a jump by the user. Search results and repairs are dropped if the replay went back.
fn show_after_seek(state: &mut Transcript) {
    let before = state.view.session.file().len();
    show(state);
    if state.view.session.file().len() < before {
        state.view.search = None;
        state.view.offer = None;
    }
}

/// Advances the replay to the time `now` and shows what has arrived since.
pub fn beat(state: &mut Transcript, now: Duration) {
    let Some((replay, overview)) = state.replay.as_mut().zip(state.replay_overview.as_ref()) else { return };
    if replay.beat(now, &overview.records) {
        show(state);
    }
}

/// Reads what has arrived; reads the text again if the replay went back.
fn show(state: &mut Transcript) {
    let Some(replay) = &mut state.replay else { return };
    let known = state.view.session.file().len();
    let over = replay.is_over();
    // A pending read with other options is covered by reading everything again.
    let is_other = state.reparse.take().is_some();
    let first = if known > replay.at() || state.view.session.is_finished() || is_other {
        state.view.session = replay.read(&state.view.options);
        Changed::default()
    } else {
        // A large step is read in two parts, so that a mark can be set between them.
        let (cut, at) = (replay.cut(known, &state.view.options), replay.at());
        let first = view::push(&mut state.view.session, &replay.bytes()[known..cut.unwrap_or(at)]);
        if let Some(cut) = cut {
            replay.set_mark(&state.view.session, &state.view.options);
            view::push(&mut state.view.session, &replay.bytes()[cut..at]);
        }
        first
    };
    if over {
        state.view.session.finish();
    }
    state.view.origin.phase = if over { Phase::Ended } else { Phase::Following };
    state.view.so_far = BoundedProblems::default();
    state.forget_from(if over { Changed::default() } else { first });
    state.view.cache.borrow_mut().forget_graph();
    state.following.hold_end = true;
    state.show_end();
}
