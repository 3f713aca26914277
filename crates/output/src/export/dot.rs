//! The dependency graph for Graphviz; arrows point from a call to its dependents.

use std::io::{self, Write};

use super::record::part_graph;
use crate::document::graph::{Fate, Labels};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::sanitize::visible_str;

/// Writes the graph of a completely read transcript, or of a part of it.
pub fn write<W: Write>(out: &mut W, session: &Session, part: Option<&Selection>) -> io::Result<()> {
    let (graph, labels) = (part_graph(session, part), session.labels());
    writeln!(out, "digraph calls {{")?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    for (number, node) in graph.nodes.iter().enumerate() {
        if node.left_out {
            continue;
        }
        let (fate, style) = match node.fate {
            Fate::Withdrawn => continue,
            _ if node.failed => ("\\nfailed".into(), ", color=red, fontcolor=red"),
            Fate::Runs(_) => (String::new(), ""),
            Fate::Fails => ("\\nrejected".into(), ", color=red, fontcolor=red"),
            Fate::Skipped(_) => (
                format!("\\nskipped: {}", quoted(&graph.skip_reason(number, &labels).unwrap_or_default())),
                ", style=\"rounded,dashed\", color=gray40, fontcolor=gray40",
            ),
        };
        writeln!(
            out,
            "  n{number} [label=\"{}\\n{}{fate}\"{style}];",
            quoted(&labels.name(number)),
            quoted(&labels.id(number))
        )?;
    }
    for (number, missing) in graph.shown_missing() {
        writeln!(
            out,
            "  m{number} [label=\"{}\\nunknown dependency\", shape=plaintext, fontcolor=red];",
            quoted(&missing.id)
        )?;
    }
    for wave in graph.waves.iter().filter(|wave| wave.len() > 1) {
        let nodes: Vec<String> = wave.iter().map(|node| format!("n{node}")).collect();
        writeln!(out, "  {{ rank=same; {}; }}", nodes.join("; "))?;
    }
    for edge in &graph.edges {
        writeln!(out, "  n{} -> n{};", edge.to(), edge.from())?;
    }
    for (number, missing) in graph.shown_missing() {
        writeln!(out, "  m{number} -> n{} [style=dashed, color=red];", missing.from())?;
    }
    writeln!(out, "}}")
}

/// Escapes text for a quoted DOT string. Backslashes are doubled, as they begin escapes in labels.
fn quoted(text: &str) -> String {
    visible_str(text).replace('\\', "\\\\").replace('"', "\\\"")
}
