//! Rewords serde's type errors: `expected u32` becomes `expected a non-negative integer`.

/// The message with its types in plain words, preceded by its line if it has one; unchanged if it is not a type error.
pub fn plain(message: &str) -> String {
    let split =
        |kind: &str| message.split_once(kind).and_then(|(path, rest)| Some((path, rest.split_once(", expected ")?)));
    let Some((path, (found, rest))) = split("invalid type: ").or_else(|| split("invalid value: ")) else {
        return message.to_owned();
    };
    let (expected, line) =
        rest.split_once(" at line ").map_or((rest, None), |(expected, place)| (expected, place.split(' ').next()));
    let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{line}{path}expected {}, found {}", expected_type(expected), found_value(found))
}

fn expected_type(words: &str) -> &str {
    match words {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a non-negative integer",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "f32" | "f64" => "a number",
        "a string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a character" => "one character",
        "a map" => "a mapping",
        words if words.starts_with("struct ") => "a mapping",
        words => words,
    }
}

fn found_value(words: &str) -> &str {
    match words {
        "sequence" => "a list",
        "map" => "a mapping",
        "null" | "unit value" => "nothing",
        words => words.split_once(' ').filter(|(kind, _)| !kind.is_empty()).map_or(words, |(kind, value)| match kind {
            "string" | "integer" | "boolean" | "character" => value.trim_matches('`'),
            _ => words,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_people_write_them() {
        for (message, expected) in [
            (
                "alert_silence: invalid type: string \"abc\", expected u32 at line 3 column 16",
                "line 3: alert_silence: expected a non-negative integer, found \"abc\"",
            ),
            (
                "theme: invalid type: sequence, expected a string at line 1 column 8",
                "line 1: theme: expected text, found a list",
            ),
            ("invalid type: sequence, expected struct FileRecord", "expected a mapping, found a list"),
            ("invalid value: integer `-1`, expected u64", "expected a non-negative integer, found -1"),
            ("unknown field `x`", "unknown field `x`"),
        ] {
            assert_eq!(plain(message), expected);
        }
    }
}
