//! Enters and leaves the terminal, and restores its state however the process ends.
//!
//! Four parties may want to leave the terminal: the loop when it is done or lends it to an editor, the panic hook, the
//! thread that receives signals, and the user who suspends the program. All of them lock one mutex that holds the state
//! of the terminal, so it is left once, and nothing is written to it afterwards. A frame is rendered into memory
//! without the mutex and written under it, so a panic or a stuck computation while rendering blocks no one.

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
pub mod query;

use guardian::{Guardian, TerminalOwner};
use interruption::{end_point, locked_point, point};

/// Maximum number of bytes that [`TerminalScreen::copy`] takes: with base64 and the escape sequence around it they make
/// the 100,000 characters at which terminals cut an OSC 52 sequence off.
pub const MAX_COPY_BYTES: usize = 74_994;

/// Has the terminal report buttons, the wheel, and motion while a button is held (1000, 1002), with columns beyond 223
/// (1006). crossterm would enable reports of all motion as well, which this program does not need.
const CAPTURE_MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// Saves the window's title on the terminal's stack, if it has one (XTWINOPS). `RESTORE_TITLE` pops it.
const SAVE_TITLE: &str = "\x1b[22;2t";
const RESTORE_TITLE: &str = "\x1b[23;2t";

/// Maximum time that a terminal that accepts no output may delay the end of the process.
const RESTORE_TIMEOUT: Duration = Duration::from_millis(500);

/// An event for the loop from another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// A frame is due: the process was continued after a stop, or the window was resized. The thread that reads keys
    /// only notices a resize after it has started.
    Frame,
    /// A thread other than the loop's panicked, with this message, which is safe to show. The screen is untouched.
    Panicked(String),
}

/// The receiver of mouse events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// The program: the mouse clicks and scrolls.
    Captured,
    /// The terminal: the mouse selects text.
    Left,
}

/// The terminal while the program owns it: in raw mode, on the alternate screen, with mouse and bracketed paste.
///
/// Dropping it restores the terminal. So do a panic on the thread that entered, the signals of [`signal::ENDING`]
/// (which then end the process as they do by default), and TSTP (which then stops it; CONT enters again). For any other
/// end of the process a guardian restores the terminal; it is started before the terminal is changed.
pub struct TerminalScreen {
    terminal: Cells,
    /// The number of entries when the screen was last empty or drawn.
    drawn_entry: u64,
    /// The line discipline at the time the terminal was lent.
    lent: Option<Termios>,
    /// Stops the guardian when the screen is dropped.
    _guardian: Option<Guardian>,
}

impl TerminalScreen {
    /// Takes over the terminal, signals and panics of the process. May be called once.
    ///
    /// `wake` is called on other threads. Errors: standard output is not a terminal, or the terminal cannot be set up.
    pub fn enter(mouse: Mouse, canvas: Canvas, wake: impl Fn(Wake) + Send + Sync + 'static) -> Result<TerminalScreen> {
        ensure!(io::stdout().is_terminal(), "standard output is not a terminal");
        ensure!(lock_state().place == TerminalMode::Outside, "the screen has been entered before");
        let wake: Arc<dyn Fn(Wake) + Send + Sync> = Arc::new(wake);
        point();
        receive_signals(Arc::clone(&wake))?;
        point();
        panics::restore_on_panic(wake);
        lock_state().mouse = mouse;
        // Every possible end of the process is prepared for before anything is changed.
        let (terminal, guardian) = canvas.finish();
        let terminal = terminal.context("could not set the terminal up")?;
        point();
        lock_state().go_inside().context("could not set the terminal up")?;
        point();
        let drawn_entry = lock_state().entry;
        Ok(TerminalScreen { terminal, drawn_entry, lent: None, _guardian: guardian })
    }

    /// Draws a frame. Has no visible effect after the terminal was left.
    ///
    /// An error means that the terminal no longer accepts output, as after a hangup: the loop must end.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> Result<()> {
        let entry = lock_state().entry;
        if std::mem::replace(&mut self.drawn_entry, entry) != entry {
            self.repaint()?;
        }
        point();
        self.terminal.draw(render).context("could not draw")?;
        point();
        Ok(())
    }

    /// Makes the next frame draw the whole screen, whatever it shows. `Terminal::clear` would query the cursor
    /// position, and the answer would compete with the thread that reads the keys.
    pub fn repaint(&mut self) -> Result<()> {
        let size = self.terminal.size().context("could not clear the screen")?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size))).context("could not clear the screen")
    }

    /// Returns the terminal to the shell until the user continues the job, as ctrl-z does; [`Wake::Frame`] follows.
    ///
    /// Returns false, and does nothing, if the process was not started by a shell with job control, which could
    /// continue it.
    pub fn suspend(&mut self) -> Result<bool> {
        if !has_job_control() {
            return Ok(false);
        }
        // Stops the whole process group, or a shell would wait for the command that writes into our pipe. Our own
        // signal arrives at the thread for signals like a TSTP from anywhere else.
        rustix::process::kill_current_process_group(Signal::TSTP).context("could not suspend")?;
        Ok(true)
    }

    /// Gives the terminal to another program until [`Self::take_back`]. Meanwhile nothing drawn is visible, and signals
    /// of the keyboard are for that program.
    pub fn release(&mut self) {
        leave(TerminalMode::Lent);
        self.lent = tcgetattr(io::stdout()).ok();
    }

    /// True while another program has the terminal.
    pub fn is_lent(&self) -> bool {
        lock_state().place == TerminalMode::Lent
    }

    /// Takes the terminal back from a program that has ended, whatever state it left. The next draw is a complete one.
    pub fn take_back(&mut self) -> Result<()> {
        if let Some(modes) = self.lent.take() {
            // If the terminal refuses this, it also refuses what follows.
            let _ = tcsetattr(io::stdout(), OptionalActions::Now, &modes);
        }
        let mut standing = lock_state();
        if standing.place == TerminalMode::Lent {
            standing.go_inside().context("could not take the terminal back")?;
        }
        Ok(())
    }

    /// Releases the mouse to the terminal or captures it again. Returns the new state.
    pub fn flip_mouse(&mut self) -> Result<Mouse> {
        let mut standing = lock_state();
        standing.mouse = match standing.mouse {
            Mouse::Captured => Mouse::Left,
            Mouse::Left => Mouse::Captured,
        };
        let written = match (standing.place, standing.mouse) {
            (TerminalMode::Inside, Mouse::Captured) => execute!(io::stdout(), Print(CAPTURE_MOUSE)),
            (TerminalMode::Inside, Mouse::Left) => execute!(io::stdout(), DisableMouseCapture),
            _ => Ok(()),
        };
        written.context("could not write to the terminal").map(|()| standing.mouse)
    }

    /// Copies `bytes` to the clipboard with OSC 52. Many terminals support it, some ignore it, none answers.
    ///
    /// More than [`MAX_COPY_BYTES`] is an error; the copy is never cut.
    pub fn copy(&mut self, bytes: &[u8]) -> Result<()> {
        let len = bytes.len();
        ensure!(len <= MAX_COPY_BYTES, "{len} bytes are too many to copy: the limit is {MAX_COPY_BYTES}");
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(bytes)).context("could not copy")
    }

    /// Writes something invisible: a query whose answer arrives among the keys, the bell, a notification.
    pub fn write(&mut self, unseen: &str) -> Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(unseen.as_bytes()).and_then(|()| backend.flush()).context("could not write to the terminal")
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        point();
        leave(TerminalMode::Over);
        point();
    }
}

/// The cells of the current frame and the last one.
type Cells = Terminal<CrosstermBackend<GatedOutput>>;

/// The cells of the screen and the guardian while separate threads make them. The cells take a megabyte that the system
/// allocates page by page, and the guardian is a process; the first frame would wait for either.
pub struct Canvas {
    cells: io::Result<JoinHandle<io::Result<Cells>>>,
    guardian: io::Result<JoinHandle<Option<Guardian>>>,
}

impl Canvas {
    /// Starts making them, for the current size and modes of the terminal.
    pub fn begin() -> Self {
        let spawn_named = |name: &str| thread::Builder::new().name(name.to_owned());
        Self {
            guardian: spawn_named("guardian").spawn(Self::start_guardian),
            cells: spawn_named("canvas").spawn(Self::make),
        }
    }

    fn make() -> io::Result<Cells> {
        Terminal::new(CrosstermBackend::new(GatedOutput::default()))
    }

    fn start_guardian() -> Option<Guardian> {
        let mut leaving = Vec::new();
        // Writing to memory cannot fail.
        let _ = write_leaving(&mut leaving);
        Guardian::start(&tcgetattr(io::stdout()).ok()?, &leaving)
    }

    /// Waits for both; makes them on this thread if another one could not be started.
    fn finish(self) -> (io::Result<Cells>, Option<Guardian>) {
        let guardian = self.guardian.map_or_else(|_| Self::start_guardian(), |thread| thread.join().ok().flatten());
        (self.cells.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(Self::make), guardian)
    }
}

/// State of the terminal, shared by everything that may leave it.
static STANDING: Mutex<TerminalState> =
    Mutex::new(TerminalState { place: TerminalMode::Outside, entry: 0, mouse: Mouse::Captured });

struct TerminalState {
    place: TerminalMode,
    /// Number of times the screen has been entered.
    entry: u64,
    mouse: Mouse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TerminalMode {
    Outside,
    Inside,
    /// The shell owns it until the process is continued.
    Suspended,
    /// Another program owns it until that program has ended.
    Lent,
    /// It was restored for good: further output is discarded, since the process is about to end.
    Over,
    /// It could not be entered, which the next draw reports to the loop.
    Lost,
}

fn lock_state() -> MutexGuard<'static, TerminalState> {
    // The place is a single value, so a thread that panicked while holding the mutex has left it consistent.
    STANDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalState {
    /// Also correct if it is inside already: the process may have been stopped and the terminal changed since.
    fn go_inside(&mut self) -> io::Result<()> {
        // A signal has arrived: the process is ending, and the terminal is already restored.
        if self.place == TerminalMode::Over {
            return Ok(());
        }
        self.place = TerminalMode::Inside;
        self.entry += 1;
        locked_point();
        guardian::set_owner(TerminalOwner::Inside);
        locked_point();
        // crossterm would skip enabling a raw mode that it believes to be enabled. This comes first, because in the
        // background it stops the process until it is in the foreground again.
        terminal::disable_raw_mode()
            .and_then(|()| terminal::enable_raw_mode())
            .and_then(|()| {
                locked_point();
                // A terminal without an alternate screen still shows its previous contents.
                execute!(
                    io::stdout(),
                    EnterAlternateScreen,
                    // If supported, the terminal distinguishes ctrl-i from Tab, and Escape from sequences that begin
                    // with it.
                    PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
                    terminal::Clear(terminal::ClearType::All),
                    Print(if self.mouse == Mouse::Captured { CAPTURE_MOUSE } else { "" }),
                    Print(SAVE_TITLE),
                    EnableBracketedPaste,
                    cursor::Hide
                )
            })
            .inspect(|()| locked_point())
            .inspect_err(|_| self.go_outside(TerminalMode::Lost))
    }

    fn go_outside(&mut self, place: TerminalMode) {
        if self.place == TerminalMode::Inside {
            // Errors cannot be reported to anyone: the terminal is gone, or about to belong to the shell.
            locked_point();
            let _ = write_leaving(&mut io::stdout());
            locked_point();
            let _ = terminal::disable_raw_mode();
            locked_point();
            guardian::set_owner(TerminalOwner::Outside);
            locked_point();
        }
        self.place = place;
    }
}

/// Writes the sequences that restore the terminal, except its line discipline.
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

/// The columns and rows of the terminal. If it does not know its size, as on a serial line or in a container, 80 by 24
/// is set.
///
/// # Errors
/// The size of the terminal cannot be determined.
pub fn size() -> Result<(u16, u16)> {
    if let Ok(mut size) = tcgetwinsize(io::stdout())
        && (size.ws_row == 0 || size.ws_col == 0)
    {
        (size.ws_row, size.ws_col) = (24, 80);
        // A terminal that refuses a size shows nothing until it has one.
        let _ = tcsetwinsize(io::stdout(), size);
    }
    terminal::size().context("could not get the size of the terminal")
}

/// Restores the terminal if the program owns it. May be called any number of times, from any thread.
fn leave(place: TerminalMode) {
    lock_state().go_outside(place);
}

/// Like [`leave`], but not delayed by a terminal that accepts no output: then only the line discipline is restored.
fn leave_in_time(place: TerminalMode) {
    let (done, is_done) = mpsc::channel();
    let spawned = thread::Builder::new().name("restore".to_owned()).spawn(move || {
        leave(place);
        // The receiver may have timed out.
        let _ = done.send(());
    });
    match spawned {
        // If memory is too short for a thread, this one may block.
        Err(_) => leave(place),
        Ok(_) if is_done.recv_timeout(RESTORE_TIMEOUT).is_err() => {
            let _ = terminal::disable_raw_mode();
            // The other thread is blocked before this.
            guardian::set_owner(TerminalOwner::Outside);
        }
        Ok(_) => {}
    }
}

/// Buffers output and writes it in one piece when flushed, while the program owns the terminal.
#[derive(Default)]
struct GatedOutput {
    pending: Vec<u8>,
}

impl Write for GatedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let standing = lock_state();
        let written = match standing.place {
            TerminalMode::Inside => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(&self.pending).and_then(|()| stdout.flush())
            }
            TerminalMode::Lost => Err(io::Error::other("the terminal is lost")),
            TerminalMode::Outside | TerminalMode::Suspended | TerminalMode::Lent | TerminalMode::Over => Ok(()),
        };
        self.pending.clear();
        written
    }
}

/// Starts the thread for signals. It lives as long as the process, since a caught signal has no other handler.
fn receive_signals(wake: Arc<dyn Fn(Wake) + Send + Sync>) -> Result<()> {
    let others = [SIGTSTP, SIGCONT, SIGWINCH];
    let mut signals = Signals::new(signal::ENDING.iter().chain(&others)).context("could not watch for signals")?;
    signal::claim_handling();
    let act = move || {
        for number in signals.forever() {
            match number {
                SIGTSTP if has_job_control() => {
                    // No other thread can take over the terminal before the process is continued.
                    let standing = lock_state();
                    let held = if standing.place == TerminalMode::Inside {
                        drop(standing);
                        leave_in_time(TerminalMode::Suspended);
                        None
                    } else {
                        Some(standing)
                    };
                    let _ = emulate_default_handler(SIGTSTP);
                    drop(held);
                }
                // By default an orphaned process group is not stopped either.
                SIGTSTP => {}
                // The signal is for the program that has the terminal, which decides.
                SIGINT | SIGQUIT if lock_state().place == TerminalMode::Lent => {}
                SIGWINCH => wake(Wake::Frame),
                SIGCONT => {
                    let mut standing = lock_state();
                    if matches!(standing.place, TerminalMode::Inside | TerminalMode::Suspended) {
                        // A terminal that refuses is lost, which the next draw reports.
                        let _ = standing.go_inside();
                        drop(standing);
                        wake(Wake::Frame);
                    }
                }
                _ => {
                    // A started command ends with this process.
                    if command::forward_signal(number) {
                        command::forward_signal(SIGTERM);
                    }
                    whole_file::remove_unfinished();
                    leave_in_time(TerminalMode::Over);
                    end_point();
                    signal::end_by(number);
                }
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(act).context("could not start a thread for signals")?;
    Ok(())
}

/// True if a shell runs the process as a job, in a process group other than that of the session leader.
fn has_job_control() -> bool {
    rustix::process::getsid(None).is_ok_and(|session| session != rustix::process::getpgrp())
}

#[cfg(test)]
mod tests;
