//! The activity of an agent: the call at the end of its session that has no result yet.

use std::time::SystemTime;

use crate::container::CallSource;
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;
use crate::value::main_argument::{main_argument, shortened};

/// Maximum width of the main argument, in columns.
const COLUMNS: usize = 36;

/// A call without a result at the end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningCall {
    /// The number of its item.
    pub item: usize,
    /// Its name and main argument: `Bash pnpm test`.
    pub text: String,
    /// When it was made, if recorded.
    pub time: Option<SystemTime>,
}

/// The item of the first call without a result at the end of a text that has results.
pub fn running_item(session: &Session) -> Option<usize> {
    let document = session.document();
    let is_record = session.choice().is_some_and(|choice| choice.about.calls == CallSource::Records);
    if document.answers() > 0 || is_record { document.running_call() } else { None }
}

impl RunningCall {
    /// The running call of a session; `main_arguments` are preferred keys.
    pub fn new(session: &Session, main_arguments: &[String]) -> Option<Self> {
        let item = running_item(session)?;
        let (document, text) = (session.document(), session.text());
        let main = session.dissect(item).and_then(|assembly| main_argument(&assembly.tree, text, main_arguments));
        let main = main.map(|main| format!(" {}", shortened(main.lines().next().unwrap_or_default(), COLUMNS)));
        let line = format!("{}{}", document.call(item)?.name(text), main.unwrap_or_default());
        let start = document.items().span(item)?.start;
        let time = document.moment_at(start).map(SystemTime::from);
        Some(Self { item, text: fit(&visible_str(&line), COLUMNS).into_owned(), time })
    }
}
