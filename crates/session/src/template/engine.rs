//! The engine: minijinja with the values of Python.
//!
//! [`iterable`], [`json`] and [`methods`] are what Python does otherwise than it.

pub mod iterable;
pub mod json;
pub mod methods;
