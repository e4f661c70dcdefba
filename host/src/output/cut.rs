//! The lines that are kept of a text over its limits: from its start, from its
//! end, or both. What it holds is bounded by the limits, whatever comes.

use std::num::NonZeroU64;

/// Which part of a text over the limits is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The start and the end: 20 % and 80 %.
    #[default]
    Both,
    /// The start.
    Head,
    /// The end.
    Tail,
}

/// How much text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines. Default 2,000.
    pub max_lines: u64,
    /// Bytes. Default 50 KiB.
    pub max_bytes: usize,
    /// Which part. Default both ends.
    pub keep: Keep,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_lines: 2_000,
            max_bytes: 50 * 1024,
            keep: Keep::default(),
        }
    }
}

/// Which limit a text met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Of lines.
    Lines,
    /// Of bytes.
    Bytes,
}

/// Lines of the whole text, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// What the limits left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Which part was kept.
    pub direction: Keep,
    /// Which limit was met.
    pub truncated_by: Limit,
    /// Lines of which nothing is shown.
    pub omitted_lines: u64,
    /// Bytes of text that are not shown.
    pub omitted_bytes: u64,
    /// Lines of which something is shown.
    pub shown: Vec<LineRange>,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// From the start; the whole text when nothing was left out between.
    pub head: String,
    /// From the end, after what was left out.
    pub tail: String,
    /// What was left out against the limits, if anything was.
    pub truncation: Option<Truncation>,
}

/// Marks where a line was cut.
const ELLIPSIS: &str = "…";

/// Takes a text piece by piece.
#[derive(Debug)]
pub struct Cut {
    limits: Limits,
    /// Lines that the call wants from the start.
    wanted: u64,
    /// Lines that the call wants from the end of those.
    wanted_last: Option<u64>,
    /// Text and lines taken so far; an unfinished line counts once begun.
    bytes: u64,
    lines: u64,
    at_line_start: bool,
    /// All of it, as long as it fits.
    whole: Option<String>,
    head: End,
    tail: End,
}

/// One end of the text, with what it may hold.
#[derive(Debug)]
struct End {
    lines: u64,
    bytes: usize,
    text: String,
    /// Lines in `text`, for the head.
    used: u64,
    full: bool,
}

impl End {
    fn new(lines: u64, bytes: usize) -> Self {
        Self {
            lines,
            bytes,
            text: String::new(),
            used: 0,
            full: lines == 0 || bytes == 0,
        }
    }
}

impl Cut {
    /// With the lines that the call itself asks for: first `head`, then `tail`
    /// of those.
    #[must_use]
    pub fn new(limits: Limits, head: Option<NonZeroU64>, tail: Option<NonZeroU64>) -> Self {
        let (lines, bytes) = (limits.max_lines, limits.max_bytes);
        let (first_lines, first_bytes) = match (limits.keep, tail) {
            (_, Some(_)) | (Keep::Tail, _) => (0, 0),
            (Keep::Head, None) => (lines, bytes),
            (Keep::Both, None) => (lines / 5, bytes / 5),
        };
        let last_lines = match tail {
            Some(tail) => lines.min(tail.get()),
            None => lines - first_lines,
        };
        Self {
            limits,
            wanted: head.map_or(u64::MAX, NonZeroU64::get),
            wanted_last: tail.map(NonZeroU64::get),
            bytes: 0,
            lines: 0,
            at_line_start: true,
            whole: Some(String::new()),
            head: End::new(first_lines, first_bytes),
            tail: End::new(last_lines, bytes - first_bytes),
        }
    }

    /// Takes the next text.
    pub fn push(&mut self, text: &str) {
        let text = self.wanted_part(text);
        if text.is_empty() {
            return;
        }
        self.bytes += text.len() as u64;
        let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        let begins = u64::from(self.at_line_start);
        self.at_line_start = text.ends_with('\n');
        self.lines += begins + feeds - u64::from(self.at_line_start);
        match &mut self.whole {
            Some(whole)
                if self.bytes <= self.limits.max_bytes as u64
                    && self.lines <= self.limits.max_lines =>
            {
                whole.push_str(text);
            }
            _ => {
                let before = self.whole.take().unwrap_or_default();
                self.keep(&before);
                self.keep(text);
            }
        }
    }

    /// Whether the text is over the limits.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.whole.is_none()
    }

    /// The part of `text` within the first lines that the call wants.
    fn wanted_part<'t>(&self, text: &'t str) -> &'t str {
        let finished = self.lines - u64::from(!self.at_line_start);
        let left = self.wanted - finished.min(self.wanted);
        if left == 0 {
            return "";
        }
        let Ok(last) = usize::try_from(left - 1) else {
            return text;
        };
        let end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(last);
        end.map_or(text, |end| text.get(..=end).unwrap_or(text))
    }

    fn keep(&mut self, text: &str) {
        let rest = self.keep_head(text);
        if self.tail.full || rest.is_empty() {
            return;
        }
        self.tail.text.push_str(rest);
        // Trimmed when it is twice as long as it may be, so that each byte is
        // moved once at most.
        if self.tail.text.len() > 2 * self.tail.bytes {
            let from = self.tail.text.len() - self.tail.bytes;
            let from = self.tail.text.ceil_char_boundary(from);
            self.tail.text.drain(..from);
        }
    }

    /// Fills the head; answers what did not go into it.
    fn keep_head<'t>(&mut self, text: &'t str) -> &'t str {
        let head = &mut self.head;
        if head.full {
            return text;
        }
        let room = head.bytes - head.text.len();
        let mut end = text.floor_char_boundary(room.min(text.len()));
        let mut feeds = memchr::memchr_iter(b'\n', &text.as_bytes()[..end]);
        let lines = usize::try_from(head.lines - head.used - 1).unwrap_or(usize::MAX);
        match feeds.nth(lines) {
            Some(last) => {
                end = last + 1;
                head.full = true;
            }
            None => head.full = end < text.len(),
        }
        let (taken, rest) = text.split_at(end);
        head.used += memchr::memchr_iter(b'\n', taken.as_bytes()).count() as u64;
        head.text.push_str(taken);
        rest
    }

    /// The end: what is kept.
    #[must_use]
    pub fn finish(mut self) -> Kept {
        match (self.whole.take(), self.wanted_last) {
            (Some(whole), None) => Kept {
                head: whole,
                tail: String::new(),
                truncation: None,
            },
            (Some(whole), Some(wanted)) => Kept {
                head: last_lines(&whole, wanted).to_owned(),
                tail: String::new(),
                truncation: None,
            },
            (None, _) => self.finish_cut(),
        }
    }

    fn finish_cut(self) -> Kept {
        let head = whole_lines_first(&self.head.text);
        let after_head = self.bytes - self.head.text.len() as u64;
        let tail = end_of(&self.tail, after_head);
        let cut_in_head = !head.is_empty() && !head.ends_with('\n');
        let cut_in_tail = tail.starts_inside;
        let head_lines = count_lines(head);
        let tail_lines = count_lines(tail.text);
        let shown_bytes = (head.len() + tail.text.len()) as u64;
        let asked = self.wanted_last;
        let all_asked =
            asked.is_some_and(|asked| tail_lines >= asked.min(self.lines) && !cut_in_tail);
        let first_of_tail = self.lines - tail_lines + 1;
        let mut shown = Vec::new();
        if head_lines > 0 {
            shown.push(LineRange {
                first: 1,
                last: head_lines,
            });
        }
        if tail_lines > 0 {
            shown.push(LineRange {
                first: first_of_tail,
                last: self.lines,
            });
        }
        let over_bytes = self.bytes > self.limits.max_bytes as u64;
        let truncation = Truncation {
            direction: if asked.is_some() {
                Keep::Tail
            } else {
                self.limits.keep
            },
            truncated_by: if over_bytes && !self.lines_met(head_lines, tail_lines) {
                Limit::Bytes
            } else {
                Limit::Lines
            },
            omitted_lines: first_of_tail.saturating_sub(head_lines + 1),
            omitted_bytes: self.bytes - shown_bytes,
            shown,
        };
        let mark = |cut: bool| if cut { ELLIPSIS } else { "" };
        let head = format!("{head}{}", mark(cut_in_head));
        let tail = format!("{}{}", mark(cut_in_tail), tail.text);
        if all_asked {
            return Kept {
                head: tail,
                tail: String::new(),
                truncation: None,
            };
        }
        Kept {
            head,
            tail,
            truncation: Some(truncation),
        }
    }

    /// Whether the limit of lines is what cut: both ends hold all the lines
    /// that they may.
    fn lines_met(&self, head: u64, tail: u64) -> bool {
        head == self.head.lines && tail == self.tail.lines
    }
}

/// Whole lines, unless there is none: then what there is of the first.
fn whole_lines_first(text: &str) -> &str {
    match text.rfind('\n') {
        Some(end) => text.get(..=end).unwrap_or(text),
        None => text,
    }
}

struct Last<'t> {
    text: &'t str,
    /// It begins inside a line.
    starts_inside: bool,
}

/// What the tail may show of what it holds. `came` is how many bytes came to
/// it: some may be gone.
fn end_of(tail: &End, came: u64) -> Last<'_> {
    if tail.full {
        return Last {
            text: "",
            starts_inside: false,
        };
    }
    let text = tail.text.as_str();
    let most = text.len().min(tail.bytes);
    let from = text.ceil_char_boundary(text.len() - most);
    let within = text.get(from..).unwrap_or_default();
    let gone = came > within.len() as u64;
    let lined = last_lines(within, tail.lines);
    let starts_at_line = lined.len() < within.len() || !gone;
    if starts_at_line
        || text
            .get(..from)
            .is_some_and(|before| before.ends_with('\n'))
    {
        return Last {
            text: lined,
            starts_inside: false,
        };
    }
    // The first line is cut. A line that is not over-long is left out whole.
    match within.find('\n') {
        Some(end) if end < tail.bytes / 2 => Last {
            text: within.get(end + 1..).unwrap_or_default(),
            starts_inside: false,
        },
        _ => Last {
            text: within,
            starts_inside: true,
        },
    }
}

/// The last `count` lines.
fn last_lines(text: &str, count: u64) -> &str {
    let Ok(count) = usize::try_from(count) else {
        return text;
    };
    if count == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = memchr::memrchr_iter(b'\n', body.as_bytes()).nth(count - 1);
    start.map_or(text, |start| text.get(start + 1..).unwrap_or(text))
}

fn count_lines(text: &str) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    feeds + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_lines: u64, max_bytes: usize, keep: Keep) -> Limits {
        Limits {
            max_lines,
            max_bytes,
            keep,
        }
    }

    fn cut(limits: Limits, head: u64, tail: u64, text: &str, size: usize) -> Kept {
        let mut cut = Cut::new(limits, NonZeroU64::new(head), NonZeroU64::new(tail));
        let letters: Vec<char> = text.chars().collect();
        for chunk in letters.chunks(size) {
            cut.push(&chunk.iter().collect::<String>());
        }
        cut.finish()
    }

    fn numbers(count: u64) -> String {
        (1..=count).map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn what_fits_is_whole() {
        for text in ["", "a", "a\n", "a\nb", &numbers(10)] {
            let kept = cut(limits(10, 100, Keep::Both), 0, 0, text, 3);
            let wanted = Kept {
                head: text.into(),
                tail: String::new(),
                truncation: None,
            };
            assert_eq!(kept, wanted);
        }
    }

    #[test]
    fn too_many_lines_leave_both_ends() {
        for size in [1, 2, 7, 1000] {
            let kept = cut(limits(10, 1000, Keep::Both), 0, 0, &numbers(100), size);
            assert_eq!(kept.head, "1\n2\n");
            assert_eq!(kept.tail, "93\n94\n95\n96\n97\n98\n99\n100\n");
            let truncation = kept.truncation.unwrap();
            assert_eq!(truncation.truncated_by, Limit::Lines);
            assert_eq!(truncation.omitted_lines, 90);
            assert_eq!(truncation.omitted_bytes, 292 - 4 - 25);
            let range = |first, last| LineRange { first, last };
            assert_eq!(truncation.shown, [range(1, 2), range(93, 100)]);
        }
    }

    #[test]
    fn one_end_when_so_configured() {
        let head = cut(limits(3, 1000, Keep::Head), 0, 0, &numbers(9), 4);
        assert_eq!((head.head.as_str(), head.tail.as_str()), ("1\n2\n3\n", ""));
        let tail = cut(limits(3, 1000, Keep::Tail), 0, 0, &numbers(9), 4);
        assert_eq!((tail.head.as_str(), tail.tail.as_str()), ("", "7\n8\n9\n"));
    }

    #[test]
    fn an_over_long_line_is_cut_and_marked() {
        let text = format!("first\n{}\nlast\n", "x".repeat(1000));
        for size in [1, 13, 5000] {
            let kept = cut(limits(100, 100, Keep::Both), 0, 0, &text, size);
            assert_eq!(kept.head, "first\n");
            assert!(kept.tail.starts_with("…x") && kept.tail.ends_with("x\nlast\n"));
            assert_eq!(kept.truncation.unwrap().truncated_by, Limit::Bytes);
        }
        let kept = cut(
            limits(100, 100, Keep::Both),
            0,
            0,
            &format!("needle {}", "é".repeat(500)),
            9,
        );
        assert!(kept.head.starts_with("needle é") && kept.head.ends_with("é…"));
        assert!(kept.tail.starts_with("…é"));
    }

    #[test]
    fn the_call_asks_for_lines_of_the_whole() {
        let most = limits(10, 1000, Keep::Both);
        for (head, tail, wanted) in [
            (3, 0, "1\n2\n3\n"),
            (0, 3, "98\n99\n100\n"),
            (5, 2, "4\n5\n"),
            (1000, 1, "100\n"),
        ] {
            let kept = cut(most, head, tail, &numbers(100), 5);
            assert_eq!(
                (kept.head.as_str(), kept.truncation),
                (wanted, None),
                "{head} {tail}"
            );
        }
        let kept = cut(most, 0, 50, &numbers(100), 5);
        assert_eq!(
            kept.truncation.map(|truncation| truncation.omitted_lines),
            Some(90)
        );
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut cut = Cut::new(Limits::default(), None, None);
        for _ in 0..1000 {
            cut.push(&"x".repeat(10_000));
        }
        let held = cut.head.text.len() + cut.tail.text.len();
        assert!(held < 4 * Limits::default().max_bytes, "{held}");
    }
}
