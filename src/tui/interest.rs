//! Work on another thread that is given up with whatever wanted it.

use std::sync::Arc;

/// As long as this is kept, work that was begun for it goes on.
#[derive(Debug, Default)]
pub struct Interest(Arc<()>);

impl Interest {
    /// Tells on any thread whether the interest is gone.
    pub fn gone(&self) -> impl Fn() -> bool + Send + use<> {
        let interest = Arc::downgrade(&self.0);
        move || interest.strong_count() == 0
    }
}
