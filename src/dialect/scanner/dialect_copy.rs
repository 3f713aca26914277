//! A dialect that copies of a scanner have in common until one of them asks it.
//!
//! A scanner is sent into every call that is open while its text arrives, with all other dialects: most of them are
//! never asked there. This module does not know who asks.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::super::Dialect;

/// A dialect in the state that it is in; it is copied when it is about to change and others have it too.
#[derive(Clone)]
pub struct SharedDialect(Arc<Box<dyn Dialect>>);

impl SharedDialect {
    /// One that nobody else has.
    pub fn new(dialect: Box<dyn Dialect>) -> Self {
        Self(Arc::new(dialect))
    }
}

impl Deref for SharedDialect {
    type Target = dyn Dialect;

    fn deref(&self) -> &Self::Target {
        &**self.0
    }
}

impl DerefMut for SharedDialect {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut **Arc::make_mut(&mut self.0)
    }
}
