//! Enters and leaves the terminal, so that it is left as it was found however the process ends.
//!
//! There is one terminal, and four parties may want to leave it: the loop when it is done or lends it to an editor, the
//! panic hook, the thread that receives signals, and the user who suspends the program. All of them go through one mutex that knows where the
//! terminal stands, so leaving happens once, and nothing is written to it afterwards. A frame is rendered into memory
//! without the mutex and written under it, so a panic or a stuck computation while rendering holds nobody up.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, terminal};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};
use ratatui::{Frame, Terminal};
use rustix::process::Signal;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};
use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::source::command;
use crate::system::{signal, whole_file};

pub mod background;
mod guardian;
mod interruption;
pub mod keyboard;
mod panics;

use guardian::{Guardian, Whose};
use interruption::{end_point, locked_point, point};

/// The most bytes that [`TerminalScreen::copy`] takes: with base64 and its frame they make the 100,000 characters at
/// which terminals cut an OSC 52 sequence off.
pub const MAX_COPY_BYTES: usize = 74_994;

/// Has the terminal report buttons, the wheel, and motion while a button is held (1000, 1002), with columns beyond 223
/// (1006). crossterm would ask for every motion as well, which nobody here wants to know.
const CAPTURE_MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// Saves the window's title on the terminal's stack, and takes it from there, where the terminal has one (XTWINOPS).
const SAVE_TITLE: &str = "\x1b[22;2t";
const RESTORE_TITLE: &str = "\x1b[23;2t";

/// How long a terminal that takes no output may hold up the end of the process.
const RESTORE_TIMEOUT: Duration = Duration::from_millis(500);

/// What the loop is told from outside of it, on another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// A frame is due: the process was stopped and goes on, or the window has another size, which the thread that reads
    /// keys says only from when it has begun to listen.
    Frame,
    /// A thread other than the loop's panicked, with this message, which is safe to show. The screen is untouched.
    Panicked(String),
}

/// Who gets the mouse: the program or the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// Ours: it clicks and scrolls.
    Captured,
    /// The terminal's: it selects text.
    Left,
}

/// The terminal while the program has it: raw, on the alternate screen, with the mouse and bracketed paste.
///
/// Dropping it restores the terminal. So do a panic on the thread that entered, the signals of [`signal::ENDING`] (which
/// then end the process as they do by default), and TSTP (which then stops it; CONT enters again). Whatever else ends the
/// process leaves that to a guardian, which is there before the terminal is touched.
pub struct TerminalScreen {
    terminal: Cells,
    /// How often the screen had been entered when it was last empty or drawn.
    drawn_entry: u64,
    /// How the line discipline was when the terminal was lent.
    lent: Option<Termios>,
    /// Lets the guardian go when the screen is dropped.
    _guardian: Option<Guardian>,
}

impl TerminalScreen {
    /// Takes the terminal over, and from then on the signals and panics of the process; once in its life.
    ///
    /// `wake` is called on other threads. Errors: standard output is no terminal, or refuses.
    pub fn enter(mouse: Mouse, canvas: Canvas, wake: impl Fn(Wake) + Send + Sync + 'static) -> Result<TerminalScreen> {
        ensure!(io::stdout().is_terminal(), "standard output is not a terminal");
        ensure!(standing().place == Place::Outside, "the screen has been entered before");
        let wake: Arc<dyn Fn(Wake) + Send + Sync> = Arc::new(wake);
        point();
        receive_signals(Arc::clone(&wake))?;
        point();
        panics::restore_on_panic(wake);
        standing().mouse = mouse;
        // Whatever may end the process is prepared for before anything is changed.
        let (terminal, guardian) = canvas.finish();
        let terminal = terminal.context("could not set the terminal up")?;
        point();
        standing().go_inside().context("could not set the terminal up")?;
        point();
        let drawn_entry = standing().entry;
        Ok(TerminalScreen { terminal, drawn_entry, lent: None, _guardian: guardian })
    }

    /// Draws a frame. Does nothing visible once the terminal is left.
    ///
    /// An error means that the terminal takes no output any more, as after a hangup: the loop is to end.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> Result<()> {
        let entry = standing().entry;
        if std::mem::replace(&mut self.drawn_entry, entry) != entry {
            self.repaint()?;
        }
        point();
        self.terminal.draw(render).context("could not draw")?;
        point();
        Ok(())
    }

    /// Makes the next frame paint the whole screen, whatever stands on it. `Terminal::clear` would ask the terminal where
    /// its cursor is, and the answer would have to be taken from under the thread that reads the keys.
    pub fn repaint(&mut self) -> Result<()> {
        let size = self.terminal.size().context("could not clear the screen")?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size))).context("could not clear the screen")
    }

    /// Gives the terminal back to the shell until the user continues the job, as ctrl-z does; [`Wake::Frame`] follows.
    ///
    /// Says false, and does nothing, when no shell with job control started the process: nobody would continue it.
    pub fn suspend(&mut self) -> Result<bool> {
        if !has_job_control() {
            return Ok(false);
        }
        // The whole job, or a shell would go on waiting for the command that writes into our pipe. Our own part of it
        // arrives at the thread for signals like a TSTP from anywhere else.
        rustix::process::kill_current_process_group(Signal::TSTP).context("could not suspend")?;
        Ok(true)
    }

    /// Gives the terminal to another program until it is taken back. What is drawn meanwhile is not seen, and the
    /// signals of the keyboard are for that program.
    pub fn lend(&mut self) {
        leave(Place::Lent);
        self.lent = tcgetattr(io::stdout()).ok();
    }

    /// Whether another program has the terminal.
    pub fn is_lent(&self) -> bool {
        standing().place == Place::Lent
    }

    /// Takes the terminal back from a program that has ended, however it has left it. The next draw paints everything.
    pub fn take_back(&mut self) -> Result<()> {
        if let Some(modes) = self.lent.take() {
            // A terminal that refuses this refuses what follows as well.
            let _ = tcsetattr(io::stdout(), OptionalActions::Now, &modes);
        }
        let mut standing = standing();
        if standing.place == Place::Lent {
            standing.go_inside().context("could not take the terminal back")?;
        }
        Ok(())
    }

    /// Leaves the mouse to the terminal, or takes it again; says whose it is now.
    pub fn flip_mouse(&mut self) -> Result<Mouse> {
        let mut standing = standing();
        standing.mouse = match standing.mouse {
            Mouse::Captured => Mouse::Left,
            Mouse::Left => Mouse::Captured,
        };
        let written = match (standing.place, standing.mouse) {
            (Place::Inside, Mouse::Captured) => execute!(io::stdout(), Print(CAPTURE_MOUSE)),
            (Place::Inside, Mouse::Left) => execute!(io::stdout(), DisableMouseCapture),
            _ => Ok(()),
        };
        written.context("could not write to the terminal").map(|()| standing.mouse)
    }

    /// Asks the terminal to put `bytes` on the clipboard (OSC 52). Many do, some ignore it, none answers.
    ///
    /// More than [`MAX_COPY_BYTES`] is an error rather than a cut copy.
    pub fn copy(&mut self, bytes: &[u8]) -> Result<()> {
        let len = bytes.len();
        ensure!(len <= MAX_COPY_BYTES, "{len} bytes are too many to copy: the limit is {MAX_COPY_BYTES}");
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(bytes)).context("could not copy")
    }

    /// Writes something that is not seen: a question, whose answer comes among the keys, the bell, a notification.
    pub fn write(&mut self, unseen: &str) -> Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(unseen.as_bytes()).and_then(|()| backend.flush()).context("could not write to the terminal")
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        point();
        leave(Place::Over);
        point();
    }
}

/// The cells of a screen, for this frame and the last.
type Cells = Terminal<CrosstermBackend<Gate>>;

/// The cells of the screen and the guardian of the terminal while they are made, on threads of their own: the cells take a
/// megabyte that the system finds page by page, and the guardian is a program, for which the first frame would wait.
pub struct Canvas {
    cells: io::Result<JoinHandle<io::Result<Cells>>>,
    guardian: io::Result<JoinHandle<Option<Guardian>>>,
}

impl Canvas {
    /// Begins to make them, for the size and the modes that the terminal has.
    pub fn begin() -> Self {
        let spawn_named = |name: &str| thread::Builder::new().name(name.to_owned());
        Self {
            guardian: spawn_named("guardian").spawn(Self::start_guardian),
            cells: spawn_named("canvas").spawn(Self::make),
        }
    }

    fn make() -> io::Result<Cells> {
        Terminal::new(CrosstermBackend::new(Gate::default()))
    }

    fn start_guardian() -> Option<Guardian> {
        let mut leaving = Vec::new();
        // Memory takes everything.
        let _ = write_leaving(&mut leaving);
        Guardian::start(&tcgetattr(io::stdout()).ok()?, &leaving)
    }

    /// Both, which are made here where there is no other thread for them.
    fn finish(self) -> (io::Result<Cells>, Option<Guardian>) {
        let guardian = self.guardian.map_or_else(|_| Self::start_guardian(), |thread| thread.join().ok().flatten());
        (self.cells.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(Self::make), guardian)
    }
}

/// Where the terminal stands; shared by everything that may leave it.
static STANDING: Mutex<Standing> = Mutex::new(Standing { place: Place::Outside, entry: 0, mouse: Mouse::Captured });

struct Standing {
    place: Place,
    /// How often the screen has been entered.
    entry: u64,
    mouse: Mouse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
    /// It is the shell's until the process is continued.
    Suspended,
    /// It is another program's until that has ended.
    Lent,
    /// It is given back for good: what is still drawn goes nowhere, since the process is about to end.
    Over,
    /// It refused to be entered, and the loop is to be told when it draws.
    Lost,
}

fn standing() -> MutexGuard<'static, Standing> {
    // A place is one value, so a thread that panicked with the mutex has left nothing half done.
    STANDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Standing {
    /// Also right when it is inside already: whoever stopped the process may have changed the terminal.
    fn go_inside(&mut self) -> io::Result<()> {
        // A signal has come: the process ends, and the terminal is the shell's already.
        if self.place == Place::Over {
            return Ok(());
        }
        self.place = Place::Inside;
        self.entry += 1;
        locked_point();
        guardian::tell(Whose::Inside);
        locked_point();
        // crossterm would take a raw mode that it knows of for one that still holds. It comes first, because in the
        // background it is what stops the process until it has the terminal again.
        terminal::disable_raw_mode()
            .and_then(|()| terminal::enable_raw_mode())
            .and_then(|()| {
                locked_point();
                // A terminal that has no other screen still shows what was there before.
                execute!(
                    io::stdout(),
                    EnterAlternateScreen,
                    // Where a terminal knows how, it tells ctrl-i from Tab, and Escape from what begins with it.
                    PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
                    terminal::Clear(terminal::ClearType::All),
                    Print(if self.mouse == Mouse::Captured { CAPTURE_MOUSE } else { "" }),
                    Print(SAVE_TITLE),
                    EnableBracketedPaste,
                    cursor::Hide
                )
            })
            .inspect(|()| locked_point())
            .inspect_err(|_| self.go_outside(Place::Lost))
    }

    fn go_outside(&mut self, place: Place) {
        if self.place == Place::Inside {
            // Errors have no one to be told to: the terminal is gone, or about to be the shell's.
            locked_point();
            let _ = write_leaving(&mut io::stdout());
            locked_point();
            let _ = terminal::disable_raw_mode();
            locked_point();
            guardian::tell(Whose::Outside);
            locked_point();
        }
        self.place = place;
    }
}

/// Writes what makes a terminal what it was before it was entered, but for the line discipline.
fn write_leaving(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        SetAttribute(Attribute::Reset),
        DisableBracketedPaste,
        DisableMouseCapture,
        PopKeyboardEnhancementFlags,
        Print(RESTORE_TITLE),
        LeaveAlternateScreen,
        cursor::Show
    )
}

/// The columns and rows of the terminal. One that knows no size of its own, as a serial line or that of a container, is
/// given the usual one.
///
/// # Errors
/// The terminal does not say how large it is.
pub fn size() -> Result<(u16, u16)> {
    if let Ok(mut size) = tcgetwinsize(io::stdout())
        && (size.ws_row == 0 || size.ws_col == 0)
    {
        (size.ws_row, size.ws_col) = (24, 80);
        // A terminal that takes none shows nothing until it has one.
        let _ = tcsetwinsize(io::stdout(), size);
    }
    terminal::size().context("could not get the size of the terminal")
}

/// Restores the terminal if it is ours. May be called any number of times, from any thread.
fn leave(place: Place) {
    standing().go_outside(place);
}

/// As [`leave`], but a terminal that takes no output cannot hold it up: then only the line discipline is restored.
fn leave_in_time(place: Place) {
    let (done, is_done) = mpsc::channel();
    let spawned = thread::Builder::new().name("restore".to_owned()).spawn(move || {
        leave(place);
        // The receiver may have given up.
        let _ = done.send(());
    });
    match spawned {
        // No thread for want of memory: this one may be held up.
        Err(_) => leave(place),
        Ok(_) if is_done.recv_timeout(RESTORE_TIMEOUT).is_err() => {
            let _ = terminal::disable_raw_mode();
            // It would be held up as well.
            guardian::tell(Whose::Outside);
        }
        Ok(_) => {}
    }
}

/// Collects what is written and passes it on when flushed, in one piece, while the terminal is ours.
#[derive(Default)]
struct Gate {
    pending: Vec<u8>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let standing = standing();
        let written = match standing.place {
            Place::Inside => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(&self.pending).and_then(|()| stdout.flush())
            }
            Place::Lost => Err(io::Error::other("the terminal is lost")),
            Place::Outside | Place::Suspended | Place::Lent | Place::Over => Ok(()),
        };
        self.pending.clear();
        written
    }
}

/// Starts the thread for signals. It lives as long as the process: once a signal is caught, nobody else acts on it.
fn receive_signals(wake: Arc<dyn Fn(Wake) + Send + Sync>) -> Result<()> {
    let others = [SIGTSTP, SIGCONT, SIGWINCH];
    let mut signals = Signals::new(signal::ENDING.iter().chain(&others)).context("could not watch for signals")?;
    signal::take();
    let act = move || {
        for number in signals.forever() {
            match number {
                SIGTSTP if has_job_control() => {
                    // No other thread takes the terminal over before the process is continued.
                    let standing = standing();
                    let held = if standing.place == Place::Inside {
                        drop(standing);
                        leave_in_time(Place::Suspended);
                        None
                    } else {
                        Some(standing)
                    };
                    let _ = emulate_default_handler(SIGTSTP);
                    drop(held);
                }
                // By default a job that no shell watches over is not stopped either.
                SIGTSTP => {}
                // Whoever has the terminal is meant, and decides.
                SIGINT | SIGQUIT if standing().place == Place::Lent => {}
                SIGWINCH => wake(Wake::Frame),
                SIGCONT => {
                    let mut standing = standing();
                    if matches!(standing.place, Place::Inside | Place::Suspended) {
                        // A terminal that refuses is lost, which the draw that follows reports.
                        let _ = standing.go_inside();
                        drop(standing);
                        wake(Wake::Frame);
                    }
                }
                _ => {
                    // A command that was started ends with us.
                    if command::forward_signal(number) {
                        command::forward_signal(SIGTERM);
                    }
                    whole_file::remove_unfinished();
                    leave_in_time(Place::Over);
                    end_point();
                    signal::end_by(number);
                }
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(act).context("could not start a thread for signals")?;
    Ok(())
}

/// Whether a shell runs the process as a job, in a group of its own beside that of the session's leader.
fn has_job_control() -> bool {
    rustix::process::getsid(None).is_ok_and(|session| session != rustix::process::getpgrp())
}

#[cfg(test)]
mod tests;
