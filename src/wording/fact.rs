//! The names of the facts that a parser delivers.

use crate::lens::FactPlace;

/// What a fact is about, in a word or two.
pub fn label_of(place: &FactPlace) -> String {
    match place {
        FactPlace::Error => "error".to_owned(),
        FactPlace::Call(number) => format!("call {}", number + 1),
        FactPlace::Id(_) => "  id".to_owned(),
        FactPlace::Value(_, path) if path.is_empty() => "  arguments".to_owned(),
        FactPlace::Value(_, path) => format!("  {path}"),
        FactPlace::Content => "content".to_owned(),
        FactPlace::Reasoning => "reasoning".to_owned(),
    }
}
