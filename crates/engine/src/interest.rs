//! Who wants a job's result.

use std::collections::BTreeMap;

use crate::order::Limit;

/// How long a submission is interested in its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// For ever: the result is fetched later, or not at all.
    Forever,
    /// While the returned handle lives. When it is dropped and nobody else is interested, the job is cancelled.
    WhileHeld,
}

/// Everybody who is interested in one job. Each brings a deadline; the job's is the latest of them.
#[derive(Debug, Default)]
pub(crate) struct Interests {
    forever: Option<Limit>,
    held: BTreeMap<u64, Limit>,
    next_ticket: u64,
}

impl Interests {
    /// Adds one. A ticket comes back where the interest can be withdrawn.
    pub(crate) fn add(&mut self, interest: Interest, limit: Limit) -> Option<u64> {
        match interest {
            Interest::Forever => {
                self.forever = Some(self.forever.map_or(limit, |known| known.max(limit)));
                None
            }
            Interest::WhileHeld => {
                let ticket = self.next_ticket;
                self.next_ticket += 1;
                self.held.insert(ticket, limit);
                Some(ticket)
            }
        }
    }

    /// Withdraws the interest with this ticket.
    pub(crate) fn withdraw(&mut self, ticket: u64) {
        self.held.remove(&ticket);
    }

    /// The job's deadline, or `None` when nobody is interested any more.
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.held.values().copied().chain(self.forever).max()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Interest, Interests};
    use crate::order::Limit;

    #[test]
    fn the_latest_deadline_of_those_who_wait() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let now = Instant::now();
        let at = |seconds| Limit::At(now + Duration::from_secs(seconds));
        let mut interests = Interests::default();
        assert_eq!(interests.limit(), None);
        let first = interests.add(Interest::WhileHeld, at(5)).expect("it can be withdrawn");
        let second = interests.add(Interest::WhileHeld, Limit::Never).expect("it can be withdrawn");
        assert_eq!(interests.limit(), Some(Limit::Never));
        interests.withdraw(second);
        assert_eq!(interests.limit(), Some(at(5)));
        assert_eq!(interests.add(Interest::Forever, at(3)), None);
        interests.withdraw(first);
        assert_eq!(interests.limit(), Some(at(3)));
        assert_eq!(interests.add(Interest::Forever, at(2)), None);
        assert_eq!(interests.limit(), Some(at(3)));
    }

    #[test]
    fn nobody_left() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        let mut interests = Interests::default();
        let ticket = interests.add(Interest::WhileHeld, Limit::Never).expect("it can be withdrawn");
        interests.withdraw(ticket);
        interests.withdraw(ticket);
        assert_eq!(interests.limit(), None);
    }
}
