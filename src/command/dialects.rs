//! `dialects`: lists the known dialects: when each is read, how it is recognised, and an example.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::options::DeclaredArgs;
use super::outcome::ExitStatus;
use super::transcript::setup;
use crate::dialect::declared::ReadMode;
use crate::dialect::declared::index::embedded;
use crate::dialect::{self, DialectInfo, Options};
use crate::export::json_text::ObjectWriter;
use crate::export::record::SCHEMA_VERSION;
use crate::runtime::conformance::{self, Score};
use crate::runtime::{Release, catalog};
use crate::text::sanitize::{visible, visible_str};
use crate::text::wrap::word_rows;

/// List the dialects: how each is recognised, with an example
#[derive(Debug, Args)]
pub struct DialectsArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: DialectsFormat,
    /// Print instead how well each parser of a runtime is known that lens asks: of how many recorded outcomes it
    /// reproduces how many
    #[arg(long)]
    conformance: bool,
    #[command(flatten)]
    declared: DeclaredArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DialectsFormat {
    /// Plain text for people
    Text,
    /// One JSON object
    Json,
}

const WIDTH: usize = 80;

/// Runs `transcope dialects`, in priority order.
pub fn run<W: Write>(args: &DialectsArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    if args.conformance {
        list_parsers(args.format, out)?;
        return Ok(ExitStatus::Success);
    }
    let options = setup(&args.declared.common(None))?.dialect;
    let rows = rows(&options);
    match args.format {
        DialectsFormat::Text => write_text(out, &rows)?,
        DialectsFormat::Json => {
            ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("dialects", rows.iter())?.end()?;
        }
    }
    Ok(ExitStatus::Success)
}

/// A row of the list of parsers.
#[derive(Serialize)]
struct ParserRow {
    dialect: &'static str,
    runtime: &'static str,
    parser: &'static str,
    #[serde(flatten)]
    release: &'static Release,
    /// Outcomes that the profile reproduces, out of `recorded` ones; `None` if none was recorded.
    reproduced: Option<usize>,
    recorded: Option<usize>,
    approximate: bool,
    /// The score of a server with this parser, if the server does more than the parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerScore>,
}

/// Outcomes of a server that the profile reproduces, out of `recorded` ones.
#[derive(Serialize)]
struct ServerScore {
    reproduced: usize,
    recorded: usize,
}

/// Lists how well the profile of each parser reproduces the recorded outcomes.
fn list_parsers<W: Write>(format: DialectsFormat, out: &mut W) -> io::Result<()> {
    let rows = catalog::every_release().map(|parser| {
        let is_own = |score: &&Score| score.parser == parser.parser && score.version == parser.release.version;
        let score = conformance::score_of(&parser).filter(is_own);
        ParserRow {
            dialect: &parser.profile.dialect,
            runtime: &parser.profile.runtime,
            parser: parser.parser,
            release: parser.release,
            reproduced: score.map(|score| score.reproduced),
            recorded: score.map(|score| score.recorded),
            approximate: conformance::is_approximate(&parser),
            server: score
                .and_then(|score| score.server)
                .map(|(reproduced, recorded)| ServerScore { reproduced, recorded }),
        }
    });
    if format == DialectsFormat::Json {
        return ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("parsers", rows)?.end();
    }
    writeln!(out, "{:18} {:>4} {:>4} {:>5}  parser", "dialect", "same", "of", "%")?;
    let (mut reproduced, mut recorded, mut of_servers) = (0, 0, (0, 0));
    for row in rows {
        let (same, of) = (row.reproduced.unwrap_or(0), row.recorded.unwrap_or(0));
        (reproduced, recorded) = (reproduced + same, recorded + of);
        if let Some(server) = &row.server {
            of_servers = (of_servers.0 + server.reproduced, of_servers.1 + server.recorded);
        }
        let [counted, of_all, percent] = match of {
            0 => ["–", "–", ""].map(str::to_owned),
            _ => [same.to_string(), of.to_string(), format!("{:.1}", same as f64 * 100.0 / of as f64)],
        };
        let ParserRow { dialect, runtime, release, parser, approximate, .. } = row;
        let mark = if approximate { "~" } else { "" };
        writeln!(
            out,
            "{dialect:18} {counted:>4} {of_all:>4} {percent:>5}  {runtime}@{}:{parser}{mark}",
            release.version
        )?;
    }
    writeln!(out, "\n{reproduced} of {recorded} recorded outcomes of the parsers are reproduced.")?;
    writeln!(out, "{} of {} recorded outcomes of servers are reproduced.", of_servers.0, of_servers.1)?;
    writeln!(
        out,
        "– not recorded in this release\n~ approximate: less than 80 %, or not recorded in any release that reads the same"
    )
}

/// A row of the list of dialects.
#[derive(Serialize)]
struct DialectRow {
    name: &'static str,
    title: &'static str,
    /// When the dialect is read unless it is named: `always`, `repeated` or `named`.
    read: &'static str,
    /// The origin of the dialect: `code`, `program` or `user`.
    origin: &'static str,
    recognised_by: &'static str,
    example: &'static str,
}

/// All dialects; the user's precede the ones declared by the program.
fn rows(options: &Options) -> Vec<DialectRow> {
    let is_given = |name: &str| options.given(name).is_some();
    let row = |info: &'static DialectInfo, origin, reading: ReadMode| DialectRow {
        name: info.name,
        title: info.title,
        read: reading.into(),
        origin,
        recognised_by: info.recognised_by,
        example: info.example,
    };
    let mut rows: Vec<DialectRow> = Vec::new();
    for info in dialect::all().filter(|info| !is_given(info.name)) {
        let declared = embedded(info.name);
        rows.push(match declared {
            Some(embedded) => row(info, "program", embedded.reading),
            None => row(info, "code", ReadMode::Always),
        });
    }
    let first = rows.iter().position(|row| row.origin == "program").unwrap_or(rows.len());
    rows.splice(first..first, options.declared.iter().map(|given| row(given.info, "user", given.reading)));
    rows
}

/// The remark on a dialect that is not always read.
fn when(read: &str) -> &'static str {
    match read {
        "repeated" => " (from the second call on, or when it is named)",
        "named" => " (when it is named)",
        _ => "",
    }
}

fn write_text<W: Write>(out: &mut W, rows: &[DialectRow]) -> io::Result<()> {
    let longest = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    for row in rows {
        writeln!(out, "{:longest$}  {}{}", row.name, visible_str(row.title), when(row.read))?;
    }
    for row in rows {
        writeln!(out, "\n{}\n", row.name)?;
        let recognised_by = format!("Recognised by {}.", visible_str(row.recognised_by));
        let read = match row.read {
            "repeated" => " Read from the second call of a text on, or when it is named.",
            "named" => " Read when it is named.",
            _ => "",
        };
        for line in word_rows(&format!("{recognised_by}{read}"), WIDTH - 2) {
            writeln!(out, "  {line}")?;
        }
        writeln!(out)?;
        for line in row.example.lines() {
            writeln!(out, "{}", format!("    {}", visible(line.as_bytes())).trim_end())?;
        }
    }
    Ok(())
}
