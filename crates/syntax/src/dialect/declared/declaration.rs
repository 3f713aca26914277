//! Declarations: YAML documents that each describe a dialect, and their parser.
//!
//! ```yaml
//! dialect: my-calls                 # its name on the command line
//! title: My calls                   # a few words
//! example: "<do f>\n<arg k>v</arg>\n</do>\n"   # one complete call; also the first test
//! read: always                      # always | repeated (starting with the second call) | named (only if requested)
//! vars: {t: do}                     # defines ${t} for use in markers
//! section: {open: "<calls>", close: "</calls>"}    # optional, around all calls, or with around: each
//! call: {open: "<${t} {name}>", close: "</${t}>"}
//! arguments: {kind: parameters, open: "<arg {key}>", close: "</arg>", strip: one_newline, repeat: last}
//! examples: [{text: …, calls: [{name: f, arguments: {k: v}}]}]
//! ```
//!
//! Markers are templates (`declared/marker`). If a call can be written in several ways, `alternatives` lists
//! combinations of `section`, `call` and `arguments`, which are tried in order; one with `read: named` is used only if
//! the dialect is named.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::Value as Json;

use super::form::{Form, alternatives_are_typed, form, kind_is_typed, lead, marker};
use super::marker::Marker;
use crate::diagnostic::Diagnostic;
use crate::dialect::{DialectInfo, Numbering, Start};
use crate::text::Span;
use crate::value::schema::Coercion;
use crate::value::yaml::fields::{Fields, Source};

/// Maximum length of a declaration in bytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// A parsed declaration of a dialect.
#[derive(Debug)]
pub struct Declaration {
    /// Facts about the dialect other than its grammar.
    pub info: &'static DialectInfo,
    /// When the dialect is read if the user names none.
    pub reading: ReadMode,
    /// The YAML source.
    pub source: Box<str>,
    /// The file that the source was loaded from, if any.
    pub file: Option<PathBuf>,
    /// Examples, which serve as tests.
    pub examples: Vec<Example>,
    pub(super) forms: Vec<Form>,
    /// Indices of the forms that are read only if the dialect is named.
    pub(super) named_forms: Vec<usize>,
    pub(super) regions: Vec<Region>,
}

impl PartialEq for Declaration {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Declaration {}

/// When a dialect is read if the user names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ReadMode {
    /// Wherever its opening marker appears.
    Always,
    /// Starting with the second call of a text; the first is reported as a hint. For markers that may occur in prose.
    Repeated,
    /// Never.
    Named,
}

/// A region in which calls do not count: the model's reasoning.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) open: Marker,
    pub(super) close: Marker,
}

/// A text with its expected calls and problems.
#[derive(Clone, Debug)]
pub struct Example {
    /// The input text.
    pub text: String,
    /// The expected calls in text order.
    pub calls: Vec<ExpectedCall>,
    /// The codes of the expected problems, by position.
    pub problems: Vec<String>,
    /// Span of the example in the declaration.
    pub place: Span,
}

/// An expected call of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedCall {
    /// The name of the tool.
    pub name: String,
    /// The expected id, if the example specifies one.
    pub id: Option<String>,
    /// The arguments, usually an object.
    pub arguments: Json,
}

impl Declaration {
    /// Enables all forms everywhere, even if the dialect is not named.
    pub fn read_always(&mut self) {
        self.reading = ReadMode::Always;
        self.named_forms.clear();
    }

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
            Some(declaration) if !source.problems.iter().any(is_fault) => Ok(declaration),
            _ => {
                source.problems.sort_by_key(|problem| problem.span);
                Err(source.problems)
            }
        }
    }
}

fn is_fault(problem: &Diagnostic) -> bool {
    problem.severity == crate::diagnostic::Severity::Error
}

fn read(source: &mut Source, mut root: Fields, yaml: &str) -> Option<Declaration> {
    let name = source.required(&mut root, "dialect", "the name that selects it")?;
    if !name.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte)) || name.text.is_empty() {
        source.fault(name.place, "a name has letters, digits, and - _ . : between them");
    }
    let title = source.text(&mut root, "title").map_or_else(|| name.text.clone(), |title| title.text);
    let recognised_by = source.text(&mut root, "recognised_by");
    let reading = source.choice(
        &mut root,
        "read",
        &[("always", ReadMode::Always), ("repeated", ReadMode::Repeated), ("named", ReadMode::Named)],
    );
    source.variables = source.pairs(&mut root, "vars").into_iter().map(|(name, word)| (name, word.text)).collect();
    let example = source.required(&mut root, "example", "one complete call, which is also its first test")?;
    let prefix = source.text(&mut root, "id_prefix").map_or_else(|| format!("{}_", name.text), |word| word.text);
    let numbering = source.choice(&mut root, "ids", &[("nameless", Numbering::Nameless), ("every", Numbering::Every)]);
    let key_term = source.text(&mut root, "key_term").map_or_else(|| "argument".to_owned(), |word| word.text);
    let signs = source.strings(&mut root, "signs");
    let family = source.strings(&mut root, "family");
    let body_like = source.text(&mut root, "body_like").map(|word| word.text);
    let typing = source.choice(
        &mut root,
        "typing",
        &[
            ("default", None),
            ("typed", Some(Coercion::Typed)),
            ("text", Some(Coercion::Strings)),
            ("json_by_schema", Some(Coercion::JsonBySchema)),
        ],
    );
    let next_ends = source.flag(&mut root, "next_ends");
    let start = source.choice(&mut root, "start", &[("anywhere", Start::Anywhere), ("line", Start::Line)]);
    let alternatives = source.maps(&mut root, "alternatives");
    let has_own = ["section", "call", "arguments"].map(|member| source.has(&mut root, member)).contains(&true);
    let is_typed = has_own && kind_is_typed(source, &mut root) || !has_own && alternatives_are_typed(source, &mut root);
    let first = alternatives.is_empty().then(|| lead(source, &mut root)).flatten();
    let recognised_by = recognised_by.map(|word| word.text).or_else(|| first.map(|lead| format!("{lead} anywhere")));
    let mut example_text = example.text;
    if !example_text.ends_with('\n') {
        example_text.push('\n');
    }
    let info = intern(InfoWords {
        name: name.text,
        title,
        recognised_by: recognised_by.unwrap_or_default(),
        example: example_text,
        prefix,
        numbering,
        key_term,
        signs,
        family,
        body_like,
        typing: typing.unwrap_or(if is_typed { Coercion::Typed } else { Coercion::JsonBySchema }),
        next_ends,
        start,
    });
    let (mut forms, mut named_forms) = (Vec::new(), Vec::new());
    if alternatives.is_empty() {
        forms.extend(form(source, &mut root, info));
    } else {
        if has_own {
            source.fault(source.place_of(&root), "either alternatives, or section, call and arguments: not both");
        }
        for mut alternative in alternatives {
            if source.choice(&mut alternative, "read", &[("always", false), ("named", true)]) {
                named_forms.push(forms.len());
            }
            forms.extend(form(source, &mut alternative, info));
            source.finish(&alternative);
        }
    }
    let mut regions = Vec::new();
    for mut region in source.maps(&mut root, "reasoning") {
        let open = source.required(&mut region, "open", "the marker that begins the reasoning");
        let close = source.required(&mut region, "close", "the marker that ends the reasoning");
        if let (Some(open), Some(close)) = (open, close)
            && let (Some(open), Some(close)) = (marker(source, &open, &[]), marker(source, &close, &[]))
        {
            regions.push(Region { open, close });
        }
        source.finish(&region);
    }
    let examples = examples(source, &mut root);
    source.finish(&root);
    Some(Declaration { info, reading, source: yaml.into(), file: None, examples, forms, named_forms, regions })
}

/// The examples, which serve as tests.
fn examples(source: &mut Source, root: &mut Fields) -> Vec<Example> {
    let mut found = Vec::new();
    for mut example in source.maps(root, "examples") {
        let place = source.place_of(&example);
        let text = source.required(&mut example, "text", "the text that is read");
        let mut calls = Vec::new();
        for mut call in source.maps(&mut example, "calls") {
            let name = source.required(&mut call, "name", "the name of the tool");
            let id = source.text(&mut call, "id").map(|word| word.text);
            let arguments = source.json(&mut call, "arguments").unwrap_or_else(|| Json::Object(serde_json::Map::new()));
            source.finish(&call);
            calls.extend(name.map(|name| ExpectedCall { name: name.text, id, arguments }));
        }
        let problems = source.strings(&mut example, "problems");
        source.finish(&example);
        found.extend(text.map(|text| Example { text: text.text, calls, problems, place }));
    }
    found
}

/// The parts of a declaration that become [`DialectInfo`].
#[derive(Debug)]
struct InfoWords {
    name: String,
    title: String,
    recognised_by: String,
    example: String,
    prefix: String,
    numbering: Numbering,
    key_term: String,
    signs: Vec<String>,
    family: Vec<String>,
    body_like: Option<String>,
    typing: Coercion,
    next_ends: bool,
    start: Start,
}

/// The info of every dialect declared since the program started, by its complete contents.
static KNOWN: Mutex<Option<HashMap<String, &'static DialectInfo>>> = Mutex::new(None);

/// The names of all dialects declared since the program started, sorted.
pub(crate) fn interned_names() -> Vec<&'static str> {
    let known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut names: Vec<&str> = known.iter().flat_map(HashMap::values).map(|info| info.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The unique leaked copy of this info. It lives as long as the program, like the info of dialects in code; editing a
/// declaration leaks another copy only when these fields change.
fn intern(words: InfoWords) -> &'static DialectInfo {
    let key = format!("{words:?}");
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.get_or_insert_default().entry(key).or_insert_with(|| {
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let list = |texts: Vec<String>| -> &'static [&'static str] {
            Box::leak(texts.into_iter().map(leak).collect::<Vec<_>>().into_boxed_slice())
        };
        Box::leak(Box::new(DialectInfo {
            name: leak(words.name),
            title: leak(words.title),
            recognised_by: leak(words.recognised_by),
            example: leak(words.example),
            id_prefix: leak(words.prefix),
            escapes: true,
            numbering: words.numbering,
            key_term: leak(words.key_term),
            next_ends: words.next_ends,
            start: words.start,
            signs: list(words.signs),
            family: list(words.family),
            body_like: words.body_like.map(leak),
            typing: words.typing,
            coercion: None,
        }))
    })
}
