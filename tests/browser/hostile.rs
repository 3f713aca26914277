//! Hostile text in every place of a transcript is displayed as text; the page's policy is a second line of defence.

use serde_json::json;

use super::chromium::Browser;
use super::{FORMS, page};

/// Texts that would act, or be more than text, if they were not made harmless.
const HOSTILE: &[&str] = &[
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "\"><img src=x onerror=\"window.hit = 1\">",
    "' onmouseover='window.hit = 1' autofocus onfocus='window.hit = 1",
    "\" onclick=\"window.hit = 1\" style=\"position:fixed;inset:0\" data-x=\"",
    "</style><style>* { display: none }</style>",
    "</title><h1>title</h1>",
    "</textarea></pre></details></main><h1>out</h1>",
    "<svg/onload=window.hit=1><svg><script href=data:,window.hit=1 />",
    "<a href=javascript:window.hit=1>here</a> [here](javascript:window.hit=1)",
    "<template><script>window.hit = 1</script></template>",
    "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe><object data=data:text/html,x></object>",
    "<base href=https://example.com/><meta http-equiv=refresh content='0;url=https://example.com/'>",
    "<link rel=stylesheet href=https://example.com/x.css><img src=https://example.com/x.png>",
    "&lt;script&gt;window.hit = 1&lt;/script&gt; &#60;b&#62; &#x3c;b>",
    "<![CDATA[<b>]]> <!-- <b> --> <!--><script>window.hit = 1</script>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=window.hit=1&gt;\">",
    "a\u{0}<b\u{0}>x\u{0}</b>",
    "\u{202e}desrever\u{202c} \u{2066}x\u{2069}",
    "line\u{2028}paragraph\u{2029}end\u{85}",
    "{{ 7 * 7 }} ${7 * 7} {% raw %}",
    "\u{1b}]0;title\u{7}\u{1b}[31mred",
];

/// A text with the same words in every place, and a recorded session with them.
fn transcripts(words: &str) -> [(&'static str, String); 2] {
    let line = words.replace('\n', " ");
    let call = format!(
        "!!!GADGET_START:{line}:{line}:{line}\n!!!ARG:{line}\n{words}\n!!!ARG:{line}\n{words}\n!!!GADGET_END\n"
    );
    let second = format!("!!!GADGET_START:Next:next:{line}\n!!!ARG:html\n<!doctype html>\n{words}\n!!!GADGET_END\n");
    let message = json!({ "model": words, "messages": [
        { "role": "user", "content": words },
        { "role": "assistant", "content": words, "tool_calls": [{ "id": words, "type": "function",
            "function": { "name": words, "arguments": json!({ words: words, "path": "a.html" }).to_string() } }] },
        { "role": "tool", "tool_call_id": words, "content": words },
    ] });
    [
        ("a.txt", format!("{words}\n\n{call}{words}\n\n```html\n{words}\n```\n\n{second}")),
        ("a.json", message.to_string()),
    ]
}

#[test]
fn hostile_texts_are_text() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for words in HOSTILE {
        for (name, text) in transcripts(words) {
            for form in FORMS {
                browser.open(&page(folder.path(), name, text.as_bytes(), form));
                // Open and touch every element.
                browser.evaluate(
                    "document.querySelectorAll('details').forEach((details) => (details.open = true));
                     document.querySelectorAll('main *').forEach((element) => {
                       for (const type of ['click', 'mouseover', 'focus']) element.dispatchEvent(new Event(type, { bubbles: true }));
                     });
                     new Promise((done) => requestAnimationFrame(() => setTimeout(done)))",
                );
                assert_eq!((browser.requests(), browser.words()), (vec![], vec![]), "{words:?} {form:?}");
                let foreign = browser.evaluate(
                    "[window.hit ?? null, document.title,
                      document.querySelectorAll('script, style, title, h1, meta, base, link').length,
                      document.querySelectorAll('img, iframe, object, template, textarea, math, form, [onclick], [onerror], [style]').length,
                      document.querySelectorAll('a:not([href^=\"#\"])').length,
                      document.querySelector('main').textContent.length > 0]",
                );
                let ours = if form.is_empty() { 8 } else { 9 };
                assert_eq!(foreign, json!([null, name, ours, 0, 0, true]), "{words:?} {form:?}");
            }
        }
    }
}

#[test]
fn the_policy_stops_what_the_page_did_not_bring() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for form in FORMS {
        browser.open(&page(folder.path(), "a.txt", b"Words.\n", form));
        for (act, directive) in [
            (
                "const x = document.createElement('script'); x.textContent = 'window.hit = 1'; document.body.append(x)",
                "script-src-elem",
            ),
            (
                "const x = document.createElement('style'); x.textContent = 'b {}'; document.body.append(x)",
                "style-src-elem",
            ),
            ("document.body.setAttribute('style', 'color: red')", "style-src-attr"),
            ("document.body.setAttribute('onclick', 'window.hit = 1'); document.body.click()", "script-src-attr"),
            ("new Image().src = 'https://example.com/x.png'", "img-src"),
            ("fetch('https://example.com/').catch(() => {})", "connect-src"),
            (
                "const x = document.createElement('iframe'); x.src = 'https://example.com/'; document.body.append(x)",
                "frame-src",
            ),
            (
                "const x = document.createElement('base'); x.href = 'https://example.com/'; document.head.append(x)",
                "base-uri",
            ),
        ] {
            let violated = browser.evaluate(&format!(
                "new Promise((done) => {{
                   document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), {{ once: true }});
                   {act};
                 }})"
            ));
            assert_eq!(violated, directive, "{act} {form:?}");
        }
        assert_eq!(browser.evaluate("window.hit ?? null"), json!(null));
    }
}
