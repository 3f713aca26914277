//! The guide: the pages of `docs`, which `transcope help` prints and the help of the screen opens.

pub mod markdown;

/// A page of the guide.
pub struct GuidePage {
    /// The name of its file, without its ending; not the name of a command.
    pub name: &'static str,
    /// Its Markdown; the first line is the title.
    pub text: &'static str,
}

macro_rules! topics {
    ($($name:literal,)+) => {
        &[$(GuidePage { name: $name, text: include_str!(concat!("../docs/", $name, ".md")) }),+]
    };
}

/// The pages by their file names: tasks first, then references.
pub const PAGES: &[GuidePage] = topics! {
    "review",
    "many-sessions",
    "watch",
    "playground",
    "templates",
    "sharing",
    "keys",
    "commands",
    "filters",
    "call-formats",
    "runtimes",
    "ci",
    "file-formats",
    "containers",
    "settings",
    "json",
    "json-parse",
    "json-sessions",
    "json-statistics",
    "json-problems",
    "json-runtimes",
    "json-matrix",
    "json-diff",
    "limits",
    "speed",
    "release",
};

impl GuidePage {
    /// The title of the page.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_a_topic_with_a_title() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
        let mut pages: Vec<String> = std::fs::read_dir(folder)
            .expect("the guide is there")
            .filter_map(|entry| Some(entry.expect("readable").file_name().to_str()?.strip_suffix(".md")?.to_owned()))
            .collect();
        let mut topics: Vec<&str> = PAGES.iter().map(|topic| topic.name).collect();
        pages.sort();
        topics.sort_unstable();
        assert_eq!(topics, pages);
        for topic in PAGES {
            assert!(topic.text.starts_with("# ") && topic.title().len() > 3, "{}", topic.name);
        }
    }
}
