//! The declarations that the program brings along, in the order of their priority.
//!
//! A line has what must be known before a declaration is read: its name, whether it is read where none is named, and the
//! texts by which it is found. `tests/corpus/declared.rs` compares each line with its declaration and prints the right one.
//! This module does not know what a declaration says.

use std::sync::OnceLock;

use super::declaration::{Declaration, ReadMode};
use crate::dialect::Triggers;

/// A declaration of the program.
#[derive(Debug)]
pub struct Embedded {
    /// The name of its dialect.
    pub name: &'static str,
    /// When it is read where no dialect is named.
    pub reading: ReadMode,
    /// The texts by which it is found.
    pub markers: &'static [&'static str],
    /// The bytes with which lines begin that may hold a near miss.
    pub lines: &'static [u8],
    /// The YAML document as it is written.
    pub yaml: &'static str,
    read: OnceLock<Declaration>,
}

impl Embedded {
    const fn new(
        name: &'static str,
        reading: ReadMode,
        markers: &'static [&'static str],
        lines: &'static [u8],
        yaml: &'static str,
    ) -> Self {
        Self { name, reading, markers, lines, yaml, read: OnceLock::new() }
    }

    /// The declaration, which is read when it is first asked for.
    pub fn declaration(&self) -> &Declaration {
        self.read.get_or_init(|| match Declaration::parse(self.yaml) {
            Ok(declaration) => declaration,
            Err(problems) => panic!("{}: {problems:?}", self.name),
        })
    }

    pub(super) fn triggers(&self) -> Triggers {
        Triggers {
            anywhere: self.markers.iter().map(|marker| marker.as_bytes().to_vec()).collect(),
            lines: self.lines.to_vec(),
            ..Triggers::default()
        }
    }
}

/// Names of the declared dialects that stand for a whole family of syntaxes. Their near misses are looked for also where no
/// dialect is named: those of seventy would say the same thing many times.
pub const PRINCIPAL: [&str; 4] = ["xml", "invoke", "function", "hermes"];

/// The signs of those, with their names: they are looked for in the calls of all dialects, and no declaration is read
/// for that.
pub const SIGNS: [(&str, &str); 4] =
    [("xml", "<tool:"), ("invoke", "<invoke name="), ("function", "<function="), ("hermes", "<tool_call>")];

const NONE: &[u8] = &[];

/// The bytes with which near misses of tags begin.
const TAGS: &[u8] = &[b'<', b'&', b'\\', 0xef, 0xe2];

/// The bytes with which near misses of markers around JSON begin.
const MARKERS: &[u8] = b"<&";

macro_rules! embedded {
    ($($name:literal $reading:ident $lines:ident $markers:expr;)*) => {
        /// All of them.
        pub static EMBEDDED: [Embedded; [$($name),*].len()] = [$(Embedded::new(
            $name, ReadMode::$reading, &$markers, $lines, include_str!(concat!($name, ".yaml")),
        ),)*];
    };
}

embedded! {
    "xml" Always TAGS ["</param:", "</tool:", "<param:", "<tool:"];
    "invoke" Always TAGS ["</antml:function_calls", "</antml:invoke", "</antml:parameter", "</function_calls", "</invoke", "</minimax:tool_call", "</parameter", "</｜DSML｜function_calls", "</｜DSML｜invoke", "</｜DSML｜parameter", "</｜DSML｜tool_calls", "<antml:function_calls", "<antml:invoke", "<antml:parameter", "<function_calls", "<invoke", "<minimax:tool_call", "<parameter", "<｜DSML｜function_calls", "<｜DSML｜invoke", "<｜DSML｜parameter", "<｜DSML｜tool_calls"];
    "function" Always TAGS ["</function", "</parameter", "</seed:tool_call", "</tool_call", "<function=", "<parameter=", "<seed:tool_call", "<tool_call"];
    "hermes" Always MARKERS ["<tool_call>"];
    "command-r-plus" Repeated NONE ["Action:"];
    "aider" Named NONE ["<<<<<<< SEARCH\n", "<<<<<<< SEARCH\r\n"];
    "apertus" Always NONE ["<|inner_prefix|>", "<|inner_suffix|>", "<|tools_prefix|>"];
    "apply-patch" Named NONE ["*** Begin Patch\n", "*** Begin Patch\r\n"];
    "apriel" Named NONE ["<tool_calls>"];
    "beam" Named NONE [" to=", "</rfl:parameter", "<rfl:parameter"];
    "cohere-r7b" Always NONE ["<|END_THINKING|>", "<|START_ACTION|>", "<|START_THINKING|>"];
    "continue" Named NONE ["```tool\nTOOL_NAME: ", "```tool\r\nTOOL_NAME: "];
    "deepseek-v3" Always NONE ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>"];
    "deepseek-v31" Always NONE ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"];
    "deepseek-v32" Named NONE ["</｜DSML｜function_calls", "</｜DSML｜invoke", "</｜DSML｜parameter", "<｜DSML｜function_calls", "<｜DSML｜invoke", "<｜DSML｜parameter"];
    "deepseek-v4" Named NONE ["</｜DSML｜invoke", "</｜DSML｜parameter", "</｜DSML｜tool_calls", "<｜DSML｜invoke", "<｜DSML｜parameter", "<｜DSML｜tool_calls"];
    "deepseek-v41" Always NONE ["</｜DSML｜ calls", "</｜DSML｜ invoke", "</｜DSML｜ parameter", "<｜DSML｜ calls", "<｜DSML｜ invoke", "<｜DSML｜ parameter"];
    "dots" Named NONE ["</dots_function_call", "</invoke", "</parameter", "<dots_function_call", "<dots_function_call>", "<invoke", "<parameter"];
    "ernie45" Named NONE ["<tool_call>"];
    "firefunction" Named NONE [" functools"];
    "functionary-v31" Named NONE ["</function", "<function="];
    "functionary-v32" Named NONE [">>>"];
    "functiongemma" Always NONE ["<start_function_call>call:"];
    "gemma4" Always NONE ["<channel|>", "<|channel>thought", "<|tool_call>call:"];
    "gigachat3" Always NONE ["<|function_call|>", "<|message_sep|>"];
    "gigachat35" Always NONE ["</｜GCML｜invoke", "</｜GCML｜parameter", "</｜GCML｜tool_calls", "<｜GCML｜invoke", "<｜GCML｜parameter", "<｜GCML｜tool_calls"];
    "glm45" Always NONE ["<tool_call>"];
    "glm47" Named NONE ["<tool_call>"];
    "granite-20b-fc" Always NONE ["<function_call>"];
    "granite3" Always NONE ["<|tool_call|>"];
    "granite4" Named NONE ["<tool_call>"];
    "harmony" Always NONE ["<|call|>", "<|channel|>", "<|channel|>analysis<|message|>", "<|end|>", "<|return|>", "<|start|>assistant to="];
    "hunyuan-a13b" Named NONE ["<tool_calls>"];
    "hunyuan-v3-oss" Always NONE ["</tool_calls:opensource", "<tool_call:opensource>", "<tool_calls:opensource"];
    "hunyuan-v3" Always NONE ["</tool_calls", "<tool_call>", "<tool_calls"];
    "inkling" Always NONE ["<|content_invoke_tool_json|>", "<|message_model|>"];
    "internlm" Always NONE ["<|action_start|><|plugin|>"];
    "interns1" Always NONE ["<|action_start|> <|plugin|>"];
    "iquest-q1" Always NONE ["<iquest_tool_call>"];
    "jamba" Always NONE ["<tool_calls>"];
    "k2-horizon" Always NONE ["</ifm|think>", "</ifm|tool_calls", "<ifm|think>", "<ifm|tool_call>", "<ifm|tool_calls"];
    "kimi-k2" Always NONE ["<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_section_begin|>", "<|tool_call_section_end|>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"];
    "kimi-k3" Always NONE ["<|close|>argument<|sep|>", "<|close|>call<|sep|>", "<|close|>tools<|sep|>", "<|open|>argument", "<|open|>call", "<|open|>tools<|sep|>"];
    "lfm2" Always NONE ["<|tool_call_start|>"];
    "ling3" Named NONE ["<tool_call>"];
    "llama3-json" Always NONE ["<|python_tag|>"];
    "llama4-pythonic" Always NONE ["<|python_start|>"];
    "longcat-json" Named NONE ["<longcat_tool_call>"];
    "longcat" Always NONE ["<longcat_tool_call>"];
    "mimo" Named NONE ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "mini-swe" Named NONE ["```bash\n", "```bash\r\n", "```mswea_bash_command\n"];
    "minicpm5" Named NONE ["</function", "</param", "<function", "<param"];
    "minimax-m2" Named NONE ["</invoke", "</minimax:tool_call", "</parameter", "<invoke", "<minimax:tool_call", "<parameter"];
    "minimax-m3" Always NONE ["</mm:think>", "<mm:think>", "]<]minimax[>[</tool_call>", "]<]minimax[>[<invoke", "]<]minimax[>[<tool_call>"];
    "mistral-args" Always NONE ["[/THINK]", "[THINK]", "[TOOL_CALLS]"];
    "mistral-array" Always NONE ["[TOOL_CALLS]", "[TOOL_CALLS] "];
    "muse" Always NONE ["</atem:function_calls", "</atem:invoke", "</atem:parameter", "<atem:function_calls", "<atem:invoke", "<atem:parameter"];
    "nemotron-v2" Always NONE ["<TOOLCALL>"];
    "nemotron3" Named NONE ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "olmo3" Always NONE ["<function_calls>"];
    "phi4-mini" Always NONE ["functools"];
    "poolside-v1" Named NONE ["<tool_call>"];
    "pythonic" Repeated NONE ["["];
    "qwen3-coder" Named NONE ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "react" Repeated NONE ["Action:", "Action: "];
    "reka-edge" Named NONE ["<tool_call>"];
    "seed-oss" Named NONE ["</function", "</parameter", "</seed:think>", "</seed:tool_call", "<function=", "<parameter=", "<seed:think>", "<seed:tool_call"];
    "smolagents" Named NONE ["<code>\n", "```py\n", "```python\n"];
    "spark25" Named NONE ["<tool_call>"];
    "step3" Always NONE ["</steptml:invoke", "</steptml:invoke><｜tool_call_end｜>", "</steptml:parameter", "<steptml:parameter", "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke", "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"];
    "step3p5" Named NONE ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "trinity" Named NONE ["<tool_call>"];
    "xlam" Named NONE ["</think>", "<tool_call>", "[", "[TOOL_CALLS]", "```json"];
}

/// The declaration of the dialect with this name.
pub fn embedded(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|embedded| embedded.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::triggers;
    use super::*;

    /// The line that a declaration should have.
    fn line(declaration: &Declaration) -> String {
        let triggers = triggers(declaration, declaration.reading == ReadMode::Named);
        let lines = match &*triggers.lines {
            [] => "NONE",
            _ if !PRINCIPAL.contains(&declaration.info.name) => "NONE",
            lines if lines.contains(&b'\\') => "TAGS",
            _ => "MARKERS",
        };
        let markers = triggers.anywhere.iter().map(|marker| format!("{:?}", String::from_utf8_lossy(marker)));
        let markers = markers.collect::<Vec<_>>().join(", ");
        format!("    {:?} {:?} {lines} [{markers}];", declaration.info.name, declaration.reading)
    }

    #[test]
    fn the_signs_are_those_of_the_declarations() {
        let principal = EMBEDDED.iter().filter(|embedded| PRINCIPAL.contains(&embedded.name));
        let declared = principal.flat_map(|embedded| {
            let info = embedded.declaration().info;
            info.signs.iter().map(|sign| (info.name, *sign))
        });
        assert_eq!(declared.collect::<Vec<_>>(), SIGNS);
    }

    #[test]
    fn each_line_says_what_its_declaration_says() {
        let mut wrong = Vec::new();
        for embedded in &EMBEDDED {
            match Declaration::parse(embedded.yaml) {
                Ok(declaration) => {
                    let (mut own, mut said) =
                        (embedded.triggers(), triggers(&declaration, declaration.reading == ReadMode::Named));
                    own.lines.sort_unstable();
                    said.lines.sort_unstable();
                    if !PRINCIPAL.contains(&embedded.name) {
                        said.lines.clear();
                    }
                    let is_right = own.anywhere == said.anywhere
                        && own.lines == said.lines
                        && embedded.reading == declaration.reading
                        && embedded.name == declaration.info.name;
                    wrong.extend((!is_right).then(|| line(&declaration)));
                }
                Err(problems) => {
                    for problem in problems {
                        let line = embedded.yaml[..problem.span.start].matches('\n').count() + 1;
                        wrong.push(format!("{}.yaml:{line}: {}", embedded.name, problem.message));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "these lines should be:\n{}", wrong.join("\n"));
    }
}
