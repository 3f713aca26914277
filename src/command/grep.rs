//! `grep`: prints the places that a filter finds in transcripts.
//!
//! A file is printed as soon as it is read, and then forgotten. This module does not know how a filter decides or a line
//! looks.

use std::io::Write;
use std::num::NonZeroUsize;

use super::folders::{in_folders, read_each};
use super::{ExitStatus, describe, filter_of, is_closed_pipe, name_of, setup};
use crate::cli::{GrepArgs, GrepFormat};
use crate::export::labels;
use crate::export::matches::{MatchFormat, MatchWriter};
use crate::filter::Selection;
use crate::source::workers::usual_workers;
use crate::text::output::Output;

/// Runs `transcope grep` over all files, and says whether anything was found.
pub fn run<W: Write>(args: &GrepArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let setup = setup(&args.common)?;
    let filter = filter_of(&args.filter, &setup)?;
    let writer = MatchWriter::new(match args.format {
        GrepFormat::Text => MatchFormat::Text,
        GrepFormat::Ndjson => MatchFormat::Ndjson,
        GrepFormat::Csv => MatchFormat::Csv,
    });
    writer.begin(out)?;
    let (mut files, mut with_matches, mut matches) = (0, 0, 0);
    let (paths, lost) = in_folders(&args.paths)?;
    let mut is_all_read = lost.is_empty();
    let threads = args.jobs.map_or_else(usual_workers, NonZeroUsize::get);
    read_each(&setup, &paths, args.jobs, &mut |spec, whole| {
        // What was read of a transcript whose end cannot be reached is searched as well.
        let outcome = whole.and_then(|whole| {
            let outcome = whole.outcome();
            if outcome.is_ok() || !whole.session.text().is_empty() {
                let selection = Selection::on_threads(&filter, &whole.session, threads);
                let found = writer.write(out, &name_of(spec), &whole.session, &selection, threads)?;
                out.flush()?;
                files += 1;
                matches += found;
                with_matches += usize::from(found > 0);
            }
            outcome
        });
        if let Err(error) = outcome {
            if is_closed_pipe(&error) {
                return Err(error);
            }
            is_all_read = false;
            writeln!(Output::stderr(), "error: {}", describe(&error))?;
        }
        Ok(())
    })?;
    let found = match matches {
        0 => format!("no matches in {}", labels::count(files, "file")),
        1 => format!("1 match in {with_matches} of {}", labels::count(files, "file")),
        matches => format!("{matches} matches in {with_matches} of {}", labels::count(files, "file")),
    };
    let slip = filter.slip().filter(|_| matches == 0);
    let slip = slip.map(|(word, near)| format!("; {word} is searched for as text: did you mean {near}?"));
    writeln!(Output::stderr(), "{found}{}", slip.unwrap_or_default())?;
    Ok(match matches {
        _ if !is_all_read => ExitStatus::Failure,
        0 => ExitStatus::Findings,
        _ => ExitStatus::Success,
    })
}
