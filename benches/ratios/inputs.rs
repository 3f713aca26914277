//! The inputs, made once and kept, and where and how thoroughly everything is measured.
//!
//! This file does not know what is measured.

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

/// The source of what makes the inputs: where it changes they are made anew.
const MAKERS: [&str; 2] = [include_str!("../generate.rs"), include_str!("../generate/shapes.rs")];

/// How and where everything is measured.
pub struct Setting {
    scale: f64,
    /// Where the inputs are kept.
    folder: PathBuf,
    /// An empty home for programs and for files that are written to.
    pub home: TempDir,
    /// Whether benches are only tried.
    pub trying: bool,
}

impl Setting {
    /// As the environment and the arguments say.
    ///
    /// # Errors
    /// A scale that is no number; folders that cannot be made.
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

    /// `full` bytes as this run has them.
    pub fn length(&self, full: usize) -> usize {
        #[expect(clippy::cast_sign_loss, reason = "a negative scale makes them as small as they get")]
        let scaled = (full as f64 * self.scale) as usize;
        generate::length(scaled.max(4096))
    }

    /// What the words of the rows leave out, if the inputs have other sizes than those that they name.
    pub fn sizes(&self) -> Option<String> {
        let scale = self.length(LARGE) as f64 / LARGE as f64;
        (self.length(LARGE) != LARGE).then(|| format!("The inputs have {scale} of the sizes that are named.\n"))
    }

    /// How often something is measured that is measured `full` times for a good median.
    pub fn runs(&self, full: usize) -> usize {
        if self.trying { 1 } else { full }
    }

    /// How long something is watched that is watched for `full`.
    pub fn while_watching(&self, full: Duration) -> Duration {
        if self.trying { full / 20 } else { full }
    }

    /// The path of an input of a shape, which has `full` bytes scaled and a few more; it is made if it is not there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn file(&self, shape: &str, full: usize) -> Result<PathBuf> {
        let length = self.length(full);
        let path = self.folder.join(format!("{shape}-{length}.txt"));
        if !path.exists() {
            // A run that is broken off leaves no half of an input behind.
            let part = path.with_extension("part");
            fs::write(&part, text(shape, length))
                .and_then(|()| fs::rename(&part, &path))
                .with_context(|| format!("could not write {}", path.display()))?;
        }
        Ok(path)
    }

    /// A folder of so many sessions of so many bytes on average, scaled in number; it is made if it is not there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sessions(&self, full: usize, length: usize) -> Result<PathBuf> {
        self.many("sessions", full, length, |number| match number % 2 {
            0 => ("transcript", format!("{number:05}.txt")),
            _ => ("jsonl", format!("{number:05}.jsonl")),
        })
    }

    /// The same of sessions of an agent, in 40 projects where that agent keeps them.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn agent_sessions(&self, full: usize, length: usize) -> Result<PathBuf> {
        let place = |number: usize| format!(".claude/projects/-project-{}/{number:05}.jsonl", number % 40);
        self.many("agent-sessions", full, length, |number| ("session", place(number)))
    }

    /// A folder of files, each with the shape and the path that its number has.
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

/// Whether benches are only tried.
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
