//! Values of options that are not a fixed enumeration: names of dialects, containers, themes, runtimes, problems, agents,
//! probes and topics. Completions offer them, and the manual lists them.

use clap::{Arg, Command};

use crate::config::agents::AGENTS;
use crate::config::inventory::declared_folders;
use crate::container::REGISTRY;
use crate::diagnostic::Code;
use crate::dialect;
use crate::guide::PAGES;
use crate::runtime::catalog;
use crate::template::probes::TemplateProbe;

/// A value and a few words about it.
pub type OptionValue = (String, String);

/// A kind of names that options take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Dialects, and with them parsers of runtimes.
    Dialect,
    Container,
    Theme,
    /// Runtimes, and with a colon their parsers.
    Runtime,
    Code,
    /// A problem, or all warnings.
    Denied,
    /// A problem and the number of them that is allowed.
    Limit,
    Agent,
    Probe,
    /// A command or a page of the guide.
    Topic,
}

/// Arguments by their id, in each command that has one of that id.
const KINDS: &[(&str, ValueKind)] = &[
    ("dialects", ValueKind::Dialect),
    ("with_dialect", ValueKind::Dialect),
    ("to", ValueKind::Dialect),
    ("container", ValueKind::Container),
    ("with_container", ValueKind::Container),
    ("theme", ValueKind::Theme),
    ("runtime", ValueKind::Runtime),
    ("runtimes", ValueKind::Runtime),
    ("with_runtime", ValueKind::Runtime),
    ("upgrade", ValueKind::Runtime),
    ("portable", ValueKind::Runtime),
    ("code", ValueKind::Code),
    ("deny", ValueKind::Denied),
    ("limits", ValueKind::Limit),
    ("latest", ValueKind::Agent),
    ("probe", ValueKind::Probe),
    ("words", ValueKind::Topic),
];

/// Kinds of `NAME` by the path of the command.
const NAMES: &[(&[&str], ValueKind)] =
    &[(&["dialect", "show"], ValueKind::Dialect), (&["container", "show"], ValueKind::Container)];

/// The kind of an argument's values. `path` are the names of the command without the program.
fn kind_of(path: &[&str], argument: &Arg) -> Option<ValueKind> {
    let id = argument.get_id().as_str();
    // `export --to` and `template --as` have a fixed enumeration.
    if !argument.get_possible_values().is_empty() {
        return None;
    }
    let of_name = || NAMES.iter().find(|(known, _)| id == "name" && *known == path).map(|(_, kind)| *kind);
    KINDS.iter().find(|(known, _)| *known == id).map(|(_, kind)| *kind).or_else(of_name)
}

/// Gives each argument with such values to `attach`, in a command and its subcommands.
pub(super) fn attached(command: Command, path: &[&str], attach: &dyn Fn(Arg, ValueKind) -> Arg) -> Command {
    let mut command = command.mut_args(|argument| match kind_of(path, &argument) {
        Some(kind) => attach(argument, kind),
        None => argument,
    });
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(&name, |inner| {
            let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            attached(inner, &path, attach)
        });
    }
    command
}

impl ValueKind {
    /// The values that the program has itself; `themes` are the ones of the screen.
    pub(super) fn built_in(self, themes: &[OptionValue]) -> Vec<OptionValue> {
        let value = |name: &str, about: &str| (name.to_owned(), about.to_owned());
        match self {
            Self::Dialect => dialect::all().map(|info| value(info.name, info.title)).collect(),
            Self::Container => REGISTRY.iter().map(|about| value(about.name, about.title)).collect(),
            Self::Theme => themes.to_vec(),
            Self::Runtime => {
                let runtimes = catalog::runtimes().map(|runtime| value(&runtime.name, "all its parsers"));
                runtimes.chain(parsers()).collect()
            }
            Self::Code => Code::ALL.iter().map(|code| value(code.name(), &code.info().title)).collect(),
            Self::Denied => {
                let warnings = [value("warnings", "all warnings")].into_iter();
                warnings.chain(Self::Code.built_in(themes)).collect()
            }
            Self::Limit => {
                let codes = Self::Code.built_in(themes).into_iter();
                codes.map(|(name, about)| (format!("{name}=0"), about)).collect()
            }
            Self::Agent => {
                let named = |agent: &crate::config::agents::Agent| Some(value(agent.names.first()?, agent.title));
                AGENTS.iter().filter_map(named).collect()
            }
            Self::Probe => TemplateProbe::all().into_iter().map(|probe| (probe.name.clone(), String::new())).collect(),
            Self::Topic => PAGES.iter().map(|page| value(page.name, page.title())).collect(),
        }
    }

    /// The names of the built-in values for the manual; `None` if another option lists them.
    pub(super) fn listed(self, themes: &[OptionValue]) -> Option<String> {
        let names = |kind: Self| {
            let values = kind.built_in(themes).into_iter().map(|(name, _)| name);
            values.filter(|name| kind != Self::Runtime || !name.contains(':')).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Limit => None,
            Self::Runtime => Some(format!("{}; transcope dialects --conformance lists their parsers", names(self))),
            _ => Some(names(self)),
        }
    }

    /// The values that the user and the project around the working directory have declared.
    pub(super) fn declared(self) -> Vec<OptionValue> {
        let folder = match self {
            Self::Dialect => "dialects",
            Self::Container => "containers",
            _ => return Vec::new(),
        };
        let folders = declared_folders().into_iter().filter(|found| found.kind == folder);
        folders.flat_map(|found| found.names).map(|name| (name, "your own".to_owned())).collect()
    }
}

/// The parsers of the newest releases: `vllm:hermes`.
fn parsers() -> impl Iterator<Item = OptionValue> {
    let current = |dialect: &'static str| catalog::named(dialect, &[]).map(move |parser| (parser, dialect));
    catalog::dialects()
        .flat_map(current)
        .map(|(parser, dialect)| (parser.name().to_string(), format!("reads {dialect}")))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn each_kind_is_of_an_argument_and_each_built_in_value_is_accepted() {
        let themes = [("dark".to_owned(), String::new())];
        let seen = RefCell::new(BTreeSet::new());
        drop(attached(Cli::command(), &[], &|argument, kind| {
            seen.borrow_mut().insert(argument.get_id().to_string());
            assert!(!kind.built_in(&themes).is_empty(), "{kind:?}");
            argument
        }));
        let known: BTreeSet<String> = KINDS.iter().map(|(id, _)| (*id).to_owned()).chain(["name".to_owned()]).collect();
        assert_eq!(seen.into_inner(), known);
        for (name, _) in ValueKind::Runtime.built_in(&themes) {
            assert!(name.parse::<crate::runtime::RuntimeName>().is_ok(), "{name}");
        }
        let dialects = ValueKind::Dialect.built_in(&themes);
        assert!(dialects.iter().all(|(name, about)| dialect::named(name).is_some() && !about.is_empty()));
    }
}
