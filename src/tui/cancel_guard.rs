//! Work on another thread that is cancelled when its requester is dropped.

use std::sync::Arc;

/// Work started for this guard continues until the guard is dropped.
#[derive(Debug, Default)]
pub struct CancelGuard(Arc<()>);

impl CancelGuard {
    /// Returns a function that tells on any thread whether the guard was dropped.
    pub fn is_cancelled(&self) -> impl Fn() -> bool + Send + use<> {
        let guard = Arc::downgrade(&self.0);
        move || guard.strong_count() == 0
    }
}
