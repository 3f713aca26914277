//! The rewriting of a template's source before it is compiled, where jinja2 and the engine part ways, and the way back from a
//! byte of the result to the byte of the file.
//!
//! - `\r\n` and `\r` are `\n`, as for jinja2's lexer.
//! - `{% generation %}` (transformers) is a scope whose body is printed unchanged: `{% with %}` of the same length.
//! - The start of a slice passes a filter of ours, which charges for it.
//! - What a loop iterates and what `in` searches passes a filter of ours, since None raises there in Python.
//! - `%` is a call, and so are `+` and `~` if texts are marked as safe, and `.items` without parentheses ([`super::operators`]).
//! - A line end after `{% raw %}` is doubled: jinja2 keeps it, the engine removes the first one.

use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::operators::{self, OperatorCalls};

/// Name of the filter that the iterated value of a `for` passes.
pub const ITERATED: &str = "_iterated";

/// Name of the filter that the iterated value of a `for` with several targets passes.
pub const UNPACKED: &str = "_unpacked";

/// Name of the filter that the start of a slice passes, which makes slices cost something: they are lazy, and nest.
pub const SLICED: &str = "_sliced";

/// Name of the filter that the right operand of `in` passes.
pub const SEARCHED: &str = "_searched";

/// A source with the ends of lines that jinja2's lexer makes of all others.
#[must_use]
pub fn unify_newlines(source: &str) -> String {
    source.replace("\r\n", "\n").replace('\r', "\n")
}

/// A source as the engine compiles it.
#[derive(Debug, Clone)]
pub struct RewrittenSource {
    /// The text that is compiled.
    pub text: String,
    /// The text before it was rewritten.
    pub original: String,
    /// Places of `text` (ascending) with the number of bytes that were inserted before them.
    shifts: Vec<(usize, usize)>,
}

impl RewrittenSource {
    /// Rewrites a source. One that cannot be divided into tokens is not changed; compiling it reports why.
    #[must_use]
    pub fn new(source: &str, syntax: &SyntaxConfig) -> Self {
        let mut insertions = Insertions::default();
        let mut renamed = source.to_owned();
        let Some(tags) = expressions(source, syntax) else {
            return Self { text: renamed.clone(), original: renamed, shifts: Vec::new() };
        };
        let has_markup = tags.iter().any(|tag| operators::marks_text(&tag.tokens));
        let mut calls = OperatorCalls { has_markup, ..OperatorCalls::default() };
        for tag in &tags {
            match tag.tokens.first() {
                Some((Token::Ident("generation"), span)) if tag.is_block => rename(&mut renamed, *span, "with      "),
                Some((Token::Ident("endgeneration"), span)) if tag.is_block => {
                    rename(&mut renamed, *span, "endwith      ");
                }
                _ => {
                    insertions.of_tag(tag);
                    calls.of_expression(&tag.tokens[usize::from(tag.is_block).min(tag.tokens.len())..]);
                }
            }
        }
        insertions.0.extend(calls.insertions);
        for (at, text) in calls.replacements {
            renamed.replace_range(at..at + text.len(), &text);
        }
        insertions.of_raw_blocks(source, &tags);
        Self { original: source.to_owned(), ..insertions.apply(&renamed) }
    }

    /// The offset in the source of an offset in the compiled text. An inserted byte maps to the byte after the insertion.
    #[must_use]
    pub fn to_source(&self, offset: usize) -> usize {
        let after = self.shifts.partition_point(|&(at, _)| at <= offset);
        match after.checked_sub(1).map(|index| self.shifts[index]) {
            // Within the insertion itself, `offset - shift` would precede it.
            Some((at, shift)) => (offset - shift.min(offset)).max(self.before(at)),
            None => offset,
        }
    }

    /// The offset in the source at which the insertion that ends at `at` was made.
    fn before(&self, at: usize) -> usize {
        let index = self.shifts.partition_point(|&(place, _)| place < at);
        at - self.shifts.get(index).map_or(0, |&(_, shift)| shift.min(at))
    }
}

/// One `{{ … }}` or `{% … %}`, without its delimiters.
struct Tag<'a> {
    is_block: bool,
    tokens: Vec<(Token<'a>, Span)>,
}

/// All tags of a source; nothing if it cannot be divided.
fn expressions<'a>(source: &'a str, syntax: &SyntaxConfig) -> Option<Vec<Tag<'a>>> {
    let mut tags = Vec::new();
    for token in tokenize(source, false, syntax.clone()) {
        let (token, span) = token.ok()?;
        match token {
            Token::TemplateData(_) | Token::VariableEnd | Token::BlockEnd => {}
            Token::VariableStart => tags.push(Tag { is_block: false, tokens: Vec::new() }),
            Token::BlockStart => tags.push(Tag { is_block: true, tokens: Vec::new() }),
            token => tags.last_mut()?.tokens.push((token, span)),
        }
    }
    Some(tags)
}

fn rename(source: &mut String, span: Span, name: &str) {
    source.replace_range(span.start_offset as usize..span.end_offset as usize, name);
}

/// Texts to insert into a source, as offset and text.
#[derive(Default)]
struct Insertions(Vec<(usize, String)>);

impl Insertions {
    fn of_tag(&mut self, tag: &Tag<'_>) {
        let tokens = &tag.tokens;
        let mut begin = 0;
        if tag.is_block && matches!(tokens.first(), Some((Token::Ident("for"), _))) {
            let Some(position) = tokens.iter().position(|(token, _)| matches!(token, Token::Ident("in"))) else {
                return;
            };
            let end = operand_end(tokens, position + 1, |token, _| matches!(token, Token::Ident("if" | "recursive")));
            let several = tokens[..position].iter().any(|(token, _)| matches!(token, Token::Comma));
            self.wrap(tokens, position + 1, end, if several { UNPACKED } else { ITERATED });
            begin = position + 1;
        }
        self.slices(tokens);
        for position in begin..tokens.len() {
            if position > begin && is_operator_in(tokens, position) {
                let end = operand_end(tokens, position + 1, ends_comparison);
                self.wrap(tokens, position + 1, end, SEARCHED);
            }
        }
    }

    /// Doubles the line end after the beginning of each raw block.
    fn of_raw_blocks(&mut self, source: &str, tags: &[Tag<'_>]) {
        for (at, _) in source.match_indices("{%") {
            let tag = source[at + 2..].trim_start_matches(['-', '+']).trim_start();
            let Some(rest) = tag.strip_prefix("raw") else { continue };
            let Some(content) = rest.trim_start().strip_prefix("%}").filter(|content| content.starts_with('\n')) else {
                continue;
            };
            let is_in_tag = tags.iter().any(|tag| match (tag.tokens.first(), tag.tokens.last()) {
                (Some((_, first)), Some((_, last))) => {
                    (first.start_offset as usize..last.end_offset as usize).contains(&at)
                }
                _ => false,
            });
            if !is_in_tag {
                self.0.push((source.len() - content.len(), "\n".to_owned()));
            }
        }
    }

    /// Has the start of each slice pass a filter.
    fn slices(&mut self, tokens: &[(Token<'_>, Span)]) {
        let mut brackets: Vec<Option<usize>> = Vec::new();
        for (position, (token, span)) in tokens.iter().enumerate() {
            match token {
                Token::BracketOpen => brackets.push(Some(position)),
                Token::ParenOpen | Token::BraceOpen => brackets.push(None),
                Token::BracketClose | Token::ParenClose | Token::BraceClose => _ = brackets.pop(),
                Token::Colon => {
                    let Some(open) = brackets.last_mut().and_then(Option::take) else { continue };
                    if open + 1 == position {
                        self.0.push((span.start_offset as usize, format!("(none)|{SLICED}")));
                    } else {
                        self.wrap(tokens, open + 1, position, SLICED);
                    }
                }
                _ => {}
            }
        }
    }

    /// Surrounds the tokens from `first` to before `end` with a call of the filter.
    fn wrap(&mut self, tokens: &[(Token<'_>, Span)], first: usize, end: usize, filter: &str) {
        let (Some((_, from)), Some((_, to))) =
            (tokens.get(first), end.checked_sub(1).and_then(|last| tokens.get(last)))
        else {
            return;
        };
        if first < end {
            self.0.push((from.start_offset as usize, "(".to_owned()));
            self.0.push((to.end_offset as usize, format!(")|{filter}")));
        }
    }

    fn apply(mut self, source: &str) -> RewrittenSource {
        // Stable: at one place the inner operand was pushed after the outer one, and must be closed before it.
        self.0.sort_by_key(|&(at, _)| at);
        let mut text = String::with_capacity(source.len() + self.0.len() * 8);
        let (mut copied, mut shifts) = (0, Vec::new());
        let mut rest = self.0.as_mut_slice();
        while let Some(&(at, _)) = rest.first() {
            let same = rest.partition_point(|&(place, _)| place == at);
            let (here, later) = rest.split_at_mut(same);
            here.sort_by_key(|(_, inserted)| !inserted.starts_with(')'));
            let closing = here.partition_point(|(_, inserted)| inserted.starts_with(')'));
            here[..closing].reverse();
            text.push_str(source.get(copied..at).unwrap_or_default());
            copied = at;
            text.extend(here.iter().map(|(_, inserted)| inserted.as_str()));
            shifts.push((text.len(), text.len() - at));
            rest = later;
        }
        text.push_str(source.get(copied..).unwrap_or_default());
        RewrittenSource { text, original: String::new(), shifts }
    }
}

/// True if the token is the operator `in`, and neither an attribute nor the test of that name.
fn is_operator_in(tokens: &[(Token<'_>, Span)], position: usize) -> bool {
    if !matches!(tokens[position].0, Token::Ident("in")) {
        return false;
    }
    let before = |back: usize| position.checked_sub(back).map(|index| &tokens[index].0);
    match before(1) {
        Some(Token::Ident("is") | Token::Dot | Token::Pipe) | None => false,
        Some(Token::Ident("not")) => !matches!(before(2), Some(Token::Ident("is"))),
        Some(_) => true,
    }
}

/// True if the token ends the right operand of a comparison that is not nested in brackets.
fn ends_comparison(token: &Token<'_>, previous: &Token<'_>) -> bool {
    match token {
        Token::Eq
        | Token::Ne
        | Token::Gt
        | Token::Gte
        | Token::Lt
        | Token::Lte
        | Token::Comma
        | Token::Colon
        | Token::Assign => true,
        Token::Ident("and" | "or" | "if" | "else" | "in") => !matches!(previous, Token::Dot),
        Token::Ident("not") => !matches!(previous, Token::Ident("is") | Token::Dot),
        _ => false,
    }
}

/// Index of the token after the operand that begins at `first`.
fn operand_end(tokens: &[(Token<'_>, Span)], first: usize, ends: impl Fn(&Token<'_>, &Token<'_>) -> bool) -> usize {
    let mut depth = 0_usize;
    for (index, (token, _)) in tokens.iter().enumerate().skip(first) {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return index,
            },
            token if depth == 0 && index > first && ends(token, &tokens[index - 1].0) => return index,
            _ => {}
        }
    }
    tokens.len()
}
