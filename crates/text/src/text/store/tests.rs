//! Texts whose bytes are read again from their source, and errors in doing so.

use super::*;

const SMALL: Paging = Paging { page: 16, recent: 64, kept: 5 };

/// A file that a test can change.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<Vec<u8>>>);

impl ReadAt for Disk {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.lock().expect("no test fails holding it");
        let there = bytes.get(usize::try_from(offset).expect("small")..).unwrap_or_default();
        let read = there.len().min(buffer.len());
        buffer[..read].copy_from_slice(&there[..read]);
        Ok(read)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("no test fails holding it").len() as u64)
    }
}

fn filled(length: usize) -> (Text, Disk, Vec<u8>) {
    let bytes: Vec<u8> = (0..length).map(|at| (at * at / 7 % 251) as u8 | 0x20).collect();
    let disk = Disk::default();
    disk.0.lock().expect("free").extend(&bytes);
    let mut text = Text::default();
    text.set_paging(SMALL);
    text.back(Backing::new(disk.clone()));
    for piece in bytes.chunks(13) {
        text.push(piece);
        text.release(text.len().saturating_sub(5));
    }
    (text, disk, bytes)
}

#[test]
fn bytes_that_left_memory_are_read_again() {
    let (text, _, bytes) = filled(1000);
    assert!(text.base > 700 && text.recent.len() < 300, "most has left");
    for start in (0..1000).step_by(7) {
        for length in [0, 1, 15, 16, 17, 40, 300, 2000] {
            let end = (start + length).min(1000);
            assert_eq!(text.read(Span::new(start, start + length)), &bytes[start..end], "{start} {length}");
        }
    }
    assert_eq!(text.since(990), &bytes[990..]);
    assert!(text.lost().is_empty());
}

#[test]
fn nothing_leaves_memory_that_is_needed_or_cannot_be_read_again() {
    let mut text = Text::default();
    text.set_paging(SMALL);
    text.push(&[b'x'; 1000]);
    text.release(1000);
    assert_eq!(text.base, 0);
    text.back(Backing::new(Disk::default()));
    text.release(100);
    assert_eq!(text.base, 96);
}

#[test]
fn a_page_that_changed_or_is_gone_is_lost_and_may_come_back() {
    let (text, disk, bytes) = filled(1000);
    disk.0.lock().expect("free")[40] ^= 1;
    assert_eq!(text.read(Span::new(30, 50)), [&bytes[30..32], &[LOST; 16], &bytes[48..50]].concat());
    assert_eq!(text.lost(), [Span::new(32, 48)]);
    assert!(text.is_lost(Span::new(47, 60)) && !text.is_lost(Span::new(48, 60)) && text.is_lost(Span::at(33)));
    disk.0.lock().expect("free").truncate(100);
    assert_eq!(text.read(Span::new(80, 200)), [&bytes[80..96], &[LOST; 104]].concat());
    assert_eq!(text.lost(), [Span::new(32, 48), Span::new(96, 208)]);
    *disk.0.lock().expect("free") = bytes.clone();
    assert_eq!(text.read(Span::new(0, 1000)), bytes);
    assert!(text.lost().is_empty());
}
