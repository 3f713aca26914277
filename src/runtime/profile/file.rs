//! The files that profiles stand in: runtimes with what all of their parsers do, and dialects with a profile for each parser.
//!
//! It lays mappings over each other; what the keys mean it does not know.

use serde::Deserialize;
use serde_yaml::{Mapping, Value as Yaml};

use super::{Behaviour, Profile};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    dialect: String,
    /// Rules that the grammars of the file share.
    #[serde(default)]
    grammar: String,
    profiles: Option<Vec<Mapping>>,
}

/// What a runtime does in all of its parsers, by its name.
pub type Defaults = Vec<(String, Mapping)>;

/// Reads what the runtimes do in all of their parsers.
///
/// # Errors
/// Says what is wrong with the file.
pub fn parse_defaults(source: &str) -> Result<Defaults, String> {
    let all: Mapping = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let one = |(name, rules): (Yaml, Yaml)| match (name, rules) {
        (Yaml::String(name), Yaml::Mapping(rules)) => Ok((name, rules)),
        _ => Err("a runtime is a name with a mapping".to_owned()),
    };
    all.into_iter().map(one).collect()
}

/// Reads a file of profiles.
///
/// # Errors
/// Says which profile is wrong, and what is wrong with it.
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
                found.map(|(_, rules)| rules.clone()).ok_or_else(|| format!("there is no profile {like:?} in front"))?
            }
            None => Mapping::new(),
        };
        let runtime = text("runtime").or_else(|| parent.get("runtime")?.as_str().map(str::to_owned));
        let runtime = runtime.ok_or("a profile has no runtime")?;
        let mut rules = Mapping::new();
        let base = defaults.iter().find(|(name, _)| *name == runtime).map(|(_, base)| base);
        if let Some(base) = base {
            merge(&mut rules, base);
        }
        merge(&mut rules, &parent);
        merge(&mut rules, &own);
        // A grammar goes on from the one of the profile that it is like, or from what its runtime and its file share.
        let shared = base.and_then(|base| base.get("grammar")?.as_str()).unwrap_or_default();
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
        merged.push((name.clone(), rules.clone()));
        let version = rules.remove("version").and_then(|version| version.as_str().map(str::to_owned));
        let streamed = rules.remove("streamed");
        for key in ["like", "runtime", "grammar"] {
            rules.remove(key);
        }
        let named = |error: String| format!("{name}: {error}");
        let streamed = match streamed {
            Some(Yaml::Mapping(mut over)) => {
                let more = over.remove("grammar").and_then(|more| more.as_str().map(str::to_owned)).unwrap_or_default();
                let mut all = rules.clone();
                merge(&mut all, &over);
                Some(Behaviour::new(&format!("{grammar}\n{more}"), all).map_err(named)?)
            }
            _ => None,
        };
        let whole = Behaviour::new(&grammar, rules).map_err(named)?;
        let (dialect, version) = (file.dialect.clone(), version.unwrap_or_default());
        out.push(Profile { runtime, parsers, dialect, version, whole, streamed });
    }
    Ok(out)
}

/// Lays one mapping over another; mappings within are laid over each other.
fn merge(under: &mut Mapping, over: &Mapping) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Yaml::Mapping(under)), Yaml::Mapping(over)) => merge(under, over),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}
