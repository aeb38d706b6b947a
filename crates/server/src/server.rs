//! From bound listeners to a drained engine.

use std::{future::Future, io, time::Duration};

use cuzk_engine::Engine;
use cuzk_proto::{DEFAULT_MAX_MESSAGE_BYTES, v1::proving_engine_server::ProvingEngineServer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    task::{JoinSet, spawn_blocking},
    time::timeout,
};
use tokio_stream::{Stream, wrappers::UnixListenerStream};
use tonic::transport::{
    self,
    server::{Connected, TcpIncoming},
};

use crate::{
    ListenAddr, ServerError,
    jobs::Jobs,
    listen::{Listener, Paced},
    service::Service,
};

/// Bytes in flight on a connection: the default of 64 KiB is slow for payloads of tens of megabytes.
const WINDOW_BYTES: u32 = 4 << 20;

/// How often a silent connection is probed, so that the work of a client that vanished stops.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// How long connections may still deliver results once the engine is drained.
const LAST_RESPONSES: Duration = Duration::from_secs(10);

/// How to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Where to listen; at least one address. TCP has no authentication: listen on loopback or behind something that has.
    pub listen: Vec<ListenAddr>,
    /// Bytes that a message may have, each way.
    pub max_message: usize,
}

impl ServerConfig {
    /// Listens on `listen`, with messages up to 256 MiB.
    pub fn new(listen: Vec<ListenAddr>) -> Self {
        Self { listen, max_message: DEFAULT_MAX_MESSAGE_BYTES }
    }
}

/// A server whose listeners are bound. Clients may connect; they are answered once [`Server::run`] is polled.
pub struct Server {
    engine: Engine,
    listeners: Vec<Listener>,
    max_message: usize,
}

impl Server {
    /// Binds every address of `config`. A unix socket whose process is gone is replaced.
    ///
    /// # Errors
    /// [`ServerError::NoListener`] without an address, [`ServerError::InUse`] or [`ServerError::NotASocket`] when
    /// something stands in the socket's place, [`ServerError::Listen`] for what the system refuses.
    pub async fn bind(engine: Engine, config: &ServerConfig) -> Result<Self, ServerError> {
        if config.listen.is_empty() {
            return Err(ServerError::NoListener);
        }
        let mut listeners = Vec::with_capacity(config.listen.len());
        for address in &config.listen {
            listeners.push(Listener::bind(address).await?);
        }
        Ok(Self { engine, listeners, max_message: config.max_message })
    }

    /// The bound addresses in the order of the configuration; port 0 is replaced by the port that the system chose.
    pub fn addresses(&self) -> Vec<ListenAddr> {
        self.listeners.iter().map(Listener::address).collect()
    }

    /// Serves until `shutdown` completes, then drains the engine: new work is refused with `UNAVAILABLE`, jobs in flight
    /// are finished and their results delivered to whoever waits, and the listeners close. Draining takes as long
    /// as those jobs do; whoever cannot wait cancels them or ends the process.
    ///
    /// # Errors
    /// [`ServerError::Ended`] when a listener fails while serving; the engine is drained before.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        run(self.engine, self.listeners, self.max_message, shutdown).await
    }
}

/// Binds and runs in one step; see [`Server::bind`] and [`Server::run`].
///
/// # Errors
/// Those of both.
pub async fn serve(
    engine: Engine,
    config: &ServerConfig,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    Server::bind(engine, config).await?.run(shutdown).await
}

/// See [`Server::run`].
pub(crate) async fn run<E: Jobs>(
    engine: E,
    listeners: Vec<Listener>,
    max_message: usize,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    let (stop, stopped) = watch::channel(false);
    let mut listening = JoinSet::new();
    for listener in listeners {
        let rpc = ProvingEngineServer::new(Service::new(engine.clone()))
            .max_decoding_message_size(max_message)
            .max_encoding_message_size(max_message);
        listening.spawn(serve_on(listener, rpc, stopped.clone()));
    }
    let ended = tokio::select! {
        () = shutdown => None,
        // There is at least one listener, so this is one that ended before its time.
        ended = listening.join_next() => ended,
    };
    tracing::info!("draining: new work is refused, jobs in flight are finished");
    if spawn_blocking(move || engine.drain()).await.is_err() {
        tracing::error!("the engine failed while draining");
    }
    stop.send_replace(true);
    if timeout(LAST_RESPONSES, async { while listening.join_next().await.is_some() {} }).await.is_err() {
        tracing::warn!("closing connections that are still open {} s after the drain", LAST_RESPONSES.as_secs());
    }
    match ended {
        None | Some(Ok(Ok(()))) => Ok(()),
        Some(Ok(Err(error))) => Err(error),
        Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // Only the set cancels its tasks, when it is dropped.
        Some(Err(_)) => Ok(()),
    }
}

/// Serves one listener until `stopped` turns true. Its socket file goes last.
async fn serve_on<E: Jobs>(
    listener: Listener,
    rpc: ProvingEngineServer<Service<E>>,
    stopped: watch::Receiver<bool>,
) -> Result<(), ServerError> {
    let address = listener.address();
    let served = match listener {
        Listener::Tcp(listener, _) => {
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true)).with_keepalive(Some(KEEPALIVE));
            serve_incoming(incoming, rpc, stopped.clone()).await
        }
        Listener::Unix(listener, _file) => {
            serve_incoming(UnixListenerStream::new(listener), rpc, stopped.clone()).await
        }
    };
    match served {
        Err(error) => Err(ServerError::Ended { address, reason: error.to_string() }),
        Ok(()) if *stopped.borrow() => Ok(()),
        Ok(()) => Err(ServerError::Ended { address, reason: "the listener is closed".to_owned() }),
    }
}

async fn serve_incoming<E: Jobs, T>(
    incoming: impl Stream<Item = io::Result<T>> + Unpin,
    rpc: ProvingEngineServer<Service<E>>,
    mut stopped: watch::Receiver<bool>,
) -> Result<(), transport::Error>
where
    T: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    transport::Server::builder()
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .serve_with_incoming_shutdown(rpc, Paced::new(incoming), async move {
            // An error says that the sender is gone, and with it the server.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        })
        .await
}
