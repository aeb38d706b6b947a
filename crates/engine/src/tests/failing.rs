//! What goes wrong with one job is told to that job alone.

use super::fake::{Order, Rig, Step, limits, outcome, proof, proof_of, submission};
use crate::{Interest, JobStage, OutcomeStatus};

#[test]
fn an_error_or_a_panic_fails_its_own_job() {
    let _limit = cuzk_testing::TimeLimit::seconds(30);
    let steps = [
        (Step::Solve, JobStage::Solve),
        (Step::Start, JobStage::Prove),
        (Step::Finish, JobStage::Finish),
        (Step::Verify, JobStage::Verify),
        (Step::Assemble, JobStage::Assemble),
    ];
    for (step, expected_stage) in steps {
        for order in [Order::Fail, Order::Panic] {
            let rig = Rig::new(limits());
            // The assembly is of the whole job, and announced as partition 0.
            let index = if step == Step::Assemble { 0 } else { 1 };
            rig.stage.order((step, "bad", index), order);
            let bad = rig.engine.submit(submission("bad", 3), Interest::Forever, None).expect("accepted");
            let good = rig.engine.submit(submission("good", 3), Interest::Forever, None).expect("accepted");
            let failed = outcome(&bad);
            let OutcomeStatus::Failed { stage, partition, message } = &failed.status else {
                panic!("{step:?} was told to {order:?}: {failed:?}")
            };
            assert_eq!(*stage, expected_stage);
            assert_eq!(*partition, (step != Step::Assemble).then_some(1));
            assert!(message.contains("told to"), "{message}");
            assert_eq!(message.contains("panicked"), order == Order::Panic, "{message}");
            assert_eq!(proof_of(&outcome(&good)), proof("good", 3));
            rig.assert_settled(1);
            assert_eq!(rig.engine.status().failed, 1);
        }
    }
}

#[test]
fn a_proof_that_does_not_verify_is_never_delivered() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Verify, "a", 2), Order::Fail);
    let handle = rig.engine.submit(submission("a", 3), Interest::Forever, None).expect("accepted");
    let failed = outcome(&handle);
    assert!(
        matches!(&failed.status, OutcomeStatus::Failed { stage: JobStage::Verify, partition: Some(2), .. }),
        "{failed:?}"
    );
    rig.assert_settled(0);
    assert_eq!(rig.stage.entered_at(Step::Assemble), []);
}

#[test]
fn whoever_is_told_of_a_failure_finds_nothing_of_the_job() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    for step in [Step::Solve, Step::Start, Step::Finish, Step::Verify, Step::Assemble] {
        let rig = Rig::new(limits());
        rig.stage.order((step, "a", 0), Order::Fail);
        let handle = rig.engine.submit(submission("a", 1), Interest::Forever, None).expect("accepted");
        assert!(matches!(outcome(&handle).status, OutcomeStatus::Failed { .. }));
        rig.assert_no_work();
    }
}

#[test]
fn what_is_left_of_a_failed_job_is_not_worked_on() {
    let _limit = cuzk_testing::TimeLimit::seconds(20);
    let rig = Rig::new(limits());
    rig.stage.order((Step::Solve, "a", 0), Order::Fail);
    let handle = rig.engine.submit(submission("a", 5), Interest::Forever, None).expect("accepted");
    assert!(matches!(outcome(&handle).status, OutcomeStatus::Failed { partition: Some(0), .. }));
    rig.assert_settled(0);
    // One worker, which reports the failure before it looks for more.
    assert_eq!(rig.stage.entered_at(Step::Solve), [("a", 0)]);
}
