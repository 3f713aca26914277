//! What a file is, around the text that a model wrote.
//!
//! A container turns a file's bytes into the transcript text and says where messages begin. So far there is one:
//! plain text, whose bytes are the transcript. This module does not know any dialect.

/// The containers, by the name that `--container` takes and the output shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// The file is the transcript: one message of nobody in particular.
    #[default]
    Plain,
}

impl Container {
    /// Every container.
    pub const ALL: [Container; 1] = [Container::Plain];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Container::Plain => "plain",
        }
    }

    /// The container with this name; `auto` finds it by content.
    ///
    /// # Errors
    /// Names an unknown container and lists the known ones.
    pub fn named(name: &str) -> Result<Container, String> {
        let names: Vec<&str> = Container::ALL.into_iter().map(Container::name).collect();
        match name {
            "auto" => Ok(Container::default()),
            _ => Container::ALL
                .into_iter()
                .find(|container| container.name() == name)
                .ok_or_else(|| format!("unknown container {name:?}; the containers are: auto, {}", names.join(", "))),
        }
    }
}
