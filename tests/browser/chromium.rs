//! A headless Chromium, controlled with its debugging protocol over a pipe, so that no port and no crate are needed.
//! Independent of what is shown.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::skip::skip;

/// Names of its executable.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Events of the page since it was opened.
    events: Vec<Value>,
    session: Option<String>,
    last_id: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser; `None`, with a message, if there is none.
    pub fn start() -> Option<Self> {
        let is_there =
            |name: &&&str| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        let Some(name) = NAMES.iter().find(|name| is_there(name).is_ok()) else {
            skip("no Chromium is installed");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder can be made");
        // It reads requests from descriptor 3, and answers on 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the shell can be started");
        let input = child.stdin.take().expect("the input is a pipe");
        let output = child.stdout.take().expect("the output is a pipe");
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|len| len > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).expect("it speaks JSON");
                bytes.clear();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Self { child, input, messages, events: Vec::new(), session: None, last_id: 0, _profile: profile };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached =
            browser.ask("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Sends a request and waits for the answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(message.to_string().as_bytes()).expect("it listens");
        self.input.write_all(b"\0").and_then(|()| self.input.flush()).expect("it listens");
        loop {
            let mut message = self.messages.recv_timeout(PATIENCE).expect("it answers");
            if message["id"] == self.last_id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].take();
            }
            self.events.push(message);
        }
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.open_at(path, "");
    }

    /// As [`Self::open`], at a fragment such as `#i3`.
    pub fn open_at(&mut self, path: &Path, fragment: &str) {
        // The same file with another fragment would not be loaded again.
        self.events.clear();
        self.ask("Page.navigate", &json!({ "url": "about:blank" }));
        self.wait("Page.loadEventFired");
        self.events.clear();
        self.ask("Page.navigate", &json!({ "url": format!("file://{}{fragment}", path.display()) }));
        self.wait("Page.loadEventFired");
    }

    fn wait(&mut self, method: &str) {
        while !self.events.iter().any(|event| event["method"] == method) {
            let event = self.messages.recv_timeout(PATIENCE).expect("it happens");
            self.events.push(event);
        }
    }

    /// The value of an expression on the page; promises are awaited.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.ask("Runtime.evaluate", &parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Presses a key that types this character.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        self.ask("Input.dispatchKeyEvent", &json!({ "type": "keyDown", "key": key, "text": text }));
        self.ask("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// Sets the width of the window in CSS pixels, the colour scheme, and the medium: screen or paper.
    pub fn show_as(&mut self, width: u32, scheme: &str, media: &str) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", &metrics);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", &json!({ "media": media, "features": features }));
    }

    /// Requests since the page was opened, except for the page itself.
    pub fn requests(&self) -> Vec<String> {
        let requests = self.of("Network.requestWillBeSent").map(|event| &event["params"]["request"]["url"]);
        requests.filter_map(Value::as_str).skip(1).map(str::to_owned).collect()
    }

    /// Messages of the page, its scripts and the browser since it was opened: console output, errors, dialogs.
    pub fn words(&self) -> Vec<String> {
        let methods =
            ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"];
        methods.into_iter().flat_map(|method| self.of(method)).map(|event| event["params"].to_string()).collect()
    }

    fn of(&self, method: &'static str) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(move |event| event["method"] == method)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself without its pipe, and crash reports are not needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
