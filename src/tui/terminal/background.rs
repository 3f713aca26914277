//! Detects a dark or light background: a query to the terminal, whose answer arrives among the keys.
//!
//! The program does not wait for the answer, since some terminals send none. The answer is `ESC ] 11 ;
//! rgb:RRRR/GGGG/BBBB`, ended by BEL or ESC \, and arrives as the keys that would type it.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Queries the background colour (OSC 11). It ends with BEL because some releases of urxvt answer ESC \ incompletely.
pub const QUESTION: &str = "\x1b]11;?\x07";

/// Maximum number of keys of an answer; more keys are not an answer.
const LONGEST: usize = 40;

/// The background of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Dark: bright text is readable on it.
    Dark,
    /// Light: dark text is readable on it.
    Light,
}

/// True if the terminal of this name understands the query, or at least ignores it.
pub fn can_be_asked(term: Option<&str>) -> bool {
    // screen forwards it to a terminal that may be detached, and Eterm prints it.
    term.is_some_and(|term| !matches!(term, "dumb" | "screen" | "Eterm") && !term.starts_with("screen."))
}

/// Separates the answer from other events.
#[derive(Debug, Default)]
pub struct Listener {
    /// Events that may be the beginning of the answer.
    held: Vec<Event>,
    words: String,
}

impl Listener {
    /// Handles an event. Returns events that are not part of the answer, and the answer once it is complete.
    pub fn take(&mut self, event: Event) -> (Vec<Event>, Option<Background>) {
        let Event::Key(key) = event else { return (vec![event], None) };
        let is_end = is(key, KeyModifiers::CONTROL, 'g') || is(key, KeyModifiers::ALT, '\\');
        self.held.push(event);
        if self.held.len() > 1 && is_end {
            let answer = parse(&self.words);
            let held = self.let_go();
            return if answer.is_some() { (Vec::new(), answer) } else { (held, None) };
        }
        match key.code {
            KeyCode::Char(']') if is(key, KeyModifiers::ALT, ']') && self.held.len() == 1 => {}
            KeyCode::Char(c) if self.held.len() > 1 && (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.words.push(c);
            }
            _ => return (self.let_go(), None),
        }
        let is_possible = "11;rgb".starts_with(&self.words) || self.words.starts_with("11;rgb");
        if is_possible && self.held.len() <= LONGEST { (Vec::new(), None) } else { (self.let_go(), None) }
    }

    fn let_go(&mut self) -> Vec<Event> {
        self.words.clear();
        std::mem::take(&mut self.held)
    }
}

fn is(key: KeyEvent, modifiers: KeyModifiers, c: char) -> bool {
    key.code == KeyCode::Char(c) && key.modifiers == modifiers
}

/// Parses an answer without its delimiters: `11;rgb:1e1e/1e1e/1e1e`, with one to four digits each, or `rgba`.
pub(super) fn parse(words: &str) -> Option<Background> {
    let (kind, colours) = words.strip_prefix("11;")?.split_once(':')?;
    let wanted = match kind {
        "rgb" => 3,
        "rgba" => 4,
        _ => return None,
    };
    let parts: Vec<f64> = colours.split('/').map(brightness).collect::<Option<_>>()?;
    let [red, green, blue, ..] = parts[..] else { return None };
    // A colour perceived as half as light as white has 18 % of its luminance.
    let light = 0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2);
    let background = if light > 0.18 { Background::Light } else { Background::Dark };
    (parts.len() == wanted).then_some(background)
}

/// A colour component from 0 to 1, given as one to four hexadecimal digits.
fn brightness(digits: &str) -> Option<f64> {
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    Some(f64::from(number) / f64::from(16_u32.pow(digits.len() as u32) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    /// The key events for bytes sent by a terminal.
    fn keys(bytes: &str) -> Vec<Event> {
        let mut keys = Vec::new();
        let mut chars = bytes.chars();
        while let Some(c) = chars.next() {
            keys.push(match c {
                '\x1b' => key(chars.next().expect("something follows"), KeyModifiers::ALT),
                '\x07' => key('g', KeyModifiers::CONTROL),
                c if c.is_uppercase() => key(c, KeyModifiers::SHIFT),
                c => key(c, KeyModifiers::NONE),
            });
        }
        keys
    }

    fn take(bytes: &str) -> (Vec<Event>, Option<Background>) {
        let mut listener = Listener::default();
        let mut all = (Vec::new(), None);
        for event in keys(bytes) {
            let (passed, answer) = listener.take(event);
            all.0.extend(passed);
            all.1 = all.1.or(answer);
        }
        all
    }

    #[test]
    fn an_answer_is_no_key() {
        use Background::{Dark, Light};
        for (bytes, expected) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", Light),
            ("\x1b]11;rgb:FFFF/FDFD/E7E7\x07", Light),
            ("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", Dark),
            ("\x1b]11;rgb:00/2b/36\x07", Dark),
            ("\x1b]11;rgba:fafa/fafa/fafa/8080\x07", Light),
            ("\x1b]11;rgb:8/8/8\x07", Light),
            ("\x1b]11;rgb:5/5/5\x07", Dark),
        ] {
            assert_eq!(take(bytes), (Vec::new(), Some(expected)), "{bytes:?}");
            let (passed, answer) = take(&format!("gG{bytes}j"));
            assert_eq!((passed, answer), (keys("gGj"), Some(expected)), "{bytes:?}");
        }
    }

    #[test]
    fn keys_that_are_no_answer_arrive_in_their_order() {
        for bytes in [
            "jk/foo\x1bx",
            "\x1b]x",
            "\x1b]11;rgb:x/y/z\x07",
            "\x1b]11;rgb:0/0\x07",
            "\x1b]11\x1b]11j",
            "\x1b]10;rgb:0/0/0\x07",
            "\x1b]11;rgb:00000/0/0\x07",
            "\x1b]11;rgb:0000000000000000000000000000000000000000000000",
        ] {
            assert_eq!(take(bytes), (keys(bytes), None), "{bytes:?}");
        }
    }

    #[test]
    fn some_terminals_are_not_asked() {
        for (term, expected) in
            [(Some("xterm-256color"), true), (Some("screen.xterm"), false), (Some("dumb"), false), (None, false)]
        {
            assert_eq!(can_be_asked(term), expected, "{term:?}");
        }
    }
}
