//! Samples of differences between runtimes: the output of `lens` for each, in the dialect that `samples/README.md`
//! names.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use transcope::dialect::{Options, named};
use transcope::export::lens::write_text;
use transcope::lens::{Lens, ParserChoice, request_of};
use transcope::runtime::catalog;
use transcope::session::Session;
use transcope::value::schema::Schemas;

/// Width of the output in columns.
const WIDTH: usize = 80;

const FOLDER: &str = "samples/runtimes";

#[test]
fn runtimes_differ_on_each_sample_of_the_tour() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = fs::read(root.join(FOLDER).join("tools.json")).expect("the tools of the requests");
    let schemas = Arc::new(Schemas::parse("tools.json", &tools).expect("the tools are readable"));
    let tour = listed(root);
    assert_eq!(tour.len(), 29, "the rows of {FOLDER} in samples/README.md");
    let guide = fs::read_to_string(root.join("docs/runtimes.md")).expect("the page");
    let today = catalog::runtimes().map(|runtime| runtime.checked).max().expect("a runtime");
    let (mut alike, mut stale) = (Vec::new(), Vec::new());
    for (file, dialect) in tour {
        let bytes = fs::read(root.join(FOLDER).join(&file)).expect("a sample can be read");
        let about = named(&dialect).unwrap_or_else(|| panic!("{file}: there is no dialect {dialect:?}"));
        let options = Options { only: vec![about], schemas: Some(Arc::clone(&schemas)), ..Options::default() };
        let session = Session::read(&bytes, &options);
        let message = session.model_text_at(None).expect("the sample is one message");
        let request = request_of(Some(&schemas));
        let lens = Lens::new(&message, &request, &ParserChoice { dialects: vec![dialect], ..ParserChoice::default() });
        let mut shown = Vec::new();
        write_text(&mut shown, &session, &message, &lens, WIDTH, today).expect("memory can be written to");
        let shown = String::from_utf8(shown).expect("what is printed is text");
        if lens.groups.len() < 2 {
            alike.push(format!("{file}: {shown}"));
        }
        let name = file.strip_suffix(".txt").expect("a sample of the tour is a text");
        let is_quoted = guide.lines().any(|line| line.starts_with("$ transcope lens ") && line.ends_with(&file));
        if is_quoted && !guide.contains(&shown) {
            stale.push(format!("{file}:\n{shown}"));
        }
        super::snapshot::matches(FOLDER, name, &shown);
    }
    assert!(alike.is_empty(), "the runtimes make the same of\n{}", alike.join("\n"));
    assert!(stale.is_empty(), "docs/runtimes.md does not show what is printed of\n{}", stale.join("\n"));
    super::snapshot::matches(FOLDER, "tools", &request_of(Some(&schemas)).names().collect::<Vec<_>>().join("\n"));
}

/// The files with their dialects, from the list of samples.
fn listed(root: &Path) -> Vec<(String, String)> {
    let list = fs::read_to_string(root.join("samples/README.md")).expect("the list of samples");
    let section = list.split("\n## ").find(|section| section.starts_with("`runtimes/`")).expect("a section");
    let row = |line: &str| {
        let mut cells = line.split('`');
        let (file, dialect) = (cells.nth(1)?, cells.nth(1)?);
        (line.starts_with("| `") && Path::new(file).extension() == Some("txt".as_ref()))
            .then(|| (file.to_owned(), dialect.to_owned()))
    };
    section.lines().filter_map(row).collect()
}
