//! The inputs, which are created once and kept, and the settings of a measurement. Independent of what is measured.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::{generate, shapes};

/// The program that is measured.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_transcope");

/// Bytes of the large inputs and of the others.
pub const LARGE: usize = 1_000_000_000;
pub const MEDIUM: usize = 100_000_000;

/// The source of the generators: when it changes, the inputs are generated again.
const MAKERS: [&str; 2] = [include_str!("../generate.rs"), include_str!("../generate/shapes.rs")];

/// The settings of a measurement.
pub struct Setting {
    scale: f64,
    /// The folder with the inputs.
    folder: PathBuf,
    /// An empty home for programs, and for files that are written to.
    pub home: TempDir,
    /// True in a trial run.
    pub trying: bool,
}

impl Setting {
    /// Reads the settings from the environment and the arguments.
    ///
    /// # Errors
    /// The scale is not a number, or a folder cannot be created.
    pub fn new() -> Result<Self> {
        let scale = match std::env::var("RATIOS_SCALE") {
            Ok(words) => words.parse().with_context(|| format!("RATIOS_SCALE={words} is no number, such as 0.1"))?,
            Err(_) => 1.0,
        };
        let mut hasher = DefaultHasher::new();
        MAKERS.hash(&mut hasher);
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("ratios-data");
        let folder = all.join(format!("{:016x}", hasher.finish()));
        fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
        for entry in fs::read_dir(&all)?.flatten().filter(|entry| entry.path() != folder) {
            fs::remove_dir_all(entry.path()).with_context(|| format!("could not remove {}", entry.path().display()))?;
        }
        let home = tempfile::tempdir().context("could not make a folder for a home")?;
        Ok(Self { scale, folder, home, trying: is_trial() })
    }

    /// `full` bytes, scaled for this run.
    pub fn length(&self, full: usize) -> usize {
        #[expect(clippy::cast_sign_loss, reason = "a negative scale makes them as small as they get")]
        let scaled = (full as f64 * self.scale) as usize;
        generate::length(scaled.max(4096))
    }

    /// A note for the headings if the inputs have other sizes than the headings state.
    pub fn sizes(&self) -> Option<String> {
        let scale = self.length(LARGE) as f64 / LARGE as f64;
        (self.length(LARGE) != LARGE).then(|| format!("The inputs have {scale} of the sizes that are named.\n"))
    }

    /// Number of measurements in this run, for `full` in an accurate one.
    pub fn runs(&self, full: usize) -> usize {
        if self.trying { 1 } else { full }
    }

    /// Time to watch something in this run, for `full` in an accurate one.
    pub fn while_watching(&self, full: Duration) -> Duration {
        if self.trying { full / 20 } else { full }
    }

    /// The path of an input with a shape and about `full` bytes, scaled; it is created if it does not exist.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(&self, shape: &str, full: usize) -> Result<PathBuf> {
        let length = self.length(full);
        let path = self.folder.join(format!("{shape}-{length}.txt"));
        if !path.exists() {
            // An interrupted run leaves no incomplete input.
            let part = path.with_extension("part");
            fs::write(&part, text(shape, length))
                .and_then(|()| fs::rename(&part, &path))
                .with_context(|| format!("could not write {}", path.display()))?;
        }
        Ok(path)
    }

    /// A folder of `full` sessions, scaled, with an average of `length` bytes; it is created if it does not exist.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sessions(&self, full: usize, length: usize) -> Result<PathBuf> {
        self.many("sessions", full, length, |number| match number % 2 {
            0 => ("transcript", format!("{number:05}.txt")),
            _ => ("jsonl", format!("{number:05}.jsonl")),
        })
    }

    /// The same for sessions of an agent, in 40 projects where that agent keeps them.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn agent_sessions(&self, full: usize, length: usize) -> Result<PathBuf> {
        let place = |number: usize| format!(".claude/projects/-project-{}/{number:05}.jsonl", number % 40);
        self.many("agent-sessions", full, length, |number| ("session", place(number)))
    }

    /// A folder of files, each with a shape and a path that depend on its number.
    fn many(
        &self,
        name: &str,
        full: usize,
        length: usize,
        file: impl Fn(usize) -> (&'static str, String),
    ) -> Result<PathBuf> {
        let count = (self.length(full * length) / length).max(4);
        let folder = self.folder.join(format!("{name}-{count}"));
        let part = folder.with_extension("part");
        if !folder.exists() {
            _ = fs::remove_dir_all(&part);
            fs::create_dir_all(&part).with_context(|| format!("could not make {}", part.display()))?;
            for number in 0..count {
                let length = length / 2 + length * (number % 101) / 100;
                let (shape, path) = file(number);
                let path = part.join(path);
                fs::create_dir_all(path.parent().unwrap_or(&part))?;
                fs::write(&path, text(shape, length)).with_context(|| format!("could not write {}", path.display()))?;
            }
            fs::rename(&part, &folder).with_context(|| format!("could not make {}", folder.display()))?;
        }
        Ok(folder)
    }

    /// The text of an input.
    pub fn text(&self, shape: &str, full: usize) -> Vec<u8> {
        text(shape, self.length(full))
    }

    /// A copy of an input that may be written to.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn copy(&self, shape: &str, full: usize, name: &str) -> Result<PathBuf> {
        let path = self.home.path().join(name);
        fs::copy(self.file(shape, full)?, &path).with_context(|| format!("could not write {}", path.display()))?;
        Ok(path)
    }
}

/// True in a trial run.
pub fn is_trial() -> bool {
    generate::length(LARGE) < LARGE
}

fn text(shape: &str, length: usize) -> Vec<u8> {
    match shape {
        "transcript" => generate::transcript(length),
        "nearmiss" => shapes::nearmiss(length),
        "tiny" => shapes::tiny(length),
        "manyargs" => shapes::manyargs(length),
        "neverends" => shapes::neverends(length),
        "longline" => shapes::longline(length),
        "longline-marks" => shapes::longline_marks(length),
        "nomarks" => shapes::nomarks(length),
        "mixed" => shapes::mixed(length),
        "jsonl" => shapes::jsonl(length),
        "session" => shapes::session(length),
        _ => unreachable!("{shape} is no shape"),
    }
}
