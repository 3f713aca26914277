//! Every kind of problem: its name, its severity, what it means, and an example of it and of its remedy.
//!
//! The pages are what `explain` prints and what the details pane shows. To add a kind: its page in the file of its
//! subject, and a line in `codes!` with its variant of [`Code`], its name and its severity. This module does not know how a problem
//! is found.

mod arguments;
mod callout;
mod calls;
mod caret;
mod declarations;
mod dependencies;
mod encoding;
mod native;
mod parameters;
mod records;
mod runtimes;
mod schema;
mod tags;
mod yaml;

use super::Severity;

/// What one kind of problem is, and what it means.
#[derive(Debug)]
pub struct CodeInfo {
    /// A title of a few words.
    pub title: &'static str,
    /// One line of advice in the imperative, used where a place has none of its own.
    pub help: &'static str,
    /// What the runtime does with such a text, and why.
    pub explanation: &'static str,
    /// A text that has the problem; empty where it is not even a text (see [`CodeInfo::bad_bytes`]).
    pub bad: &'static str,
    /// The same text as it should be; it has no problem at all.
    pub good: &'static str,
}

impl CodeInfo {
    /// The bad example as bytes: invalid UTF-8 cannot be shown in any other way.
    pub fn bad_bytes(&self) -> &'static [u8] {
        if self.bad.is_empty() { b"Gr\xfc\xdfe\n" } else { self.bad.as_bytes() }
    }
}

/// The parsers of runtimes that read the examples of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleReader {
    /// The dialect that the examples are written in.
    pub dialect: &'static str,
    /// Runtimes with a parser, as `vllm:hermes`: one, or several that are compared.
    pub parsers: &'static [&'static str],
}

/// Makes the enum, the list of all codes and the lookup of their pages from one line for each code.
macro_rules! codes {
    ($($code:ident $name:literal $severity:ident: $subject:ident::$page:ident,)+) => {
        /// The kind of a problem. Problems at the same place are ordered by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("See `", stringify!($page), "` of the pages about ", stringify!($subject), ".")] $code,)+
        }

        impl Code {
            /// Every code, in the order of the declarations: `code as usize` is its index.
            pub const ALL: [Code; [$(Code::$code),+].len()] = [$(Code::$code),+];

            /// The stable name in kebab case, which scripts rely on: `duplicate-pointer`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)+
                }
            }

            /// The severity it has unless the place says otherwise.
            pub fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)+
                }
            }

            /// What this kind of problem means.
            pub fn info(self) -> &'static CodeInfo {
                match self {
                    $(Code::$code => &$subject::$page,)+
                }
            }
        }
    };
}

codes! {
    DuplicatePointer "duplicate-pointer" Error: parameters::DUPLICATE_POINTER,
    ArrayGap "array-gap" Error: parameters::ARRAY_GAP,
    InvalidIndex "invalid-index" Error: parameters::INVALID_INDEX,
    NotAContainer "not-a-container" Error: parameters::NOT_A_CONTAINER,
    PointerTooDeep "pointer-too-deep" Error: parameters::POINTER_TOO_DEEP,
    ValueDropped "value-dropped" Error: tags::VALUE_DROPPED,
    ValueReplaced "value-replaced" Error: parameters::VALUE_REPLACED,
    MissingParameter "missing-parameter" Error: schema::MISSING_PARAMETER,
    UnknownParameter "unknown-parameter" Warning: schema::UNKNOWN_PARAMETER,
    MistypedParameter "mistyped-parameter" Error: schema::MISTYPED_PARAMETER,
    InvalidParameter "invalid-parameter" Error: schema::INVALID_PARAMETER,
    ForeignMarkup "foreign-markup" Warning: calls::FOREIGN_MARKUP,
    IndexAlias "index-alias" Warning: parameters::INDEX_ALIAS,
    ReservedKey "reserved-key" Warning: parameters::RESERVED_KEY,
    EmptyPointer "empty-pointer" Error: parameters::EMPTY_POINTER,
    OddKey "odd-key" Warning: parameters::ODD_KEY,
    ValueOnPointerLine "value-on-pointer-line" Warning: parameters::VALUE_ON_POINTER_LINE,
    NoArguments "no-arguments" Error: parameters::NO_ARGUMENTS,
    LossyNumber "lossy-number" Warning: parameters::LOSSY_NUMBER,
    NotCoerced "not-coerced" Hint: parameters::NOT_COERCED,
    FenceCut "fence-cut" Warning: parameters::FENCE_CUT,
    YamlSyntax "yaml-syntax" Error: yaml::YAML_SYNTAX,
    YamlDuplicateKey "yaml-duplicate-key" Error: yaml::YAML_DUPLICATE_KEY,
    YamlDocuments "yaml-documents" Error: yaml::YAML_DOCUMENTS,
    YamlAlias "yaml-alias" Error: yaml::YAML_ALIAS,
    YamlTooLarge "yaml-too-large" Error: yaml::YAML_TOO_LARGE,
    YamlTooDeep "yaml-too-deep" Error: yaml::YAML_TOO_DEEP,
    YamlTag "yaml-tag" Error: yaml::YAML_TAG,
    YamlAmbiguous "yaml-ambiguous" Hint: yaml::YAML_AMBIGUOUS,
    YamlComplexKey "yaml-complex-key" Warning: yaml::YAML_COMPLEX_KEY,
    CalloutHeader "callout-header" Warning: callout::CALLOUT_HEADER,
    CalloutUnclosed "callout-unclosed" Error: callout::CALLOUT_UNCLOSED,
    CalloutIndented "callout-indented" Error: callout::CALLOUT_INDENTED,
    CalloutTitle "callout-title" Error: callout::CALLOUT_TITLE,
    CalloutCarriageReturn "callout-carriage-return" Error: callout::CALLOUT_CARRIAGE_RETURN,
    CalloutNotSeparated "callout-not-separated" Error: callout::CALLOUT_NOT_SEPARATED,
    CalloutLazyLine "callout-lazy-line" Error: callout::CALLOUT_LAZY_LINE,
    CalloutBodyIndented "callout-body-indented" Error: callout::CALLOUT_BODY_INDENTED,
    CalloutNotFields "callout-not-fields" Error: callout::CALLOUT_NOT_FIELDS,
    CalloutField "callout-field" Warning: callout::CALLOUT_FIELD,
    CalloutOutputLost "callout-output-lost" Warning: callout::CALLOUT_OUTPUT_LOST,
    ToolFenceClose "tool-fence-close" Error: callout::TOOL_FENCE_CLOSE,
    CarriageReturnKept "carriage-return-kept" Warning: parameters::CARRIAGE_RETURN_KEPT,
    IndentationKept "indentation-kept" Warning: parameters::INDENTATION_KEPT,
    SwallowedText "swallowed-text" Warning: parameters::SWALLOWED_TEXT,
    CallTooLarge "call-too-large" Warning: calls::CALL_TOO_LARGE,
    EmptyName "empty-name" Error: calls::EMPTY_NAME,
    CallNotRead "call-not-read" Hint: calls::CALL_NOT_READ,
    InvalidDeclaration "invalid-declaration" Error: declarations::INVALID_DECLARATION,
    ExampleMismatch "example-mismatch" Error: declarations::EXAMPLE_MISMATCH,
    AmbiguousDialect "ambiguous-dialect" Warning: declarations::AMBIGUOUS_DIALECT,
    PaddedName "padded-name" Error: calls::PADDED_NAME,
    EmptyId "empty-id" Warning: calls::EMPTY_ID,
    DuplicateId "duplicate-id" Warning: dependencies::DUPLICATE_ID,
    ColonDependency "colon-dependency" Hint: dependencies::COLON_DEPENDENCY,
    MarkerOnHeaderLine "marker-on-header-line" Error: calls::MARKER_ON_HEADER_LINE,
    HeaderWithoutNewline "header-without-newline" Error: calls::HEADER_WITHOUT_NEWLINE,
    ImplicitEnd "implicit-end" Warning: calls::IMPLICIT_END,
    UnterminatedCall "unterminated-call" Warning: calls::UNTERMINATED_CALL,
    TextAfterEnd "text-after-end" Warning: calls::TEXT_AFTER_END,
    StrayEnd "stray-end" Warning: calls::STRAY_END,
    StrayArgument "stray-argument" Warning: calls::STRAY_ARGUMENT,
    MismatchedTag "mismatched-tag" Warning: tags::MISMATCHED_TAG,
    UnclosedParameter "unclosed-parameter" Error: tags::UNCLOSED_PARAMETER,
    NestedTag "nested-tag" Error: tags::NESTED_TAG,
    ForeignTag "foreign-tag" Error: tags::FOREIGN_TAG,
    GluedTag "glued-tag" Error: tags::GLUED_TAG,
    LoneAngleBracket "lone-angle-bracket" Error: tags::LONE_ANGLE_BRACKET,
    MalformedTag "malformed-tag" Error: tags::MALFORMED_TAG,
    HalfWrapped "half-wrapped" Warning: tags::HALF_WRAPPED,
    SharedWrapper "shared-wrapper" Warning: tags::SHARED_WRAPPER,
    IgnoredText "ignored-text" Warning: tags::IGNORED_TEXT,
    NotJson "not-json" Error: tags::NOT_JSON,
    OverlappingMarkers "overlapping-markers" Warning: calls::OVERLAPPING_MARKERS,
    MarkerMidLine "marker-mid-line" Warning: calls::MARKER_MID_LINE,
    MarkerInCode "marker-in-code" Warning: calls::MARKER_IN_CODE,
    MarkerInQuotation "marker-in-quotation" Warning: calls::MARKER_IN_QUOTATION,
    SeveralCalls "several-calls" Hint: caret::SEVERAL_CALLS,
    CaretFenceBlank "caret-fence-blank" Error: caret::FENCE_BLANK,
    CaretFenceInValue "caret-fence-in-value" Error: caret::FENCE_IN_VALUE,
    CaretOpenInside "caret-open-inside" Error: caret::OPEN_INSIDE,
    CaretDraftForm "caret-draft-form" Warning: caret::DRAFT_FORM,
    CaretMixedForms "caret-mixed-forms" Error: caret::MIXED_FORMS,
    CaretContentIgnored "caret-content-ignored" Error: caret::CONTENT_IGNORED,
    CaretStrayLine "caret-stray-line" Warning: caret::STRAY_LINE,
    CaretUnclosedValue "caret-unclosed-value" Warning: caret::UNCLOSED_VALUE,
    CaretUnclosedArray "caret-unclosed-array" Warning: caret::UNCLOSED_ARRAY,
    CaretLeadingBlank "caret-leading-blank" Warning: caret::LEADING_BLANK,
    CaretMarksKept "caret-marks-kept" Warning: caret::MARKS_KEPT,
    NearMissMarker "near-miss-marker" Warning: calls::NEAR_MISS_MARKER,
    UnknownDependency "unknown-dependency" Error: dependencies::UNKNOWN_DEPENDENCY,
    SelfDependency "self-dependency" Error: dependencies::SELF_DEPENDENCY,
    BrokenJson "broken-json" Error: native::BROKEN_JSON,
    DuplicateKey "duplicate-key" Warning: native::DUPLICATE_KEY,
    JsonTooLarge "json-too-large" Warning: native::JSON_TOO_LARGE,
    BrokenArguments "broken-arguments" Error: arguments::BROKEN_ARGUMENTS,
    NotALiteral "not-a-literal" Warning: arguments::NOT_A_LITERAL,
    PositionalArgument "positional-argument" Warning: arguments::POSITIONAL_ARGUMENT,
    ArgumentsForm "arguments-form" Warning: native::ARGUMENTS_FORM,
    MisnamedArguments "misnamed-arguments" Warning: native::MISNAMED_ARGUMENTS,
    EndTagInString "end-tag-in-string" Warning: native::END_TAG_IN_STRING,
    DependencyCycle "dependency-cycle" Error: dependencies::DEPENDENCY_CYCLE,
    BrokenRecord "broken-record" Error: records::BROKEN_RECORD,
    CutOffRecord "cut-off-record" Warning: records::CUT_OFF_RECORD,
    GluedRecords "glued-records" Hint: records::GLUED_RECORDS,
    UnknownRecord "unknown-record" Hint: records::UNKNOWN_RECORD,
    NothingShown "nothing-shown" Warning: records::NOTHING_SHOWN,
    DuplicateRecord "duplicate-record" Hint: records::DUPLICATE_RECORD,
    RecordOutOfOrder "record-out-of-order" Hint: records::RECORD_OUT_OF_ORDER,
    CallInText "call-in-text" Hint: records::CALL_IN_TEXT,
    UnansweredCall "unanswered-call" Warning: records::UNANSWERED_CALL,
    ResultWithoutCall "result-without-call" Warning: records::RESULT_WITHOUT_CALL,
    AnsweredTwice "answered-twice" Warning: records::ANSWERED_TWICE,
    ToolFailed "tool-failed" Note: records::TOOL_FAILED,
    StreamCutOff "stream-cut-off" Warning: records::STREAM_CUT_OFF,
    AnswerStopped "answer-stopped" Warning: records::ANSWER_STOPPED,
    StrayDelta "stray-delta" Warning: records::STRAY_DELTA,
    StreamMismatch "stream-mismatch" Warning: records::STREAM_MISMATCH,
    HiddenCharacters "hidden-characters" Warning: encoding::HIDDEN_CHARACTERS,
    InvalidUtf8 "invalid-utf8" Warning: encoding::INVALID_UTF8,
    BinaryData "binary-data" Warning: encoding::BINARY_DATA,
    NotListed "not-listed" Hint: encoding::NOT_LISTED,
    LostText "lost-text" Warning: encoding::LOST_TEXT,
    NoToolsInRequest "no-tools-in-request" Warning: runtimes::NO_TOOLS_IN_REQUEST,
    UnknownToolDropped "unknown-tool-dropped" Error: runtimes::UNKNOWN_TOOL_DROPPED,
    UnknownToolShown "unknown-tool-shown" Error: runtimes::UNKNOWN_TOOL_SHOWN,
    UnknownToolRejected "unknown-tool-rejected" Error: runtimes::UNKNOWN_TOOL_REJECTED,
    MessageRejected "message-rejected" Error: runtimes::MESSAGE_REJECTED,
    MessageNotMatched "message-not-matched" Error: runtimes::MESSAGE_NOT_MATCHED,
    OneCallSpoilsAll "one-call-spoils-all" Error: runtimes::ONE_CALL_SPOILS_ALL,
    ParserRaises "parser-raises" Error: runtimes::PARSER_RAISES,
    CutCall "cut-call" Error: runtimes::CUT_CALL,
    CutInValue "cut-in-value" Error: runtimes::CUT_IN_VALUE,
    BrokenCall "broken-call" Error: runtimes::BROKEN_CALL,
    WrongShape "wrong-shape" Error: runtimes::WRONG_SHAPE,
    ArgumentsNotAnObject "arguments-not-an-object" Error: runtimes::ARGUMENTS_NOT_AN_OBJECT,
    ValueNotTyped "value-not-typed" Error: runtimes::VALUE_NOT_TYPED,
    RepeatedKey "repeated-key" Warning: runtimes::REPEATED_KEY,
    ProseLost "prose-lost" Warning: runtimes::PROSE_LOST,
    ProseTrimmed "prose-trimmed" Hint: runtimes::PROSE_TRIMMED,
    NewlineAfterOpener "newline-after-opener" Error: runtimes::NEWLINE_AFTER_OPENER,
    NoCallInMarkup "no-call-in-markup" Error: runtimes::NO_CALL_IN_MARKUP,
    NameNotText "name-not-text" Error: runtimes::NAME_NOT_TEXT,
    ReasoningLost "reasoning-lost" Warning: runtimes::REASONING_LOST,
    ReplacedByLater "replaced-by-later" Warning: runtimes::REPLACED_BY_LATER,
    MarkerInContent "marker-in-content" Error: runtimes::MARKER_IN_CONTENT,
    TextInCallLost "text-in-call-lost" Error: runtimes::TEXT_IN_CALL_LOST,
    CallSwallowed "call-swallowed" Error: runtimes::CALL_SWALLOWED,
    CallNotFound "call-not-found" Error: runtimes::CALL_NOT_FOUND,
    CallReadOtherwise "call-read-otherwise" Error: runtimes::CALL_READ_OTHERWISE,
    ValueReadOtherwise "value-read-otherwise" Warning: runtimes::VALUE_READ_OTHERWISE,
    ParameterMissing "parameter-missing" Error: runtimes::PARAMETER_MISSING,
    NotPortable "not-portable" Error: runtimes::NOT_PORTABLE,
}

impl Code {
    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The schema file that the examples of the page are read with, if they need one.
    pub fn example_schema(self) -> Option<&'static str> {
        match self {
            Code::MissingParameter | Code::UnknownParameter | Code::MistypedParameter | Code::InvalidParameter => {
                Some(schema::EXAMPLE)
            }
            Code::NoToolsInRequest => None,
            _ => self.example_reader().map(|_| runtimes::EXAMPLE),
        }
    }

    /// The parsers of runtimes that the examples of the page are read by, if they are not read as usual.
    pub fn example_reader(self) -> Option<ExampleReader> {
        runtimes::example_reader(self)
    }

    /// Whether it says that a limit is reached, which no example that can be read does.
    pub fn is_of_limits(self) -> bool {
        matches!(self, Code::CallTooLarge | Code::NotListed)
    }

    /// Whether its examples are declarations of dialects, and no transcripts.
    pub fn is_of_declarations(self) -> bool {
        use Code::{AmbiguousDialect, ExampleMismatch, InvalidDeclaration};
        matches!(self, InvalidDeclaration | ExampleMismatch | AmbiguousDialect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_of_its_own_and_a_whole_page() {
        for code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code), "the name is another code's as well");
            let (name, page) = (code.name(), code.info());
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
            for words in [page.title, page.help, page.explanation] {
                assert!(!words.is_empty() && !words.contains("  "), "{name}: {words:?}");
            }
            assert_ne!(page.bad, page.good, "{name}");
        }
    }
}
