//! What a caller hears when there is no daemon.

use cuzk_proto::{Client, ClientError};
use cuzk_testing::TimeLimit;

#[tokio::test]
async fn a_closed_port_is_named() {
    let _limit = TimeLimit::seconds(20);
    // Bound and closed again: nobody listens there.
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let error = Client::connect(&address).await.expect_err("nobody listens");
    assert!(matches!(error, ClientError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains(&address) && error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_missing_socket_is_named() {
    let _limit = TimeLimit::seconds(20);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("cuzk.sock");
    let error = Client::connect(&format!("unix://{}", path.display())).await.expect_err("nobody listens");
    assert!(error.to_string().contains("cuzk.sock") && error.to_string().contains("No such file"), "{error}");
}
