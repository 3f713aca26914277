//! The moments at which a parser sends a call of a streamed answer to the client.

use serde::Deserialize;

/// When the parts of a call are sent while its text arrives. Recorded from the parsers of the newest release.
///
/// A mark is a text of the message that ends a part of the call; of several, the first one that follows counts. Without
/// its mark, a part is sent at the end of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sends {
    /// Texts that end the name; the name is sent once one has arrived.
    pub(crate) name: Vec<String>,
    /// Bytes after a mark of the name that the parser waits for: a lexer with lookahead needs one.
    pub(crate) ahead: usize,
    /// How the arguments are divided.
    pub(crate) arguments: ArgumentSteps,
    /// Texts that end a key, for parsers that send keys alone.
    pub(crate) keyed: Vec<String>,
    /// Texts that begin a value; its key is sent there.
    pub(crate) open: Vec<String>,
    /// Marks that send the key of a value that is not a string; the ones before a value if empty.
    pub(crate) typed: Vec<String>,
    /// Marks after the name that send the opening brace; it is sent with the first key if empty.
    pub(crate) brace: Vec<String>,
    /// Texts that end a value; what is left of it is sent there.
    pub(crate) close: Vec<String>,
    /// Marks at the end of a call.
    pub(crate) end: Vec<String>,
    /// Bytes after the end of a call that the parser waits for.
    pub(crate) end_ahead: usize,
    /// Treatment of white space in arguments that are sent as written.
    pub(crate) space: HeldSpace,
}

/// How the arguments of a call are divided into fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArgumentSteps {
    /// They are sent whole, at the end of the call.
    #[default]
    Whole,
    /// Their text is passed on as it arrives.
    Written,
    /// SGLang's base detector: the incomplete JSON is completed and written again after each piece; what two
    /// successive pieces have in common is sent.
    Completed,
    /// vLLM's parser engine: a key is sent where its value begins, the text of a string as it arrives, or at the mark
    /// after it if there is one, and other values where the next one begins.
    Values,
    /// The same for arguments in JSON: a key is sent with its colon.
    Members,
    /// vLLM's parsers of Python calls: the call is sent with its first string, whose text follows as it arrives; all
    /// else is sent at the end.
    Python,
    /// Each parameter is sent where its value ends.
    Parameters,
    /// The text of a string is sent as it arrives, and other parameters where their value ends.
    Strings,
    /// SGLang's GLM detectors: punctuation is sent with the marks, and values as they arrive.
    Marks,
}

/// Treatment of white space at the end of what has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HeldSpace {
    /// It is sent as it arrives.
    #[default]
    Sent,
    /// It is held back until other text follows.
    Held,
}
