//! Entities and CDATA sections of XML.

use crate::text::entity;

/// The text with XML escapes decoded; `None` if it has none.
pub(super) fn xml(written: &str) -> Option<String> {
    const OPEN: &str = "<![CDATA[";
    const CLOSE: &str = "]]>";
    if !written.contains('&') && !written.contains(OPEN) {
        return None;
    }
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find(['&', '<']) {
        out += &rest[..at];
        rest = &rest[at..];
        if let Some(inner) = rest.strip_prefix(OPEN) {
            let end = inner.find(CLOSE).unwrap_or(inner.len());
            out += &inner[..end];
            rest = inner[end..].strip_prefix(CLOSE).unwrap_or_default();
        } else if let Some((meant, length)) = entity::read(rest, entity::XML) {
            out.push(meant);
            rest = &rest[length..];
        } else {
            out += &rest[..1];
            rest = &rest[1..];
        }
    }
    out += rest;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_sections_are_decoded() {
        for (written, meant) in [
            ("a", None),
            ("a &lt; b &amp;&amp; c", Some("a < b && c")),
            ("&#65;&#x42;&nope;&", Some("AB&nope;&")),
            ("<![CDATA[<b>&amp;</b>]]> &gt;", Some("<b>&amp;</b> >")),
            ("<![CDATA[open", Some("open")),
            ("ä &quot;ü&quot; <i>", Some("ä \"ü\" <i>")),
        ] {
            assert_eq!(xml(written).as_deref(), meant, "{written}");
        }
    }
}
