//! The commands of the command line: a file and a line for each.
//!
//! A command's file holds its arguments with their help, its formats and its implementation. It imports what several
//! commands share from `options`, `transcript`, `folders`, `corpus` and `outcome`, and nothing from this file. `cargo
//! run --example new -- command NAME` creates a new one: its file, its `mod` below (`cargo fmt` would not see one in a
//! macro), and its line in `commands!`.

mod archive;
mod bundle;
mod check;
pub mod completions;
mod container;
mod convert;
mod corpus;
mod cost;
mod declaration_file;
mod dialect;
mod dialects;
pub mod diff;
mod doctor;
pub mod explain;
mod export;
mod fix;
mod folders;
mod graph;
mod grep;
mod help;
mod index;
mod lens;
mod man;
pub mod options;
pub mod outcome;
pub mod parse;
mod part;
pub mod replay;
mod request;
pub mod sessions;
mod stats;
pub mod template;
mod test;
mod text_stream;
pub mod transcript;
mod values;

use std::io::Write;

use clap::Subcommand;

use crate::export::findings::Finding;
use crate::text::output::Output;
use options::CommonArgs;
use outcome::ExitStatus;
use values::OptionValue;

/// Declares the commands in the order of the help. `module: Name(Arguments)` is run by the module's `run`, which
/// receives the arguments and the output. `with` names the field with the options for reading a transcript, `needs` the
/// fields of [`ProgramInfo`] whose results `run` receives as well.
macro_rules! commands {
    ($($module:ident: $name:ident($args:ident)
        $(with $($common:ident).+)? $(needs $($need:ident)+)?;)*) => {
        /// The requested command.
        #[derive(Debug, Subcommand)]
        #[expect(missing_docs, reason = "each has its help with its arguments")]
        pub enum Command {
            $($name($module::$args)),*
        }

        impl Command {
            /// The options shared by all commands that read a transcript; `None` for other commands.
            #[allow(unused_variables, reason = "some commands read no transcript")]
            pub fn common(&self) -> Option<&CommonArgs> {
                match self {
                    $(Self::$name(args) => None$(.or(Some(&args.$($common).+)))?),*
                }
            }

            /// Runs the command.
            pub fn run<W: Write>(&self, program: &ProgramInfo, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
                match self {
                    $(Self::$name(args) => $module::run(args, out $(, $(&(program.$need)()),+)?)),*
                }
            }
        }
    };
}

commands! {
    parse: Parse(ParseArgs) with common;
    check: Check(CheckArgs) with common;
    grep: Grep(GrepArgs) with common;
    sessions: Sessions(SessionsArgs) with common;
    stats: Stats(StatsArgs) with corpus.common;
    fix: Fix(FixArgs) with common;
    convert: Convert(ConvertArgs) with common;
    cost: Cost(CostArgs) with common;
    diff: Diff(DiffArgs) with common;
    lens: Lens(LensArgs) with common;
    index: Index(IndexArgs) with corpus.common;
    export: Export(ExportArgs) with common;
    bundle: Bundle(BundleArgs) with common;
    graph: Graph(GraphArgs) with common;
    replay: Replay(ReplayArgs) with common;
    explain: Explain(ExplainArgs);
    test: Test(TestArgs);
    dialects: Dialects(DialectsArgs);
    dialect: Dialect(DialectArgs);
    container: Container(ContainerArgs);
    template: Template(TemplateArgs);
    doctor: Doctor(DoctorArgs) needs terminal settings;
    help: Help(HelpArgs) needs description;
    completions: Completions(CompletionsArgs);
    man: Man(ManArgs) needs description keys themes;
}

/// Parts of the program that no command may import, for commands that describe the program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramInfo {
    /// The whole command line.
    pub description: fn() -> clap::Command,
    /// The actions of the terminal UI: name, keys and description of each.
    pub keys: fn() -> Vec<[String; 3]>,
    /// The built-in themes: name and description of each.
    pub themes: fn() -> Vec<OptionValue>,
    /// Abilities of the terminal, which only the screen can query.
    pub terminal: fn() -> Vec<Finding>,
    /// The state of the settings and themes of the screen.
    pub settings: fn() -> Vec<Finding>,
}
