//! Which submissions are one job, under which id, and for how long.

use std::{thread, time::Duration};

use super::fake::{Order, Rig, Step, limits, outcome, proof, proof_of, submission};
use crate::{CancelReason, Interest, JobState, OutcomeStatus, Retention, SubmitError, state::Limits};

#[test]
fn a_job_runs_to_its_proof() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    let handle = rig.engine.submit(submission("a", 3), Interest::Forever, None).expect("accepted");
    assert_eq!(handle.job_id(), "request");
    let outcome = outcome(&handle);
    // Not only after a while: whoever has the outcome finds nothing of the job.
    rig.assert_no_work();
    assert_eq!(proof_of(&outcome), proof("a", 3));
    assert_eq!(handle.state(), JobState::Finished);
    let timings = outcome.timings;
    assert!(timings.total >= timings.queue_wait);
    rig.assert_settled(1);
    let status = rig.engine.status();
    assert_eq!((status.completed, status.failed, status.cancelled), (1, 0, 0));
    assert_eq!(status.backends[0].current_job, None);
}

#[test]
fn an_outcome_is_awaited_without_a_particular_runtime() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    let mut handle = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
    assert_eq!(proof_of(&runtime.block_on(handle.outcome())), proof("a", 1));
}

#[test]
fn one_request_id_with_different_content_is_two_jobs() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    let first = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    let second = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
    assert_eq!((first.job_id(), second.job_id()), ("request", "request#2"));
    assert_eq!(proof_of(&outcome(&first)), proof("a", 1));
    assert_eq!(proof_of(&outcome(&second)), proof("b", 1));
    rig.assert_settled(2);
}

#[test]
fn equal_submissions_share_one_job() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let first = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    let second = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    assert_eq!(first.job_id(), second.job_id());
    rig.stage.release_all();
    assert_eq!(proof_of(&outcome(&first)), proof("a", 1));
    let third = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(third.job_id(), first.job_id());
    assert_eq!(third.try_outcome().as_deref().map(proof_of), Some(&*proof("a", 1)), "from retention, at once");
    assert_eq!(rig.stage.entered_at(Step::Solve), [("a", 0)], "it was proved once");
    rig.assert_settled(1);
}

#[test]
fn equal_submissions_that_are_parsed_at_once_share_one_job() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Parse, "a", 0), Order::Hold);
    let submit = || {
        let engine = rig.engine.clone();
        thread::spawn(move || engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted"))
    };
    let threads = [submit(), submit()];
    rig.stage.await_count(Step::Parse, "a", 2);
    rig.stage.release_all();
    let handles = threads.map(|thread| thread.join().expect("no panic"));
    assert_eq!(handles[0].job_id(), handles[1].job_id());
    assert_eq!(proof_of(&outcome(&handles[0])), proof_of(&outcome(&handles[1])));
    rig.assert_settled(1);
    assert_eq!(rig.stage.entered_at(Step::Solve), [("a", 0)]);
}

#[test]
fn after_a_failure_or_a_cancellation_it_is_a_new_job() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Verify, "a", 0), Order::Fail);
    let failed = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert!(matches!(outcome(&failed).status, OutcomeStatus::Failed { .. }));
    rig.stage.release_all();
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let cancelled = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(rig.engine.cancel(cancelled.job_id()), Ok(true));
    rig.stage.release_all();
    let completed = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(proof_of(&outcome(&completed)), proof("a", 1));
    assert_eq!([failed.job_id(), cancelled.job_id(), completed.job_id()], ["request", "request#2", "request#3"]);
    for (handle, id) in [(&failed, "request"), (&cancelled, "request#2"), (&completed, "request#3")] {
        let found = rig.engine.job(id).expect("still known");
        assert_eq!(found.try_outcome(), handle.try_outcome());
    }
    assert_eq!(rig.engine.cancel("request#3"), Ok(false), "it has ended");
    rig.assert_settled(1);
}

#[test]
fn a_submission_without_an_id_gets_one() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    let nameless = |content| cuzk_filecoin::Submission { request_id: String::new(), ..submission(content, 1) };
    let first = rig.engine.submit(nameless("a"), Interest::Forever, None).expect("accepted");
    let second = rig.engine.submit(nameless("b"), Interest::Forever, None).expect("accepted");
    assert!(first.job_id().starts_with("porep-2k-"), "{}", first.job_id());
    assert_ne!(first.job_id(), second.job_id());
    outcome(&first);
    outcome(&second);
}

#[test]
fn finished_jobs_are_forgotten_at_their_bounds() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let retention = Retention { max_jobs: 1, ..Retention::default() };
    let rig = Rig::new(Limits { retention, ..limits() });
    let first = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    let first_outcome = outcome(&first);
    let second = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
    outcome(&second);
    rig.assert_settled(1);
    assert!(rig.engine.job("request").is_none());
    assert!(rig.engine.cancel("request").is_err());
    assert_eq!(first.try_outcome(), Some(first_outcome), "a handle keeps its outcome");
    let again = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(again.job_id(), "request", "the id is free again");
    assert_eq!(proof_of(&outcome(&again)), proof("a", 1));
    assert_eq!(rig.stage.entered_at(Step::Solve), [("a", 0), ("b", 0), ("a", 0)], "it was proved anew");
    rig.assert_settled(1);
}

#[test]
fn finished_jobs_are_forgotten_with_age_by_the_clock() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let retention = Retention { max_age: Duration::from_millis(20), ..Retention::default() };
    let rig = Rig::new(Limits { retention, ..limits() });
    let handle = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    outcome(&handle);
    // The clock's thread is the one to do it; nothing else touches the engine.
    while rig.engine.ledger().snapshot().class("proof").is_some_and(|class| class.count > 0) {
        thread::yield_now();
    }
    assert!(rig.engine.job("request").is_none());
}

#[test]
fn a_full_queue_refuses_new_jobs_but_shares_known_ones() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(Limits { max_pending: 2, ..limits() });
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let first = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Solve, "a", 0));
    let second = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(rig.counts(), (1, 1), "one in progress, one pending");
    assert_eq!((first.state(), second.state()), (JobState::InProgress { proved: 0, partitions: 1 }, JobState::Pending));
    let refused = rig.engine.submit(submission("c", 1), Interest::Forever, None);
    assert!(matches!(refused, Err(SubmitError::QueueFull { pending: 2, limit: 2 })), "{refused:?}");
    assert_eq!(rig.stage.entered_at(Step::Parse).len(), 2, "refused before the work of parsing");
    rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("shared");
    rig.stage.release_all();
    outcome(&first);
    outcome(&second);
    rig.engine.submit(submission("c", 1), Interest::Forever, None).expect("there is room again");
    rig.assert_settled(3);
}

#[test]
fn an_invalid_submission_leaves_nothing() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Parse, "a", 0), Order::Fail);
    let refused = rig.engine.submit(submission("a", 1), Interest::Forever, None);
    assert!(matches!(&refused, Err(SubmitError::Invalid(error)) if error.field() == "vanilla_proof"), "{refused:?}");
    assert!(rig.engine.job("request").is_none());
    rig.assert_settled(0);
}

#[test]
fn two_engines_in_one_process() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let (left, right) = (Rig::new(limits()), Rig::new(limits()));
    left.stage.order((Step::Start, "a", 0), Order::Hold);
    let held = left.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    left.stage.await_step((Step::Start, "a", 0));
    let free = right.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    assert_eq!(proof_of(&outcome(&free)), proof("a", 1));
    right.assert_settled(1);
    assert_eq!(right.engine.ledger().snapshot().class("advice").map(|class| class.count), Some(0));
    assert_eq!(left.engine.ledger().snapshot().class("advice").map(|class| class.count), Some(1));
    assert_eq!(left.engine.status().backends[0].current_job.as_deref(), Some("request"));
    drop(right);
    left.stage.release_all();
    assert_eq!(proof_of(&outcome(&held)), proof("a", 1));
    left.assert_settled(1);
}

#[test]
fn draining_refuses_new_work_and_ends_what_is_there() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Finish, "a", 0), Order::Hold);
    let running = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
    let queued = rig.engine.submit(submission("b", 2), Interest::Forever, None).expect("accepted");
    assert!(!rig.engine.drain_for(Duration::ZERO));
    let refused = rig.engine.submit(submission("c", 1), Interest::Forever, None);
    assert!(matches!(refused, Err(SubmitError::Draining)), "{refused:?}");
    rig.stage.release_all();
    rig.engine.drain();
    assert_eq!(running.try_outcome().as_deref().map(proof_of), Some(&*proof("a", 1)));
    assert_eq!(queued.try_outcome().as_deref().map(proof_of), Some(&*proof("b", 2)));
    rig.assert_settled(2);
    assert!(rig.engine.status().draining);
}

#[test]
fn handles_outlive_their_engine() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Hold);
    let running = rig.engine.submit(submission("a", 1), Interest::WhileHeld, None).expect("accepted");
    let queued = rig.engine.submit(submission("b", 1), Interest::Forever, None).expect("accepted");
    rig.stage.await_step((Step::Solve, "a", 0));
    let Rig { engine, stage, .. } = rig;
    let ledger = engine.ledger().clone();
    let ending = thread::spawn(move || engine.shutdown());
    for handle in [&running, &queued] {
        assert_eq!(outcome(handle).status, OutcomeStatus::Cancelled { reason: CancelReason::Shutdown });
    }
    stage.release_all();
    ending.join().expect("no panic");
    assert!(ledger.snapshot().is_empty());
}
