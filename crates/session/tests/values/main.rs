//! Values of calls, as a session reads them.

mod caret;
mod main_argument;
mod schema;
mod tree_index;
