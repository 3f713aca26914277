//! Converts patterns of other engines, and finds the substrings without which they cannot match.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, GroupKind};
use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most bytes before a sign at which a match may begin.
const MOST_BACK: usize = 128;

/// Fewest bytes of a sign, and most signs of a rule.
const SHORTEST: usize = 3;
const MOST: usize = 48;

/// A pattern without whitespace and comments, whose only groups have a secret. `group` is the number of the group.
pub fn converted(pattern: &str, group: Option<u32>) -> Result<String, String> {
    let mut ast = Parser::new().parse(pattern.trim()).map_err(|error| error.kind().to_string())?;
    let named = has_group(&ast, &|kind| is_secret_name(kind));
    let keeps = |kind: &GroupKind| match (kind, group) {
        (GroupKind::CaptureIndex(index), Some(group)) => *index == group,
        (GroupKind::CaptureName { .. }, _) => named && is_secret_name(kind),
        (GroupKind::CaptureIndex(_), None) => !named,
        (GroupKind::NonCapturing(_), _) => false,
    };
    release(&mut ast, &keeps);
    let mut out = String::new();
    ast::print::Printer::new().print(&ast, &mut out).map_err(|error| error.to_string())?;
    // Whitespace is dropped by the printer; what is left of it is escaped.
    let out = out.replace("(?x)", "").replace("(?xi)", "(?i)").replace("(?ix)", "(?i)");
    if out.contains(['\t', '\n', '\r']) {
        return Err("it has a line end".to_owned());
    }
    parsed(&out)?;
    Ok(out)
}

fn is_secret_name(kind: &GroupKind) -> bool {
    let GroupKind::CaptureName { name, .. } = kind else { return false };
    ["token", "secret"].iter().any(|part| name.name.to_ascii_lowercase().contains(part))
}

/// The parts of an expression.
fn parts(ast: &mut Ast) -> Vec<&mut Ast> {
    match ast {
        Ast::Group(group) => vec![&mut group.ast],
        Ast::Repetition(repeated) => vec![&mut repeated.ast],
        Ast::Alternation(list) => list.asts.iter_mut().collect(),
        Ast::Concat(list) => list.asts.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn has_group(ast: &Ast, is_one: &dyn Fn(&GroupKind) -> bool) -> bool {
    let mut copy = ast.clone();
    matches!(ast, Ast::Group(group) if is_one(&group.kind))
        || parts(&mut copy).into_iter().any(|part| has_group(part, is_one))
}

/// Makes all groups non-capturing except the ones to keep, which lose their names.
fn release(ast: &mut Ast, keeps: &dyn Fn(&GroupKind) -> bool) {
    if let Ast::Group(group) = ast
        && !matches!(group.kind, GroupKind::NonCapturing(_))
    {
        let flags = ast::Flags { span: group.span, items: Vec::new() };
        group.kind = if keeps(&group.kind) { GroupKind::CaptureIndex(1) } else { GroupKind::NonCapturing(flags) };
    }
    for part in parts(ast) {
        release(part, keeps);
    }
}

/// The pattern as the redactor compiles it: over bytes, and with ASCII classes.
pub fn parsed(pattern: &str) -> Result<Hir, String> {
    let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
    parser.parse(pattern).map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
}

/// Substrings in lower case, one of which each match contains, and the most bytes of a match before it.
pub fn signs(pattern: &str) -> Result<(Vec<String>, usize), String> {
    let elements = elements(&lowered(&parsed(pattern)?));
    let mut best: Option<(usize, usize, Vec<String>)> = None;
    let mut back = Some(0);
    for at in 0..elements.len() {
        let Some(before) = back.filter(|&before| before <= MOST_BACK) else { break };
        let rest = Hir::concat(elements[at..].to_vec());
        let mut extractor = Extractor::new();
        extractor.kind(ExtractKind::Prefix).limit_class(16).limit_total(MOST);
        let seq = extractor.extract(&rest);
        if let Some(literals) = seq.literals() {
            let shortest = literals.iter().map(Literal::len).min().unwrap_or_default();
            let texts: Option<Vec<String>> =
                literals.iter().map(|literal| String::from_utf8(literal.as_bytes().to_vec()).ok()).collect();
            let is_better = best.as_ref().is_none_or(|(_, len, _)| shortest.min(6) > (*len).min(6));
            if let Some(texts) =
                texts.filter(|texts| shortest >= SHORTEST && is_better && texts.iter().all(|text| is_plain(text)))
            {
                best = Some((before, shortest, texts));
            }
        }
        back = elements[at].properties().maximum_len().map(|len| before + len);
    }
    let (back, _, mut texts) = best.ok_or("no substring is in all its matches")?;
    texts.sort();
    texts.dedup();
    Ok((texts, back))
}

/// True for a sign without control characters.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..0x7f).contains(&byte))
}

/// An expression with all letters in lower case.
fn lowered(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Unicode(_)) => hir.clone(),
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        HirKind::Class(Class::Bytes(class)) => {
            let mut bytes: Vec<u8> = class
                .ranges()
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .map(|byte| byte.to_ascii_lowercase())
                .collect();
            bytes.sort_unstable();
            bytes.dedup();
            let ranges = bytes.iter().map(|&byte| regex_syntax::hir::ClassBytesRange::new(byte, byte));
            Hir::class(Class::Bytes(regex_syntax::hir::ClassBytes::new(ranges)))
        }
        HirKind::Repetition(repeated) => {
            let mut repeated = repeated.clone();
            repeated.sub = Box::new(lowered(&repeated.sub));
            Hir::repetition(repeated)
        }
        // The groups are irrelevant here.
        HirKind::Capture(group) => lowered(&group.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(lowered).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(lowered).collect()),
    }
}

/// The consecutive parts of an expression, without assertions.
fn elements(hir: &Hir) -> Vec<Hir> {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().flat_map(elements).collect(),
        HirKind::Look(_) | HirKind::Empty => Vec::new(),
        _ => vec![hir.clone()],
    }
}
