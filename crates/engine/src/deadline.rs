//! What happens by the clock: deadlines of jobs, and the age of finished ones.

use std::{sync::PoisonError, time::Instant};

use crate::{
    CancelReason, OutcomeStatus,
    state::{Core, Phase},
};

impl Core {
    /// The clock's life: sleeps until the next moment at which there is something to do, or until that moment changes.
    pub(crate) fn watch_clock(&self) {
        let mut state = self.lock();
        while state.phase != Phase::Closed {
            let now = Instant::now();
            let ended: Vec<_> = state
                .table
                .overdue(now)
                .into_iter()
                .map(|sequence| state.take_out(sequence, OutcomeStatus::Cancelled { reason: CancelReason::Deadline }))
                .collect();
            let forgotten = state.table.sweep(now);
            if !ended.is_empty() || !forgotten.is_empty() {
                drop(state);
                for ending in ended {
                    self.deliver(ending);
                }
                drop(forgotten);
                state = self.lock();
                // Time has passed, and others had the lock: look again.
                continue;
            }
            state = match state.table.next_moment() {
                None => self.clock.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(moment) => {
                    let left = moment.saturating_duration_since(now);
                    self.clock.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
