//! Every kind of problem: its name, its severity and its page, which explains it with an example and its correction.
//!
//! `explain` prints the pages and the details pane shows them. To add a kind: its page `pages/NAME.md`, and a line in
//! `codes!` with its variant of [`Code`], its name and its severity.

use std::sync::OnceLock;

use super::Severity;

/// The page of a kind of problem.
#[derive(Debug)]
pub struct CodeInfo {
    /// A title of a few words.
    pub title: String,
    /// One line of advice in the imperative, used unless the problem has its own.
    pub help: String,
    /// How the runtime treats such text, and why.
    pub explanation: String,
    /// A text that has the problem; it may be invalid UTF-8.
    pub bad: Vec<u8>,
    /// The same text without any problem.
    pub good: Vec<u8>,
    /// The runtime parsers that read the examples, if those are not read the usual way.
    pub reader: Option<ExampleReader>,
}

impl CodeInfo {
    /// Parses a page; a missing section is empty.
    fn parse(page: &'static str) -> Self {
        let section =
            |heading| page.split_once(heading).map_or("", |(_, rest)| rest.split("\n\n## ").next().unwrap_or(rest));
        let unwrapped = |text: &str| text.trim_end().replace('\n', " ");
        let (title, explanation) = section("# ").split_once("\n\n").unwrap_or_default();
        let reader = section("\n\n## Read by\n\n").trim_end().split_once(": ");
        Self {
            title: title.to_owned(),
            help: unwrapped(section("\n\n## Help\n\n")),
            explanation: unwrapped(explanation),
            bad: example(section("\n\n## Bad\n\n")),
            good: example(section("\n\n## Good\n\n")),
            reader: reader.map(|(dialect, parsers)| ExampleReader { dialect, parsers: parsers.split(", ").collect() }),
        }
    }
}

/// The bytes of a fenced example. `\xFF` stands for an invisible byte, and a final backslash means no line end.
fn example(section: &str) -> Vec<u8> {
    let fenced = section.trim_end().trim_start_matches("~~~~text\n").trim_end_matches("~~~~");
    let mut parts = fenced.strip_suffix("\\\n").unwrap_or(fenced).split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or_default();
        bytes.extend(u8::from_str_radix(digits, 16));
        bytes.extend(rest.bytes());
    }
    bytes
}

/// The runtime parsers that read the examples of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleReader {
    /// The dialect of the examples.
    pub dialect: &'static str,
    /// Parsers as `vllm:hermes`; if there are several, they are compared.
    pub parsers: Vec<&'static str>,
}

/// Generates the enum, the list of all codes and of their pages from one line for each code.
macro_rules! codes {
    ($($code:ident $name:literal $severity:ident,)+) => {
        /// The kind of a problem. Problems at the same place are sorted by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("See `pages/", $name, ".md`.")] $code,)+
        }

        impl Code {
            /// Every code, in declaration order: `code as usize` is its index.
            pub const ALL: [Code; [$(Code::$code),+].len()] = [$(Code::$code),+];

            /// The stable name in kebab case, which scripts rely on: `duplicate-pointer`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)+
                }
            }

            /// Its default severity.
            pub fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)+
                }
            }

            /// The unparsed pages.
            const PAGES: [&str; Code::ALL.len()] = [$(include_str!(concat!("pages/", $name, ".md"))),+];
        }
    };
}

codes! {
    DuplicatePointer "duplicate-pointer" Error,
    ArrayGap "array-gap" Error,
    InvalidIndex "invalid-index" Error,
    NotAContainer "not-a-container" Error,
    PointerTooDeep "pointer-too-deep" Error,
    ValueDropped "value-dropped" Error,
    ValueReplaced "value-replaced" Error,
    MissingParameter "missing-parameter" Error,
    UnknownParameter "unknown-parameter" Warning,
    MistypedParameter "mistyped-parameter" Error,
    InvalidParameter "invalid-parameter" Error,
    ForeignMarkup "foreign-markup" Warning,
    IndexAlias "index-alias" Warning,
    ReservedKey "reserved-key" Warning,
    EmptyPointer "empty-pointer" Error,
    OddKey "odd-key" Warning,
    ValueOnPointerLine "value-on-pointer-line" Warning,
    NoArguments "no-arguments" Error,
    LossyNumber "lossy-number" Warning,
    NotCoerced "not-coerced" Hint,
    FenceCut "fence-cut" Warning,
    YamlSyntax "yaml-syntax" Error,
    YamlDuplicateKey "yaml-duplicate-key" Error,
    YamlDocuments "yaml-documents" Error,
    YamlAlias "yaml-alias" Error,
    YamlTooLarge "yaml-too-large" Error,
    YamlTooDeep "yaml-too-deep" Error,
    YamlTag "yaml-tag" Error,
    YamlAmbiguous "yaml-ambiguous" Hint,
    YamlComplexKey "yaml-complex-key" Warning,
    CalloutHeader "callout-header" Warning,
    CalloutUnclosed "callout-unclosed" Error,
    CalloutIndented "callout-indented" Error,
    CalloutTitle "callout-title" Error,
    CalloutCarriageReturn "callout-carriage-return" Error,
    CalloutNotSeparated "callout-not-separated" Error,
    CalloutLazyLine "callout-lazy-line" Error,
    CalloutBodyIndented "callout-body-indented" Error,
    CalloutNotFields "callout-not-fields" Error,
    CalloutField "callout-field" Warning,
    CalloutOutputLost "callout-output-lost" Warning,
    ToolFenceClose "tool-fence-close" Error,
    CarriageReturnKept "carriage-return-kept" Warning,
    IndentationKept "indentation-kept" Warning,
    SwallowedText "swallowed-text" Warning,
    CallTooLarge "call-too-large" Warning,
    EmptyName "empty-name" Error,
    CallNotRead "call-not-read" Hint,
    InvalidDeclaration "invalid-declaration" Error,
    ExampleMismatch "example-mismatch" Error,
    AmbiguousDialect "ambiguous-dialect" Warning,
    PaddedName "padded-name" Error,
    EmptyId "empty-id" Warning,
    DuplicateId "duplicate-id" Warning,
    ColonDependency "colon-dependency" Hint,
    MarkerOnHeaderLine "marker-on-header-line" Error,
    HeaderWithoutNewline "header-without-newline" Error,
    ImplicitEnd "implicit-end" Warning,
    UnterminatedCall "unterminated-call" Warning,
    TextAfterEnd "text-after-end" Warning,
    StrayEnd "stray-end" Warning,
    StrayArgument "stray-argument" Warning,
    MismatchedTag "mismatched-tag" Warning,
    UnclosedParameter "unclosed-parameter" Error,
    NestedTag "nested-tag" Error,
    ForeignTag "foreign-tag" Error,
    GluedTag "glued-tag" Error,
    LoneAngleBracket "lone-angle-bracket" Error,
    MalformedTag "malformed-tag" Error,
    HalfWrapped "half-wrapped" Warning,
    SharedWrapper "shared-wrapper" Warning,
    IgnoredText "ignored-text" Warning,
    NotJson "not-json" Error,
    OverlappingMarkers "overlapping-markers" Warning,
    MarkerMidLine "marker-mid-line" Warning,
    MarkerInCode "marker-in-code" Warning,
    MarkerInQuotation "marker-in-quotation" Warning,
    SeveralCalls "several-calls" Hint,
    CaretFenceBlank "caret-fence-blank" Error,
    CaretFenceInValue "caret-fence-in-value" Error,
    CaretOpenInside "caret-open-inside" Error,
    CaretDraftForm "caret-draft-form" Warning,
    CaretMixedForms "caret-mixed-forms" Error,
    CaretContentIgnored "caret-content-ignored" Error,
    CaretStrayLine "caret-stray-line" Warning,
    CaretUnclosedValue "caret-unclosed-value" Warning,
    CaretUnclosedArray "caret-unclosed-array" Warning,
    CaretLeadingBlank "caret-leading-blank" Warning,
    CaretMarksKept "caret-marks-kept" Warning,
    NearMissMarker "near-miss-marker" Warning,
    UnknownDependency "unknown-dependency" Error,
    SelfDependency "self-dependency" Error,
    BrokenJson "broken-json" Error,
    DuplicateKey "duplicate-key" Warning,
    JsonTooLarge "json-too-large" Warning,
    BrokenArguments "broken-arguments" Error,
    NotALiteral "not-a-literal" Warning,
    PositionalArgument "positional-argument" Warning,
    ArgumentsForm "arguments-form" Warning,
    MisnamedArguments "misnamed-arguments" Warning,
    EndTagInString "end-tag-in-string" Warning,
    DependencyCycle "dependency-cycle" Error,
    BrokenRecord "broken-record" Error,
    CutOffRecord "cut-off-record" Warning,
    GluedRecords "glued-records" Hint,
    UnknownRecord "unknown-record" Hint,
    NothingShown "nothing-shown" Warning,
    DuplicateRecord "duplicate-record" Hint,
    RecordOutOfOrder "record-out-of-order" Hint,
    HistoryChanged "history-changed" Hint,
    CallInText "call-in-text" Hint,
    UnansweredCall "unanswered-call" Warning,
    ResultWithoutCall "result-without-call" Warning,
    AnsweredTwice "answered-twice" Warning,
    ToolFailed "tool-failed" Note,
    StreamCutOff "stream-cut-off" Warning,
    AnswerStopped "answer-stopped" Warning,
    StrayDelta "stray-delta" Warning,
    StreamMismatch "stream-mismatch" Warning,
    HiddenCharacters "hidden-characters" Warning,
    InvalidUtf8 "invalid-utf8" Warning,
    BinaryData "binary-data" Warning,
    NotListed "not-listed" Hint,
    LostText "lost-text" Warning,
    NoToolsInRequest "no-tools-in-request" Warning,
    UnknownToolDropped "unknown-tool-dropped" Error,
    UnknownToolShown "unknown-tool-shown" Error,
    UnknownToolRejected "unknown-tool-rejected" Error,
    MessageRejected "message-rejected" Error,
    MessageNotMatched "message-not-matched" Error,
    OneCallSpoilsAll "one-call-spoils-all" Error,
    ParserRaises "parser-raises" Error,
    CutCall "cut-call" Error,
    CutInValue "cut-in-value" Error,
    CloserInValue "closer-in-value" Error,
    EndMarkerMissing "end-marker-missing" Error,
    BrokenCall "broken-call" Error,
    WrongShape "wrong-shape" Error,
    ArgumentsNotAnObject "arguments-not-an-object" Error,
    ValueNotTyped "value-not-typed" Error,
    RepeatedKey "repeated-key" Warning,
    ProseLost "prose-lost" Warning,
    ProseTrimmed "prose-trimmed" Hint,
    NewlineAfterOpener "newline-after-opener" Error,
    NoCallInMarkup "no-call-in-markup" Error,
    NameNotText "name-not-text" Error,
    NoName "no-name" Error,
    ReasoningLost "reasoning-lost" Warning,
    ReplacedByLater "replaced-by-later" Warning,
    MarkerInContent "marker-in-content" Error,
    TextInCallLost "text-in-call-lost" Error,
    CallSwallowed "call-swallowed" Error,
    CallNotFound "call-not-found" Error,
    CallBoundaries "call-boundaries" Error,
    IdNotRead "id-not-read" Warning,
    TypedBySchema "typed-by-schema" Warning,
    TypedByJson "typed-by-json" Warning,
    TypedByPython "typed-by-python" Warning,
    ValueTrimmed "value-trimmed" Hint,
    ValueBoundaries "value-boundaries" Warning,
    ThinkingInContent "thinking-in-content" Warning,
    ThinkingSplitOff "thinking-split-off" Hint,
    ProseKept "prose-kept" Hint,
    ParserMayHang "parser-may-hang" Warning,
    ParameterMissing "parameter-missing" Error,
    NotPortable "not-portable" Error,
    InvalidTemplate "invalid-template" Error,
    TemplateNotChecked "template-not-checked" Warning,
    CallLostInHistory "call-lost-in-history" Error,
    ParallelCallLost "parallel-call-lost" Error,
    ResultLost "result-lost" Error,
    MessageLost "message-lost" Error,
    CallRaises "call-raises" Error,
    PromptRaises "prompt-raises" Error,
    SystemRaises "system-raises" Warning,
    NeedsMutableList "needs-mutable-list" Warning,
    ArgumentsStringRaises "arguments-string-raises" Warning,
    ArgumentsEscapedTwice "arguments-escaped-twice" Warning,
    ArgumentsInOtherSyntax "arguments-in-other-syntax" Warning,
    ContentNoneRaises "content-none-raises" Warning,
    ContentNonePrinted "content-none-printed" Warning,
    TextBesideCallLost "text-beside-call-lost" Warning,
    ResultEscapedTwice "result-escaped-twice" Warning,
    IdRejected "id-rejected" Warning,
    ParallelRaises "parallel-raises" Warning,
    NoToolsRaises "no-tools-raises" Warning,
    ReasoningLeftOut "reasoning-left-out" Warning,
    ToolsNotShown "tools-not-shown" Warning,
    ToolsHtmlEscaped "tools-html-escaped" Warning,
    ToolsMove "tools-move" Warning,
    TemplateSourcesDiffer "template-sources-differ" Warning,
    IndentationInPrompt "indentation-in-prompt" Warning,
    PromptNotAPrefix "prompt-not-a-prefix" Hint,
    ReasoningDroppedLater "reasoning-dropped-later" Hint,
    ThinkingOpenedByPrompt "thinking-opened-by-prompt" Hint,
    GenerationPromptIgnored "generation-prompt-ignored" Hint,
    DatedPrompt "dated-prompt" Hint,
    ResultsByOrder "results-by-order" Hint,
    IdsNotShown "ids-not-shown" Hint,
    ContentTrimmed "content-trimmed" Hint,
}

impl Code {
    /// Its page, which is parsed on first use.
    pub fn info(self) -> &'static CodeInfo {
        static PARSED: [OnceLock<CodeInfo>; Code::ALL.len()] = [const { OnceLock::new() }; Code::ALL.len()];
        PARSED[self as usize].get_or_init(|| CodeInfo::parse(Code::PAGES[self as usize]))
    }

    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The schema file for reading the examples on its page, if they need one.
    pub fn example_schema(self) -> Option<&'static str> {
        match self {
            Code::MissingParameter | Code::UnknownParameter | Code::MistypedParameter | Code::InvalidParameter => {
                Some(include_str!("pages/schema.json"))
            }
            Code::NoToolsInRequest => None,
            _ => self.info().reader.as_ref().map(|_| include_str!("pages/request.json")),
        }
    }

    /// True if it reports that a limit was exceeded, which no readable example can show.
    pub fn is_of_limits(self) -> bool {
        matches!(self, Code::CallTooLarge | Code::NotListed | Code::TemplateNotChecked)
    }

    /// True if its examples are declarations of dialects rather than transcripts.
    pub fn is_of_declarations(self) -> bool {
        use Code::{AmbiguousDialect, ExampleMismatch, InvalidDeclaration};
        matches!(self, InvalidDeclaration | ExampleMismatch | AmbiguousDialect)
    }

    /// True if its examples are chat templates, or files that have them.
    pub fn is_of_templates(self) -> bool {
        self as usize >= Code::InvalidTemplate as usize
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
            for text in [&page.title, &page.help, &page.explanation] {
                assert!(!text.is_empty() && !text.contains("  "), "{name}: {text:?}");
            }
            assert_ne!(page.bad, page.good, "{name}");
            let page = Code::PAGES[code as usize];
            let headings = page.lines().filter(|line| line.starts_with("## ")).collect::<Vec<_>>();
            assert_eq!(headings[..3], ["## Bad", "## Good", "## Help"], "{name}");
            assert_eq!(page.matches("\n~~~~text\n").count(), 2, "{name}");
        }
        let pages = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostic/pages")).expect("it exists");
        let names = pages.map(|page| page.expect("it is readable").path());
        let unused = names
            .filter(|page| page.extension() == Some("md".as_ref()))
            .filter(|page| page.file_stem().and_then(|name| Code::from_name(name.to_str()?)).is_none());
        assert_eq!(unused.collect::<Vec<_>>(), Vec::<std::path::PathBuf>::new(), "pages without a code");
    }
}
