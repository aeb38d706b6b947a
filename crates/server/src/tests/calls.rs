//! What each call does, and how it refuses.

use std::time::{Duration, SystemTime};

use cuzk_engine::{Interest, JobStage, OutcomeStatus, SubmitError};
use cuzk_proto::{Client, ClientError, Code, v1::await_proof_response::Status};
use cuzk_testing::TimeLimit;

use super::{LIMIT, Running, fake::Fake, request};

fn code(error: &ClientError) -> Code {
    error.code().unwrap_or_else(|| unreachable!("the server answers: {error}"))
}

/// Submits, is told that it takes longer, waits again, and gets the proof.
async fn submit_and_wait(engine: &Fake, client: &Client) {
    let submitted = client.submit(request("job")).await.expect("accepted");
    assert_eq!((submitted.job_id.as_str(), submitted.queue_position), ("job", 7));

    let early = client.await_proof("job", Some(Duration::from_millis(20))).await.expect("an answer");
    assert_eq!(early.status(), Status::Timeout);
    assert!(early.proof.is_empty() && early.error_message.contains("20 ms"), "{}", early.error_message);

    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.await_proof("job", None).await }
    });
    engine.finish("job", OutcomeStatus::Completed { proof: vec![1, 2, 3] });
    let result = waiting.await.expect("no panic").expect("an answer");
    assert_eq!((result.status(), result.proof.as_slice(), result.total_ms), (Status::Completed, &[1, 2, 3][..], 1234));
    assert!(!client.cancel("job").await.expect("a known job"), "it had ended");
}

#[tokio::test]
async fn submit_and_await_over_tcp() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let server = Running::new(&engine).await;
    submit_and_wait(&engine, &server.client().await).await;
}

#[tokio::test]
async fn submit_and_await_over_a_unix_socket() {
    let _limit = TimeLimit::seconds(30);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (engine, _withdrawn) = Fake::new();
    let server = Running::at(&engine, &format!("unix://{}/cuzk.sock", dir.path().display())).await;
    submit_and_wait(&engine, &server.client().await).await;
}

#[tokio::test]
async fn a_request_arrives_whole() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    let mut sent = request("whole");
    sent.proof_kind = 77;
    sent.sector_size = 2048;
    sent.registered_proof = 5;
    sent.priority = 3;
    sent.vanilla_proof = vec![1; 1000].into();
    sent.vanilla_proofs = vec![vec![2; 10].into(), vec![3; 20].into()];
    sent.sector_number = 6;
    sent.miner_id = 1000;
    sent.randomness = vec![4; 32];
    sent.partition_index = 8;
    sent.comm_r_old = vec![5; 32];
    sent.comm_r_new = vec![6; 32];
    sent.comm_d_new = vec![7; 32];
    sent.deadline_unix_ms = 2_000_000_000_000;
    client.submit(sent).await.expect("accepted");

    let (seen, interest, deadline) = engine.last_seen();
    assert_eq!(interest, Interest::Forever);
    assert_eq!(deadline, Some(SystemTime::UNIX_EPOCH + Duration::from_millis(2_000_000_000_000)));
    assert_eq!((seen.request_id.as_str(), seen.proof_kind, seen.sector_size), ("whole", 77, 2048));
    assert_eq!((seen.registered_proof, seen.priority, seen.vanilla_proof), (5, 3, vec![1; 1000]));
    assert_eq!(seen.vanilla_proofs, [vec![2; 10], vec![3; 20]]);
    assert_eq!((seen.sector_number, seen.miner_id, seen.partition_index), (6, 1000, 8));
    assert_eq!((seen.randomness, seen.comm_r_old), (vec![4; 32], vec![5; 32]));
    assert_eq!((seen.comm_r_new, seen.comm_d_new), (vec![6; 32], vec![7; 32]));
    assert_eq!(seen.deadline_unix_ms, 2_000_000_000_000);
}

#[tokio::test]
async fn a_failed_proof_is_an_answer() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    client.submit(request("job")).await.expect("accepted");
    let message = "constraint challenge 3/encoding does not hold; check the sealed sector".to_owned();
    engine.finish("job", OutcomeStatus::Failed { stage: JobStage::Solve, partition: Some(4), message });
    let result = client.await_proof("job", None).await.expect("an answer");
    assert_eq!(result.status(), Status::Failed);
    assert!(result.proof.is_empty());
    for part in ["stage solve", "partition 4", "challenge 3/encoding", "check the sealed sector"] {
        assert!(result.error_message.contains(part), "{part}: {}", result.error_message);
    }
}

#[tokio::test]
async fn cancelling_ends_every_wait() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    client.submit(request("job")).await.expect("accepted");
    assert!(client.cancel("job").await.expect("a known job"), "it was running");
    let result = client.await_proof("job", None).await.expect("an answer");
    assert_eq!(result.status(), Status::Cancelled);
    assert!(result.error_message.contains("on request"), "{}", result.error_message);
}

#[tokio::test]
async fn what_is_unknown_is_not_found() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    let wait = client.await_proof("nobody", None).await.expect_err("no such job");
    let cancel = client.cancel("nobody").await.expect_err("no such job");
    let preload = client.preload("porep-3g").await.expect_err("no such circuit");
    let evict = client.evict("").await.expect_err("no such circuit");
    for (error, name) in [(wait, "nobody"), (cancel, "nobody"), (preload, "porep-3g"), (evict, "\"\"")] {
        assert_eq!(code(&error), Code::NotFound, "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[tokio::test]
async fn keys_are_loaded_and_freed() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    let preloaded = client.preload("porep-32g").await.expect("a known circuit");
    assert_eq!((preloaded.already_loaded, preloaded.load_time_ms), (false, 321));
    let evicted = client.evict("porep-32g").await.expect("a known circuit");
    assert_eq!((evicted.was_loaded, evicted.freed_bytes), (true, 4096));
}

#[tokio::test]
async fn refusals_have_their_codes() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    engine.refuse(SubmitError::QueueFull { pending: 256, limit: 255 });
    let error = client.submit(request("job")).await.expect_err("refused");
    assert_eq!(code(&error), Code::ResourceExhausted, "{error}");
    assert!(error.to_string().contains("255") && error.to_string().contains("try again"), "{error}");
    engine.refuse(SubmitError::Draining);
    let error = client.prove(request("job"), None).await.expect_err("refused");
    assert_eq!(code(&error), Code::Unavailable, "{error}");
}

#[tokio::test]
async fn a_message_over_the_limit_is_told_both_numbers() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    for payload in [LIMIT, 100 * LIMIT] {
        let mut large = request("large");
        large.vanilla_proof = vec![0; payload].into();
        let size = prost_size(payload);
        let error = client.submit(large).await.expect_err("too large");
        assert_eq!(code(&error), Code::OutOfRange, "{error}");
        assert!(error.to_string().contains(&LIMIT.to_string()), "{error}");
        assert!(error.to_string().contains(&size.to_string()), "{error}");
    }
    // The daemon goes on, on the same connection.
    client.submit(request("small")).await.expect("accepted");
}

/// A request of id `large` and a payload: two keys of one byte, the id and its length, and the payload and its length,
/// which takes seven bits a byte.
fn prost_size(payload: usize) -> usize {
    let length_bytes = (usize::BITS - payload.leading_zeros()).div_ceil(7) as usize;
    1 + 1 + "large".len() + 1 + length_bytes + payload
}

#[tokio::test]
async fn a_prove_without_a_request_is_refused() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let server = Running::new(&engine).await;
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address)).expect("a URI");
    let channel = channel.connect().await.expect("the server listens");
    let mut raw = cuzk_proto::v1::proving_engine_client::ProvingEngineClient::new(channel);
    let status = raw.prove(cuzk_proto::v1::ProveRequest { submit: None }).await.expect_err("nothing to prove");
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("submit"), "{}", status.message());
}

/// On a runtime of one thread: were parsing on it, the status would never come.
#[tokio::test]
async fn a_status_is_quick_while_submissions_are_parsed() {
    let _limit = TimeLimit::seconds(30);
    let (engine, _withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    client.submit(request("first")).await.expect("accepted");
    engine.hold_up(true);
    let parsed: Vec<_> = (0..1000)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move { client.submit(request(&format!("job-{number}"))).await })
        })
        .collect();
    let watched = engine.clone();
    tokio::task::spawn_blocking(move || watched.wait_until(|waiting, _| waiting > 0)).await.expect("no panic");

    let status = client.status().await.expect("an answer");
    assert_eq!((status.queues[0].proof_kind.as_str(), status.queues[0].pending), ("porep-c2", 1));
    assert_eq!(status.pipeline.expect("always there").max_pending, 9);
    let metrics = client.metrics().await.expect("an answer");
    assert!(metrics.contains("cuzk_jobs{kind=\"porep-c2\",state=\"pending\"} 1\n"), "{metrics}");

    engine.hold_up(false);
    for submitted in parsed {
        submitted.await.expect("no panic").expect("accepted");
    }
}
