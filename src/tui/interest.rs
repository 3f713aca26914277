//! Work on another thread that is given up with whatever wanted it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// As long as this is kept, work that was begun for it goes on.
#[derive(Debug, Default)]
pub struct Interest(Arc<AtomicBool>);

impl Interest {
    /// Tells on any thread whether the interest is gone.
    pub fn gone(&self) -> impl Fn() -> bool + Send + use<> {
        let gone = Arc::clone(&self.0);
        move || gone.load(Ordering::Relaxed)
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
