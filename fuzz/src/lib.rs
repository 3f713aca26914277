//! Properties of arbitrary bytes, by target: a check fails by a panic.
//!
//! libFuzzer runs the checks on generated inputs (`cargo +nightly fuzz run TARGET`), and `cargo test --test replay` on
//! the seeds and on all inputs that once failed. This file has the names of the targets; it is independent of their
//! checks.

mod arguments;
mod chance;
mod container;
mod declaration;
mod files;
mod output;
mod runtime;
mod session;
mod settings;
mod tables;
#[path = "../../tests/shared/tiling.rs"]
mod tiling;

/// A check and its name.
type Named<C> = (&'static str, C);

/// A check on bytes.
type Check = fn(&[u8]);

/// The targets with their checks. Each is also in Cargo.toml.
pub const TARGETS: &[Named<Check>] = &[
    ("arguments", arguments::check),
    ("container", container::check),
    ("declaration", declaration::check),
    ("dialect", session::check_dialect),
    ("export", output::check_export),
    ("files", files::check),
    ("redact", output::check_redact),
    ("runtime", runtime::check),
    ("sanitize", output::check_sanitize),
    ("session", session::check),
    ("settings", settings::check),
    ("tables", tables::check),
];

/// Runs the check of the target with this name.
pub fn check(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, check) = target.expect("a target of Cargo.toml is one of TARGETS");
    check(bytes);
}

/// Chooses one of `count` things by the name on the first line of an input. Returns its index and the rest of the
/// input. Any other first line chooses one of them too, so that no generated input is wasted.
fn choose(bytes: &[u8], count: usize, name: impl Fn(usize) -> &'static str) -> (usize, &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, rest) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let named = (0..count).find(|&number| name(number).as_bytes() == line);
    (named.unwrap_or_else(|| chance::Chance::from_bytes(line).below(count)), rest)
}

/// The parts of an input before and after a line of `%%%`; the second one is empty without such a line.
fn in_two(bytes: &[u8]) -> (&[u8], &[u8]) {
    const BETWEEN: &[u8] = b"\n%%%\n";
    let found = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    found.map_or((bytes, &[]), |at| (&bytes[..at], &bytes[at + BETWEEN.len()..]))
}
