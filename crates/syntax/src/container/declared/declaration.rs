//! Declarations: YAML documents that each describe a container, and their parser.
//!
//! ```yaml
//! container: my-agent               # its name on the command line
//! title: sessions of my agent       # a few words
//! calls: records                    # records | either: whether the model's text may hold calls, too
//! detect: {type: turn, session: "*"}    # conditions on one of the first records; or a list of {when, certainty, because}
//! stream: [turns]                   # members of a large document whose elements are records
//! roles: {bot: assistant}           # names of roles other than the usual ones
//! session: {id: session, model: model.name, directory: cwd}
//! message: {time: ts, id: id, parent: parent}   # properties of every message
//! tree: {id: id, parent: parent}    # the records are a tree
//! records:                          # the first rule that fits a record applies
//! - {when: {type: turn}, role: from, content: text, call: {id: cid, name: tool, arguments: args}}
//! - {when: {type: answer}, role: tool, result: {call: cid, content: out, failed: error}}
//! blocks:                           # rules for the parts of content that providers' APIs do not have
//! - {when: {type: thought}, reasoning: text}
//! examples: [{text: …, messages: 2, calls: 1, results: 1}]
//! ```
//!
//! `declared/path`, `declared/condition` and `declared/rule` have the details.

use std::path::PathBuf;

use super::condition::Conditions;
use super::facts::{SessionRule, one_of, path};
use super::path::{Path, Scope};
use super::rule::{MessageRule, Rule, rules};
use crate::container::json::JsonKind;
use crate::container::{CallSource, Claim, ContainerInfo, Definition, FileHead, MessageRole};
use crate::diagnostic::{Diagnostic, Severity};
use crate::text::Span;
use crate::value::yaml::fields::{Fields, Item, Source};

/// Maximum length of a declaration in bytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// A parsed declaration of a container.
#[derive(Debug)]
pub struct ContainerDeclaration {
    /// Its name on the command line.
    pub name: &'static str,
    /// Title of a few words.
    pub title: &'static str,
    /// Where the agent takes the calls of such a file from.
    pub calls: CallSource,
    /// The YAML source, as `container show` prints it.
    pub source: Box<str>,
    /// The file that the source was loaded from, if any.
    pub file: Option<PathBuf>,
    /// Examples, which serve as tests.
    pub examples: Vec<ContainerExample>,
    /// True if records are read as chat messages and the objects around them.
    pub(super) is_chat: bool,
    detect: Vec<Detection>,
    pub(super) streamed: &'static [&'static str],
    pub(super) whole: &'static [&'static str],
    pub(super) roles: Vec<(Box<str>, Option<MessageRole>)>,
    pub(super) session: Option<SessionRule>,
    pub(super) message: MessageRule,
    pub(super) tree: Option<Tree>,
    /// True if each conversation may repeat the messages of the one before it.
    pub(super) repeats: bool,
    pub(super) records: Vec<Rule>,
    pub(super) blocks: Vec<Rule>,
}

/// Paths that make the records a tree.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) when: Conditions,
    pub(super) id: Path,
    pub(super) parent: Option<Path>,
    /// True if the last record ends the active branch even without a message.
    pub(super) last_is_leaf: bool,
}

/// Conditions on one of the first records of a file.
#[derive(Debug)]
struct Detection {
    when: Conditions,
    claim: Claim,
}

/// A text with the expected numbers of what is in it.
#[derive(Clone, Debug)]
pub struct ContainerExample {
    /// The beginning of a file, or a whole one.
    pub text: String,
    /// Expected numbers by name: `messages`, `calls`, `results`, `requests`, `problems`.
    pub expected: Vec<(&'static str, usize)>,
    /// Span of the example in the declaration.
    pub place: Span,
}

const COUNTS: [&str; 5] = ["messages", "calls", "results", "requests", "problems"];

impl ContainerDeclaration {
    /// Parses a declaration.
    ///
    /// # Errors
    /// All problems of the declaration, with spans in it.
    pub fn parse(yaml: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut source = Source::read(&yaml.as_bytes()[..yaml.len().min(MAX_BYTES)]);
        if yaml.len() > MAX_BYTES {
            source.fault(Span::at(0), format!("a declaration has at most {MAX_BYTES} bytes"));
        }
        let declaration = source.root().and_then(|root| read(&mut source, root, yaml));
        match declaration {
            Some(declaration) if !source.problems.iter().any(|problem| problem.severity == Severity::Error) => {
                Ok(declaration)
            }
            _ => {
                source.problems.sort_by_key(|problem| problem.span);
                Err(source.problems)
            }
        }
    }

    /// The container, for as long as the program runs.
    pub fn container(self) -> &'static ContainerInfo {
        let declaration: &'static ContainerDeclaration = Box::leak(Box::new(self));
        let Self { name, title, calls, .. } = declaration;
        let definition = Definition::Declared(declaration);
        Box::leak(Box::new(ContainerInfo { name, title, calls: *calls, definition }))
    }

    /// The claim on the beginning of a file: on a record, or on the first element of a list, around which `^` is the
    /// list.
    pub(crate) fn claim(&self, head: &FileHead<'_>) -> Option<Claim> {
        let value = head.value()?;
        let list = Scope::record(value);
        let is_list = value.kind() == JsonKind::Array;
        let scope = if is_list { list.inner(value.items().next()?) } else { Scope::record(value) };
        self.detect.iter().find(|detection| detection.when.hold(&scope)).map(|detection| detection.claim)
    }

    /// For each alternative of the detection, keys without which it does not hold.
    #[cfg(test)]
    pub(super) fn needed_keys(&self) -> Vec<Vec<&str>> {
        self.detect.iter().map(|detection| detection.when.keys()).collect()
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn leaked(words: &[String]) -> &'static [&'static str] {
    Box::leak(words.iter().map(|word| leak(word)).collect::<Vec<_>>().into_boxed_slice())
}

fn read(source: &mut Source, mut root: Fields, yaml: &str) -> Option<ContainerDeclaration> {
    let name = source.required(&mut root, "container", "the name that selects it")?;
    let is_named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.text.is_empty() || !name.text.bytes().all(is_named) || matches!(name.text.as_str(), "auto" | "plain") {
        source.fault(name.place, "a name has letters, digits, and - _ . between them, and is neither auto nor plain");
    }
    let title = source.text(&mut root, "title").map_or_else(|| name.text.clone(), |title| title.text);
    let detect = detections(source, &mut root);
    if detect.is_empty() {
        let place = source.place_of(&root);
        source.fault(place, "detect is missing: conditions on one of the first records, such as {type: turn}");
    }
    let is_chat = source.choice(&mut root, "reader", &[("rules", false), ("chat", true)]);
    let records = rules(source, &mut root, "records", 0);
    if records.is_empty() && !is_chat {
        let place = source.place_of(&root);
        source.fault(place, "records is missing: the rules for the records of a file");
    }
    let roles = [
        ("system", Some(MessageRole::System)),
        ("user", Some(MessageRole::User)),
        ("assistant", Some(MessageRole::Assistant)),
        ("tool", Some(MessageRole::Tool)),
        ("none", None),
    ];
    let named = source.pairs(&mut root, "roles");
    let named =
        named.into_iter().filter_map(|(name, word)| Some((name.into(), one_of(source, &word, "roles", &roles)?)));
    let named = named.collect();
    let declaration = ContainerDeclaration {
        name: leak(&name.text),
        title: leak(&title),
        calls: source.choice(&mut root, "calls", &[("records", CallSource::Records), ("either", CallSource::Either)]),
        source: yaml.into(),
        file: None,
        examples: examples(source, &mut root),
        is_chat,
        detect,
        streamed: leaked(&source.strings(&mut root, "stream")),
        whole: leaked(&source.strings(&mut root, "whole")),
        roles: named,
        session: source.map(&mut root, "session").map(|fields| SessionRule::read(source, fields)),
        message: defaults(source, &mut root),
        tree: tree(source, &mut root),
        repeats: source.flag(&mut root, "repeats"),
        records,
        blocks: rules(source, &mut root, "blocks", 0),
    };
    source.finish(&root);
    Some(declaration)
}

fn defaults(source: &mut Source, root: &mut Fields) -> MessageRule {
    let Some(mut fields) = source.map(root, "message") else { return MessageRule::default() };
    let rule = MessageRule::read(source, &mut fields);
    source.finish(&fields);
    rule
}

fn tree(source: &mut Source, root: &mut Fields) -> Option<Tree> {
    let mut fields = source.map(root, "tree")?;
    let id = source.required(&mut fields, "id", "the path of a record's id")?;
    let tree = Tree {
        when: Conditions::read(source, &mut fields, "when"),
        id: Path::parse(&id, source),
        parent: path(source, &mut fields, "parent"),
        last_is_leaf: source.choice(&mut fields, "leaf", &[("message", false), ("record", true)]),
    };
    source.finish(&fields);
    Some(tree)
}

/// `detect` is a mapping of conditions, or a list of mappings with `when`.
fn detections(source: &mut Source, root: &mut Fields) -> Vec<Detection> {
    type Certainty = fn(&'static str) -> Claim;
    let certainties: [(&str, Certainty); 3] =
        [("sure", Claim::Sure), ("likely", Claim::Likely), ("several", Claim::Several)];
    let mut all = Vec::new();
    for item in source.items(root, "detect") {
        let Item::Map(mut map) = item else {
            let place = source.place_of(root);
            source.fault(place, "detect must be a mapping of paths to values, or a list of {when: …}");
            continue;
        };
        let (when, claim, reason): (Conditions, Certainty, _) = if source.has(&mut map, "when") {
            let when = Conditions::read(source, &mut map, "when");
            let claim = source.choice(&mut map, "certainty", &certainties);
            let reason = source.text(&mut map, "because").map(|word| word.text);
            source.finish(&map);
            (when, claim, reason)
        } else {
            (Conditions::from_map(source, &map), Claim::Sure, None)
        };
        let reason = reason.unwrap_or_else(|| format!("its records have {}", when.words()));
        if when.is_empty() {
            let place = source.place_of(&map);
            source.fault(place, "conditions are missing: every file would be taken");
        }
        all.push(Detection { when, claim: claim(leak(&reason)) });
    }
    all
}

fn examples(source: &mut Source, root: &mut Fields) -> Vec<ContainerExample> {
    let mut all = Vec::new();
    for mut map in source.maps(root, "examples") {
        let Some(text) = source.required(&mut map, "text", "the records of a file") else { continue };
        let mut expected = Vec::new();
        for name in COUNTS {
            let Some(word) = source.text(&mut map, name) else { continue };
            match word.text.parse() {
                Ok(number) => expected.push((name, number)),
                Err(_) => {
                    source.fault(word.place, format!("{name}: expected a number, found {}", word.text));
                }
            }
        }
        source.finish(&map);
        all.push(ContainerExample { text: text.text, expected, place: text.place });
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A declaration in which each member that may be a mapping is one.
    const COMPLETE: &str = "
container: complete
detect: [{when: {k: a}}]
session: {kind: [{when: {k: a}, is: main}]}
message: {time: t}
tree: {id: i, when: {k: a}}
records:
- role: [{when: {k: a}, is: user}]
  origin: [{when: {k: a}, is: prompt}]
  request: {tokens: {input: a}, error: [{when: {k: a}, is: e}]}
  show: {n: a}
  compaction: {trigger: [{when: {k: a}, is: auto}]}
  agent: {id: a}
  times: {call: a, start: s}
  call: {name: n, outcome: [{when: {k: a}, is: failed}]}
  result: {call: c}
  rules: [{content: a, call: {known: a}}]
  also: [{request: {tokens: {at: a, like: openai}}}]
blocks: [{content: a}]
examples: [{text: '{}'}]
";

    /// The name of the table, or of the row, of `docs/containers.md` that describes a mapping.
    fn described_as(mapping: &'static str) -> &'static str {
        match mapping {
            "a declaration" => "declaration",
            "records" | "rules" | "also" | "blocks" => "rule",
            "role" | "origin" | "kind" | "trigger" | "outcome" | "error" => "a choice",
            mapping => mapping,
        }
    }

    /// The words in backticks of a cell.
    fn quoted(cell: &str) -> impl Iterator<Item = &str> {
        cell.split('`').skip(1).step_by(2).flat_map(|words| words.split(|c: char| !c.is_alphanumeric() && c != '_'))
    }

    /// Pairs of a mapping and a member that the tables of the document name.
    fn documented(document: &str) -> BTreeSet<(String, String)> {
        let (mut all, mut heading) = (BTreeSet::new(), "");
        for line in document.lines() {
            heading = line
                .strip_prefix("## Members of ")
                .or(if line.starts_with("## ") { Some("") } else { None })
                .unwrap_or(heading);
            let cells: Vec<&str> = line.strip_prefix("| ").map(|row| row.split(" | ").collect()).unwrap_or_default();
            let (Some(first), Some(second)) = (cells.first(), cells.get(1)) else { continue };
            let (mappings, members): (Vec<&str>, &str) = match heading {
                "" => continue,
                "a declaration" => (vec!["declaration"], *first),
                "a rule" => (vec!["rule"], *first),
                _ if *first == "a choice" => (vec!["a choice"], *second),
                _ => (quoted(first).collect(), *second),
            };
            for mapping in mappings {
                all.extend(quoted(members).map(|member| (mapping.to_owned(), member.to_owned())));
            }
        }
        all.retain(|(_, member)| !member.is_empty());
        all
    }

    #[test]
    fn the_documentation_names_the_members_that_are_read_and_no_others() {
        let mut source = Source::read(COMPLETE.as_bytes());
        let root = source.root().expect("it is a mapping");
        let declaration = read(&mut source, root, COMPLETE);
        assert!(declaration.is_some() && source.problems.is_empty(), "{:?}", source.problems);
        let requested = source.requested;
        // `stream`, `content` and the like are texts or lists of texts.
        let missing: Vec<_> = requested.mappings.difference(&requested.complete).collect();
        assert!(missing.is_empty(), "no mapping in the declaration of this test: {missing:?}");
        let read: BTreeSet<_> = requested
            .members
            .iter()
            .map(|(mapping, member)| (described_as(mapping).to_owned(), (*member).to_owned()))
            .collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/containers.md");
        let documented = documented(&std::fs::read_to_string(path).expect("the document can be read"));
        let difference: Vec<_> = read.symmetric_difference(&documented).collect();
        assert!(difference.is_empty(), "only read or only documented: {difference:#?}");
    }
}
