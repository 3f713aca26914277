//! Tokens of each kind of file, and files that are damaged or made to fill the memory.

use super::*;

fn facts(tokenizer: &str, config: &str, generation: Option<&str>) -> TokenFacts {
    let bytes = |text: &str| Some(text.as_bytes().to_vec());
    let files = TokenFiles {
        tokenizer: bytes(tokenizer),
        tokenizer_config: bytes(config),
        generation_config: generation.and_then(bytes),
    };
    files.facts().expect("they are JSON").expect("they have tokens")
}

const TOKENIZER: &str = r#"{"version": "1.0", "model": {"vocab": {"a": 0, "b": [1, {"c": 2}]}}, "added_tokens": [
    {"id": 7, "content": "<call>", "special": false, "normalized": false},
    {"id": 8, "content": "<call>x", "special": true, "lstrip": true},
    {"id": 9, "content": "<end>", "special": false}, {"id": 12, "content": "end", "single_word": true}, {"id": 10, "content": "</s>", "special": true}]}"#;

#[test]
fn flags_and_stops_are_those_of_all_files_together() {
    let config = r#"{"eos_token": {"content": "</s>"}, "additional_special_tokens": ["<end>", "<none>"],
        "added_tokens_decoder": {"7": {"content": "<call>", "special": true}, "11": {"content": "<more>"}}}"#;
    let found = facts(TOKENIZER, config, Some(r#"{"eos_token_id": [9, 99]}"#));
    let special = found.added.values().map(|token| (token.id, token.content.as_str(), token.is_special));
    assert_eq!(
        special.collect::<Vec<_>>(),
        [
            (10, "</s>", true),
            (7, "<call>", false),
            (8, "<call>x", true),
            (9, "<end>", true),
            (11, "<more>", false),
            (12, "end", false)
        ]
    );
    assert_eq!((found.stops, found.has_all_stops), (vec!["</s>".to_owned(), "<end>".to_owned()], true));
    let one = facts(TOKENIZER, r#"{"eos_token": "</s>"}"#, Some(r#"{"eos_token_id": 9}"#));
    assert_eq!(one.stops, ["</s>", "<end>"]);
    assert!(!facts(TOKENIZER, "{}", None).has_all_stops);
}

#[test]
fn the_longest_token_is_found_and_special_ones_are_left_out() {
    let found = facts(TOKENIZER, "{}", None);
    for (text, tokens, without) in [
        ("", &[] as &[&str], ""),
        ("a <call>x b<call></s>", &["<call>x", "<call>", "</s>"], "a  b<call>"),
        ("end <end>bend", &["end", "<end>"], "end <end>bend"),
        ("<cal<call>l>\u{e9}</s", &["<call>"], "<cal<call>l>\u{e9}</s"),
    ] {
        let texts: Vec<&str> = found.find(text).iter().map(|(_, token)| token.content.as_str()).collect();
        assert_eq!((texts.as_slice(), found.without_special(text).as_str()), (tokens, without), "{text}");
    }
}

#[test]
fn a_damaged_file_is_refused_with_its_name() {
    let many = format!("{{\"added_tokens\": [{}{{}}]}}", "{},".repeat(MAX_TOKENS));
    let deep = format!("{{\"eos_token\": {}", "[".repeat(1000));
    for (text, message) in [
        ("{", "tokenizer.json: it has no tokens in the known form"),
        (r#"{"added_tokens": 1}"#, "tokenizer.json: it has no tokens in the known form"),
        (many.as_str(), "tokenizer.json: it has no tokens in the known form: it has more than 1048576"),
        (deep.as_str(), "tokenizer.json: it has no tokens in the known form: recursion limit"),
    ] {
        let files = TokenFiles { tokenizer: Some(text.as_bytes().to_vec()), ..TokenFiles::default() };
        let error = files.facts().expect_err("it is damaged");
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(TokenFiles::default().facts(), Ok(None));
    assert_eq!(TokenFacts::from_file(b"{}"), Ok(None));
}

/// A GGUF header with four tokens, their types and the id of one.
fn gguf_header() -> Vec<u8> {
    let number = |number: u32| number.to_le_bytes().to_vec();
    let long = |number: u64| number.to_le_bytes().to_vec();
    let text = |text: &str| [long(text.len() as u64), text.as_bytes().to_vec()].concat();
    let list = |kind: u32, count: u64| [number(9), number(kind), long(count)].concat();
    [
        [b"GGUF".to_vec(), number(3), long(0), long(3)].concat(),
        [text("tokenizer.ggml.token_type"), list(5, 4), number(1), number(3), number(4), number(3)].concat(),
        [text("tokenizer.ggml.tokens"), list(8, 4), text("a"), text("<s>"), text("<call>"), text("<end>")].concat(),
        [text("tokenizer.ggml.eot_token_id"), number(4), number(3)].concat(),
    ]
    .concat()
}

#[test]
fn a_gguf_header_has_types_of_tokens_and_no_damaged_one_panics() {
    let bytes = gguf_header();
    let found = TokenFacts::from_file(&bytes).expect("it is whole").expect("it has tokens");
    let special = found.added.values().map(|token| (token.id, token.content.as_str(), token.is_special));
    assert_eq!(special.collect::<Vec<_>>(), [(2, "<call>", false), (3, "<end>", true), (1, "<s>", true)]);
    assert_eq!(found.stops, ["<end>"]);
    for at in 4..bytes.len() {
        assert!(TokenFacts::from_file(&bytes[..at]).is_err(), "cut at {at}");
        let mut damaged = bytes.clone();
        damaged[at] = 0xff;
        _ = TokenFacts::from_file(&damaged);
    }
}
