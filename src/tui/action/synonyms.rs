//! Words that people use for an action and that its help text lacks. The palette and the help search them on every
//! screen that has the action; words of a single screen are in the table of actions.

/// Names of actions, each with space-separated words in lower case.
#[rustfmt::skip]
static SYNONYMS: &[(&str, &str)] = &[
    ("down", "next row line scroll"),
    ("up", "previous row line scroll"),
    ("half-page-down", "scroll"),
    ("half-page-up", "scroll"),
    ("page-down", "scroll forward"),
    ("page-up", "scroll back"),
    ("top", "start first home"),
    ("bottom", "last newest latest tail"),
    ("align-top", "scroll"),
    ("align-center", "scroll centre center"),
    ("align-bottom", "scroll"),
    ("jump-back", "return previous location history"),
    ("jump-forward", "next location history"),
    ("command", "goto line position offset percent byte number palette"),
    ("next-problem", "error warning note hint diagnostic failure fault bug wrong broken issue"),
    ("previous-problem", "error warning note hint diagnostic failure fault bug wrong broken issue"),
    ("next-error", "failure failed fault bug wrong broken"),
    ("previous-error", "failed fault bug wrong broken"),
    ("next-turn", "prompt user question message"),
    ("previous-turn", "prompt user question message"),
    ("next-compaction", "context cleared summary compact"),
    ("next-subagent", "agent task delegate child"),
    ("longest-wait", "slow slowest duration time latency long"),
    ("next-call", "tool function invocation"),
    ("previous-call", "tool function invocation"),
    ("go-to-call", "jump open show source"),
    ("result", "answer output response return reply partner"),
    ("search", "find grep look regex regular expression pattern"),
    ("search-selection", "same occurrences find again"),
    ("search-text", "grep find full content all"),
    ("next-match", "search find again"),
    ("previous-match", "search find again"),
    ("note", "comment annotate bookmark write remark"),
    ("remove-note", "delete comment annotation"),
    ("set-mark", "bookmark remember place"),
    ("go-to-mark", "bookmark return place"),
    ("filter", "only show select narrow failed tool where query"),
    ("filter-selection", "only same tool narrow"),
    ("hide-or-dim", "filter rest others grey gray"),
    ("next-tab", "file window switch buffer other"),
    ("previous-tab", "file window switch buffer other"),
    ("close-tab", "file window quit exit"),
    ("recorded-sessions", "open history claude codex gemini opencode agents browse logs find session"),
    ("back-to-list", "sessions return overview"),
    ("earlier-contents", "previous version before truncated history undo"),
    ("later-contents", "next version newer"),
    ("playground", "scratch edit change try write modify experiment test type"),
    ("insert-example", "sample template demo format call syntax dialect show"),
    ("declaration", "dialect format grammar define yaml"),
    ("new-dialect", "learn declare format grammar detect propose"),
    ("save", "write store file"),
    ("save-case", "fixture test regression example"),
    ("external-editor", "vim emacs vi nano visual open"),
    ("redo", "again repeat"),
    ("undo", "revert back take"),
    ("replay", "stream play simulate animate movie pause resume arriving"),
    ("step-forward", "replay next"),
    ("step-back", "replay previous rewind"),
    ("step-unit", "replay chunk character line size"),
    ("speed", "replay faster slower"),
    ("fold", "collapse close hide shrink"),
    ("unfold", "expand open show more"),
    ("toggle", "expand collapse open close enter whole full value"),
    ("fold-all", "collapse everything close"),
    ("unfold-all", "expand open everything"),
    ("next-pane", "focus window switch column"),
    ("previous-pane", "focus window switch column"),
    ("outline", "turn turns toc contents tree structure"),
    ("reading", "conversation main text middle"),
    ("raw", "source bytes original exact text"),
    ("problems", "errors warnings notes diagnostics list faults issues"),
    ("graph", "dependencies waits order parallel diagram"),
    ("details", "explain why info properties inspect reason help time duration"),
    ("events", "log history file stderr command restarted"),
    ("settings", "dialect dialects options schema tools configure preferences format marker"),
    ("costs", "token tokens price money size bytes count dialects"),
    ("statistics", "token tokens turn turns count summary numbers usage tools"),
    ("corpus-statistics", "token tokens usage summary tools models numbers count"),
    ("notes", "comments annotations bookmarks list"),
    ("next-bottom-tab", "switch pane"),
    ("zoom", "maximize fullscreen full enlarge big"),
    ("larger", "wider width resize grow bigger"),
    ("smaller", "narrower width resize shrink"),
    ("usual-sizes", "reset resize default layout"),
    ("taller", "height resize bigger"),
    ("wrap", "long lines break truncate"),
    ("timeline", "time duration gantt waterfall slow parallel when chart trace"),
    ("context", "window tokens usage cache prefix full filled"),
    ("files", "edits modified touched patch path"),
    ("session-prompt", "chat template model shown jinja render context"),
    ("raw-file", "json jsonl record original source model shown request prompt sent envelope log"),
    ("chunks", "stream boundaries delta events borders"),
    ("copy", "yank clipboard"),
    ("copy-block", "yank clipboard everything"),
    ("copy-value", "yank clipboard argument"),
    ("copy-parameters", "yank clipboard arguments args input"),
    ("copy-pointer", "yank clipboard path key"),
    ("copy-result", "yank clipboard output answer"),
    ("copy-quote", "yank clipboard markdown cite issue"),
    ("copy-place", "yank clipboard location link position"),
    ("copy-command", "yank clipboard link share cli shell"),
    ("copy-exact", "yank clipboard raw escape bytes"),
    ("copy-resume", "yank clipboard continue claude codex"),
    ("print", "stdout cat dump terminal output select"),
    ("sort-order", "sort by newest oldest size failures"),
    ("count-large", "big calls index read"),
    ("only-differences", "hide same unchanged changes"),
    ("mark-reading", "select choose compare"),
    ("request-tools", "schema function definitions json"),
    ("request-settings", "thinking tool_choice required parallel_tool_calls skip_special_tokens reasoning template option"),
    ("read-again", "refresh reload update"),
    ("follow-end", "tail live watch stick newest"),
    ("repair", "fix correct mend heal suggestion"),
    ("repair-all", "fix correct mend everything"),
    ("compare", "diff difference versus against changes"),
    ("ask-runtimes", "lens runtime vllm sglang llama.cpp transformers mlx harmony server parser parsers engine"),
    ("export", "redact share save redacted markdown html json report write file publish download anonymize secrets"),
    ("start-marker", "prefix sign gadget custom"),
    ("examples", "quotation code fence documentation"),
    ("branches", "abandoned rewound sidechain edited hidden"),
    ("help", "keys shortcuts bindings manual guide docs documentation legend symbols signs cheatsheet"),
    ("cancel", "escape stop abort leave close end"),
    ("commands", "palette actions search menu run"),
    ("themes", "look colour color colours colors dark light mode scheme appearance contrast"),
    ("mouse", "select selection copy click terminal"),
    ("redraw", "refresh repaint garbled clear"),
    ("suspend", "shell background pause job"),
    ("interrupt", "stop kill abort signal ctrl-c"),
    ("quit", "exit leave close end bye"),
];

/// The words that people use for the action with this name; empty if its own words are enough.
pub fn synonyms_of(name: &str) -> &'static str {
    SYNONYMS.iter().find(|(action, _)| *action == name).map_or("", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::action_lines;

    #[test]
    fn synonyms_belong_to_an_action_once_and_do_not_repeat_its_name() {
        let mut seen = Vec::new();
        for (name, words) in SYNONYMS {
            assert!(action_lines().any(|line| line.name == *name), "no action is called {name}");
            assert!(!seen.contains(name), "{name} has two lines");
            seen.push(name);
            for word in words.split(' ') {
                assert!(!word.is_empty() && word == word.to_lowercase(), "{name}: {word:?}");
                assert!(word != *name, "{name} is found by its name");
            }
        }
    }
}
