//! The command line: the options of the terminal UI, or a command with its own.
//!
//! The commands are declared in [`crate::command`].

mod arguments;

use clap::{CommandFactory, Parser};

use crate::command::Command;
use crate::command::options::{CommonArgs, OpenArgs};

/// Text at the beginning of the help.
const FIRST_EXAMPLES: &str = "\
Examples:
  transcope session.md          open a transcript (? shows the keys, q quits)
  agent | transcope             watch a model as it writes
  transcope check session.md    print the problems; exit with 1 if there is an error";

const EXAMPLES: &str = "\
More examples:
  transcope                            list the sessions that agents have recorded; without any, open the demo transcript
  transcope --at 30:8 session.md       open a file at a line and column, as check prints them
  transcope -f session.md              open a file and follow what is appended
  transcope -F run/*.log               follow several files by name; [ and ] switch between them
  transcope ~/.claude/projects         list the sessions in a directory
  transcope sessions --latest          open the newest recorded session
  transcope --tee raw.txt -- agent     run a command, watch its output and save a copy of it
  transcope grep failed logs           find the calls that failed in all transcripts of a directory
  transcope stats ~/.claude/projects   print failure rates by tool, dialect, model, day and problem
  transcope --linear -f session.md     print plain lines as they become final
  transcope fix --diff session.md      print possible repairs as a diff
  transcope parse session.md | jq .    print everything the parser saw as JSON
  transcope explain duplicate-pointer  explain a problem

Files:
  $XDG_CONFIG_HOME/transcope/config.yaml
      theme, keys (transcope man lists the actions), dialects, start_prefix, end_prefix, arg_prefix,
      filters, main_arguments, wrap, mouse, linear, color, alert, alert_silence, redact, portable
  $XDG_CONFIG_HOME/transcope/themes/NAME.yaml
      a theme of your own; it may extend another one
  $XDG_CONFIG_HOME/transcope/dialects/NAME.yaml, .transcope/dialects/NAME.yaml
      dialects of your own and of a project; transcope dialect --help
  $XDG_CONFIG_HOME/transcope/containers/NAME.yaml, .transcope/containers/NAME.yaml
      file formats of your own and of a project; transcope container --help

Environment:
  TRANSCOPE_THEME, TRANSCOPE_COLOR, TRANSCOPE_DIALECT, TRANSCOPE_START_PREFIX,
  TRANSCOPE_END_PREFIX, TRANSCOPE_ARG_PREFIX, NO_COLOR, FORCE_COLOR, CLICOLOR,
  CLICOLOR_FORCE, COLORTERM, TERM
  GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION, CI
      what is printed to a log, or into a pipe, has a space in lines of a transcript that would be
      commands to that service, such as ::error or ##vso[; a file (> FILE) gets the exact bytes

Exit status:
  0  success
  1  check found an error, fix left one, diff found a difference, grep found none, or a case failed
  2  the command could not do its work
  With -- COMMAND, its exit status; 128 + N if signal N ended it";

/// Open or follow a language-model agent's transcript and see how the runtime reads its tool calls
#[derive(Debug, Parser)]
#[command(
    name = "transcope",
    version,
    before_help = FIRST_EXAMPLES,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// The command; without one the terminal UI opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the terminal UI.
    #[command(flatten)]
    pub open: OpenArgs,
}

impl Cli {
    /// Names of the commands, in the order of the help.
    pub fn command_names() -> Vec<String> {
        Self::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
    }

    /// The options shared by all commands that read a transcript; `None` for other commands.
    pub fn common(&self) -> Option<&CommonArgs> {
        self.command.as_ref().map_or(Some(&self.open.common), Command::common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
