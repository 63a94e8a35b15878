//! Progress of an ingestion: a bar on a terminal, occasional lines in a pipe.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use craig_engine::{Phase, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::global::Format;
use super::output::Output;
use super::table::{Cut, cut};
use super::units;
use super::visible::one_line;

/// Stream that progress is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// Whether an ingestion is reading files, for the message after Ctrl-C.
static IS_READING: AtomicBool = AtomicBool::new(false);

/// What an interrupted ingestion leaves behind; `None` if no files are being read.
pub(crate) fn after_interrupt() -> Option<&'static str> {
    let is_reading = IS_READING.load(Ordering::Relaxed);
    is_reading.then_some("interrupted: files that were read are kept; run the command again to read the rest")
}

/// Shows the progress of an ingestion.
pub(crate) enum ProgressView {
    Silent,
    Bar(ProgressBar),
    Lines(Lines),
}

impl ProgressView {
    /// Progress of a command whose result is the ingestion itself: on stdout, unless the output is JSON.
    pub(crate) fn for_ingestion(output: &Output) -> Self {
        let stream = if output.format == Format::Json { Stream::Stderr } else { Stream::Stdout };
        Self::new(output, stream, Duration::ZERO)
    }

    /// Progress before another result: on stderr, so that results can be piped, and only if the ingestion takes a
    /// while.
    pub(crate) fn beside_results(output: &Output) -> Self {
        Self::new(output, Stream::Stderr, Duration::from_millis(300))
    }

    fn new(output: &Output, stream: Stream, patience: Duration) -> Self {
        let is_terminal = match stream {
            Stream::Stdout => io::stdout().is_terminal(),
            Stream::Stderr => io::stderr().is_terminal(),
        };
        match (output.is_quiet, is_terminal) {
            (true, _) => Self::Silent,
            (false, true) => Self::Bar(bar(stream)),
            (false, false) => Self::Lines(Lines::new(stream, patience)),
        }
    }

    /// Shows one step.
    pub(crate) fn step(&mut self, progress: &Progress) {
        IS_READING.store(progress.phase == Phase::Reading, Ordering::Relaxed);
        match self {
            Self::Silent => {}
            Self::Bar(bar) => draw(bar, progress),
            Self::Lines(lines) => lines.step(progress),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        IS_READING.store(false, Ordering::Relaxed);
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn bar(stream: Stream) -> ProgressBar {
    let target = match stream {
        Stream::Stdout => ProgressDrawTarget::stdout(),
        Stream::Stderr => ProgressDrawTarget::stderr(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(spinner_style());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

const SPINNER: &str = "{spinner} {wide_msg}  {elapsed}";
const BAR: &str = "{percent:>3}% {bar:20} {human_pos}/{human_len} files  {rate}  {elapsed}  {wide_msg}";

fn spinner_style() -> ProgressStyle {
    style(SPINNER)
}

fn bar_style() -> ProgressStyle {
    style(BAR)
        .with_key("rate", |state: &indicatif::ProgressState, text: &mut dyn std::fmt::Write| {
            let per_s = state.pos() as f64 / state.elapsed().as_secs_f64().max(1e-3);
            let _ = write!(text, "{}/s", units::count(per_s as u64));
        })
        .progress_chars("━╸ ")
}

fn style(template: &str) -> ProgressStyle {
    // The templates are constants of this file, and a test parses them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn draw(bar: &ProgressBar, progress: &Progress) {
    if progress.phase == Phase::Reading && progress.total_files > 0 {
        if bar.length().is_none() {
            bar.set_style(bar_style());
            bar.set_length(progress.total_files as u64);
        }
        bar.set_position(progress.processed_files as u64);
        bar.set_message(cut(&progress.current, room_for_file(), Cut::Start));
    } else {
        bar.set_style(spinner_style());
        bar.unset_length();
        bar.set_message(one_line(&phase_text(progress)).into_owned());
    }
}

/// Columns left for the file's name.
fn room_for_file() -> usize {
    const REST: usize = 62;
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    width.saturating_sub(REST).max(16)
}

fn phase_text(progress: &Progress) -> String {
    match progress.phase {
        Phase::Waiting => format!("waiting for {}", progress.current),
        Phase::Fetching if progress.current.is_empty() => "fetching the repository".to_owned(),
        Phase::Fetching => format!("fetching the repository: {}", progress.current),
        Phase::Listing => "listing files".to_owned(),
        Phase::Embedding => progress.current.clone(),
        Phase::Reading => "reading files".to_owned(),
        Phase::Packages => {
            let at = progress.processed_files + 1;
            format!("indexing {} ({at} of {} packages)", progress.current, progress.total_files)
        }
        Phase::Indexing => "building the search index".to_owned(),
        Phase::Examining => format!("examining {}", progress.current),
    }
}

/// A line for every tenth of the files, or every second.
pub(crate) struct Lines {
    stream: Stream,
    started: Instant,
    /// Nothing is printed before this much time has passed.
    patience: Duration,
    last_line: Option<(Instant, usize)>,
}

impl Lines {
    fn new(stream: Stream, patience: Duration) -> Self {
        Self { stream, started: Instant::now(), patience, last_line: None }
    }

    fn step(&mut self, progress: &Progress) {
        match progress.phase {
            Phase::Waiting | Phase::Embedding => self.write(&phase_text(progress)),
            Phase::Fetching if self.is_second_later() => self.write_phase(progress),
            Phase::Packages if self.started.elapsed() >= self.patience && self.is_second_later() => {
                self.write_phase(progress);
            }
            Phase::Reading if self.is_due(progress) => {
                self.last_line = Some((Instant::now(), progress.percent()));
                self.write(&line(progress, self.started.elapsed()));
            }
            _ => {}
        }
    }

    fn write_phase(&mut self, progress: &Progress) {
        self.last_line = Some((Instant::now(), 0));
        self.write(&phase_text(progress));
    }

    fn is_second_later(&self) -> bool {
        self.last_line.is_none_or(|(at, _)| at.elapsed() >= Duration::from_secs(1))
    }

    fn is_due(&self, progress: &Progress) -> bool {
        match self.last_line {
            _ if progress.total_files == 0 => false,
            None => self.started.elapsed() >= self.patience,
            Some((_, 100)) => false,
            Some((at, percent)) => {
                progress.percent() / 10 > percent / 10 || at.elapsed() >= Duration::from_secs(1)
            }
        }
    }

    /// Errors are ignored: a closed pipe must not stop an ingestion.
    fn write(&self, text: &str) {
        let text = one_line(text);
        let _ = match self.stream {
            Stream::Stdout => writeln!(io::stdout(), "{text}"),
            Stream::Stderr => writeln!(io::stderr(), "{text}"),
        };
    }
}

fn line(progress: &Progress, elapsed: Duration) -> String {
    let elapsed_s = elapsed.as_secs_f64();
    if progress.processed_files == 0 {
        return format!("  0%  0/{} files", units::count(progress.total_files as u64));
    }
    let rate = progress.processed_files as f64 / elapsed_s.max(1e-3);
    let bytes = match progress.n_bytes {
        0 => String::new(),
        n_bytes => format!("{}/s  ", units::bytes((n_bytes as f64 / elapsed_s.max(1e-3)) as u64)),
    };
    format!(
        "{:>3}%  {}/{} files  {}  {} files/s  {bytes}{}",
        progress.percent(),
        units::count(progress.processed_files as u64),
        units::count(progress.total_files as u64),
        units::seconds(elapsed_s),
        units::count(rate as u64),
        progress.current,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_valid() {
        for template in [SPINNER, BAR] {
            ProgressStyle::with_template(template).unwrap();
        }
    }

    #[test]
    fn a_line_shows_how_far_how_fast_and_where() {
        let progress = Progress {
            phase: Phase::Reading,
            processed_files: 1_500,
            total_files: 3_000,
            current: "src/lib.rs".into(),
            n_bytes: 6_000_000,
        };
        let line = line(&progress, Duration::from_secs(2));
        assert_eq!(line, " 50%  1,500/3,000 files  2.0 s  750 files/s  3.0 MB/s  src/lib.rs");
    }
}
