//! A declaration of a dialect, or a JSON file that contains one, and after a line of `%%%` a text that is read with it;
//! by default the declaration's example.

use std::sync::Arc;

use transcope::cases;
use transcope::config::declarations;
use transcope::container::Container;
use transcope::dialect::{Options, make};
use transcope::session::Session;

use super::chance::Chance;

/// Longest text that is read, in bytes.
const LONGEST: usize = 4 * 1024;

/// Reads the text with the declaration, unless that is rejected.
pub fn check(bytes: &[u8]) {
    let (yaml, text) = super::in_two(bytes);
    let Ok(yaml) = std::str::from_utf8(yaml) else { return };
    match declarations::parse("fuzz.yaml", yaml) {
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
        Ok(declaration) => {
            let info = declaration.info;
            let text = if text.is_empty() { info.example.as_bytes() } else { text };
            let text = &text[..text.len().min(LONGEST)];
            let options = Options { only: vec![info], declared: vec![Arc::clone(&declaration)], ..Options::default() };
            let mut dialects = vec![make(info, &options).expect("it is given")];
            let fresh = Session::new(Container::plain(), &options);
            super::session::check_cuts(text, &mut dialects, || fresh.fork().expect("it is plain text"));
            // All other dialects read its examples, which is slow.
            if Chance::from_bytes(bytes).below(8) == 0 {
                for problem in cases::declaration::check(yaml, &options).problems {
                    assert!(problem.span.end <= yaml.len(), "{problem:?} is not in the declaration");
                }
            }
        }
    }
}
