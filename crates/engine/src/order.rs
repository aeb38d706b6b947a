//! In which order work is taken up.

use std::{cmp::Reverse, time::Instant};

/// When work is worth nothing any more. A limit orders before every later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Limit {
    /// At this moment.
    At(Instant),
    /// Never.
    Never,
}

impl Limit {
    /// Whether the limit lies at or before `now`.
    pub(crate) fn has_passed(self, now: Instant) -> bool {
        matches!(self, Self::At(limit) if limit <= now)
    }

    /// The moment, if there is one.
    pub(crate) fn moment(self) -> Option<Instant> {
        match self {
            Self::At(moment) => Some(moment),
            Self::Never => None,
        }
    }
}

/// A job's place in line: the more urgent first, then the earlier deadline, then the earlier acceptance. `sequence` is
/// the job's own, so no two jobs have one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    urgency: Reverse<u8>,
    limit: Limit,
    sequence: u64,
}

impl Rank {
    /// The rank of the job with this number; a higher `urgency` goes first.
    pub(crate) fn new(urgency: u8, limit: Limit, sequence: u64) -> Self {
        Self { urgency: Reverse(urgency), limit, sequence }
    }

    /// The same job with another deadline.
    pub(crate) fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// The job's deadline.
    pub(crate) fn limit(self) -> Limit {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Limit, Rank};

    #[test]
    fn urgency_then_deadline_then_acceptance() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let now = Instant::now();
        let soon = Limit::At(now + Duration::from_secs(1));
        let later = Limit::At(now + Duration::from_secs(2));
        let sorted = [
            Rank::new(4, Limit::Never, 9),
            Rank::new(2, soon, 8),
            Rank::new(2, later, 1),
            Rank::new(2, later, 2),
            Rank::new(2, Limit::Never, 0),
            Rank::new(1, soon, 3),
        ];
        assert!(sorted.is_sorted());
        let mut shuffled = sorted;
        shuffled.reverse();
        shuffled.sort();
        assert_eq!(shuffled, sorted);
    }

    #[test]
    fn a_limit_passes_once() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let now = Instant::now();
        assert!(Limit::At(now).has_passed(now));
        assert!(!Limit::At(now + Duration::from_nanos(1)).has_passed(now));
        assert!(!Limit::Never.has_passed(now));
    }
}
