//! Command lines that print every JSON output, on samples and on texts that show what is rare.

use std::fs;
use std::path::{Path, PathBuf};

use transcope::diagnostic::Code;

use super::super::{folder, notes, prices, run_in};

/// An output of the program.
pub struct JsonRun {
    /// The heading of its section.
    pub output: String,
    pub line: String,
    pub printed: String,
    /// The first line of standard error.
    pub errors: String,
}

/// A line for each: the output, a colon, and further arguments.
const RUNS: &str = "tests/data/json_outputs.txt";

/// Input of the runs with `--each`: a text, a line that is not JSON, a text with an id.
const EACH: &str = "\"a\"\n{]\n{\"id\": [1], \"text\": \"<tool_call>\\n{\\\"name\\\": \\\"f\\\", \\\"arguments\\\": {}}\\n</tool_call>\"}\n";

/// Lines of a file that `lens --matrix` reads: calls that are expected, and prose.
const MATRIX_LINES: &[u8] = br#"{"id": 1, "text": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>", "expect": [{"name": "g"}]}
"Nothing."
{"text": "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>"}
{"text": "<tool_call>\n{\"name\": \"f\", \"arguments\": \"a\"}\n</tool_call>"}
"#;

/// A session of Claude Code that caches a prompt for an hour.
const CACHED: &[u8] = br#"{"type": "user", "sessionId": "s", "uuid": "u0", "parentUuid": null, "timestamp": "2026-10-01T10:00:00Z", "message": {"role": "user", "content": "Go on."}}
{"type": "assistant", "sessionId": "s", "uuid": "u1", "parentUuid": "u0", "timestamp": "2026-10-01T10:00:01Z", "message": {"id": "m", "model": "a", "role": "assistant", "content": [{"type": "text", "text": "Done."}], "usage": {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 3, "cache_creation": {"ephemeral_1h_input_tokens": 3}}}}
"#;

/// Names of files that are samples of the project, for outputs that every sample has.
fn samples(under: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the samples are there") {
            let path = entry.expect("readable").path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(under), &mut found);
    found.sort();
    found
}

/// Runs all command lines in a folder with the files that they name.
pub fn all() -> Vec<JsonRun> {
    let folder = folder();
    furnish(folder.path());
    let (noted, prices) = (notes::noted(), prices::folder());
    let project = env!("CARGO_MANIFEST_DIR");
    let templates = samples("tests/data/templates/t").into_iter().step_by(7);
    let templates: Vec<String> = templates.map(|path| path.display().to_string()).collect();
    let mut lines: Vec<(String, String)> = Vec::new();
    let listed = fs::read_to_string(Path::new(project).join(RUNS)).expect("the list is there");
    for line in listed.lines().filter(|line| !line.starts_with('#')) {
        let (output, arguments) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        lines.push((output.to_owned(), arguments.to_owned()));
    }
    for path in samples("samples/containers") {
        let formats = ["json", "ndjson", "events"].map(|format| format!("parse --format {format}"));
        lines.extend(formats.map(|output| (output, path.display().to_string())));
    }
    for path in samples("samples/runtimes").iter().filter(|path| path.extension() == Some("txt".as_ref())) {
        let path = path.display();
        lines.push(("lens --format json".to_owned(), path.to_string()));
        lines.push((
            "lens --format ndjson".to_owned(),
            format!("--schema {project}/samples/runtimes/tools.json {path}"),
        ));
        lines.push(("lens --upgrade RUNTIME --format json".to_owned(), format!("--upgrade vllm {path}")));
    }
    let run = |(output, arguments): &(String, String)| {
        let line = arguments.replace("{samples}", &format!("{project}/samples"));
        let line = line.replace("{noted}", path(&noted)).replace("{prices}", path(&prices));
        let line = format!("{output} {}", line.replace("{templates}", &templates.join(" ")));
        // A word in capitals is a place for an argument.
        let typed = line
            .replace("--upgrade RUNTIME", "")
            .replace("--matrix DIR", "")
            .replace(" CODE", "")
            .replace(" SESSION", "")
            .replace(" DIR", "");
        let words: Vec<&str> = typed.split_whitespace().collect();
        let input = if output.ends_with("--each") { EACH } else { "" };
        let printed = run_in(folder.path(), &words, &[], input.as_bytes());
        let errors = printed.stderr.lines().next().unwrap_or_default().to_owned();
        JsonRun { output: output.clone(), line, printed: printed.stdout, errors }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut runs: Vec<JsonRun> = std::thread::scope(|scope| {
        let parts = lines.chunks(lines.len().div_ceil(threads));
        let threads: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(run).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let bundled = run_in(folder.path(), &["bundle", "-o", "a.zip", "session.jsonl"], &[], b"");
    let plain = run_in(folder.path(), &["bundle", "--no-redact", "-o", "b.zip", "good.txt"], &[], b"");
    assert_eq!((bundled.code, plain.code), (0, 0), "{}{}", bundled.stderr, plain.stderr);
    for name in ["a.zip", "b.zip"] {
        let file = fs::File::open(folder.path().join(name)).expect("it was made");
        let mut archive = zip::ZipArchive::new(file).expect("it is an archive");
        let manifest = archive.by_name("manifest.json").expect("it has a manifest");
        let printed = std::io::read_to_string(manifest).expect("it is UTF-8");
        runs.push(JsonRun {
            output: "bundle: manifest.json".to_owned(),
            line: format!("bundle {name}"),
            printed,
            errors: String::new(),
        });
    }
    runs
}

/// The names of the columns in the first line of CSV.
pub fn header(printed: &str) -> Vec<String> {
    printed.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect()
}

fn path(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().expect("a plain path")
}

/// Makes the files that the command lines name, in addition to the ones of all tests.
fn furnish(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("a file can be made");
    for name in ["answers", "cases", "model"] {
        fs::create_dir(folder.join(name)).expect("a folder can be made");
    }
    write("cases/a.txt", &Code::DuplicatePointer.info().bad);
    write("cases/a.expected.json", b"{\"options\": {}, \"items\": [], \"problems\": []}");
    let [number, random] = ["9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364", "Qm4xT7bK9wZr2LfN8yHs3VcJ"];
    let named = ["DB_PASSWORD", "=tr0ub4dor-3"].concat();
    write("secrets.txt", format!("ada@acme.io, {named}, {number}, {random}\n").as_bytes());
    write("answers/a.txt", b"<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>");
    write("answers/a.expected.json", b"[{\"name\": \"f\"}]");
    write("answers/prose.txt", b"Nothing is called.\n");
    write("answers/lines.jsonl", MATRIX_LINES);
    write("cases/new.txt", &Code::DuplicatePointer.info().good);
    write("unknown.jsonl", super::super::UNKNOWN.as_bytes());
    let mine = "dialect: mine\nexample: '<do f>{}</do>'\ncall: {open: \"<do {name}>\", close: \"</do>\"}\n";
    write("mine.yaml", format!("{mine}arguments: {{kind: json}}\n").as_bytes());
    write("harbour.yaml", b"container: harbour\ndetect: {kind: '*'}\nrecords: [{when: {kind: a}, role: user}]\n");
    write("lossy.jinja", b"{{ tools | tojson }}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% endfor %}");
    write("odd.jinja", b"{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}<<{{ c.function.name }}>>{% endfor %}{% endfor %}");
    write("model/chat_template.jinja", b"{{ messages | tojson }}");
    write("model/tokenizer_config.json", br#"{"chat_template": "{{ messages }}"}"#);
    write("prose.txt", b"Nothing is called.\n");
    write("invalid.txt", b"\xff\n");
    write("joined.txt", b"[f(a=\"x\" \"y\", b=[1, {\"c\" \"d\": 2}])]");
    write("cached.jsonl", CACHED);
    write("sound.jinja", b"{{ messages | tojson }}");
    write("broken.jinja", b"{% for %}");
    write("tokenizer.json", br#"{"added_tokens": [{"id": 7, "content": "<user>", "special": true}]}"#);
    write("raising.jinja", b"{{ raise_exception('no') }}");
    write("dated.jinja", b"{{ strftime_now('%Y') }}{{ messages | tojson }}");
    let known = run_in(folder, &["check", "--format", "json", "bad.txt", "failed.jsonl"], &[], b"").stdout;
    write("known.json", known.as_bytes());
}
