//! Conversion of calls: everything that is not reported as lost survives a round trip, for all samples and all
//! dialects; and the command lines of `transcope convert` and `transcope cost`.

use std::fs;
use std::path::{Path, PathBuf};

use transcope::compare::{CallFacts, Part, facts};
use transcope::convert::{Calls, ConversionLoss, LossKind};
use transcope::dialect::{DialectInfo, Options, REGISTRY, named};
use transcope::session::Session;

use super::run_in;

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut found = Vec::new();
    for about in REGISTRY.iter().copied() {
        let entries = fs::read_dir(folder.join(about.name)).expect("every dialect has samples");
        found.extend(entries.map(|entry| entry.expect("it can be read").path()));
    }
    found.sort();
    found
}

fn calls(session: &Session) -> Vec<CallFacts> {
    session.document().calls().filter_map(|item| facts(session, item)).collect()
}

fn read(text: &[u8], dialect: &'static DialectInfo) -> Session {
    let only = vec![dialect];
    Session::read(text, &Options { only, ..Options::default() })
}

#[test]
fn unreported_parts_survive_a_round_trip() {
    let mut compared = 0;
    for path in samples() {
        let session = Session::from_bytes(&fs::read(&path).expect("it can be read"));
        let sent = calls(&session);
        for about in REGISTRY.iter().copied() {
            let converted = Calls::in_their_text(&session).convert(about, &Options::default());
            if converted.losses.iter().any(|loss| matches!(loss.what, LossKind::Call | LossKind::Extra)) {
                continue;
            }
            let again = calls(&read(&converted.text, about));
            assert_eq!(again.len(), sent.len(), "{} as {}", path.display(), about.name);
            for (number, (sent, again)) in sent.iter().zip(&again).enumerate() {
                if converted.losses.iter().all(|loss| loss.call != number) {
                    compared += 1;
                    assert_eq!((&again.name, &again.parameters), (&sent.name, &sent.parameters), "{}", path.display());
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} calls were compared");
}

#[test]
fn a_call_comes_back_from_every_dialect_and_to_it() {
    let text = "Hi.\n!!!GADGET_START:Send\n!!!ARG:to\nada\n!!!ARG:body\none\ntwo\n!!!GADGET_END\nBye.\n";
    for about in REGISTRY.iter().copied() {
        let there = Calls::in_their_text(&Session::from_bytes(text.as_bytes())).convert(about, &Options::default());
        assert_eq!(there.losses, [], "{}", about.name);
        let back = Calls::in_their_text(&read(&there.text, about))
            .convert(named("gadget").expect("a dialect"), &Options::default());
        // Parts of a call other than its parameters may have no equivalent in another dialect.
        let is_beside = |loss: &ConversionLoss| matches!(&loss.what, LossKind::Part(change) if matches!(change.part, Part::Outcome(_)));
        assert!(back.losses.iter().all(is_beside), "{}: {:?}", about.name, back.losses);
        let (first, last) = (calls(&Session::from_bytes(text.as_bytes())), calls(&Session::from_bytes(&back.text)));
        assert_eq!((&first[0].name, &first[0].parameters), (&last[0].name, &last[0].parameters), "{}", about.name);
    }
}

/// Runs the program on a text; exit code, standard output and standard error.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    run_in(folder.path(), arguments, &[], input.as_bytes()).parts()
}

const CALL: &str = "Hi.\n!!!GADGET_START:Send:s_1\n!!!ARG:times\n3\n!!!GADGET_END\nBye.\n";

#[test]
fn the_text_goes_to_the_output_and_what_is_lost_beside_it() {
    let xml = "Hi.\n<tool:Send>\n<param:times>3</param:times>\n</tool:Send>\nBye.\n";
    let lost =
        "line 2: Send: id \"s_1\" is lost: xml has no ids\nline 2: Send: parameter times 3 becomes \"3\" in xml\n";
    assert_eq!(run(&["convert", "--to", "xml"], CALL), (0, xml.to_owned(), lost.to_owned()));
    assert_eq!(run(&["convert", "--to", "gadget"], CALL), (0, CALL.to_owned(), String::new()));
    let (code, out, errors) = run(&["convert", "--to", "morse"], CALL);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(errors.starts_with("error: unknown dialect \"morse\"; transcope dialects lists them all"), "{errors}");
}

#[test]
fn the_cost_of_each_dialect_stands_in_one_table() {
    let (code, out, errors) = run(&["cost"], CALL);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(out.starts_with("1 call; names and values: 13 bytes, about 7 tokens\n"), "{out}");
    for about in REGISTRY.iter().copied() {
        assert!(out.lines().any(|line| line.starts_with(about.name)), "{}: {out}", about.name);
    }
    let (code, out, _) = run(&["cost", "--format", "json"], CALL);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((code, json["dialects"].as_array().map(Vec::len)), (0, Some(REGISTRY.len())));
    assert_eq!(json["dialects"][0]["relative"], 1);
}
