//! Costs: recorded ones win, others are estimated with the user's table, and sums state what is missing from them.

use serde_json::{Value, json};

use super::run_in;

/// One price per million tokens for all counts of `known-1`, and a context window; `known-2` has no price for cached
/// tokens.
const TABLE: &str = r#"{"maker": {"models": {
    "known-1": {"last_updated": "2026-07-02", "limit": {"context": 2000},
        "cost": {"input": 1000, "output": 2000, "cache_read": 100, "cache_write": 1250}},
    "known-2": {"last_updated": "2026-07-01", "cost": {"input": 1000, "output": 2000}}}}}"#;

/// A session of Claude Code with a request to each of these models, `recorded` of them with a cost in the file.
fn session(models: &[(&str, Option<f64>)]) -> String {
    let mut records = vec![json!({"type": "user", "sessionId": "s", "uuid": "u0", "parentUuid": null,
        "timestamp": "2026-10-01T10:00:00Z", "message": {"role": "user", "content": "Go on."}})];
    for (number, (model, cost)) in models.iter().enumerate() {
        records.push(json!({"type": "assistant", "sessionId": "s", "uuid": format!("u{}", number + 1),
            "parentUuid": format!("u{number}"), "timestamp": "2026-10-01T10:00:01Z", "costUSD": cost,
            "message": {"id": format!("msg_{number}"), "model": model, "role": "assistant", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "Done."}],
                "usage": {"input_tokens": 100, "cache_read_input_tokens": 400, "output_tokens": 50}}}));
    }
    records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

const FILE: &str = "settings/prices.json";

/// A folder with sessions that use models with and without a price.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file can be made");
    std::fs::create_dir(folder.path().join("settings")).expect("a folder can be made");
    write("settings/prices.json", TABLE);
    write("settings/own.yaml", "prices: prices.json\n");
    write("settings/missing.yaml", "color: never\nprices: nowhere.json\n");
    write("list.json", "[]");
    write("known.jsonl", &session(&[("maker/known-1-20260101", None), ("known-1", None)]));
    write("mixed.jsonl", &session(&[("maker/known-1", None), ("other", None), ("maker/known-2", None)]));
    write("recorded.jsonl", &session(&[("maker/known-1", Some(0.5)), ("other", Some(0.25))]));
    write("partly.jsonl", &session(&[("maker/known-1", Some(0.5)), ("maker/known-1", None)]));
    folder
}

fn parsed(arguments: &[&str]) -> Value {
    let folder = folder();
    let arguments: Vec<&str> = ["parse", "--format", "json"].iter().chain(arguments).copied().collect();
    let (status, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
    assert_eq!(status, 0, "{arguments:?}: {errors}");
    serde_json::from_str(&out).expect("it is JSON")
}

/// Arguments, and members of the session: cost, its source, requests without one, models without a price.
type Case = (&'static [&'static str], Value, Value, Value, Value);

#[test]
fn what_is_recorded_wins_and_the_rest_needs_a_table_with_that_model() {
    let cases: Vec<Case> = vec![
        (&["known.jsonl"], Value::Null, Value::Null, Value::Null, Value::Null),
        (&["recorded.jsonl"], json!(0.75), json!("derived"), Value::Null, Value::Null),
        (&["--prices", FILE, "recorded.jsonl"], json!(0.75), json!("derived"), Value::Null, Value::Null),
        (&["partly.jsonl"], json!(0.5), json!("derived"), json!(1), Value::Null),
        (&["--prices", FILE, "partly.jsonl"], json!(0.74), json!("estimated"), Value::Null, Value::Null),
        (
            &["--prices", FILE, "mixed.jsonl"],
            json!(0.24),
            json!("estimated"),
            json!(2),
            json!(["maker/known-2", "other"]),
        ),
        (
            &["--config", "settings/own.yaml", "mixed.jsonl"],
            json!(0.24),
            json!("estimated"),
            json!(2),
            json!(["maker/known-2", "other"]),
        ),
    ];
    for (arguments, cost, source, without, models) in cases {
        let session = &parsed(arguments)["session"];
        let rounded = session["cost"].as_f64().map_or(Value::Null, |cost| json!((cost * 1e6).round() / 1e6));
        assert_eq!(
            [&rounded, &session["cost_source"], &session["requests_without_cost"], &session["models_without_price"]],
            [&cost, &source, &without, &models],
            "{arguments:?}: {session}"
        );
    }
}

#[test]
fn the_table_is_named_with_its_day_and_gives_the_window_of_the_context() {
    let all = parsed(&["--prices", FILE, "mixed.jsonl"]);
    assert_eq!(all["session"]["prices"], json!({"file": "prices.json", "date": "2026-07-02"}));
    assert_eq!(all["requests"][0]["cost_source"], "estimated", "{all}");
    assert_eq!(all["requests"][1].get("cost"), None, "{all}");
    assert_eq!(all["turns"][0]["requests_without_cost"], 2, "{all}");
    assert_eq!(all["session"]["context"].get("window"), None, "that of another model");
    let partly = parsed(&["--prices", FILE, "partly.jsonl"]);
    assert_eq!(partly["requests"][0].get("cost_source"), None, "{partly}");
    assert_eq!(
        partly["session"]["context"],
        json!({"last": 500, "peak": 500, "window": 2000, "window_source": "estimated"}),
    );
}

#[test]
fn a_table_that_cannot_be_used_is_named_with_what_to_do() {
    let folder = folder();
    let tables = "model_prices_and_context_window.json of LiteLLM or api.json of models.dev";
    for (arguments, words) in [
        (["--prices", "nowhere.json"], ["could not use the price table nowhere.json", tables]),
        (["--prices", "list.json"], ["price table list.json", "not a JSON object"]),
        (["--prices", "known.jsonl"], ["price table known.jsonl", "not JSON"]),
        (
            ["--config", "settings/missing.yaml"],
            ["settings/missing.yaml: line 2: ", "price table settings/nowhere.json"],
        ),
    ] {
        let arguments: Vec<&str> = ["parse", "known.jsonl"].iter().chain(&arguments).copied().collect();
        let (status, _, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        assert_eq!(status, 2, "{arguments:?}");
        for words in words {
            assert!(errors.contains(words), "{arguments:?} lacks {words:?}: {errors}");
        }
    }
}
