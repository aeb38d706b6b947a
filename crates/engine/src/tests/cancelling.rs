//! Work that is not wanted any more stops at its next step, and leaves nothing behind.

use std::time::{Duration, SystemTime};

use super::fake::{Order, Rig, Step, limits, outcome, proof, proof_of, submission};
use crate::{CancelReason, Interest, OutcomeStatus, state::Limits};

fn cancelled(reason: CancelReason) -> OutcomeStatus {
    OutcomeStatus::Cancelled { reason }
}

#[test]
fn at_every_step() {
    let _limit = cuzk_testing::TimeLimit::seconds(30);
    let all = [Step::Solve, Step::Start, Step::Finish, Step::Verify];
    for (reached, step) in all.into_iter().enumerate() {
        let rig = Rig::new(limits());
        rig.stage.order((step, "a", 0), Order::Hold);
        let handle = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
        rig.stage.await_step((step, "a", 0));
        assert_eq!(rig.engine.cancel(handle.job_id()), Ok(true), "{step:?}");
        assert_eq!(
            outcome(&handle).status,
            cancelled(CancelReason::Requested),
            "{step:?}: without waiting for the step"
        );
        assert_eq!(rig.engine.cancel(handle.job_id()), Ok(false), "{step:?}");
        rig.stage.release_all();
        rig.assert_settled(0);
        let steps: Vec<_> = rig.stage.entered().into_iter().map(|place| place.0).collect();
        assert_eq!(steps[1..], all[..=reached], "no step after the one that was running");
        assert_eq!(rig.engine.status().cancelled, 1);
        let next = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
        assert_eq!(proof_of(&outcome(&next)), proof("b", 1), "{step:?}: the engine goes on");
    }
}

#[test]
fn in_both_queues() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Start, "a", 0), Order::Hold);
    let running = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Start, "a", 0));
    // Partition 0 waits for the backend, 1 is solved and waits for room, 2 and 3 are not solved.
    let handle = rig.engine.submit(submission("b", 4), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Solve, "b", 1));
    assert_eq!(rig.engine.cancel(handle.job_id()), Ok(true));
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&running)), proof("a", 1));
    assert_eq!(outcome(&handle).status, cancelled(CancelReason::Requested));
    rig.assert_settled(1);
    assert_eq!(rig.stage.entered_at(Step::Start), [("a", 0)]);
    assert!(rig.stage.entered_at(Step::Solve).iter().all(|(content, index)| *content == "a" || *index < 2));
}

#[test]
fn when_the_last_one_who_waits_goes() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let first = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let second = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let id = first.job_id().to_owned();
    let third = rig.engine.job(&id).expect("it is known");
    rig.stage.await_step((Step::Solve, "a", 0));
    drop(first);
    assert_eq!(third.try_outcome(), None, "two others wait");
    drop(second);
    assert_eq!(third.try_outcome(), None, "who asked for the job by its id waits too");
    drop(third);
    let ended = rig.engine.job(&id).expect("its end is known");
    assert_eq!(outcome(&ended).status, cancelled(CancelReason::Withdrawn));
    rig.stage.release_all();
    rig.assert_settled(0);
}

#[test]
fn not_when_somebody_waits_for_ever() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let held = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let id = held.job_id().to_owned();
    drop(rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted"));
    drop(held);
    rig.stage.release_all();
    let observer = rig.engine.job(&id).expect("it is known");
    assert_eq!(proof_of(&outcome(&observer)), proof("a", 1));
    drop(observer);
    // Withdrawing from a job that has ended changes nothing.
    drop(rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted"));
    assert_eq!(rig.engine.job(&id).expect("it is known").try_outcome().as_deref().map(proof_of), Some(&*proof("a", 1)));
    rig.assert_settled(1);
}

#[test]
fn when_the_deadline_passes() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Start, "a", 0), Order::Hold);
    let soon = SystemTime::now() + Duration::from_millis(50);
    let running = rig.engine.submit(submission("a", 2), Interest::Forever, Some(soon)).expect("accepted");
    let endless = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(outcome(&running).status, cancelled(CancelReason::Deadline));
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&endless)), proof("b", 1));
    rig.assert_settled(1);
}

#[test]
fn a_deadline_that_has_passed_already() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    let past = SystemTime::now() - Duration::from_secs(1);
    let late = rig.engine.submit(submission("a", 1), Interest::Forever, Some(past)).expect("accepted");
    let there = late.try_outcome().expect("there at once");
    assert_eq!(there.status, cancelled(CancelReason::Deadline));
    rig.assert_settled(0);
    assert_eq!(rig.stage.entered_at(Step::Solve), []);
}

#[test]
fn the_latest_deadline_of_those_who_wait_counts() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let soon = SystemTime::now() + Duration::from_millis(30);
    let patient = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let hasty = rig.engine.submit(submission("a", 1), Interest::Forever, Some(soon)).expect("accepted");
    assert_eq!(hasty.outcome_blocking(Some(Duration::from_millis(60))), None, "somebody waits longer");
    drop(patient);
    assert_eq!(outcome(&hasty).status, cancelled(CancelReason::Deadline), "the others' deadline has passed");
    rig.stage.release_all();
    rig.assert_settled(0);
}

#[test]
fn a_backend_holds_two_started_partitions_at_most() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { queue_depth: 8, ..limits() });
    rig.stage.order((Step::Finish, "a", 0), Order::Hold);
    let handle = rig.engine.submit(submission("a", 4), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Finish, "a", 0));
    rig.stage.await_step((Step::Start, "a", 1));
    rig.stage.await_count(Step::Solve, "a", 4);
    assert_eq!(rig.stage.entered_at(Step::Start), [("a", 0), ("a", 1)], "the third waits, solved");
    assert_eq!(rig.engine.cancel(handle.job_id()), Ok(true));
    rig.stage.release_all();
    rig.assert_settled(0);
    assert_eq!(rig.stage.entered_at(Step::Finish), [("a", 0)], "the second was dropped unfinished");
}
