//! What a device says, from its first mark to its last, whatever else comes down the line.

use crate::CheckFailed;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// A line that goes on for longer than this is shown as it is.
const LINE_BYTES_MAX: usize = 4096;
/// That many bytes are enough to tell text from noise; when nothing more comes, fewer are.
const NOISE_BYTES: usize = 256;
const NOISE_BYTES_AT_END: usize = 16;
/// Lines that are shown again when something is wrong.
const LAST_LINES: usize = 5;
/// Pieces of input that wait to be shown: more than comes while a board is flashed, and still bounded.
const PIECES_MAX: usize = 1 << 14;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For everything.
    pub total: Duration,
    /// For more after `end`.
    pub after_end: Duration,
    /// For more after `#`, with which the text format of mupq ends.
    pub after_hash: Duration,
}

/// Why no more was waited for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The end mark came.
    Marked,
    /// The other side closed.
    Closed,
    /// The other side is gone; what the system says.
    Broken(String),
    /// Time was up.
    TimeOut,
    /// So much of it is no text that more would not help.
    Noise,
}

/// What was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The text.
    pub text: Text,
    /// How far it came.
    pub progress: Progress,
    /// Why there is no more.
    pub stop: Stop,
    /// All bytes.
    pub bytes: usize,
    /// Those that are no text.
    pub noise: usize,
}

/// What matters of lines, with what is no text replaced, since the last `start`; before the first one of all. Output may be
/// endless: no more of it is kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Text {
    last: VecDeque<String>,
    board: Option<String>,
    failure: Option<String>,
}

impl Text {
    fn push(&mut self, line: String) {
        if self.board.is_none() {
            self.board = line.strip_prefix("board: ").map(str::to_owned);
        }
        if self.failure.is_none() && is_failure(&line) {
            self.failure = Some(line.clone());
        }
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

/// How far a device's text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Progress {
    /// Before `start`.
    Nothing,
    /// After it.
    Started,
    /// After `#`.
    Hash,
    /// After `end`.
    End,
}

/// Bytes that come in the background, from one reader or several.
pub struct Source {
    events: Receiver<Event>,
    readers: usize,
}

struct Event {
    reader: usize,
    result: io::Result<Vec<u8>>,
}

impl Source {
    /// Starts to read.
    pub fn new(readers: Vec<Box<dyn Read + Send>>) -> Source {
        let (sender, events) = sync_channel(PIECES_MAX);
        let count = readers.len();
        for (reader, input) in readers.into_iter().enumerate() {
            let sender = sender.clone();
            std::thread::spawn(move || forward(reader, input, &sender));
        }
        Source { events, readers: count }
    }

    /// Forgets what has come so far.
    pub fn drain(&self) {
        // What comes faster than it is forgotten does not keep this going.
        (0..PIECES_MAX).take_while(|_| self.events.try_recv().is_ok()).for_each(drop);
    }

    /// Shows lines on `out` as they come, until there is no reason to wait for more.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn follow(&self, patience: Patience, out: &mut dyn Write) -> io::Result<Seen> {
        let mut watch = Watch::default();
        let mut partial = vec![Vec::new(); self.readers];
        let begun = Instant::now();
        let mut deadline = begun + patience.total;
        let stop = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Where output never pauses, there is always something to receive.
            let event = if left.is_zero() { Err(RecvTimeoutError::Timeout) } else { self.events.recv_timeout(left) };
            match event {
                Ok(Event { reader, result: Ok(bytes) }) => {
                    let before = watch.progress;
                    watch.take(&mut partial[reader], &bytes, out)?;
                    if watch.is_noise(NOISE_BYTES) {
                        break Stop::Noise;
                    }
                    deadline = match watch.progress {
                        Progress::End if before < Progress::End => deadline.min(Instant::now() + patience.after_end),
                        Progress::Hash => (begun + patience.total).min(Instant::now() + patience.after_hash),
                        Progress::Started if before > Progress::Started => begun + patience.total,
                        _ => deadline,
                    };
                }
                Ok(Event { result: Err(error), .. }) => break Stop::Broken(error.to_string()),
                Err(RecvTimeoutError::Disconnected) => break Stop::Closed,
                Err(RecvTimeoutError::Timeout) if watch.progress >= Progress::Hash => break Stop::Marked,
                Err(RecvTimeoutError::Timeout) => break Stop::TimeOut,
            }
        };
        for rest in partial.iter().filter(|rest| !rest.is_empty()) {
            watch.line(rest, out)?;
        }
        let stop = if watch.is_noise(NOISE_BYTES_AT_END) { Stop::Noise } else { stop };
        Ok(Seen { text: watch.text, progress: watch.progress, stop, bytes: watch.bytes, noise: watch.noise })
    }
}

fn forward(reader: usize, mut input: Box<dyn Read + Send>, sender: &SyncSender<Event>) {
    let mut buffer = [0; 4096];
    loop {
        let result = match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_over = result.is_err();
        // Nobody listens any more: then nothing is left to do.
        if sender.send(Event { reader, result }).is_err() || is_over {
            return;
        }
    }
}

/// What has come so far.
struct Watch {
    text: Text,
    progress: Progress,
    bytes: usize,
    noise: usize,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { text: Text::default(), progress: Progress::Nothing, bytes: 0, noise: 0 }
    }
}

impl Watch {
    fn take(&mut self, partial: &mut Vec<u8>, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for byte in bytes {
            match byte {
                b'\n' => self.line(&std::mem::take(partial), out)?,
                _ if partial.len() == LINE_BYTES_MAX => self.line(&std::mem::replace(partial, vec![*byte]), out)?,
                _ => partial.push(*byte),
            }
        }
        Ok(())
    }

    fn line(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.bytes += bytes.len() + 1;
        let (text, noise) = clean(bytes);
        self.noise += noise;
        writeln!(out, "{text}")?;
        // Noise while a board starts is on the same line as what comes first.
        let word = text.trim_matches(|c: char| c == char::REPLACEMENT_CHARACTER || c.is_whitespace());
        let is_rule = word.len() > 4 && word.bytes().all(|byte| byte == b'=');
        if word == "start" {
            (self.text, self.progress) = (Text::default(), Progress::Started);
        }
        self.progress = match (word, self.progress) {
            // Firmware of mupq begins with this one.
            (_, Progress::Nothing) if is_rule => Progress::Started,
            ("#", Progress::Started) => Progress::Hash,
            ("end", Progress::Started | Progress::Hash) => Progress::End,
            (_, before) => before,
        };
        self.text.push(text);
        Ok(())
    }

    /// More than a quarter is no text. A wrong rate makes two thirds of it unreadable, a bad cable a few bytes.
    fn is_noise(&self, bytes_min: usize) -> bool {
        self.progress == Progress::Nothing && self.bytes >= bytes_min && self.noise * 4 > self.bytes
    }
}

/// A line without its end and without what no terminal should get, and how many of its bytes are no text.
fn clean(bytes: &[u8]) -> (String, usize) {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let (mut text, mut noise) = (String::new(), 0);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let is_noise = c.is_control() && c != '\t';
            noise += if is_noise { c.len_utf8() } else { 0 };
            text.push(if is_noise { char::REPLACEMENT_CHARACTER } else { c });
        }
        if !chunk.invalid().is_empty() {
            noise += chunk.invalid().len();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text, noise)
}

impl Seen {
    /// Whether the firmware came from `start` to its end and found nothing wrong. `hint` says where its text should come from,
    /// and `board` which one it should be for.
    ///
    /// # Errors
    /// What is wrong, with what was seen last.
    pub fn verdict(&self, board: Option<&str>, hint: &str) -> Result<(), CheckFailed> {
        let last = self.text.last.iter().map(|line| format!("\n  {line}")).collect::<String>();
        let fail = |what: String| Err(CheckFailed(what));
        let why = match &self.stop {
            Stop::TimeOut => "in time".to_owned(),
            Stop::Broken(error) => format!("before the connection broke ({error})"),
            Stop::Closed | Stop::Marked | Stop::Noise => "before the text ended".to_owned(),
        };
        if self.stop == Stop::Noise {
            let Seen { bytes, noise, .. } = self;
            return fail(format!("{noise} of {bytes} bytes are no text: this looks like a wrong baud rate; {hint}"));
        }
        if self.bytes == 0 {
            return fail(format!("nothing came {why}; {hint}"));
        }
        if self.progress == Progress::Nothing {
            return fail(format!("no line `start` came {why}; {hint}; seen last:{last}"));
        }
        let named = self.text.board.as_deref();
        if let (Some(board), Some(named)) = (board, named.filter(|named| Some(*named) != board)) {
            return fail(format!("this is firmware for {named}, not for {board}: is another board connected?"));
        }
        if let Some(line) = &self.text.failure {
            return fail(format!("the firmware says: {line}"));
        }
        if self.progress == Progress::Started {
            return fail(format!("the firmware started, but no end mark (`end` or `#`) came {why}; seen last:{last}"));
        }
        Ok(())
    }
}

fn is_failure(line: &str) -> bool {
    line.starts_with("ERROR") || line == r#"{"result":"failed"}"#
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one piece at a time, and then nothing more, ever, or the end.
    struct Pieces {
        pieces: Vec<Vec<u8>>,
        ends: bool,
    }

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match (self.pieces.is_empty(), self.ends) {
                (true, true) => return Ok(0),
                (true, false) => loop {
                    std::thread::park();
                },
                (false, _) => {}
            }
            let piece = self.pieces.remove(0);
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn follow(pieces: &[&[u8]], ends: bool) -> (Seen, String) {
        let pieces = pieces.iter().map(|piece| piece.to_vec()).collect();
        let [total, after_hash] = [2000, 100].map(Duration::from_millis);
        let patience = Patience { total, after_end: Duration::ZERO, after_hash };
        let mut out = Vec::new();
        let source = Source::new(vec![Box::new(Pieces { pieces, ends })]);
        let seen = source.follow(patience, &mut out).unwrap();
        (seen, String::from_utf8(out).unwrap())
    }

    /// Bytes without any pattern (xorshift).
    fn random(count: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 11) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    const WELL: &[u8] = b"start\nboard: b\n=====\nx:\n1\n#\n{\"result\":\"ok\"}\nend\n";

    /// Each stream with why following it stops, and the verdict: nothing, or a part of the message.
    #[test]
    fn every_kind_of_stream_is_recognised() {
        let at_wrong_rate = random(300);
        let little_of_it = random(40);
        type Case<'a> = (&'a str, &'a [&'a [u8]], bool, Stop, &'a str);
        let cases: [Case<'_>; 18] = [
            ("well", &[WELL], false, Stop::Marked, ""),
            ("well, and closed", &[WELL], true, Stop::Marked, ""),
            ("old text first", &[b"9\n#\nend\n", WELL], false, Stop::Marked, ""),
            ("reset in the middle", &[b"start\nERROR: x\n", WELL], false, Stop::Marked, ""),
            ("mupq", &[b"==========================\nx:\n1\n", b"#\n"], false, Stop::Marked, ""),
            (
                "in pieces",
                &[b"st", b"art\r", b"\nboard: b\r\nx \xe2", b"\x82", b"\xac\r\nen", b"d\r\n"],
                false,
                Stop::Marked,
                "",
            ),
            ("noise at power-up", &[b"\0\xf8\x80\xffstart\n", b"\xe2\x82\n#\nend\n"], false, Stop::Marked, ""),
            ("no line end", &[b"start\nend"], true, Stop::Marked, ""),
            ("silence", &[], false, Stop::TimeOut, "nothing came in time; HINT"),
            ("nothing", &[], true, Stop::Closed, "nothing came before the text ended; HINT"),
            (
                "hangs",
                &[b"start\n"],
                false,
                Stop::TimeOut,
                "no end mark (`end` or `#`) came in time; seen last:\n  start",
            ),
            ("hangs in a line", &[b"start\na\nbc"], false, Stop::TimeOut, "seen last:\n  start\n  a\n  bc"),
            (
                "other text",
                &[b"U-Boot 2020\n> "],
                false,
                Stop::TimeOut,
                "no line `start` came in time; HINT; seen last:\n  U-Boot",
            ),
            ("wrong rate", &[&at_wrong_rate], false, Stop::Noise, "wrong baud rate; HINT"),
            ("wrong rate, little", &[&little_of_it], false, Stop::Noise, "wrong baud rate; HINT"),
            ("error", &[b"start\nERROR: panicked\nend\n"], false, Stop::Marked, "the firmware says: ERROR: panicked"),
            (
                "failure",
                &[b"start\n{\"result\":\"failed\"}\nend\n"],
                true,
                Stop::Marked,
                "says: {\"result\":\"failed\"}",
            ),
            (
                "another",
                &[b"start\nboard: c\nend\n"],
                false,
                Stop::Marked,
                "firmware for c, not for b: is another board",
            ),
        ];
        for (name, pieces, ends, stop, expected) in cases {
            let (seen, _) = follow(pieces, ends);
            // Whether the end mark or the end of the stream is seen first does not matter.
            let seen_stop = if seen.progress == Progress::End { Stop::Marked } else { seen.stop.clone() };
            assert_eq!(seen_stop, stop, "{name}: {seen:?}");
            match seen.verdict(Some("b"), "HINT") {
                Ok(()) => assert_eq!(expected, "", "{name}"),
                Err(CheckFailed(why)) => assert!(!expected.is_empty() && why.contains(expected), "{name}: {why}"),
            }
        }
    }

    #[test]
    fn what_is_shown_is_text() {
        let (_, shown) = follow(&[b"\x1b[2Jstart\xff\r\n\xe2\x82", b"\xac\tb\r\n", b"end"], true);
        assert_eq!(shown, "\u{fffd}[2Jstart\u{fffd}\n\u{20ac}\tb\nend\n");
        let (seen, shown) = follow(&[&[b'x'; 4000], &[b'x'; 4000], b"\n"], true);
        assert_eq!(shown, format!("{}\n{}\n", "x".repeat(4096), "x".repeat(3904)));
        assert_eq!((seen.bytes, seen.noise), (8002, 0));
    }

    /// The same, over and over, without a pause.
    struct Endless(&'static [u8]);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer[..self.0.len()].copy_from_slice(self.0);
            Ok(self.0.len())
        }
    }

    #[test]
    fn endless_output_ends_in_time_and_is_not_kept() {
        for (text, stop, last) in [
            (&b"start\nx\n"[..], Stop::TimeOut, 5),
            (b"no line end", Stop::TimeOut, 5),
            (b"x\nstart\n#\n\n", Stop::Marked, 5),
            (b"start\nend\n", Stop::Marked, 5),
        ] {
            let [total, after_hash] = [300, 100].map(Duration::from_millis);
            let patience = Patience { total, after_end: Duration::ZERO, after_hash };
            let begun = Instant::now();
            let source = Source::new(vec![Box::new(Endless(text))]);
            source.drain();
            let seen = source.follow(patience, &mut io::sink()).unwrap();
            assert!(begun.elapsed() < Duration::from_secs(20), "{text:?}");
            assert!(seen.text.last.len() <= last, "{seen:?}");
            assert_eq!(seen.stop, stop, "{text:?}");
        }
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("pulled out"))
        }
    }

    #[test]
    fn a_lost_connection_is_told() {
        let second = Duration::from_secs(1);
        let patience = Patience { total: second, after_end: second, after_hash: second };
        let seen = Source::new(vec![Box::new(Failing)]).follow(patience, &mut Vec::new()).unwrap();
        let CheckFailed(why) = seen.verdict(None, "HINT").unwrap_err();
        assert_eq!(why, "nothing came before the connection broke (pulled out); HINT");
    }
}
