//! The HTML report in a browser: what is seen, what the script does, and that nothing is asked of the network.

use crate::fixture::{As, Fixture};
use object::Architecture;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A page in headless Chromium, driven by the DevTools protocol: JSON messages, each ended by a zero byte.
struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Value,
    id: u64,
    /// Errors and warnings on the console, exceptions, and requests, in their order.
    faults: Vec<String>,
    _profile: tempfile::TempDir,
}

const OPTIONS: &str = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --disable-dev-shm-usage --disable-extensions --proxy-server=127.0.0.1:9 \
    --remote-debugging-pipe";
const PATIENCE: Duration = Duration::from_secs(60);

impl Browser {
    /// Starts the browser and opens the page.
    fn open(page: &Path) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken through file descriptors 3 and 4.
        let command = format!("exec chromium {OPTIONS} --user-data-dir=\"$0\" 3<&0 4>&1 >/dev/null 2>&1");
        let mut command_line = Command::new("sh");
        command_line.args(["-c", &command]).arg(profile.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command_line.spawn().unwrap();
        let (to, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(stdout).split(0) {
                let Ok(message) = message else { break };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let mut browser =
            Browser { child, to, from, session: Value::Null, id: 0, faults: Vec::new(), _profile: profile };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}))["targetId"].take();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].clone();
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser.ask("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        while browser.next()["method"] != "Page.loadEventFired" {}
        browser
    }

    /// The next message; events that are faults are noted.
    fn next(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("chromium answers; `cargo xtask setup` installs it");
        let params = &message["params"];
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let fault = match message["method"].as_str() {
            Some("Runtime.consoleAPICalled") => Some(format!("console {}", words(&params["type"]))),
            Some("Runtime.exceptionThrown") => Some("exception".to_owned()),
            Some("Log.entryAdded") => Some(format!("log {}", words(&params["entry"]["level"]))),
            Some("Network.requestWillBeSent") => Some(format!("request {}", words(&params["request"]["url"]))),
            _ => None,
        };
        // The page itself, and what is in it.
        let own = |fault: &String| fault.starts_with("request file:") || fault.starts_with("request data:");
        self.faults.extend(fault.filter(|fault| !own(fault)));
        message
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let mut message = json!({"id": self.id, "method": method, "params": params});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        // If it has ended, there will be no answer.
        let _ = self.to.write_all(format!("{message}\0").as_bytes());
        loop {
            let mut answer = self.next();
            if answer["id"] == self.id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    /// What an expression gives in the page.
    fn value(&mut self, expression: &str) -> Value {
        let mut answer = self.ask("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three functions, a constant, a variable and padding.
fn object() -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let text = f.text(".text", &[[0x70, 0x47].repeat(25), vec![0x00, 0xbf]].concat(), 4);
    f.symbol(text, "middle", 1, 10, As::Function);
    f.symbol(text, "large<&>", 11, 38, As::Function);
    f.symbol(text, "small", 49, 2, As::Function);
    let rodata = f.rodata(".rodata", &[1; 16], 4);
    f.symbol(rodata, "constant", 0, 16, As::Data);
    let bss = f.bss(".bss", 100);
    f.symbol(bss, "variable", 0, 100, As::Data);
    f.write()
}

#[test]
#[ignore = "needs chromium"]
fn a_report_shows_treemap_and_table_and_sorts_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    std::fs::write(folder.path().join("a.o"), object()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sizes"));
    let args = ["a.o", "--format", "html", "--out", "report.html"];
    assert!(command.current_dir(folder.path()).args(args).status().unwrap().success());
    let mut browser = Browser::open(&page);
    let tiles =
        "[...document.querySelectorAll('svg.treemap rect')].filter(rect => rect.getBoundingClientRect().width > 1)
        .map(rect => rect.textContent)";
    let expected = [
        ".text\n52 bytes, 76.5%",
        "large<&>\n38 bytes, 55.9%",
        "middle\n10 bytes, 14.7%",
        "[padding]\n2 bytes, 2.9%",
        "small\n2 bytes, 2.9%",
        ".rodata\n16 bytes, 23.5%",
        "constant\n16 bytes, 23.5%",
    ];
    assert_eq!(browser.value(tiles), json!(expected));
    let names = "[...document.querySelectorAll('.symbols tbody th')].map(cell => cell.textContent)";
    let by_size = ["large<&>", "constant", "middle", "[padding]", "small", "variable"];
    assert_eq!(browser.value(names), json!(by_size));
    for (heading, expected, sorted) in [
        ("Name", ["[padding]", "constant", "large<&>", "middle", "small", "variable"], "ascending"),
        ("Name", ["variable", "small", "middle", "large<&>", "constant", "[padding]"], "descending"),
        // What has no RAM comes after what has.
        ("RAM", ["variable", "small", "middle", "large<&>", "constant", "[padding]"], "descending"),
        ("Total", ["large<&>", "constant", "middle", "small", "[padding]", "variable"], "descending"),
        ("Total", ["variable", "small", "[padding]", "middle", "constant", "large<&>"], "ascending"),
    ] {
        let headings = "[...document.querySelectorAll('.symbols thead th')]";
        browser
            .value(&format!("{headings}.find(th => th.textContent === '{heading}').querySelector('button').click()"));
        assert_eq!(browser.value(names), json!(expected), "{heading}");
        let marks = format!("{headings}.map(th => th.getAttribute('aria-sort')).filter(mark => mark)");
        assert_eq!(browser.value(&marks), json!([sorted]), "{heading}");
        assert_eq!(browser.value("document.querySelector('.symbols tfoot th').textContent"), "TOTAL");
    }
    assert_eq!(browser.faults, [""; 0]);
}

/// The check above is worth something: what it must not find is found where it is.
#[test]
#[ignore = "needs chromium"]
fn faults_of_a_page_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    for (body, faults) in [
        ("<p>nothing</p><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", &[][..]),
        ("<script>console.error('x')</script>", &["console error"]),
        ("<script>absent()</script>", &["exception"]),
        ("<img src='http://example.invalid/x.png'>", &["request http://example.invalid/x.png", "log error"]),
        (
            "<link rel=stylesheet href='https://example.invalid/x.css'>",
            &["request https://example.invalid/x.css", "log error"],
        ),
        (
            "<p style='background: url(http://example.invalid/y)'>y</p>",
            &["request http://example.invalid/y", "log error"],
        ),
        ("<script>fetch('http://127.0.0.1:9/').catch(() => {})</script>", &["request http://127.0.0.1:9/"]),
    ] {
        std::fs::write(&page, format!("<!DOCTYPE html><title>page</title>{body}")).unwrap();
        let mut browser = Browser::open(&page);
        browser.value("1");
        assert!(
            faults.iter().all(|fault| browser.faults.iter().any(|found| found == fault)),
            "{body}: {:?}",
            browser.faults
        );
        assert_eq!(browser.faults.is_empty(), faults.is_empty(), "{body}: {:?}", browser.faults);
    }
}
