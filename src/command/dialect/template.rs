//! Declarations learnt from a chat template: reading the template, and reporting what a declaration reads.

use std::path::Path;

use super::super::outcome::{ExitStatus, print_to_stderr};
use super::super::template::input::chosen_template;
use crate::template::RenderOptions;
use crate::template::conversation::Conversation;
use crate::template::learn::{LearnedDialect, learn};
use crate::text::sanitize::visible_str;

/// The declaration that is learnt from the template in a path; if there is none, the reason is printed, and the status returned.
pub(super) fn learned_dialect(path: &Path, name: &str) -> anyhow::Result<Result<LearnedDialect, ExitStatus>> {
    let with_tools = Conversation { messages: Vec::new(), tools: Some(Vec::new()) };
    let Some((template, special_tokens)) = chosen_template(path, &with_tools, None)? else {
        return Ok(Err(ExitStatus::Failure));
    };
    let message = match learn(&template, &special_tokens, &RenderOptions::default(), name) {
        Ok(Some(learned)) => return Ok(Ok(learned)),
        Ok(None) => {
            let path = path.display();
            format!(
                "no declaration: {path} writes no call that can be read back; transcope template render --probe single \
                 {path} prints one"
            )
        }
        Err(failure) => format!("error: {}", failure.with_help()),
    };
    print_to_stderr(&message)?;
    Ok(Err(ExitStatus::Findings))
}

/// Reports the probes that a declaration reads, and what the template itself leaves out.
pub(super) fn print_outcome(learned: &LearnedDialect) -> anyhow::Result<()> {
    print_to_stderr(&format!("reads {} of {} probes", learned.reads(), learned.probes.len()))?;
    for probe in &learned.probes {
        if let Some(difference) = &probe.difference {
            print_to_stderr(&format!("{}: reads {}", probe.name, visible_str(difference)))?;
        }
    }
    for (loss, probes) in learned.losses() {
        print_to_stderr(&format!("note: the template leaves out {loss}: {}", probes.join(", ")))?;
    }
    if let Some(known) = learned.built_in {
        print_to_stderr(&format!("note: the built-in dialect {known} reads these calls, too"))?;
    }
    Ok(())
}
