//! The dependency graph as text: wave after wave, a call a line with what it waits for.
//!
//! This module does not know how waves are found.

use std::collections::HashMap;
use std::io::{self, Write};

use super::record::failure;
use crate::document::graph::{Fate, Graph};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::display_width;

/// Writes the graph of a transcript that is read to its end.
pub fn write<W: Write>(out: &mut W, session: &Session) -> io::Result<()> {
    let graph = session.graph();
    if graph.nodes.is_empty() {
        return writeln!(out, "no calls");
    }
    let labels: Vec<String> = graph.nodes.iter().map(|node| visible_str(&node.id).into_owned()).collect();
    let page = Page { waits_for: waits_for(&graph), labels: &labels, graph: &graph };
    for (number, wave) in graph.waves.iter().enumerate() {
        let side_by_side = if wave.len() > 1 { format!(", {} side by side", wave.len()) } else { String::new() };
        page.section(out, &format!("wave {}{side_by_side}", number + 1), number == 0, wave, |node| page.waiting(node))?;
    }
    let mut first = graph.waves.is_empty();
    if !graph.cycles.is_empty() {
        heading(out, "cycles", &mut first)?;
        for cycle in &graph.cycles {
            let ids: Vec<&str> = cycle.iter().chain(cycle.first()).map(|&node| labels[node].as_str()).collect();
            writeln!(out, "  {}", ids.join(" → "))?;
        }
    }
    if !graph.missing.is_empty() {
        heading(out, "missing", &mut first)?;
        for missing in &graph.missing {
            let id = visible_str(&missing.id);
            writeln!(out, "  {id}  no call has this id; {} waits for it", labels[missing.from])?;
        }
    }
    let with = |wanted: fn(&Fate) -> bool| -> Vec<usize> {
        (0..graph.nodes.len()).filter(|&node| wanted(&graph.nodes[node].fate)).collect()
    };
    let failed = with(|fate| *fate == Fate::Fails);
    if !failed.is_empty() {
        let why = |node: usize| visible_str(&failure(session, graph.nodes[node].item)).into_owned();
        page.section(out, "rejected", first, &failed, why)?;
        first = false;
    }
    let skipped = with(|fate| matches!(fate, Fate::Skipped(_)));
    if !skipped.is_empty() {
        let why = |node: usize| visible_str(graph.skip_reason(node).unwrap_or_default()).into_owned();
        page.section(out, "skipped", first, &skipped, why)?;
    }
    Ok(())
}

struct Page<'a> {
    graph: &'a Graph,
    /// Ids, harmless.
    labels: &'a [String],
    waits_for: HashMap<usize, Vec<usize>>,
}

impl Page<'_> {
    /// A heading, and a line for each node: id, name and a remark, in columns.
    fn section<W: Write>(
        &self,
        out: &mut W,
        title: &str,
        first: bool,
        nodes: &[usize],
        remark: impl Fn(usize) -> String,
    ) -> io::Result<()> {
        heading(out, title, &mut { first })?;
        let names: Vec<_> = nodes.iter().map(|&node| visible_str(&self.graph.nodes[node].name)).collect();
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| display_width(text.as_bytes())).max().unwrap_or_default().min(WIDEST)
        };
        let id_width = widest(&mut nodes.iter().map(|&node| self.labels[node].as_str()));
        let name_width = widest(&mut names.iter().map(AsRef::as_ref));
        for (name, &node) in names.iter().zip(nodes) {
            let row = format!("  {}  {}  {}", pad(&self.labels[node], id_width), pad(name, name_width), remark(node));
            writeln!(out, "{}", row.trim_end())?;
        }
        Ok(())
    }

    /// What a call waits for.
    fn waiting(&self, node: usize) -> String {
        let ids: Vec<&str> =
            self.waits_for.get(&node).into_iter().flatten().map(|&to| self.labels[to].as_str()).collect();
        if ids.is_empty() { String::new() } else { format!("← {}", ids.join(", ")) }
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

fn waits_for(graph: &Graph) -> HashMap<usize, Vec<usize>> {
    let mut map: HashMap<usize, Vec<usize>> = HashMap::new();
    for edge in &graph.edges {
        map.entry(edge.from).or_default().push(edge.to);
    }
    map
}
