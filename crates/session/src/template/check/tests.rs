//! Tests of the problems of templates: place, probe and runtimes. The pages of the codes show each problem once more.

use super::super::probes::TemplateProbe;
use super::*;

const CALLS: &str = "{% for c in m.tool_calls or [] %}<c>{{ c.function | tojson }}</c>{% endfor %}";

/// The problems of a template that are no hints: severity, code, line, probe and runtimes.
fn problems(source: &str) -> Vec<String> {
    let set = TemplateSet { templates: vec![ChatTemplate::new("default", "t", source)], ..TemplateSet::default() };
    let probes = TemplateProbe::all().iter().map(ProbedConversation::from).collect();
    let findings = check_set(&set, probes, &RenderOptions::default());
    let is_shown = |problem: &&TemplateProblem| problem.diagnostic.severity > Severity::Hint;
    let text = |problem: &TemplateProblem| {
        let TemplateProblem { diagnostic, probe, runtimes } = problem;
        let line = 1 + findings.source[..diagnostic.span.start].matches('\n').count();
        let names: Vec<&str> = runtimes.iter().map(|runtime| runtime.name()).collect();
        let probe = probe.as_deref().unwrap_or("-");
        format!("{} {} {line} {probe} {}", diagnostic.severity.word(), diagnostic.code.name(), names.join("+"))
    };
    findings.problems.iter().filter(is_shown).map(text).collect()
}

#[test]
fn a_problem_has_its_line_its_probe_and_its_runtimes() {
    let all = "transformers+vllm+llama.cpp";
    let template = |body: &str| {
        format!("{{{{ tools | tojson }}}}\n{{% for m in messages %}}<{{{{ m.role }}}}>\n{body}\n{{% endfor %}}")
    };
    let rows = [
        // A text in place of null is what the two runtimes make of it.
        (
            template(&format!("{{{{ m.content }}}}\n{CALLS}")),
            vec![
                "warning content-none-printed 3 content_none transformers".to_owned(),
                "warning arguments-escaped-twice 4 args_string transformers".to_owned(),
            ],
        ),
        (
            template("{% if not m.tool_calls %}{{ m.content or '' }}{% endif %}"),
            vec![format!("error call-lost-in-history 2 single {all}")],
        ),
        (
            template("{% set l = [] %}{{ l.append(1) or '' }}"),
            vec!["warning needs-mutable-list 3 prompt transformers+vllm".to_owned()],
        ),
        // Texts are refused, lists of parts are not, and two runtimes make lists of texts.
        (
            template(
                "{% for part in m.content or [] %}{{ part.text }}{% endfor %}{% for c in m.tool_calls or [] %}<c>{{ \
                 c.function.name }} {% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ \
                 c.function.arguments | tojson }}{% endif %}</c>{% endfor %}",
            ),
            vec![
                "warning message-lost 1 multi_turn transformers".to_owned(),
                "warning result-lost 3 tool_result transformers".to_owned(),
                "warning text-beside-call-lost 3 content_call transformers".to_owned(),
            ],
        ),
    ];
    for (source, expected) in rows {
        assert_eq!(problems(&source), expected, "{source}");
    }
}

#[test]
fn the_template_of_the_conversation_is_checked_and_lines_are_counted_alike() {
    let templates = [("default", "{{ messages | tojson }}"), ("tool_use", "{{ raise_exception('tools') }}")];
    let templates = templates.map(|(name, source)| ChatTemplate::new(name, "t", source)).to_vec();
    let set = TemplateSet { templates, ..TemplateSet::default() };
    let of = |name: &str| vec![ProbedConversation::from(&TemplateProbe::named(name).expect("it exists"))];
    let has = |name: &str| check_set(&set, of(name), &RenderOptions::default()).has(Severity::Error);
    assert!(!has("no_tools_plain") && has("prompt"));
    for end in ["\n", "\r\n"] {
        let source = format!("a{end}b{end}{{% for %}}{end}");
        assert_eq!(problems(&source), ["error invalid-template 3 - transformers+vllm+llama.cpp"], "{end:?}");
    }
}

#[test]
fn a_template_that_does_not_end_is_reported_and_not_tried_again() {
    let rows = [
        ("{% for m in messages %}\n{{ m.content }", "error invalid-template 2"),
        (
            "x\n{% for i in range(90000) %}{% for j in range(90000) %}y{% endfor %}{% endfor %}",
            "error invalid-template 2",
        ),
        ("{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}", "error invalid-template"),
    ];
    for (source, expected) in rows {
        let found = problems(source);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{source}: {found:?}");
    }
}
