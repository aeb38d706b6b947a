//! A client of one daemon.

use std::{future::Future, time::Duration};

use tonic::{
    Request, Response, Status,
    transport::{Channel, Endpoint},
};

use crate::{
    Address, ClientError, DEFAULT_MAX_MESSAGE_BYTES,
    v1::{
        AwaitProofRequest, AwaitProofResponse, CancelProofRequest, EvictSrsRequest, EvictSrsResponse,
        GetMetricsRequest, GetStatusRequest, GetStatusResponse, PreloadSrsRequest, PreloadSrsResponse, ProveRequest,
        SubmitProofRequest, SubmitProofResponse, proving_engine_client::ProvingEngineClient,
    },
};

/// How long to wait for a daemon to take the connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often an idle connection is probed while a call waits, so that a dead peer is noticed.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Bytes in flight on a connection: the default of 64 KiB is slow for payloads of tens of megabytes.
const WINDOW_BYTES: u32 = 4 << 20;

/// A connection to one daemon. Cheap to clone; clones share the connection, which is made anew when it breaks.
#[derive(Debug, Clone)]
pub struct Client {
    address: Address,
    rpc: ProvingEngineClient<Channel>,
}

impl Client {
    /// Connects to `host:port`, `http://host:port` or `unix:///path`.
    ///
    /// # Errors
    /// [`ClientError::Address`] when `address` cannot be read, [`ClientError::Connect`] when nobody answers there.
    pub async fn connect(address: &str) -> Result<Self, ClientError> {
        Self::connect_to(address.parse()?).await
    }

    /// As [`Client::connect`], from an address already read.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub async fn connect_to(address: Address) -> Result<Self, ClientError> {
        let failed = |source| ClientError::Connect { address: address.clone(), source };
        let endpoint = Endpoint::from_shared(address.uri())
            .map_err(failed)?
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEPALIVE)
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES);
        let channel = endpoint.connect().await.map_err(failed)?;
        Ok(Self { address, rpc: ProvingEngineClient::new(channel) }.with_max_message_bytes(DEFAULT_MAX_MESSAGE_BYTES))
    }

    /// Sets the size in bytes that a message may have, each way.
    #[must_use]
    pub fn with_max_message_bytes(mut self, limit: usize) -> Self {
        self.rpc = self.rpc.max_decoding_message_size(limit).max_encoding_message_size(limit);
        self
    }

    /// The daemon's address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Queues a request and returns its job id. The job lives on when this client goes.
    ///
    /// # Errors
    /// [`ClientError::Call`]; its code says whether a retry can help.
    pub async fn submit(&self, request: SubmitProofRequest) -> Result<SubmitProofResponse, ClientError> {
        self.call("SubmitProof", self.rpc.clone().submit_proof(request)).await
    }

    /// Waits for a job; `None` waits without limit. A wait that runs out is a response whose status is `TIMEOUT`.
    ///
    /// # Errors
    /// [`ClientError::Call`], with code `NOT_FOUND` for an unknown job.
    pub async fn await_proof(
        &self,
        job_id: &str,
        timeout: Option<Duration>,
    ) -> Result<AwaitProofResponse, ClientError> {
        let request = AwaitProofRequest { job_id: job_id.to_owned(), timeout_ms: timeout.map_or(0, timeout_ms) };
        self.call("AwaitProof", self.rpc.clone().await_proof(request)).await
    }

    /// Submits and waits. When `deadline` passes or the returned future is dropped, the daemon stops the work unless
    /// somebody else waits for it.
    ///
    /// # Errors
    /// [`ClientError::Call`]; a proof that fails while proving is a response whose status is `FAILED`.
    pub async fn prove(
        &self,
        submit: SubmitProofRequest,
        deadline: Option<Duration>,
    ) -> Result<AwaitProofResponse, ClientError> {
        let mut request = Request::new(ProveRequest { submit: Some(submit) });
        if let Some(deadline) = deadline {
            request.set_timeout(deadline);
        }
        let response = self.call("Prove", self.rpc.clone().prove(request)).await?;
        response.result.ok_or_else(|| ClientError::Incomplete {
            method: "Prove",
            address: self.address.clone(),
            field: "result",
        })
    }

    /// Ends a job for everybody who waits for it. Returns false when it had ended before.
    ///
    /// # Errors
    /// [`ClientError::Call`], with code `NOT_FOUND` for an unknown job.
    pub async fn cancel(&self, job_id: &str) -> Result<bool, ClientError> {
        let request = CancelProofRequest { job_id: job_id.to_owned() };
        Ok(self.call("CancelProof", self.rpc.clone().cancel_proof(request)).await?.was_running)
    }

    /// A snapshot of the daemon.
    ///
    /// # Errors
    /// [`ClientError::Call`].
    pub async fn status(&self) -> Result<GetStatusResponse, ClientError> {
        self.call("GetStatus", self.rpc.clone().get_status(GetStatusRequest {})).await
    }

    /// The daemon's metrics in Prometheus' text format.
    ///
    /// # Errors
    /// [`ClientError::Call`].
    pub async fn metrics(&self) -> Result<String, ClientError> {
        Ok(self.call("GetMetrics", self.rpc.clone().get_metrics(GetMetricsRequest {})).await?.prometheus_text)
    }

    /// Loads the proving key of a circuit such as `porep-32g`.
    ///
    /// # Errors
    /// [`ClientError::Call`], with code `NOT_FOUND` for an unknown circuit and `FAILED_PRECONDITION` for a parameter
    /// file that is missing or foreign.
    pub async fn preload(&self, circuit_id: &str) -> Result<PreloadSrsResponse, ClientError> {
        let request = PreloadSrsRequest { circuit_id: circuit_id.to_owned() };
        self.call("PreloadSRS", self.rpc.clone().preload_srs(request)).await
    }

    /// Frees the proving key of a circuit such as `porep-32g`.
    ///
    /// # Errors
    /// [`ClientError::Call`], with code `NOT_FOUND` for an unknown circuit.
    pub async fn evict(&self, circuit_id: &str) -> Result<EvictSrsResponse, ClientError> {
        let request = EvictSrsRequest { circuit_id: circuit_id.to_owned() };
        self.call("EvictSRS", self.rpc.clone().evict_srs(request)).await
    }

    /// Names method and address when a call fails.
    async fn call<T>(
        &self,
        method: &'static str,
        response: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, ClientError> {
        match response.await {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(ClientError::Call { method, address: self.address.clone(), status: Box::new(status) }),
        }
    }
}

/// Whole milliseconds, rounded up: 0 on the wire would mean no limit.
fn timeout_ms(timeout: Duration) -> u64 {
    let rounded = timeout.as_nanos().div_ceil(1_000_000).max(1);
    u64::try_from(rounded).unwrap_or(u64::MAX)
}
