//! Finds the known name that a misspelt one was probably meant to be.
//!
//! Typing errors are swapped, additional or missing letters, another case, or another way to join words. Numbers are
//! never typing errors: `step_1` is not meant to be `step_2`.

/// Longest name that is compared, in bytes.
const LONGEST: usize = 64;

/// The known name that `word` is a misspelling of; `None` if several are equally near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let own = digits(word);
    let most = if word.chars().count() < 3 { 0 } else { 1 + usize::from(word.len() > 6) };
    let is_comparable = |name: &&str| *name != word && name.len() <= LONGEST && digits(name) == own;
    let compared = known.into_iter().filter(is_comparable).map(|name| (distance(word, name), name));
    let mut near: Vec<(usize, &str)> = compared.filter(|(distance, _)| *distance <= most).collect();
    near.sort_unstable();
    near.dedup();
    match near.as_slice() {
        [(_, only)] => Some(only),
        [(least, nearest), (next, _), ..] if least < next => Some(nearest),
        _ => None,
    }
}

/// Edit distance between two names; 0 if they differ only in case and separators.
fn distance(word: &str, name: &str) -> usize {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let (word, name) = (plain(word), plain(name));
    strsim::osa_distance(&word, &name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_known_for_what_it_was_meant_to_be() {
        let rows = [
            ("oen", &["one", "two"][..], Some("one")),
            ("fetch_user", &["fetch_users", "fetch_orders"], Some("fetch_users")),
            ("filePath", &["file_path", "text"], Some("file_path")),
            ("Gadget_1", &["gadget_1", "gadget_2"], Some("gadget_1")),
            ("gadget_3", &["gadget_1", "gadget_2"], None),
            ("bat", &["cat", "rat"], None),
            ("a", &["b"], None),
            ("ghost", &["one", "two"], None),
            ("one", &["one"], None),
            ("", &["one"], None),
        ];
        for (word, known, expected) in rows {
            assert_eq!(nearest(word, known.iter().copied()), expected, "{word}");
        }
    }
}
