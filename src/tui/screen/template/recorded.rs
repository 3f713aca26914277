//! A recorded session up to a message as a conversation to render.

use std::path::PathBuf;

use crate::config::templates;
use crate::template::check::ProbedConversation;
use crate::template::recorded;
use crate::tui::view::session_copy::SessionCopy;

/// The job of making a conversation of a session, on another thread.
pub struct SessionPromptJob {
    /// A copy of what has been read of the session.
    pub copy: SessionCopy,
    /// Offset in its text of a byte of the last message.
    pub offset: usize,
    /// Name of the session, for the title of the tab.
    pub name: String,
    /// A template file, or the directory of a model.
    pub template: PathBuf,
}

/// A conversation of a session, with the template that renders it.
pub struct SessionPrompt {
    /// A template file, or the directory of a model.
    pub template: PathBuf,
    /// The conversation up to the selected message.
    pub probe: ProbedConversation,
    /// Index of the message that was selected.
    pub message: Option<usize>,
    /// Parts that the prompt lacks, as sentences without a full stop.
    pub notes: Vec<String>,
}

impl SessionPromptJob {
    /// Makes the conversation.
    ///
    /// # Errors
    /// Says why the template cannot be used, or why the session is not a conversation, and what to do.
    pub fn run(self) -> Result<SessionPrompt, String> {
        // Reported before the template's tab replaces the session.
        templates::read(&self.template).map_err(|error| format!("{error:#}"))?;
        let session = self.copy.read(&|| false).ok_or("the session could not be read")?;
        let recorded = recorded::conversation_to(&session, self.offset);
        let (conversation, notes) = (recorded.conversation, recorded.notes);
        let role = |message: &serde_json::Value| message["role"].as_str().map(str::to_owned);
        let roles: Vec<String> = conversation.messages.iter().filter_map(role).collect();
        if roles.is_empty() {
            return Err("no message up to here: select one further down".to_owned());
        }
        let generation_prompt = !conversation.ends_with_answer();
        let probe = ProbedConversation { name: self.name, conversation, generation_prompt };
        Ok(SessionPrompt { template: self.template, probe, message: recorded.selected, notes })
    }
}
