//! Changes of the project's files, and the forms of a name.

/// The name of an addition, as the user gives it: `turn-list`.
pub struct Name(String);

impl Name {
    /// # Errors
    /// Words of lower-case letters joined by hyphens are expected.
    pub fn parse(given: &str) -> Result<Self, String> {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_name = given.split('-').all(is_word);
        is_name
            .then(|| Self(given.to_owned()))
            .ok_or_else(|| format!("{given:?}: use a-z and hyphens, as in turn-list"))
    }

    /// The name of its module: `turn_list`.
    pub fn module(&self) -> String {
        self.0.replace('-', "_")
    }

    /// The prefix of its types' names: `TurnList`.
    pub fn pascal(&self) -> String {
        self.0.split('-').flat_map(|word| [word[..1].to_uppercase(), word[1..].to_owned()]).collect()
    }

    /// The name as a heading: `Turn list`.
    pub fn title(&self) -> String {
        self.0[..1].to_uppercase() + &self.0[1..].replace('-', " ")
    }

    /// A template with the name in place of `KEBAB`, `MODULE`, `PASCAL` and `TITLE`, and its first letter in place of
    /// `INITIAL`, which is the second key of a command.
    pub fn fill(&self, template: &str) -> String {
        let forms = [
            ("KEBAB", self.0.clone()),
            ("MODULE", self.module()),
            ("PASCAL", self.pascal()),
            ("TITLE", self.title()),
            ("INITIAL", self.0[..1].to_uppercase()),
        ];
        forms.iter().fold(template.to_owned(), |text, (form, words)| text.replace(form, words))
    }
}

/// Computes the changes for an addition.
pub type Recipe = fn(&Name) -> Vec<Change>;

/// A change of one file.
pub enum Change {
    /// A file that must not exist yet.
    Create { path: String, text: String },
    /// Lines before the only line that begins with `anchor`.
    Insert { path: &'static str, anchor: &'static str, text: String },
    /// A line among sorted module declarations, with `mod` or `pub mod`.
    Module { path: &'static str, keyword: &'static str, name: String },
}

impl Change {
    /// The path of the changed file, relative to the project's folder.
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path, .. } => path,
            Self::Insert { path, .. } | Self::Module { path, .. } => path,
        }
    }

    /// The text of the file after the change; `old` is the text before it, if there is a file.
    ///
    /// # Errors
    /// The file or the place in it is not as expected.
    pub fn applied(&self, old: Option<&str>) -> Result<String, String> {
        let at = match self {
            Self::Create { text, .. } => return if old.is_none() { Ok(text.clone()) } else { Err("it exists".into()) },
            Self::Insert { anchor, .. } => {
                let places: Vec<usize> =
                    lines(old).filter(|(_, line)| line.starts_with(anchor)).map(|line| line.0).collect();
                let [at] = *places else { return Err(format!("{} lines begin with {anchor:?}", places.len())) };
                at
            }
            Self::Module { name, .. } => {
                let modules = lines(old).filter_map(|(at, line)| Some((at, line, module_of(line)?)));
                let mut end = Err("it declares no module".to_owned());
                for (at, line, module) in modules {
                    if module > name.as_str() {
                        end = Ok(at);
                        break;
                    }
                    end = Ok(at + line.len());
                }
                end?
            }
        };
        let made = match self {
            Self::Create { text, .. } | Self::Insert { text, .. } => text.clone(),
            Self::Module { keyword, name, .. } => format!("{keyword} {name};\n"),
        };
        let (before, after) = old.unwrap_or_default().split_at(at);
        Ok([before, &made, after].concat())
    }
}

/// The lines of a text with their offsets and line feeds.
fn lines(text: Option<&str>) -> impl Iterator<Item = (usize, &str)> {
    text.unwrap_or_default().split_inclusive('\n').scan(0, |end, line| {
        let at = *end;
        *end += line.len();
        Some((at, line))
    })
}

fn module_of(line: &str) -> Option<&str> {
    line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(";\n")
}
