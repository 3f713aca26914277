//! The dependency graph for Mermaid; arrows point from a call to its dependents.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::record::part_graph;
use crate::document::graph::{Fate, Labels};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::sanitize::visible_str;

/// Writes the graph of a completely read transcript, or of a part of it.
pub fn write<W: Write>(out: &mut W, session: &Session, part: Option<&Selection>) -> io::Result<()> {
    let (graph, labels) = (part_graph(session, part), session.labels());
    writeln!(out, "flowchart LR")?;
    for (number, node) in graph.nodes.iter().enumerate() {
        if node.left_out {
            continue;
        }
        let (fate, class) = match node.fate {
            Fate::Withdrawn => continue,
            _ if node.failed => ("<br/>failed".into(), ":::rejected"),
            Fate::Runs(_) => (String::new(), ""),
            Fate::Fails => ("<br/>rejected".into(), ":::rejected"),
            Fate::Skipped(_) => {
                let reason = graph.skip_reason(number, &labels).unwrap_or_default();
                (format!("<br/>skipped: {}", escaped(&reason)), ":::skipped")
            }
        };
        writeln!(
            out,
            "  n{number}[\"{}<br/>{}{fate}\"]{class}",
            escaped(&labels.name(number)),
            escaped(&labels.id(number))
        )?;
    }
    for (number, missing) in graph.shown_missing() {
        writeln!(out, "  m{number}([\"{}<br/>unknown dependency\"]):::missing", escaped(&missing.id))?;
    }
    for edge in &graph.edges {
        writeln!(out, "  n{} --> n{}", edge.to(), edge.from())?;
    }
    for (number, missing) in graph.shown_missing() {
        writeln!(out, "  m{number} -.-> n{}", missing.from())?;
    }
    writeln!(out, "  classDef rejected stroke:#c00,color:#c00")?;
    writeln!(out, "  classDef skipped stroke-dasharray:4 4,color:#777")?;
    writeln!(out, "  classDef missing stroke:#c00,stroke-dasharray:4 4,color:#c00")
}

/// Escapes text for a quoted Mermaid label, which may contain HTML and Markdown. Everything but letters, digits and
/// safe punctuation is written as a numeric entity.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible_str(text).chars() {
        if c.is_alphanumeric() || !c.is_ascii() || matches!(c, ' ' | '_' | '-' | '.' | ',' | ':' | '/') {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}
