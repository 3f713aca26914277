//! Properties of every command: help with examples, and its name in the guide. Small commands are run here.

use clap::CommandFactory as _;
use transcope::cli::Cli;

use super::documents::{documents, text_of_documents};
use super::{folder, run_in};

/// A command line and its output.
const PRINTED: &[(&[&str], &str)] = &[
    (&["convert", "--to", "caret", "warned.txt"], "^^^Greet\nname: Ada\n^^^\n"),
    (&["graph", "good.txt"], "wave 1\n  greet_1  Greet\n"),
];

/// Commands whose help needs no examples.
const WITHOUT_EXAMPLES: [&str; 2] = ["dialects", "completions"];

#[test]
fn every_command_has_examples_and_is_named_in_the_guide() {
    let guide = text_of_documents();
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let example = format!("\n  transcope {name} ");
        let has_examples = help.contains("Examples:\n") && help.contains(&example);
        assert_ne!(has_examples, WITHOUT_EXAMPLES.contains(&name), "examples in the help of {name}");
        let named = format!("transcope {name}");
        let is_named =
            guide.match_indices(&named).any(|(at, _)| guide[at + named.len()..].starts_with([' ', '`', '\n']));
        assert!(is_named, "docs/commands.md has no line with {named}");
        let page = format!("docs/{name}.md");
        assert!(documents().iter().all(|(path, _)| *path != page), "{page}: help {name} prints the command's help");
    }
}

#[test]
fn each_command_prints_what_its_help_says() {
    let folder = folder();
    for (arguments, expected) in PRINTED {
        let run = run_in(folder.path(), arguments, &[], b"");
        assert_eq!((run.code, run.stdout.as_str()), (0, *expected), "{arguments:?}: {}", run.stderr);
    }
}
