//! `lens`: prints how each runtime reads a message.

mod matrix;
mod stream;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use clap::{Args, ValueEnum};

use super::archive;
use super::options::{CommonArgs, TEXT_WIDTH, window_columns};
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::request::RequestArgs;
use super::text_stream;
use super::transcript::{name_of, read, setup, source_of};
use crate::config::{Setup, schemas};
use crate::export::lens::{to_json, upgrade_to_json, write_text, write_upgrade};
use crate::lens::upgrade::{ParserUpgrade, compare, releases};
use crate::lens::{Lens, MessageText, ParserChoice, request_of};
use crate::location::Location;
use crate::runtime::{Cut, RuntimeName, ToolRequest, catalog};
use crate::session::Session;
use crate::source::{self, Follow, SourceSpec};
use crate::system::clock;
use crate::template::request_facts::TemplateRequest;
use crate::text::sanitize::visible_str;
use crate::value::tools::ToolSet;

/// Print how the runtimes read a message, parser by parser: vLLM, SGLang, llama.cpp and others
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope lens --schema tools.json answer.txt
  transcope lens --runtime vllm --dialect hermes answer.txt
  transcope lens --runtime vllm@0.28:hermes answer.txt
  transcope lens --upgrade vllm answer.txt
  transcope lens --stream --runtime vllm:hermes answer.txt
  transcope lens --format json answer.txt | jq -r '.[] | select(.outcome.error) | .parser'
  transcope lens --matrix answers
  transcope lens --matrix answers --runtime vllm,sglang --format csv > matrix.csv

Each parser of the dialect reads the text as a whole message of the model; parsers that deliver the same are listed
together. --schema names the tools of the request: many parsers deliver nothing without them, or no tool that is
unknown to them; without it, tools that allow the calls in the text are assumed. Of a recorded session the first message with a call is read; --at chooses another, and
--turns and --range the first one of a part.
transcope dialects --conformance says how well each parser is known.

--matrix compares the calls that each parser delivers, in each release, with the calls that transcope reads; with those in
NAME.expected.json next to NAME.txt (a case of transcope test, or a JSON array of calls); or, of JSON lines as --each reads
them, with those in expect. It exits with 1 if a parser delivers other calls or rejects a text.

--stream lists the deltas after the pieces that they needed. Its tokens are approximate: a marker, a word with the space
before it, up to three digits or symbols.")]
#[command(
    mut_arg("turns", |arg| arg.conflicts_with_all(["at", "each", "matrix"])),
    mut_arg("range", |arg| arg.conflicts_with_all(["at", "each", "matrix"]))
)]
pub struct LensArgs {
    /// Texts or transcripts; - is standard input
    #[arg(value_name = "PATH", required_unless_present_any = ["each", "matrix"])]
    paths: Vec<PathBuf>,
    /// Read many texts from standard input: JSON lines, each a string or an object with text and id
    #[arg(long, conflicts_with_all = ["paths", "format", "upgrade", "at", "matrix"])]
    each: bool,
    /// Read all texts below a folder with all parsers in all recorded releases, and compare the calls
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "upgrade", "at"])]
    matrix: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: LensFormat,
    #[command(flatten)]
    request: RequestArgs,
    /// List what the newest release of a runtime reads differently than the one before, or than RUNTIME@VERSION
    #[arg(long, value_name = "RUNTIME", conflicts_with = "runtime")]
    upgrade: Option<String>,
    /// Show what a client of vLLM or SGLang receives while the message arrives in pieces, and where the sum differs
    #[arg(long, conflicts_with_all = ["each", "upgrade", "matrix"])]
    stream: bool,
    /// The pieces of --stream: token (approximately a model's), char, or a number of bytes
    #[arg(long, value_name = "CUT", default_value = "token", requires = "stream")]
    cut: Cut,
    /// Line width of the text format; the window's, or 80 where there is none
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,
    /// Read the message at LINE, LINE:COLUMN or +BYTE of the file, or with the call of this id
    #[arg(long, value_name = "PLACE")]
    at: Option<Location>,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LensFormat {
    /// Plain text for people
    Text,
    /// A JSON array for each file: what each parser delivers, and why
    Json,
    /// The same, one array a line; of --matrix a row a line
    Ndjson,
    /// A row for each text and parser, with --matrix
    Csv,
}

/// Maximum size of a text that is read as one message, in bytes: each parser copies it.
const LARGEST: usize = 64 << 20;

/// Runs `transcope lens` on one message of each file.
pub fn run<W: Write>(args: &LensArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let LensArgs {
        paths, each: is_each, matrix, format, request: settings, upgrade, width, stream, cut, common, ..
    } = args;
    let width = width.map(usize::from).or_else(window_columns).unwrap_or(TEXT_WIDTH);
    ensure!(*format != LensFormat::Csv || matrix.is_some(), "--format csv is for --matrix");
    let mut own = common.clone();
    // These options select the parsers; the session is read without them.
    let runtime = own.read.runtime.take();
    let schema = own.read.schema.take();
    if matrix.is_some() {
        // The expected calls have the types of the schemas.
        own.read.schema.clone_from(&schema);
    }
    let setup = setup(&own)?;
    let request = match &schema {
        Some(path) => tools_of(path)?,
        None => request_of(setup.dialect.schemas.as_deref()),
    };
    let model = settings.model()?;
    let request = ToolRequest { settings: settings.settings(model.as_ref()), ..request };
    let upgrade = upgrade.as_deref().map(runtime_name).transpose()?;
    if let Some(name) = &upgrade {
        releases(name).map_err(anyhow::Error::msg)?;
    }
    let wanted = parser_choice(&setup, model.as_ref(), runtime.as_deref())?;
    if let Some(folder) = matrix {
        let asked = matrix::MatrixRequest { setup: &setup, request: &request, schema: schema.as_deref(), wanted };
        return matrix::run(folder, &asked, *format, width, out);
    }
    if *is_each {
        return text_stream::run(out, |object, text| {
            let session = text_stream::session(&setup, text);
            let message = session.model_text_at(None);
            let parsers = message.map(|message| to_json(&Lens::new(&message, &request, &wanted)));
            let parsers = parsers.unwrap_or_else(|| serde_json::Value::Array(Vec::new()));
            Ok(write!(object, "{{\"parsers\": {parsers}}}")?)
        });
    }
    let today = clock::today();
    let mut status = ExitStatus::Success;
    for path in paths {
        let spec = archive::one_in(source_of(Some(path)))?;
        let name = name_of(&spec);
        let whole = read(&setup, &spec, Follow::No)?;
        let is_one_message = !whole.session.is_decoded() && whole.session.text().len() > LARGEST;
        ensure!(!is_one_message, "{name} is larger than {} MiB, the limit for parsers of runtimes", LARGEST >> 20);
        let message = message_of(args, &name, &whole.session)?;
        if paths.len() > 1 && *format == LensFormat::Text {
            writeln!(out, "==> {} <==", visible_str(&name))?;
        }
        if let Some(runtime) = &upgrade {
            let upgrade = compare(&message, &request, &wanted, runtime).map_err(anyhow::Error::msg)?;
            match format {
                LensFormat::Json => writeln!(out, "{:#}", upgrade_to_json(&upgrade))?,
                LensFormat::Ndjson => writeln!(out, "{}", upgrade_to_json(&upgrade))?,
                LensFormat::Text | LensFormat::Csv => write_upgrade(out, &upgrade, width)?,
            }
            if upgrade.parsers.iter().any(ParserUpgrade::is_changed) {
                status = ExitStatus::Findings;
            }
            whole.outcome()?;
            continue;
        }
        if *stream {
            let asked = stream::StreamRequest { request: &request, wanted: &wanted, cut: *cut };
            let printed = stream::write(out, &message, &asked, *format, width)?;
            ensure!(
                !printed.lens.rows.is_empty(),
                "{name}: {}",
                nothing_to_ask(&whole.session, &message, &printed.lens, runtime.as_deref())
            );
            whole.outcome()?;
            continue;
        }
        let lens = Lens::new(&message, &request, &wanted);
        match format {
            LensFormat::Json => writeln!(out, "{:#}", to_json(&lens))?,
            LensFormat::Ndjson => writeln!(out, "{}", to_json(&lens))?,
            LensFormat::Text | LensFormat::Csv => {
                let what = nothing_to_ask(&whole.session, &message, &lens, runtime.as_deref());
                ensure!(paths.len() > 1 || !lens.rows.is_empty(), "{name}: {what}");
                if lens.rows.is_empty() {
                    writeln!(out, "{what}")?;
                    status = ExitStatus::Findings;
                } else {
                    write_text(out, &whole.session, &message, &lens, width, today)?;
                }
            }
        }
        whole.outcome()?;
    }
    Ok(status)
}

/// The message of a session that the options choose: at a place, or the first one with a call in a part.
fn message_of(args: &LensArgs, name: &str, session: &Session) -> anyhow::Result<MessageText> {
    let offset = args.at.as_ref().and_then(|at| at.place(session));
    ensure!(args.at.is_none() || offset.is_some(), "--at: {name} has no such place, and no call with this id");
    let part = args.part.of(name, session)?;
    let message = match &part {
        Some(part) => session.model_text_among(part.items()),
        None => session.model_text_at(offset),
    };
    let of_part = part.as_ref().map_or_else(String::new, |part| format!(" in {}", part.filter()));
    message.with_context(|| format!("{name} has no text of a model{of_part}"))
}

/// The parsers of the named runtimes, separated by commas, for the named dialects, or else the model's.
fn parser_choice(
    setup: &Setup,
    model: Option<&TemplateRequest>,
    runtime: Option<&str>,
) -> anyhow::Result<ParserChoice> {
    let runtimes = runtime.iter().flat_map(|names| names.split(',')).map(runtime_name);
    let named: Vec<String> = setup.dialect.only.iter().map(|dialect| dialect.name.to_owned()).collect();
    let of_model = model.map(|model| model.dialects.as_slice()).unwrap_or_default();
    let wanted = ParserChoice {
        dialects: if named.is_empty() { of_model.iter().map(|name| (*name).to_owned()).collect() } else { named },
        runtimes: runtimes.collect::<Result<_, _>>()?,
        ..ParserChoice::default()
    };
    if let Some(unknown) = wanted.dialects.iter().find(|name| !catalog::dialects().any(|known| known == **name)) {
        let known: Vec<&str> = catalog::dialects().collect();
        return Err(anyhow!("no parser of {unknown} is known; available dialects: {}", known.join(", ")));
    }
    Ok(wanted)
}

fn runtime_name(name: &str) -> anyhow::Result<RuntimeName> {
    name.trim().parse().map_err(anyhow::Error::msg)
}

/// Explains why a message has no outcomes, and what to do.
fn nothing_to_ask(session: &Session, message: &MessageText, lens: &Lens, runtime: Option<&str>) -> String {
    let document = session.document();
    let is_recorded = (0..document.items().len()).any(|item| document.is_recorded(item));
    match (lens.dialects.as_slice(), message.found.as_slice(), runtime) {
        (dialects @ [_, ..], _, Some(runtime)) => format!("{runtime} has no parser that reads {}", dialects.join(", ")),
        (_, [], _) if is_recorded => {
            "the calls of this session are records, which runtimes do not parse; --at chooses another message"
                .to_owned()
        }
        (_, [], _) => "no parser finds a call; --dialect names the dialect to read it in".to_owned(),
        (_, found, _) => {
            format!("no parser of {} is known; --dialect names the dialect to read it in", found.join(", "))
        }
    }
}

/// Reads the tools in a schema file.
fn tools_of(path: &Path) -> anyhow::Result<ToolRequest> {
    let bytes = source::read_at_most(&SourceSpec::File(path.to_path_buf()), schemas::MAX_BYTES)?;
    let name = path.display();
    ToolSet::parse(&bytes)
        .map(ToolRequest::with)
        .map_err(|words| anyhow!("could not use the schema file {name}: {words}"))
}
