//! Many sessions as rows: tables of sessions, calls and problems, for engines that query millions of them.
//!
//! [`tables`] declares the columns. [`plan`] finds files, [`workers`] reads several at the same time, [`rows`] converts
//! a file to rows, [`store`] keeps them in a folder, which [`update`] brings up to date. [`counts`] aggregates rows,
//! and [`copies`] finds rows that several files share.

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
