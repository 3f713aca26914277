//! The files of a session: in a folder for its day, one or several, perhaps compressed, perhaps damaged. Independent of
//! their contents.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::families::{Family, Shape};
use crate::generate::Chance;
use crate::sample::Sample;
use crate::session::{Plan, make};
use crate::times;
use crate::variation::{Variation, hash};

/// One in this many files is compressed.
const COMPRESSED: u64 = 10;

/// One in this many sessions of Claude Code has sub-agents.
const WITH_AGENTS: u64 = 8;

/// Least bytes of a log that is rotated, and the number of its files.
const ROTATED: (u64, usize) = (60_000, 3);

/// A kind of damage to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It is empty.
    Empty,
    /// It ends in the middle of a record.
    Cut,
    /// Some bytes are not UTF-8.
    Bytes,
    /// It is binary.
    Binary,
    /// It ends with zeros, as after a loss of power.
    Zeros,
}

impl Damage {
    /// A random kind of damage.
    pub fn drawn(chance: &mut Chance) -> Self {
        [Self::Empty, Self::Cut, Self::Bytes, Self::Binary, Self::Zeros][chance.below(5) as usize]
    }

    fn apply(self, bytes: &mut Vec<u8>, chance: &mut Chance) {
        let length = bytes.len().max(1) as u64;
        match self {
            Self::Empty => bytes.clear(),
            Self::Cut => bytes.truncate(chance.below(length) as usize),
            Self::Bytes => {
                for _ in 0..8 {
                    if let Some(byte) = bytes.get_mut(chance.below(length) as usize) {
                        *byte = 0xff;
                    }
                }
            }
            Self::Binary => bytes.iter_mut().for_each(|byte| *byte = chance.below(256) as u8),
            Self::Zeros => bytes.extend([0; 4096]),
        }
    }
}

/// A session to write.
pub struct Files<'a> {
    /// The folder of the corpus.
    pub out: &'a Path,
    /// Its kind.
    pub family: &'a Family,
    /// The samples that it is made of.
    pub samples: &'a [Sample],
    /// Its length and start time.
    pub plan: Plan,
    /// Its individual variation.
    pub variation: Variation,
    /// Its damage, if any.
    pub damage: Option<Damage>,
}

impl Files<'_> {
    /// Writes the files of the session. Returns their number and total size in bytes.
    pub fn write(mut self, chance: &mut Chance) -> Result<(u64, u64)> {
        let began = times::civil(self.plan.began);
        let folder = self.out.join(began.strftime("%Y/%m/%d").to_string());
        let id = self.variation.session_id();
        let Family { name, extension, .. } = self.family;
        match (*name, self.family.shape) {
            ("claude-code", _) => {
                let path = folder.join(format!("{id}.{extension}"));
                let agents = if chance.below(WITH_AGENTS) == 0 { 1 + chance.below(3) } else { 0 };
                let folder = folder.join(&id).join("subagents");
                self.plan.length = self.plan.length * 2 / (2 + agents);
                let mut sum = self.write_one(path, chance)?;
                for number in 0..agents {
                    let agent = format!("{:08x}", hash((self.plan.seed, number)) >> 32);
                    self.plan.length /= 2;
                    self.plan.seed = hash((self.plan.seed, number, "agent"));
                    let path = folder.join(format!("agent-{agent}.{extension}"));
                    self.variation = Variation { aside: Some(agent), last_id: None, ..self.variation };
                    let (files, bytes) = self.write_one(path, chance)?;
                    sum = (sum.0 + files, sum.1 + bytes);
                }
                Ok(sum)
            }
            (_, Shape::Text) if self.plan.length > ROTATED.0 && *extension == "log" => {
                self.write_rotated(&folder.join(format!("{name}-{}.{extension}", &id[..8])))
            }
            _ => {
                let time = began.strftime("%Y-%m-%dT%H-%M-%S");
                self.write_one(folder.join(format!("{name}-{time}-{}.{extension}", &id[..8])), chance)
            }
        }
    }

    fn write_one(&mut self, path: PathBuf, chance: &mut Chance) -> Result<(u64, u64)> {
        let mut bytes = make(self.family, self.samples, &self.plan, &mut self.variation).bytes;
        if let Some(damage) = self.damage {
            damage.apply(&mut bytes, chance);
        }
        let (path, bytes) = match chance.below(2 * COMPRESSED) {
            0 => (with_ending(path, "gz"), gzip(&bytes)?),
            1 => (with_ending(path, "zst"), compress_to_vec(&bytes[..], CompressionLevel::Fastest)),
            _ => (path, bytes),
        };
        self.save(&path, &bytes)
    }

    /// The newest part of a log has no number; the oldest is compressed.
    fn write_rotated(&mut self, path: &Path) -> Result<(u64, u64)> {
        let made = make(self.family, self.samples, &self.plan, &mut self.variation);
        let mut sum = (0, 0);
        let mut end = made.bytes.len();
        for number in 0..ROTATED.1 {
            let round = made.rounds.len() * (ROTATED.1 - 1 - number) / ROTATED.1;
            let from = if number + 1 == ROTATED.1 { 0 } else { made.rounds.get(round).copied().unwrap_or(end) };
            let part = &made.bytes[from..end];
            end = from;
            let (files, bytes) = match number {
                0 => self.save(path, part)?,
                1 => self.save(&with_ending(path.to_owned(), "1"), part)?,
                _ => self.save(&with_ending(path.to_owned(), &format!("{number}.gz")), &gzip(part)?)?,
            };
            sum = (sum.0 + files, sum.1 + bytes);
        }
        Ok(sum)
    }

    /// Writes a file and sets its modification time to the start of its session.
    fn save(&self, path: &Path, bytes: &[u8]) -> Result<(u64, u64)> {
        let could_not = || format!("could not write {}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(self.out)).with_context(could_not)?;
        let mut file = File::create(path).with_context(could_not)?;
        file.write_all(bytes).with_context(could_not)?;
        let modified = UNIX_EPOCH + Duration::from_millis(self.plan.began.unsigned_abs());
        file.set_modified(modified).with_context(could_not)?;
        Ok((1, bytes.len() as u64))
    }
}

fn with_ending(path: PathBuf, ending: &str) -> PathBuf {
    let mut name = path.into_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
