//! The calls from the wire to the engine and back, with an engine whose jobs end when the test says so.

mod calls;
mod ends;
mod fake;

use cuzk_proto::{Client, v1};
use tokio::{sync::oneshot, task::JoinHandle};

use self::fake::Fake;
use crate::{ListenAddr, ServerError, listen::Listener, server::run};

/// Bytes that a message may have in these tests.
const LIMIT: usize = 64 << 10;

/// A server with one listener in the background.
struct Running {
    address: ListenAddr,
    shutdown: oneshot::Sender<()>,
    served: JoinHandle<Result<(), ServerError>>,
}

impl Running {
    /// Serves `engine` at `address`.
    async fn at(engine: &Fake, address: &str) -> Self {
        let listener = Listener::bind(&address.parse().expect("an address")).await.expect("the address is free");
        let address = listener.address();
        let (shutdown, asked) = oneshot::channel::<()>();
        let engine = engine.clone();
        let served = tokio::spawn(run(engine, vec![listener], LIMIT, async {
            // A test that drops this end is not done with the server.
            if asked.await.is_err() {
                std::future::pending::<()>().await;
            }
        }));
        Self { address, shutdown, served }
    }

    /// Serves `engine` at a free port.
    async fn new(engine: &Fake) -> Self {
        Self::at(engine, "127.0.0.1:0").await
    }

    async fn client(&self) -> Client {
        Client::connect_to(self.address.clone()).await.expect("the server listens")
    }
}

/// A request with this id and nothing else.
fn request(request_id: &str) -> v1::SubmitProofRequest {
    v1::SubmitProofRequest { request_id: request_id.to_owned(), ..Default::default() }
}
