//! The settings in which a secret is written: prose, JSON, a command, base64, a line that a terminal broke, and so on.

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::json;

/// How a kind is recognised.
#[derive(Clone, Copy, PartialEq)]
pub enum Group {
    Form,
    Name,
    Place,
}

/// A kind of secret: the text before and after it, and the pattern of its values.
pub struct Kind {
    pub word: String,
    pub group: Group,
    /// In capitals, the name of a secret without a known format.
    pub name: String,
    pub around: [String; 2],
    pub pattern: String,
}

/// The context in which a secret is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    Prose,
    Json,
    JsonInJson,
    Environment,
    Command,
    Code,
    Base64,
    Url,
    BrokenLine,
    Colours,
    /// As printed by `cat -n`.
    NumberedLines,
    /// As printed by `grep -n` in several files.
    FoundLines,
    /// Added by a diff.
    AddedLines,
    /// In HTML.
    Entities,
}

use Setting::{
    AddedLines, Base64, BrokenLine, Code, Colours, Command, Entities, Environment, FoundLines, Json, JsonInJson,
    NumberedLines, Prose, Url,
};

pub const SETTINGS: [Setting; 10] =
    [Prose, Json, JsonInJson, Environment, Command, Code, Base64, Url, BrokenLine, Colours];

/// The settings of lines whose surroundings tell a secret.
pub const SURROUNDING_SETTINGS: [Setting; 11] =
    [Prose, Json, JsonInJson, Base64, Url, BrokenLine, Colours, NumberedLines, FoundLines, AddedLines, Entities];

/// Columns of the terminal that breaks lines.
const COLUMNS: usize = 80;

/// Fewest remaining bytes of a secret that count as a leak.
const WINDOW: usize = 12;

/// Percent-encoding as in a query.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02X}").expect("into memory"),
        }
        out
    })
}

/// A text with its signs as HTML entities.
fn entities(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' | '=' => write!(out, "&#{};", u32::from(c)).expect("into memory"),
            c => out.push(c),
        }
        out
    })
}

/// A text with a prefix before each line, given its number.
fn prefixed(text: &str, prefix: impl Fn(usize) -> String) -> String {
    text.split_inclusive('\n').enumerate().map(|(at, line)| prefix(at + 41) + line).collect()
}

/// A text as a terminal breaks it, with a prefix for each original line.
fn broken(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        for c in line.chars() {
            if column == COLUMNS && c != '\n' {
                out.push('\n');
                column = 0;
            }
            out.push(c);
            column += 1;
        }
    }
    out
}

impl Kind {
    /// A secret of this kind as written in a setting, and the parts that are secret. `None` if it does not occur there
    /// in practice.
    pub fn written(&self, setting: Setting, secret: &str) -> Option<(String, Vec<String>)> {
        let [before, behind] = &self.around;
        let (small, is_place) = (self.name.to_lowercase(), self.group == Group::Place);
        let kebab = small.replace('_', "-");
        let plain = match self.group {
            Group::Place => format!("{before}{secret}{behind}"),
            Group::Form => format!("So {secret} is what it printed."),
            Group::Name => format!("{}={secret}", self.name),
        };
        let json = if is_place { json!({ "n": 7, "text": plain }) } else { json!({ "n": 7, (&*small): secret }) };
        let escaped = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
        let whole = |text: String| Some((text, vec![secret.to_owned()]));
        match setting {
            Prose if self.group == Group::Name => whole(format!("The {} is {secret} there.", self.name)),
            Prose => whole(plain),
            Json => Some((json.to_string(), vec![escaped(secret)])),
            JsonInJson => Some((json!({ "arguments": json.to_string() }).to_string(), vec![escaped(&escaped(secret))])),
            Environment | Command | Code if is_place => None,
            Environment => whole(format!("{}={secret}", self.name)),
            Command => whole(format!("tool run --{kebab} {secret} --verbose")),
            Code => {
                let mut words = small.split('_').map(str::to_owned).enumerate();
                let camel: String = words
                    .by_ref()
                    .map(|(at, word)| if at == 0 { word } else { word[..1].to_uppercase() + &word[1..] })
                    .collect();
                whole(format!("let {camel} = \"{secret}\";"))
            }
            Base64 => {
                let encoded = BASE64_STANDARD.encode(format!("{plain}\nDEBUG=1\n"));
                Some((format!("data: {encoded}"), vec![encoded]))
            }
            Url => {
                let query = if is_place { percent(&plain) } else { percent(secret) };
                Some((format!("https://a.example/b?{small}={query}&next=1"), vec![percent(secret)]))
            }
            BrokenLine => {
                // The break is in the middle of the secret's last line.
                let last = secret.split('\n').next().unwrap_or(secret);
                let lead = plain[..plain.find(secret)?].rsplit('\n').next().unwrap_or_default().chars().count();
                let indent = (COLUMNS - (lead + last.len() / 2) % COLUMNS) % COLUMNS;
                let line_start = plain[..plain.find(secret)?].rfind('\n').map_or(0, |at| at + 1);
                let text = format!("{}{}{}", &plain[..line_start], " ".repeat(indent), &plain[line_start..]);
                let text = broken(&format!("{}\n{text}", "$ cat a".to_owned()));
                let pieces: Vec<String> = broken(&format!("{}{secret}", " ".repeat(indent + lead)))
                    .trim_start_matches(' ')
                    .split('\n')
                    .map(|piece| piece.trim_start().to_owned())
                    .collect();
                Some((text, pieces))
            }
            NumberedLines => whole(prefixed(&plain, |number| format!("{number:>6}\t"))),
            FoundLines => whole(prefixed(&plain, |number| format!("etc/site.conf:{number}:"))),
            AddedLines => whole(prefixed(&plain, |_| "+".to_owned())),
            Entities => Some((entities(&plain), vec![entities(secret)])),
            Colours => {
                let (head, tail) = secret.split_at(secret.len() / 2);
                let coloured = format!("\x1b[32m{head}\x1b[0m\x1b[1m{tail}\x1b[0m");
                Some((plain.replace(secret, &coloured), vec![head.to_owned(), tail.to_owned()]))
            }
        }
    }
}

/// True if a piece of a secret is left in a text.
pub fn is_left(clean: &str, piece: &str) -> bool {
    piece.split('\n').filter(|line| line.len() >= 4).any(|line| {
        let letters: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        let long = letters.len().saturating_sub(1).min(WINDOW);
        letters.windows(long + 1).any(|window| clean.contains(&line[window[0]..window[long]]))
    })
}
