//! The real binary in a controlled environment.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The result of a run of the program.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Exit code, standard output and standard error.
    pub fn parts(self) -> (i32, String, String) {
        (self.code, self.stdout, self.stderr)
    }
}

/// The program, without the environment variables of the test run.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("transcope"));
    command.env_clear().env("HOME", folder).env("XDG_CONFIG_HOME", folder.join("config")).current_dir(folder);
    command
}

/// Runs the program in a folder.
pub fn run_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)], input: &[u8]) -> Run {
    let mut command = program(folder);
    command.args(arguments).envs(variables.iter().copied());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("the input is a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Run {
        code: output.status.code().expect("it is not killed"),
        stdout: String::from_utf8(output.stdout).expect("the output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("the messages are UTF-8"),
    }
}
