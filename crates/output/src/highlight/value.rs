//! The language of a value or a result: by the file that it is written to or read from, its fence, or its content.

use std::borrow::Borrow;

use crate::highlight::{Language, language_of};
use crate::text::Text;
use crate::text::line_numbers::number_widths;
use crate::value::{Assembly, NodeId, ParamTree, ROOT, Value};

/// Most keys of a container that are examined for a file name.
const SIBLINGS: usize = 256;

/// The language of a value: by the name of the file that it is written to, by its code fence, by its content.
pub fn language_of_value(tree: &ParamTree, node: Option<NodeId>, bytes: &[u8], text: &Text) -> Option<Language> {
    let siblings = node.map(|id| tree.node(tree.node(id).parent).value.children()).unwrap_or_default();
    language_of(file_among(tree, siblings, text).as_deref(), fence_of(bytes).as_deref(), bytes)
}

/// The tag of the fence that a text begins with.
fn fence_of(bytes: &[u8]) -> Option<String> {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    first.strip_prefix(b"```").map(|tag| String::from_utf8_lossy(tag).into_owned())
}

/// A file name among some arguments.
fn file_among(tree: &ParamTree, arguments: &[NodeId], text: &Text) -> Option<String> {
    arguments.iter().take(SIBLINGS).find_map(|&id| {
        let key = tree.node(id).key.to_ascii_lowercase();
        match tree.node(id).value {
            Value::Scalar(..) if key.contains("path") || key.contains("file") => {
                Some(tree.scalar_text(id, text).into_owned())
            }
            _ => None,
        }
    })
}

/// A result without the line numbers that a tool has added.
pub struct ResultCode {
    /// Bytes of the number at the start of each line; 0 for a line without one.
    pub numbers: Vec<usize>,
    /// The lines without their numbers. If any line is numbered, the others are emptied: they are not code.
    pub code: Vec<u8>,
    /// The language of the code, if known.
    pub language: Option<Language>,
}

impl ResultCode {
    /// The code in the result of a call; `assembly` dissects that call, and `text` holds its bytes.
    pub fn new<A: Borrow<Assembly>>(shown: &[u8], assembly: impl FnOnce() -> Option<A>, text: &Text) -> Self {
        let numbers = number_widths(shown);
        let is_numbered = numbers.iter().any(|&width| width > 0);
        let code: Vec<u8> = if is_numbered { code_of(shown, &numbers) } else { shown.to_vec() };
        // Only if the tool has numbered the lines is the result certainly the file itself.
        let read = if is_numbered { assembly() } else { None };
        let file = read.and_then(|assembly| {
            let tree = &assembly.borrow().tree;
            file_among(tree, tree.node(ROOT).value.children(), text)
        });
        let language = language_of(file.as_deref(), fence_of(&code).as_deref(), &code);
        let language =
            language.map(|language| if is_excerpt(shown, &numbers) { language.of_excerpt() } else { language });
        Self { numbers, code, language }
    }
}

/// True if the first numbered line is not the first one of its file.
fn is_excerpt(shown: &[u8], numbers: &[usize]) -> bool {
    let lines = shown.split(|&byte| byte == b'\n').zip(numbers);
    let first = lines.filter(|(_, width)| **width > 0).map(|(line, &width)| &line[..width]).next();
    first.is_some_and(|number| {
        let mut digits = number.iter().filter(|byte| byte.is_ascii_digit());
        digits.clone().count() > 1 || digits.any(|&digit| digit > b'1')
    })
}

/// The numbered lines without their numbers, and an empty line for each other one.
fn code_of(shown: &[u8], numbers: &[usize]) -> Vec<u8> {
    let lines = shown.split(|&byte| byte == b'\n').zip(numbers);
    let code: Vec<&[u8]> = lines.map(|(line, &width)| if width > 0 { &line[width..] } else { &[] }).collect();
    code.join(&b'\n')
}
