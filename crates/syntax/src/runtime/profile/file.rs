//! Files of profiles: one with the runtimes and the rules shared by all of their parsers, and one per dialect with a
//! profile for each parser.

use serde::Deserialize;
use serde_yaml::{Mapping, Value as Yaml};

use super::{Behaviour, Profile, Sends};
use crate::runtime::release::{Release, Runtime};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    dialect: String,
    /// Rules that the grammars of the file share.
    #[serde(default)]
    grammar: String,
    profiles: Option<Vec<Mapping>>,
}

/// The runtimes, each with the rules that all of its parsers share.
pub type Defaults = Vec<(Runtime, Mapping)>;

/// Parses the file of runtimes.
///
/// # Errors
/// States what is wrong with the file.
pub fn parse_defaults(source: &str) -> Result<Defaults, String> {
    let all: Mapping = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let one = |(name, rules): (Yaml, Yaml)| {
        let (Yaml::String(name), Yaml::Mapping(mut rules)) = (name, rules) else {
            return Err("a runtime must be a name with a mapping".to_owned());
        };
        let releases = rules.remove("releases").unwrap_or(Yaml::Null);
        let checked = rules.remove("checked").unwrap_or(Yaml::Null);
        let named = |error: serde_yaml::Error| format!("{name}: {error}");
        let releases: Vec<Release> = serde_yaml::from_value(releases).map_err(named)?;
        let checked = serde_yaml::from_value(checked).map_err(named)?;
        let request = rules.remove("request").map(serde_yaml::from_value).transpose().map_err(named)?;
        let request = request.unwrap_or_default();
        if releases.is_empty() {
            return Err(format!("{name} has no releases"));
        }
        Ok((Runtime { name, releases, checked, request }, rules))
    };
    all.into_iter().map(one).collect()
}

/// Parses a file of profiles.
///
/// # Errors
/// States which profile is wrong, and why.
pub fn parse_file(source: &str, defaults: &Defaults) -> Result<Vec<Profile>, String> {
    let file: ProfileFile = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let mut merged: Vec<(String, Mapping)> = Vec::new();
    let mut out = Vec::new();
    for own in file.profiles.unwrap_or_default() {
        let text = |key: &str| own.get(key).and_then(Yaml::as_str).map(str::to_owned);
        let like = text("like");
        let parent = match &like {
            Some(like) => {
                let found = merged.iter().find(|(name, _)| name == like);
                found.map(|(_, rules)| rules.clone()).ok_or_else(|| format!("no earlier profile {like:?}"))?
            }
            None => Mapping::new(),
        };
        let runtime = text("runtime").or_else(|| parent.get("runtime")?.as_str().map(str::to_owned));
        let runtime = runtime.ok_or("a profile has no runtime")?;
        let mut rules = Mapping::new();
        let known = defaults.iter().find(|(known, _)| known.name == runtime);
        let (known, base) = known.ok_or_else(|| format!("unknown runtime {runtime:?}"))?;
        merge(&mut rules, base);
        merge(&mut rules, &parent);
        merge(&mut rules, &own);
        // A grammar extends the grammar of the profile named by `like`, or else the shared rules of its runtime and its
        // file.
        let shared = base.get("grammar").and_then(Yaml::as_str).unwrap_or_default();
        let shared = format!("{shared}\n{}", file.grammar);
        let inherited = parent.get("grammar").and_then(Yaml::as_str).unwrap_or(&shared);
        let grammar = format!("{inherited}\n{}", text("grammar").unwrap_or_default());
        rules.insert("grammar".into(), grammar.clone().into());
        let parsers = match rules.remove("parser") {
            Some(Yaml::String(name)) => vec![name],
            Some(Yaml::Sequence(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            _ => return Err(format!("a profile of {runtime} has no parser")),
        };
        let name = format!("{runtime}:{}", parsers.first().map_or("", String::as_str));
        let named = |error: String| format!("{name}: {error}");
        let [since, until] = ["since", "until"].map(|key| rules.remove(key));
        let limit = |limit: &Option<Yaml>| limit.as_ref().and_then(Yaml::as_str).map(str::to_owned);
        let releases = known.between(limit(&since).as_deref(), limit(&until).as_deref()).map_err(named)?;
        let is_current = releases.first() == known.releases.first();
        merged.push((name.clone(), rules.clone()));
        let [streamed, own_served] = ["streamed", "served"].map(|key| match rules.remove(key) {
            Some(Yaml::Mapping(over)) => Some(over),
            _ => None,
        });
        let sends = rules.remove("sends").filter(|_| is_current).map(serde_yaml::from_value::<Sends>);
        let sends = sends.transpose().map_err(|error| named(error.to_string()))?;
        let around = base.get("serving").filter(|_| is_current).and_then(|serving| serving_rules(serving, &parsers));
        for key in ["like", "runtime", "grammar", "serving"] {
            rules.remove(key);
        }
        let laid_over = |mut over: Mapping| {
            let more = over.remove("grammar").and_then(|more| more.as_str().map(str::to_owned)).unwrap_or_default();
            let mut all = rules.clone();
            merge(&mut all, &over);
            Behaviour::new(&format!("{grammar}\n{more}"), all)
        };
        let streamed = streamed.map(laid_over).transpose().map_err(named)?;
        let served = around.map(|mut around| {
            merge(&mut around, &own_served.unwrap_or_default());
            laid_over(around)
        });
        let served = served.transpose().map_err(named)?;
        let whole = Behaviour::new(&grammar, rules).map_err(named)?;
        let dialect = file.dialect.clone();
        out.push(Profile { runtime, parsers, dialect, releases, is_current, whole, streamed, sends, served });
    }
    Ok(out)
}

/// The rules of the server around a parser; `None` if the parser is the server's own.
fn serving_rules(serving: &Yaml, parsers: &[String]) -> Option<Mapping> {
    let lists = |key: &str| {
        let names = serving.get(key).and_then(Yaml::as_sequence).into_iter().flatten().filter_map(Yaml::as_str);
        names.into_iter().any(|name| parsers.iter().any(|parser| parser == name))
    };
    let rules = serving.get(if lists("engines") { "engine" } else { "parser" })?.as_mapping()?;
    (!lists("itself")).then(|| rules.clone())
}

/// Merges `over` into `under`, recursively for nested mappings.
fn merge(under: &mut Mapping, over: &Mapping) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Yaml::Mapping(under)), Yaml::Mapping(over)) => merge(under, over),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}
