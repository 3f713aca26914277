//! Copying the selection: its bytes, the surrounding call, a value, parameters as JSON, a link to the position.

use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

use crate::document::Item;
use crate::export::markdown;
use crate::tui::action::CopyForm;
use crate::tui::layout::Slot;
use crate::tui::message::{Copied, Effect, Task};
use crate::tui::screen::transcript::Transcript;
use crate::tui::view::View;
use crate::value::tree_json::node_to_json;
use crate::value::{Assembly, NodeId, ROOT, Value};

/// Refusals to copy a part of a call, with the keys that select one.
const NO_CALL: &str = "no call is selected; c goes to the next one";
const NO_ARGUMENT: &str = "no argument is selected; c goes to a call, j to its arguments";

/// Copies the selection in a form, or shows why there is nothing to copy.
pub(super) fn copy(state: &mut Transcript, form: CopyForm) -> Option<Effect> {
    match copied(&state.view, form) {
        Ok(copied) => Some(Effect::Run(Task::Copy(copied))),
        Err(words) => state.chrome.refuse(words),
    }
}

/// Prints the selection on the terminal outside of the screen.
pub(super) fn print(state: &Transcript) -> Effect {
    Effect::Run(Task::Print(selected(&state.view).text))
}

fn copied(view: &View, form: CopyForm) -> Result<Copied, &'static str> {
    let (document, text, item) = (view.session.document(), view.session.text(), view.selection.item);
    match form {
        CopyForm::Selection => Ok(selected(view)),
        CopyForm::Block => {
            let (what, span) = match document.items().get(item) {
                Some(Item::Call(call)) => ("the call", call.span),
                Some(Item::Result(answer)) => ("the result", answer.span),
                Some(other) => ("the text", other.span()),
                None => return Err("nothing to copy: the text is empty"),
            };
            Ok(Copied::new(what, text.read(span)))
        }
        CopyForm::Value => {
            let (node, assembly) = argument(view).ok_or(NO_ARGUMENT)?;
            let tree = &assembly.tree;
            let copied = match &tree.node(node).value {
                Value::Scalar(..) => Copied::new("the value", tree.scalar_text(node, text).as_bytes()),
                _ => json(view, "the value", &assembly, node),
            };
            Ok(copied)
        }
        CopyForm::Parameters => {
            let call = match document.items().get(item) {
                Some(Item::Result(answer)) => answer.call.map(|(call, _)| call),
                _ => Some(item),
            };
            let assembly = call.and_then(|call| view.assembly(call)).ok_or(NO_CALL)?;
            let what = if assembly.error.is_some() { "the parameters that have arrived" } else { "parameters" };
            Ok(json(view, what, &assembly, ROOT))
        }
        CopyForm::Pointer => {
            let (node, assembly) = argument(view).ok_or(NO_ARGUMENT)?;
            Ok(Copied::new("the pointer", assembly.tree.path(node)))
        }
        CopyForm::Result => {
            let result = document.answer_of(item).unwrap_or(item);
            let Some(Item::Result(answer)) = document.items().get(result) else {
                return Err(if document.call(item).is_some() {
                    "the call has no result; c goes to the next one"
                } else {
                    NO_CALL
                });
            };
            Ok(Copied::new("the result", text.read(answer.span)))
        }
        CopyForm::Quote => {
            let problem = view.selection.problem.and_then(|number| view.problem(number));
            let quoted = text.read_str(view.selected_span());
            Ok(Copied::new("a quotation", markdown::quotation(&place(view), problem.as_ref(), &quoted)))
        }
        CopyForm::Place => Ok(Copied::new("the place", place(view))),
        CopyForm::Command => {
            let path = view.origin.path.as_deref().ok_or("not a file: no command can open this text")?;
            Ok(Copied::new(
                "the command",
                format!("transcope --at {} {}", line_and_column(view), argument_of_shell(path)),
            ))
        }
    }
}

/// The selected argument.
fn argument(view: &View) -> Option<(NodeId, Rc<Assembly>)> {
    view.selection.node.filter(|&node| node != ROOT).zip(view.assembly(view.selection.item))
}

/// A node as indented JSON.
fn json(view: &View, what: &str, assembly: &Assembly, node: NodeId) -> Copied {
    Copied::json(what, &node_to_json(&assembly.tree, node, view.session.text()))
}

/// The bytes of the selection; only the value if one is selected.
pub(super) fn selected(view: &View) -> Copied {
    let span = match view.selection.node.zip(view.assembly(view.selection.item)) {
        Some((node, assembly)) => match assembly.tree.node(node).value {
            Value::Scalar(_, span) => span,
            _ => view.selected_span(),
        },
        None => view.selected_span(),
    };
    // In the raw pane, the bytes of the file are copied if it shows the file.
    let in_file = view.layout.focus == Slot::Raw && view.in_file && view.session.is_decoded();
    let (text, span) =
        if in_file { (view.session.file(), view.session.source_of(span)) } else { (view.session.text(), span) };
    Copied::new("the selection", text.read(span))
}

/// Line and column of the selection in the file, as printed by `check`.
fn line_and_column(view: &View) -> String {
    let position = view.whole().position(view.base() + view.selection.offset);
    format!("{}:{}", position.line, position.column)
}

/// The name of the file, followed by line and column.
fn place(view: &View) -> String {
    let name = view.origin.path.as_deref().map_or_else(|| view.origin.name.as_str().into(), Path::to_string_lossy);
    format!("{name}:{}", line_and_column(view))
}

/// A path quoted for a shell.
fn argument_of_shell(path: &Path) -> String {
    let words = path.to_string_lossy();
    // A leading sign would make it an option.
    let words = if words.starts_with(['-', '+']) { format!("./{words}") } else { words.into_owned() };
    shlex::try_quote(&words).map_or_else(|_| words.clone(), Cow::into_owned)
}
