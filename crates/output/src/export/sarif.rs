//! Problems as SARIF 2.1.0, for code scanning and editors.
//!
//! Every kind of problem is a rule of the tool, so that the results contain its explanation.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::baseline::{CheckedFile, Fingerprint, KnownProblem};
use super::json_text::write_lines;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::session::Session;
use crate::text::{Span, Walk};

/// Name of the fingerprint algorithm.
const FINGERPRINT: &str = "transcope/v1";

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the problems of completely read transcripts, each with its baseline state if there is a baseline, and the
/// problems that are gone.
pub fn write<'a, W: Write>(
    out: &mut W,
    files: impl Iterator<Item = CheckedFile<'a>>,
    gone: &[&KnownProblem],
) -> io::Result<()> {
    writeln!(out, "{{\"$schema\": \"{SCHEMA}\", \"version\": \"2.1.0\", \"runs\": [{{")?;
    let rules: Vec<Value> = Code::ALL.into_iter().map(rule).collect();
    let driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    write!(out, "\"tool\": ")?;
    super::json_text::write(out, &json!({ "driver": driver }))?;
    write!(out, ",\n\"columnKind\": \"unicodeCodePoints\",\n\"results\": ")?;
    let results = files.flat_map(|file| {
        let (uri, mut walks) = (uri(file.path), <[Walks; 2]>::default());
        file.iter().map(move |(problem, known)| {
            let mut result = result(file.session, &uri, &mut walks, &problem);
            let fingerprint = Fingerprint::new(file.path, file.session, &problem);
            result["partialFingerprints"] = json!({ FINGERPRINT: fingerprint });
            if let Some(known) = known {
                result["baselineState"] = if known { "unchanged" } else { "new" }.into();
            }
            result
        })
    });
    let results = results.chain(gone.iter().map(|problem| absent(problem)));
    write_lines(out, results)?;
    writeln!(out, "\n}}]}}")
}

/// A result for a problem that no longer exists.
fn absent(problem: &KnownProblem) -> Value {
    json!({
        "ruleId": problem.code,
        "message": { "text": problem.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&problem.path) },
            "region": { "startLine": problem.line },
        } }],
        "partialFingerprints": { FINGERPRINT: problem.fingerprint },
        "baselineState": "absent",
    })
}

fn rule(code: Code) -> Value {
    let page = code.info();
    json!({
        "id": code.name(),
        "shortDescription": { "text": page.title },
        "fullDescription": { "text": page.explanation },
        "help": { "text": page.help },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

/// Walks through the starts of spans and through their ends.
type Walks = [Walk; 2];

/// The result for a problem. Related locations have separate walks, since they are visited in a different order.
fn result(session: &Session, uri: &str, [own, others]: &mut [Walks; 2], diagnostic: &Diagnostic) -> Value {
    let mut result = json!({
        "ruleId": diagnostic.code.name(),
        "ruleIndex": diagnostic.code as usize,
        "level": level(diagnostic.severity),
        "message": { "text": format!("{}\nhelp: {}", diagnostic.message, diagnostic.help_text()) },
        "locations": [location(session, uri, own, session.source_of_problem(diagnostic))],
    });
    if !diagnostic.related.is_empty() {
        let related = diagnostic.related.iter().enumerate().map(|(number, related)| {
            let mut place = location(session, uri, others, session.source_of(related.span));
            place["id"] = number.into();
            place["message"] = json!({ "text": related.message });
            place
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn location(session: &Session, uri: &str, [starts, ends]: &mut Walks, span: Span) -> Value {
    let (file, lines) = (session.file(), session.file_lines());
    let start = starts.position(file, lines, span.start);
    let end = ends.position(file, lines, span.end);
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
                "byteOffset": span.start,
                "byteLength": span.len(),
            },
        },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint | Severity::Note => "note",
    }
}

/// Converts a path to a URI reference (RFC 3986): relative to the working directory of the check, or `file:` for an
/// absolute path.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        for (path, expected) in
            [("a.txt", "a.txt"), ("logs/my file.txt", "logs/my%20file.txt"), ("/tmp/ü:1", "file:///tmp/%C3%BC%3A1")]
        {
            assert_eq!(uri(path), expected);
        }
    }
}
