//! How far solving runs ahead of proving, and in which order.

use cuzk_filecoin::{Priority, Submission};

use super::fake::{Order, Rig, Step, WITNESS, limits, outcome, proof, proof_of, submission};
use crate::{Interest, Permit, state::Limits};

/// Partitions that hold a witness now.
fn witnesses(rig: &Rig) -> u64 {
    rig.engine.ledger().snapshot().class(WITNESS.name()).map_or(0, |class| class.count)
}

#[test]
fn until_queued_bounds_the_partitions_in_flight() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let bounds = Limits { workers: 2, queue_depth: 2, ..limits() };
    let rig = Rig::new(bounds);
    rig.stage.order((Step::Start, "a", 0), Order::Hold);
    rig.stage.order((Step::Start, "a", 1), Order::Hold);
    let handle = rig.engine.submit(submission("a", 12), Interest::Forever, None).expect("accepted");
    // One is at the backend, two are in the queue, two with their workers.
    rig.stage.await_count(Step::Start, "a", 1);
    rig.stage.await_count(Step::Solve, "a", 5);
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&handle)), proof("a", 12));
    let most = 1 + 1 + bounds.queue_depth + bounds.workers + 1;
    let snapshot = rig.engine.ledger().snapshot();
    let peak = snapshot.class(WITNESS.name()).map_or(0, |class| class.peak_count);
    assert!((5..=most as u64).contains(&peak), "{peak} witnesses at once; at most {most} may be");
    rig.assert_settled(1);
}

#[test]
fn until_queued_stops_solving_at_a_blocked_backend() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { workers: 1, queue_depth: 1, ..limits() });
    rig.stage.order((Step::Start, "a", 0), Order::Hold);
    let handle = rig.engine.submit(submission("a", 6), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Start, "a", 0));
    rig.stage.await_step((Step::Solve, "a", 2));
    // A job of the highest priority would be solved next, were a permit free: but the worker holds its own until there
    // is room for partition 2.
    let urgent = Submission { priority: Priority::Critical.wire(), ..submission("urgent", 1) };
    let urgent = rig.engine.submit(urgent, Interest::Forever, None).expect("accepted");
    assert_eq!(witnesses(&rig), 3);
    assert_eq!(rig.stage.entered_at(Step::Solve), [("a", 0), ("a", 1), ("a", 2)]);
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&handle)), proof("a", 6));
    assert_eq!(proof_of(&outcome(&urgent)), proof("urgent", 1));
    assert_eq!(rig.stage.entered_at(Step::Solve)[3], ("urgent", 0));
    rig.assert_settled(2);
}

#[test]
fn until_solved_piles_up() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let bounds = Limits { workers: 1, queue_depth: 1, permit: Permit::UntilSolved, ..limits() };
    let rig = Rig::new(bounds);
    rig.stage.order((Step::Start, "a", 0), Order::Hold);
    let handle = rig.engine.submit(submission("a", 8), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Start, "a", 0));
    rig.stage.await_count(Step::Solve, "a", 8);
    assert_eq!(witnesses(&rig), 8, "all are solved although the backend has taken one");
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&handle)), proof("a", 8));
    rig.assert_settled(1);
}

#[test]
fn the_more_urgent_is_proved_first() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { workers: 1, queue_depth: 4, ..limits() });
    rig.stage.order((Step::Start, "first", 0), Order::Hold);
    let submit = |content, priority: Priority| {
        let submission = Submission { priority: priority.wire(), ..submission(content, 1) };
        let handle = rig.engine.submit(submission, Interest::Forever, None).expect("accepted");
        // The one worker solves this one only after it has queued the one before.
        rig.stage.await_step((Step::Solve, content, 0));
        handle
    };
    let first = submit("first", Priority::Low);
    rig.stage.await_step((Step::Start, "first", 0));
    let handles = [
        first,
        submit("low", Priority::Low),
        submit("critical", Priority::Critical),
        submit("high", Priority::High),
        submit("last", Priority::Low),
    ];
    rig.stage.release_all();
    for handle in &handles {
        outcome(handle);
    }
    let started: Vec<_> = rig.stage.entered_at(Step::Start).into_iter().map(|(content, _)| content).collect();
    assert_eq!(started, ["first", "critical", "high", "low", "last"]);
    rig.assert_settled(5);
}

#[test]
fn the_more_urgent_is_solved_first() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { workers: 1, queue_depth: 4, ..limits() });
    rig.stage.order((Step::Solve, "first", 0), Order::Hold);
    let submit = |content, priority: Priority| {
        let submission = Submission { priority: priority.wire(), ..submission(content, 1) };
        rig.engine.submit(submission, Interest::Forever, None).expect("accepted")
    };
    let first = submit("first", Priority::Low);
    rig.stage.await_step((Step::Solve, "first", 0));
    let low = submit("low", Priority::Low);
    let normal = submit("normal", Priority::Normal);
    let critical = submit("critical", Priority::Critical);
    assert_eq!([&low, &normal, &critical].map(|handle| handle.queue_position()), [0, 0, 0]);
    assert_eq!(rig.engine.job(low.job_id()).map(|handle| handle.queue_position()), Some(2));
    rig.stage.release_all();
    for handle in [&first, &low, &normal, &critical] {
        outcome(handle);
    }
    let solved = rig.stage.entered_at(Step::Solve);
    assert_eq!(solved, [("first", 0), ("critical", 0), ("normal", 0), ("low", 0)]);
    rig.assert_settled(4);
}

#[test]
fn two_backends_work_at_once() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { backends: 2, ..limits() });
    for index in 0..2 {
        rig.stage.order((Step::Start, "a", index), Order::Hold);
    }
    let handle = rig.engine.submit(submission("a", 2), Interest::Forever, None).expect("accepted");
    rig.stage.await_count(Step::Start, "a", 2);
    let backends = rig.engine.status().backends;
    assert!(backends.iter().all(|backend| backend.current_job.as_deref() == Some("request")), "{backends:?}");
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&handle)), proof("a", 2));
    rig.assert_settled(1);
}
