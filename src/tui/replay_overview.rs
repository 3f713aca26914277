//! An overview of the whole text of a replay, read ahead of its position: where calls begin, where problems are, and
//! where the records of its file end. Also the geometry of the bar that shows it.
//!
//! It is read in slices while the program is idle.

use std::sync::Arc;

use crate::container::Container;
use crate::container::replay_timeline::ReplayTimeline;
use crate::diagnostic::Severity;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;
use crate::text::replay_steps::ReplayStep;

/// Resolution of the overview, the maximum width of its bar.
const PLACES: usize = 1024;

/// Bytes read ahead at a time.
const SLICE: usize = 64 * 1024;

/// The most severe mark in a part of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing noteworthy.
    #[default]
    Nothing,
    /// A call begins.
    Call,
    /// Something unusual.
    Warning,
    /// Something that the runtime rejects, or a failed call.
    Error,
}

/// The overview of a text.
pub struct ReplayOverview {
    bytes: Arc<[u8]>,
    /// The session that reads ahead; `None` once everything was read.
    ahead: Option<Box<Session>>,
    marks: Vec<Mark>,
    /// Numbers of calls and problems that are marked.
    calls: usize,
    problems: usize,
    /// Where the records of the file end, and when they arrive.
    pub records: ReplayTimeline,
    /// True while the bar is dragged with the mouse.
    pub held: bool,
}

impl ReplayOverview {
    /// The overview of a text in a container.
    pub fn new(bytes: Arc<[u8]>, container: Container, options: &Options, keeps_pauses: bool) -> Self {
        Self {
            bytes,
            ahead: Some(Box::new(Session::new(container, options))),
            marks: vec![Mark::Nothing; PLACES],
            calls: 0,
            problems: 0,
            records: ReplayTimeline::new(container, keeps_pauses),
            held: false,
        }
    }

    /// True until everything was read ahead.
    pub fn is_behind(&self) -> bool {
        self.ahead.is_some()
    }

    /// Reads a slice ahead. True if there is more.
    pub fn look_ahead(&mut self) -> bool {
        let Some(mut session) = self.ahead.take() else { return false };
        let from = session.file().len();
        let slice = &self.bytes[from..self.bytes.len().min(from + SLICE)];
        session.push(slice);
        self.records.read_up_to(&self.bytes, from + slice.len());
        let more = from + slice.len() < self.bytes.len();
        if !more {
            session.finish();
        }
        self.mark(&session);
        self.ahead = more.then_some(session);
        more
    }

    /// Marks new calls and problems of a session.
    fn mark(&mut self, session: &Session) {
        let document = session.document();
        let mut found = Vec::new();
        for item in document.calls().skip(self.calls) {
            let start = document.items().span(item).map_or(0, |span| span.start);
            found.push((session.source_of(Span::at(start)).start, Mark::Call));
        }
        self.calls = document.calls().len();
        let problems = document.diagnostics();
        for problem in (self.problems..problems.len()).filter_map(|number| problems.get(number)) {
            let mark = match problem.severity {
                Severity::Error | Severity::Note => Mark::Error,
                Severity::Warning => Mark::Warning,
                Severity::Hint => continue,
            };
            found.push((session.source_of_problem(&problem).start, mark));
        }
        self.problems = problems.len();
        for (at, mark) in found {
            let place = at.min(self.bytes.len().saturating_sub(1)) * PLACES / self.bytes.len().max(1);
            self.marks[place] = self.marks[place].max(mark);
        }
    }

    /// The mark of each cell of a bar.
    pub fn cells(&self, width: usize) -> Vec<Mark> {
        let width = width.clamp(1, PLACES);
        let places = |cell: usize| cell * PLACES / width..(cell + 1) * PLACES / width;
        (0..width).map(|cell| self.marks[places(cell)].iter().copied().max().unwrap_or_default()).collect()
    }

    /// The cell of a bar that contains a byte; the last cell is the end.
    pub fn cell_of(&self, at: usize, width: usize) -> usize {
        (at * width.saturating_sub(1)).checked_div(self.bytes.len()).unwrap_or(0)
    }

    /// The byte for a cell of a bar.
    pub fn byte_of(&self, cell: usize, width: usize) -> usize {
        (cell * self.bytes.len()).checked_div(width.saturating_sub(1)).unwrap_or(0).min(self.bytes.len())
    }

    /// The position after a step by a chunk: the end of the next or previous record of the file. A text without records
    /// is stepped as by [`ReplayStep::Chunk`].
    pub fn chunk(&mut self, at: usize, forward: bool) -> usize {
        let bytes = Arc::clone(&self.bytes);
        self.records.read_to(&bytes, at);
        let ends = self.records.ends();
        if ends.is_empty() {
            return if forward { ReplayStep::Chunk.forward(&bytes, at) } else { ReplayStep::Chunk.back(&bytes, at) };
        }
        if forward {
            ends.iter().copied().find(|end| *end > at).unwrap_or(bytes.len())
        } else {
            ends[..ends.partition_point(|end| *end < at)].last().copied().unwrap_or(0)
        }
    }

    /// The end of line number `line` (from 1), including its line feed, or the end of the text.
    pub fn end_of_line(&self, line: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.bytes).nth(line.saturating_sub(1)).map_or(self.bytes.len(), |feed| feed + 1)
    }

    /// The position at a percentage of the text.
    pub fn percent(&self, percent: usize) -> usize {
        self.bytes.len() * percent.min(100) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(text: &str, container: &str) -> ReplayOverview {
        let container = Container::named(container).expect("it is one");
        ReplayOverview::new(text.as_bytes().into(), container, &Options::default(), false)
    }

    /// Checks the pieces between all steps by a chunk.
    #[track_caller]
    fn steps(text: &str, container: &str, expected: &[&str]) {
        let mut track = track(text, container);
        let mut places = vec![0];
        while *places.last().expect("there is one") < text.len() {
            places.push(track.chunk(*places.last().expect("there is one"), true));
        }
        let pieces: Vec<&str> = places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        assert_eq!(pieces, expected, "{container}");
        for pair in places.windows(2) {
            assert_eq!(track.chunk(pair[1], false), pair[0], "{container}: back from {}", pair[1]);
        }
    }

    #[test]
    fn a_chunk_is_a_record_of_the_file() {
        let event =
            |text: &str, feed: &str| format!("data: {{\"type\":\"text-delta\",\"delta\":\"{text}\"}}{feed}{feed}");
        let (one, two) = (event("a", "\r\n"), event("b", "\r\n"));
        steps(&format!("{one}{two}"), "ai-sdk-stream", &[&one, &two]);
        let (one, two) = (event("a", "\n"), event("b", "\n"));
        let one = format!(": hello\n\n{one}");
        steps(&format!("{one}{two}"), "ai-sdk-stream", &[&one, &two]);
        let text = "[{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"user\",\"content\":\"b\"}]";
        let (one, two) = text.split_at(text.find('\n').expect("it has two lines") + 1);
        steps(text, "openai-chat", &[one, &two[..two.len() - 1], "]"]);
        let first = "{\n  \"type\": \"ping\"\n}\n";
        steps(&format!("{first}{{\"type\":\"ping\"}}"), "anthropic-stream", &[first, "{\"type\":\"ping\"}"]);
        steps("one\n\ntwo\n", "plain", &["one\n\n", "two\n"]);
        steps("one\ntwo\n", "plain", &["one\n", "two\n"]);
    }

    #[test]
    fn calls_and_problems_are_marked_where_they_stand() {
        let filler = "x\n".repeat(SLICE);
        let text = format!("{filler}!!!GADGET_START:A\n!!!GADGET_END\n{filler}!!!GADGET_START:A\n!!!ARG:a\n1\n");
        let mut track = track(&text, "auto");
        assert_eq!(track.cells(10), [Mark::Nothing; 10]);
        while track.look_ahead() {}
        assert!(!track.is_behind());
        let mut expected = [Mark::Nothing; 10];
        expected[4] = Mark::Call;
        expected[9] = Mark::Warning;
        assert_eq!(track.cells(10), expected);
        assert!(track.cells(3000).len() <= PLACES);
    }

    #[test]
    fn a_cell_and_its_byte_belong_together() {
        for (text, width) in [("", 5), ("a", 1), ("abc", 40), (&*"abc".repeat(1000), 40)] {
            let track = track(text, "plain");
            assert_eq!((track.byte_of(0, width), track.cell_of(0, width)), (0, 0));
            if width > 1 {
                assert_eq!(track.byte_of(width - 1, width), text.len());
            }
            assert!(track.cell_of(text.len(), width) < width);
        }
    }

    #[test]
    fn lines_and_percents_are_places() {
        let track = track("one\ntwo\nthree", "plain");
        assert_eq!([1, 2, 3, 4].map(|line| track.end_of_line(line)), [4, 8, 13, 13]);
        assert_eq!([0, 50, 100, 700].map(|percent| track.percent(percent)), [0, 6, 13, 13]);
    }
}
