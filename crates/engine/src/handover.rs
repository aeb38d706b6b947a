//! Solved partitions on their way to a backend.

use std::collections::BTreeMap;

use crate::{config::Permit, order::Rank};

/// The queue between the workers that solve and the backends that prove, one for all backends.
///
/// It is a state machine without a lock of its own. A worker puts its partition in with [`push`](Self::push) and, under
/// [`Permit::UntilQueued`], stays until [`may_leave`](Self::may_leave): until then its partition stands among those
/// beyond the capacity. Those are in order with the rest, so a backend always gets the most urgent partition, even
/// when the queue is full of others.
#[derive(Debug)]
pub(crate) struct Handover<T> {
    solved: BTreeMap<(Rank, u32), T>,
    capacity: usize,
    permit: Permit,
    /// Workers that wait for room.
    blocked: usize,
}

impl<T> Handover<T> {
    /// An empty queue with room for `capacity` partitions.
    pub(crate) fn new(capacity: usize, permit: Permit) -> Self {
        Self { solved: BTreeMap::new(), capacity, permit, blocked: 0 }
    }

    /// Puts a partition in. `true`: the worker has to wait for room, and must call [`leave`](Self::leave) at its end.
    #[must_use]
    pub(crate) fn push(&mut self, rank: Rank, partition: u32, item: T) -> bool {
        self.solved.insert((rank, partition), item);
        let waits = self.permit == Permit::UntilQueued && self.solved.len() > self.capacity;
        self.blocked += usize::from(waits);
        waits
    }

    /// Whether there is room for the partition of one of the waiting workers.
    pub(crate) fn may_leave(&self) -> bool {
        self.blocked > self.solved.len().saturating_sub(self.capacity)
    }

    /// A worker has stopped waiting.
    pub(crate) fn leave(&mut self) {
        self.blocked -= 1;
    }

    /// Takes the most urgent partition.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.solved.pop_first().map(|(_, item)| item)
    }

    /// Takes out everything of one job.
    pub(crate) fn remove(&mut self, rank: Rank) -> Vec<T> {
        let keys = self.keys(rank);
        keys.iter().filter_map(|key| self.solved.remove(key)).collect()
    }

    /// Moves a job's partitions to another place in line.
    pub(crate) fn move_to(&mut self, from: Rank, to: Rank) {
        for key in self.keys(from) {
            if let Some(item) = self.solved.remove(&key) {
                self.solved.insert((to, key.1), item);
            }
        }
    }

    fn keys(&self, rank: Rank) -> Vec<(Rank, u32)> {
        self.solved.range((rank, 0)..=(rank, u32::MAX)).map(|(key, _)| *key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Handover;
    use crate::{
        config::Permit,
        order::{Limit, Rank},
    };

    fn rank(urgency: u8, sequence: u64) -> Rank {
        Rank::new(urgency, Limit::Never, sequence)
    }

    #[test]
    fn a_worker_waits_while_the_queue_is_full() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut handover = Handover::new(1, Permit::UntilQueued);
        assert!(!handover.push(rank(2, 1), 0, "a0"));
        assert!(handover.push(rank(2, 1), 1, "a1"));
        assert!(handover.push(rank(4, 2), 0, "urgent"));
        assert!(!handover.may_leave());
        assert_eq!(handover.take(), Some("urgent"));
        assert!(handover.may_leave());
        handover.leave();
        assert!(!handover.may_leave(), "one was taken, so one may leave");
        assert_eq!(handover.take(), Some("a0"));
        assert!(handover.may_leave());
        handover.leave();
        assert_eq!(handover.take(), Some("a1"));
        assert_eq!(handover.take(), None);
    }

    #[test]
    fn nobody_waits_until_solved() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut handover = Handover::new(1, Permit::UntilSolved);
        for partition in 0..5 {
            assert!(!handover.push(rank(2, 1), partition, partition));
        }
        let all: Vec<_> = std::iter::from_fn(|| handover.take()).collect();
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn removing_a_job_makes_room() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut handover = Handover::new(1, Permit::UntilQueued);
        assert!(!handover.push(rank(2, 1), 0, "a"));
        assert!(handover.push(rank(2, 2), 3, "b"));
        handover.move_to(rank(2, 2), rank(3, 2));
        assert_eq!(handover.remove(rank(2, 1)), ["a"]);
        assert!(handover.may_leave());
        handover.leave();
        assert_eq!(handover.remove(rank(2, 2)), Vec::<&str>::new());
        assert_eq!(handover.remove(rank(3, 2)), ["b"]);
    }
}
