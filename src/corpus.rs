//! Many sessions as rows: tables of sessions, calls and problems, for engines that query millions of them.
//!
//! [`tables`] says what the columns are. [`plan`] finds files, [`workers`] reads several at once, [`rows`] makes rows
//! of what is in one, [`store`] keeps them in a folder, which [`update`] brings up to date; [`counts`] adds rows up,
//! [`copies`] finds those that several files have.

pub mod cell;
pub mod choice;
pub mod copies;
pub mod counts;
pub mod format;
pub mod path_text;
pub mod places;
pub mod plan;
pub mod reader;
pub mod registry;
pub mod rows;
pub mod since;
pub mod statistics;
pub mod store;
pub mod tables;
pub mod update;
pub mod workers;
