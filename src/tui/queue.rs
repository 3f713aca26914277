//! The queue of the loop, in two lanes: user input takes precedence over data of sources.
//!
//! The urgent lane is unbounded, since a key or a signal must never wait. The other lane is bounded and blocks the
//! sender when it is full, so that a file read faster than it is parsed does not fill the memory.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The next entry, by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<U, P> {
    /// An urgent event.
    Urgent(U),
    /// A piece of a source.
    Piece(P),
}

/// A queue that holds at most `room` pieces.
pub fn queue<U, P>(room: usize) -> (Sender<U, P>, Receiver<U, P>) {
    let lanes = Lanes { urgent: VecDeque::new(), pieces: VecDeque::new(), room, is_closed: false };
    let shared = Arc::new(Shared { lanes: Mutex::new(lanes), filled: Condvar::new(), emptied: Condvar::new() });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

/// The sending end.
pub struct Sender<U, P>(Arc<Shared<U, P>>);

impl<U, P> Clone for Sender<U, P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<U, P> Sender<U, P> {
    /// Sends an urgent event ahead of all pieces. False if the receiver was dropped.
    pub fn urgent(&self, thing: U) -> bool {
        let mut lanes = self.0.lanes();
        lanes.urgent.push_back(thing);
        self.0.filled.notify_one();
        !lanes.is_closed
    }

    /// Sends a piece, and blocks while there is no room. False if the receiver was dropped.
    pub fn piece(&self, piece: P) -> bool {
        let lanes = self.0.lanes();
        let has_no_room = |lanes: &mut Lanes<U, P>| lanes.pieces.len() >= lanes.room && !lanes.is_closed;
        let mut lanes = self.0.emptied.wait_while(lanes, has_no_room).unwrap_or_else(PoisonError::into_inner);
        lanes.pieces.push_back(piece);
        self.0.filled.notify_one();
        !lanes.is_closed
    }
}

/// The receiving end. Dropping it unblocks the senders.
pub struct Receiver<U, P>(Arc<Shared<U, P>>);

impl<U, P> Receiver<U, P> {
    /// The next entry, without waiting.
    pub fn take(&self) -> Option<Next<U, P>> {
        self.0.take(&mut self.0.lanes())
    }

    /// True if an urgent event is waiting.
    pub fn is_urged(&self) -> bool {
        !self.0.lanes().urgent.is_empty()
    }

    /// Changes the capacity for pieces to `room`.
    pub fn make_room(&self, room: usize) {
        self.0.lanes().room = room;
        self.0.emptied.notify_all();
    }

    /// Waits for the next entry until `deadline`, or forever without one.
    pub fn wait(&self, deadline: Option<Instant>) -> Option<Next<U, P>> {
        let is_empty = |lanes: &mut Lanes<U, P>| lanes.urgent.is_empty() && lanes.pieces.is_empty();
        let lanes = self.0.lanes();
        let mut lanes = match deadline {
            None => self.0.filled.wait_while(lanes, is_empty).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let time = deadline.saturating_duration_since(Instant::now());
                self.0.filled.wait_timeout_while(lanes, time, is_empty).unwrap_or_else(PoisonError::into_inner).0
            }
        };
        self.0.take(&mut lanes)
    }
}

impl<U, P> Drop for Receiver<U, P> {
    fn drop(&mut self) {
        self.0.lanes().is_closed = true;
        self.0.emptied.notify_all();
    }
}

struct Shared<U, P> {
    lanes: Mutex<Lanes<U, P>>,
    filled: Condvar,
    emptied: Condvar,
}

struct Lanes<U, P> {
    urgent: VecDeque<U>,
    pieces: VecDeque<P>,
    room: usize,
    is_closed: bool,
}

impl<U, P> Shared<U, P> {
    fn lanes(&self) -> MutexGuard<'_, Lanes<U, P>> {
        // No foreign code runs under the mutex, so the lanes are intact even if a thread has panicked while holding it.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, lanes: &mut Lanes<U, P>) -> Option<Next<U, P>> {
        if let Some(thing) = lanes.urgent.pop_front() {
            return Some(Next::Urgent(thing));
        }
        let piece = lanes.pieces.pop_front()?;
        self.emptied.notify_one();
        Some(Next::Piece(piece))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_is_urgent_comes_first_and_pieces_in_their_order() {
        let (sender, receiver) = queue(8);
        for piece in 0..3 {
            assert!(sender.piece(piece));
        }
        assert!(!receiver.is_urged());
        assert!(sender.urgent("key"));
        assert!(receiver.is_urged());
        assert_eq!(receiver.wait(None), Some(Next::Urgent("key")));
        assert_eq!([receiver.take(), receiver.wait(None)], [Some(Next::Piece(0)), Some(Next::Piece(1))]);
        assert_eq!([receiver.take(), receiver.take()], [Some(Next::Piece(2)), None]);
        assert_eq!(receiver.wait(Some(Instant::now())), None);
    }

    #[test]
    fn a_full_lane_holds_up_its_sender_and_no_key() {
        let (sender, receiver) = queue(2);
        let bringing = sender.clone();
        let thread = thread::spawn(move || (0..100).all(|piece| bringing.piece(piece)));
        for expected in 0..100 {
            assert!(sender.urgent(expected));
            assert_eq!(receiver.take(), Some(Next::Urgent(expected)));
            assert_eq!(receiver.wait(None), Some(Next::Piece(expected)));
            assert!(receiver.0.lanes().pieces.len() <= 2);
        }
        assert!(thread.join().expect("it does not panic"));
    }

    #[test]
    fn a_sender_that_waits_goes_on_when_there_is_more_room() {
        let (sender, receiver) = queue::<(), u8>(1);
        let thread = thread::spawn(move || (0..4).all(|piece| sender.piece(piece)));
        receiver.make_room(4);
        assert!(thread.join().expect("it does not panic"));
        assert_eq!(receiver.0.lanes().pieces, [0, 1, 2, 3]);
    }

    #[test]
    fn nobody_waits_for_a_receiver_that_is_gone() {
        let (sender, receiver) = queue::<(), u8>(1);
        assert!(sender.piece(0));
        let bringing = sender.clone();
        let thread = thread::spawn(move || bringing.piece(1));
        drop(receiver);
        assert!(!thread.join().expect("it does not panic"));
        assert!(!sender.urgent(()));
    }
}
