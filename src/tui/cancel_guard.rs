//! Work on another thread that is cancelled when whatever wanted it is dropped.

use std::sync::Arc;

/// As long as this is kept, work that was begun for it goes on.
#[derive(Debug, Default)]
pub struct CancelGuard(Arc<()>);

impl CancelGuard {
    /// Tells on any thread whether the guard was dropped.
    pub fn is_cancelled(&self) -> impl Fn() -> bool + Send + use<> {
        let guard = Arc::downgrade(&self.0);
        move || guard.strong_count() == 0
    }
}
