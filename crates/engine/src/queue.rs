//! Partitions that nobody has taken up yet.

use std::{collections::BTreeMap, ops::Range};

use crate::order::Rank;

/// The jobs that still have partitions to solve, in order: priority, deadline, job; each job's partitions ascend.
///
/// A job is one entry, whatever its number of partitions, so ending or moving it costs one step.
#[derive(Debug)]
pub(crate) struct Queue<J> {
    jobs: BTreeMap<Rank, Remaining<J>>,
}

#[derive(Debug)]
struct Remaining<J> {
    job: J,
    partitions: Range<u32>,
}

impl<J: Clone> Queue<J> {
    /// An empty queue.
    pub(crate) fn new() -> Self {
        Self { jobs: BTreeMap::new() }
    }

    /// Adds all partitions of a job.
    pub(crate) fn add(&mut self, rank: Rank, job: J, partitions: u32) {
        if partitions > 0 {
            self.jobs.insert(rank, Remaining { job, partitions: 0..partitions });
        }
    }

    /// Takes the first partition of the first job.
    pub(crate) fn take(&mut self) -> Option<(J, u32)> {
        let mut first = self.jobs.first_entry()?;
        let remaining = first.get_mut();
        let partition = remaining.partitions.next();
        let job = remaining.job.clone();
        if remaining.partitions.is_empty() {
            first.remove();
        }
        partition.map(|partition| (job, partition))
    }

    /// Forgets what is left of a job.
    pub(crate) fn remove(&mut self, rank: Rank) {
        self.jobs.remove(&rank);
    }

    /// Moves a job to another place in line.
    pub(crate) fn move_to(&mut self, from: Rank, to: Rank) {
        if let Some(remaining) = self.jobs.remove(&from) {
            self.jobs.insert(to, remaining);
        }
    }

    /// How many jobs stand before this one.
    pub(crate) fn position(&self, rank: Rank) -> u32 {
        u32::try_from(self.jobs.range(..rank).count()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;
    use crate::order::{Limit, Rank};

    fn rank(urgency: u8, sequence: u64) -> Rank {
        Rank::new(urgency, Limit::Never, sequence)
    }

    #[test]
    fn strict_order() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut queue = Queue::new();
        queue.add(rank(2, 1), "normal", 2);
        queue.add(rank(2, 2), "late", 1);
        assert_eq!(queue.take(), Some(("normal", 0)));
        queue.add(rank(4, 3), "critical", 2);
        queue.add(rank(2, 4), "nothing", 0);
        assert_eq!(queue.position(rank(2, 2)), 2);
        let rest: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(rest, [("critical", 0), ("critical", 1), ("normal", 1), ("late", 0)]);
    }

    #[test]
    fn removed_and_moved_jobs() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut queue = Queue::new();
        queue.add(rank(2, 1), "a", 3);
        queue.add(rank(2, 2), "b", 2);
        queue.take();
        queue.remove(rank(2, 1));
        queue.add(rank(2, 3), "c", 1);
        queue.move_to(rank(2, 3), rank(3, 3));
        queue.move_to(rank(2, 9), rank(3, 9));
        let rest: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(rest, [("c", 0), ("b", 0), ("b", 1)]);
    }
}
