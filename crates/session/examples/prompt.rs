//! Renders a chat template, then shows what the parsers of runtimes deliver for an answer:
//! `cargo run -p transcope-session --example prompt`.

use serde_json::json;
use transcope_session::lens::{Lens, MessageText, ParserChoice};
use transcope_session::runtime::ToolRequest;
use transcope_session::template::conversation::Conversation;
use transcope_session::template::fields::TemplateInput;
use transcope_session::template::source::ChatTemplate;
use transcope_session::template::{RenderOptions, render};
use transcope_session::text::Span;
use transcope_session::value::tools::ToolSet;

const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\
                        {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const ANSWER: &[u8] = b"<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";

/// The prompt of a conversation of one message.
fn prompt() -> Result<String, String> {
    let template = ChatTemplate::new("default", "chat.jinja", TEMPLATE);
    let messages = vec![json!({"role": "user", "content": "Do I need a coat in Oslo?"})];
    let input = TemplateInput { conversation: Conversation { messages, tools: None }, ..TemplateInput::default() };
    let options = RenderOptions { add_generation_prompt: true, ..RenderOptions::default() };
    render(&template, input, options).map(|prompt| prompt.text).map_err(|failure| failure.message)
}

/// For each parser of the answer's dialect, its name and the tools that a client is asked to call.
fn outcomes() -> Result<Vec<(String, Vec<String>)>, String> {
    let tools = ToolSet::parse(br#"{"get_weather": {"type": "object", "properties": {"city": {"type": "string"}}}}"#)?;
    let choice = ParserChoice { dialects: vec!["hermes".to_owned()], ..ParserChoice::default() };
    let message = MessageText::new(ANSWER, Span::new(0, ANSWER.len()), Vec::new());
    let lens = Lens::new(&message, &ToolRequest::with(tools), &choice);
    let tools_of = |row: &transcope_session::lens::LensRow| {
        row.reading.outcome.calls.iter().filter_map(|call| call.name.clone()).collect()
    };
    Ok(lens.rows.iter().map(|row| (row.name(), tools_of(row))).collect())
}

fn main() -> Result<(), String> {
    #[expect(clippy::print_stdout, reason = "an example that prints")]
    {
        println!("{}", prompt()?);
        for (parser, tools) in outcomes()? {
            println!("{parser}: {}", tools.join(", "));
        }
    }
    Ok(())
}

#[test]
fn the_prompt_ends_where_the_model_writes() {
    let prompt = prompt().expect("it renders");
    assert_eq!(prompt, "<|im_start|>user\nDo I need a coat in Oslo?<|im_end|>\n<|im_start|>assistant\n");
}

#[test]
fn parsers_deliver_the_call() {
    let outcomes = outcomes().expect("the tools can be read");
    let vllm = outcomes.iter().find(|(parser, _)| parser.starts_with("vllm:")).expect("vLLM reads hermes");
    assert_eq!(vllm.1, ["get_weather"]);
}
