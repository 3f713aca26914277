//! A dialect that copies of a scanner have in common until one of them asks it.
//!
//! A scanner is sent into every call that is open while its text arrives, with all other dialects: most of them are
//! never asked there. Nor are most of them in a message, and then nothing is to be forgotten when the next one begins.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::super::Dialect;

/// A dialect in the state that it is in; it is copied when it is about to change and others have it too.
#[derive(Clone)]
pub struct SharedDialect {
    dialect: Arc<Box<dyn Dialect>>,
    /// Whether it may have changed since its message began.
    was_asked: bool,
}

impl SharedDialect {
    /// One that nobody else has, at the beginning of a message.
    pub fn new(dialect: Box<dyn Dialect>) -> Self {
        Self { dialect: Arc::new(dialect), was_asked: false }
    }

    /// Takes the state of another one of the same dialect. Mostly it has it already, which is quickly seen.
    pub fn follow(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.dialect, &other.dialect) {
            self.clone_from(other);
        }
    }

    /// Another message begins: whoever was not asked in the one before has nothing to forget.
    pub fn begin_message(&mut self) {
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
