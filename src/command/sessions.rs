//! `sessions`: lists the sessions in folders, or finds the newest one.
//!
//! Each file is read once. To find the newest session, files are read in descending order of modification time until no
//! remaining file can hold a later message.

use std::cmp::Reverse;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};

use super::folders::{Unread, in_folders, read_each};
use super::options::{CommonArgs, TEXT_WIDTH, window_columns};
use super::outcome::ExitStatus;
use super::transcript::{read, setup};
use crate::config::places::AgentPlaces;
use crate::config::{agents, places};
use crate::container::facts::{SessionKind, Timestamp};
use crate::export::session_list::{self, ListedSession};
use crate::session::Session;
use crate::source::{self, Follow, SourceSpec};
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// List the sessions in folders, or open the newest one
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope sessions
  transcope sessions --format json ~/.claude/projects | jq -r '.sessions[].path'
  transcope sessions --format csv > sessions.csv
  transcope sessions --latest
  transcope sessions --latest=claude

Sessions are sorted by their last message, newest first. The title is the name that the user gave, else
the title that a model made, else the first prompt. Before it, ⊘ marks a session whose last turn was
interrupted, ! one whose last request failed, ✗ one whose last call failed, and ⑂ a sub-agent. Costs are
recorded, or estimated (~) with --prices. Times are in UTC; columns that do not fit are left out, and csv
and json have all.

Keys of json: path, bytes, modified, container, the keys of session in parse --format json, errors,
warnings, and where they apply bad_ending (interrupted, api-error, failed-call) and resume (the command
that resumes the session in its agent).

--latest opens the newest session, without sub-agents; without a terminal, or with --format, it
prints its row.")]
pub struct SessionsArgs {
    /// Folders to search, or files [default: the folders where agents keep their sessions]
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,
    #[arg(long, value_name = "AGENT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(help = format!("Open the newest session, of any agent or of one: {}", agents::option_values()))]
    latest: Option<String>,
    /// Output format [default: text]
    #[arg(long, value_enum)]
    format: Option<SessionsFormat>,
    /// Line width of the text format [default: that of the terminal, else 80]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Number of files to read in parallel [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SessionsFormat {
    /// A table
    Text,
    /// One JSON object
    Json,
    /// Comma-separated values with a header line
    Csv,
}

impl SessionsArgs {
    /// True if it opens the newest session on a screen.
    pub fn opens(&self) -> bool {
        self.latest.is_some() && self.format.is_none()
    }

    /// Options for reading and showing the session that is opened.
    pub fn common(&self) -> &CommonArgs {
        &self.common
    }

    fn dirs(&self) -> Result<Vec<PathBuf>> {
        if !self.dirs.is_empty() {
            return Ok(self.dirs.clone());
        }
        let places = places::recorded();
        ensure!(!places.is_empty(), "no recorded sessions: found no folder of {}; name a folder", agents::titles());
        Ok(places)
    }
}

/// Runs `transcope sessions`.
///
/// # Errors
/// A folder cannot be read, there is no newest session, or the output is closed.
pub fn run<W: Write>(args: &SessionsArgs, out: &mut Output<W>) -> Result<ExitStatus> {
    let (mut sessions, mut unread): (Vec<ListedSession>, Vec<Unread>) = (Vec::new(), Vec::new());
    if args.latest.is_some() {
        sessions.push(newest(args)?);
    } else {
        let setup = setup(&args.common)?;
        unread = read_each(&setup, &args.dirs()?, args.jobs, out, |_, name, session| {
            sessions.push(listed(name, &session));
            Ok(())
        })?;
        sessions.sort_by(|one, other| other.last_time().cmp(&one.last_time()).then_with(|| one.path.cmp(&other.path)));
    }
    match args.format.unwrap_or(SessionsFormat::Text) {
        SessionsFormat::Text if sessions.is_empty() => {
            let dirs: Vec<String> = args.dirs()?.iter().map(|dir| places::name_of(dir)).collect();
            writeln!(out, "no sessions found in {}", visible_str(&dirs.join(", ")))?;
        }
        SessionsFormat::Text => {
            let width = args.width.or_else(window_columns).unwrap_or(TEXT_WIDTH);
            session_list::write_text(out, &sessions, width)?;
        }
        SessionsFormat::Json => session_list::write_json(out, &sessions, &unread)?,
        SessionsFormat::Csv => session_list::write_csv(out, &sessions)?,
    }
    Ok(ExitStatus::Success)
}

/// The file of the newest session.
///
/// # Errors
/// There is none, or a folder cannot be read.
pub fn newest_path(args: &SessionsArgs) -> Result<PathBuf> {
    Ok(newest(args)?.path.into())
}

fn newest(args: &SessionsArgs) -> Result<ListedSession> {
    let agent = args.latest.as_deref().unwrap_or_default().to_lowercase();
    let places = AgentPlaces::new();
    if !agent.is_empty() && !agents::is_known(&agent) {
        bail!("unknown agent {agent:?}; transcope reads sessions of {}", agents::titles());
    }
    let setup = setup(&args.common)?;
    let (paths, _) = in_folders(&args.dirs()?)?;
    let mut files: Vec<(Option<Timestamp>, PathBuf)> = paths.into_iter().map(|path| (written(&path), path)).collect();
    files.sort_by_cached_key(|(written, path)| (Reverse(*written), path.clone()));
    let mut newest: Option<ListedSession> = None;
    for (written, path) in files {
        // No message in a file is newer than the file.
        if newest.as_ref().is_some_and(|newest| newest.last_time() >= written) {
            break;
        }
        let Ok(whole) = read(&setup, &SourceSpec::File(path.clone()), Follow::No) else { continue };
        let session = listed(path.to_string_lossy().into_owned(), &whole.session);
        let recorder = places.agent_at(&path);
        let is_asked = agent.is_empty() || agents::is_recorded_by(&agent, session.container, recorder);
        let is_main = !matches!(session.summary.kind, SessionKind::Subagent | SessionKind::Evaluator);
        if is_asked && is_main && newest.as_ref().is_none_or(|newest| newest.last_time() < session.last_time()) {
            newest = Some(session);
        }
    }
    let of = if agent.is_empty() { String::new() } else { format!(" of {agent}") };
    newest.ok_or_else(|| anyhow::anyhow!("no sessions{of} found; name the folder that holds them"))
}

/// The row of a session that was read from `path`.
pub(super) fn listed(path: String, session: &Session) -> ListedSession {
    // The system knows no size of a session in an archive or a database.
    let alone = || fs::metadata(&path).map_or(session.text().len() as u64, |metadata| metadata.len());
    let bytes = source::extent(Path::new(&path)).map_or_else(alone, |(size, _)| size);
    let modified = written(Path::new(&path));
    ListedSession::new(path, bytes, modified, session)
}

fn written(path: &Path) -> Option<Timestamp> {
    Timestamp::try_from(source::modified(path)?).ok()
}
