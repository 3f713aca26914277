//! The crates that a program is linked with, from `cargo metadata`, and the texts of their licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The text at the top of the file, before the list of crates.
const HEADER: &str = "\
Licences of third parties

transcope is under the MIT licence (LICENSE). A built program also contains the crates, the grammars of
syntax highlighting and the database engine below; a package of the program must contain this file.
It is generated: cargo run --example licences > THIRD-PARTY.txt
";

/// Data in the crates that has another licence than their code.
const CONTAINED: &str = "\
SQLite, which libsqlite3-sys compiles unless the program is built with --no-default-features, is in the
public domain. The definitions of syntaxes that two-face contains are listed at the end with their licences.

Rules for secrets are converted from Betterleaks, whose licence is at the end, and from Kingfisher, copyright
MongoDB, Inc., under the Apache License 2.0, whose text is below. Their revisions are in crates/session/src/redact/rules.
";

/// The licence of Betterleaks, whose rules for secrets the program contains.
const RULES: &str = include_str!("../../crates/session/src/redact/rules/betterleaks.LICENSE");

/// Beginnings of the names of licence files.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// A crate of a third party.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// An SPDX expression, as in the manifest of the crate.
    pub licence: String,
    authors: Vec<String>,
    folder: PathBuf,
}

/// The platforms of releases, which `deny.toml` lists.
pub fn platforms(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join("deny.toml"))?;
    let targets = text.split_once("targets = [").and_then(|(_, rest)| rest.split_once(']')).context("no targets")?.0;
    Ok(targets.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The crates that the program is linked with on any of the platforms, by name and version. `options` are further ones of
/// `cargo metadata`, which may fetch crates of other systems unless one is `--offline`.
pub fn packages(root: &Path, platforms: &[String], options: &[&str]) -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version=1", "--locked"]).current_dir(root);
    command.args(platforms.iter().map(|platform| format!("--filter-platform={platform}")));
    command.args(options);
    let output = command.output().context("could not run cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let items = list.as_array().cloned().unwrap_or_default().into_iter();
        items.map(|item| (text(&item["id"]), item)).collect()
    };
    let (nodes, about) = (by_id(&metadata["resolve"]["nodes"]), by_id(&metadata["packages"]));
    let root_id = text(&metadata["resolve"]["root"]);
    let (mut seen, mut open) = (BTreeSet::new(), vec![root_id]);
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            let linked = nodes.get(&id).and_then(|node| node["deps"].as_array()).into_iter().flatten();
            open.extend(linked.filter(|dependency| is_linked(dependency)).map(|dependency| text(&dependency["pkg"])));
        }
    }
    let found = seen.iter().filter_map(|id| about.get(id)).filter(|package| !package["source"].is_null());
    let mut found: Vec<Package> = found.map(Package::new).collect();
    found.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(found)
}

/// True for a dependency of the program, and not only of its tests or of a build script.
fn is_linked(dependency: &Value) -> bool {
    dependency["dep_kinds"].as_array().into_iter().flatten().any(|kind| kind["kind"].is_null())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Package {
    fn new(about: &Value) -> Self {
        let authors = about["authors"].as_array().into_iter().flatten().map(text);
        // Mail addresses are for the crate's own pages.
        let authors = authors.map(|author| author.split(" <").next().unwrap_or_default().to_owned());
        let manifest = PathBuf::from(text(&about["manifest_path"]));
        Self {
            name: text(&about["name"]),
            version: text(&about["version"]),
            licence: text(&about["license"]).replace(" / ", " OR ").replace('/', " OR "),
            authors: authors.collect(),
            folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        }
    }

    /// Its row in the list.
    pub fn row(&self) -> String {
        format!("  {} {}: {}", self.name, self.version, self.licence)
    }

    /// The texts under which it is used: of alternatives, MIT if there is a file for it.
    fn texts(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_licence = NAMES.iter().any(|start| name.to_uppercase().starts_with(start));
            if is_licence && entry.path().is_file() {
                names.push(name);
            }
        }
        names.sort();
        let is_choice = self.licence.split(" OR ").any(|licence| licence == "MIT");
        let is_mit = |name: &String| name.to_uppercase().contains("MIT");
        if is_choice && names.iter().any(is_mit) {
            names.retain(|name| is_mit(name) || name.to_uppercase().starts_with("NOTICE"));
        }
        let read = |name: &String| -> Result<String> {
            let bytes = fs::read(self.folder.join(name))?;
            Ok(plain(&String::from_utf8_lossy(&bytes)))
        };
        let texts = names.iter().map(read).collect::<Result<Vec<_>>>()?;
        if !texts.is_empty() {
            return Ok(texts);
        }
        ensure!(is_choice, "{} {} has no licence file, and is not under MIT", self.name, self.version);
        let authors = if self.authors.is_empty() { self.name.clone() } else { self.authors.join(", ") };
        let own = include_str!("../../LICENSE");
        let terms =
            own.split_once("\n\nPermission").map(|(_, terms)| terms).context("LICENSE is not the MIT licence")?;
        Ok(vec![plain(&format!("Copyright (c) {authors}\n\nPermission{terms}"))])
    }
}

/// A text without white space at the ends of lines and of the text, and without control characters.
fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// The terms of a licence, and the crates that are under them.
#[derive(Default)]
struct Terms {
    text: String,
    notices: BTreeSet<String>,
    users: BTreeSet<String>,
}

/// The notices of copyright at the beginning of a licence, and its terms.
fn divided(text: &str) -> (Vec<String>, String) {
    const BEGINNING: usize = 12;
    let is_notice = |line: &str| line.trim_start().to_lowercase().starts_with("copyright ") && !line.contains("[yyyy]");
    let (mut notices, mut terms) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        if number < BEGINNING && is_notice(line) {
            notices.push(line.trim().to_owned());
        } else {
            terms.push(line);
        }
    }
    (notices, terms.join("\n").trim_matches('\n').to_owned())
}

/// The text of `THIRD-PARTY.txt`: what is contained, the crates, and each licence once.
pub fn document(packages: &[Package]) -> Result<String> {
    let mut document = format!("{HEADER}\n{CONTAINED}\nCrates\n\n");
    for package in packages {
        writeln!(document, "{}", package.row())?;
    }
    // Terms that differ in line breaks only are one; each has the notices of copyright of its crates.
    let mut groups: BTreeMap<String, Terms> = BTreeMap::new();
    for package in packages {
        for text in package.texts()? {
            let (notices, terms) = divided(&text);
            let key = terms.split_whitespace().collect::<Vec<_>>().join(" ");
            let group = groups.entry(key).or_insert_with(|| Terms { text: terms, ..Terms::default() });
            group.users.insert(package.name.clone());
            group.notices.extend(notices);
        }
    }
    let mut groups: Vec<Terms> = groups.into_values().collect();
    groups.sort_by(|one, other| {
        other.users.len().cmp(&one.users.len()).then_with(|| (&one.users, &one.text).cmp(&(&other.users, &other.text)))
    });
    for Terms { text, notices, users } in &groups {
        let users: Vec<&str> = users.iter().map(String::as_str).collect();
        writeln!(document, "\n{}\nUsed by {}\n", "=".repeat(80), users.join(", "))?;
        notices.iter().try_for_each(|notice| writeln!(document, "{notice}"))?;
        write!(document, "\n{text}\n")?;
    }
    for licence in
        two_face::acknowledgement::listing().for_syntaxes().iter().filter(|licence| licence.needs_acknowledgement())
    {
        let path = licence.rel_path.display();
        write!(document, "\n{}\nSyntax definitions: {path}\n\n{}\n", "=".repeat(80), plain(&licence.text))?;
    }
    write!(document, "\n{}\nRules for secrets: Betterleaks\n\n{}\n", "=".repeat(80), plain(RULES))?;
    Ok(document)
}
