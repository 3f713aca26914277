//! Conversion rules of Dynamo's parsers of tags: `convert_param_value` in `tool_calling/xml/parser.rs` of the crate
//! dynamo-parsers.

use serde_json::Value as Json;

use super::{plain_type, vllm};
use crate::value::json::flavour::PlainValue;
use crate::value::place::SourceText;

/// Most zeros that an exponent adds to an integer; a number with more keeps its text.
const MOST_ZEROS: usize = 1024;

/// The value of a text: `null` whatever the type, a number without a fraction as an integer however it is written, and
/// anything else as by vLLM.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    if text.eq_ignore_ascii_case("null") {
        return PlainValue::Null;
    }
    let kind = schema.and_then(|schema| schema.get("type")?.as_str()).map(plain_type);
    let is_number = matches!(kind.as_deref(), Some("integer" | "number"));
    let whole = if is_number { whole_number(&text) } else { None };
    whole.unwrap_or_else(|| vllm(text, schema))
}

/// The integer that a decimal number denotes; `None` if it has a fraction.
fn whole_number(text: &str) -> Option<PlainValue> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let point = usize::try_from(point.max(0)).ok()?;
    let (kept, cut) = digits.split_at(point.min(digits.len()));
    let zeros = point.saturating_sub(digits.len());
    if cut.bytes().any(|byte| byte != b'0') || zeros > MOST_ZEROS {
        return None;
    }
    let kept = kept.trim_start_matches('0');
    let sign = if text.starts_with('-') && !kept.is_empty() { "-" } else { "" };
    Some(PlainValue::Int(if kept.is_empty() { "0".to_owned() } else { format!("{sign}{kept}{}", "0".repeat(zeros)) }))
}
