//! The composition of a corpus: agents and syntaxes with weights as in real use, and the samples that their sessions
//! are made of. Independent of how a session is made from samples.

/// Sessions of one kind.
pub struct Family {
    /// Its part of a file name.
    pub name: &'static str,
    /// Its number of sessions in 1,000.
    pub weight: u64,
    /// The format of its files.
    pub shape: Shape,
    /// How its sessions are made longer.
    pub fill: Fill,
    /// The extension of its files.
    pub extension: &'static str,
    /// Its samples. A session begins like the sample of its first round.
    pub samples: &'static [Part],
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A record on each line.
    Lines,
    /// Server-sent events with a record each.
    Events,
    /// One JSON value, with the records in the list at this pointer.
    List(&'static str),
    /// Text as a model writes it.
    Text,
}

/// Filler between calls, so that they are as far apart as in real sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Texts and results become longer.
    Texts,
    /// Pieces of streamed text become more.
    Deltas,
    /// Nothing, since filler would differ from what streams repeat at their ends.
    Nothing,
}

/// A sample as a part of sessions.
pub struct Part {
    /// Its path in the folder of samples.
    pub path: &'static str,
    /// Its weight among the samples.
    pub weight: u64,
    /// Number of records at its beginning that a session has only once.
    pub head: usize,
    /// Number of records at its end that are left out.
    pub omitted: usize,
}

const fn part(path: &'static str, weight: u64, head: usize, omitted: usize) -> Part {
    Part { path, weight, head, omitted }
}

const fn text(path: &'static str, weight: u64) -> Part {
    part(path, weight, 0, 0)
}

/// All families; their weights add up to 1,000.
pub const FAMILIES: [Family; 27] = [
    Family {
        name: "claude-code",
        weight: 340,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[
            part("containers/claude-code/late-ferry.jsonl", 4, 1, 0),
            part("containers/claude-code/what-tools-say.jsonl", 6, 0, 0),
            part("containers/claude-code/side-by-side.jsonl", 1, 1, 4),
        ],
    },
    Family {
        name: "rollout",
        weight: 140,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[
            part("containers/codex/lock-gates.jsonl", 3, 1, 2),
            part("containers/codex/two-agents.jsonl", 1, 1, 0),
        ],
    },
    Family {
        name: "chat",
        weight: 70,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/openai-chat/one-a-line.jsonl", 1, 1, 0)],
    },
    Family {
        name: "request",
        weight: 40,
        shape: Shape::List("/messages"),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/openai-chat/request.json", 1, 1, 0)],
    },
    Family {
        name: "completions",
        weight: 50,
        shape: Shape::Events,
        fill: Fill::Deltas,
        extension: "sse",
        samples: &[
            part("containers/openai-chat-stream/side-by-side.sse", 3, 0, 0),
            part("containers/openai-chat-stream/azure.sse", 1, 0, 0),
        ],
    },
    Family {
        name: "responses",
        weight: 20,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/openai-responses/items.jsonl", 1, 0, 0)],
    },
    Family {
        name: "responses-stream",
        weight: 10,
        shape: Shape::Events,
        fill: Fill::Nothing,
        extension: "sse",
        samples: &[part("containers/openai-responses-stream/buoys.sse", 1, 0, 0)],
    },
    Family {
        name: "messages",
        weight: 30,
        shape: Shape::List("/messages"),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/anthropic/request.json", 1, 0, 1)],
    },
    Family {
        name: "messages-stream",
        weight: 40,
        shape: Shape::Events,
        fill: Fill::Deltas,
        extension: "sse",
        samples: &[part("containers/anthropic-stream/pilot.sse", 1, 0, 0)],
    },
    Family {
        name: "gemini",
        weight: 20,
        shape: Shape::List("/contents"),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/gemini/request.json", 1, 0, 0)],
    },
    Family {
        name: "gemini-stream",
        weight: 10,
        shape: Shape::Events,
        fill: Fill::Deltas,
        extension: "sse",
        samples: &[part("containers/gemini-stream/bell-buoy.sse", 1, 0, 0)],
    },
    Family {
        name: "gemini-cli",
        weight: 30,
        shape: Shape::List("/messages"),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/gemini-cli/session.json", 1, 0, 0)],
    },
    Family {
        name: "opencode",
        weight: 30,
        shape: Shape::List("/messages"),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/opencode/tide-table.json", 1, 0, 1)],
    },
    Family {
        name: "cline",
        weight: 30,
        shape: Shape::List(""),
        fill: Fill::Texts,
        extension: "json",
        samples: &[part("containers/cline/ferry-clock.json", 1, 0, 0)],
    },
    Family {
        name: "openhands",
        weight: 15,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/openhands/free-berth.jsonl", 1, 1, 0)],
    },
    Family {
        name: "pi",
        weight: 15,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/pi/knots.jsonl", 1, 1, 0)],
    },
    Family {
        name: "goose",
        weight: 15,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/goose/lamp-log.jsonl", 1, 1, 0)],
    },
    Family {
        name: "ollama",
        weight: 10,
        shape: Shape::Lines,
        fill: Fill::Deltas,
        extension: "ndjson",
        samples: &[part("containers/ollama/ice.ndjson", 1, 0, 0)],
    },
    Family {
        name: "spans",
        weight: 5,
        shape: Shape::Lines,
        fill: Fill::Texts,
        extension: "jsonl",
        samples: &[part("containers/otel/seed-library.jsonl", 1, 0, 0)],
    },
    Family {
        name: "gadget",
        weight: 20,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "log",
        samples: &[
            text("gadget/code-review.md", 4),
            text("gadget/data-analysis.md", 4),
            text("gadget/incident-response.txt", 4),
            text("gadget/parallel-fetch.txt", 4),
            text("gadget/refactor-session.txt", 4),
            text("gadget/support-bot.txt", 4),
            text("gadget/array-mistakes.txt", 1),
            text("gadget/numbers-that-lose-text.txt", 1),
        ],
    },
    Family {
        name: "hermes",
        weight: 20,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "txt",
        samples: &[
            text("hermes/database-report.txt", 3),
            text("hermes/kitchen-timer.txt", 3),
            text("hermes/research.txt", 3),
            text("hermes/weather-and-packing.txt", 3),
            text("hermes/broken-strings.txt", 1),
        ],
    },
    Family {
        name: "xml",
        weight: 10,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "md",
        samples: &[
            text("xml/first-look-at-a-project.txt", 3),
            text("xml/rename-a-column.txt", 3),
            text("xml/write-a-component.md", 3),
            text("xml/almost-the-right-tags.md", 1),
        ],
    },
    Family {
        name: "invoke",
        weight: 10,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "txt",
        samples: &[
            text("invoke/flaky-test.txt", 3),
            text("invoke/orchard-inventory.txt", 3),
            text("invoke/typed-values.txt", 3),
            text("invoke/wrong-closing-tags.txt", 1),
        ],
    },
    Family {
        name: "callout",
        weight: 5,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "md",
        samples: &[text("callout/library-desk.md", 1), text("callout/deploy-log.md", 1)],
    },
    Family {
        name: "function",
        weight: 5,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "txt",
        samples: &[text("function/bug-hunt.txt", 1), text("function/trail-signs.txt", 1)],
    },
    Family {
        name: "tool-fence",
        weight: 5,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "md",
        samples: &[text("tool-fence/approval.md", 1), text("tool-fence/greenhouse-night.md", 1)],
    },
    Family {
        name: "aider",
        weight: 5,
        shape: Shape::Text,
        fill: Fill::Texts,
        extension: "md",
        samples: &[text("containers/aider/tide-clock.md", 1)],
    },
];
