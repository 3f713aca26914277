//! Generates transcripts of any size, the same in every run: prose, lists, tables, fences and calls as an agent writes
//! them, with nested pointers, code as values and dependencies; one call in 25 lacks its end marker. A gigabyte has
//! 860,000 calls with 3 million arguments, and tokens to search for at its beginning, in its middle and at its end.
//!
//! Independent of what is measured.

use std::fmt::{Arguments, Write as _};

/// The first line.
pub const FIRST: &str = "FIRST-SCREEN-TOKEN";
/// Begins a line in the middle.
const HALF: &str = "NEEDLE-AT-HALF";
/// Begins a line at the end.
pub const NEEDLE: &str = "NEEDLE-AT-END";
/// The end of that line: not on the screen when only the needle has been typed.
pub const BEHIND_NEEDLE: &str = "qzxjvk";
/// The last line.
pub const END: &str = "END-OF-TRANSCRIPT";

/// Paragraphs of prose.
pub const PROSE: [&str; 4] = [
    "The invoices of the spring are in the new service, and every amount is a whole number of cents now. Three of\n\
     them do not add up; they were written by hand, and the clerk who wrote them has retired to the seaside.\n",
    "I compared the two lists **twice**. They differ in `customers.id` alone, which the old program padded with\n\
     zeros. That is harmless: nobody ever sorted by it.\n",
    "Übermorgen kommt Frau Jäger zurück, dann fragen wir sie. 日本の請求書は別のフォルダーにあります。\n",
    "Next come the tests. They are slow, so I run only those that the change can reach, and the rest at night!\n",
];

/// Lists, tables and fences.
const BLOCKS: [&str; 3] = [
    "- switch the dry run off;\n- find out who owns the *three* invoices;\n- water the office plant.\n",
    "| item | count | price |\n|------|------:|------:|\n| lamp |     1 | 79.99 |\n| bulb |     4 |  3.50 |\n",
    "```text\nchecked  1284 invoices\nadds up  1281\n```\n",
];

/// A line of code, one of which is not ASCII.
pub const CODE: [&str; 6] = [
    "export function total(lines: Line[]): number {\n",
    "  return lines.reduce((sum, line) => sum + line.quantity * line.unitCents, 0);\n",
    "}\n",
    "\n",
    "  // Sums are in cents; 0.1 + 0.2 is a mistake that we made once — never again.\n",
    "  const retries = Math.min(5, options.retries ?? 3);\n",
];

const NAMES: [&str; 5] = ["WriteFile", "FetchData", "MergeData", "RunTests", "PostMessage"];

/// One in this many calls lacks its end marker.
const CLOSED: u64 = 25;

/// A transcript of at least `length` bytes, and little more.
pub fn transcript(length: usize) -> Vec<u8> {
    let mut writer = Writer { out: String::with_capacity(length + 8192), chance: Chance::default(), calls: 0 };
    writer.write(format_args!("{FIRST}\n\n"));
    writer.until(length / 2);
    writer.write(format_args!("{HALF}\n\n"));
    writer.until(length);
    writer.write(format_args!("{NEEDLE} and {BEHIND_NEEDLE}\n{END}\n"));
    writer.out.into_bytes()
}

/// A sequence of pseudo-random numbers that depends only on its seed.
pub struct Chance(pub u64);

impl Default for Chance {
    fn default() -> Self {
        Self(42)
    }
}

impl Chance {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// One of some texts.
    pub fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[usize::try_from(self.below(texts.len() as u64)).unwrap_or_default()]
    }
}

struct Writer {
    out: String,
    chance: Chance,
    calls: u64,
}

impl Writer {
    fn until(&mut self, length: usize) {
        while self.out.len() < length {
            self.turn();
        }
    }

    /// Some prose and a call.
    fn turn(&mut self) {
        for _ in 0..=self.chance.below(3) {
            let paragraph = self.chance.one_of(&PROSE);
            self.out.push_str(paragraph);
        }
        self.out.push('\n');
        if self.chance.below(3) == 0 {
            let block = self.chance.one_of(&BLOCKS);
            self.out.push_str(block);
            self.out.push('\n');
        }
        self.call();
    }

    fn call(&mut self) {
        self.calls += 1;
        let name = self.chance.one_of(&NAMES);
        let id = self.calls;
        self.write(format_args!("!!!GADGET_START:{name}:call_{id}"));
        if id > 3 && self.chance.below(2) == 0 {
            self.write(format_args!(":call_{},call_{}", id - 1, id - 3));
        }
        self.out.push('\n');
        self.argument("filePath", "src/billing/invoices.ts\n");
        let servers = if self.chance.below(3) == 0 { self.chance.below(4) } else { 0 };
        for server in 0..servers {
            self.argument(&format!("config/servers/{server}/host"), "invoices.example.com\n");
            self.argument(&format!("config/servers/{server}/retries"), "3\n");
            self.argument(&format!("config/servers/{server}/active"), "true\n");
        }
        let mut code = String::new();
        for _ in 0..self.chance.below(31) {
            code.push_str(self.chance.one_of(&CODE));
        }
        self.argument("content", &code);
        if self.chance.below(CLOSED) > 0 {
            self.out.push_str("!!!GADGET_END\n\n");
        }
    }

    fn argument(&mut self, pointer: &str, value: &str) {
        self.write(format_args!("!!!ARG:{pointer}\n{value}"));
    }

    fn write(&mut self, words: Arguments<'_>) {
        self.out.write_fmt(words).expect("memory takes everything");
    }
}

/// `full` bytes for a benchmark run, and few for a trial run, as in `cargo test`.
pub fn length(full: usize) -> usize {
    if std::env::args().any(|argument| argument == "--bench") { full } else { full.min(64 * 1024) }
}
