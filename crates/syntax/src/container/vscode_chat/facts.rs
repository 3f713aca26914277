//! Facts about a chat session of VS Code, apart from messages.
//!
//! | member | fact |
//! |---|---|
//! | `customTitle` | the title, which a model writes unless the user changes it |
//! | `creationDate` | start of the session in milliseconds, like all times |
//! | `responderUsername`, `agent.extensionVersion` | the client and its version |
//! | `inputState.selectedModel.metadata.maxInputTokens` | the context window |
//! | `modelId` of a request, `usage.actualModelId` | the model; the latter is the one that an automatic choice led to |
//! | `timestamp`, `result.timings: {firstProgress, totalElapsed}` | when a request was sent, and when its answer began and was complete |
//! | `promptTokens`, `outputTokens` of `result.metadata` | tokens of the last round |
//! | `promptTokens`, `completionTokens`, also in `usage` | the prompt of the last round, and the output of all rounds |
//! | `toolCallRounds[].thinking.tokens` | reasoning, which is part of the output |
//! | `result.metadata.cacheKey`, `baseUri` of an answer | the working directory |
//!
//! Each round is a request to the model. The first one has the key of the user's request.

use super::super::facts::{Fact, RequestFacts, SessionFact, Timestamp, TitleKind, Usage};
use super::super::json::JsonValue;
use super::super::moment_of;
use super::super::usage::{Counting, Counts};
use super::super::writer::TextWriter;
use super::state;

/// Client of a session that does not name it.
const CLIENT: &str = "GitHub Copilot";

/// States facts of the session as its members arrive.
#[derive(Debug, Default)]
pub(super) struct SessionReader {
    client: Option<Box<str>>,
    /// True if the client and the directory have been stated.
    has_client: bool,
    has_directory: bool,
    /// True if the file is a document, not a log of changes.
    is_document: Option<bool>,
}

impl SessionReader {
    /// True if the end of the object is the end of the session.
    pub(super) fn is_document(&self) -> bool {
        self.is_document == Some(true)
    }

    /// States that the file is a log of changes.
    pub(super) fn begin_log(&mut self) {
        self.is_document = Some(false);
    }

    /// Takes a member of the session.
    pub(super) fn member(&mut self, key: &str, value: JsonValue<'_>, out: &mut TextWriter) {
        self.is_document.get_or_insert(true);
        let fact = match key {
            "customTitle" => value.scalar_text().map(|title| SessionFact::Title(title, TitleKind::Generated)),
            "creationDate" => value.scalar_text().and_then(|time| moment_of(&time)).map(SessionFact::Start),
            "inputState" => window(value.get("selectedModel")),
            "responderUsername" => {
                self.client = value.scalar_text();
                None
            }
            _ => None,
        };
        state(fact.map(Fact::Session), out);
    }

    /// Takes what a request states about the session.
    pub(super) fn request(&mut self, request: JsonValue<'_>, out: &mut TextWriter) {
        let agent = request.get("agent");
        if !self.has_client && (self.client.is_some() || agent.is_some()) {
            self.has_client = true;
            let version = agent.and_then(|agent| agent.words_of("extensionVersion"));
            let client = self.client.clone().unwrap_or_else(|| CLIENT.into());
            state([Fact::Session(SessionFact::Client(client, version))], out);
        }
        if !self.has_directory {
            let response = request.get("response").into_iter().flat_map(|response| response.items());
            let base = || response.take(64).find_map(|part| part.path(&["baseUri", "path"])?.scalar_text());
            self.directory(directory(request.get("result")).or_else(base), out);
        }
    }

    /// States the working directory, unless it is known.
    pub(super) fn directory(&mut self, directory: Option<Box<str>>, out: &mut TextWriter) {
        let directory = directory.filter(|_| !self.has_directory);
        let directory = directory.as_deref().map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty());
        self.has_directory |= directory.is_some();
        state(directory.map(|path| Fact::Session(SessionFact::Directory(path.into()))), out);
    }
}

/// The working directory in the result of a request.
pub(super) fn directory(result: Option<JsonValue<'_>>) -> Option<Box<str>> {
    let key = result?.path(&["metadata", "cacheKey"])?.scalar_text()?;
    key.strip_prefix("file://").map(Box::from)
}

/// Size of the context window of the model that the user selected.
pub(super) fn window(model: Option<JsonValue<'_>>) -> Option<SessionFact> {
    let tokens = model?.path(&["metadata", "maxInputTokens"])?.number()?;
    (tokens > 0).then_some(SessionFact::Window(tokens))
}

/// The model that answered a request, by its name in the file.
pub(super) fn model(request: JsonValue<'_>) -> Option<Box<str>> {
    let paths: [&[&str]; 3] = [&["usage", "actualModelId"], &["result", "metadata", "resolvedModel"], &["modelId"]];
    paths.iter().find_map(|path| request.path(path)?.scalar_text())
}

/// When the answer to a request that was sent at `sent` began and was complete.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnswerTimes {
    pub(super) start: Option<Timestamp>,
    pub(super) first: Option<Timestamp>,
    pub(super) end: Option<Timestamp>,
}

impl AnswerTimes {
    pub(super) fn new(sent: Option<&str>, result: Option<JsonValue<'_>>) -> Self {
        let start = sent.and_then(moment_of);
        let after = |key: &str| {
            let milliseconds = i64::try_from(result?.path(&["timings", key])?.number()?).ok()?;
            Timestamp::from_millisecond(start?.as_millisecond().checked_add(milliseconds)?).ok()
        };
        Self { start, first: after("firstProgress"), end: after("totalElapsed") }
    }
}

/// Tokens that a request counts: the prompt of its last round, and the output of all rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenCounts {
    prompt: Option<u64>,
    completion: Option<u64>,
}

impl TokenCounts {
    /// Takes the counts of a request, or of its `usage`.
    pub(super) fn take(&mut self, counts: JsonValue<'_>) {
        self.prompt = counts.number_of("promptTokens").or(self.prompt);
        self.completion = counts.number_of("completionTokens").or(self.completion);
    }

    /// Takes the count in the member of a request with this key.
    pub(super) fn take_member(&mut self, key: &str, value: JsonValue<'_>) {
        match key {
            "promptTokens" => self.prompt = value.number(),
            "completionTokens" => self.completion = value.number(),
            _ => self.take(value),
        }
    }

    /// Tokens of the last one of `rounds` rounds: the counts of the result, which are about that round, or these.
    pub(super) fn of_last_round(
        self,
        result: Option<JsonValue<'_>>,
        rounds: usize,
        thinking: Option<u64>,
    ) -> Option<Usage> {
        let count = |key: &str| result?.path(&["metadata", key])?.number();
        let counts = match count("promptTokens") {
            Some(prompt) => Counts { input: Some(prompt), output: count("outputTokens"), ..Counts::default() },
            None => Counts { input: self.prompt, output: self.completion.filter(|_| rounds < 2), ..Counts::default() },
        };
        let usage = Counts { reasoning: thinking, ..counts }.disjoint(Counting::Inside, Counting::Inside);
        let is_counted = usage.input.is_some() || usage.output.is_some();
        (is_counted && !usage.is_empty()).then_some(usage)
    }
}

/// The message of an error that ended a request.
pub(super) fn error<'a>(request: JsonValue<'a>, result: Option<JsonValue<'a>>) -> Option<JsonValue<'a>> {
    let details = result.and_then(|result| result.get("errorDetails")).or_else(|| request.get("responseErrorDetails"));
    details.filter(|details| !details.is_void())
}

/// True if the user cancelled a request: `isCanceled`, or `modelState` with the value 2.
pub(super) fn is_cancelled(request: JsonValue<'_>) -> bool {
    request.truth_of("isCanceled") == Some(true)
        || request.path(&["modelState", "value"]).and_then(|value| value.number()) == Some(2)
}

/// A request to the model with only a key and a model.
pub(super) fn request(key: &str, model: Option<&str>) -> RequestFacts {
    RequestFacts { key: Some(key.into()), model: model.map(Box::from), ..RequestFacts::default() }
}
