//! Regular expressions of grammars. Each is compiled when it is first matched, once for all grammars: compiling every
//! expression of the profiles takes longer than reading a message.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

/// The patterns so far, by their source.
static KNOWN: LazyLock<Mutex<HashMap<Box<str>, Arc<GrammarPattern>>>> = LazyLock::new(Mutex::default);

/// A regular expression whose `.` includes line feeds.
#[derive(Debug)]
pub struct GrammarPattern {
    source: Box<str>,
    compiled: OnceLock<Option<Regex>>,
}

impl GrammarPattern {
    /// The pattern with this source.
    pub(super) fn shared(source: &str) -> Arc<Self> {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Self { source: source.into(), compiled: OnceLock::new() });
        Arc::clone(known.entry(source.into()).or_insert_with(new))
    }

    /// The compiled expression; `None` if the source is invalid.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        let build = || {
            let syntax = syntax::Config::new().dot_matches_new_line(true);
            // Most patterns match once or twice, so that engines that take long to build do not pay.
            let engines = Regex::config().dfa(false).onepass(false).which_captures(WhichCaptures::Implicit);
            Regex::builder().configure(engines).syntax(syntax).build(&self.source).ok()
        };
        self.compiled.get_or_init(build).as_ref()
    }
}
