//! A dialect that copies of a scanner share until one of them probes it.
//!
//! Each call that is open while its text arrives gets a scanner with all other dialects, most of which are never
//! probed there. Most are not probed in a message either, and then need no reset when the next one begins.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::super::Dialect;

/// A dialect with copy-on-write state.
#[derive(Clone)]
pub struct SharedDialect {
    dialect: Arc<Box<dyn Dialect>>,
    /// True if it may have changed since its message began.
    was_asked: bool,
}

impl SharedDialect {
    /// An unshared dialect at the beginning of a message.
    pub(crate) fn new(dialect: Box<dyn Dialect>) -> Self {
        Self { dialect: Arc::new(dialect), was_asked: false }
    }

    /// Takes over the state of another copy of the same dialect. Usually both share it already, which is cheap to
    /// check.
    pub(crate) fn follow(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.dialect, &other.dialect) {
            self.clone_from(other);
        }
    }

    /// Begins another message; nothing to do unless the dialect was probed in the previous one.
    pub(crate) fn begin_message(&mut self) {
        if self.was_asked {
            (**self).begin_message();
            self.was_asked = false;
        }
    }
}

impl Deref for SharedDialect {
    type Target = dyn Dialect;

    fn deref(&self) -> &Self::Target {
        &**self.dialect
    }
}

impl DerefMut for SharedDialect {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.was_asked = true;
        &mut **Arc::make_mut(&mut self.dialect)
    }
}
