//! The options of a run of the terminal UI.

use std::path::PathBuf;

use crate::compare::ComparedText;
use crate::config::Setup;
use crate::location::Location;
use crate::source::{SourceOptions, SourceSpec};
use crate::text::replay_steps::ReplayOptions;
use crate::tui::screen::template::OpenedTemplate;

/// The tabs to open and the settings of the UI.
pub struct UiOptions {
    /// Sources, each opened in a tab, and how to read them.
    pub sources: Vec<(SourceSpec, SourceOptions)>,
    /// A transcript to replay: its name, its bytes, and speed and pauses.
    pub replay: Option<(String, Vec<u8>, ReplayOptions)>,
    /// A playground: its text, and its file.
    pub playground: Option<(String, Option<PathBuf>)>,
    /// Chat templates, each opened in a tab.
    pub templates: Vec<OpenedTemplate>,
    /// Two readings to compare.
    pub compared: Option<[ComparedText; 2]>,
    /// The initial filter of transcripts and lists.
    pub filter: Option<String>,
    /// The location in the first transcript to show first.
    pub at: Option<Location>,
    /// How to read and show transcripts.
    pub setup: Setup,
}

impl UiOptions {
    /// Options of a start that opens no text.
    pub fn new(setup: Setup) -> Self {
        Self {
            sources: Vec::new(),
            replay: None,
            playground: None,
            templates: Vec::new(),
            compared: None,
            filter: None,
            at: None,
            setup,
        }
    }
}
