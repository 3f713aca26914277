//! The parts of a request in tokens, and the extent of a drawing with a bar for each request.

use crate::document::Document;
use crate::document::facts::requests::ModelRequest;

/// Tokens of a request. All of a prompt is new if its parts are not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestParts {
    /// Tokens of the prompt that were read from a cache.
    pub cached: u64,
    /// The other tokens of the prompt.
    pub new: u64,
    /// Tokens of the answer.
    pub answer: u64,
    /// Tokens of reasoning that the file counts apart from the answer.
    pub reasoning: u64,
}

impl RequestParts {
    /// The parts of a request; 0 for tokens that the file does not count.
    #[must_use]
    pub fn new(request: &ModelRequest<'_>) -> Self {
        let usage = request.usage.unwrap_or_default();
        let prompt = request.prompt().unwrap_or_default();
        let cached = usage.cache_read.unwrap_or_default().min(prompt);
        let [answer, reasoning] = [usage.output, usage.reasoning].map(Option::unwrap_or_default);
        Self { cached, new: prompt - cached, answer, reasoning }
    }

    /// The parts as a bar has them, from its start: cached, new, answer, reasoning.
    #[must_use]
    pub fn list(self) -> [u64; 4] {
        [self.cached, self.new, self.answer, self.reasoning]
    }

    /// Tokens of all parts.
    #[must_use]
    pub fn total(self) -> u64 {
        self.list().iter().sum()
    }
}

/// The extent of the bars of requests, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextExtent {
    /// Size of the context window; `None` if it is not known.
    pub window: Option<u64>,
    /// Tokens of the largest request, its answer included.
    pub largest: u64,
}

impl ContextExtent {
    /// The extent of these requests, by their numbers.
    #[must_use]
    pub fn new(document: &Document, requests: impl Iterator<Item = usize>) -> Self {
        let mut extent = Self::default();
        for request in requests.filter_map(|number| document.requests().get(number)) {
            extent.largest = extent.largest.max(RequestParts::new(&request).total());
            extent.window = document.context_window(&request).map(|window| window.value).or(extent.window);
        }
        extent
    }

    /// Tokens of a bar of full length: the window, or the largest request if that is not known or larger; at least 1.
    #[must_use]
    pub fn full(self) -> u64 {
        self.largest.max(self.window.unwrap_or_default()).max(1)
    }
}
