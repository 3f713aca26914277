//! Arrival times of a file's bytes in a replay: the times that its records state, else the speed at which a model
//! writes.
//!
//! A record with a time arrives as a whole. If there are no times, or only one (a stream states when it was created),
//! each record takes as long as its text needs. So the envelope of a stream's event costs no time.

use std::time::Duration;

use memchr::memchr;

use super::{Container, ContainerEvent, ContainerReader, moment_of};
use crate::container::facts::Timestamp;
use crate::text::replay_steps::{BYTES_PER_SECOND, ReplaySpeed, ReplayStep, arrived};

/// Longest pause between two records; longer ones are shortened to it.
const PAUSE: Duration = Duration::from_secs(2);

/// Most bytes read at a time.
const SLICE: usize = 64 * 1024;

/// Ends of the file's records, and the arrival time of each at the recorded pace, for the part read so far.
pub struct ReplayTimeline {
    reader: ContainerReader,
    fed: usize,
    is_read: bool,
    ends: Vec<usize>,
    points: Vec<Point>,
    /// Arrival time of the last record.
    at: Duration,
    /// Last time that a record states.
    time: Option<Timestamp>,
    /// True if two records state different times.
    is_timed: bool,
    keeps_pauses: bool,
}

/// End of a record, and its arrival time.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    end: usize,
    at: Duration,
    /// True if no part of it arrives earlier.
    is_whole: bool,
}

impl ReplayTimeline {
    /// A timeline of a file that is not read yet.
    pub fn new(container: Container, keeps_pauses: bool) -> Self {
        Self {
            reader: ContainerReader::new(container),
            fed: 0,
            is_read: false,
            ends: Vec::new(),
            points: Vec::new(),
            at: Duration::ZERO,
            time: None,
            is_timed: false,
            keeps_pauses,
        }
    }

    /// Ends of the records read so far.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// True if the file states times of its records.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// Reads up to byte `end` or further.
    pub fn read_up_to(&mut self, bytes: &[u8], end: usize) {
        while self.fed < end.min(bytes.len()) {
            self.read_line(bytes);
        }
    }

    /// Reads until a record is known that ends after `at`.
    pub fn read_to(&mut self, bytes: &[u8], at: usize) {
        while self.ends.last().is_none_or(|last| *last <= at) && self.fed < bytes.len() {
            self.read_line(bytes);
        }
    }

    /// Reads a line, or a part of a long one. An empty line or a comma between two records belongs to the first one.
    fn read_line(&mut self, bytes: &[u8]) {
        let ahead = &bytes[self.fed..bytes.len().min(self.fed + SLICE)];
        let end = self.fed + memchr(b'\n', ahead).map_or(ahead.len(), |feed| feed + 1);
        let mut batch = self.reader.push(&bytes[self.fed..end]);
        self.fed = end;
        if end == bytes.len() {
            let rest = self.reader.finish();
            batch.events.extend(rest.events);
            batch.text.extend(rest.text);
            self.is_read = true;
        }
        let known = self.ends.len();
        let mut time = None;
        for event in batch.events {
            match event {
                ContainerEvent::Record { source } => {
                    let between = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b',';
                    let end = source.end + bytes[source.end..].iter().take_while(between).count();
                    if end > self.ends.last().copied().unwrap_or(0) {
                        self.ends.push(end);
                    }
                }
                ContainerEvent::Message(message) => time = message.moment().or(time),
                ContainerEvent::Time(words) => time = moment_of(&words).or(time),
                _ => {}
            }
        }
        let passed = time.zip(self.time).map(|(time, before)| time.duration_since(before));
        let recorded = passed.and_then(|passed| Duration::try_from(passed).ok()).unwrap_or_default();
        self.is_timed |= !recorded.is_zero();
        let written = Duration::from_secs_f64(batch.text.len() as f64 / BYTES_PER_SECOND as f64);
        let is_first = time.is_some() && self.time.is_none();
        self.at += match (self.is_timed, self.keeps_pauses) {
            (true, true) => recorded,
            (true, false) => recorded.min(PAUSE),
            (false, _) if is_first => Duration::ZERO,
            (false, _) if self.time.is_some() => written.min(PAUSE),
            (false, _) => written,
        };
        // If the clock was set back, pauses are measured from the new time.
        self.time = time.or(self.time);
        if self.ends.len() > known
            && let Some(&end) = self.ends.last()
        {
            self.points.push(Point { end, at: self.at, is_whole: self.is_timed });
        }
    }

    /// End of the bytes that have arrived in a replay that was at `from` this long ago.
    pub fn arrived(&self, bytes: &[u8], from: usize, time: Duration, speed: ReplaySpeed) -> usize {
        let times = match speed {
            ReplaySpeed::Bytes(speed) => return arrived(bytes, from, time, speed),
            ReplaySpeed::Times(times) => times,
        };
        if self.points.is_empty() {
            return arrived(bytes, from, time.mul_f64(times), BYTES_PER_SECOND);
        }
        let time = self.time_of(from) + time.mul_f64(times);
        let end = self.end_at(time).unwrap_or(if self.is_read { bytes.len() } else { self.fed.min(bytes.len()) });
        let due = end.min(bytes.len());
        if due <= from { from } else { ReplayStep::Character.forward(bytes, due - 1).max(from) }
    }

    /// The point before number `next`, and that point.
    fn around(&self, next: usize) -> (Point, Option<Point>) {
        let before = next.checked_sub(1).map(|index| self.points[index]).unwrap_or_default();
        (before, self.points.get(next).copied())
    }

    fn time_of(&self, offset: usize) -> Duration {
        match self.around(self.points.partition_point(|point| point.end <= offset)) {
            (before, Some(next)) if !next.is_whole => {
                let part = (offset - before.end) as f64 / (next.end - before.end) as f64;
                before.at + next.at.saturating_sub(before.at).mul_f64(part)
            }
            (before, _) => before.at,
        }
    }

    /// End of the bytes that have arrived at a time; `None` if that is beyond the part read so far.
    fn end_at(&self, time: Duration) -> Option<usize> {
        let (before, next) = self.around(self.points.partition_point(|point| point.at <= time));
        let next = next?;
        let since = |time: Duration| time.saturating_sub(before.at).as_nanos();
        let length = if next.is_whole { 0 } else { next.end - before.end };
        let bytes = length as u128 * since(time) / since(next.at).max(1);
        Some(before.end + usize::try_from(bytes).unwrap_or(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that have arrived after some milliseconds.
    #[track_caller]
    fn check(container: &str, text: &str, keeps_pauses: bool, speed: &str, expected: &[(u64, usize)]) {
        let mut timeline = ReplayTimeline::new(Container::named(container).expect("it is one"), keeps_pauses);
        timeline.read_up_to(text.as_bytes(), text.len());
        let speed = speed.parse().expect("a speed");
        for &(time, end) in expected {
            let found = timeline.arrived(text.as_bytes(), 0, Duration::from_millis(time), speed);
            assert_eq!(found, end, "{container}, {speed:?}, after {time} ms");
        }
    }

    #[test]
    fn records_arrive_at_their_times_and_long_pauses_are_shortened() {
        let record = |id: usize, seconds: &str| {
            format!(
                "{{\"type\":\"user\",\"uuid\":\"{id}\",\"sessionId\":\"s\",\"timestamp\":\"2026-01-01T00:{seconds}Z\",\
                 \"message\":{{\"role\":\"user\",\"content\":\"Hi\"}}}}\n"
            )
        };
        let text: String =
            [(1, "00:00"), (2, "00:01.5"), (3, "30:00"), (4, "30:01")].iter().map(|(id, at)| record(*id, at)).collect();
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let shortened = [(0, ends[0]), (1499, ends[0]), (1500, ends[1]), (3400, ends[1]), (3500, ends[2])];
        check("claude-code", &text, false, "1x", &shortened);
        check("claude-code", &text, false, "10x", &[(0, ends[0]), (150, ends[1]), (350, ends[2]), (450, ends[3])]);
        check("claude-code", &text, true, "1x", &[(3500, ends[1]), (1_799_999, ends[1]), (1_800_000, ends[2])]);
        check("claude-code", &text, false, "100", &[(1000, 100)]);
    }

    #[test]
    fn without_times_only_the_text_takes_time() {
        let event = |text: &str| format!("data: {{\"type\":\"text-delta\",\"id\":\"1\",\"delta\":\"{text}\"}}\n\n");
        let (one, two) = (event(&"a".repeat(100)), event(&"b".repeat(100)));
        let ping = "data: {\"type\":\"start-step\"}\n\n".repeat(50);
        let start = "data: {\"type\":\"start\"}\n\ndata: {\"type\":\"text-start\",\"id\":\"1\"}\n\n";
        let text = format!("{start}{one}{ping}{two}");
        let half = start.len() + one.len() + ping.len();
        check("ai-sdk-stream", &text, false, "1x", &[(0, start.len()), (500, half), (1010, text.len())]);
        let chunk = |id: usize, text: &str| {
            format!(
                "data: {{\"id\":\"c{id}\",\"object\":\"chat.completion.chunk\",\"created\":1767225600,\"model\":\"m\",\
                 \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
            )
        };
        let text: String = (0..3).map(|_| chunk(1, &"a".repeat(100))).collect();
        let at = text.len() / 3;
        check("openai-chat-stream", &text, false, "1x", &[(0, at), (500, 2 * at), (1000, text.len())]);
        check("plain", &"a".repeat(1000), false, "1x", &[(1000, 200)]);
        check("plain", &"a".repeat(1000), false, "0.5x", &[(1000, 100)]);
    }
}
