//! A transcript as one page that can be sent to somebody: no scripts, nothing that is loaded, everything escaped.
//!
//! Values and raw text of a call stand side by side, problems below what they are about, with a list of them at the
//! beginning. The templates lie in `html/`; whatever they put in is escaped, but for our own style. Blocks are written
//! one after another, so that a long transcript is not kept twice. This module does not know what is in a block.

use std::io::{self, Write};

use askama::Template;

use super::page::{ReportBlock, ReportHeader, ReportPage};

/// What stands at the end of the page.
const FOOT: &str = "</main>\n</body>\n</html>\n";

#[derive(Template)]
#[template(path = "head.html", config = "src/export/html/askama.toml")]
struct Head {
    version: &'static str,
    style: &'static str,
    page: ReportHeader,
}

#[derive(Template)]
#[template(path = "block.html", config = "src/export/html/askama.toml")]
struct Part<'a> {
    block: &'a ReportBlock,
}

/// Writes a page; `path` is what the transcript is called.
pub fn write<W: Write>(out: &mut W, page: &ReportPage<'_>, path: &str) -> io::Result<()> {
    let head =
        Head { version: env!("CARGO_PKG_VERSION"), style: include_str!("html/style.css"), page: page.facts(path) };
    head.write_into(out)?;
    page.blocks(|block| Part { block: &block }.write_into(out))?;
    out.write_all(FOOT.as_bytes())
}
