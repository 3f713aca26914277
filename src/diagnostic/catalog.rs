//! Every kind of problem: its name, its severity, what it means, and an example of it and of its remedy.
//!
//! The pages are what `explain` prints and what the details pane shows. To add a kind: its page in the file of its
//! subject, and a line in `codes!` with its variant of [`Code`] and its name. This module does not know how a problem
//! is found.

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
    ($($code:ident $name:literal: $subject:ident::$page:ident,)+) => {
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
    DuplicatePointer "duplicate-pointer": parameters::DUPLICATE_POINTER,
    ArrayGap "array-gap": parameters::ARRAY_GAP,
    InvalidIndex "invalid-index": parameters::INVALID_INDEX,
    NotAContainer "not-a-container": parameters::NOT_A_CONTAINER,
    PointerTooDeep "pointer-too-deep": parameters::POINTER_TOO_DEEP,
    ValueReplaced "value-replaced": parameters::VALUE_REPLACED,
    MissingParameter "missing-parameter": schema::MISSING_PARAMETER,
    UnknownParameter "unknown-parameter": schema::UNKNOWN_PARAMETER,
    MistypedParameter "mistyped-parameter": schema::MISTYPED_PARAMETER,
    InvalidParameter "invalid-parameter": schema::INVALID_PARAMETER,
    ForeignMarkup "foreign-markup": calls::FOREIGN_MARKUP,
    IndexAlias "index-alias": parameters::INDEX_ALIAS,
    ReservedKey "reserved-key": parameters::RESERVED_KEY,
    EmptyPointer "empty-pointer": parameters::EMPTY_POINTER,
    OddKey "odd-key": parameters::ODD_KEY,
    ValueOnPointerLine "value-on-pointer-line": parameters::VALUE_ON_POINTER_LINE,
    NoArguments "no-arguments": parameters::NO_ARGUMENTS,
    LossyNumber "lossy-number": parameters::LOSSY_NUMBER,
    NotCoerced "not-coerced": parameters::NOT_COERCED,
    FenceCut "fence-cut": parameters::FENCE_CUT,
    YamlSyntax "yaml-syntax": yaml::YAML_SYNTAX,
    YamlDuplicateKey "yaml-duplicate-key": yaml::YAML_DUPLICATE_KEY,
    YamlDocuments "yaml-documents": yaml::YAML_DOCUMENTS,
    YamlAlias "yaml-alias": yaml::YAML_ALIAS,
    YamlTooLarge "yaml-too-large": yaml::YAML_TOO_LARGE,
    YamlTooDeep "yaml-too-deep": yaml::YAML_TOO_DEEP,
    YamlTag "yaml-tag": yaml::YAML_TAG,
    YamlAmbiguous "yaml-ambiguous": yaml::YAML_AMBIGUOUS,
    YamlComplexKey "yaml-complex-key": yaml::YAML_COMPLEX_KEY,
    CalloutHeader "callout-header": callout::CALLOUT_HEADER,
    CalloutUnclosed "callout-unclosed": callout::CALLOUT_UNCLOSED,
    CalloutIndented "callout-indented": callout::CALLOUT_INDENTED,
    CalloutTitle "callout-title": callout::CALLOUT_TITLE,
    CalloutCarriageReturn "callout-carriage-return": callout::CALLOUT_CARRIAGE_RETURN,
    CalloutNotSeparated "callout-not-separated": callout::CALLOUT_NOT_SEPARATED,
    CalloutLazyLine "callout-lazy-line": callout::CALLOUT_LAZY_LINE,
    CalloutBodyIndented "callout-body-indented": callout::CALLOUT_BODY_INDENTED,
    CalloutNotFields "callout-not-fields": callout::CALLOUT_NOT_FIELDS,
    CalloutField "callout-field": callout::CALLOUT_FIELD,
    CalloutOutputLost "callout-output-lost": callout::CALLOUT_OUTPUT_LOST,
    ToolFenceClose "tool-fence-close": callout::TOOL_FENCE_CLOSE,
    CarriageReturnKept "carriage-return-kept": parameters::CARRIAGE_RETURN_KEPT,
    IndentationKept "indentation-kept": parameters::INDENTATION_KEPT,
    SwallowedText "swallowed-text": parameters::SWALLOWED_TEXT,
    EmptyName "empty-name": calls::EMPTY_NAME,
    PaddedName "padded-name": calls::PADDED_NAME,
    EmptyId "empty-id": calls::EMPTY_ID,
    DuplicateId "duplicate-id": dependencies::DUPLICATE_ID,
    ColonDependency "colon-dependency": dependencies::COLON_DEPENDENCY,
    MarkerOnHeaderLine "marker-on-header-line": calls::MARKER_ON_HEADER_LINE,
    HeaderWithoutNewline "header-without-newline": calls::HEADER_WITHOUT_NEWLINE,
    ImplicitEnd "implicit-end": calls::IMPLICIT_END,
    UnterminatedCall "unterminated-call": calls::UNTERMINATED_CALL,
    TextAfterEnd "text-after-end": calls::TEXT_AFTER_END,
    StrayEnd "stray-end": calls::STRAY_END,
    StrayArgument "stray-argument": calls::STRAY_ARGUMENT,
    MismatchedTag "mismatched-tag": tags::MISMATCHED_TAG,
    UnclosedParameter "unclosed-parameter": tags::UNCLOSED_PARAMETER,
    NestedTag "nested-tag": tags::NESTED_TAG,
    ForeignTag "foreign-tag": tags::FOREIGN_TAG,
    GluedTag "glued-tag": tags::GLUED_TAG,
    LoneAngleBracket "lone-angle-bracket": tags::LONE_ANGLE_BRACKET,
    MalformedTag "malformed-tag": tags::MALFORMED_TAG,
    HalfWrapped "half-wrapped": tags::HALF_WRAPPED,
    IgnoredText "ignored-text": tags::IGNORED_TEXT,
    NotJson "not-json": tags::NOT_JSON,
    MarkerMidLine "marker-mid-line": calls::MARKER_MID_LINE,
    MarkerInCode "marker-in-code": calls::MARKER_IN_CODE,
    MarkerInQuotation "marker-in-quotation": calls::MARKER_IN_QUOTATION,
    SeveralCalls "several-calls": caret::SEVERAL_CALLS,
    CaretFenceBlank "caret-fence-blank": caret::FENCE_BLANK,
    CaretFenceInValue "caret-fence-in-value": caret::FENCE_IN_VALUE,
    CaretOpenInside "caret-open-inside": caret::OPEN_INSIDE,
    CaretDraftForm "caret-draft-form": caret::DRAFT_FORM,
    CaretMixedForms "caret-mixed-forms": caret::MIXED_FORMS,
    CaretContentIgnored "caret-content-ignored": caret::CONTENT_IGNORED,
    CaretStrayLine "caret-stray-line": caret::STRAY_LINE,
    CaretUnclosedValue "caret-unclosed-value": caret::UNCLOSED_VALUE,
    CaretUnclosedArray "caret-unclosed-array": caret::UNCLOSED_ARRAY,
    CaretLeadingBlank "caret-leading-blank": caret::LEADING_BLANK,
    CaretMarksKept "caret-marks-kept": caret::MARKS_KEPT,
    NearMissMarker "near-miss-marker": calls::NEAR_MISS_MARKER,
    UnknownDependency "unknown-dependency": dependencies::UNKNOWN_DEPENDENCY,
    SelfDependency "self-dependency": dependencies::SELF_DEPENDENCY,
    BrokenJson "broken-json": native::BROKEN_JSON,
    DuplicateKey "duplicate-key": native::DUPLICATE_KEY,
    JsonTooLarge "json-too-large": native::JSON_TOO_LARGE,
    ArgumentsForm "arguments-form": native::ARGUMENTS_FORM,
    MisnamedArguments "misnamed-arguments": native::MISNAMED_ARGUMENTS,
    EndTagInString "end-tag-in-string": native::END_TAG_IN_STRING,
    DependencyCycle "dependency-cycle": dependencies::DEPENDENCY_CYCLE,
    BrokenRecord "broken-record": records::BROKEN_RECORD,
    CutOffRecord "cut-off-record": records::CUT_OFF_RECORD,
    GluedRecords "glued-records": records::GLUED_RECORDS,
    UnknownRecord "unknown-record": records::UNKNOWN_RECORD,
    DuplicateRecord "duplicate-record": records::DUPLICATE_RECORD,
    RecordOutOfOrder "record-out-of-order": records::RECORD_OUT_OF_ORDER,
    UnansweredCall "unanswered-call": records::UNANSWERED_CALL,
    ResultWithoutCall "result-without-call": records::RESULT_WITHOUT_CALL,
    AnsweredTwice "answered-twice": records::ANSWERED_TWICE,
    StreamCutOff "stream-cut-off": records::STREAM_CUT_OFF,
    StrayDelta "stray-delta": records::STRAY_DELTA,
    StreamMismatch "stream-mismatch": records::STREAM_MISMATCH,
    HiddenCharacters "hidden-characters": encoding::HIDDEN_CHARACTERS,
    InvalidUtf8 "invalid-utf8": encoding::INVALID_UTF8,
    BinaryData "binary-data": encoding::BINARY_DATA,
    LostText "lost-text": encoding::LOST_TEXT,
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
            let (name, page) = (code.name(), code.info());
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
            for words in [page.title, page.help, page.explanation] {
                assert!(!words.is_empty() && !words.contains("  "), "{name}: {words:?}");
            }
            assert_ne!(page.bad, page.good, "{name}");
        }
    }
}
