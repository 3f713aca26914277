//! What one parser of a runtime does with the text of a dialect, as data.
//!
//! `runtime/profiles/DIALECT.yaml` holds the profiles of the parsers that read the dialect. A profile has a grammar, which
//! says what the parser finds, and rules for everything that is decided about what was found. What a runtime does in all of
//! its parsers stands in `runtime/runtimes.yaml`; a profile may begin from another one of its file (`like`). What
//! a parser does otherwise when the text arrives in pieces stands in `streamed`.

use serde::Deserialize;
use serde_yaml::{Mapping, Value as Yaml};

use super::grammar::Grammar;
use super::json::Flavour;
use super::typing::Typing;

/// A parser of a runtime on the text of one dialect.
#[derive(Debug)]
pub struct Profile {
    /// The runtime's name: `vllm`.
    pub runtime: String,
    /// The parser's names, the first of which is shown.
    pub parsers: Vec<String>,
    /// The dialect that it reads.
    pub dialect: String,
    /// The release or commit that was looked at.
    pub version: String,
    /// What it does with a text that is whole.
    pub whole: Behaviour,
    /// What it may do with one that arrives in pieces, where that is not the same.
    pub streamed: Option<Behaviour>,
}

/// What a parser does.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// What it finds.
    pub grammar: Grammar,
    /// What it decides about that.
    pub rules: Rules,
}

impl Behaviour {
    fn new(grammar: &str, rules: Mapping) -> Result<Self, String> {
        let rules = serde_yaml::from_value(Yaml::Mapping(rules)).map_err(|error| error.to_string())?;
        Ok(Self { grammar: Grammar::parse(grammar)?, rules })
    }
}

/// What a parser decides about what it found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Whether the rule `message` must fit the whole text; otherwise the rule `item` is looked for in it, and what is
    /// between items is prose.
    #[serde(default)]
    pub whole: bool,
    /// Whether the end of the text stands for whatever the grammar misses there.
    #[serde(default)]
    pub lenient: bool,
    /// What becomes of a text that does not fit as a whole.
    #[serde(default)]
    pub mismatch: Mismatch,
    /// How the text labelled `body` is read.
    #[serde(default)]
    pub body: Body,
    /// How the text labelled `arguments` is read.
    #[serde(default)]
    pub arguments: Arguments,
    /// How a text labelled `value` is read.
    #[serde(default)]
    pub values: Values,
    /// What becomes of a call of a tool that the request does not name.
    #[serde(default)]
    pub unknown_tool: Fate,
    /// Whether a text is read at all when the request names no tool.
    #[serde(default)]
    pub without_tools: WithoutTools,
    /// What becomes of a call that cannot be read.
    #[serde(default = "Fate::drop")]
    pub bad_call: Fate,
    /// What becomes of the prose.
    #[serde(default)]
    pub content: Content,
    /// What becomes of the reasoning.
    #[serde(default)]
    pub reasoning: Reasoning,
    /// The words of its error.
    #[serde(default)]
    pub error: String,
}

/// What becomes of a text that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mismatch {
    /// An error takes the place of a message.
    #[default]
    Raise,
    /// All of it is content.
    Text,
    /// What fits is delivered, and nothing of what comes behind it.
    Lose,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It is delivered.
    #[default]
    Deliver,
    /// It is left out, with its text.
    Drop,
    /// Its text stays in the content.
    Text,
    /// The whole text becomes content, and no call is delivered.
    AllText,
    /// An error takes the place of the message.
    Raise,
}

impl Fate {
    fn drop() -> Self {
        Self::Drop
    }
}

/// What becomes of a text whose request names no tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutTools {
    /// It is read all the same.
    #[default]
    Read,
    /// It is content.
    Text,
}

/// How a text that holds name and arguments is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// What it is written in.
    pub read: Flavour,
    /// The keys of the name, the first that is there being taken.
    pub name: Vec<String>,
    /// The keys of the arguments.
    pub arguments: Vec<String>,
    /// The keys of the id.
    pub id: Vec<String>,
    /// Whether it may be a list of calls.
    pub list: ListRule,
    /// What becomes of a value that is not what is asked for: a list, a string, a number.
    pub other: OtherBody,
    /// Whether arguments that Python takes for false count as missing, so that the next key is looked at.
    pub skips_falsy: bool,
    /// What missing arguments are.
    pub missing_arguments: Missing,
    /// What a missing name is.
    pub missing_name: Missing,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            read: Flavour::Python,
            name: vec!["name".to_owned()],
            arguments: vec!["arguments".to_owned()],
            id: Vec::new(),
            list: ListRule::Refuse,
            other: OtherBody::Bad,
            skips_falsy: false,
            missing_arguments: Missing::Bad,
            missing_name: Missing::Bad,
        }
    }
}

/// Whether a body may be a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListRule {
    /// A list is no call.
    Refuse,
    /// A list has a call in each of its items.
    Allow,
    /// Only a list is taken.
    Require,
}

/// What becomes of a body that is a value of the wrong kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherBody {
    /// The call cannot be read.
    Bad,
    /// It is a call that lacks whatever a body may lack.
    Lacking,
}

/// What something is that a body does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The call cannot be read.
    Bad,
    /// The parser raises.
    Raise,
    /// An empty object.
    Empty,
    /// No name; arguments that are `null`.
    None,
}

/// How the text of all arguments is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arguments {
    /// What it is written in.
    pub read: ArgumentText,
    /// What becomes of arguments that are no object.
    pub other: OtherArguments,
}

/// What the text of all arguments is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentText {
    /// Python's JSON.
    #[default]
    Json,
    /// Nothing is read: the text is passed on.
    PassOn,
    /// Nothing is read: the text is written of what was found, and stays open where the message ends in the call.
    Written,
    /// Gemma's notation, of which JSON is written in the same way.
    WrittenGemma,
}

/// What becomes of arguments that are no object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherArguments {
    /// They are written as they are.
    #[default]
    Keep,
    /// The call cannot be read.
    Bad,
    /// They become an empty object.
    Empty,
    /// They are delivered as the value that they are, and not as its text.
    Value,
}

/// How the text of a value is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Values {
    /// What is cut off at its ends before it is read.
    pub trim: Trim,
    /// What makes a value of it.
    pub read: Typing,
    /// What a key that comes twice does.
    pub repeated: Repeated,
}

/// What is cut off at the ends of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trim {
    /// Nothing.
    #[default]
    None,
    /// White space.
    Both,
    /// White space at the beginning.
    Start,
    /// White space at the end.
    End,
    /// One line feed at each end.
    Newline,
    /// All line feeds at each end.
    Newlines,
}

impl Trim {
    /// The text without what is cut off.
    pub fn apply(self, text: &str) -> &str {
        match self {
            Self::None => text,
            Self::Both => text.trim(),
            Self::Start => text.trim_start(),
            Self::End => text.trim_end(),
            Self::Newline => {
                let text = text.strip_prefix('\n').unwrap_or(text);
                text.strip_suffix('\n').unwrap_or(text)
            }
            Self::Newlines => text.trim_matches('\n'),
        }
    }
}

/// What a key that comes twice does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeated {
    /// The last value counts.
    #[default]
    Last,
    /// The first value counts.
    First,
    /// The call cannot be read.
    Bad,
}

/// What becomes of the prose.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    /// That in front of the first call.
    pub before: Prose,
    /// That between calls.
    pub between: Prose,
    /// That behind the last call.
    pub after: Prose,
    /// That of a text without a call.
    pub alone: Prose,
    /// Which stretches are delivered.
    pub take: Take,
    /// What is cut off at the ends of all of it together.
    pub trim: Trim,
}

/// What becomes of the reasoning.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reasoning {
    /// Which stretches are delivered.
    pub take: Take,
    /// What is cut off at the ends of each stretch.
    pub trim: Trim,
    /// What the prompt has begun it with, where the text goes on in reasoning that it does not open.
    pub opened: String,
    /// Whether reasoning of white space alone is delivered.
    pub blank: Prose,
}

/// Which of several stretches of one kind are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of them, one behind the other.
    #[default]
    All,
    /// The last one, since each takes the place of the one before.
    Last,
}

/// What becomes of a stretch of prose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prose {
    /// It is delivered as it is.
    #[default]
    Keep,
    /// It is delivered without white space at its ends.
    Trim,
    /// It is delivered without white space at its beginning.
    TrimStart,
    /// It is delivered without white space at its end.
    TrimEnd,
    /// It is not delivered.
    Lose,
}

/// A file of profiles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    dialect: String,
    /// Rules that the grammars of the file share.
    #[serde(default)]
    grammar: String,
    profiles: Option<Vec<Mapping>>,
}

/// What a runtime does in all of its parsers, by its name.
pub type Defaults = Vec<(String, Mapping)>;

/// Reads what the runtimes do in all of their parsers.
///
/// # Errors
/// Says what is wrong with the file.
pub fn parse_defaults(source: &str) -> Result<Defaults, String> {
    let all: Mapping = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let one = |(name, rules): (Yaml, Yaml)| match (name, rules) {
        (Yaml::String(name), Yaml::Mapping(rules)) => Ok((name, rules)),
        _ => Err("a runtime is a name with a mapping".to_owned()),
    };
    all.into_iter().map(one).collect()
}

/// Reads a file of profiles.
///
/// # Errors
/// Says which profile is wrong, and what is wrong with it.
pub fn parse_file(source: &str, defaults: &Defaults) -> Result<Vec<Profile>, String> {
    let file: ProfileFile = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let mut merged: Vec<(String, Mapping)> = Vec::new();
    let mut out = Vec::new();
    for own in file.profiles.unwrap_or_default() {
        let text = |key: &str| own.get(key).and_then(Yaml::as_str).map(str::to_owned);
        let like = text("like");
        let parent = match &like {
            Some(like) => {
                let found = merged.iter().find(|(name, _)| name == like);
                found.map(|(_, rules)| rules.clone()).ok_or_else(|| format!("there is no profile {like:?} in front"))?
            }
            None => Mapping::new(),
        };
        let runtime = text("runtime").or_else(|| parent.get("runtime")?.as_str().map(str::to_owned));
        let runtime = runtime.ok_or("a profile has no runtime")?;
        let mut rules = Mapping::new();
        let base = defaults.iter().find(|(name, _)| *name == runtime).map(|(_, base)| base);
        if let Some(base) = base {
            merge(&mut rules, base);
        }
        merge(&mut rules, &parent);
        merge(&mut rules, &own);
        // A grammar goes on from the one of the profile that it is like, or from what its runtime and its file share.
        let shared = base.and_then(|base| base.get("grammar")?.as_str()).unwrap_or_default();
        let shared = format!("{shared}\n{}", file.grammar);
        let inherited = parent.get("grammar").and_then(Yaml::as_str).unwrap_or(&shared);
        let grammar = format!("{inherited}\n{}", text("grammar").unwrap_or_default());
        rules.insert("grammar".into(), grammar.clone().into());
        let parsers = match rules.remove("parser") {
            Some(Yaml::String(name)) => vec![name],
            Some(Yaml::Sequence(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            _ => return Err(format!("a profile of {runtime} has no parser")),
        };
        let name = format!("{runtime}:{}", parsers.first().map_or("", String::as_str));
        merged.push((name.clone(), rules.clone()));
        let version = rules.remove("version").and_then(|version| version.as_str().map(str::to_owned));
        let streamed = rules.remove("streamed");
        ["like", "runtime", "grammar"].iter().for_each(|key| drop(rules.remove(*key)));
        let named = |error: String| format!("{name}: {error}");
        let streamed = match streamed {
            Some(Yaml::Mapping(mut over)) => {
                let more = over.remove("grammar").and_then(|more| more.as_str().map(str::to_owned)).unwrap_or_default();
                let mut all = rules.clone();
                merge(&mut all, &over);
                Some(Behaviour::new(&format!("{grammar}\n{more}"), all).map_err(named)?)
            }
            _ => None,
        };
        let whole = Behaviour::new(&grammar, rules).map_err(named)?;
        let (dialect, version) = (file.dialect.clone(), version.unwrap_or_default());
        out.push(Profile { runtime, parsers, dialect, version, whole, streamed });
    }
    Ok(out)
}

/// Lays one mapping over another; mappings within are laid over each other.
fn merge(under: &mut Mapping, over: &Mapping) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Yaml::Mapping(under)), Yaml::Mapping(over)) => merge(under, over),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}
