//! Generated: name, reading, first bytes of lines, signs and markers of each declaration (see `declared/index`).

use std::sync::OnceLock;

use super::super::declaration::ReadMode;
use super::Embedded;

macro_rules! embedded {
    ($($name:literal $reading:ident $lines:tt $signs:tt $markers:tt;)*) => {
        /// All of them.
        pub static EMBEDDED: [Embedded; [$($name),*].len()] = [$(Embedded {
            name: $name,
            reading: ReadMode::$reading,
            markers: &$markers,
            lines: &$lines,
            signs: &$signs,
            yaml: include_str!(concat!("../", $name, ".yaml")),
            read: OnceLock::new(),
        },)*];
    };
}

embedded! {
    "xml" Always [38, 60, 92, 226, 239] ["<tool:"] ["</param:", "</tool:", "<param:", "<tool:"];
    "invoke" Always [38, 60, 92, 226, 239] ["<invoke name="] ["</antml:function_calls", "</antml:invoke", "</antml:parameter", "</function_calls", "</invoke", "</minimax:tool_call", "</parameter", "</｜DSML｜function_calls", "</｜DSML｜invoke", "</｜DSML｜parameter", "</｜DSML｜tool_calls", "<antml:function_calls", "<antml:invoke", "<antml:parameter", "<function_calls", "<invoke", "<minimax:tool_call", "<parameter", "<｜DSML｜function_calls", "<｜DSML｜invoke", "<｜DSML｜parameter", "<｜DSML｜tool_calls"];
    "function" Always [38, 60, 92, 226, 239] ["<function="] ["</function", "</parameter", "</seed:tool_call", "</tool_call", "<function=", "<parameter=", "<seed:tool_call", "<tool_call"];
    "hermes" Always [38, 60] ["<tool_call>"] ["<tool_call>"];
    "command-r-plus" Repeated [] [] ["Action:"];
    "aider" Named [] [] ["<<<<<<< SEARCH\n", "<<<<<<< SEARCH\r\n"];
    "apertus" Always [] [] ["<|inner_prefix|>", "<|inner_suffix|>", "<|tools_prefix|>"];
    "apply-patch" Named [] [] ["*** Begin Patch\n", "*** Begin Patch\r\n"];
    "apriel" Named [] [] ["<tool_calls>"];
    "beam" Named [] [] [" to=", "</rfl:parameter", "<rfl:parameter"];
    "cohere-r7b" Always [] [] ["<|END_THINKING|>", "<|START_ACTION|>", "<|START_THINKING|>"];
    "continue" Named [] [] ["```tool\nTOOL_NAME: ", "```tool\r\nTOOL_NAME: "];
    "deepseek-v3" Always [] [] ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>"];
    "deepseek-v31" Always [] [] ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"];
    "deepseek-v32" Named [] [] ["</｜DSML｜function_calls", "</｜DSML｜invoke", "</｜DSML｜parameter", "<｜DSML｜function_calls", "<｜DSML｜invoke", "<｜DSML｜parameter"];
    "deepseek-v4" Named [] [] ["</｜DSML｜invoke", "</｜DSML｜parameter", "</｜DSML｜tool_calls", "<｜DSML｜invoke", "<｜DSML｜parameter", "<｜DSML｜tool_calls"];
    "deepseek-v41" Always [] [] ["</｜DSML｜ calls", "</｜DSML｜ invoke", "</｜DSML｜ parameter", "<｜DSML｜ calls", "<｜DSML｜ invoke", "<｜DSML｜ parameter"];
    "dots" Named [] [] ["</dots_function_call", "</invoke", "</parameter", "<dots_function_call", "<dots_function_call>", "<invoke", "<parameter"];
    "ernie45" Named [] [] ["<tool_call>"];
    "firefunction" Named [] [] [" functools"];
    "functionary-v31" Named [] [] ["</function", "<function="];
    "functionary-v32" Named [] [] [">>>"];
    "functiongemma" Always [] [] ["<start_function_call>call:"];
    "gemma4" Always [] [] ["<channel|>", "<|channel>thought", "<|tool_call>call:"];
    "gigachat3" Always [] [] ["<|function_call|>", "<|message_sep|>"];
    "gigachat35" Always [] [] ["</｜GCML｜invoke", "</｜GCML｜parameter", "</｜GCML｜tool_calls", "<｜GCML｜invoke", "<｜GCML｜parameter", "<｜GCML｜tool_calls"];
    "glm45" Always [] [] ["<tool_call>"];
    "glm47" Named [] [] ["<tool_call>"];
    "granite-20b-fc" Always [] [] ["<function_call>"];
    "granite3" Always [] [] ["<|tool_call|>"];
    "granite4" Named [] [] ["<tool_call>"];
    "harmony" Always [] [] ["<|call|>", "<|channel|>", "<|channel|>analysis<|message|>", "<|end|>", "<|return|>", "<|start|>assistant to="];
    "hunyuan-a13b" Named [] [] ["<tool_calls>"];
    "hunyuan-v3-oss" Always [] [] ["</tool_calls:opensource", "<tool_call:opensource>", "<tool_calls:opensource"];
    "hunyuan-v3" Always [] [] ["</tool_calls", "<tool_call>", "<tool_calls"];
    "hunyuan-v4" Named [] [] ["</tool_calls", "<tool_call>", "<tool_calls"];
    "inkling" Always [] [] ["<|content_invoke_tool_json|>", "<|message_model|>"];
    "internlm" Always [] [] ["<|action_start|><|plugin|>"];
    "interns1" Always [] [] ["<|action_start|> <|plugin|>"];
    "iquest-q1" Always [] [] ["<iquest_tool_call>"];
    "jamba" Always [] [] ["<tool_calls>"];
    "k2-horizon" Always [] [] ["</ifm|think>", "</ifm|tool_calls", "<ifm|think>", "<ifm|tool_call>", "<ifm|tool_calls"];
    "kimi-k2" Always [] [] ["<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_section_begin|>", "<|tool_call_section_end|>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"];
    "kimi-k3" Always [] [] ["<|close|>argument<|sep|>", "<|close|>call<|sep|>", "<|close|>tools<|sep|>", "<|open|>argument", "<|open|>call", "<|open|>tools<|sep|>"];
    "lfm2" Always [] [] ["<|tool_call_start|>"];
    "ling3" Named [] [] ["<tool_call>"];
    "llama3-json" Always [] [] ["<|python_tag|>"];
    "llama4-pythonic" Always [] [] ["<|python_start|>"];
    "longcat-json" Named [] [] ["<longcat_tool_call>"];
    "longcat" Always [] [] ["<longcat_tool_call>"];
    "mimo" Named [] [] ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "mini-swe" Named [] [] ["```bash\n", "```bash\r\n", "```mswea_bash_command\n"];
    "minicpm5" Named [] [] ["</function", "</param", "<function", "<param"];
    "minimax-m2" Named [] [] ["</invoke", "</minimax:tool_call", "</parameter", "<invoke", "<minimax:tool_call", "<parameter"];
    "minimax-m3" Always [] [] ["</mm:think>", "<mm:think>", "]<]minimax[>[</tool_call>", "]<]minimax[>[<invoke", "]<]minimax[>[<tool_call>"];
    "mistral-args" Always [] [] ["[/THINK]", "[THINK]", "[TOOL_CALLS]"];
    "mistral-array" Always [] [] ["[TOOL_CALLS]", "[TOOL_CALLS] "];
    "muse" Always [] [] ["</atem:function_calls", "</atem:invoke", "</atem:parameter", "<atem:function_calls", "<atem:invoke", "<atem:parameter"];
    "nemotron-v2" Always [] [] ["<TOOLCALL>"];
    "nemotron3" Named [] [] ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "olmo3" Always [] [] ["<function_calls>"];
    "phi4-mini" Always [] [] ["functools"];
    "plamo3" Always [] [] ["<|plamo:begin_think:plamo|>", "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>", "<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_think:plamo|>", "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>", "<|plamo:end_tool_requests:plamo|>"];
    "poolside-v1" Named [] [] ["<tool_call>"];
    "pythonic" Repeated [] [] ["["];
    "qwen3-coder" Named [] [] ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "react" Repeated [] [] ["Action:", "Action: "];
    "reka-edge" Named [] [] ["<tool_call>"];
    "seed-oss" Named [] [] ["</function", "</parameter", "</seed:think>", "</seed:tool_call", "<function=", "<parameter=", "<seed:think>", "<seed:tool_call"];
    "smolagents" Named [] [] ["<code>\n", "```py\n", "```python\n"];
    "solar-open" Always [] [] ["<|calls|>", "<|end|>", "<|think|>", "<|tool_call:begin|>", "<|tool_call:end|>", "<|tool_calls|>"];
    "spark25" Named [] [] ["<tool_call>"];
    "step3" Always [] [] ["</steptml:invoke", "</steptml:invoke><｜tool_call_end｜>", "</steptml:parameter", "<steptml:parameter", "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke", "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"];
    "step3p5" Named [] [] ["</function", "</parameter", "</tool_call", "<function=", "<parameter=", "<tool_call"];
    "trinity" Named [] [] ["<tool_call>"];
    "xlam" Named [] [] ["</think>", "<tool_call>", "[", "[TOOL_CALLS]", "```json"];
}
