//! The eight calls.

use std::{
    num::NonZero,
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use cuzk_engine::Interest;
use cuzk_proto::v1::{self, proving_engine_server::ProvingEngine};
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use tonic::{Request, Response, Status};

use crate::{
    convert, deadline,
    jobs::{Handle, Jobs},
    metrics,
    wire::from_wire,
};

/// Loads and evictions at once. They take long and wait for one another anyway.
const KEY_CALLS: usize = 4;

/// The calls of one listener. What takes CPU time or waits for a file runs on the blocking pool, so that a quick call such
/// as `GetStatus` is never behind it.
pub(crate) struct Service<E> {
    engine: E,
    /// Submissions parsed at once: as many as there are cores. Further ones wait without a thread.
    parsers: Arc<Semaphore>,
    key_calls: Arc<Semaphore>,
}

impl<E: Jobs> Service<E> {
    /// The calls of `engine`.
    pub(crate) fn new(engine: E) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self { engine, parsers: Arc::new(Semaphore::new(cores)), key_calls: Arc::new(Semaphore::new(KEY_CALLS)) }
    }

    /// Parses and queues. When the caller goes meanwhile, the handle is dropped where it comes into being, which
    /// withdraws its interest.
    async fn submit(
        &self,
        request: v1::SubmitProofRequest,
        interest: Interest,
        call_deadline: Option<SystemTime>,
    ) -> Result<E::Handle, Status> {
        let deadline = deadline::earlier(deadline::of_request(request.deadline_unix_ms), call_deadline);
        let engine = self.engine.clone();
        blocking(&self.parsers, move || engine.submit(from_wire(request), interest, deadline))
            .await?
            .map_err(|error| convert::refused(&error))
    }
}

#[tonic::async_trait]
impl<E: Jobs> ProvingEngine for Service<E> {
    async fn submit_proof(
        &self,
        request: Request<v1::SubmitProofRequest>,
    ) -> Result<Response<v1::SubmitProofResponse>, Status> {
        let handle = self.submit(request.into_inner(), Interest::Forever, None).await?;
        Ok(Response::new(v1::SubmitProofResponse {
            job_id: handle.job_id().to_owned(),
            queue_position: handle.queue_position(),
            assigned_gpu: String::new(),
        }))
    }

    async fn await_proof(
        &self,
        request: Request<v1::AwaitProofRequest>,
    ) -> Result<Response<v1::AwaitProofResponse>, Status> {
        let v1::AwaitProofRequest { job_id, timeout_ms } = request.into_inner();
        let mut handle = self.engine.job(&job_id).ok_or_else(|| convert::unknown_job(&job_id))?;
        if timeout_ms == 0 {
            let outcome = handle.outcome().await;
            return Ok(Response::new(convert::outcome(&job_id, &outcome)));
        }
        let limit = Duration::from_millis(timeout_ms);
        Ok(Response::new(match timeout(limit, handle.outcome()).await {
            Ok(outcome) => convert::outcome(&job_id, &outcome),
            Err(_) => convert::timed_out(&job_id, limit),
        }))
    }

    async fn prove(&self, request: Request<v1::ProveRequest>) -> Result<Response<v1::ProveResponse>, Status> {
        let call_deadline = deadline::of_call(request.metadata());
        let submit = request.into_inner().submit.ok_or_else(|| {
            Status::invalid_argument("submit: missing; a ProveRequest carries the SubmitProofRequest in field 1")
        })?;
        // The transport drops this future when the client's deadline passes or the client goes; with it goes the handle.
        let mut handle = self.submit(submit, Interest::WhileHeld, call_deadline).await?;
        let outcome = handle.outcome().await;
        Ok(Response::new(v1::ProveResponse { result: Some(convert::outcome(handle.job_id(), &outcome)) }))
    }

    async fn cancel_proof(
        &self,
        request: Request<v1::CancelProofRequest>,
    ) -> Result<Response<v1::CancelProofResponse>, Status> {
        let job_id = request.into_inner().job_id;
        let was_running = self.engine.cancel(&job_id).map_err(|error| convert::unknown_job(&error.job_id))?;
        Ok(Response::new(v1::CancelProofResponse { was_running }))
    }

    async fn get_status(
        &self,
        _request: Request<v1::GetStatusRequest>,
    ) -> Result<Response<v1::GetStatusResponse>, Status> {
        Ok(Response::new(convert::status(self.engine.status())))
    }

    async fn get_metrics(
        &self,
        _request: Request<v1::GetMetricsRequest>,
    ) -> Result<Response<v1::GetMetricsResponse>, Status> {
        Ok(Response::new(v1::GetMetricsResponse { prometheus_text: metrics::page(&self.engine.status()) }))
    }

    async fn preload_srs(
        &self,
        request: Request<v1::PreloadSrsRequest>,
    ) -> Result<Response<v1::PreloadSrsResponse>, Status> {
        let circuit = convert::circuit(&request.into_inner().circuit_id)?;
        let engine = self.engine.clone();
        let preloaded = blocking(&self.key_calls, move || engine.preload(circuit)).await?;
        Ok(Response::new(convert::preloaded(&preloaded.map_err(|error| convert::unusable(&error))?)))
    }

    async fn evict_srs(&self, request: Request<v1::EvictSrsRequest>) -> Result<Response<v1::EvictSrsResponse>, Status> {
        let circuit = convert::circuit(&request.into_inner().circuit_id)?;
        let engine = self.engine.clone();
        let evicted = blocking(&self.key_calls, move || engine.evict(circuit)).await?;
        Ok(Response::new(convert::evicted(&evicted.map_err(|error| convert::unusable(&error))?)))
    }
}

/// Runs `work` on the blocking pool once `permits` has one for it.
async fn blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Status> {
    let gone = |_| Status::unavailable("the server is stopping; try again after its restart");
    let permit = permits.clone().acquire_owned().await.map_err(gone)?;
    let done = spawn_blocking(move || {
        // Held by the work, not by the call: a caller that goes does not make room for more than there are permits.
        let _permit = permit;
        work()
    });
    done.await.map_err(|error| {
        tracing::error!(%error, "a call failed");
        Status::internal("the daemon failed on this request, its log says where; this is a defect, please report it")
    })
}
