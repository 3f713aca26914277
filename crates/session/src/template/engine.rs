//! The engine: minijinja, set up as transformers 5.23.0 sets up jinja2 (`_cached_compile_jinja_template`).
//!
//! `trim_blocks`, `lstrip_blocks`, no `keep_trailing_newline`, no escaping. The differences between the engine and Python are in the
//! modules: [`rewrite`] and [`operators`] change the source, [`filters`] and [`methods`] replace functions, [`iterable`] and
//! [`markup`] have types.
//!
//! A template is hostile until shown otherwise. It gets no file, no time but the clock's, and is stopped by [`MAX_STEPS`],
//! which also bounds what it can allocate; so the stack of the thread that renders ([`STACK_BYTES`]) cannot overflow.

pub mod arguments;
pub mod filters;
pub mod iterable;
pub mod json;
pub mod markup;
pub mod methods;
pub mod operators;
pub mod rewrite;

use std::ops::Range;

use jiff::Zoned;
use jiff::civil::DateTime;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, OutputSpanKind, State, escape_formatter};

use super::failure::{FailureKind, MAX_STEPS, TemplateFailure};
use super::marks;
use rewrite::RewrittenSource;

/// Bytes of a template's source. The longest known one has 60,000.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Tokens of one tag. The tree of an expression can be that deep, and the longest known one has 74.
const MAX_TAG_TOKENS: usize = 4000;

/// Bytes of a rendered prompt.
pub const MAX_OUTPUT_BYTES: usize = 64 << 20;

/// Nesting of macros and blocks.
const MAX_RECURSION: usize = 200;

/// Stack of a thread that renders. A value may be as deeply nested as there are steps, and dropping it recurses.
pub const STACK_BYTES: usize = 256 << 20;

/// A compiled template with its environment.
#[derive(Debug)]
pub struct Engine {
    environment: Environment<'static>,
    source: RewrittenSource,
    name: String,
}

/// A rendered prompt, with the parts of the template that wrote it.
#[derive(Debug, Clone, Default)]
pub struct RenderedText {
    /// The prompt as transformers prints it.
    pub text: String,
    /// Parts of the text, which cover it without a gap.
    pub spans: Vec<SourceSpan>,
}

/// The part of a template that wrote some bytes of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    /// Byte range in the prompt.
    pub output: Range<usize>,
    /// Bytes of the template: the text itself, or the expression that printed it.
    pub source: Range<usize>,
    /// True if the bytes are the template's own text.
    pub is_literal: bool,
}

impl Engine {
    /// Compiles a template. Its name is used in messages.
    ///
    /// # Errors
    ///
    /// A source that is too long, or not a template.
    pub fn new(name: &str, source: &str, now: Option<DateTime>) -> Result<Self, TemplateFailure> {
        let limit = |message: String| TemplateFailure::new(name, FailureKind::Limit, message);
        if source.len() > MAX_SOURCE_BYTES {
            return Err(limit(format!("the template has more than {MAX_SOURCE_BYTES} bytes")));
        }
        let syntax = syntax();
        let source = rewrite::unify_newlines(source);
        if let Some(line) = line_of_long_tag(&source, &syntax) {
            return Err(limit(format!("a tag has more than {MAX_TAG_TOKENS} tokens")).at(line));
        }
        let source = RewrittenSource::new(&source, &syntax);
        let mut environment = Environment::new();
        environment.set_syntax(syntax);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_formatter(print);
        environment.set_unknown_method_callback(methods::call);
        environment.set_fuel(Some(MAX_STEPS));
        environment.set_recursion_limit(MAX_RECURSION);
        // An error would keep the values of the template, and outlive the thread with the large stack.
        environment.set_debug(false);
        filters::add(&mut environment);
        // One time for all prompts: a template may print the seconds.
        let now = now.unwrap_or_else(|| Zoned::now().datetime());
        environment.add_function("strftime_now", move |state: &mut State<'_, '_>, format: &str| {
            let text = strftime(format, now)?;
            Ok::<_, Error>(if marks::are_set(state) { marks::clock(&text) } else { text })
        });
        let added = environment.add_template_owned(name.to_owned(), source.text.clone());
        added.map_err(|error| TemplateFailure::from_engine(name, &error))?;
        Ok(Self { environment, source, name: name.to_owned() })
    }

    /// The source that places in the template refer to: ends of lines are `\n`.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source.original
    }

    /// Name of the template in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Renders with the variables of a map.
    ///
    /// # Errors
    ///
    /// The template raises, does something that Python refuses, or exceeds a limit.
    pub fn render(&self, variables: &Value) -> Result<RenderedText, TemplateFailure> {
        let failure = |error: Error| TemplateFailure::from_engine(&self.name, &error);
        let template = self.environment.get_template(&self.name).map_err(failure)?;
        let (text, spans) = template.render_with_spans(variables.clone()).map_err(failure)?;
        if text.len() > MAX_OUTPUT_BYTES {
            let message = format!("the prompt has more than {MAX_OUTPUT_BYTES} bytes");
            return Err(TemplateFailure::new(&self.name, FailureKind::Limit, message));
        }
        let to_source = |range: Range<usize>| {
            let start = self.source.to_source(range.start);
            start..self.source.to_source(range.end).max(start)
        };
        let spans = spans.into_iter().map(|span| SourceSpan {
            output: span.output_range(),
            source: to_source(span.source_range()),
            is_literal: span.kind() == OutputSpanKind::Raw,
        });
        Ok(RenderedText { spans: spans.collect(), text })
    }
}

/// Prints the value of an expression as Python's `str` does.
fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    if value.is_number() && !value.is_integer() {
        return Ok(out.write_str(&json::text(value))?);
    }
    escape_formatter(out, state, value)
}

/// The syntax of transformers' environment.
fn syntax() -> SyntaxConfig {
    let mut builder = SyntaxConfig::builder();
    builder.trim_blocks(true).lstrip_blocks(true);
    builder.build().unwrap_or_default()
}

/// Line of a tag that has too many tokens.
fn line_of_long_tag(source: &str, syntax: &SyntaxConfig) -> Option<usize> {
    let mut tokens = 0;
    for token in tokenize(source, false, syntax.clone()) {
        match token {
            Ok((Token::VariableStart | Token::BlockStart, _)) => tokens = 0,
            Ok((_, span)) => {
                tokens += 1;
                if tokens > MAX_TAG_TOKENS {
                    return Some(1 + source[..span.start_offset as usize].matches('\n').count());
                }
            }
            Err(_) => return None,
        }
    }
    None
}

/// The time in a format of `strftime`, as Python's `datetime` prints it.
fn strftime(format: &str, now: DateTime) -> Result<String, Error> {
    jiff::fmt::strtime::format(format, now).map_err(|error| {
        Error::new(ErrorKind::InvalidOperation, format!("invalid format of a date {format:?}: {error}"))
    })
}
