//! The source of all crates for these tests, parsed, without tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree, Visibility};

/// A source file without its tests.
pub struct Source {
    /// Path below the `src` of its crate, without the ending: `tui/view/rows`. A `lib.rs` of `crates/NAME` is `NAME/lib`.
    pub name: String,
    /// The crate's `src`, as a path below the project's folder: `src` or `crates/text/src`.
    pub folder: String,
    /// Number of its lines, including comments.
    pub lines: usize,
    /// Every path that is imported or written out in code, macros and attributes: `crate::text::Span`, `self::block`.
    pub paths: BTreeSet<String>,
    /// Names of the methods that are called.
    pub methods: BTreeSet<String>,
    /// Names of the public types that are declared.
    pub types: Vec<String>,
    /// Names of the modules that are for tests only.
    test_modules: Vec<String>,
}

impl Source {
    /// The top-level module of this file: `tui` for `tui/view/rows`.
    pub fn module(&self) -> &str {
        self.name.split('/').next().expect("a path has a first part")
    }

    /// True if it is that file, or is below that folder.
    pub fn is_in(&self, place: &str) -> bool {
        is_in(&self.name, place)
    }

    /// The paths below `prefix`, which ends in `::`, without it.
    pub fn paths_below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.paths.iter().filter_map(move |path| path.strip_prefix(prefix))
    }

    /// Its path below the project's folder.
    pub fn path(&self) -> String {
        match self.name.strip_suffix("/lib") {
            Some(_) => format!("{}/lib.rs", self.folder),
            None => format!("{}/{}.rs", self.folder, self.name),
        }
    }

    /// Parses the text of the file with this name.
    pub fn parse(folder: &str, name: &str, text: &str) -> Source {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut source = Source {
            name: name.to_owned(),
            folder: folder.to_owned(),
            lines: text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().lines().count(),
            paths: BTreeSet::new(),
            methods: BTreeSet::new(),
            types: Vec::new(),
            test_modules: Vec::new(),
        };
        source.visit_file(&file);
        source
    }

    /// Collects paths in unparsed tokens: `crate::a::b` in the arguments of a macro.
    fn notice_tokens(&mut self, tokens: TokenStream) {
        let mut path = String::new();
        for token in tokens {
            match token {
                TokenTree::Ident(word) if path.is_empty() || path.ends_with("::") => path.push_str(&word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => path.push(':'),
                other => {
                    self.notice_path(std::mem::take(&mut path));
                    match other {
                        TokenTree::Group(group) => self.notice_tokens(group.stream()),
                        TokenTree::Ident(word) => path = word.to_string(),
                        _ => {}
                    }
                }
            }
        }
        self.notice_path(path);
    }

    fn notice_path(&mut self, path: String) {
        if path.contains("::") {
            self.paths.insert(path);
        }
    }
}

impl Visit<'_> for Source {
    fn visit_item(&mut self, item: &Item) {
        let (attributes, named): (&[Attribute], _) = match item {
            Item::Struct(item) => (&item.attrs, Some((&item.vis, "struct", &item.ident))),
            Item::Enum(item) => (&item.attrs, Some((&item.vis, "enum", &item.ident))),
            Item::Trait(item) => (&item.attrs, Some((&item.vis, "trait", &item.ident))),
            Item::Type(item) => (&item.attrs, Some((&item.vis, "type", &item.ident))),
            Item::Const(item) => (&item.attrs, Some((&item.vis, "const", &item.ident))),
            Item::Static(item) => (&item.attrs, Some((&item.vis, "static", &item.ident))),
            Item::Fn(item) => (&item.attrs, Some((&item.vis, "fn", &item.sig.ident))),
            Item::Mod(item) => (&item.attrs, Some((&item.vis, "mod", &item.ident))),
            Item::Impl(item) => (&item.attrs, None),
            Item::Use(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, None),
            _ => (&[], None),
        };
        if attributes.iter().any(is_of_tests) {
            if let Item::Mod(module) = item {
                self.test_modules.push(format!("{}/{}", self.name, module.ident));
            }
            return;
        }
        if let Some((visibility, kind, name)) = named {
            let is_type = matches!(kind, "struct" | "enum" | "trait" | "type");
            if is_type && matches!(visibility, Visibility::Public(_)) {
                self.types.push(name.to_string());
            }
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        if !function.attrs.iter().any(is_of_tests) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let mut paths = Vec::new();
        spread(&item.tree, String::new(), &mut paths);
        for path in paths {
            // A bare name of a crate or child module counts too.
            self.paths.insert(if path.contains("::") { path } else { format!("{path}::") });
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.notice_path(words.join("::"));
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        self.methods.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.notice_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.notice_tokens(list.tokens.clone());
        }
        visit::visit_attribute(self, attribute);
    }
}

/// Collects the paths that a `use` imports, each written out.
fn spread(tree: &UseTree, before: String, paths: &mut Vec<String>) {
    let join = |name: &dyn ToString| match before.as_str() {
        "" => name.to_string(),
        before => format!("{before}::{}", name.to_string()),
    };
    match tree {
        UseTree::Path(path) => spread(&path.tree, join(&path.ident), paths),
        UseTree::Name(name) if name.ident == "self" && !before.is_empty() => paths.push(before),
        UseTree::Name(name) => paths.push(join(&name.ident)),
        UseTree::Rename(rename) => paths.push(join(&rename.ident)),
        UseTree::Glob(_) => paths.push(join(&"*")),
        UseTree::Group(group) => group.items.iter().for_each(|tree| spread(tree, before.clone(), paths)),
    }
}

/// True for `#[test]` and `#[cfg(test)]`, also together with other conditions.
fn is_of_tests(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let condition = list.tokens.to_string();
            list.path.is_ident("cfg")
                && (condition == "test" || ["all (test", "any (test"].iter().any(|with| condition.starts_with(with)))
        }
        Meta::NameValue(_) => false,
    }
}

/// The `src` folders of all crates, as paths below the project's folder.
pub fn source_folders() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates").map(|entry| {
        let name = entry.expect("readable").file_name();
        format!("crates/{}/src", name.to_str().expect("a plain name"))
    });
    let mut folders: Vec<String> = crates.chain(["src".to_owned()]).collect();
    folders.sort();
    folders
}

/// The source files by name, without files that are for tests only.
pub fn sources() -> &'static BTreeMap<String, Source> {
    static SOURCES: LazyLock<BTreeMap<String, Source>> = LazyLock::new(|| {
        let mut sources = BTreeMap::new();
        for folder in source_folders() {
            let place = root().join(&folder);
            for path in files(&place).into_iter().filter(|path| path.extension() == Some("rs".as_ref())) {
                let mut name = path.with_extension("").to_str().expect("a plain name").to_owned();
                if let ("lib", Some(of)) = (name.as_str(), folder.strip_prefix("crates/")) {
                    name = format!("{}/lib", of.trim_end_matches("/src"));
                }
                let source = Source::parse(&folder, &name, &read(&place.join(&path)));
                assert!(sources.insert(name.clone(), source).is_none(), "two crates have a file {name}");
            }
        }
        let tests: Vec<String> = sources.values().flat_map(|source| source.test_modules.clone()).collect();
        // Modules declared in `lib` are next to it.
        let tests: Vec<&str> = tests.iter().map(|name| name.rsplit("lib/").next().unwrap_or(name)).collect();
        sources.retain(|name, _| !tests.iter().any(|place| is_in(name, place)));
        assert!(sources.len() > 50, "only {} files were found", sources.len());
        sources
    });
    &SOURCES
}

/// True if a file is that place, or is below it.
pub fn is_in(name: &str, place: &str) -> bool {
    name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The project's own folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder, as paths below it.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap_or_else(|error| panic!("{}: {error}", at.display())) {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().ends_with(".transcope.yaml") {
                // A user's notes on a sample are not part of the project.
                found.push(path.strip_prefix(folder).expect("below it").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The text of a file of the project.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
