//! The whole of a text that is played, seen ahead of its playing: where its calls begin and its problems stand, and where
//! the records of its file end. Also the geometry of the bar that shows it.
//!
//! It is read a little at a time while nothing else is to be done.

use std::sync::Arc;

use crate::container::Container;
use crate::container::replay_timeline::ReplayTimeline;
use crate::diagnostic::Severity;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;
use crate::text::replay_steps::ReplayStep;

/// Places that are told apart: no bar is longer.
const PLACES: usize = 1024;

/// Bytes that are read ahead in one go.
const SLICE: usize = 64 * 1024;

/// What stands in a place of the bar, of several things the gravest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing of note.
    #[default]
    Nothing,
    /// A call begins.
    Call,
    /// Something unusual.
    Warning,
    /// Something that the runtime rejects, or a call that failed.
    Error,
}

/// A text that is played.
pub struct Timeline {
    bytes: Arc<[u8]>,
    /// What has been read ahead, until all is.
    ahead: Option<Box<Session>>,
    marks: Vec<Mark>,
    /// Calls and problems that have their marks.
    calls: usize,
    problems: usize,
    /// Where the records of its file end, and when they arrive.
    pub records: ReplayTimeline,
    /// Whether the bar has been taken hold of with the mouse.
    pub held: bool,
}

impl Timeline {
    /// The text of a file of a container.
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

    /// Whether there is more to be read ahead.
    pub fn is_behind(&self) -> bool {
        self.ahead.is_some()
    }

    /// Reads on ahead. Whether there is more.
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

    /// Marks what is new in a session.
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

    /// What stands in each cell of a bar.
    pub fn cells(&self, width: usize) -> Vec<Mark> {
        let width = width.clamp(1, PLACES);
        let places = |cell: usize| cell * PLACES / width..(cell + 1) * PLACES / width;
        (0..width).map(|cell| self.marks[places(cell)].iter().copied().max().unwrap_or_default()).collect()
    }

    /// The cell of a bar that a byte is in; the last one is the end.
    pub fn cell_of(&self, at: usize, width: usize) -> usize {
        (at * width.saturating_sub(1)).checked_div(self.bytes.len()).unwrap_or(0)
    }

    /// The byte that the cell of a bar stands for.
    pub fn byte_of(&self, cell: usize, width: usize) -> usize {
        (cell * self.bytes.len()).checked_div(width.saturating_sub(1)).unwrap_or(0).min(self.bytes.len())
    }

    /// Where a step of a chunk leads: to the next record of the file or the one before; in a text that has none, as
    /// [`ReplayStep::Chunk`] has it.
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

    /// Where line number `line` (from 1) ends, its line feed included, or the text.
    pub fn end_of_line(&self, line: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.bytes).nth(line.saturating_sub(1)).map_or(self.bytes.len(), |feed| feed + 1)
    }

    /// Where so many percent of the text end.
    pub fn percent(&self, percent: usize) -> usize {
        self.bytes.len() * percent.min(100) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(text: &str, container: &str) -> Timeline {
        let container = Container::named(container).expect("it is one");
        Timeline::new(text.as_bytes().into(), container, &Options::default(), false)
    }

    /// All places that steps of a chunk lead to.
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
