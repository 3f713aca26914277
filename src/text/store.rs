//! The transcript text: bytes that are only ever added to.
//!
//! Readers ask for spans and do not learn where the bytes are kept: those that are behind leave memory, and are read
//! again from a file. They are never mapped into memory, since a file that is truncated would then kill the process.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use memchr::{memchr, memmem, memrchr};

use super::Span;
use super::steps;

/// Something from which bytes of the text can be read again: a file, or what a pipe was saved to.
pub trait ReadAt: Send + Sync {
    /// Fills as much of `buffer` as there are bytes from `offset` on; less than all of it only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Bytes that there are now; more than were read where something was written since.
    fn size(&self) -> io::Result<u64>;
}

/// Where the bytes of a text can be read again once they have left memory. Equal to itself and its clones alone.
#[derive(Clone)]
pub struct Backing {
    reader: Arc<dyn ReadAt>,
    /// True if the text is read to the end that it has now: no one waits for its first lines.
    pub is_complete: bool,
}

/// Bytes that are in memory in any case.
impl ReadAt for Arc<[u8]> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let there = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let read = there.len().min(buffer.len());
        buffer[..read].copy_from_slice(&there[..read]);
        Ok(read)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl Backing {
    /// What is read again from `reader`.
    pub fn new(reader: impl ReadAt + 'static) -> Self {
        Self { reader: Arc::new(reader), is_complete: false }
    }

    /// The same, for a text that is complete or not.
    pub fn with_end(self, is_complete: bool) -> Self {
        Self { is_complete, ..self }
    }
}

impl Deref for Backing {
    type Target = dyn ReadAt;

    fn deref(&self) -> &Self::Target {
        &*self.reader
    }
}

impl fmt::Debug for Backing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Backing")
    }
}

impl PartialEq for Backing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reader, &other.reader)
    }
}

impl Eq for Backing {}

/// How much of a text stays in memory.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// Bytes that leave memory and are read again together; a power of two.
    pub page: usize,
    /// Bytes at the end of the text that stay in any case.
    pub recent: usize,
    /// Pages that are kept after they were read again, at the most.
    pub kept: usize,
}

impl Default for Paging {
    fn default() -> Self {
        Self { page: 16 * 1024, recent: 256 * 1024, kept: 256 }
    }
}

/// Groups in which pages are kept, each behind a lock of its own: threads that read different pages seldom wait for one
/// another, and a page is looked for among few.
const GROUPS: usize = 16;

/// What stands for a byte that is lost: the control character "substitute".
pub const LOST: u8 = 0x1a;

/// The bytes of the transcript so far.
///
/// With a [`Backing`], bytes leave memory once they are behind, and come back a page at a time. A page that cannot be
/// read again, or is not what it was, is lost: each of its bytes is given as [`LOST`].
#[derive(Debug, Default)]
pub struct Text {
    paging: Paging,
    backing: Option<Backing>,
    /// The bytes from `base` on.
    recent: Vec<u8>,
    /// Offset of the first byte in `recent`; the beginning of a page.
    base: usize,
    /// Checksums of the pages before `base`.
    sums: Vec<u32>,
    /// The pages that are kept, in groups by their number; made when the first one is read again.
    kept: OnceLock<Box<[Mutex<Pages>]>>,
    /// Numbers of the pages that could not be read again when somebody last asked for them.
    lost: Mutex<BTreeSet<usize>>,
}

/// Pages by number, the least recently used first.
type Pages = VecDeque<(usize, Vec<u8>)>;

impl Text {
    /// The same text once more; what is read again is read for each of them.
    pub fn fork(&self) -> Self {
        self.rewound(self.len())
    }

    /// Lets bytes leave memory that can be read again from `backing`, the first one at offset 0.
    pub fn back(&mut self, backing: Backing) {
        self.backing = Some(backing);
    }

    /// Where bytes that have left memory are read again, if there is such a place.
    pub fn backing(&self) -> Option<&Backing> {
        self.backing.as_ref()
    }

    /// A stretch of a text that is read apart from what is in front of it. It begins with `bytes`, which lie at `start`, where
    /// a page begins, and is kept in memory; there will be `length` bytes more.
    pub fn stretch(paging: Paging, start: usize, bytes: &[u8], length: usize) -> Self {
        debug_assert!(start.is_multiple_of(paging.page), "no page begins at {start}");
        let mut recent = Vec::with_capacity(bytes.len() + length);
        recent.extend_from_slice(bytes);
        Self { paging, base: start, recent, ..Self::default() }
    }

    /// Goes on with a stretch that was read apart: it begins in front of the end of this text, with the same bytes.
    pub fn append(&mut self, stretch: Self) {
        debug_assert!(stretch.base <= self.len(), "nothing lies between them");
        if self.backing.is_none() || stretch.base < self.base {
            return self.recent.extend_from_slice(stretch.since(self.len()));
        }
        let leaving = stretch.base - self.base;
        self.sums.extend(self.recent[..leaving].chunks(self.paging.page).map(crc32fast::hash));
        (self.base, self.recent) = (stretch.base, stretch.recent);
    }

    /// Sets how much stays in memory, before anything has left it.
    pub fn set_paging(&mut self, paging: Paging) {
        if self.base == 0 {
            self.paging = Paging { page: paging.page.next_power_of_two(), ..paging };
        }
    }

    /// How much stays in memory.
    pub fn paging(&self) -> Paging {
        self.paging
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) {
        self.recent.extend_from_slice(bytes);
    }

    /// Lets bytes before `needed` leave memory, if they can be read again and are enough to be worth it. From then on
    /// [`Text::since`] cannot be asked for them.
    #[inline]
    pub fn release(&mut self, needed: usize) {
        if self.backing.is_some() && self.recent.len() >= 3 * self.paging.recent {
            self.page_out(needed);
        }
    }

    fn page_out(&mut self, needed: usize) {
        let keep_from = needed.min(self.len() - self.paging.recent);
        let base = keep_from - keep_from % self.paging.page;
        // Moving what stays costs as much as what stays.
        if base < self.base + self.paging.recent / 2 {
            return;
        }
        let leaving = base - self.base;
        self.sums.extend(self.recent[..leaving].chunks(self.paging.page).map(crc32fast::hash));
        self.recent.drain(..leaving);
        // After a call of many megabytes most of the room is of no more use.
        self.recent.shrink_to(8 * self.paging.recent);
        self.base = base;
    }

    /// Everything before this offset has left memory.
    pub fn released(&self) -> usize {
        self.base
    }

    /// The bytes of `span` alone, at their place.
    pub fn part(&self, span: Span) -> Self {
        let recent = self.read(span).into_owned();
        steps::add_copied(recent.len());
        Self { base: span.start, recent, ..Self::default() }
    }

    /// The same text as far as `end`, with nothing in memory that has left it; bytes are added from there.
    pub fn rewound(&self, end: usize) -> Self {
        // What is a part of a text begins anywhere.
        let base = if end < self.base { end - end % self.paging.page } else { self.base };
        Self {
            paging: self.paging,
            backing: self.backing.clone(),
            recent: self.read(Span::new(base, end)).into_owned(),
            base,
            sums: self.sums[..self.sums.len().min(base / self.paging.page)].to_vec(),
            ..Self::default()
        }
    }

    /// Number of bytes so far.
    pub fn len(&self) -> usize {
        self.base + self.recent.len()
    }

    /// Whether there is no byte yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of `span`, as many of them as exist.
    #[inline]
    pub fn read(&self, span: Span) -> Cow<'_, [u8]> {
        let end = span.end.min(self.len());
        let start = span.start.min(end);
        if start >= self.base {
            return Cow::Borrowed(&self.recent[start - self.base..end - self.base]);
        }
        Cow::Owned(self.read_behind(start, end))
    }

    /// Bytes of which some have left memory.
    fn read_behind(&self, start: usize, end: usize) -> Vec<u8> {
        steps::add_copied(end - start);
        let mut bytes = Vec::with_capacity(end - start);
        let behind = end.min(self.base);
        if behind - start > self.paging.page * self.paging.kept / 4 {
            self.read_through(Span::new(start, behind), &mut bytes);
        } else {
            self.read_pages(Span::new(start, behind), &mut bytes);
        }
        bytes.extend_from_slice(&self.recent[..end.max(self.base) - self.base]);
        bytes
    }

    /// The bytes of `span` as UTF-8; each invalid sequence becomes U+FFFD.
    pub fn read_str(&self, span: Span) -> Cow<'_, str> {
        match self.read(span) {
            Cow::Borrowed(bytes) => {
                str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Cow::Owned(bytes) => Cow::Owned(match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
        }
    }

    /// Offset of the first `byte` in `span`.
    pub fn find(&self, byte: u8, span: Span) -> Option<usize> {
        let end = span.end.min(self.len());
        let mut at = span.start;
        while at < end {
            let slice = Span::new(at, end.min(at + self.paging.page));
            let found = memchr(byte, &self.read(slice));
            steps::add_copied(found.unwrap_or(slice.len()));
            if let Some(found) = found {
                return Some(at + found);
            }
            at = slice.end;
        }
        None
    }

    /// The places of `words` in `span` that do not overlap, in order.
    pub fn find_all(&self, words: &[u8], span: Span) -> impl Iterator<Item = Span> {
        let end = span.end.min(self.len());
        let mut at = span.start;
        std::iter::from_fn(move || {
            while at + words.len() <= end {
                let slice = Span::new(at, end.min(at + self.paging.page.max(2 * words.len())));
                let found = memmem::find(&self.read(slice), words);
                steps::add_copied(found.unwrap_or(slice.len()));
                if let Some(found) = found {
                    at += found + words.len();
                    return Some(Span::new(at - words.len(), at));
                }
                // The slice may end within the words.
                at = if slice.end == end { end } else { slice.end + 1 - words.len() };
            }
            None
        })
    }

    /// Offset behind the last line feed in `span`; its end, where there is none.
    pub fn last_line_end(&self, span: Span) -> usize {
        memrchr(b'\n', &self.read(span)).map_or(span.end, |feed| span.start + feed + 1)
    }

    /// All bytes from `offset` to the end of what has arrived. None, where `offset` has been released.
    pub fn since(&self, offset: usize) -> &[u8] {
        debug_assert!(offset >= self.base, "{offset} was released: everything before {}", self.base);
        let Some(start) = offset.checked_sub(self.base) else { return &[] };
        &self.recent[start.min(self.recent.len())..]
    }

    /// Whether a byte of `span` is known to be lost.
    pub fn is_lost(&self, span: Span) -> bool {
        let lost = locked(&self.lost);
        if lost.is_empty() || span.start >= self.base {
            return false;
        }
        let first = span.start / self.paging.page;
        let last = span.end.saturating_sub(1).max(span.start) / self.paging.page;
        lost.range(first..=last).next().is_some()
    }

    /// The stretches that are known to be lost, in order; neighbours are one.
    pub fn lost(&self) -> Vec<Span> {
        let page = self.paging.page;
        let mut spans: Vec<Span> = Vec::new();
        for &number in &*locked(&self.lost) {
            match spans.last_mut() {
                Some(last) if last.end == number * page => last.end += page,
                _ => spans.push(Span::new(number * page, (number + 1) * page)),
            }
        }
        spans
    }

    /// Appends a stretch that has left memory, from the pages that are kept.
    fn read_pages(&self, span: Span, out: &mut Vec<u8>) {
        let mut at = span.start;
        while at < span.end {
            let number = at / self.paging.page;
            let begin = number * self.paging.page;
            let end = span.end.min(begin + self.paging.page);
            self.with_page(number, |page| out.extend_from_slice(&page[at - begin..end - begin]));
            at = end;
        }
    }

    /// Appends a stretch that has left memory and is too long to be kept.
    fn read_through(&self, span: Span, out: &mut Vec<u8>) {
        let page = self.paging.page;
        let inner = Span::new(span.start.next_multiple_of(page), span.end - span.end % page);
        if inner.start >= inner.end {
            return self.read_pages(span, out);
        }
        self.read_pages(Span::new(span.start, inner.start), out);
        let from = out.len();
        out.resize(from + inner.len(), LOST);
        self.read_again(inner.start / page, &mut out[from..]);
        self.read_pages(Span::new(inner.end, span.end), out);
    }

    fn with_page(&self, number: usize, look: impl FnOnce(&[u8])) {
        let groups =
            self.kept.get_or_init(|| (0..self.paging.kept.clamp(1, GROUPS)).map(|_| Mutex::default()).collect());
        let mut kept = locked(&groups[number % groups.len()]);
        let at = kept.iter().rposition(|(kept, _)| *kept == number);
        let (is_whole, page) = if let Some((_, page)) = at.and_then(|at| kept.remove(at)) {
            (true, page)
        } else {
            // Into the room of a page that is kept no more.
            let room = if kept.len() < self.paging.kept / groups.len() { None } else { kept.pop_front() };
            let mut page = room.map_or_else(Vec::new, |(_, page)| page);
            page.resize(self.paging.page, LOST);
            (self.read_again(number, &mut page), page)
        };
        look(&page);
        // What is lost may come back, for instance on a network.
        if is_whole {
            kept.push_back((number, page));
        }
    }

    /// Reads whole pages again, from page `first` on; what is lost is filled with [`LOST`] and noted. Whether nothing is.
    fn read_again(&self, first: usize, out: &mut [u8]) -> bool {
        let size = self.paging.page;
        let read = self.backing.as_ref().and_then(|backing| backing.read_at((first * size) as u64, out).ok());
        let read = read.unwrap_or(0);
        let mut all = true;
        for (index, page) in out.chunks_mut(size).enumerate() {
            let number = first + index;
            if read >= (index + 1) * size && self.sums.get(number) == Some(&crc32fast::hash(page)) {
                locked(&self.lost).remove(&number);
            } else {
                page.fill(LOST);
                locked(&self.lost).insert(number);
                all = false;
            }
        }
        all
    }
}

/// What is under a lock; it is whole even if a thread has panicked with it, as no code of others runs there.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
