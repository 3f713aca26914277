//! The names that parsers of tool calls have in other programs, and the dialects that read the same text.
//!
//! Whoever knows that a server runs with `--tool-call-parser qwen3_coder` need not know what the syntax is called here:
//! `vllm:qwen3_coder` names it. Case does not matter, and `-` is as good as `_`. What these parsers make of a text, where
//! they differ from each other, this module does not know.

/// A program and the names of its parsers, each with the dialect that reads the same text.
pub struct Program {
    /// What stands in front of the colon.
    pub name: &'static str,
    /// Names of parsers with names of dialects.
    pub parsers: &'static [(&'static str, &'static str)],
}

/// All programs whose parsers are known.
pub static PROGRAMS: [Program; 3] = [
    Program {
        name: "vllm",
        parsers: &[
            ("apertus", "apertus"),
            ("cohere_command", "cohere-r7b"),
            ("deepseek_v3", "deepseek-v3"),
            ("deepseek_v31", "deepseek-v31"),
            ("deepseek_v32", "deepseek-v32"),
            ("deepseek_v4", "deepseek-v4"),
            ("dots", "dots"),
            ("ernie45", "ernie45"),
            ("functiongemma", "functiongemma"),
            ("gemma4", "gemma4"),
            ("gigachat3", "gigachat3"),
            ("glm45", "glm45"),
            ("glm47", "glm47"),
            ("granite", "granite3"),
            ("granite4", "granite4"),
            ("granite_20b_fc", "granite-20b-fc"),
            ("harmony", "harmony"),
            ("hermes", "hermes"),
            ("hunyuan_a13b", "hunyuan-a13b"),
            ("hy_v3", "hunyuan-v3"),
            ("inkling", "inkling"),
            ("internlm", "internlm"),
            ("jamba", "jamba"),
            ("kimi_k2", "kimi-k2"),
            ("kimi_k3", "kimi-k3"),
            ("lfm2", "lfm2"),
            ("ling3", "ling3"),
            ("llama3_json", "llama3-json"),
            ("llama4_pythonic", "llama4-pythonic"),
            ("longcat", "longcat"),
            ("mimo", "mimo"),
            ("minicpm5", "minicpm5"),
            ("minimax_m2", "minimax-m2"),
            ("minimax_m3", "minimax-m3"),
            ("mistral", "mistral-args"),
            ("muse_glimmer", "muse"),
            ("nemotron_v3", "nemotron3"),
            ("olmo3", "olmo3"),
            ("openai", "harmony"),
            ("phi4_mini_json", "phi4-mini"),
            ("poolside_v1", "poolside-v1"),
            ("pythonic", "pythonic"),
            ("qwen3_coder", "qwen3-coder"),
            ("qwen3_xml", "qwen3-coder"),
            ("seed_oss", "seed-oss"),
            ("step3", "step3"),
            ("step3p5", "step3p5"),
            ("xlam", "xlam"),
        ],
    },
    Program {
        name: "sglang",
        parsers: &[
            ("apertus2509", "apertus"),
            ("beam", "beam"),
            ("cohere_command4", "cohere-r7b"),
            ("deepseekv3", "deepseek-v3"),
            ("deepseekv31", "deepseek-v31"),
            ("deepseekv32", "deepseek-v32"),
            ("deepseekv4", "deepseek-v4"),
            ("deepseekv41", "deepseek-v41"),
            ("dots", "dots"),
            ("gemma4", "gemma4"),
            ("gigachat3", "gigachat3"),
            ("gigachat35", "gigachat35"),
            ("glm45", "glm45"),
            ("glm47", "glm47"),
            ("gpt_oss", "harmony"),
            ("hermes", "hermes"),
            ("hunyuan", "hunyuan-v3"),
            ("inkling", "inkling"),
            ("interns1", "interns1"),
            ("iquest_q1", "iquest-q1"),
            ("k2_v3", "k2-horizon"),
            ("kimi_k2", "kimi-k2"),
            ("kimi_k3", "kimi-k3"),
            ("lfm2", "lfm2"),
            ("ling3", "ling3"),
            ("llama3", "llama3-json"),
            ("mimo", "mimo"),
            ("minicpm5", "minicpm5"),
            ("minimax_m2", "minimax-m2"),
            ("minimax_m3", "minimax-m3"),
            ("mistral", "mistral-array"),
            ("muse_glimmer", "muse"),
            ("poolside_v1", "poolside-v1"),
            ("pythonic", "pythonic"),
            ("qwen", "hermes"),
            ("qwen25", "hermes"),
            ("qwen3_coder", "qwen3-coder"),
            ("spark25", "spark25"),
            ("step3", "step3"),
            ("step3p5", "step3p5"),
            ("trinity", "trinity"),
        ],
    },
    Program {
        name: "mlx",
        parsers: &[
            ("function_gemma", "functiongemma"),
            ("gemma4", "gemma4"),
            ("glm47", "glm47"),
            ("json_tools", "hermes"),
            ("kimi_k2", "kimi-k2"),
            ("longcat", "longcat"),
            ("minimax_m2", "minimax-m2"),
            ("mistral", "mistral-args"),
            ("pythonic", "lfm2"),
            ("qwen3_coder", "qwen3-coder"),
        ],
    },
];

/// What a name says of another program's parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserLookup {
    /// The name of the dialect that reads the same text.
    Dialect(&'static str),
    /// The program is known and has no such parser; the words name those that it has.
    UnknownParser(String),
    /// It is no name of a program and a parser.
    OtherName,
}

/// Looks up which dialect `PROGRAM:PARSER` reads.
pub fn look_up(name: &str) -> ParserLookup {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let Some((program, parser)) = name.split_once(':') else { return ParserLookup::OtherName };
    let Some(known) = PROGRAMS.iter().find(|known| known.name == plain(program)) else {
        return ParserLookup::OtherName;
    };
    if let Some((_, dialect)) = known.parsers.iter().find(|(word, _)| *word == plain(parser)) {
        return ParserLookup::Dialect(dialect);
    }
    let all: Vec<&str> = known.parsers.iter().map(|(word, _)| *word).collect();
    let words = format!("unknown parser {parser:?} of {}; the known ones are: {}", known.name, all.join(", "));
    ParserLookup::UnknownParser(words)
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
    fn every_parser_stands_once_and_in_order() {
        for program in &PROGRAMS {
            let names: Vec<&str> = program.parsers.iter().map(|(name, _)| *name).collect();
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{}: {names:?}", program.name);
        }
    }

    #[test]
    fn every_parser_is_read_by_a_dialect() {
        let targets = PROGRAMS.iter().flat_map(|program| program.parsers).map(|(_, dialect)| *dialect);
        let missing: std::collections::BTreeSet<&str> = targets.filter(|dialect| named(dialect).is_none()).collect();
        assert!(missing.is_empty(), "there is no dialect called {missing:?}");
    }
}
