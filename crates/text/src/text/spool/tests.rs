//! The bytes that a spool returns, with disks of every size.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;

/// Storage for a few bytes that accepts varying numbers of bytes at a time until it is full.
#[derive(Default)]
struct Small {
    bytes: Mutex<Vec<u8>>,
    calls: AtomicUsize,
}

const ROOM: usize = 100;

/// Limits that a test does not reach by chance.
const WIDE: Limits = Limits { in_memory: 0, without_file: 1 << 20, most: 1 << 20 };

impl SpoolStorage for Small {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut kept = self.bytes.lock().expect("not poisoned");
        assert_eq!(offset, kept.len() as u64, "bytes follow one another");
        if self.calls.fetch_add(1, Ordering::Relaxed) % 3 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = bytes.len().min(7).min(ROOM - kept.len());
        if count == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        kept.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let kept = self.bytes.lock().expect("not poisoned");
        let rest = kept.get(usize::try_from(offset).expect("small")..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// Reads spans of several lengths everywhere and compares them with the bytes that were pushed.
fn holds(backing: &Backing, expected: &[u8]) {
    for start in (0..=expected.len() + 2).step_by(3) {
        for length in [0, 1, 5, 50, expected.len() + 9] {
            let mut buffer = vec![0; length];
            let read = backing.read_at(start as u64, &mut buffer).expect("readable");
            let end = expected.len().min(start + length);
            assert_eq!(&buffer[..read], expected.get(start..end).unwrap_or_default(), "{length} from {start}");
        }
    }
}

proptest! {
    #[test]
    fn what_was_put_in_is_read_again_wherever_it_is(pieces in prop::collection::vec(0..40_usize, 0..12)) {
        let make: [Make; 3] = [
            || Ok(Box::<Small>::default()),
            || Err(io::ErrorKind::PermissionDenied.into()),
            || tempfile::tempfile().map(|file| Box::new(file) as Box<dyn SpoolStorage>),
        ];
        for (number, make) in make.into_iter().enumerate() {
            let mut spool = Spool::with(Limits { in_memory: 32, ..WIDE }, make);
            let backing = spool.backing();
            let mut expected = Vec::new();
            let mut words = Vec::new();
            let mut fresh = (0_u8..=255).cycle();
            for &length in &pieces {
                let piece: Vec<u8> = fresh.by_ref().take(length).collect();
                words.extend(spool.push(&piece).err());
                expected.extend(piece);
                holds(&backing, &expected);
            }
            let too_much = [expected.len() > ROOM, expected.len() > 32, false][number];
            prop_assert_eq!(words.len(), usize::from(too_much), "{:?}", words);
        }
    }
}

#[test]
fn a_full_disk_is_told_once_with_its_place() {
    let mut spool = Spool::with(Limits { in_memory: 0, ..WIDE }, || Ok(Box::<Small>::default()));
    let words: Vec<SpoolTrouble> = (0..10).filter_map(|_| spool.push(&[b'x'; 30]).err()).collect();
    let folder = env::temp_dir();
    let expected =
        format!("could not write to {}: no storage space; keeping further input in memory", folder.display());
    assert_eq!(words, [SpoolTrouble::NoDisk(expected)]);
    holds(&spool.backing(), &[b'x'; 300]);
}

#[test]
fn little_needs_no_file() {
    let mut spool = Spool::with(Limits { in_memory: 1000, ..WIDE }, || panic!("no file is wanted"));
    assert_eq!(spool.push(&[1; 1000]), Ok(()));
    holds(&spool.backing(), &[1; 1000]);
}

#[test]
fn behind_a_limit_nothing_is_kept_and_what_came_before_stays() {
    let full: Make = || Ok(Box::<Small>::default());
    let wide: Make = || tempfile::tempfile().map(|file| Box::new(file) as Box<dyn SpoolStorage>);
    for (limits, make, kept, told) in [
        (Limits { without_file: 90, ..WIDE }, full, ROOM + 80, 2),
        (Limits { most: 250, ..WIDE }, wide, 240, 1),
        (Limits { in_memory: 1000, most: 250, ..WIDE }, wide, 240, 1),
    ] {
        let mut spool = Spool::with(limits, make);
        let troubles: Vec<SpoolTrouble> = (0..30).filter_map(|_| spool.push(&[b'x'; 20]).err()).collect();
        assert_eq!(troubles.len(), told, "{troubles:?}");
        assert!(matches!(troubles.last(), Some(SpoolTrouble::Over(_))), "{troubles:?}");
        holds(&spool.backing(), &vec![b'x'; kept]);
    }
}
