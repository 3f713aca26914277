//! Tokens and costs in the lines that aider writes after an answer.

use super::super::facts::{Fact, FigureSource, RequestFacts, RequestScope, Usage};
use super::super::usage::{Counting, Counts};

/// The requests for one answer, which a line of the program counts together.
pub(super) fn request(line: &[u8], model: Option<&str>) -> Option<Fact> {
    let words = std::str::from_utf8(line.strip_prefix(b"Tokens: ")?).ok()?;
    let (tokens, cost) = match words.split_once(" Cost: ") {
        Some((tokens, cost)) => (tokens, Some(cost)),
        None => (words, None),
    };
    let mut counts = Counts::default();
    for part in tokens.trim_end_matches('.').split(", ") {
        let (number, what) = part.split_once(' ')?;
        let place = match what {
            "sent" => &mut counts.input,
            "cache hit" => &mut counts.cache_read,
            "cache write" => &mut counts.cache_write,
            "received" => &mut counts.output,
            _ => continue,
        };
        *place = rounded(number);
    }
    let is_rounded = tokens.split([' ', ',']).any(|word| word.ends_with(['k', 'M']));
    let ground = if is_rounded { FigureSource::Rounded } else { FigureSource::Recorded };
    let usage = Usage { ground, ..counts.disjoint(Counting::Inside, Counting::Inside) };
    usage.total()?;
    // Older versions call it a request.
    let dollars = |part: &str| {
        let (amount, what) = part.strip_prefix('$')?.split_once(' ')?;
        amount.parse().ok().filter(|_| matches!(what, "message" | "request"))
    };
    Some(Fact::Request(RequestFacts {
        scope: RequestScope::Turn,
        model: model.map(Box::from),
        usage: Some(usage),
        cost: cost.and_then(|cost| cost.split(", ").find_map(dollars)),
        ..RequestFacts::default()
    }))
}

/// A count in the form `812`, `5,244`, `9.9k`, `1.2M`.
fn rounded(number: &str) -> Option<u64> {
    let (digits, unit) = match number.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => number.strip_suffix('M').map_or((number, 1.0), |digits| (digits, 1e6)),
    };
    let value =
        digits.replace(',', "").parse::<f64>().ok().filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()))?;
    #[expect(clippy::cast_sign_loss, reason = "it begins with a digit")]
    Some((value * unit).round() as u64)
}
