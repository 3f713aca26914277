//! The program: reads its arguments, calls a command or the terminal UI, and says in one line what went wrong.
//!
//! Exit codes: 0 done, 1 `check`, `dialect check`, `diff` or `test` found something, `fix` left it or `grep` found nothing, 2 the command could not do its work; behind `-- COMMAND` that of the
//! command. This file does not know what any command does.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use transcope::cli::{Cli, Command, DiffArgs, OpenArgs, ReplayArgs};
use transcope::command;
use transcope::source::command::Exit;
use transcope::system::signal;
use transcope::text::output::{Destination, Output};
use transcope::{text, tui};

fn main() -> ExitCode {
    signal::spare_from_the_limit_of_file_sizes();
    let cli = match Cli::from_process() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) if command::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is closed as well, nobody can be told.
            let mut errors = Output::stderr();
            let _ = writeln!(errors, "error: {}", command::describe(&error));
            command::marked(&error).into_iter().flatten().for_each(|row| _ = writeln!(errors, "  {row}"));
            ExitCode::from(2)
        }
    }
}

/// Prints the help or version that was asked for, or says in one line what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let is_read = error.print().err().is_none_or(|error| error.kind() == io::ErrorKind::BrokenPipe);
        return if is_read { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    let rendered = error.render().to_string();
    let words: Vec<&str> = rendered.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let near = Cli::suggestion(error).map(|near| format!("; did you mean {near}?"));
    let end = near.unwrap_or_else(|| ";".to_owned());
    let words = text::sanitize::visible_str(&words.join(" ")).into_owned();
    let _ = writeln!(Output::stderr(), "{words}{end} try {}", Cli::help_line());
    ExitCode::from(2)
}

fn run(cli: Cli) -> anyhow::Result<u8> {
    // Settings of the screen that cannot be used are reported by commands that open none as well.
    if let Some(common) = cli.common() {
        tui::settings::check(&command::config(common)?, common.config.as_deref())?;
    }
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = Output::new(BufWriter::new(stdout.lock()), Destination::of(&stdout));
    let code = match cli.command {
        Some(Command::Parse(args)) => code_of(command::parse::run(&args, &mut out)?),
        Some(Command::Check(args)) => command::check::run(&args, &mut out)? as u8,
        Some(Command::Grep(args)) => command::grep::run(&args, &mut out)? as u8,
        Some(Command::Stats(args)) => command::stats::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Fix(args)) => command::fix::run(&args, &mut out)? as u8,
        Some(Command::Convert(args)) => command::convert::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Cost(args)) => command::convert::cost(&args, &mut out).map(|()| 0)?,
        Some(Command::Test(args)) => command::test::run(&args, &mut out)? as u8,
        Some(Command::Diff(args)) if args.screen => {
            drop(out);
            return compare(args);
        }
        Some(Command::Diff(args)) => command::diff::run(args, &mut out)? as u8,
        Some(Command::Graph(args)) => command::graph::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Index(args)) => command::index::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Lens(args)) => command::lens::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Replay(args)) => {
            if let Some(format) = args.format {
                command::replay::run(&args, format, &mut out).map(|()| 0)?
            } else {
                drop(out);
                return replay(&args);
            }
        }
        Some(Command::Export(args)) => command::export::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Bundle(args)) => command::bundle::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Explain(args)) => command::explain::run(&args, &mut out).map(|()| 0)?,
        Some(Command::Dialects(args)) => command::dialect::list(&args, &mut out).map(|()| 0)?,
        Some(Command::Dialect(args)) => command::dialect::run(&args, &mut out)? as u8,
        Some(Command::Completions { shell }) => command::manual::completions(shell, &mut out).map(|()| 0)?,
        Some(Command::Man) => command::manual::page(&tui::keymap::Keymap::built_in().manual(), &mut out).map(|()| 0)?,
        None if cli.open.list_themes => tui::theme::list::write(&mut out).map(|()| 0)?,
        None => {
            let setup = command::setup(&cli.open.common)?;
            let Some(printing) = command::parse::printing(&cli.open, &setup, is_terminal, can_draw()) else {
                drop(out);
                return open(&cli.open, tui::UiOptions::new(setup)).map(code_of);
            };
            code_of(command::parse::run_without_screen(&cli.open, &setup, printing, &mut out)?)
        }
    };
    out.flush()?;
    Ok(code)
}

/// Whether standard output is a terminal on which a screen can be drawn.
fn can_draw() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The exit code of a command that was run is ours.
fn code_of(exit: Option<Exit>) -> u8 {
    exit.map_or(0, Exit::code)
}

/// Opens the terminal UI with a transcript that arrives again.
fn replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(can_draw(), "replay needs a terminal, or --format ndjson or events");
    let setup = command::setup(&args.common)?;
    let (name, bytes) = command::replay::read(&args.path)?;
    let replay = Some((name, bytes, Some(args.speed as usize)));
    tui::run(tui::UiOptions { replay, ..tui::UiOptions::new(setup) }).map(code_of)
}

/// Opens the terminal UI with two readings side by side.
fn compare(args: DiffArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(can_draw(), "--screen needs a terminal");
    let setup = command::setup(&args.common)?;
    let compared = Some(command::diff::sides(args)?);
    tui::run(tui::UiOptions { compared, ..tui::UiOptions::new(setup) }).map(code_of)
}

/// Opens the terminal UI.
fn open(args: &OpenArgs, mut options: tui::UiOptions) -> anyhow::Result<Option<Exit>> {
    let config = &mut options.setup.config;
    config.alert = args.alerts.alert.clone().or(config.alert.take());
    config.alert_silence = args.alerts.alert_silence.or(config.alert_silence);
    let playground = args.edit.as_ref().map(|path| command::playground_of(path.as_deref())).transpose()?;
    let specs = if playground.is_some() { Vec::new() } else { command::shown_sources(args)? };
    let readings = command::source_options(&specs, args.following, &args.stream)?;
    let sources = specs.into_iter().zip(readings).collect();
    let filter = command::filter_option(&args.filter, &options.setup)?.map(|filter| filter.to_string());
    let at = args.at.clone();
    tui::run(tui::UiOptions { sources, playground, filter, at, ..options })
}
