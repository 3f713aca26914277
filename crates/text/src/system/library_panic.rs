//! Turns panics of libraries into errors: they are caught, and no panic hook reports them.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs code that may panic on this thread; `None` if it did.
///
/// State that `work` changes outside itself must not be used after a panic.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // A hook that replaces this one must call `is_expected` itself.
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_expected() {
                report(info);
            }
        }));
    });
    let before = IS_EXPECTED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    IS_EXPECTED.set(before);
    outcome.ok()
}

/// True if a panic of this thread is caught and must not be reported.
pub fn is_expected() -> bool {
    IS_EXPECTED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_nothing_and_a_result_is_returned() {
        assert_eq!(catch_panic(|| 1), Some(1));
        assert_eq!(catch_panic::<()>(|| panic!("of a library")), None);
        assert!(!is_expected());
    }
}
