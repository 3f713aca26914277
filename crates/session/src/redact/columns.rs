//! Values in columns of tables whose headers name a secret: Markdown, CSV, the output of `psql` and `mysql`, aligned
//! columns, and rows of SQL.

use std::ops::Range;

use super::line_prefix;
use super::value::{Strength, ValueContext, is_secret};
use crate::text::steps;

/// Most bytes of a header, of a row, and of the rows of a table.
const LONGEST_HEADER: usize = 1024;
const LONGEST_ROW: usize = 8 * 1024;
const LONGEST: usize = 256 * 1024;

/// Most bytes of a cell of a header.
const LONGEST_NAME: usize = 40;

/// Separators of cells; rows of SQL and lists have commas, too.
const SEPARATORS: [&str; 5] = ["|", "│", "\t", ",", ";"];

/// Characters around the text of a cell.
const AROUND: &[char] = &[' ', '"', '\'', '`', '*', '\r', '[', ']', '(', ')', '}'];

/// The kind and the strength of the values in a column with a name; `None` unless the name promises secrets.
type ColumnStrength = fn(&str) -> Option<(&'static str, Strength)>;

/// Calls `found` with the kind and range of each secret in the rows below a header that has a name at `name`.
pub(super) fn find(
    text: &str,
    name: &Range<usize>,
    column_strength: ColumnStrength,
    found: &mut dyn FnMut(&'static str, Range<usize>),
) {
    let from = text.floor_char_boundary(name.start.saturating_sub(LONGEST_HEADER));
    let start = text[from..name.start].rfind('\n').map_or(from, |at| from + at + 1);
    let window = &text[name.end..text.floor_char_boundary(name.end + LONGEST_HEADER)];
    let Some(len) = window.find('\n') else { return };
    let header = &text[start..name.end + len];
    let before = header[..name.start - start].trim_end_matches(AROUND);
    let after = window[..len].trim_start_matches(AROUND);
    let touches = |separator: &&&str| before.ends_with(**separator) || after.starts_with(**separator);
    let rows = &text[name.end + len + 1..text.floor_char_boundary(name.end + len + 1 + LONGEST)];
    let begin = name.end + len + 1;
    if let Some(separator) = SEPARATORS.iter().find(touches) {
        separated(header, separator, name.start - start, begin, rows, column_strength, found);
    } else if !text[name.clone()].contains(|c: char| c.is_ascii_lowercase()) {
        aligned(header, name.start - start, begin, rows, column_strength, found);
    }
}

/// Cells of a row: their ranges, without what is around their text.
fn cells(row: &str, separator: &str) -> Vec<Range<usize>> {
    let (mut cells, mut start, mut quote) = (Vec::new(), 0, None);
    let mut end_cell = |range: Range<usize>| {
        // The last row of an INSERT ends with a semicolon.
        let cell = row[range.clone()].trim_end_matches(';').trim_end_matches(AROUND);
        let inner = cell.trim_start_matches(AROUND);
        let start = range.start + cell.len() - inner.len();
        cells.push(start..start + inner.len());
    };
    let is_quoting = matches!(separator, "," | ";");
    for (at, c) in row.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if is_quoting
                && matches!(c, '"' | '\'')
                && row[start..at].trim_start_matches(['[', '(', ' ']).is_empty() =>
            {
                quote = Some(c);
            }
            None if row[at..].starts_with(separator) => {
                end_cell(start..at);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    end_cell(start..row.len());
    cells
}

/// Reports the values in a table whose cells have a separator. The first name of a secret in the header reports the
/// values of all columns.
fn separated(
    header: &str,
    separator: &str,
    name: usize,
    mut at: usize,
    rows: &str,
    column_strength: ColumnStrength,
    found: &mut dyn FnMut(&'static str, Range<usize>),
) {
    // `INSERT INTO users (name, password) VALUES`, and `COPY users (name, password) FROM stdin;`
    let list = header[..name].rfind('(').map_or(0, |at| at + 1);
    // The lines may be a JSON string, or have prefixes, which are in the first cell.
    let lead = header[..name].rfind("\":").map_or(0, |at| at + 2);
    let list = list.max(lead)..header[name..].find(')').filter(|_| list > 0).map_or(header.len(), |at| name + at);
    let copies = header[list.end..].contains("stdin");
    let places = cells(&header[list.clone()], separator);
    let names: Vec<&str> = places.iter().map(|cell| &header[list.clone()][cell.clone()]).collect();
    let others = names.iter().skip(1);
    if others.clone().all(|name| name.is_empty()) || !others.clone().all(is_header_cell) {
        return;
    }
    let secrets: Vec<(usize, &'static str, Strength)> = names
        .iter()
        .enumerate()
        .filter_map(|(column, name)| column_strength(name).map(|(kind, strength)| (column, kind, strength)))
        .collect();
    let is_first = |(column, ..): &(usize, &'static str, Strength)| places[*column].contains(&(name - list.start));
    if !secrets.first().is_some_and(is_first) {
        return;
    }
    let separator = if copies { "\t" } else { separator };
    // A row of a list ends with a comma, except the last one.
    let columns = names.len() - usize::from(names.last().is_some_and(|name| name.is_empty()));
    for row in rows.split_inclusive('\n') {
        steps::add(row.len());
        let start = at;
        at += row.len();
        let row = row.trim_end_matches(['\n', '\r']);
        if row.len() > LONGEST_ROW {
            return;
        }
        if is_border(row) {
            continue;
        }
        let values = cells(row, separator);
        let is_empty = |cell: &Range<usize>| !row[cell.clone()].contains(char::is_alphanumeric);
        let is_row = values.len() == columns || (values.len() == columns + 1 && is_empty(&values[columns]));
        // A header of another table.
        if !is_row || secrets.iter().any(|(column, ..)| column_strength(&row[values[*column].clone()]).is_some()) {
            return;
        }
        for (column, kind, strength) in &secrets {
            let cell = &values[*column];
            let value = &row[cell.clone()];
            if !value.contains(char::is_whitespace) && is_secret(value, *strength, ValueContext::Bare) {
                found(kind, start + cell.start..start + cell.end);
            }
        }
    }
}

/// True for a cell that may be the name of a column.
fn is_header_cell(name: &&str) -> bool {
    name.len() <= LONGEST_NAME && !name.contains(['=', ':', '{', '<', '\\'])
}

/// True for a line of dashes between rows, which may have a prefix.
fn is_border(row: &str) -> bool {
    row.trim_end_matches(|c: char| "-+|=:─━┼├┤│ ".contains(c)).len() + 5 <= row.len()
}

/// Reports the values in a column that begins where its header in capitals does.
fn aligned(
    header: &str,
    name: usize,
    mut at: usize,
    rows: &str,
    column_strength: ColumnStrength,
    found: &mut dyn FnMut(&'static str, Range<usize>),
) {
    let lead = header[..name].rfind(['"', '\'', '`', '=', ':', '\t', '+']).map_or(0, |at| at + 1);
    let column = header[lead..name].rfind("  ").map_or(0, |at| at + 2);
    let table = &header[lead..];
    let words = table[column..].split("  ").next().unwrap_or_default();
    let is_table = table.trim().contains("  ") && table.is_ascii() && !table.contains(|c: char| c.is_ascii_lowercase());
    let Some((kind, strength)) = column_strength(words.trim()).filter(|_| is_table) else { return };
    for row in rows.split_inclusive('\n') {
        steps::add(row.len());
        let start = at;
        at += row.len();
        let row = row.trim_end_matches(['\n', '\r']);
        let column = column + line_prefix::len(row, line_prefix::of(&header[..lead])).unwrap_or(0);
        let is_row = row.len() > column && row.len() <= LONGEST_ROW && row.is_char_boundary(column);
        if !is_row || !(row[..column].ends_with([' ', '\t', ':', '+']) || column == 0) || row[column..].starts_with(' ')
        {
            return;
        }
        let value = row[column..].split([' ', '"']).next().unwrap_or_default();
        if column_strength(value).is_some() {
            return;
        }
        if is_secret(value, strength, ValueContext::Bare) {
            found(kind, start + column..start + column + value.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_strength(name: &str) -> Option<(&'static str, Strength)> {
        match name.trim_matches('"').to_lowercase().as_str() {
            "password" => Some(("password", Strength::Password)),
            "token" => Some(("token", Strength::Token)),
            _ => None,
        }
    }

    #[test]
    fn values_below_the_name_of_a_secret_are_found() {
        for (text, expected) in [
            (
                "| user | password |\n|---|---|\n| bob | tr0ub4dor |\n| eve | hunter22 |\n\nx | y\n",
                "tr0ub4dor hunter22",
            ),
            (" id | password\n----+-------\n  1 | tr0ub4dor\n(1 row)\n", "tr0ub4dor"),
            ("name,password,token\n\"a, b\",tr0ub4dor,a1B2c3D4e5F6\nc,x,y\n", "tr0ub4dor a1B2c3D4e5F6"),
            ("name\tpassword\nbob\ttr0ub4dor\n", "tr0ub4dor"),
            ("NAME   PASSWORD   AGE\nbob    tr0ub4dor  1d\n", "tr0ub4dor"),
            (
                "INSERT INTO u (name, password) VALUES\n('bob', 'tr0ub4dor'),\n('eve', 'hunter22');\n",
                "tr0ub4dor hunter22",
            ),
            ("COPY u (name, password) FROM stdin;\nbob\ttr0ub4dor\n\\.\n", "tr0ub4dor"),
            ("[\"user\", \"password\"],\n[\"bob\", \"tr0ub4dor\"]\n", "tr0ub4dor"),
            ("a name, a password, and more\nof it\n", ""),
            ("| name | password |\n|---|---|\n| x | required |\n", ""),
            ("a,password\nb,password\nc,tr0ub4dor\n", ""),
        ] {
            let name = text.to_lowercase().find("password").expect("a name");
            let mut all = Vec::new();
            find(text, &(name..name + "password".len()), column_strength, &mut |_, range| all.push(&text[range]));
            assert_eq!(all.join(" "), expected, "{text}");
        }
    }
}
