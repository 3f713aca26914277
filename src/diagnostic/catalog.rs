//! Every kind of problem: its name, its severity, what it means, and an example of it and of its remedy.
//!
//! The pages are what `explain` prints and what the details pane shows. To add a kind: its page in the file of its
//! subject, and a line in `codes!` that gives it its variant of [`Code`]. This module does not know how a problem is
//! found.

mod callout;
mod calls;
mod caret;
mod dependencies;
mod encoding;
mod native;
mod parameters;
mod records;
mod schema;
mod tags;
mod yaml;

use super::Severity;

/// What one kind of problem is, and what it means.
#[derive(Debug)]
pub struct CodeInfo {
    /// The stable name, in kebab case: `duplicate-pointer`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// The severity it has unless the place says otherwise.
    pub severity: Severity,
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

/// Makes the enum, the list of all codes and the lookup of their pages from one line for each code.
macro_rules! codes {
    ($($code:ident: $subject:ident::$page:ident,)+) => {
        /// The kind of a problem. Problems at the same place are ordered by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("See `", stringify!($page), "` of the pages about ", stringify!($subject), ".")] $code,)+
        }

        impl Code {
            /// Every code, in the order of the declarations: `code as usize` is its index.
            pub const ALL: [Code; [$(Code::$code),+].len()] = [$(Code::$code),+];

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
    DuplicatePointer: parameters::DUPLICATE_POINTER,
    ArrayGap: parameters::ARRAY_GAP,
    InvalidIndex: parameters::INVALID_INDEX,
    NotAContainer: parameters::NOT_A_CONTAINER,
    PointerTooDeep: parameters::POINTER_TOO_DEEP,
    ValueReplaced: parameters::VALUE_REPLACED,
    MissingParameter: schema::MISSING_PARAMETER,
    UnknownParameter: schema::UNKNOWN_PARAMETER,
    MistypedParameter: schema::MISTYPED_PARAMETER,
    InvalidParameter: schema::INVALID_PARAMETER,
    ForeignMarkup: calls::FOREIGN_MARKUP,
    IndexAlias: parameters::INDEX_ALIAS,
    ReservedKey: parameters::RESERVED_KEY,
    EmptyPointer: parameters::EMPTY_POINTER,
    OddKey: parameters::ODD_KEY,
    ValueOnPointerLine: parameters::VALUE_ON_POINTER_LINE,
    NoArguments: parameters::NO_ARGUMENTS,
    LossyNumber: parameters::LOSSY_NUMBER,
    NotCoerced: parameters::NOT_COERCED,
    FenceCut: parameters::FENCE_CUT,
    YamlSyntax: yaml::YAML_SYNTAX,
    YamlDuplicateKey: yaml::YAML_DUPLICATE_KEY,
    YamlDocuments: yaml::YAML_DOCUMENTS,
    YamlAlias: yaml::YAML_ALIAS,
    YamlTooLarge: yaml::YAML_TOO_LARGE,
    YamlTooDeep: yaml::YAML_TOO_DEEP,
    YamlTag: yaml::YAML_TAG,
    YamlAmbiguous: yaml::YAML_AMBIGUOUS,
    YamlComplexKey: yaml::YAML_COMPLEX_KEY,
    CalloutHeader: callout::CALLOUT_HEADER,
    CalloutUnclosed: callout::CALLOUT_UNCLOSED,
    CalloutIndented: callout::CALLOUT_INDENTED,
    CalloutTitle: callout::CALLOUT_TITLE,
    CalloutCarriageReturn: callout::CALLOUT_CARRIAGE_RETURN,
    CalloutNotSeparated: callout::CALLOUT_NOT_SEPARATED,
    CalloutLazyLine: callout::CALLOUT_LAZY_LINE,
    CalloutBodyIndented: callout::CALLOUT_BODY_INDENTED,
    CalloutNotFields: callout::CALLOUT_NOT_FIELDS,
    CalloutField: callout::CALLOUT_FIELD,
    CalloutOutputLost: callout::CALLOUT_OUTPUT_LOST,
    ToolFenceClose: callout::TOOL_FENCE_CLOSE,
    CarriageReturnKept: parameters::CARRIAGE_RETURN_KEPT,
    IndentationKept: parameters::INDENTATION_KEPT,
    SwallowedText: parameters::SWALLOWED_TEXT,
    EmptyName: calls::EMPTY_NAME,
    PaddedName: calls::PADDED_NAME,
    EmptyId: calls::EMPTY_ID,
    DuplicateId: dependencies::DUPLICATE_ID,
    ColonDependency: dependencies::COLON_DEPENDENCY,
    MarkerOnHeaderLine: calls::MARKER_ON_HEADER_LINE,
    HeaderWithoutNewline: calls::HEADER_WITHOUT_NEWLINE,
    ImplicitEnd: calls::IMPLICIT_END,
    UnterminatedCall: calls::UNTERMINATED_CALL,
    TextAfterEnd: calls::TEXT_AFTER_END,
    StrayEnd: calls::STRAY_END,
    StrayArgument: calls::STRAY_ARGUMENT,
    MismatchedTag: tags::MISMATCHED_TAG,
    UnclosedParameter: tags::UNCLOSED_PARAMETER,
    NestedTag: tags::NESTED_TAG,
    ForeignTag: tags::FOREIGN_TAG,
    GluedTag: tags::GLUED_TAG,
    LoneAngleBracket: tags::LONE_ANGLE_BRACKET,
    MalformedTag: tags::MALFORMED_TAG,
    HalfWrapped: tags::HALF_WRAPPED,
    SharedWrapper: tags::SHARED_WRAPPER,
    IgnoredText: tags::IGNORED_TEXT,
    NotJson: tags::NOT_JSON,
    MarkerMidLine: calls::MARKER_MID_LINE,
    MarkerInCode: calls::MARKER_IN_CODE,
    MarkerInQuotation: calls::MARKER_IN_QUOTATION,
    SeveralCalls: caret::SEVERAL_CALLS,
    CaretFenceBlank: caret::FENCE_BLANK,
    CaretFenceInValue: caret::FENCE_IN_VALUE,
    CaretOpenInside: caret::OPEN_INSIDE,
    CaretDraftForm: caret::DRAFT_FORM,
    CaretMixedForms: caret::MIXED_FORMS,
    CaretContentIgnored: caret::CONTENT_IGNORED,
    CaretStrayLine: caret::STRAY_LINE,
    CaretUnclosedValue: caret::UNCLOSED_VALUE,
    CaretUnclosedArray: caret::UNCLOSED_ARRAY,
    CaretLeadingBlank: caret::LEADING_BLANK,
    CaretMarksKept: caret::MARKS_KEPT,
    NearMissMarker: calls::NEAR_MISS_MARKER,
    UnknownDependency: dependencies::UNKNOWN_DEPENDENCY,
    SelfDependency: dependencies::SELF_DEPENDENCY,
    BrokenJson: native::BROKEN_JSON,
    DuplicateKey: native::DUPLICATE_KEY,
    JsonTooLarge: native::JSON_TOO_LARGE,
    ArgumentsForm: native::ARGUMENTS_FORM,
    MisnamedArguments: native::MISNAMED_ARGUMENTS,
    EndTagInString: native::END_TAG_IN_STRING,
    DependencyCycle: dependencies::DEPENDENCY_CYCLE,
    BrokenRecord: records::BROKEN_RECORD,
    CutOffRecord: records::CUT_OFF_RECORD,
    GluedRecords: records::GLUED_RECORDS,
    UnknownRecord: records::UNKNOWN_RECORD,
    DuplicateRecord: records::DUPLICATE_RECORD,
    RecordOutOfOrder: records::RECORD_OUT_OF_ORDER,
    UnansweredCall: records::UNANSWERED_CALL,
    ResultWithoutCall: records::RESULT_WITHOUT_CALL,
    AnsweredTwice: records::ANSWERED_TWICE,
    StreamCutOff: records::STREAM_CUT_OFF,
    StrayDelta: records::STRAY_DELTA,
    StreamMismatch: records::STREAM_MISMATCH,
    HiddenCharacters: encoding::HIDDEN_CHARACTERS,
    InvalidUtf8: encoding::INVALID_UTF8,
    BinaryData: encoding::BINARY_DATA,
    LostText: encoding::LOST_TEXT,
}

impl Code {
    /// The stable name in kebab case, which scripts rely on: `duplicate-pointer`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

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
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_of_its_own_and_a_whole_page() {
        for code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code), "the name is another code's as well");
            let page = code.info();
            assert!(
                page.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                page.name
            );
            for words in [page.title, page.help, page.explanation] {
                assert!(!words.is_empty() && !words.contains("  "), "{}: {words:?}", page.name);
            }
            assert_ne!(page.bad, page.good, "{}", page.name);
        }
    }
}
