//! Whole processes: how long they take, their private memory, and their processor time. Independent of the program.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::inputs::is_trial;

/// Longest duration of a run before it is killed, or of a wait for the screen.
pub fn limit() -> Duration {
    Duration::from_secs(if is_trial() { 20 } else { 120 })
}

/// True if a program is on the path.
pub fn installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A command with a minimal environment and a home.
pub fn command(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home).current_dir(home);
    command
}

/// Milliseconds from start to end. The exit code may be an error: `check` reports what it finds with one.
pub fn time(mut command: Command) -> Result<f64> {
    let name = command.get_program().display().to_string();
    let begun = Instant::now();
    let child = spawn(&mut command)?;
    waits(child, &name)?;
    Ok(milliseconds(begun.elapsed()))
}

/// Processor time of a run in milliseconds, with a resolution of 10 ms.
pub fn processor(command: Command) -> Result<f64> {
    let before = busy_children()?;
    time(command)?;
    Ok(busy_children()? - before)
}

/// Processor time in milliseconds of all child processes that have been waited on.
fn busy_children() -> Result<f64> {
    let counts = fs::read_to_string("/proc/self/stat").context("could not read /proc/self/stat")?;
    // User and system time in hundredths of a second, after the name, which may contain anything.
    let fields = counts.rsplit_once(") ").map(|(_, fields)| fields.split(' ').skip(13).take(2)).into_iter().flatten();
    let hundredths: Vec<u32> = fields.map(str::parse).collect::<Result<_, _>>()?;
    Ok(f64::from(hundredths.iter().sum::<u32>()) * 10.0)
}

/// Peak private memory of a process, in bytes.
pub fn peak(mut command: Command) -> Result<u64> {
    let name = command.get_program().display().to_string();
    let child = spawn(&mut command)?;
    let pid = child.id().cast_signed();
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let mut most = 0;
        while is_done.recv_timeout(Duration::from_millis(2)) == Err(RecvTimeoutError::Timeout) {
            most = most.max(own(pid).unwrap_or_default());
        }
        most
    });
    let ended = waits(child, &name);
    drop(done);
    let most = watch.join().expect("it only reads files");
    ended.map(|()| most)
}

fn spawn(command: &mut Command) -> Result<Child> {
    let name = command.get_program().display().to_string();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().with_context(|| format!("could not start {name}"))
}

/// Reads the output of a process until it ends; one that takes too long is killed.
fn waits(mut child: Child, name: &str) -> Result<()> {
    let pid = Pid::from_child(&child);
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let late = is_done.recv_timeout(limit()) == Err(RecvTimeoutError::Timeout);
        if late {
            let _ = kill_process(pid, Signal::KILL);
        }
        late
    });
    if let Some(mut output) = child.stdout.take() {
        let mut buffer = vec![0; 256 * 1024];
        while output.read(&mut buffer).is_ok_and(|read| read > 0) {}
    }
    let status = child.wait()?;
    drop(done);
    if watch.join().expect("it only waits") {
        bail!("not done in {} s", limit().as_secs());
    }
    match status.code() {
        Some(0 | 1) => Ok(()),
        _ => bail!("{name} failed: {status}"),
    }
}

/// Private memory of a process in bytes: pages of files belong to the system.
pub fn own(pid: i32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the process has ended")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("the process is ending")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

/// Bytes that a process has read so far.
pub fn read(pid: i32) -> Result<u64> {
    let counts = fs::read_to_string(format!("/proc/{pid}/io")).context("the process has ended")?;
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).context("the process is ending")?;
    Ok(read.parse()?)
}

/// Total run time of the threads of a process, without threads that have ended.
pub fn busy(pid: i32) -> Result<Duration> {
    let mut nanoseconds = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).context("the process has ended")?.flatten() {
        // A thread may end in between.
        let times = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        nanoseconds += times.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or_default();
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// Repeats a measurement `runs` times, or fewer if that takes long. The first one only warms the caches if there are
/// others.
pub fn repeated<T>(runs: usize, mut measure: impl FnMut() -> Result<T>) -> Result<Vec<T>> {
    const PATIENCE: Duration = Duration::from_secs(20);
    let begun = Instant::now();
    let first = measure()?;
    let mut measured = Vec::new();
    while measured.len() < runs && begun.elapsed() < PATIENCE {
        measured.push(measure()?);
    }
    Ok(if measured.is_empty() { vec![first] } else { measured })
}

/// Medians of two things that are measured alternately.
pub fn paired(
    runs: usize,
    mut ours: impl FnMut() -> Result<f64>,
    mut theirs: Option<impl FnMut() -> Result<f64>>,
) -> Result<(f64, Option<f64>)> {
    let both = repeated(runs, || Ok((ours()?, theirs.as_mut().map(|theirs| theirs()).transpose()?)))?;
    let (ours, theirs): (Vec<f64>, Vec<Option<f64>>) = both.into_iter().unzip();
    let theirs: Option<Vec<f64>> = theirs.into_iter().collect();
    Ok((median(ours), theirs.map(median)))
}

/// The median.
pub fn median(numbers: Vec<f64>) -> f64 {
    quantile(numbers, 0.5)
}

/// The quantile of a share: that part of the numbers is not above it.
pub fn quantile(mut numbers: Vec<f64>, share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    #[expect(clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
    let index = ((numbers.len() as f64 * share) as usize).min(numbers.len().saturating_sub(1));
    numbers.get(index).copied().unwrap_or(f64::NAN)
}

/// A duration in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
