//! Detects prompts that a request repeats: each request to a provider contains the whole history.

use std::hash::{BuildHasher as _, Hash as _, Hasher, RandomState};

use super::MessageRole;
use super::facts::Origin;
use super::json::{JsonKind, JsonValue};

/// The messages of a request and of the one before it, as hashes of role and text only: cache markers and similar
/// metadata may move from one message to another.
#[derive(Clone, Debug, Default)]
pub(super) struct PromptHistory {
    hasher: RandomState,
    before: Vec<u64>,
    now: Vec<u64>,
    has_changed: bool,
}

impl PromptHistory {
    /// Begins another request.
    pub(super) fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
        self.has_changed = false;
    }

    /// The origin of the request's next message, which states its role.
    pub(super) fn origin(&mut self, message: JsonValue<'_>) -> Origin {
        let role = message.text_of("role");
        self.origin_of(message, role.as_deref().unwrap_or("user"))
    }

    /// The origin of a message in this role. It is repeated if it and all messages before it are.
    pub(super) fn origin_of(&mut self, message: JsonValue<'_>, role: &str) -> Origin {
        let mut hasher = self.hasher.build_hasher();
        role.hash(&mut hasher);
        if let Some(content) = message.first_of(&["content", "parts"]) {
            hash_words(content, &mut hasher);
        }
        let hash = hasher.finish();
        self.has_changed |= self.before.get(self.now.len()) != Some(&hash);
        self.now.push(hash);
        let is_user = MessageRole::named(role) == Some(MessageRole::User);
        if is_user && !self.has_changed { Origin::Repeated } else { Origin::Unsaid }
    }
}

fn hash_words(value: JsonValue<'_>, hasher: &mut impl Hasher) {
    match value.kind() {
        JsonKind::Text => value.text().hash(hasher),
        JsonKind::Array => value.items().for_each(|part| hash_words(part, hasher)),
        JsonKind::Object => {
            let own =
                ["text", "content", "type", "name", "input", "functionCall", "functionResponse", "args", "response"];
            own.iter().filter_map(|key| value.get(key)).for_each(|inner| hash_words(inner, hasher));
        }
        JsonKind::Word => {}
    }
}
