//! Names of tool call parsers in other programs, and the dialects that read the same text.
//!
//! A user who knows that a server runs with `--tool-call-parser qwen3_coder` need not know the syntax's name here:
//! `vllm:qwen3_coder` selects it. Case does not matter, and `-` equals `_`. How the results of these parsers differ is
//! covered by `runtime`.

use std::collections::BTreeSet;

use crate::runtime::catalog;

/// Program prefixes, and the runtimes whose parsers they name.
const PROGRAMS: [(&str, &str); 3] = [("vllm", "vllm"), ("sglang", "sglang"), ("mlx", "mlx-lm")];

/// Additional names of parsers, and dialects for parsers that read several: program, parser, dialect.
const EXCEPTIONS: [(&str, &str, &str); 7] = [
    ("mlx", "glm47", "glm47"),
    ("sglang", "interns1", "interns1"),
    ("sglang", "k2_v3", "k2-horizon"),
    ("sglang", "mistral", "mistral-array"),
    ("sglang", "muse_glimmer", "muse"),
    ("vllm", "cohere_command", "cohere-r7b"),
    ("vllm", "inkling", "inkling"),
];

/// Result of looking up another program's parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParserLookup {
    /// The name of the dialect that reads the same text.
    Dialect(&'static str),
    /// The program is known but has no such parser; the message lists the parsers that it has.
    UnknownParser(String),
    /// The name does not have the form `PROGRAM:PARSER`, or the program is unknown.
    OtherName,
}

/// Looks up the dialect that `PROGRAM:PARSER` reads.
pub(crate) fn look_up(name: &str) -> ParserLookup {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let Some((program, parser)) = name.split_once(':') else { return ParserLookup::OtherName };
    let Some((program, runtime)) = PROGRAMS.iter().find(|(known, _)| *known == plain(program)) else {
        return ParserLookup::OtherName;
    };
    let exceptions = EXCEPTIONS.iter().filter(|(of, ..)| of == program);
    let exceptions = exceptions.map(|&(_, parser, dialect)| (parser.to_owned(), dialect));
    let profiles = catalog::all().filter(|profile| profile.runtime == *runtime);
    let profiles =
        profiles.flat_map(|profile| profile.parsers.iter().map(move |name| (plain(name), &*profile.dialect)));
    let known: Vec<(String, &str)> = exceptions.chain(profiles).collect();
    if let Some((_, dialect)) = known.iter().find(|(name, _)| *name == plain(parser)) {
        return ParserLookup::Dialect(dialect);
    }
    let names: BTreeSet<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    ParserLookup::UnknownParser(format!("unknown parser {parser:?} of {program}; the known ones are: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::named;

    #[test]
    fn a_parser_is_found_by_its_name_however_that_is_joined() {
        for (name, expected) in [
            ("vllm:qwen3_coder", ParserLookup::Dialect("qwen3-coder")),
            ("SGLang:Qwen25", ParserLookup::Dialect("hermes")),
            ("sglang:minimax-m2", ParserLookup::Dialect("minimax-m2")),
            ("hermes", ParserLookup::OtherName),
            ("emacs:hermes", ParserLookup::OtherName),
        ] {
            assert_eq!(look_up(name), expected, "{name}");
        }
        let ParserLookup::UnknownParser(words) = look_up("mlx:hermes") else { panic!("it has none") };
        assert!(words.starts_with("unknown parser \"hermes\" of mlx; the known ones are: function_gemma, "), "{words}");
    }

    #[test]
    fn every_exception_names_a_dialect() {
        for (_, parser, dialect) in EXCEPTIONS {
            assert!(named(dialect).is_some(), "{parser}: there is no dialect called {dialect}");
        }
    }
}
