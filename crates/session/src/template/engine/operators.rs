//! The operators of a template that are calls of functions in the compiled text: `+`, `~` and `%` on texts, and attributes.
//!
//! `a + b` becomes `_sum(a, b)`: the sign is replaced by a comma of its length, and the call is inserted around the operands.
//! They are told apart as jinja2's parser does it: `%` binds more tightly than `~`, and that more than `+`.
//!
//! `schema.items` without parentheses is the method of the dict in Python, even if it has a key of that name. It becomes
//! `((schema)|_attribute("items"))`.

use minijinja::machinery::{Span, Token};

use super::markup::MARKING;

/// Name of the function that adds.
pub const SUM: &str = "_sum";

/// Name of the function that joins texts.
pub const CONCATENATION: &str = "_concatenation";

/// Name of the function that is `%`.
pub const REMAINDER: &str = "_remainder";

/// Name of the filter that is an attribute of a value, if dicts have a method of its name.
pub const ATTRIBUTE: &str = "_attribute";

/// Methods of dicts that do not change them.
const DICT_METHODS: [&str; 5] = ["copy", "get", "items", "keys", "values"];

/// Edits of a source: texts to insert at an offset, and texts of the same length.
#[derive(Default)]
pub struct OperatorCalls {
    /// Texts to insert, with their offsets; the outer one first at the same offset.
    pub insertions: Vec<(usize, String)>,
    /// Texts that replace ones of their length, with their offsets.
    pub replacements: Vec<(usize, String)>,
    /// True if the template marks texts as safe. If not, `+` and `~` are the engine's.
    pub has_markup: bool,
}

type SpannedToken<'a> = (Token<'a>, Span);

/// True if a tag has a filter that marks texts as safe.
pub fn marks_text(tokens: &[SpannedToken<'_>]) -> bool {
    let is_marking = |name: &str| MARKING.contains(&name);
    tokens.windows(2).any(|pair| match (&pair[0].0, &pair[1].0) {
        // The second form is `map("safe")`.
        (Token::Pipe | Token::Ident("filter"), Token::Ident(name)) | (Token::ParenOpen, Token::Str(name)) => {
            is_marking(name)
        }
        _ => false,
    })
}

impl OperatorCalls {
    /// Finds the operators of an expression, and of all in its brackets.
    pub fn of_expression(&mut self, tokens: &[SpannedToken<'_>]) {
        // The tokens of each open bracket without the ones in further brackets.
        let mut open: Vec<Vec<&SpannedToken<'_>>> = vec![Vec::new()];
        for token in tokens {
            let is_closing = matches!(token.0, Token::ParenClose | Token::BracketClose | Token::BraceClose);
            if is_closing && open.len() > 1 {
                let inner = open.pop().unwrap_or_default();
                self.of_list(&inner);
            }
            if let Some(outer) = open.last_mut() {
                outer.push(token);
            }
            if matches!(token.0, Token::ParenOpen | Token::BracketOpen | Token::BraceOpen) {
                open.push(Vec::new());
            }
        }
        for tokens in open {
            self.of_list(&tokens);
        }
        for position in 1..tokens.len().saturating_sub(1) {
            self.of_attribute(tokens, position);
        }
    }

    /// The attribute after a dot, if it is a method of dicts that is not called.
    fn of_attribute(&mut self, tokens: &[SpannedToken<'_>], dot: usize) {
        let (Token::Dot, Token::Ident(name)) = (&tokens[dot].0, &tokens[dot + 1].0) else { return };
        let is_called = matches!(tokens.get(dot + 2), Some((Token::ParenOpen, _)));
        let Some(begin) = primary_start(tokens, dot) else { return };
        if is_called || !DICT_METHODS.contains(name) {
            return;
        }
        let (from, to) = (tokens[dot].1.start_offset as usize, tokens[dot + 1].1.end_offset as usize);
        self.insertions.push((tokens[begin].1.start_offset as usize, "((".to_owned()));
        self.replacements.push((from, " ".repeat(to - from)));
        self.insertions.push((to, format!(")|{ATTRIBUTE}(\"{name}\"))")));
    }

    /// Expressions between commas, comparisons and words.
    fn of_list(&mut self, tokens: &[&SpannedToken<'_>]) {
        let separators: Vec<usize> = (0..tokens.len()).filter(|&position| separates(tokens, position)).collect();
        for sum in operands(tokens, &separators) {
            self.of_sum(sum);
        }
    }

    /// Operands between `+` and `-`.
    fn of_sum(&mut self, tokens: &[&SpannedToken<'_>]) {
        let signs = signs(tokens, |token| matches!(token, Token::Plus | Token::Minus));
        // A difference is a number, and so are the operands next to it.
        if self.has_markup && signs.iter().all(|&sign| matches!(tokens[sign].0, Token::Plus)) {
            self.call(SUM, tokens, &signs);
        }
        for operand in operands(tokens, &signs) {
            let signs = self::signs(operand, |token| matches!(token, Token::Tilde));
            if self.has_markup {
                self.call(CONCATENATION, operand, &signs);
            }
            for product in operands(operand, &signs) {
                let is_factor =
                    |token: &Token<'_>| matches!(token, Token::Mul | Token::Div | Token::FloorDiv | Token::Mod);
                let signs = self::signs(product, is_factor);
                if signs.iter().all(|&sign| matches!(product[sign].0, Token::Mod)) {
                    self.call(REMAINDER, product, &signs);
                }
            }
        }
    }

    /// Makes the operands of the signs the arguments of a function.
    fn call(&mut self, function: &str, tokens: &[&SpannedToken<'_>], signs: &[usize]) {
        let (Some((_, first)), Some((_, last)), false) = (tokens.first(), tokens.last(), signs.is_empty()) else {
            return;
        };
        self.insertions.push((first.start_offset as usize, format!("{function}(")));
        self.insertions.push((last.end_offset as usize, ")".to_owned()));
        self.replacements.extend(signs.iter().map(|&sign| (tokens[sign].1.start_offset as usize, ",".to_owned())));
    }
}

/// Position of the first token of the value before a dot: a name, a literal or brackets, with attributes and subscripts.
fn primary_start(tokens: &[SpannedToken<'_>], dot: usize) -> Option<usize> {
    let mut position = dot;
    loop {
        position = position.checked_sub(1)?;
        match tokens[position].0 {
            Token::Ident(_) | Token::Str(_) | Token::String(_) => {}
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                position = opening(tokens, position)?;
                let is_postfix = !matches!(tokens[position].0, Token::BraceOpen)
                    && position.checked_sub(1).is_some_and(|before| ends_value(&tokens[before].0));
                if is_postfix {
                    continue;
                }
            }
            _ => return None,
        }
        match position.checked_sub(1) {
            Some(before) if matches!(tokens[before].0, Token::Dot) => position = before,
            _ => return Some(position),
        }
    }
}

/// True if a bracket after the token is a call or a subscript.
fn ends_value(token: &Token<'_>) -> bool {
    match token {
        Token::Ident(name) => !matches!(*name, "and" | "or" | "not" | "if" | "elif" | "else" | "in" | "is"),
        token => matches!(token, Token::ParenClose | Token::BracketClose | Token::BraceClose | Token::Str(_)),
    }
}

/// Position of the bracket that the one at `close` closes.
fn opening(tokens: &[SpannedToken<'_>], close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    tokens[..=close].iter().rposition(|(token, _)| {
        match token {
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth += 1,
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// Positions of the signs that have an operand on their left.
fn signs(tokens: &[&SpannedToken<'_>], is_sign: impl Fn(&Token<'_>) -> bool) -> Vec<usize> {
    let follows_operand = |position: &usize| *position > 0 && !is_operator(&tokens[position - 1].0);
    (0..tokens.len()).filter(|&position| is_sign(&tokens[position].0)).filter(follows_operand).collect()
}

/// The tokens between some positions.
fn operands<'t, 'a>(tokens: &'t [&'t SpannedToken<'a>], signs: &[usize]) -> Vec<&'t [&'t SpannedToken<'a>]> {
    let mut begin = 0;
    let ends = signs.iter().copied().chain([tokens.len()]);
    ends.map(|end| &tokens[std::mem::replace(&mut begin, end + 1)..end]).collect()
}

fn is_operator(token: &Token<'_>) -> bool {
    use Token::{Div, FloorDiv, Minus, Mod, Mul, Plus, Pow, Tilde};
    matches!(token, Plus | Minus | Mul | Div | FloorDiv | Pow | Mod | Tilde)
}

/// True if the token ends a sum: a comma, a comparison, a word such as `and`.
fn separates(tokens: &[&SpannedToken<'_>], position: usize) -> bool {
    use Token::{Assign, Colon, Comma, Eq, Gt, Gte, Ident, Lt, Lte, Ne};
    let before = |back: usize| position.checked_sub(back).map(|index| &tokens[index].0);
    let is_name = matches!(before(1), Some(Token::Dot | Token::Pipe | Ident("is")))
        || matches!((before(2), before(1)), (Some(Ident("is")), Some(Ident("not"))));
    match &tokens[position].0 {
        Comma | Colon | Assign | Eq | Ne | Gt | Gte | Lt | Lte => true,
        Ident("and" | "or" | "not" | "if" | "else" | "in" | "recursive") => !is_name,
        _ => false,
    }
}
