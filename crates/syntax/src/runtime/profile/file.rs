//! Files of profiles: one with the runtimes and the rules shared by all of their parsers, and one per dialect with a
//! profile for each parser.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{LazyBehaviour, Profile, Sends};
use crate::runtime::release::{Release, Runtime};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    dialect: String,
    /// Rules that the grammars of the file share.
    #[serde(default)]
    grammar: String,
    profiles: Option<Vec<Map<String, Value>>>,
}

/// The runtimes, each with the rules that all of its parsers share.
pub type Defaults = Vec<(Runtime, Map<String, Value>)>;

/// Parses the file of runtimes.
///
/// # Errors
/// States what is wrong with the file.
pub fn parse_defaults(yaml: &str) -> Result<Defaults, String> {
    defaults(serde_yaml::from_str(yaml).map_err(|error| error.to_string())?)
}

/// Parses a file of profiles, with the grammars and rules in it.
///
/// # Errors
/// States which profile is wrong, and why.
pub fn parse_file(yaml: &str, defaults: &Defaults) -> Result<Vec<Profile>, String> {
    let all = profiles(serde_yaml::from_str(yaml).map_err(|error| error.to_string())?, defaults)?;
    for profile in &all {
        profile.check().map_err(|error| format!("{}: {error}", profile.name()))?;
    }
    Ok(all)
}

/// The file of runtimes as the build script converts it to JSON, which is read in a tenth of the time.
///
/// # Errors
/// States what is wrong with the file.
pub(crate) fn built_in_defaults(json: &str) -> Result<Defaults, String> {
    defaults(serde_json::from_str(json).map_err(|error| error.to_string())?)
}

/// A file of profiles as the build script converts it to JSON. Grammars and rules are parsed when they are first used.
///
/// # Errors
/// States which profile is wrong, and why.
pub(crate) fn built_in_profiles(json: &str, defaults: &Defaults) -> Result<Vec<Profile>, String> {
    profiles(serde_json::from_str(json).map_err(|error| error.to_string())?, defaults)
}

fn defaults(all: Map<String, Value>) -> Result<Defaults, String> {
    let one = |(name, rules): (String, Value)| {
        let Value::Object(mut rules) = rules else {
            return Err("a runtime must be a name with a mapping".to_owned());
        };
        let named = |error: String| format!("{name}: {error}");
        let releases: Vec<Release> = taken(&mut rules, "releases").map_err(named)?.unwrap_or_default();
        let checked = taken(&mut rules, "checked").map_err(named)?.ok_or_else(|| named("no `checked`".to_owned()))?;
        let request = taken(&mut rules, "request").map_err(named)?.unwrap_or_default();
        if releases.is_empty() {
            return Err(format!("{name} has no releases"));
        }
        Ok((Runtime { name, releases, checked, request }, rules))
    };
    all.into_iter().map(one).collect()
}

/// Removes a member and reads it; `None` if it is absent.
fn taken<T: DeserializeOwned>(rules: &mut Map<String, Value>, key: &str) -> Result<Option<T>, String> {
    rules.remove(key).map(serde_json::from_value).transpose().map_err(|error| error.to_string())
}

fn profiles(file: ProfileFile, defaults: &Defaults) -> Result<Vec<Profile>, String> {
    let mut merged: Vec<(String, Map<String, Value>)> = Vec::new();
    let mut out = Vec::new();
    for own in file.profiles.unwrap_or_default() {
        let text = |key: &str| own.get(key).and_then(Value::as_str).map(str::to_owned);
        let like = text("like");
        let parent = match &like {
            Some(like) => {
                let found = merged.iter().find(|(name, _)| name == like);
                found.map(|(_, rules)| rules.clone()).ok_or_else(|| format!("no earlier profile {like:?}"))?
            }
            None => Map::new(),
        };
        let runtime = text("runtime").or_else(|| parent.get("runtime")?.as_str().map(str::to_owned));
        let runtime = runtime.ok_or("a profile has no runtime")?;
        let mut rules = Map::new();
        let known = defaults.iter().find(|(known, _)| known.name == runtime);
        let (known, base) = known.ok_or_else(|| format!("unknown runtime {runtime:?}"))?;
        merge(&mut rules, base);
        merge(&mut rules, &parent);
        merge(&mut rules, &own);
        // A grammar extends the grammar of the profile named by `like`, or else the shared rules of its runtime and its
        // file.
        let shared = base.get("grammar").and_then(Value::as_str).unwrap_or_default();
        let shared = format!("{shared}\n{}", file.grammar);
        let inherited = parent.get("grammar").and_then(Value::as_str).unwrap_or(&shared);
        let grammar = format!("{inherited}\n{}", text("grammar").unwrap_or_default());
        rules.insert("grammar".into(), grammar.clone().into());
        let parsers = match rules.remove("parser") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            _ => return Err(format!("a profile of {runtime} has no parser")),
        };
        let name = format!("{runtime}:{}", parsers.first().map_or("", String::as_str));
        let named = |error: String| format!("{name}: {error}");
        let [since, until] = ["since", "until"].map(|key| rules.remove(key));
        let limit = |limit: &Option<Value>| limit.as_ref().and_then(Value::as_str).map(str::to_owned);
        let releases = known.between(limit(&since).as_deref(), limit(&until).as_deref()).map_err(named)?;
        let is_current = releases.first() == known.releases.first();
        merged.push((name.clone(), rules.clone()));
        let [streamed, own_served] = ["streamed", "served"].map(|key| match rules.remove(key) {
            Some(Value::Object(over)) => Some(over),
            _ => None,
        });
        let sends = rules.remove("sends").filter(|_| is_current).map(serde_json::from_value::<Sends>);
        let sends = sends.transpose().map_err(|error| named(error.to_string()))?;
        let around = base.get("serving").filter(|_| is_current).and_then(|serving| serving_rules(serving, &parsers));
        for key in ["like", "runtime", "grammar", "serving"] {
            rules.remove(key);
        }
        let laid_over = |mut over: Map<String, Value>| {
            let more = over.remove("grammar").and_then(|more| more.as_str().map(str::to_owned)).unwrap_or_default();
            let mut all = rules.clone();
            merge(&mut all, &over);
            LazyBehaviour::new(format!("{grammar}\n{more}"), Value::Object(all))
        };
        let streamed = streamed.map(laid_over);
        let served = around.map(|mut around| {
            merge(&mut around, &own_served.unwrap_or_default());
            laid_over(around)
        });
        let whole = LazyBehaviour::new(grammar, Value::Object(rules));
        let dialect = file.dialect.clone();
        out.push(Profile { runtime, parsers, dialect, releases, is_current, whole, streamed, sends, served });
    }
    Ok(out)
}

/// The rules of the server around a parser; `None` if the parser is the server's own.
fn serving_rules(serving: &Value, parsers: &[String]) -> Option<Map<String, Value>> {
    let lists = |key: &str| {
        let names = serving.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        names.into_iter().any(|name| parsers.iter().any(|parser| parser == name))
    };
    let rules = serving.get(if lists("engines") { "engine" } else { "parser" })?.as_object()?;
    (!lists("itself")).then(|| rules.clone())
}

/// Merges `over` into `under`, recursively for nested mappings.
fn merge(under: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Object(under)), Value::Object(over)) => merge(under, over),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}
