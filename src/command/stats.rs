//! `stats`: prints failure rates of transcripts, by what their calls and problems have in common.
//!
//! They come from an index, or from the transcripts, which are forgotten when they are counted. This module does not know
//! how a table looks.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, ensure};

use super::corpus::{CorpusSettings, FileBar, tell_copies};
use super::tell;
use crate::cli::{CorpusArgs, StatsArgs, StatsFormat};
use crate::corpus::plan::Plan;
use crate::corpus::rows::FileKind;
use crate::corpus::statistics::{CorpusStatistics, StatisticsEvent};
use crate::corpus::store::Store;
use crate::export::statistics::{self, StatisticsReport};
use crate::source::folder::unread_words;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// Runs `transcope stats` over all files or an index. What could not be read is said, and counted.
///
/// # Errors
/// A setting, filter or path that cannot be used; nobody reads the output.
pub fn run<W: Write>(args: &StatsArgs, out: &mut Output<W>) -> Result<()> {
    let settings = CorpusSettings::new(&args.corpus)?;
    let counted = match indexed(&args.corpus, &settings)? {
        Some(counted) => counted,
        None => read(&args.corpus, &settings)?,
    };
    tell_copies(counted.totals.copied_calls)?;
    let mut by = Vec::new();
    for dimension in &args.by {
        if !by.contains(dimension) {
            by.push(*dimension);
        }
    }
    let report = StatisticsReport {
        counts: &counted.counts,
        files: counted.totals.files,
        unread: counted.totals.unread,
        filter: args.corpus.filter.filter.as_deref(),
        by: &by,
        top: args.top.map(|top| top as usize),
    };
    match args.format {
        StatsFormat::Text => statistics::write_text(out, &report, args.width)?,
        StatsFormat::Json => statistics::write_json(out, &report)?,
        StatsFormat::Csv => statistics::write_csv(out, &report)?,
    }
    Ok(())
}

/// The statistics of an index, where one is named; how old it is is said.
fn indexed(args: &CorpusArgs, settings: &CorpusSettings) -> Result<Option<CorpusStatistics>> {
    let [path] = &*args.paths else { return Ok(None) };
    let Some(store) = Store::open(path)? else { return Ok(None) };
    let name = visible_str(&path.to_string_lossy()).into_owned();
    ensure!(
        !settings.chooses(),
        "{name} is an index, which is counted whole: to choose sessions or parse otherwise, name the transcripts"
    );
    match store.manifest.updated_at {
        Some(at) => tell(&format!("index of {}", at.strftime("%Y-%m-%d %H:%M UTC")))?,
        None => tell("the index is incomplete; run transcope index again to complete it")?,
    }
    CorpusStatistics::from_index(&store).map(Some)
}

fn read(args: &CorpusArgs, settings: &CorpusSettings) -> Result<CorpusStatistics> {
    let plan = Plan::new(&args.paths, &settings.choice)?;
    plan.unread.iter().try_for_each(|words| tell(&format!("could not read {words}")))?;
    let mut unread = Vec::new();
    let bar = FileBar::new();
    let counted = CorpusStatistics::from_files(&plan, &settings.reader(), settings.workers, &mut |event| {
        match event {
            StatisticsEvent::Rows(..) => {}
            StatisticsEvent::Unread(file, words) => unread.push(unread_words(Path::new(file), words)),
            StatisticsEvent::Progress(progress, _) => bar.show(*progress),
        }
        true
    })?;
    drop(bar);
    unread.iter().try_for_each(|words| tell(&format!("could not read {words}")))?;
    if plan.files.iter().all(|file| file.kind == FileKind::Binary) {
        tell("no transcripts found; check the name and --since")?;
    }
    Ok(counted.unwrap_or_default())
}
