//! Finished jobs that can still be asked for.

use std::{collections::VecDeque, sync::Arc, time::Instant};

use cuzk_memory::Entry;

use crate::{Retention, job::Job};

/// A finished job.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The job, its outcome delivered.
    pub(crate) job: Arc<Job>,
    /// What it is counted with.
    pub(crate) bytes: u64,
    /// When it ended.
    pub(crate) ended: Instant,
    /// The ledger's line for its proof, if it has one.
    pub(crate) _proof: Option<Entry>,
}

/// The finished jobs, oldest first, within the bounds of [`Retention`].
#[derive(Debug)]
pub(crate) struct Retained {
    jobs: VecDeque<Kept>,
    bytes: u64,
    bounds: Retention,
}

impl Retained {
    /// Nothing yet.
    pub(crate) fn new(bounds: Retention) -> Self {
        Self { jobs: VecDeque::new(), bytes: 0, bounds }
    }

    /// Keeps a job and returns those that have to go for it; itself, if it alone is beyond the bounds.
    pub(crate) fn keep(&mut self, kept: Kept) -> Vec<Kept> {
        if kept.bytes > self.bounds.max_bytes || self.bounds.max_jobs == 0 {
            return vec![kept];
        }
        self.bytes += kept.bytes;
        let now = kept.ended;
        self.jobs.push_back(kept);
        self.sweep(now)
    }

    /// Takes out what is beyond the bounds at `now`.
    pub(crate) fn sweep(&mut self, now: Instant) -> Vec<Kept> {
        let mut gone = Vec::new();
        while self.first_must_go(now) {
            let Some(first) = self.jobs.pop_front() else { break };
            self.bytes -= first.bytes;
            gone.push(first);
        }
        gone
    }

    /// When the oldest job reaches its age.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.jobs.front().and_then(|first| first.ended.checked_add(self.bounds.max_age))
    }

    fn first_must_go(&self, now: Instant) -> bool {
        self.jobs.len() > self.bounds.max_jobs
            || self.bytes > self.bounds.max_bytes
            || self.next_expiry().is_some_and(|expiry| expiry <= now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Kept, Retained};
    use crate::{Retention, job::Job};

    fn kept(sequence: u64, bytes: u64, ended: Instant) -> Kept {
        Kept { job: Job::for_test(sequence), bytes, ended, _proof: None }
    }

    fn sequences(gone: &[Kept]) -> Vec<u64> {
        gone.iter().map(|kept| kept.job.sequence).collect()
    }

    #[test]
    fn bounded_in_number_bytes_and_age() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let start = Instant::now();
        let age = Duration::from_secs(10);
        let mut retained = Retained::new(Retention { max_jobs: 3, max_bytes: 100, max_age: age });
        assert_eq!(retained.next_expiry(), None);
        for sequence in 0..3 {
            assert!(retained.keep(kept(sequence, 10, start)).is_empty());
        }
        assert_eq!(sequences(&retained.keep(kept(3, 10, start))), [0], "the fourth job");
        assert_eq!(
            sequences(&retained.keep(kept(4, 85, start + age / 2))),
            [1, 2],
            "too many bytes, then too many jobs"
        );
        assert_eq!(sequences(&retained.keep(kept(5, 101, start))), [5], "more than all bytes alone");
        assert_eq!(retained.next_expiry(), Some(start + age));
        assert_eq!(sequences(&retained.sweep(start + age)), [3]);
        assert!(retained.sweep(start + age).is_empty());
        assert_eq!(sequences(&retained.sweep(start + age * 2)), [4]);
        assert_eq!(retained.bytes, 0);
    }

    #[test]
    fn nothing_is_kept_where_nothing_may_be() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut retained = Retained::new(Retention { max_jobs: 0, ..Retention::default() });
        assert_eq!(sequences(&retained.keep(kept(7, 1, Instant::now()))), [7]);
    }
}
