//! Every kind of problem: its name, its weight, what it means, and an example of it and of its remedy.
//!
//! The pages are what `explain` prints and what the details pane shows. To add a kind: a variant of [`Code`], a page
//! in the file of its subject, and a line in [`Code::page`]; the compiler and the tests ask for the rest. This module
//! does not know how a problem is found.

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

/// What one kind of problem means.
#[derive(Debug)]
pub struct Page {
    /// The stable name, in kebab case: `duplicate-pointer`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// The weight it has unless the place says otherwise.
    pub severity: Severity,
    /// One line of advice.
    pub help: &'static str,
    /// What the runtime does with such a text, and why.
    pub explanation: &'static str,
    /// A text that has the problem; empty where it is not even a text (see [`Page::bad_bytes`]).
    pub bad: &'static str,
    /// The same text as it should be; it has no problem at all.
    pub good: &'static str,
}

impl Page {
    /// The bad example as bytes: invalid UTF-8 cannot be shown in any other way.
    pub fn bad_bytes(&self) -> &'static [u8] {
        if self.bad.is_empty() { b"Gr\xfc\xdfe\n" } else { self.bad.as_bytes() }
    }
}

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the page of each says what it is")]
pub enum Code {
    DuplicatePointer,
    ArrayGap,
    InvalidIndex,
    NotAContainer,
    PointerTooDeep,
    ValueReplaced,
    MissingParameter,
    UnknownParameter,
    MistypedParameter,
    InvalidParameter,
    ForeignMarkup,
    IndexAlias,
    ReservedKey,
    EmptyPointer,
    OddKey,
    ValueOnPointerLine,
    NoArguments,
    LossyNumber,
    NotCoerced,
    FenceCut,
    YamlSyntax,
    YamlDuplicateKey,
    YamlDocuments,
    YamlAlias,
    YamlTooLarge,
    YamlTooDeep,
    YamlTag,
    YamlAmbiguous,
    YamlComplexKey,
    CalloutHeader,
    CalloutUnclosed,
    CalloutIndented,
    CalloutTitle,
    CalloutCarriageReturn,
    CalloutNotSeparated,
    CalloutLazyLine,
    CalloutBodyIndented,
    CalloutNotFields,
    CalloutField,
    CalloutOutputLost,
    ToolFenceClose,
    CarriageReturnKept,
    IndentationKept,
    SwallowedText,
    EmptyName,
    PaddedName,
    EmptyId,
    DuplicateId,
    ColonDependency,
    MarkerOnHeaderLine,
    HeaderWithoutNewline,
    ImplicitEnd,
    UnterminatedCall,
    TextAfterEnd,
    StrayEnd,
    StrayArgument,
    MismatchedTag,
    UnclosedParameter,
    NestedTag,
    ForeignTag,
    GluedTag,
    LoneAngleBracket,
    MalformedTag,
    HalfWrapped,
    IgnoredText,
    NotJson,
    MarkerMidLine,
    MarkerInCode,
    MarkerInQuotation,
    SeveralCalls,
    CaretFenceBlank,
    CaretFenceInValue,
    CaretOpenInside,
    CaretDraftForm,
    CaretMixedForms,
    CaretContentIgnored,
    CaretStrayLine,
    CaretUnclosedValue,
    CaretUnclosedArray,
    CaretLeadingBlank,
    CaretMarksKept,
    NearMissMarker,
    UnknownDependency,
    SelfDependency,
    BrokenJson,
    DuplicateKey,
    JsonTooLarge,
    ArgumentsForm,
    MisnamedArguments,
    EndTagInString,
    DependencyCycle,
    BrokenRecord,
    CutOffRecord,
    GluedRecords,
    UnknownRecord,
    DuplicateRecord,
    RecordOutOfOrder,
    UnansweredCall,
    ResultWithoutCall,
    AnsweredTwice,
    StreamCutOff,
    StrayDelta,
    StreamMismatch,
    HiddenCharacters,
    InvalidUtf8,
    BinaryData,
    /// Bytes that left memory cannot be read again.
    LostText,
}

impl Code {
    /// Every code, in the order of the pages.
    pub const ALL: [Code; Code::LostText as usize + 1] = [
        Code::DuplicatePointer,
        Code::ArrayGap,
        Code::InvalidIndex,
        Code::NotAContainer,
        Code::PointerTooDeep,
        Code::ValueReplaced,
        Code::MissingParameter,
        Code::UnknownParameter,
        Code::MistypedParameter,
        Code::InvalidParameter,
        Code::ForeignMarkup,
        Code::IndexAlias,
        Code::ReservedKey,
        Code::EmptyPointer,
        Code::OddKey,
        Code::ValueOnPointerLine,
        Code::NoArguments,
        Code::LossyNumber,
        Code::NotCoerced,
        Code::FenceCut,
        Code::YamlSyntax,
        Code::YamlDuplicateKey,
        Code::YamlDocuments,
        Code::YamlAlias,
        Code::YamlTooLarge,
        Code::YamlTooDeep,
        Code::YamlTag,
        Code::YamlAmbiguous,
        Code::YamlComplexKey,
        Code::CalloutHeader,
        Code::CalloutUnclosed,
        Code::CalloutIndented,
        Code::CalloutTitle,
        Code::CalloutCarriageReturn,
        Code::CalloutNotSeparated,
        Code::CalloutLazyLine,
        Code::CalloutBodyIndented,
        Code::CalloutNotFields,
        Code::CalloutField,
        Code::CalloutOutputLost,
        Code::ToolFenceClose,
        Code::CarriageReturnKept,
        Code::IndentationKept,
        Code::SwallowedText,
        Code::EmptyName,
        Code::PaddedName,
        Code::EmptyId,
        Code::DuplicateId,
        Code::ColonDependency,
        Code::MarkerOnHeaderLine,
        Code::HeaderWithoutNewline,
        Code::ImplicitEnd,
        Code::UnterminatedCall,
        Code::TextAfterEnd,
        Code::StrayEnd,
        Code::StrayArgument,
        Code::MismatchedTag,
        Code::UnclosedParameter,
        Code::NestedTag,
        Code::ForeignTag,
        Code::GluedTag,
        Code::LoneAngleBracket,
        Code::MalformedTag,
        Code::HalfWrapped,
        Code::IgnoredText,
        Code::NotJson,
        Code::MarkerMidLine,
        Code::MarkerInCode,
        Code::MarkerInQuotation,
        Code::SeveralCalls,
        Code::CaretFenceBlank,
        Code::CaretFenceInValue,
        Code::CaretOpenInside,
        Code::CaretDraftForm,
        Code::CaretMixedForms,
        Code::CaretContentIgnored,
        Code::CaretStrayLine,
        Code::CaretUnclosedValue,
        Code::CaretUnclosedArray,
        Code::CaretLeadingBlank,
        Code::CaretMarksKept,
        Code::NearMissMarker,
        Code::UnknownDependency,
        Code::SelfDependency,
        Code::BrokenJson,
        Code::DuplicateKey,
        Code::JsonTooLarge,
        Code::ArgumentsForm,
        Code::MisnamedArguments,
        Code::EndTagInString,
        Code::DependencyCycle,
        Code::BrokenRecord,
        Code::CutOffRecord,
        Code::GluedRecords,
        Code::UnknownRecord,
        Code::DuplicateRecord,
        Code::RecordOutOfOrder,
        Code::UnansweredCall,
        Code::ResultWithoutCall,
        Code::AnsweredTwice,
        Code::StreamCutOff,
        Code::StrayDelta,
        Code::StreamMismatch,
        Code::HiddenCharacters,
        Code::InvalidUtf8,
        Code::BinaryData,
        Code::LostText,
    ];

    /// The stable name: `duplicate-pointer`.
    pub fn name(self) -> &'static str {
        self.page().name
    }

    /// The code with this name.
    pub fn named(name: &str) -> Option<Code> {
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

    /// What this kind of problem means.
    #[expect(clippy::too_many_lines, reason = "a line for each kind")]
    pub fn page(self) -> &'static Page {
        match self {
            Code::DuplicatePointer => &parameters::DUPLICATE_POINTER,
            Code::ArrayGap => &parameters::ARRAY_GAP,
            Code::InvalidIndex => &parameters::INVALID_INDEX,
            Code::NotAContainer => &parameters::NOT_A_CONTAINER,
            Code::PointerTooDeep => &parameters::POINTER_TOO_DEEP,
            Code::ValueReplaced => &parameters::VALUE_REPLACED,
            Code::MissingParameter => &schema::MISSING_PARAMETER,
            Code::UnknownParameter => &schema::UNKNOWN_PARAMETER,
            Code::MistypedParameter => &schema::MISTYPED_PARAMETER,
            Code::InvalidParameter => &schema::INVALID_PARAMETER,
            Code::ForeignMarkup => &calls::FOREIGN_MARKUP,
            Code::IndexAlias => &parameters::INDEX_ALIAS,
            Code::ReservedKey => &parameters::RESERVED_KEY,
            Code::EmptyPointer => &parameters::EMPTY_POINTER,
            Code::OddKey => &parameters::ODD_KEY,
            Code::ValueOnPointerLine => &parameters::VALUE_ON_POINTER_LINE,
            Code::NoArguments => &parameters::NO_ARGUMENTS,
            Code::LossyNumber => &parameters::LOSSY_NUMBER,
            Code::NotCoerced => &parameters::NOT_COERCED,
            Code::FenceCut => &parameters::FENCE_CUT,
            Code::YamlSyntax => &yaml::YAML_SYNTAX,
            Code::YamlDuplicateKey => &yaml::YAML_DUPLICATE_KEY,
            Code::YamlDocuments => &yaml::YAML_DOCUMENTS,
            Code::YamlAlias => &yaml::YAML_ALIAS,
            Code::YamlTooLarge => &yaml::YAML_TOO_LARGE,
            Code::YamlTooDeep => &yaml::YAML_TOO_DEEP,
            Code::YamlTag => &yaml::YAML_TAG,
            Code::YamlAmbiguous => &yaml::YAML_AMBIGUOUS,
            Code::YamlComplexKey => &yaml::YAML_COMPLEX_KEY,
            Code::CalloutHeader => &callout::CALLOUT_HEADER,
            Code::CalloutUnclosed => &callout::CALLOUT_UNCLOSED,
            Code::CalloutIndented => &callout::CALLOUT_INDENTED,
            Code::CalloutTitle => &callout::CALLOUT_TITLE,
            Code::CalloutCarriageReturn => &callout::CALLOUT_CARRIAGE_RETURN,
            Code::CalloutNotSeparated => &callout::CALLOUT_NOT_SEPARATED,
            Code::CalloutLazyLine => &callout::CALLOUT_LAZY_LINE,
            Code::CalloutBodyIndented => &callout::CALLOUT_BODY_INDENTED,
            Code::CalloutNotFields => &callout::CALLOUT_NOT_FIELDS,
            Code::CalloutField => &callout::CALLOUT_FIELD,
            Code::CalloutOutputLost => &callout::CALLOUT_OUTPUT_LOST,
            Code::ToolFenceClose => &callout::TOOL_FENCE_CLOSE,
            Code::CarriageReturnKept => &parameters::CARRIAGE_RETURN_KEPT,
            Code::IndentationKept => &parameters::INDENTATION_KEPT,
            Code::SwallowedText => &parameters::SWALLOWED_TEXT,
            Code::EmptyName => &calls::EMPTY_NAME,
            Code::PaddedName => &calls::PADDED_NAME,
            Code::EmptyId => &calls::EMPTY_ID,
            Code::DuplicateId => &dependencies::DUPLICATE_ID,
            Code::ColonDependency => &dependencies::COLON_DEPENDENCY,
            Code::MarkerOnHeaderLine => &calls::MARKER_ON_HEADER_LINE,
            Code::HeaderWithoutNewline => &calls::HEADER_WITHOUT_NEWLINE,
            Code::ImplicitEnd => &calls::IMPLICIT_END,
            Code::UnterminatedCall => &calls::UNTERMINATED_CALL,
            Code::TextAfterEnd => &calls::TEXT_AFTER_END,
            Code::StrayEnd => &calls::STRAY_END,
            Code::StrayArgument => &calls::STRAY_ARGUMENT,
            Code::MismatchedTag => &tags::MISMATCHED_TAG,
            Code::UnclosedParameter => &tags::UNCLOSED_PARAMETER,
            Code::NestedTag => &tags::NESTED_TAG,
            Code::ForeignTag => &tags::FOREIGN_TAG,
            Code::GluedTag => &tags::GLUED_TAG,
            Code::LoneAngleBracket => &tags::LONE_ANGLE_BRACKET,
            Code::MalformedTag => &tags::MALFORMED_TAG,
            Code::HalfWrapped => &tags::HALF_WRAPPED,
            Code::IgnoredText => &tags::IGNORED_TEXT,
            Code::NotJson => &tags::NOT_JSON,
            Code::MarkerMidLine => &calls::MARKER_MID_LINE,
            Code::MarkerInCode => &calls::MARKER_IN_CODE,
            Code::MarkerInQuotation => &calls::MARKER_IN_QUOTATION,
            Code::SeveralCalls => &caret::SEVERAL_CALLS,
            Code::CaretFenceBlank => &caret::FENCE_BLANK,
            Code::CaretFenceInValue => &caret::FENCE_IN_VALUE,
            Code::CaretOpenInside => &caret::OPEN_INSIDE,
            Code::CaretDraftForm => &caret::DRAFT_FORM,
            Code::CaretMixedForms => &caret::MIXED_FORMS,
            Code::CaretContentIgnored => &caret::CONTENT_IGNORED,
            Code::CaretStrayLine => &caret::STRAY_LINE,
            Code::CaretUnclosedValue => &caret::UNCLOSED_VALUE,
            Code::CaretUnclosedArray => &caret::UNCLOSED_ARRAY,
            Code::CaretLeadingBlank => &caret::LEADING_BLANK,
            Code::CaretMarksKept => &caret::MARKS_KEPT,
            Code::NearMissMarker => &calls::NEAR_MISS_MARKER,
            Code::UnknownDependency => &dependencies::UNKNOWN_DEPENDENCY,
            Code::SelfDependency => &dependencies::SELF_DEPENDENCY,
            Code::BrokenJson => &native::BROKEN_JSON,
            Code::DuplicateKey => &native::DUPLICATE_KEY,
            Code::JsonTooLarge => &native::JSON_TOO_LARGE,
            Code::ArgumentsForm => &native::ARGUMENTS_FORM,
            Code::MisnamedArguments => &native::MISNAMED_ARGUMENTS,
            Code::EndTagInString => &native::END_TAG_IN_STRING,
            Code::DependencyCycle => &dependencies::DEPENDENCY_CYCLE,
            Code::BrokenRecord => &records::BROKEN_RECORD,
            Code::CutOffRecord => &records::CUT_OFF_RECORD,
            Code::GluedRecords => &records::GLUED_RECORDS,
            Code::UnknownRecord => &records::UNKNOWN_RECORD,
            Code::DuplicateRecord => &records::DUPLICATE_RECORD,
            Code::RecordOutOfOrder => &records::RECORD_OUT_OF_ORDER,
            Code::UnansweredCall => &records::UNANSWERED_CALL,
            Code::ResultWithoutCall => &records::RESULT_WITHOUT_CALL,
            Code::AnsweredTwice => &records::ANSWERED_TWICE,
            Code::StreamCutOff => &records::STREAM_CUT_OFF,
            Code::StrayDelta => &records::STRAY_DELTA,
            Code::StreamMismatch => &records::STREAM_MISMATCH,
            Code::HiddenCharacters => &encoding::HIDDEN_CHARACTERS,
            Code::InvalidUtf8 => &encoding::INVALID_UTF8,
            Code::BinaryData => &encoding::BINARY_DATA,
            Code::LostText => &encoding::LOST_TEXT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_and_found_by_its_name() {
        for (index, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, index);
            assert_eq!(Code::named(code.name()), Some(code));
            let page = code.page();
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
