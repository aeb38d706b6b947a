//! What the workspace's own tests share.
//!
//! Owns the watchdog that keeps a hung test from hanging a whole run ([`TimeLimit`]), small random circuits that are
//! satisfied ([`RandomCircuit`]) and damage to bytes ([`Mutator`]). It is a development dependency only; nothing that ships uses it.

#![forbid(unsafe_code)]

mod mutation;
mod random_circuit;

pub use mutation::Mutator;
pub use random_circuit::RandomCircuit;

use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

/// Ends the test process when the guarded scope has not been left in time.
///
/// The test harness cannot stop a thread, so a test that waits for ever would hold up the run until somebody notices.
/// Keep the guard alive for the length of the test:
///
/// ```
/// let _limit = cuzk_testing::TimeLimit::seconds(30);
/// ```
#[must_use = "the limit ends when the guard is dropped"]
pub struct TimeLimit {
    /// Dropping the sender tells the watchdog that the scope was left.
    _alive: Sender<()>,
}

impl TimeLimit {
    /// Aborts the process unless the guard is dropped within `seconds`.
    pub fn seconds(seconds: u64) -> Self {
        let (alive, watched) = mpsc::channel();
        let test = thread::current().name().unwrap_or("unnamed").to_owned();
        thread::spawn(move || {
            if watched.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
                eprintln!("test '{test}' ran longer than its limit of {seconds} s");
                std::process::abort();
            }
        });
        Self { _alive: alive }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeLimit;
    use std::{process::Command, time::Duration};

    const CHILD: &str = "CUZK_TESTING_HANG";

    #[test]
    fn a_scope_left_in_time_is_untouched() {
        drop(TimeLimit::seconds(1));
        assert!(!std::thread::panicking());
    }

    /// Runs itself as a child that hangs, and expects the watchdog to end it.
    #[test]
    fn a_hanging_test_is_aborted() {
        if std::env::var_os(CHILD).is_some() {
            let _limit = TimeLimit::seconds(1);
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
        let child = Command::new(std::env::current_exe().expect("the test binary has a path"))
            .args(["--exact", "tests::a_hanging_test_is_aborted", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .expect("the test binary starts");
        assert!(!child.status.success());
        assert!(String::from_utf8_lossy(&child.stderr).contains("ran longer than its limit of 1 s"));
    }
}
