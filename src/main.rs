//! The program: parses its arguments, runs a command or the terminal UI, and reports errors in one line.
//!
//! Exit codes: 0 success; 1 `check`, `dialect check`, `diff` or `test` found something, `fix` left it or `grep` found
//! nothing; 2 the command failed; after `-- COMMAND` the exit code of that command.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::CommandFactory as _;
use transcope::cli::Cli;
use transcope::command::completions;
use transcope::command::diff::{self, DiffArgs};
use transcope::command::options::{CommonArgs, OpenArgs};
use transcope::command::outcome::{self, ExitStatus};
use transcope::command::replay::{self, ReplayArgs};
use transcope::command::sessions::{self, SessionsArgs};
use transcope::command::template::TemplateArgs;
use transcope::command::{Command, ProgramInfo, parse, transcript};
use transcope::source::{SourceOptions, SourceSpec};
use transcope::system::signal;
use transcope::template::check::ProbedConversation;
use transcope::text::output::{Destination, Output};
use transcope::tui::screen::template::OpenedTemplate;
use transcope::{text, tui};

fn main() -> ExitCode {
    signal::spare_from_the_limit_of_file_sizes();
    match completions::answer(Cli::command, tui::theme::list::named) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(Output::stderr(), "error: {}", outcome::describe(&error));
            return ExitCode::from(2);
        }
    }
    let cli = match Cli::from_process() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(&cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) if outcome::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed as well, the error cannot be reported.
            let mut errors = Output::stderr();
            let _ = writeln!(errors, "error: {}", outcome::describe(&error));
            outcome::marked(&error).into_iter().flatten().for_each(|row| _ = writeln!(errors, "  {row}"));
            ExitCode::from(2)
        }
    }
}

/// Prints the requested help or version, or reports in one line what is wrong with the arguments.
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

fn run(cli: &Cli) -> anyhow::Result<u8> {
    // Unusable settings of the screen are reported even by commands that do not open it.
    if let Some(common) = cli.common() {
        tui::settings::check(&transcript::config(common)?, common.config.as_deref())?;
    }
    match &cli.command {
        Some(Command::Diff(args)) if args.screen && can_draw() => return compare(args),
        Some(Command::Replay(args)) if args.format.is_none() && can_draw() => return replay(args),
        Some(Command::Template(args)) if args.opens() && can_draw() => return templates(args),
        Some(Command::Sessions(args)) if args.opens() && can_draw() => return latest(args),
        _ => {}
    }
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = Output::new(BufWriter::new(stdout.lock()), Destination::of(&stdout));
    let status = match &cli.command {
        Some(command) => command.run(&PROGRAM_INFO, &mut out)?,
        None if cli.open.list_themes => {
            tui::theme::list::write(&mut out)?;
            ExitStatus::Success
        }
        None => {
            let setup = transcript::setup(&cli.open.common)?;
            let Some(printing) = parse::printing(&cli.open, &setup, is_terminal, can_draw()) else {
                drop(out);
                return open(&cli.open, tui::UiOptions::new(setup));
            };
            parse::run_without_screen(&cli.open, &setup, printing, Cli::command_names, &mut out)?
        }
    };
    out.flush()?;
    Ok(status.code())
}

/// For the commands that describe the program.
const PROGRAM_INFO: ProgramInfo = ProgramInfo {
    description: Cli::command,
    keys: || tui::keymap::Keymap::built_in().manual(),
    themes: tui::theme::list::built_in,
    terminal: tui::doctor::terminal,
    settings: tui::doctor::settings,
};

/// True if standard output is a terminal that can display a screen.
fn can_draw() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Opens the terminal UI. If it ran a command, returns that command's exit code.
fn show(options: tui::UiOptions) -> anyhow::Result<u8> {
    tui::run(options).map(|exit| ExitStatus::from(exit).code())
}

/// Opens the terminal UI with a replay of a transcript.
fn replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    let setup = transcript::setup(&args.common)?;
    let (name, bytes) = replay::read(&args.path)?;
    let replay = Some((name, bytes, args.options()));
    show(tui::UiOptions { replay, ..tui::UiOptions::new(setup) })
}

/// Opens the terminal UI with the newest session.
fn latest(args: &SessionsArgs) -> anyhow::Result<u8> {
    let setup = transcript::setup(args.common())?;
    let source = SourceSpec::File(sessions::newest_path(args)?);
    show(tui::UiOptions { sources: vec![(source, SourceOptions::default())], ..tui::UiOptions::new(setup) })
}

/// Opens the terminal UI with chat templates, each in a tab.
fn templates(args: &TemplateArgs) -> anyhow::Result<u8> {
    let shown = args.shown()?;
    let probes: Arc<[ProbedConversation]> = shown.probes.into();
    let open = |path| OpenedTemplate {
        path,
        probes: Arc::clone(&probes),
        first: shown.first.clone(),
        options: shown.options.clone(),
        tokenizer: shown.tokenizer.clone(),
    };
    let templates = shown.paths.into_iter().map(open).collect();
    let setup = transcript::setup(&CommonArgs::default())?;
    show(tui::UiOptions { templates, ..tui::UiOptions::new(setup) })
}

/// Opens the terminal UI with a side-by-side comparison.
fn compare(args: &DiffArgs) -> anyhow::Result<u8> {
    let setup = transcript::setup(&args.common)?;
    let compared = Some(diff::sides(args)?);
    show(tui::UiOptions { compared, ..tui::UiOptions::new(setup) })
}

/// Opens the terminal UI with the files that the arguments name.
fn open(args: &OpenArgs, mut options: tui::UiOptions) -> anyhow::Result<u8> {
    let config = &mut options.setup.config;
    config.alert = args.alerts.means().or(config.alert.take());
    config.alert_silence = args.alerts.alert_silence.or(config.alert_silence);
    let playground = args.edit.as_ref().map(|path| transcript::playground_of(path.as_deref())).transpose()?;
    let specs = if playground.is_some() { Vec::new() } else { transcript::shown_sources(args, Cli::command_names)? };
    let readings = transcript::source_options(&specs, args.following, &args.stream)?;
    let sources = specs.into_iter().zip(readings).collect();
    let filter = transcript::filter_option(&args.filter, &options.setup)?.map(|filter| filter.to_string());
    let at = args.at.clone();
    show(tui::UiOptions { sources, playground, filter, at, ..options })
}
