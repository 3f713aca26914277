//! Declarations learnt from the chat templates of other projects, with the probes that each of them reads.
//!
//! The template's own losses are listed, too: what it leaves out cannot be read.

use std::fmt::Write as _;

use serde_json::Map;
use transcope::dialect::declared::Declaration;
use transcope::template::RenderOptions;
use transcope::template::learn::learn;

use super::templates::{templates, vectors};

/// Templates whose declaration reads all probes, of 39 that write the call of the probe `single`. `gemma3_pythonic` omits the
/// comma between two arguments.
const FEWEST_WHOLE: usize = 38;

#[test]
fn most_templates_that_write_calls_give_a_declaration_that_reads_all_probes() {
    let vectors = vectors();
    let (mut table, mut whole) = (String::new(), 0);
    for (name, template) in templates() {
        let tokens = vectors.iter().find(|vector| vector.template == name);
        let tokens = tokens.map_or_else(Map::new, |vector| vector.special_tokens.clone());
        let learned = learn(&template, &tokens, &RenderOptions::default(), "learned").expect("it is a template");
        let Some(learned) = learned else { continue };
        assert!(Declaration::parse(&learned.yaml).is_ok(), "{name}: {}", learned.yaml);
        let (reads, all) = (learned.reads(), learned.probes.len());
        whole += usize::from(reads == all);
        let known = learned.built_in.map(|known| format!("; so does {known}")).unwrap_or_default();
        writeln!(table, "{name}: reads {reads} of {all}{known}").expect("a string takes all text");
        for line in learned.yaml.lines() {
            if ["section:", "call:", "arguments:"].iter().any(|member| line.starts_with(member)) {
                writeln!(table, "  {line}").expect("a string takes all text");
            }
        }
        for (loss, probes) in learned.losses() {
            writeln!(table, "  leaves out {loss}: {}", probes.join(" ")).expect("a string takes all text");
        }
    }
    super::snapshot::matches("", "learned", &table);
    assert!(whole >= FEWEST_WHOLE, "{whole} templates");
}
