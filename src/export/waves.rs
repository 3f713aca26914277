//! The dependency graph as text: wave after wave, one call per line with what it depends on.
//!
//! This module does not know how waves are found.

use std::io::{self, Write};

use super::record::failure;
use crate::document::graph::{CallLabels, Fate, Graph, Labels};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;

/// Writes the graph of a transcript that is read to its end.
pub fn write<W: Write>(out: &mut W, session: &Session) -> io::Result<()> {
    let (graph, labels) = (session.graph(), session.labels());
    if graph.nodes.is_empty() {
        return writeln!(out, "no calls");
    }
    let page = WavePrinter { graph: &graph, labels };
    for (number, wave) in graph.waves.iter().enumerate() {
        let parallel = if wave.len() > 1 { format!(": {} in parallel", wave.len()) } else { String::new() };
        let message = graph.waves.message(number).map_or_else(String::new, |at| format!(", message {}", at + 1));
        page.section(out, &format!("wave {}{message}{parallel}", number + 1), number == 0, wave, |node| {
            page.waiting(node)
        })?;
    }
    let mut first = graph.waves.is_empty();
    if !graph.cycles.is_empty() {
        heading(out, "cycles", &mut first)?;
        for cycle in &graph.cycles {
            let ids: Vec<String> = cycle.iter().chain(cycle.first()).map(|&node| page.id(node as usize)).collect();
            writeln!(out, "  {}", ids.join(" → "))?;
        }
    }
    if !graph.missing.is_empty() {
        heading(out, "missing", &mut first)?;
        for missing in &graph.missing {
            let id = visible_str(&missing.id);
            writeln!(out, "  {id}  unknown dependency of {}", page.id(missing.from()))?;
        }
    }
    let with = |wanted: fn(&Fate) -> bool| -> Vec<u32> {
        (0..graph.nodes.len() as u32).filter(|&node| wanted(&graph.nodes[node as usize].fate)).collect()
    };
    let failed = with(|fate| *fate == Fate::Fails);
    if !failed.is_empty() {
        let why = |node: usize| visible_str(&failure(session, graph.nodes[node].item())).into_owned();
        page.section(out, "rejected", first, &failed, why)?;
        first = false;
    }
    let skipped = with(|fate| matches!(fate, Fate::Skipped(_)));
    if !skipped.is_empty() {
        let why = |node: usize| visible_str(&graph.skip_reason(node, &labels).unwrap_or_default()).into_owned();
        page.section(out, "skipped", first, &skipped, why)?;
    }
    Ok(())
}

struct WavePrinter<'a> {
    graph: &'a Graph,
    labels: CallLabels<'a>,
}

impl WavePrinter<'_> {
    /// A heading, and a line for each node: id, name and a remark, in columns.
    fn section<W: Write>(
        &self,
        out: &mut W,
        title: &str,
        first: bool,
        nodes: &[u32],
        remark: impl Fn(usize) -> String,
    ) -> io::Result<()> {
        heading(out, title, &mut { first })?;
        let nodes = || nodes.iter().map(|&node| node as usize);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| display_width(text.as_bytes())).max().unwrap_or_default().min(WIDEST)
        };
        let id_width = widest(&mut nodes().map(|node| self.id(node)));
        let name_width = widest(&mut nodes().map(|node| self.name(node)));
        for node in nodes() {
            let (id, name) = (pad(&self.id(node), id_width), pad(&self.name(node), name_width));
            writeln!(out, "{}", format!("  {id}  {name}  {}", remark(node)).trim_end())?;
        }
        Ok(())
    }

    /// The id of a call, harmless.
    fn id(&self, node: usize) -> String {
        visible_str(&self.labels.id(node)).into_owned()
    }

    /// The name of a call, harmless.
    fn name(&self, node: usize) -> String {
        visible_str(&self.labels.name(node)).into_owned()
    }

    /// What a call waits for, and that it failed, if it did.
    fn waiting(&self, node: usize) -> String {
        let ids: Vec<String> = self.graph.edges_of(node).iter().map(|edge| self.id(edge.to())).collect();
        let waits = if ids.is_empty() { String::new() } else { format!("← {}", ids.join(", ")) };
        if self.graph.nodes[node].failed { format!("failed  {waits}").trim_end().to_owned() } else { waits }
    }
}

/// Columns beyond which a column is not made wider.
const WIDEST: usize = 40;

fn heading<W: Write>(out: &mut W, title: &str, first: &mut bool) -> io::Result<()> {
    if !std::mem::replace(first, false) {
        writeln!(out)?;
    }
    writeln!(out, "{title}")
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(display_width(text.as_bytes())))
}
