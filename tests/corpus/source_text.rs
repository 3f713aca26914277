//! Compares the bytes of a file with the text that was decoded from them.

use std::io::Read as _;

use base64::Engine as _;

/// True if the bytes of a file, in a JSON string, decode to this text.
fn says_plainly(source: &[u8], said: &[u8]) -> bool {
    serde_json::from_slice::<String>(&[b"\"", source, b"\""].concat()).is_ok_and(|text| text.as_bytes() == said)
}

/// True if the bytes of a file decode to this text: in a JSON string or nested ones, in a string in YAML that may hold
/// such strings, or in compressed base64.
pub fn says(source: &[u8], said: &[u8]) -> bool {
    // A placeholder for bytes that are not read.
    if said.starts_with(b"[") && said.ends_with(b" bytes]") || says_in_json(source, said) {
        return true;
    }
    let text = String::from_utf8_lossy(source);
    let in_yaml = ["'", "\""].iter().filter_map(|quote| {
        let entry = format!("- {quote}{text}{quote}");
        serde_yaml::from_str::<Vec<String>>(&entry).ok()?.pop()
    });
    let mut packed = Vec::new();
    let base64: Vec<u8> = source.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bytes = base64::prelude::BASE64_STANDARD.decode(base64).unwrap_or_default();
    let is_packed = flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut packed).is_ok();
    let decoded = if is_packed { packed } else { bytes };
    let in_base64 = memchr::memmem::find(&decoded, said).is_some() || says_in_json_part(&decoded, said);
    in_base64 || in_yaml.into_iter().any(|text| says_in_json(text.as_bytes(), said))
}

/// True if a part of a JSON text is a string with this content.
fn says_in_json_part(json: &[u8], said: &[u8]) -> bool {
    let escaped = serde_json::to_string(&String::from_utf8_lossy(said)).expect("a string is JSON");
    memchr::memmem::find(json, escaped.trim_matches('"').as_bytes()).is_some()
}

/// True if the bytes of a file, in a JSON string or nested ones, decode to this text.
fn says_in_json(source: &[u8], said: &[u8]) -> bool {
    let mut text = String::from_utf8_lossy(source).into_owned();
    // A text that has become a JSON string.
    let quoted = serde_json::from_slice::<String>(&[b"\"", said, b"\""].concat());
    if source == said
        || quoted.is_ok_and(|quoted| quoted.as_bytes() == source || says_plainly(source, quoted.as_bytes()))
    {
        return true;
    }
    // A placeholder for bytes that are not read.
    if said.starts_with(b"[") && text.starts_with('{') {
        return true;
    }
    for _ in 0..3 {
        let Ok(decoded) = serde_json::from_str::<String>(&format!("\"{text}\"")) else { return false };
        if decoded.as_bytes() == said {
            return true;
        }
        text = decoded;
    }
    false
}
