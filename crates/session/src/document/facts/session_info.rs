//! Facts about a session as a whole.

use crate::container::facts::{Relation, SessionFact, SessionKind, Timestamp, TitleKind};

/// Facts about a session as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionInfo {
    /// Title and its origin.
    pub title: Option<(Box<str>, TitleKind)>,
    /// Working directory at the start; commands such as `cd` may change it later.
    pub directory: Option<Box<str>>,
    /// Branch of its repository, the last one named in the file.
    pub branch: Option<Box<str>>,
    /// The program that wrote the file.
    pub client: Option<Box<str>>,
    /// Versions of that program, in file order.
    pub versions: Vec<Box<str>>,
    /// Start time, if the file states it separately from its messages.
    pub(crate) start: Option<Timestamp>,
    /// Started by a user, by a sub-agent, as a fork, or as a continuation.
    pub kind: SessionKind,
    /// Ids of related sessions.
    pub links: Vec<(Relation, Box<str>)>,
    /// Size of the model's context window in tokens.
    pub(crate) window: Option<u64>,
    /// Total cost of the session in US dollars, if the file states it.
    pub(crate) cost: Option<f64>,
}

impl SessionInfo {
    pub(super) fn take(&mut self, fact: SessionFact) {
        match fact {
            SessionFact::Title(text, kind) => {
                if self.title.as_ref().is_none_or(|(_, known)| *known <= kind) {
                    self.title = Some((text, kind));
                }
            }
            SessionFact::Directory(path) => {
                self.directory.get_or_insert(path);
            }
            SessionFact::Branch(name) => self.branch = Some(name),
            SessionFact::Client(name, version) => {
                self.client = Some(name);
                self.versions.extend(version.filter(|version| !self.versions.contains(version)));
            }
            SessionFact::Start(time) => self.start = Some(time),
            SessionFact::Kind(kind) => self.kind = kind,
            SessionFact::Link(relation, id) => {
                let link = (relation, id);
                if !self.links.contains(&link) {
                    self.links.push(link);
                }
            }
            SessionFact::Window(tokens) => self.window = Some(tokens),
            SessionFact::Cost(dollars) => self.cost = Some(dollars),
        }
    }

    /// Last component of the working directory: the usual name of the project.
    pub fn project(&self) -> Option<&str> {
        let directory = self.directory.as_deref()?.trim_end_matches(['/', '\\']);
        directory.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_title_wins_and_the_project_is_the_folder_in_which_it_began() {
        let mut info = SessionInfo::default();
        for (text, kind) in [
            ("witty-turing", TitleKind::Slug),
            ("Mend the lock", TitleKind::Given),
            ("A lock is mended", TitleKind::Generated),
            ("Mend both locks", TitleKind::Given),
        ] {
            info.take(SessionFact::Title(text.into(), kind));
        }
        assert_eq!(info.title, Some(("Mend both locks".into(), TitleKind::Given)));
        for (directory, project) in
            [("/home/mira/ferry/", Some("ferry")), ("C:\\work\\lock", Some("lock")), ("/", None)]
        {
            let mut info = SessionInfo::default();
            for directory in [directory, "/home/mira/ferry/docks"] {
                info.take(SessionFact::Directory(directory.into()));
            }
            assert_eq!(info.project(), project, "{directory}");
        }
    }
}
