//! The dependency graph as text: by wave, with one call and its dependencies per line.

use std::io::{self, Write};

use super::record::{failure, part_graph};
use crate::document::graph::{CallLabels, Fate, Graph, Labels};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;

/// Maximum width of a column.
const WIDEST: usize = 40;

/// Writes the graph of a completely read transcript, or of a part of it.
pub fn write<W: Write>(out: &mut W, session: &Session, part: Option<&Selection>) -> io::Result<()> {
    let (graph, labels) = (part_graph(session, part), session.labels());
    if graph.nodes.iter().all(|node| node.left_out) {
        return writeln!(out, "no calls");
    }
    let page = WavePrinter { graph: &graph, labels };
    let mut sections = Vec::new();
    for (number, wave) in graph.waves.iter().enumerate() {
        let parallel = if wave.len() > 1 { format!(": {} in parallel", wave.len()) } else { String::new() };
        let message = graph.waves.message(number).map_or_else(String::new, |at| format!(", message {}", at + 1));
        sections.push(page.calls(&format!("wave {}{message}{parallel}", number + 1), wave, |node| page.waiting(node)));
    }
    let cycles = graph.shown_cycles().map(|cycle| {
        let ids: Vec<String> = cycle.iter().chain(cycle.first()).map(|&node| page.id(node as usize)).collect();
        ids.join(" → ")
    });
    sections.push(section("cycles", cycles));
    let missing = graph
        .shown_missing()
        .map(|(_, missing)| format!("{}  unknown dependency of {}", visible_str(&missing.id), page.id(missing.from())));
    sections.push(section("missing", missing));
    let with = |wanted: fn(&Fate) -> bool| -> Vec<u32> {
        let is_wanted = |node: &u32| {
            let node = graph.nodes[*node as usize];
            !node.left_out && wanted(&node.fate)
        };
        (0..graph.nodes.len() as u32).filter(is_wanted).collect()
    };
    sections.push(page.calls("rejected", &with(|fate| *fate == Fate::Fails), |node| {
        visible_str(&failure(session, graph.nodes[node].item())).into_owned()
    }));
    sections.push(page.calls("skipped", &with(|fate| matches!(fate, Fate::Skipped(_))), |node| {
        visible_str(&graph.skip_reason(node, &labels).unwrap_or_default()).into_owned()
    }));
    sections.retain(|section| !section.is_empty());
    out.write_all(sections.join("\n").as_bytes())
}

/// A title with indented lines; empty if there are no lines.
fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { String::new() } else { format!("{title}\n  {}\n", lines.join("\n  ")) }
}

struct WavePrinter<'a> {
    graph: &'a Graph,
    labels: CallLabels<'a>,
}

impl WavePrinter<'_> {
    /// A section with a line for each node: id, name and a remark, in columns.
    fn calls(&self, title: &str, nodes: &[u32], remark: impl Fn(usize) -> String) -> String {
        let nodes = || nodes.iter().map(|&node| node as usize);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| display_width(text.as_bytes())).max().unwrap_or_default().min(WIDEST)
        };
        let id_width = widest(&mut nodes().map(|node| self.id(node)));
        let name_width = widest(&mut nodes().map(|node| self.name(node)));
        let line = |node| {
            let (id, name) = (pad(&self.id(node), id_width), pad(&self.name(node), name_width));
            format!("{id}  {name}  {}", remark(node)).trim_end().to_owned()
        };
        section(title, nodes().map(line))
    }

    fn id(&self, node: usize) -> String {
        visible_str(&self.labels.id(node)).into_owned()
    }

    fn name(&self, node: usize) -> String {
        visible_str(&self.labels.name(node)).into_owned()
    }

    /// The dependencies of a call, preceded by `failed` if it failed.
    fn waiting(&self, node: usize) -> String {
        let ids: Vec<String> = self.graph.edges_of(node).iter().map(|edge| self.id(edge.to())).collect();
        let waits = if ids.is_empty() { String::new() } else { format!("← {}", ids.join(", ")) };
        if self.graph.nodes[node].failed { format!("failed  {waits}").trim_end().to_owned() } else { waits }
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(display_width(text.as_bytes())))
}
