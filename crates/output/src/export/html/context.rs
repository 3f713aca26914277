//! The context of the requests of a session as SVG: a bar for each, with what was read from the cache, what was new, and the
//! answer. The tokens are the ones of the context on the screen ([`crate::context_usage`]).

use std::io::{self, Write};

use askama::Template;

use crate::context_usage::{CacheLoss, ContextExtent, RequestParts, cache_losses};
use crate::document::Document;
use crate::document::facts::overview::ContextUsage;
use crate::document::facts::requests::ModelRequest;
use crate::export::page::ReportPage;
use crate::wording::figures::{compaction, percent, tokens, window};
use crate::wording::grouped;

/// Maximum number of bars. Of more requests, each bar is the largest of several.
const MAX_BARS: usize = 240;

/// Height of the bars in pixels, and of the words above them.
const HEIGHT: u64 = 140;
const TOP: u64 = 18;

#[derive(Template)]
#[template(path = "context.html", config = "src/export/html/askama.toml")]
struct Frame {
    title: String,
    /// States that several requests share a bar.
    rest: String,
    height: u64,
    /// Place of the line of the window, and its size.
    window: Option<(u64, String)>,
}

#[derive(Template)]
#[template(path = "context_bar.html", config = "src/export/html/askama.toml")]
struct Bar {
    /// Link target of its turn.
    turn: Option<usize>,
    /// Position and width in percent.
    x: String,
    width: String,
    /// Class, place and height of each part.
    parts: Vec<(&'static str, u64, u64)>,
    title: String,
    /// Compactions before it, as text.
    compactions: Vec<String>,
    height: u64,
}

/// The classes of the parts of a bar, from below.
const CLASSES: [&str; 4] = ["cached", "new", "answer", "reasoning"];

/// The requests of a drawing, each with the loss of its cache, and their extent.
pub(super) struct ContextDrawing {
    requests: Vec<(usize, Option<CacheLoss>)>,
    extent: ContextExtent,
    usage: ContextUsage,
}

impl ContextDrawing {
    /// The context of a whole session; `None` if its requests have no counts of tokens.
    pub(super) fn new(page: &ReportPage<'_>) -> Option<Self> {
        let document = page.session().document();
        let usage = document.context().filter(|_| page.has_turns() && page.is_whole())?;
        let requests = cache_losses(document);
        let extent = ContextExtent::new(document, requests.iter().map(|(number, _)| *number));
        Some(Self { requests, extent, usage })
    }

    /// Writes the drawing bar by bar.
    pub(super) fn write<W: Write>(self, out: &mut W, page: &ReportPage<'_>) -> io::Result<()> {
        let document = page.session().document();
        let each = self.requests.len().div_ceil(MAX_BARS).max(1);
        self.frame(each).write_into(out)?;
        let mut compactions = document.compactions().peekable();
        let groups = self.requests.chunks(each);
        let all = groups.len();
        for (place, group) in groups.enumerate() {
            let found =
                group.iter().filter_map(|(number, loss)| Some((*number, document.requests().get(*number)?, loss)));
            let Some(last) = found.clone().map(|(_, request, _)| request.place).last() else { continue };
            let Some((number, request, loss)) = found.max_by_key(|(_, request, _)| request.prompt()) else { continue };
            let mut before = Vec::new();
            while let Some(entry) = compactions.next_if(|entry| entry.place <= last) {
                before.push(compaction(&entry));
            }
            let bar = Bar {
                turn: document.turn_of(request.message).map(|turn| turn.index),
                x: share(place, all),
                width: share(1, all),
                parts: parts(&request, self.extent),
                title: words(document, number, &request, loss.as_ref(), self.extent),
                compactions: before,
                height: TOP + HEIGHT,
            };
            bar.write_into(out)?;
        }
        out.write_all(b"</svg>\n</section>\n")
    }

    fn frame(&self, each: usize) -> Frame {
        let Self { usage, extent, requests } = self;
        let of = usage.window.map_or_else(String::new, |size| format!(" of {}", window(size)));
        let rest = if each > 1 {
            format!("{} requests; each bar is the largest of {each}.", grouped(requests.len()))
        } else {
            String::new()
        };
        let line = usage.window.filter(|size| extent.window == Some(size.value));
        let line = line.map(|size| (TOP + HEIGHT - scaled(size.value, *extent), format!("window {}", window(size))));
        Frame {
            title: format!("Context · {} at the end, {} at most{of}", tokens(usage.last), tokens(usage.peak)),
            rest,
            height: TOP + HEIGHT,
            window: line,
        }
    }
}

/// The parts of a bar, from below.
fn parts(request: &ModelRequest<'_>, extent: ContextExtent) -> Vec<(&'static str, u64, u64)> {
    let mut sum = 0;
    let parts = RequestParts::new(request).list().into_iter().zip(CLASSES).map(|(tokens, class)| {
        let below = scaled(sum, extent);
        sum += tokens;
        let height = scaled(sum, extent) - below;
        (class, TOP + HEIGHT - below - height, height)
    });
    parts.filter(|(_, _, height)| *height > 0).collect()
}

/// Tokens in pixels.
fn scaled(tokens: u64, extent: ContextExtent) -> u64 {
    let full = u128::from(extent.full());
    u64::try_from((u128::from(tokens) * u128::from(HEIGHT)).div_ceil(full)).unwrap_or(HEIGHT).min(HEIGHT)
}

/// A bar as text: `Request 12, turn 3: 61k (43 %), 58k cached, 3.1k new, 812 answer`.
fn words(
    document: &Document,
    number: usize,
    request: &ModelRequest<'_>,
    loss: Option<&CacheLoss>,
    extent: ContextExtent,
) -> String {
    let turn = document.turn_of(request.message).and_then(|turn| document.turn_number(turn));
    let turn = turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
    let prompt = request.prompt().unwrap_or_default();
    let full = extent.window.and_then(|window| percent(prompt, window));
    let full = full.map_or_else(String::new, |share| format!(" ({share})"));
    let parts = RequestParts::new(request).list().into_iter().zip(CLASSES).filter(|(count, _)| *count > 0);
    let parts = parts.map(|(count, class)| format!(", {} {class}", tokens(count)));
    let lost = loss.map_or_else(String::new, |loss| format!(", {} of the cache lost", tokens(loss.tokens)));
    format!("Request {}{turn}: {}{full}{}{lost}", number + 1, tokens(prompt), parts.collect::<String>())
}

/// A part of the width in percent, with two decimals.
fn share(part: usize, whole: usize) -> String {
    let hundredths = part * 10_000 / whole.max(1);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
