//! The transcript text: an append-only sequence of bytes.
//!
//! Readers request spans, wherever the bytes are kept: older ones leave memory, and are read again from a file. The
//! file is never mapped into memory, since truncating it would then kill the process.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use memchr::{memchr, memmem, memrchr};

use super::Span;
use super::steps;

/// A source from which bytes of the text can be read again: a file, or the spool of a pipe.
pub trait ReadAt: Send + Sync {
    /// Fills `buffer` with the bytes at `offset`; fewer than fit only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Current size in bytes; more than the length of the text if something was written since it was read.
    fn size(&self) -> io::Result<u64>;
}

/// A shared source from which a text can be read again once its bytes have left memory. Equal only to its clones.
#[derive(Clone)]
pub struct Backing {
    reader: Arc<dyn ReadAt>,
    /// True if the text is read to its current end, so that its first lines need not be shown early.
    pub is_complete: bool,
}

/// Bytes that always stay in memory.
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
    /// A backing that reads from `reader`.
    pub fn new(reader: impl ReadAt + 'static) -> Self {
        Self { reader: Arc::new(reader), is_complete: false }
    }

    /// The same backing with `is_complete` set to this.
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

/// Limits on the part of a text that stays in memory.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    /// Bytes that leave memory and are read again together; a power of two.
    pub page: usize,
    /// Bytes at the end of the text that always stay in memory.
    pub recent: usize,
    /// Maximum number of pages that are cached after they were read again.
    pub kept: usize,
}

impl Default for Paging {
    fn default() -> Self {
        Self { page: 16 * 1024, recent: 256 * 1024, kept: 256 }
    }
}

/// Groups in which pages are cached, each with a separate lock: threads that read different pages seldom wait for one
/// another, and searching a group is quick.
const GROUPS: usize = 16;

/// Replaces a byte that is lost: the control character "substitute".
pub const LOST: u8 = 0x1a;

/// The bytes of the transcript so far.
///
/// With a [`Backing`], older bytes leave memory, and are read again a page at a time. A page that cannot be read again,
/// or whose contents have changed, is lost: each of its bytes becomes [`LOST`].
#[derive(Debug, Default)]
pub struct Text {
    paging: Paging,
    backing: Option<Backing>,
    /// The bytes from `base` to the end.
    recent: Vec<u8>,
    /// Offset of the first byte in `recent`; the beginning of a page.
    base: usize,
    /// Checksums of the pages before `base`.
    sums: Vec<u32>,
    /// The cached pages, grouped by number; allocated when the first page is read again.
    kept: OnceLock<Box<[Mutex<Pages>]>>,
    /// Numbers of the pages that could not be read again at the last attempt.
    lost: Mutex<BTreeSet<usize>>,
}

/// Pages by number, the least recently used first.
type Pages = VecDeque<(usize, Vec<u8>)>;

impl Text {
    /// A copy of the text; the two cache pages separately.
    pub fn fork(&self) -> Self {
        self.rewound(self.len())
    }

    /// Lets bytes leave memory that can be read again from `backing`, which begins with the first byte of the text.
    pub fn back(&mut self, backing: Backing) {
        self.backing = Some(backing);
    }

    /// The source from which bytes that have left memory are read again.
    pub fn backing(&self) -> Option<&Backing> {
        self.backing.as_ref()
    }

    /// A part of a text that is read independently of the text before it. It begins with `bytes` at offset `start`,
    /// where a page begins, and is kept in memory; there is room for `length` more bytes.
    pub fn stretch(paging: Paging, start: usize, bytes: &[u8], length: usize) -> Self {
        debug_assert!(start.is_multiple_of(paging.page), "no page begins at {start}");
        let mut recent = Vec::with_capacity(bytes.len() + length);
        recent.extend_from_slice(bytes);
        Self { paging, base: start, recent, ..Self::default() }
    }

    /// Appends a part that was read separately: it begins before the end of this text, with the same bytes.
    pub fn append(&mut self, stretch: Self) {
        debug_assert!(stretch.base <= self.len(), "nothing lies between them");
        if self.backing.is_none() || stretch.base < self.base {
            return self.recent.extend_from_slice(stretch.since(self.len()));
        }
        let leaving = stretch.base - self.base;
        self.sums.extend(self.recent[..leaving].chunks(self.paging.page).map(crc32fast::hash));
        (self.base, self.recent) = (stretch.base, stretch.recent);
    }

    /// Sets the limits on the part that stays in memory; ignored once bytes have left it.
    pub fn set_paging(&mut self, paging: Paging) {
        if self.base == 0 {
            self.paging = Paging { page: paging.page.next_power_of_two(), ..paging };
        }
    }

    /// The limits on the part that stays in memory.
    pub fn paging(&self) -> Paging {
        self.paging
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) {
        self.recent.extend_from_slice(bytes);
    }

    /// Lets bytes before `needed` leave memory, if they can be read again and there are enough of them. After that they
    /// are no longer available from [`Text::since`].
    #[inline]
    pub fn release(&mut self, needed: usize) {
        if self.backing.is_some() && self.recent.len() >= 3 * self.paging.recent {
            self.page_out(needed);
        }
    }

    fn page_out(&mut self, needed: usize) {
        let keep_from = needed.min(self.len() - self.paging.recent);
        let base = keep_from - keep_from % self.paging.page;
        // Moving the bytes that stay costs as much as there are.
        if base < self.base + self.paging.recent / 2 {
            return;
        }
        let leaving = base - self.base;
        self.sums.extend(self.recent[..leaving].chunks(self.paging.page).map(crc32fast::hash));
        self.recent.drain(..leaving);
        // After a call of many megabytes most of the capacity is not needed any more.
        self.recent.shrink_to(8 * self.paging.recent);
        self.base = base;
    }

    /// Everything before this offset has left memory.
    pub fn released(&self) -> usize {
        self.base
    }

    /// A text with only the bytes of `span`, at their offset.
    pub fn part(&self, span: Span) -> Self {
        let recent = self.read(span).into_owned();
        steps::add_copied(recent.len());
        Self { base: span.start, recent, ..Self::default() }
    }

    /// The same text up to `end`, with nothing in memory that has left it; new bytes are appended there.
    pub fn rewound(&self, end: usize) -> Self {
        // A partial text may begin anywhere.
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

    /// True if no bytes have arrived yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part of `span` that exists.
    #[inline]
    pub fn read(&self, span: Span) -> Cow<'_, [u8]> {
        let end = span.end.min(self.len());
        let start = span.start.min(end);
        if start >= self.base {
            return Cow::Borrowed(&self.recent[start - self.base..end - self.base]);
        }
        Cow::Owned(self.read_behind(start, end))
    }

    /// Reads bytes some of which have left memory.
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

    /// The non-overlapping occurrences of `words` in `span`, in order.
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
                // The slice may end within an occurrence.
                at = if slice.end == end { end } else { slice.end + 1 - words.len() };
            }
            None
        })
    }

    /// Offset after the last line feed in `span`; the end of `span` if it has none.
    pub fn last_line_end(&self, span: Span) -> usize {
        memrchr(b'\n', &self.read(span)).map_or(span.end, |feed| span.start + feed + 1)
    }

    /// All bytes from `offset` to the end of the text so far; empty if `offset` has been released.
    pub fn since(&self, offset: usize) -> &[u8] {
        debug_assert!(offset >= self.base, "{offset} was released: everything before {}", self.base);
        let Some(start) = offset.checked_sub(self.base) else { return &[] };
        &self.recent[start.min(self.recent.len())..]
    }

    /// True if a byte of `span` is known to be lost.
    pub fn is_lost(&self, span: Span) -> bool {
        let lost = locked(&self.lost);
        if lost.is_empty() || span.start >= self.base {
            return false;
        }
        let first = span.start / self.paging.page;
        let last = span.end.saturating_sub(1).max(span.start) / self.paging.page;
        lost.range(first..=last).next().is_some()
    }

    /// The ranges that are known to be lost, in order; adjacent ones are merged.
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

    /// Appends a range that has left memory, using the cached pages.
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

    /// Appends a range that has left memory and is too long to be cached.
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
            // Reuses the memory of the least recently used page.
            let room = if kept.len() < self.paging.kept / groups.len() { None } else { kept.pop_front() };
            let mut page = room.map_or_else(Vec::new, |(_, page)| page);
            page.resize(self.paging.page, LOST);
            (self.read_again(number, &mut page), page)
        };
        look(&page);
        // Lost pages are not cached: they may become readable again, for instance on a network.
        if is_whole {
            kept.push_back((number, page));
        }
    }

    /// Reads whole pages again, starting with page `first`; lost ones are filled with [`LOST`] and noted. True if all
    /// were read.
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

/// The contents of a lock. They are consistent even after a panic, as no foreign code runs while it is held.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
