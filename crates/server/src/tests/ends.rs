//! How calls and servers end: deadlines, disconnects, shutdown.

use std::time::{Duration, SystemTime};

use cuzk_engine::{Interest, OutcomeStatus};
use cuzk_proto::{Client, Code, v1::await_proof_response::Status};
use cuzk_testing::TimeLimit;
use tokio::task::spawn_blocking;

use super::{Running, fake::Fake, request};

#[tokio::test]
async fn a_prove_holds_its_interest_until_the_result() {
    let _limit = TimeLimit::seconds(30);
    let (engine, mut withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    // Submitted first, so that it can be finished before it is asked for.
    client.submit(request("job")).await.expect("accepted");
    engine.finish("job", OutcomeStatus::Completed { proof: vec![9; 192] });
    let result = client.prove(request("job"), None).await.expect("an answer");
    assert_eq!((result.job_id.as_str(), result.status(), result.proof.len()), ("job", Status::Completed, 192));
    assert_eq!(withdrawn.recv().await.as_deref(), Some("job"));
    let (_, interest, deadline) = engine.last_seen();
    assert_eq!((interest, deadline), (Interest::WhileHeld, None));
}

#[tokio::test]
async fn a_deadline_withdraws_the_interest() {
    let _limit = TimeLimit::seconds(30);
    let (engine, mut withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    let before = SystemTime::now();
    let error = client.prove(request("job"), Some(Duration::from_millis(300))).await.expect_err("it takes longer");
    assert!(matches!(error.code(), Some(Code::Cancelled | Code::DeadlineExceeded)), "{error}");
    assert_eq!(withdrawn.recv().await.as_deref(), Some("job"));
    // The engine was told as well.
    let (_, _, deadline) = engine.last_seen();
    let deadline = deadline.expect("it comes from the call");
    assert!(deadline >= before + Duration::from_millis(200) && deadline <= SystemTime::now(), "{deadline:?}");
}

/// Starts a prove and waits until the engine has it.
async fn start_prove(engine: &Fake, client: &Client) -> tokio::task::JoinHandle<()> {
    let proving = tokio::spawn({
        let client = client.clone();
        async move { drop(client.prove(request("job"), None).await) }
    });
    // Found by name: the job is there once somebody can wait for it.
    while client.await_proof("job", Some(Duration::from_millis(1))).await.is_err() {}
    assert_eq!(engine.last_seen().1, Interest::WhileHeld);
    proving
}

#[tokio::test]
async fn a_call_that_is_given_up_withdraws_the_interest() {
    let _limit = TimeLimit::seconds(30);
    let (engine, mut withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    let proving = start_prove(&engine, &client).await;
    assert!(withdrawn.try_recv().is_err(), "the call lives");
    proving.abort();
    assert_eq!(withdrawn.recv().await.as_deref(), Some("job"));
    // The connection is still good.
    client.status().await.expect("an answer");
}

/// The client's runtime, and with it its connection, ends without a word, as a process that is killed does.
#[tokio::test]
async fn a_client_that_vanishes_withdraws_the_interest() {
    let _limit = TimeLimit::seconds(30);
    let (engine, mut withdrawn) = Fake::new();
    let server = Running::new(&engine).await;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let address = server.address.clone();
    runtime.spawn(async move {
        let client = Client::connect_to(address).await.expect("the server listens");
        client.prove(request("job"), None).await
    });
    let client = server.client().await;
    while client.await_proof("job", Some(Duration::from_millis(1))).await.is_err() {}
    runtime.shutdown_background();
    assert_eq!(withdrawn.recv().await.as_deref(), Some("job"));
}

/// A caller that goes while its request is parsed leaves nobody interested in it.
#[tokio::test]
async fn a_caller_that_goes_during_parsing_withdraws_the_interest() {
    let _limit = TimeLimit::seconds(30);
    let (engine, mut withdrawn) = Fake::new();
    let client = Running::new(&engine).await.client().await;
    engine.hold_up(true);
    client.prove(request("job"), Some(Duration::from_millis(200))).await.expect_err("it takes longer");
    engine.hold_up(false);
    assert_eq!(withdrawn.recv().await.as_deref(), Some("job"));
}

#[tokio::test]
async fn shutdown_delivers_what_is_in_flight_and_removes_the_socket() {
    let _limit = TimeLimit::seconds(30);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("cuzk.sock");
    let (engine, _withdrawn) = Fake::new();
    let server = Running::at(&engine, &format!("unix://{}", path.display())).await;
    let client = server.client().await;
    client.submit(request("job")).await.expect("accepted");
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.await_proof("job", None).await }
    });

    server.shutdown.send(()).expect("the server runs");
    let watched = engine.clone();
    spawn_blocking(move || watched.wait_until(|_, draining| draining)).await.expect("no panic");
    let refused = client.submit(request("late")).await.expect_err("the engine drains");
    assert_eq!(refused.code(), Some(Code::Unavailable), "{refused}");
    assert!(client.status().await.expect("an answer").pipeline.expect("always there").draining);
    assert!(path.exists());

    engine.finish("job", OutcomeStatus::Completed { proof: vec![1; 192] });
    assert_eq!(waiting.await.expect("no panic").expect("an answer").proof.len(), 192);
    server.served.await.expect("no panic").expect("a clean end");
    assert!(!path.exists());
    assert!(client.status().await.is_err(), "nobody listens any more");
}
