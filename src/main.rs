//! The program: reads its arguments, calls a command or the terminal UI, and says in one line what went wrong.
//!
//! Exit codes: 0 done, 1 `check` found problems, 2 the command could not do its work. This file does not know what any
//! command does.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use transcope::cli::{Cli, Command, OpenArgs, ParseArgs, ParseFormat};
use transcope::command::check::Outcome;
use transcope::command::{self, Setup};
use transcope::{text, tui};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(cli) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Problems) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(error) if command::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is closed as well, nobody can be told.
            let _ = writeln!(io::stderr().lock(), "error: {}", command::describe(&error));
            ExitCode::from(2)
        }
    }
}

/// Prints the help or version that was asked for, or says in one line what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe is no failure of ours.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let rendered = error.render().to_string();
    let words: Vec<&str> = rendered.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let words = text::sanitize::visible_str(&words.join(" ")).into_owned();
    let _ = writeln!(io::stderr().lock(), "{words}; try transcope --help");
    ExitCode::from(2)
}

fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut outcome = Outcome::Fine;
    match cli.command {
        Some(Command::Parse(args)) => command::parse::run(&args, &mut out)?,
        Some(Command::Check(args)) => outcome = command::check::run(&args, &mut out)?,
        Some(Command::Graph(args)) => command::graph::run(&args, &mut out)?,
        Some(Command::Explain(args)) => command::explain::run(&args, &mut out)?,
        Some(Command::Dialects) => command::dialects::run(&mut out)?,
        Some(Command::Completions { shell }) => command::manual::completions(shell, &mut out)?,
        Some(Command::Man) => command::manual::page(&mut out)?,
        None if io::stdout().is_terminal() => {
            drop(out);
            open(&cli.open)?;
            return Ok(outcome);
        }
        None => command::parse::run(&as_text(cli.open), &mut out)?,
    }
    out.flush()?;
    Ok(outcome)
}

/// Opens the terminal UI.
fn open(args: &OpenArgs) -> anyhow::Result<()> {
    let setup = Setup::new(&args.common)?;
    tui::run(tui::Options {
        source: command::source_of(args.path.as_deref()),
        follow: command::parse::follow_of(args.following),
        dialect: setup.dialect,
        container: setup.container,
        theme: setup.theme,
        color: setup.color,
        wrap: setup.wrap,
    })
}

/// What is printed where there is no terminal to open the UI in.
fn as_text(args: OpenArgs) -> ParseArgs {
    let OpenArgs { path, following, common } = args;
    ParseArgs { path, format: ParseFormat::Text, width: transcope::cli::TEXT_WIDTH, following, common }
}
