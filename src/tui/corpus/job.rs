//! Reads statistics of many sessions on a separate thread and reports the progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::config::Setup;
use crate::corpus::choice::FileChoice;
use crate::corpus::places::{KeptPlaces, PlaceSource};
use crate::corpus::plan::Plan;
use crate::corpus::reader::FileReader;
use crate::corpus::registry;
use crate::corpus::statistics::{CorpusStatistics, StatisticsEvent};
use crate::corpus::store::Store;
use crate::corpus::update::{ReadProgress, UpdateRequest, can_continue, update};
use crate::source::folder::unread_message;
use crate::source::workers::usual_workers;

use crate::tui::corpus::{CorpusEvent, CorpusPaths, CorpusReading, CorpusRequest, GroupedStatistics};

/// Interval between progress events.
const PROGRESS: Duration = Duration::from_millis(100);

/// Interval between preliminary statistics, unless grouping takes so long that it would slow down reading.
const STATISTICS: Duration = Duration::from_millis(300);

/// After grouping, no grouping is done for this many times as long as it took.
const REST: u32 = 10;

/// Maximum number of unreadable files reported.
const UNREAD: usize = 100;

/// A job that reads statistics.
pub struct CorpusJob {
    /// The request to answer.
    pub request: CorpusRequest,
    /// Settings for parsing the files.
    pub setup: Arc<Setup>,
    /// The file that lists indexes.
    pub registry: Option<PathBuf>,
}

impl CorpusJob {
    /// Reads until `tell` returns false. The update of an index is completed even then.
    pub fn run(&self, tell: &mut dyn FnMut(CorpusEvent) -> bool) {
        let outcome = self.read(tell);
        if let Err(error) = outcome {
            // The result of `tell` no longer matters.
            tell(CorpusEvent::Failed(format!("{error:#}")));
        }
    }

    fn read(&self, tell: &mut dyn FnMut(CorpusEvent) -> bool) -> Result<()> {
        match &self.request.paths {
            CorpusPaths::Index(folder) => self.read_index(reopened(folder)?, tell),
            CorpusPaths::Folders(folders) => {
                let names: Vec<String> = folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
                match self.registry.as_deref().and_then(|registry| registry::find(registry, &names)) {
                    Some(store) => self.read_index(store, tell),
                    None => self.read_files(folders, tell),
                }
            }
        }
    }

    fn read_index(&self, mut store: Store, tell: &mut dyn FnMut(CorpusEvent) -> bool) -> Result<()> {
        let mut unread = Vec::new();
        if self.request.reading == CorpusReading::Changed {
            let choice = store.manifest.choice();
            let paths: Vec<PathBuf> = store.manifest.folders.iter().map(PathBuf::from).collect();
            let request = UpdateRequest {
                paths: &paths,
                out: store.folder(),
                format: store.format(),
                reader: self.reader(&choice),
                workers: usual_workers(),
            };
            ensure!(
                can_continue(&store, &request.reader),
                "the index was made with other settings or by another version; run transcope index to rebuild it"
            );
            let mut told = None::<Instant>;
            let report = update(&request, &mut |progress| {
                if told.is_none_or(|told| told.elapsed() >= PROGRESS) {
                    told = Some(Instant::now());
                    // The update continues whatever `tell` returns.
                    tell(CorpusEvent::Progress(progress));
                }
            })?;
            unread = report.unread;
            unread.truncate(UNREAD);
            store = reopened(store.folder())?;
        }
        let statistics = CorpusStatistics::from_index(&store)?;
        let statistics = GroupedStatistics::new(&statistics, PlaceSource::Index(Box::new(store)));
        if tell(CorpusEvent::Statistics(Box::new(statistics))) {
            tell(CorpusEvent::Done(unread));
        }
        Ok(())
    }

    fn read_files(&self, folders: &[PathBuf], tell: &mut dyn FnMut(CorpusEvent) -> bool) -> Result<()> {
        let choice = FileChoice::default();
        let plan = Plan::new(folders, &choice)?;
        let kept = Arc::<KeptPlaces>::default();
        let source = || PlaceSource::Kept(Arc::clone(&kept));
        let mut unread = plan.unread.clone();
        let mut progress = ReadProgress::new(&plan.files);
        let (mut told, mut next) = (Instant::now(), Instant::now() + PROGRESS);
        let whole = CorpusStatistics::from_files(&plan, &self.reader(&choice), usual_workers(), &mut |event| {
            let now = Instant::now();
            match event {
                StatisticsEvent::Rows(calls, problems) => kept.add(calls, problems),
                StatisticsEvent::Missing(..) => {}
                StatisticsEvent::Unread(file, words) => {
                    if unread.len() < UNREAD {
                        unread.push(unread_message(Path::new(file), words));
                    }
                }
                StatisticsEvent::Progress(reached, statistics) => {
                    progress = *reached;
                    if now >= next {
                        let known = GroupedStatistics::new(statistics, source());
                        next = Instant::now() + (now.elapsed() * REST).max(STATISTICS);
                        if !tell(CorpusEvent::Statistics(Box::new(known))) {
                            return false;
                        }
                    }
                }
            }
            if now < told + PROGRESS {
                return true;
            }
            told = now;
            tell(CorpusEvent::Progress(progress))
        })?;
        if let Some(statistics) = whole
            && tell(CorpusEvent::Statistics(Box::new(GroupedStatistics::new(&statistics, source()))))
        {
            tell(CorpusEvent::Done(unread));
        }
        Ok(())
    }

    fn reader<'a>(&'a self, choice: &'a FileChoice) -> FileReader<'a> {
        FileReader { setup: &self.setup, filter: None, choice }
    }
}

fn reopened(folder: &Path) -> Result<Store> {
    Store::open(folder)?.with_context(|| format!("the index in {} no longer exists", folder.display()))
}
