//! Work that is cut into numbered tasks and done by a few workers, each with a state of its own.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Does tasks `0..tasks` on the threads of the current rayon pool and returns the state of every worker that did any.
///
/// There are never more states than threads in the pool, so what a state holds bounds the memory in use. A state is made
/// when its worker takes its first task; tasks are taken in order, one at a time.
pub(super) fn fold_tasks<S: Send>(
    tasks: usize,
    new_state: impl Fn() -> S + Sync,
    task: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let workers = rayon::current_num_threads().min(tasks);
    (0..workers)
        .into_par_iter()
        .with_max_len(1)
        .filter_map(|_| {
            let mut state = None;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= tasks {
                    return state;
                }
                task(state.get_or_insert_with(&new_state), number);
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_and_states_are_few() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("three threads can be started");
        for tasks in [0, 1, 2, 3, 100] {
            let states = pool.install(|| fold_tasks(tasks, Vec::new, |done, number| done.push(number)));
            assert!(states.len() <= tasks.min(3) && states.iter().all(|done| !done.is_empty()));
            let mut done = states.concat();
            done.sort_unstable();
            assert_eq!(done, (0..tasks).collect::<Vec<_>>());
        }
    }
}
