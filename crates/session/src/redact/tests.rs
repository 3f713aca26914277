//! Tests of what is a secret and what is not, and that nothing of a secret is left.

use super::*;

fn redactor(text: &str) -> Redactor {
    Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default())
}

/// A made-up secret, joined at run time so that secret scanners do not report this file.
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
        ("openai-key", made("sk-proj-", long)),
        ("google-key", made("AIza", &long[..35])),
        ("stripe-key", made("sk_live_", &long[..24])),
        ("npm-token", made("npm_", &long[..36])),
        ("hugging-face-token", made("hf_", &long[..34])),
        ("google-oauth-secret", made("GOCSPX-", &long[..28])),
        ("slack-token", made("xapp-", "1-A012BCD-1234567890123-0a1b2c3d4e5f60718293a4b5c6d7e8f9")),
        ("stripe-webhook-secret", made("whsec_", &long[..32])),
        ("groq-key", made("gsk_", &long.repeat(2)[..52])),
        ("xai-key", made("xai-", &long.repeat(2))),
        ("nvidia-key", made("nvapi-", &long.repeat(2)[..64])),
        ("vault-token", made("hvs.", &long[..24])),
        ("databricks-token", made("dapi", "0123456789abcdef0123456789abcdef")),
        ("digitalocean-token", made("dop_v1_", &"0123456789abcdef".repeat(4))),
        ("shopify-token", made("shpat_", "0123456789abcdef0123456789abcdef")),
        ("tailscale-key", made("tskey-", "auth-kAbCdE1CNTRL-a1B2c3D4e5F6g7H8i9J0")),
        ("azure-client-secret", made("abc8Q", &format!("~{}", &long[..34]))),
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
fn secrets_are_recognised_by_context() {
    for (text, clean) in [
        ("password=hunter22 ok", "password=[secret:password#1] ok"),
        ("{\"api_key\": \"abc123def\"}", "{\"api_key\": \"[secret:key#1]\"}"),
        ("{\\\"token\\\":\\\"abc123def\\\"}", "{\\\"token\\\":\\\"[secret:token#1]\\\"}"),
        ("export DB_PASSWORD='tr0ub4dor'", "export DB_PASSWORD='[secret:password#1]'"),
        ("smtp_pass: tr0ub4dor", "smtp_pass: [secret:password#1]"),
        ("SERVICE_KEY=a1B2c3D4e5F6", "SERVICE_KEY=[secret:key#1]"),
        ("x-api-key: a1B2c3D4e5F6", "x-api-key: [secret:key#1]"),
        ("run --password tr0ub4dor -v", "run --password [secret:password#1] -v"),
        ("<password>tr0ub4dor</password>", "<password>[secret:password#1]</password>"),
        ("<add key=\"Password\" value=\"tr0ub4dor\" />", "<add key=\"Password\" value=\"[secret:password#1]\" />"),
        ("machine x login ada password tr0ub4dor", "machine x login ada password [secret:password#1]"),
        ("curl -u ada:tr0ub4dor https://x", "curl -u ada:[secret:password#1] https://x"),
        ("Server=db;User Id=x;Password=tr0ub4dor;", "Server=db;User Id=x;Password=[secret:password#1];"),
        ("Cookie: sid=a1B2c3D4e5F6; theme=dark", "Cookie: sid=[secret:cookie#1]; theme=dark"),
        ("https://x/y?sv=2&sig=a1B2c3D4e5F6%3D", "https://x/y?sv=2&sig=[secret:url-parameter#1]"),
        (
            "postgres://ada:s3cr3t@db/x, s3cr3t",
            "postgres://ada:[secret:password-in-url#1]@db/x, [secret:password-in-url#1]",
        ),
        ("password=&quot;hunter2xyz&quot;", "password=&quot;[secret:password#1]&quot;"),
        (r#"{"name":"DB_PASSWORD","value":"hunter2xyz"}"#, r#"{"name":"DB_PASSWORD","value":"[secret:password#1]"}"#),
        (
            r#"{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2xyz\"}"#,
            r#"{\"name\": \"DB_PASSWORD\", \"value\": \"[secret:password#1]\"}"#,
        ),
        (r#"{"value":"hunter2xyz","name":"DB_PASSWORD"}"#, r#"{"value":"[secret:password#1]","name":"DB_PASSWORD"}"#),
        (
            r#"{\"Value\": \"hunter2xyz\", \"secure\": true, \"Name\": \"password\"}"#,
            r#"{\"Value\": \"[secret:password#1]\", \"secure\": true, \"Name\": \"password\"}"#,
        ),
        (
            r#"{"ParameterKey":"DbPassword","ParameterValue":"hunter2xyz"}"#,
            r#"{"ParameterKey":"DbPassword","ParameterValue":"[secret:password#1]"}"#,
        ),
        ("- value: hunter2xyz9\n  name: DB_PASSWORD\n", "- value: [secret:password#1]\n  name: DB_PASSWORD\n"),
        ("see PASSWORD=tr0ub4\nd0r-and-3 ok", "see PASSWORD=[secret:password#1] ok"),
        ("see password: swor\n  d-f1sh ok", "see password: [secret:password#1] ok"),
        ("password=\"correct\nhorse\"\n", "password=\"[secret:password#1]\"\n"),
        ("- name: DB_PASSWORD\n  value: hunter2xyz9", "- name: DB_PASSWORD\n  value: [secret:password#1]"),
        (r#"["--password","hunter2xyz"]"#, r#"["--password","[secret:password#1]"]"#),
        ("let password: String = \"hunter2xyz\";", "let password: String = \"[secret:password#1]\";"),
        ("password: Optional[str] = 'hunter2xyz'", "password: Optional[str] = '[secret:password#1]'"),
        ("process.env.DB_PASSWORD || \"hunter2xyz\"", "process.env.DB_PASSWORD || \"[secret:password#1]\""),
        ("process.env.DB_PASSWORD ?? 'hunter2xyz'", "process.env.DB_PASSWORD ?? '[secret:password#1]'"),
        ("password = b\"hunter2xyz\"", "password = b\"[secret:password#1]\""),
        ("password: |\n  hunter2xyz9\nuser: x", "password: |\n  [secret:password#1]\nuser: x"),
        ("| DB_PASSWORD | hunter2xyz |", "| DB_PASSWORD | [secret:password#1] |"),
        ("| `DB_PASSWORD` | `hunter2xyz` | x |", "| `DB_PASSWORD` | `[secret:password#1]` | x |"),
        (r#""password": ["hunter2xyz"]"#, r#""password": ["[secret:password#1]"]"#),
        (r#"a user.password("hunter2xyz") b"#, r#"a user.password("[secret:password#1]") b"#),
        ("setPassword(\"hunter2xyz\")", "setPassword(\"[secret:password#1]\")"),
        ("**password**: hunter2xyz", "**password**: [secret:password#1]"),
        ("**Password:** hunter2xyz", "**Password:** [secret:password#1]"),
        (
            "my algolia api key is a8f5f167f44f4964e6c998dee827110c",
            "my algolia api key is [secret:algolia-admin-api-key#1]",
        ),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [secret:authorization#1]"),
        ("Authorization: ApiKey abcdef123456", "Authorization: ApiKey [secret:authorization#1]"),
    ] {
        assert_eq!(redactor(text).clean(text), clean);
    }
}

#[test]
fn a_token_after_a_hyphen_or_an_underscore_is_one() {
    let token = made("ghp_", &"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"[..36]);
    for lead in ["session-", "token_", "a-b_", "-"] {
        let text = format!(" see {lead}{token} ok");
        assert_eq!(redactor(&text).clean(&text), format!(" see {lead}[secret:github-token#1] ok"));
    }
    for text in
        ["task-sk-is-a-word-and-more-of-them-2024", "my_key_of_the_house", "x-re_exported_from_the_other_module_here1"]
    {
        assert_eq!(redactor(text).clean(text), text);
    }
}

#[test]
fn a_secret_of_every_kind_is_found_after_part_of_a_word() {
    let bodies = ["a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0", "IOSFODNN7EXAMPL2", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"];
    let is_one = |token: &token::Token, lead: &str, begin: &str, body: &str| {
        let text = format!("see {lead}{begin}{body} ok");
        let start = "see ".len() + lead.len();
        token.at(&text, start..start + begin.len()).is_some()
    };
    let mut missed = Vec::new();
    for token in token::TOKENS {
        for begin in token.begins {
            for body in bodies.iter().flat_map(|body| (8..=130).map(|len| body.repeat(17)[..len].to_owned())) {
                let is_missed = |lead: &&str| is_one(token, "", begin, &body) && !is_one(token, lead, begin, &body);
                missed.extend(
                    ["word-", "word_"].iter().filter(|lead| is_missed(lead)).map(|lead| format!("{lead}{begin}{body}")),
                );
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn a_value_that_was_found_once_is_replaced_in_other_words() {
    let key = made("AKIA", "IOSFODNN7EXAMPL2");
    for text in [
        format!("a {key} b\na key_{key} b x{key}y"),
        format!("a deploy-{key} b {key}"),
        "password: tr0ub4dor3x9, xtr0ub4dor3x9y and tr0ub4dor3x9z".to_owned(),
    ] {
        let clean = redactor(&text).clean(&text).into_owned();
        assert!(!clean.contains(&key) && !clean.contains("tr0ub4dor3x9"), "{clean}");
    }
}

#[test]
fn the_name_of_a_user_is_replaced_in_other_case() {
    let text = "/Users/jdoerfler/x of JDoerfler, JDOERFLER and JDoerflers; /home/adaly, Adaly; /home/eve1, EVE1";
    let clean =
        "/Users/[user#1]/x of [user#1], [user#1] and JDoerflers; /home/[user#2], [user#2]; /home/[user#3], EVE1";
    assert_eq!(redactor(text).clean(text), clean);
}

#[test]
fn a_mention_of_a_key_costs_nothing() {
    let begin = made("-----BEGIN PRIVATE", " KEY-----\n");
    let text = begin.repeat(10_000);
    assert_eq!(redactor(&text).clean(&text), text);
}

#[test]
fn code_that_speaks_of_secrets_stays() {
    for text in [
        "fn open(token: String, builder: StringBuilder) -> String { String::new() }",
        "password: str = getToken(); token = lexer.next_token(); secret: Vec<u8>, key: &'static str",
        "PWD=/home/user/x make -C /home/user/x",
        "let token = tokens[index1]; if password == other_password2 { return }",
        "The file begins with `-----BEGIN PRIVATE KEY-----`; everything that follows stays.\nLike this.",
        "\"token\": \"identifier\", \"type\": \"string\", \"password\": \"string\", \"api_key\": null",
        "max_tokens=4096 cache_key=user/42 primary_key: id public_key_path=/etc/x",
        "| password | string |\n| `api_token` | `varchar(40)` |\n| password | token |",
        "getPassword(\"name\"); parser.add_argument(\"--password\", \"--pass\"); password: str = \"password\"",
        "password: impl Into<String>, other: &str = \"x\"; the primary key is defined by the schema",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: db9",
    ] {
        assert_eq!(redactor(text).clean(text), text);
    }
}

#[test]
fn private_details_become_words() {
    let text =
        "ada@acme.io wrote /home/ada/x, C:\\Users\\bob\\y and /Users/ada/z; ada@acme.io, eve@acme.io on db-1.corp";
    let redactor = redactor(text);
    assert_eq!(
        redactor.clean(text),
        "[email#1] wrote /home/[user#1]/x, C:\\Users\\[user#2]\\y and /Users/[user#1]/z; [email#1], [email#2] on [host#1]"
    );
    assert_eq!(redactor.summary(), "2 email, 1 host, 2 user");
    assert_eq!(redactor.secrets(), (String::new(), 5));
    assert_eq!(redactor.clean_name("-home-ada-notes.ada.txt"), "-home-[user#1]-notes.[user#1].txt");
}

#[test]
fn user_patterns_and_exceptions_apply() {
    let patterns = [("ticket", "ACME-[0-9]+")];
    let own = OwnPatterns::new(patterns.into_iter(), vec!["acme.io".into(), "hunter22".into()]).expect("they are fine");
    let text = "ACME-7 of ada@acme.io, ACME-8 and ACME-7: password=hunter22, password=hunter23";
    let redactor = Redactor::new(&Session::from_bytes(text.as_bytes()), own);
    assert_eq!(
        redactor.clean(text),
        "[ticket#1] of ada@acme.io, [ticket#2] and [ticket#1]: password=hunter22, password=[secret:password#1]"
    );
    assert_eq!(redactor.summary(), "1 password, 2 ticket");
}

#[test]
fn a_secret_becomes_the_same_word_however_it_is_written() {
    let token = made("ghp_", &"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"[..36]);
    let text = format!(
        "{token} {{\"a\":\"{{\\\"b\\\":\\\"{token}\\\"}}\"}} gh\x1b[1mp_{}\x1b[0m gh\\u0070_{} ?q=gh%70_{}.",
        &token[4..],
        &token[4..],
        &token[4..],
    );
    let clean = redactor(&text).clean(&text).into_owned();
    let word = "[secret:github-token#1]";
    assert_eq!(clean, format!("{word} {{\"a\":\"{{\\\"b\\\":\\\"{word}\\\"}}\"}} {word}\x1b[0m {word} ?q={word}."));
}

#[test]
fn what_holds_a_secret_in_base64_is_replaced_as_a_whole() {
    let text = "password=s3cr3t-w0rd! Basic YWRhOnMzY3IzdC13MHJkIQ== aGVsbG8sIHdvcmxkISBob3cgYXJlIHlvdT8=";
    assert_eq!(
        redactor(text).clean(text),
        "password=[secret:password#1] Basic [secret:password#1] aGVsbG8sIHdvcmxkISBob3cgYXJlIHlvdT8="
    );
}

#[test]
fn what_holds_a_private_detail_in_base64_is_replaced_as_a_whole() {
    for (plain, encoded, word) in [
        ("ada@acme.io", "YWRhQGFjbWUuaW8=", "[email#1]"),
        ("cd /home/lovelace/src", "Y2QgL2hvbWUvbG92ZWxhY2Uvc3Jj", "[user#1]"),
        ("C:\\Users\\lovelace\\src", "QzpcVXNlcnNcbG92ZWxhY2Vcc3Jj", "[user#1]"),
        ("ssh db-3.eu.internal", "c3NoIGRiLTMuZXUuaW50ZXJuYWw=", "[host#1]"),
        ("ping fd12:3456:789a::7", "cGluZyBmZDEyOjM0NTY6Nzg5YTo6Nw==", "[host#1]"),
        ("ether 3c:22:fb:9a:01:d7", "ZXRoZXIgM2M6MjI6ZmI6OWE6MDE6ZDc=", "[mac#1]"),
        ("X=vnd_live_a8Fk2LmQ9xZr4TyU7wPq", "WD12bmRfbGl2ZV9hOEZrMkxtUTl4WnI0VHlVN3dQcQ==", "[secret:token#1]"),
    ] {
        let text = format!("data: {encoded}.");
        assert_eq!(redactor(&text).clean(&text), format!("data: {word}."), "{plain}");
    }
    let text = "/home/lovelace/x d3JpdHRlbiBieSBsb3ZlbGFjZS4=";
    assert_eq!(redactor(text).clean(text), "/home/[user#1]/x [user#1]", "a known name");
}

#[test]
fn every_rule_can_be_tried() {
    let signs = token::TOKENS.iter().flat_map(|token| token.begins.iter().copied());
    let forms = form::forms();
    let padding = " ".repeat(40);
    for sign in signs.chain(forms.iter().flat_map(|form| form.signs.iter().copied())) {
        let text = format!("{padding}{sign}{}", "a1B2".repeat(20));
        assert!(redactor(&text).clean(&text).starts_with(&padding), "{sign}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b and 9b2d5c1e-77aa-4a52-9d0c-8a1f5b0c9e21",
        "password: string; token: undefined; secret = process.env.SECRET",
        "Password: LPWSTR, PASSWORD: WIN32_ERROR, pass: WinHttpRequestOption; VIRTUAL_KEY = 22529u16",
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
    assert_eq!(redactor.summary(), "1 parameter");
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

#[test]
fn a_secret_is_found_across_the_slices_of_a_long_text() {
    let token = made("ghp_", &"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"[..36]);
    for lead in [SLICE - token.len() - 1, SLICE - 20, SLICE - 1, SLICE, SLICE + 1] {
        let filler = "é ".repeat(lead / 3 - 1);
        let text =
            format!("{filler}{} {token} and password=s3cr3t-{lead} {filler}", "x".repeat(lead - 1 - filler.len()));
        let clean = redactor(&text).clean(&text).into_owned();
        assert_eq!(clean.len(), text.len() - token.len() - 13 + "[secret:github-token#1][secret:password#1]".len());
    }
    // Memory for undone escapes is bounded by the slice.
    let text = format!("{}{token}{}", "\\\"".repeat(SLICE), "\\\"".repeat(SLICE));
    assert!(!redactor(&text).clean(&text).contains(&token));
}
