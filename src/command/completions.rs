//! `completions`: prints a script that has the shell ask this program for completions, and answers such questions.
//!
//! The answers know the declarations and themes of the user, so a script that lists values would be outdated. A question
//! is a run with the variable `COMPLETE`, which names the shell.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;

use anyhow::Context as _;
use clap::{Args, Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use super::outcome::ExitStatus;
use super::values::{OptionValue, ValueKind, attached};

/// The variable that names the shell in a question.
const VARIABLE: &str = "COMPLETE";

/// Joins words that bash splits. It follows the script of the library.
const BASH_WORDS: &str = include_str!("completions/words.bash");

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_help = "\
The script has the shell run transcope for completions, which include your own dialects, containers and
themes. To use it:

  bash        source <(transcope completions bash)              in ~/.bashrc
  zsh         source <(transcope completions zsh)               in ~/.zshrc, after compinit
  fish        transcope completions fish | source               in ~/.config/fish/config.fish
  elvish      eval (transcope completions elvish | slurp)       in ~/.config/elvish/rc.elv
  powershell  transcope completions powershell | Out-String | Invoke-Expression   in $PROFILE")]
pub struct CompletionsArgs {
    /// The shell
    shell: CompletedShell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompletedShell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Runs `transcope completions`.
///
/// # Errors
/// The output is closed.
pub fn run<W: Write>(args: &CompletionsArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let shell = args.shell.to_possible_value().context("each shell has a name")?;
    let shells = Shells::builtins();
    let completer = shells.completer(shell.get_name()).context("the library has no script for this shell")?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "transcope", "transcope", "transcope", &mut script)?;
    out.write_all(&script)?;
    if args.shell == CompletedShell::Bash {
        out.write_all(BASH_WORDS.as_bytes())?;
    }
    Ok(ExitStatus::Success)
}

/// Answers a question of a shell, if this run is one: it prints the candidates. `description` is the whole command line,
/// and `themes` all themes with their descriptions.
///
/// # Errors
/// The shell is unknown, or the output is closed.
pub fn answer(description: fn() -> Command, themes: fn() -> Vec<OptionValue>) -> anyhow::Result<bool> {
    if std::env::var_os(VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return Ok(false);
    }
    let with_values = move || {
        attached(description(), &[], &|argument, kind| {
            let more = move || match kind {
                ValueKind::Theme => themes(),
                ValueKind::Topic => commands(&description()),
                _ => Vec::new(),
            };
            argument.add(ArgValueCandidates::new(move || candidates(kind, more())))
        })
    };
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let folder = std::env::current_dir().ok();
    Ok(CompleteEnv::with_factory(with_values).bin("transcope").try_complete(arguments, folder.as_deref())?)
}

/// Name and help of each command.
fn commands(description: &Command) -> Vec<OptionValue> {
    let about = |command: &Command| command.get_about().map(ToString::to_string).unwrap_or_default();
    description.get_subcommands().map(|command| (command.get_name().to_owned(), about(command))).collect()
}

/// Candidates of a kind: the user's own, the built-in ones, and `more`.
fn candidates(kind: ValueKind, more: Vec<OptionValue>) -> Vec<CompletionCandidate> {
    let values = kind.declared().into_iter().chain(kind.built_in(&[])).chain(more);
    // A name comes from a file; in a shell, a control character would be a command to the terminal.
    let mut seen = HashSet::new();
    let values = values
        .filter(|(name, _)| seen.insert(name.clone()) && !name.chars().any(|c| c.is_control() || c.is_whitespace()));
    let candidate = |(name, about): OptionValue| {
        let about: String = about.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        CompletionCandidate::new(name).help((!about.is_empty()).then(|| about.into()))
    };
    values.map(candidate).collect()
}
