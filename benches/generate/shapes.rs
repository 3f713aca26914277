//! Generates texts that are hard to read or that are not a transcript of a single syntax, of any size and the same in
//! every run. Independent of what is measured, and of how a reader takes a shape.

use std::fmt::Write as _;

use crate::generate::{CODE, Chance, FIRST, PROSE};

/// Lines that are almost markers.
const NEAR: [&str; 16] = [
    "!!!GADGET_STRAT:WriteFile:call_1\n",
    "!!GADGET_START:WriteFile:call_1\n",
    "!!! three marks and no marker\n",
    "!!!ARG:content outside of a call\n",
    "!!!GADGET_END of nothing\n",
    "^^ write_file\n",
    "^^^^ four of them\n",
    "> [!tol find_notes notes_1]\n",
    "> [!note] a callout, and no call\n",
    "``tool find_notes\n",
    "<tol:read_files>\n",
    "<invok name=\"find_picture\">\n",
    "<functio=resize>\n",
    "<tool_cal>\n",
    "{\"nam\": \"publish\", \"argument\": {}}\n",
    "{ not even JSON }\n",
];

/// Text that may occur in a line of prose without starting a call; every second one is a marker of its dialect.
const MARKS: [&str; 10] = [
    "!!!ARG:content ",
    "!!!GADG ",
    "!!!GADGET_END ",
    "^^^write_file ",
    "> [!tool find_notes notes_1] ",
    "```tool find_notes ",
    "<tol:read_files> ",
    "</invoke> ",
    "<function ",
    "{\"type\": \"tool_use ",
];

/// A call in each syntax; `#` is its number.
const CALLS: [&str; 9] = [
    "!!!GADGET_START:WriteFile:call_#\n!!!ARG:filePath\nsrc/invoices.ts\n!!!ARG:options/mode\n0644\n!!!GADGET_END\n",
    "^^^write_file\npath: src/invoices.ts\ncontent ---\nexport const VAT = 0.19;\n--- content\n^^^\n",
    "> [!tool find_notes notes_#]\n> state: output-available\n> input:\n>   about: beans\n>   newest: 3\n> output: none\n",
    "```tool find_notes plain_#\nstate: output-available\ninput:\n  about: peas\n  newest: 1\noutput: none\n```\n",
    "<tool:read_files>\n<param:project>billing</param:project>\n<param:path>src/invoices.ts</param:path>\n</tool:read_files>\n",
    "<function_calls>\n<invoke name=\"find_picture\">\n<parameter name=\"of\">an invoice</parameter>\n</invoke>\n\
     </function_calls>\n",
    "<tool_call>\n<function=resize>\n<parameter=width>\n640\n</parameter>\n</function>\n</tool_call>\n",
    "<tool_call>\n{\"name\": \"add_picture\", \"arguments\": {\"page\": \"invoices.html\", \"width\": 640}}\n</tool_call>\n",
    "{\"type\": \"tool_use\", \"id\": \"toolu_#\", \"name\": \"publish\", \"input\": {\"site\": \"billing\", \"quiet\": true}}\n",
];

/// Lines that are almost markers, with a line of prose now and then.
pub fn nearmiss(length: usize) -> Vec<u8> {
    filled(length, |out, chance| {
        for _ in 0..4 {
            out.push_str(chance.one_of(&NEAR));
        }
        out.push_str("and a line of prose\n");
    })
}

/// Blocks of 55 bytes and nothing else.
pub fn tiny(length: usize) -> Vec<u8> {
    let mut number = 0;
    filled(length, |out, _| {
        number += 1;
        write(out, format_args!("!!!GADGET_START:A:t{number}\n!!!ARG:n\n1\n!!!GADGET_END\n"));
    })
}

/// One call with as many arguments as fit, each with a distinct name.
pub fn manyargs(length: usize) -> Vec<u8> {
    let mut number = 0;
    let mut text = filled(length, |out, _| {
        if number == 0 {
            out.push_str("!!!GADGET_START:WriteFile:call_1\n");
        }
        number += 1;
        write(out, format_args!("!!!ARG:field_{number}\nits value\n"));
    });
    text.extend_from_slice(b"!!!GADGET_END\n");
    text
}

/// A call that does not end.
pub fn neverends(length: usize) -> Vec<u8> {
    let mut begun = false;
    filled(length, |out, chance| {
        if !std::mem::replace(&mut begun, true) {
            out.push_str("!!!GADGET_START:WriteFile:call_1\n!!!ARG:content\n");
        }
        out.push_str(chance.one_of(&CODE));
    })
}

/// Prose on one line.
pub fn longline(length: usize) -> Vec<u8> {
    filled(length, |out, chance| out.push_str(&chance.one_of(&PROSE).replace('\n', " ")))
}

/// One line full of text that would be a marker at the start of a line; after its middle, a start marker whose header
/// does not end.
pub fn longline_marks(length: usize) -> Vec<u8> {
    filled(length, |out, chance| {
        out.push_str(chance.one_of(&MARKS));
        if out.len() > length / 2 {
            out.push_str("!!!GADGET_START:WriteFile ");
        }
    })
}

/// Prose only.
pub fn nomarks(length: usize) -> Vec<u8> {
    filled(length, |out, chance| {
        out.push_str(chance.one_of(&PROSE));
        out.push('\n');
    })
}

/// Prose, and calls in all syntaxes in turn.
pub fn mixed(length: usize) -> Vec<u8> {
    let mut number = 0;
    filled(length, |out, chance| {
        for _ in 0..=chance.below(3) {
            out.push_str(chance.one_of(&PROSE));
        }
        number += 1;
        let call = CALLS[number % CALLS.len()].replace('#', &number.to_string());
        write(out, format_args!("\n{call}\n"));
    })
}

/// A recorded session with one object a line; four fifths of it are texts that the model wrote.
pub fn jsonl(length: usize) -> Vec<u8> {
    let mut number = 0;
    filled(length, |out, chance| {
        number += 1;
        let mut words = String::new();
        while words.len() < 1500 {
            words.push_str(chance.one_of(&PROSE));
            words.push_str(chance.one_of(&CODE));
        }
        let words = words.replace('"', "\\\"").replace('\n', "\\n");
        let before = number - 1;
        write(
            out,
            format_args!(
                "{{\"parentUuid\":\"record-{before}\",\"isSidechain\":false,\"userType\":\"external\",\
                 \"cwd\":\"/project\",\"sessionId\":\"a-recorded-session\",\"version\":\"2.0.0\",\
                 \"type\":\"assistant\",\"message\":{{\"id\":\"msg_{number}\",\"type\":\"message\",\
                 \"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{words}\"}}"
            ),
        );
        if chance.below(2) == 0 {
            write(
                out,
                format_args!(
                    ",{{\"type\":\"tool_use\",\"id\":\"toolu_{number}\",\"name\":\"Read\",\
                     \"input\":{{\"file_path\":\"/project/src/invoices.ts\",\"limit\":200}}}}"
                ),
            );
        }
        out.push_str("],\"usage\":{\"input_tokens\":4,\"output_tokens\":420}},\"uuid\":\"record-");
        write(out, format_args!("{number}\",\"timestamp\":\"2026-01-01T10:00:00.000Z\"}}\n"));
    })
}

/// As [`jsonl`], with a prompt, which is its title in a list.
pub fn session(length: usize) -> Vec<u8> {
    let mut out = format!(
        "{{\"parentUuid\":null,\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/project\",\
         \"sessionId\":\"a-recorded-session\",\"version\":\"2.0.0\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\
         \"content\":\"{FIRST}\"}},\"uuid\":\"record-0\",\"timestamp\":\"2026-01-01T10:00:00.000Z\"}}\n"
    )
    .into_bytes();
    out.extend(jsonl(length.saturating_sub(out.len())));
    out
}

/// At least `length` bytes of what `turn` adds.
fn filled(length: usize, mut turn: impl FnMut(&mut String, &mut Chance)) -> Vec<u8> {
    let mut out = String::with_capacity(length + 8192);
    let mut chance = Chance::default();
    while out.len() < length {
        turn(&mut out, &mut chance);
    }
    out.into_bytes()
}

fn write(out: &mut String, words: std::fmt::Arguments<'_>) {
    out.write_fmt(words).expect("memory takes everything");
}
