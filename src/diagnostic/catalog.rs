//! Every kind of problem: its name, its weight, what it means, and an example of it and of its remedy.
//!
//! The pages are what `explain` prints and what the details pane shows. To add a kind: a variant of [`Code`], a page
//! in the file of its subject, and a line in [`Code::page`]; the compiler and the tests ask for the rest. This module
//! does not know how a problem is found.

mod calls;
mod caret;
mod dependencies;
mod encoding;
mod parameters;

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
    IndexAlias,
    ReservedKey,
    EmptyPointer,
    OddKey,
    ValueOnPointerLine,
    NoArguments,
    LossyNumber,
    NotCoerced,
    FenceCut,
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
    DependencyCycle,
    HiddenCharacters,
    InvalidUtf8,
    BinaryData,
}

impl Code {
    /// Every code, in the order of the pages.
    pub const ALL: [Code; Code::BinaryData as usize + 1] = [
        Code::DuplicatePointer,
        Code::ArrayGap,
        Code::InvalidIndex,
        Code::NotAContainer,
        Code::PointerTooDeep,
        Code::ValueReplaced,
        Code::IndexAlias,
        Code::ReservedKey,
        Code::EmptyPointer,
        Code::OddKey,
        Code::ValueOnPointerLine,
        Code::NoArguments,
        Code::LossyNumber,
        Code::NotCoerced,
        Code::FenceCut,
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
        Code::DependencyCycle,
        Code::HiddenCharacters,
        Code::InvalidUtf8,
        Code::BinaryData,
    ];

    /// The stable name: `duplicate-pointer`.
    pub fn name(self) -> &'static str {
        self.page().name
    }

    /// The code with this name.
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }

    /// What this kind of problem means.
    pub fn page(self) -> &'static Page {
        match self {
            Code::DuplicatePointer => &parameters::DUPLICATE_POINTER,
            Code::ArrayGap => &parameters::ARRAY_GAP,
            Code::InvalidIndex => &parameters::INVALID_INDEX,
            Code::NotAContainer => &parameters::NOT_A_CONTAINER,
            Code::PointerTooDeep => &parameters::POINTER_TOO_DEEP,
            Code::ValueReplaced => &parameters::VALUE_REPLACED,
            Code::IndexAlias => &parameters::INDEX_ALIAS,
            Code::ReservedKey => &parameters::RESERVED_KEY,
            Code::EmptyPointer => &parameters::EMPTY_POINTER,
            Code::OddKey => &parameters::ODD_KEY,
            Code::ValueOnPointerLine => &parameters::VALUE_ON_POINTER_LINE,
            Code::NoArguments => &parameters::NO_ARGUMENTS,
            Code::LossyNumber => &parameters::LOSSY_NUMBER,
            Code::NotCoerced => &parameters::NOT_COERCED,
            Code::FenceCut => &parameters::FENCE_CUT,
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
            Code::DependencyCycle => &dependencies::DEPENDENCY_CYCLE,
            Code::HiddenCharacters => &encoding::HIDDEN_CHARACTERS,
            Code::InvalidUtf8 => &encoding::INVALID_UTF8,
            Code::BinaryData => &encoding::BINARY_DATA,
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
