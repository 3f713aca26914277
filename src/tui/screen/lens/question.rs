//! The rows above the outcomes: the message, the request, and what would be needed for a better answer; and the signs
//! below them.

use crate::lens::{Lens, LensRow};
use crate::text::sanitize::visible_str;
use crate::text::wrap::{display_width, fit};
use crate::tui::row::{Piece, size, wrapped};
use crate::tui::screen::lens::request::stated_of;
use crate::tui::screen::lens::rows::{Maker, Subject};
use crate::tui::style::Role;
use crate::wording::lens::{releases_of, shared_assumptions};

impl Maker<'_> {
    /// The question, and what would be needed for a better answer.
    pub(super) fn question(&mut self) {
        let screen = self.screen;
        let text = &screen.request.message.text;
        let label = format!(" message  {}  ", size(text.len()));
        let room = self.width.saturating_sub(display_width(label.as_bytes()) + 1);
        let quote = text.trim_start().chars().take(room).collect::<String>();
        let quote = fit(&visible_str(&quote), room).into_owned();
        self.add(Subject::Outcome, vec![Piece::new(label, Role::Dim), Piece::new(quote, Role::Text)]);
        if screen.text.is_arriving {
            self.words("! the message may be incomplete: V runs the parsers again", Role::Warning);
        }
        if let Some(lens) = screen.lens.as_ref().filter(|lens| lens.rows.is_empty()) {
            self.plain("", Role::Text);
            self.no_call(lens);
        }
        // Without parsers, tools make no difference.
        if screen.lens.as_ref().is_none_or(|lens| !lens.rows.is_empty() || !lens.request.is_assumed) {
            self.tools();
        }
        if let Some(lens) = screen.lens.as_ref().filter(|lens| !lens.rows.is_empty()) {
            self.labelled("releases", &releases_of(lens, screen.calendar.today()), Role::Text);
        }
        self.request();
        if screen.lens.is_none() {
            self.plain("", Role::Text);
            self.words("running the parsers …  Esc cancels", Role::Pending);
        }
        self.plain("", Role::Text);
    }

    /// The settings of the request that differ from the defaults, and what the parsers assume of the others.
    fn request(&mut self) {
        let screen = self.screen;
        let assumed = screen.lens.as_ref().and_then(shared_assumptions);
        let assumed = assumed.map_or_else(String::new, |assumed| format!("; assumes {assumed}"));
        let (stated, role) = match stated_of(&screen.request.chosen) {
            stated if stated.is_empty() => ("defaults".to_owned(), Role::Text),
            stated => (stated.join(", "), Role::Strong),
        };
        self.labelled("request", &format!("{stated}{assumed}  (r: settings)"), role);
    }

    /// Text after a label, in as many rows as it needs.
    fn labelled(&mut self, label: &str, words: &str, role: Role) {
        for (number, line) in wrapped(words, self.width.saturating_sub(11).max(10)).into_iter().enumerate() {
            let label = format!(" {:<9}", if number == 0 { label } else { "" });
            self.add(Subject::Outcome, vec![Piece::new(label, Role::Dim), Piece::new(line, role)]);
        }
    }

    /// The reason why there is no outcome.
    fn no_call(&mut self, lens: &Lens) {
        let words = match lens.dialects.as_slice() {
            [] => "no known parser finds a call in this message".to_owned(),
            dialects => format!("no parser of {} is known", dialects.join(", ")),
        };
        self.words(&words, Role::Strong);
        self.words(
            "transcope dialects --conformance lists the parsers of each call format, and --dialect NAME selects the parsers of one",
            Role::Dim,
        );
        self.plain("", Role::Text);
    }

    /// The tools of the request, or how to name them.
    fn tools(&mut self) {
        let screen = self.screen;
        let tools = screen.lens.as_ref().map_or(&screen.tools, |lens| &lens.request);
        if !tools.tools().is_empty() {
            let names = tools.names().collect::<Vec<_>>().join(", ");
            let names = if tools.is_assumed {
                format!("inferred from the calls: {names}  (s selects a schema file)")
            } else {
                names
            };
            let names = fit(&visible_str(&names), self.width.saturating_sub(11)).into_owned();
            self.add(Subject::Outcome, vec![Piece::new(" tools    ", Role::Dim), Piece::new(names, Role::Name)]);
        } else if screen.request.schemas.is_some() {
            self.words("! no tool in the schema file: s selects another one", Role::Warning);
        } else {
            self.words(
                "! the request has no tools, which some parsers need: s selects a schema file, like --schema FILE",
                Role::Warning,
            );
        }
    }

    /// The meanings of the signs in use.
    pub(super) fn signs(&mut self, lens: &Lens) {
        if lens.rows.iter().any(LensRow::is_approximate) {
            self.words(
                "~ approximate: of what the parser was seen to deliver, less than four fifths is reproduced, or nothing \
                 was recorded (transcope dialects --conformance)",
                Role::Dim,
            );
        }
    }
}
