//! Reads the rule files of other programs.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::pattern;

/// A rule as it is published.
#[derive(Clone, Debug)]
pub struct PublishedRule {
    pub id: String,
    /// Name of the kind in replacements.
    kind: String,
    pub pattern: String,
    /// Number of the capture group with the secret; without one, the first that takes part in the match.
    group: Option<u32>,
    /// Least entropy of the secret in bits a byte.
    pub entropy: f64,
    pub examples: Vec<String>,
    /// False if what it finds is no secret: an account, an address.
    is_secret: bool,
}

#[derive(Deserialize)]
struct Toml {
    rules: Vec<TomlRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TomlRule {
    id: String,
    regex: Option<String>,
    #[serde(default)]
    filter: String,
    #[serde(default)]
    skip_report: bool,
    secret_group: Option<u32>,
}

#[derive(Deserialize)]
struct Yaml {
    rules: Vec<YamlRule>,
}

#[derive(Deserialize)]
struct YamlRule {
    id: String,
    name: String,
    pattern: String,
    #[serde(default)]
    min_entropy: f64,
    #[serde(default)]
    examples: Vec<String>,
    visible: Option<bool>,
}

/// Rules of Betterleaks: one file in TOML.
pub fn betterleaks(checkout: &Path) -> Result<Vec<PublishedRule>> {
    let text = fs::read_to_string(checkout.join("config/betterleaks.toml")).context("could not read the rules")?;
    let file: Toml = toml::from_str(&text)?;
    let rules = file.rules.into_iter().filter(|rule| rule.regex.is_some()).map(|rule| PublishedRule {
        kind: slug(rule.id.split('.').next().unwrap_or_default()),
        is_secret: !rule.skip_report && !is_public(&rule.id),
        pattern: rule.regex.unwrap_or_default(),
        group: rule.secret_group,
        entropy: least_entropy(&rule.filter),
        examples: Vec::new(),
        id: rule.id,
    });
    Ok(rules.collect())
}

/// The threshold of a filter such as `entropy(finding["secret"]) <= 3.5`.
fn least_entropy(filter: &str) -> f64 {
    let rest = filter.split_once("entropy(finding[\"secret\"])").map_or("", |(_, rest)| rest);
    let number = rest.trim_start_matches([' ', '<', '=']);
    let len = number.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    number[..len].parse().unwrap_or_default()
}

/// Rules of Kingfisher and Nosey Parker: a folder of files in YAML.
pub fn yaml(folder: &Path) -> Result<Vec<PublishedRule>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("could not read {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let mut rules = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yml")) {
        let file: Yaml = serde_yaml::from_str(&fs::read_to_string(path)?)
            .with_context(|| format!("could not read {}", path.display()))?;
        rules.extend(file.rules.into_iter().map(|rule| PublishedRule {
            kind: slug(&rule.name),
            is_secret: rule.visible != Some(false) && !is_public(&slug(&rule.name)),
            pattern: rule.pattern,
            group: None,
            entropy: rule.min_entropy,
            examples: rule.examples,
            id: rule.id,
        }));
    }
    Ok(rules)
}

/// True if the name of a rule says that it finds something that is no secret.
fn is_public(name: &str) -> bool {
    let ends = ["-id", "-url", "-host", "-username", "-user", "-uri", "-name", "-email", "-domain", "-address"];
    ends.iter().any(|end| name.ends_with(end)) || ["public-key", "publishable"].iter().any(|part| name.contains(part))
}

/// A name in lower case with hyphens.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

impl PublishedRule {
    /// The line of the redactor's file for the rule, or the reason why it cannot be used.
    pub fn line(&self) -> Result<String, String> {
        if !self.is_secret {
            return Err("it finds no secret".to_owned());
        }
        // The redactor has better rules for names, and these find three in a megabyte of code.
        if self.kind.starts_with("generic-") {
            return Err("it is not of a service".to_owned());
        }
        // Its lines may be indented, quoted or escaped, which no pattern says.
        if self.pattern.contains("BEGIN") {
            return Err("it finds keys of several lines".to_owned());
        }
        let pattern = pattern::converted(&self.pattern, self.group)?;
        let (signs, back) = pattern::signs(&pattern)?;
        Ok(format!("{}\t{back}\t{}\t{pattern}\t{}", self.kind, self.entropy, signs.join("\t")))
    }

    /// True if it is a rule for secrets.
    pub fn is_secret(&self) -> bool {
        self.is_secret
    }
}
