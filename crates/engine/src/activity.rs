//! Whether anything is still going on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Counts jobs in flight and partitions on any thread. It is zero only once everything that they held is dropped: a job
/// whose outcome is delivered may still have partitions on their way out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity(Arc<Counter>);

#[derive(Debug, Default)]
struct Counter {
    busy: Mutex<usize>,
    idle: Condvar,
}

/// Something that is going on, until it is dropped.
#[derive(Debug)]
#[must_use = "dropping it says that the activity has ended"]
pub(crate) struct Busy(Arc<Counter>);

impl Activity {
    /// Begins something.
    pub(crate) fn begin(&self) -> Busy {
        *self.0.lock() += 1;
        Busy(self.0.clone())
    }

    /// Blocks until nothing goes on, or until `limit`. `false`: something still does.
    pub(crate) fn wait_idle(&self, limit: Option<Instant>) -> bool {
        let mut busy = self.0.lock();
        while *busy > 0 {
            busy = match limit {
                None => self.0.idle.wait(busy).unwrap_or_else(PoisonError::into_inner),
                Some(limit) => {
                    let left = limit.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    self.0.idle.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        true
    }
}

impl Counter {
    fn lock(&self) -> MutexGuard<'_, usize> {
        // Adding and subtracting one cannot panic half-way.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut busy = self.0.lock();
        *busy -= 1;
        if *busy == 0 {
            self.0.idle.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Instant};

    use super::Activity;

    #[test]
    fn idle_once_the_last_activity_has_ended() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let activity = Activity::default();
        assert!(activity.wait_idle(Some(Instant::now())));
        let (first, second) = (activity.begin(), activity.begin());
        let waiter = thread::spawn({
            let activity = activity.clone();
            move || activity.wait_idle(None)
        });
        drop(first);
        assert!(!activity.wait_idle(Some(Instant::now())));
        drop(second);
        assert!(waiter.join().expect("no panic"));
    }
}
