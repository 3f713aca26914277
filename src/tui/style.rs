//! The roles of text on the screen. A theme defines their appearance.

use serde::Deserialize;

/// The role of a part of the screen. Theme files use names in kebab case, such as `border-focused`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Prose and values without a more specific role.
    Text,
    /// Less important text: counts, separators, explanations.
    Dim,
    /// The title of a pane.
    Title,
    /// The border of a pane.
    Border,
    /// The border of the focused pane.
    BorderFocused,
    /// The selected row in the focused pane.
    Selection,
    /// The selected row in any other pane.
    SelectionUnfocused,
    /// A line of input: search, go to, filter.
    Prompt,
    /// The characters of a dialect that open, separate and close a call.
    Marker,
    /// The name of the tool that is called.
    Name,
    /// The id of a call.
    Id,
    /// The id of a call that this one depends on.
    Dependency,
    /// The path of an argument, or the key of a value in a tree.
    Pointer,
    /// A string value.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null` or an empty value.
    Null,
    /// The badge and the text of an error.
    Error,
    /// The badge and the text of a warning.
    Warning,
    /// The badge and the text of a hint.
    Hint,
    /// Success: a complete call, a followed file.
    Good,
    /// Something that may still change: a call that is arriving, an undecided tail.
    Pending,
    /// The bytes that an error is about, in the raw text.
    ErrorSpan,
    /// The bytes that a warning is about, in the raw text.
    WarningSpan,
    /// The bytes that a hint is about, in the raw text.
    HintSpan,
    /// A match of the search.
    Match,
    /// The current match of the search.
    MatchCurrent,
    /// The first character of a chunk of a stream.
    Chunk,
    /// The number of a line.
    LineNumber,
    /// Rules and marks between line numbers and text, tree lines, scroll bars.
    Gutter,
    /// The picture that replaces an unsafe character.
    Picture,
    /// The heading of a message by the user.
    User,
    /// The heading of a message by the assistant.
    Assistant,
    /// The heading of a system message.
    System,
    /// The heading of a tool's result.
    Tool,
    /// A heading in prose.
    Heading,
    /// Strong emphasis in prose.
    Strong,
    /// Emphasis in prose.
    Emphasis,
    /// Code within a line of prose.
    InlineCode,
    /// A block of code in prose, where it is not highlighted.
    CodeBlock,
    /// A quotation in prose.
    Quote,
    /// A link in prose.
    Link,
    /// Code: a keyword, an operator written as a word.
    CodeKeyword,
    /// Code: a string.
    CodeString,
    /// Code: a comment.
    CodeComment,
    /// Code: a number.
    CodeNumber,
    /// Code: the name of a function.
    CodeFunction,
    /// Code: the name of a type, a tag.
    CodeType,
    /// Code: a constant, an escape sequence.
    CodeConstant,
    /// Code: a key, an attribute, a variable.
    CodeProperty,
    /// Code: brackets, separators, operators.
    CodePunctuation,
    /// A difference: an added line.
    CodeInserted,
    /// A difference: a removed line.
    CodeDeleted,
    /// Words of a changed line that the right side lacks.
    Removed,
    /// Words of a changed line that the left side lacks.
    Added,
    /// The bars at the top and the bottom.
    Status,
    /// A key named in a bar.
    StatusKey,
}

impl Role {
    /// Every role, in the order of declaration.
    #[rustfmt::skip]
    pub const ALL: [Role; 57] = [
        Role::Text, Role::Dim, Role::Title, Role::Border, Role::BorderFocused, Role::Selection,
        Role::SelectionUnfocused, Role::Prompt, Role::Marker, Role::Name, Role::Id, Role::Dependency, Role::Pointer,
        Role::String, Role::Number, Role::Boolean, Role::Null, Role::Error, Role::Warning, Role::Hint, Role::Good,
        Role::Pending, Role::ErrorSpan, Role::WarningSpan, Role::HintSpan, Role::Match, Role::MatchCurrent,
        Role::Chunk, Role::LineNumber, Role::Gutter, Role::Picture, Role::User, Role::Assistant, Role::System, Role::Tool,
        Role::Heading, Role::Strong, Role::Emphasis, Role::InlineCode, Role::CodeBlock, Role::Quote, Role::Link,
        Role::CodeKeyword, Role::CodeString, Role::CodeComment, Role::CodeNumber, Role::CodeFunction, Role::CodeType,
        Role::CodeConstant, Role::CodeProperty, Role::CodePunctuation, Role::CodeInserted, Role::CodeDeleted,
        Role::Removed, Role::Added, Role::Status, Role::StatusKey,
    ];
}

const _: () = assert!(Role::StatusKey as usize + 1 == Role::ALL.len(), "a role is missing from Role::ALL");
