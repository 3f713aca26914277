//! Runs all rules over a text in one scan.
//!
//! Every rule has signs, which are substrings; it is tried only where one of them occurs.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::form::{Form, forms};
use super::pattern::OwnPatterns;
use super::privacy::{self, Private};
use super::published::{self, PublishedRule};
use super::surroundings::{self, SurroundingRule};
use super::token::TOKENS;
use super::{address, kubernetes, name, parts, pem, shape, web_key};
use crate::text::steps;

/// The kind of a finding. If several overlap, the smallest one names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A secret found by its format: the number of its rule, and its name.
    Known(usize, &'static str),
    /// A match of a user's pattern, by its number.
    Own(usize),
    /// A secret found by the name or the service before it.
    Named(&'static str),
    /// A token of an issuer that no list has, found by its shape.
    Shaped,
    /// A private detail.
    Private(Private),
}

enum Rule {
    Token(usize),
    Form(usize),
    Published(usize),
    Surroundings(usize),
    Parts,
    PrivateKey,
    WebKey,
    Kubernetes,
    Name,
    Privacy,
}

/// The built-in rules.
struct Rules {
    signs: AhoCorasick,
    /// The rule of each sign, by its pattern number in `signs`.
    of_signs: Vec<Rule>,
    forms: Vec<Form>,
    published: Vec<PublishedRule>,
    surroundings: Vec<SurroundingRule>,
}

/// Built once, for the first text that is searched.
static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let (forms, published, surroundings) = (forms(), published::rules(), surroundings::rules());
    let tokens =
        TOKENS.iter().enumerate().flat_map(|(at, token)| token.begins.iter().map(move |sign| (Rule::Token(at), sign)));
    let formed =
        forms.iter().enumerate().flat_map(|(at, form)| form.signs.iter().map(move |sign| (Rule::Form(at), sign)));
    let of_others = published
        .iter()
        .enumerate()
        .flat_map(|(at, rule)| rule.signs.iter().map(move |sign| (Rule::Published(at), sign)));
    let around = surroundings
        .iter()
        .enumerate()
        .flat_map(|(at, rule)| rule.signs.iter().map(move |sign| (Rule::Surroundings(at), sign)));
    let (of_signs, signs): (Vec<Rule>, Vec<&str>) = tokens
        .chain(formed)
        .chain(of_others)
        .chain(around)
        .chain(parts::SIGNS.iter().map(|sign| (Rule::Parts, sign)))
        .chain(pem::SIGNS.iter().map(|sign| (Rule::PrivateKey, sign)))
        .chain(web_key::SIGNS.iter().map(|sign| (Rule::WebKey, sign)))
        .chain(kubernetes::SIGNS.iter().map(|sign| (Rule::Kubernetes, sign)))
        .chain(name::SIGNS.iter().map(|sign| (Rule::Name, sign)))
        .chain(privacy::SIGNS.iter().map(|sign| (Rule::Privacy, sign)))
        .unzip();
    let signs = AhoCorasick::builder().ascii_case_insensitive(true).build(signs).expect("a test builds it");
    Rules { signs, of_signs, forms, published, surroundings }
});

/// The built-in rules together with the user's patterns.
pub(super) struct Matcher {
    pub(super) own: OwnPatterns,
}

impl Matcher {
    pub(super) fn new(own: OwnPatterns) -> Self {
        Self { own }
    }

    /// Calls `found` for every match, in no particular order; matches may overlap.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Kind, Range<usize>)) {
        // A match is not searched again with the same rule.
        let Rules { signs, of_signs, forms, published, surroundings } = &*RULES;
        let mut reached = vec![0; forms.len()];
        let mut reached_published = vec![0; published.len()];
        let mut reached_around = vec![0; surroundings.len()];
        let (mut reached_token, mut reached_key, mut reached_name) = (0, 0, 0);
        let (mut reached_web_key, mut reached_object) = (0, 0);
        for sign in signs.find_overlapping_iter(text) {
            steps::add(1);
            let place = sign.range();
            match of_signs[sign.pattern()] {
                // A sign in the middle of a token is part of that token.
                Rule::Token(at) => {
                    let is_within = place.start < reached_token && text.as_bytes()[..place.start].ends_with(b"-");
                    if let Some(range) = TOKENS[at].at(text, place).filter(|_| !is_within) {
                        reached_token = reached_token.max(range.end);
                        found(Kind::Known(at, TOKENS[at].kind), range);
                    }
                }
                Rule::Form(at) if place.start >= reached[at] => {
                    if let Some(range) = forms[at].at(text, place.start) {
                        reached[at] = range.end;
                        found(Kind::Known(TOKENS.len() + at, forms[at].kind), range);
                    }
                }
                Rule::Published(at) if place.start >= reached_published[at] => {
                    if let Some(secret) = published[at].at(text, &place) {
                        reached_published[at] = secret.range.end;
                        let (number, kind) = (TOKENS.len() + forms.len() + at, published[at].kind);
                        found(if secret.is_form { Kind::Known(number, kind) } else { Kind::Named(kind) }, secret.range);
                    }
                }
                Rule::Surroundings(at) if place.start >= reached_around[at] => {
                    if let Some(secret) = surroundings[at].at(text, &place) {
                        reached_around[at] = secret.end;
                        found(Kind::Named(surroundings[at].kind), secret);
                    }
                }
                Rule::Parts => {
                    if let Some((kind, range)) = parts::find(text, place.start) {
                        found(Kind::Known(0, kind), range);
                    }
                }
                Rule::PrivateKey if place.start >= reached_key => {
                    if let Some(range) = pem::find(text, &place) {
                        reached_key = range.end;
                        found(Kind::Known(0, "private-key"), range);
                    }
                }
                Rule::WebKey if place.start >= reached_web_key => {
                    reached_web_key =
                        web_key::find(text, &place, reached_web_key, &mut |range| found(Kind::Named("key"), range));
                }
                Rule::Kubernetes if place.start >= reached_object => {
                    let found = &mut |range| found(Kind::Named("secret"), range);
                    reached_object = kubernetes::find(text, &place, reached_object, found);
                }
                Rule::Name if place.start >= reached_name => {
                    let end = name::find(text, place, &mut |kind, range| found(Kind::Named(kind), range));
                    reached_name = end.unwrap_or(reached_name);
                }
                Rule::Form(_)
                | Rule::Published(_)
                | Rule::Surroundings(_)
                | Rule::PrivateKey
                | Rule::WebKey
                | Rule::Kubernetes
                | Rule::Name => {}
                Rule::Privacy => privacy::find(text, &place, &mut |what, range| found(Kind::Private(what), range)),
            }
        }
        address::find(text, &mut |what, range| found(Kind::Private(what), range));
        shape::find(text, &mut |range| found(Kind::Shaped, range));
        for (number, (_, pattern)) in self.own.patterns.iter().enumerate() {
            for place in pattern.find_iter(text).filter(|place| !place.is_empty()) {
                found(Kind::Own(number), place.range());
            }
        }
    }
}
