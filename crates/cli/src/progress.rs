//! Progress on standard error.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A step of long work with a bar, or a line where nobody watches a terminal.
pub(crate) struct Step {
    bar: ProgressBar,
    label: String,
    started: Instant,
}

impl Step {
    /// A step whose length is not known.
    pub(crate) fn spinner(label: impl Into<String>) -> Self {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(100));
        Self::start(bar, label.into())
    }

    /// A step that counts; its length is told by the first [`Step::at`].
    pub(crate) fn counted(label: impl Into<String>) -> Self {
        let bar = ProgressBar::new(0);
        // The template is a constant: it is well formed or the first run shows it.
        if let Ok(style) = ProgressStyle::with_template("{msg:28} [{bar:30}] {percent:>3} % {elapsed} (left {eta})") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self::start(bar, label.into())
    }

    fn start(bar: ProgressBar, label: String) -> Self {
        bar.set_message(label.clone());
        Self { bar, label, started: Instant::now() }
    }

    /// How far the step has come.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// Ends the step with a line that says what came of it.
    pub(crate) fn done(self, result: &str) {
        self.bar.finish_and_clear();
        eprintln!("{:28} {result} ({})", self.label, seconds(self.started.elapsed()));
    }
}

/// A duration as a person reads it.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}
