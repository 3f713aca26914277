//! What is a secret, what is none, and that nothing of one is left.

use super::*;

fn redactor(text: &str) -> Redactor {
    Redactor::new(&Session::from_bytes(text.as_bytes()))
}

/// Made up so that no scanner takes this file for one that has secrets: the parts are joined when the test runs.
fn made(prefix: &str, rest: &str) -> String {
    format!("{prefix}{rest}")
}

#[test]
fn secrets_of_known_kinds_are_taken_out() {
    let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    for (kind, secret) in [
        ("aws-access-key", made("AKIA", "IOSFODNN7EXAMPLE").replace('7', "Q")),
        ("github-token", made("ghp_", &long[..36])),
        ("gitlab-token", made("glpat-", &long[..20])),
        ("slack-token", made("xoxb-", "123456789012-abcdefghij")),
        ("anthropic-key", made("sk-ant-", "api03-abcdefghijklmnopqrst")),
        ("api-key", made("sk-proj-", long)),
        ("google-key", made("AIza", &long[..35])),
        ("stripe-key", made("sk_live_", &long[..24])),
        ("npm-token", made("npm_", &long[..36])),
        ("hugging-face-token", made("hf_", &long[..34])),
        ("json-web-token", made("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl")),
        ("private-key", made("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----")),
        ("private-key", made("-----BEGIN PRIVATE", " KEY-----\\nMIIEpAIBAAKCAQEA\\n-----END PRIVATE KEY-----")),
    ] {
        let text = format!("It says {secret}, and again {secret}.\n");
        let clean = redactor(&text).clean(&text).into_owned();
        assert_eq!(clean, format!("It says [secret:{kind}#1], and again [secret:{kind}#1].\n"), "{secret}");
    }
}

#[test]
fn secrets_are_told_by_what_stands_around_them() {
    for (text, clean) in [
        ("password=hunter22 ok", "password=[secret:password#1] ok"),
        ("{\"api_key\": \"abc123def\"}", "{\"api_key\": \"[secret:password#1]\"}"),
        ("{\\\"token\\\":\\\"abc123def\\\"}", "{\\\"token\\\":\\\"[secret:password#1]\\\"}"),
        ("export DB_PASSWORD='tr0ub4dor'", "export DB_PASSWORD='[secret:password#1]'"),
        (
            "postgres://ada:s3cr3t@db/x, s3cr3t",
            "postgres://ada:[secret:password-in-url#1]@db/x, [secret:password-in-url#1]",
        ),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [secret:authorization#1]"),
    ] {
        assert_eq!(redactor(text).clean(text), clean);
    }
}

#[test]
fn beginnings_without_an_end_are_looked_through_once() {
    let begin = made("-----BEGIN PRIVATE", " KEY-----\n");
    let text = begin.repeat(10_000);
    let clean = redactor(&text).clean(&text).into_owned();
    assert!(clean.len() < text.len() / 100, "{clean}");
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b and 9b2d5c1e-77aa-4a52-9d0c-8a1f5b0c9e21",
        "password: string; token: undefined; secret = process.env.SECRET",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "the token budget is 200000 tokens; max_tokens: 4096",
        "https://example.com:8080/path?x=1 mailto:ada@example.com",
        "task-management, risk-free-of-charge-for-everybody-who-comes",
    ] {
        assert_eq!(redactor(text).clean(text), text);
    }
}

#[test]
fn the_value_of_a_parameter_with_a_telling_name_is_taken_out_everywhere() {
    let text = "I use correct horse.\n!!!GADGET_START:Login:l\n!!!ARG:user/password\ncorrect horse\n!!!GADGET_END\n";
    let redactor = redactor(text);
    assert_eq!(redactor.count(), 1);
    assert!(!redactor.clean(text).contains("horse"));
}

#[test]
fn what_was_escaped_is_found_where_it_is_written_out() {
    let key = made("-----BEGIN PRIVATE", " KEY-----\nMIIEpAIB\n-----END PRIVATE KEY-----");
    let call = serde_json::json!({"name": "save", "arguments": {"text": key}});
    let text = format!("{call}\n");
    let redactor = redactor(&text);
    for words in [&text, &key] {
        assert!(!redactor.clean(words).contains("MIIEpAIB"), "{}", redactor.clean(words));
    }
}
