//! Between the wire and the engine's types.

use std::time::Duration;

use cuzk_engine::{
    BackendStatus, Evicted, KeyError, KeyStatus, Outcome, OutcomeStatus, Preloaded, QueueStatus, Status, SubmitError,
    Tier, UnknownJob,
};
use cuzk_filecoin::CircuitId;
use cuzk_memory::Snapshot;
use cuzk_proto::v1::{self, await_proof_response, srs_status};

/// The place of the ledger's rows for pinned host memory.
const PINNED: &str = "pinned";

/// Why a submission was refused.
pub(crate) fn refused(error: &SubmitError) -> tonic::Status {
    match error {
        SubmitError::Invalid(_) => tonic::Status::invalid_argument(error.to_string()),
        SubmitError::QueueFull { .. } => tonic::Status::resource_exhausted(error.to_string()),
        SubmitError::Draining => tonic::Status::unavailable(error.to_string()),
        SubmitError::Parameters(error) => unusable(error),
    }
}

/// Why a key cannot be used.
pub(crate) fn unusable(error: &KeyError) -> tonic::Status {
    let message = error.to_string();
    match error {
        KeyError::Missing { .. }
        | KeyError::Unusable { .. }
        | KeyError::WrongDigest { .. }
        | KeyError::Development { .. } => tonic::Status::failed_precondition(message),
        // Nothing that the caller or the operator could have done differently.
        KeyError::Circuit { .. } | KeyError::Panicked { .. } => tonic::Status::internal(message),
    }
}

/// There is no such job.
pub(crate) fn unknown_job(job_id: &str) -> tonic::Status {
    tonic::Status::not_found(UnknownJob { job_id: job_id.to_owned() }.to_string())
}

/// The circuit of an id.
pub(crate) fn circuit(circuit_id: &str) -> Result<CircuitId, tonic::Status> {
    circuit_id.parse().map_err(|error: cuzk_filecoin::UnknownCircuit| tonic::Status::not_found(error.to_string()))
}

/// How a job ended.
pub(crate) fn outcome(job_id: &str, outcome: &Outcome) -> v1::AwaitProofResponse {
    use await_proof_response::Status;
    let (status, proof, error_message) = match &outcome.status {
        OutcomeStatus::Completed { proof } => (Status::Completed, proof.clone(), String::new()),
        OutcomeStatus::Failed { stage, partition, message } => {
            let partition = partition.map_or(String::new(), |partition| format!(", partition {partition}"));
            (Status::Failed, Vec::new(), format!("stage {stage}{partition}: {message}"))
        }
        OutcomeStatus::Cancelled { reason } => (Status::Cancelled, Vec::new(), reason.to_string()),
    };
    let timings = &outcome.timings;
    v1::AwaitProofResponse {
        job_id: job_id.to_owned(),
        status: status.into(),
        proof,
        error_message,
        queue_wait_ms: millis(timings.queue_wait),
        srs_load_ms: millis(timings.srs_load),
        synthesis_ms: millis(timings.synthesis),
        gpu_compute_ms: millis(timings.gpu_compute),
        total_ms: millis(timings.total),
        verify_ms: millis(timings.verify),
    }
}

/// A wait that ran out after `waited`.
pub(crate) fn timed_out(job_id: &str, waited: Duration) -> v1::AwaitProofResponse {
    v1::AwaitProofResponse {
        job_id: job_id.to_owned(),
        status: await_proof_response::Status::Timeout.into(),
        error_message: format!("no result within {} ms; the job goes on, wait again", millis(waited)),
        ..Default::default()
    }
}

/// A key that was asked for.
pub(crate) fn preloaded(preloaded: &Preloaded) -> v1::PreloadSrsResponse {
    v1::PreloadSrsResponse { already_loaded: preloaded.already_loaded, load_time_ms: millis(preloaded.load_time) }
}

/// A key that was to go.
pub(crate) fn evicted(evicted: &Evicted) -> v1::EvictSrsResponse {
    v1::EvictSrsResponse { was_loaded: evicted.was_loaded, freed_bytes: evicted.freed_bytes }
}

/// The engine at one moment.
pub(crate) fn status(status: Status) -> v1::GetStatusResponse {
    v1::GetStatusResponse {
        // The only backend so far is the CPU's, which is no GPU.
        gpus: Vec::new(),
        loaded_srs: status.keys.iter().map(key).collect(),
        queues: status.queues.iter().map(queue).collect(),
        total_proofs_completed: status.completed,
        total_proofs_failed: status.failed,
        uptime_seconds: status.uptime.as_secs(),
        pinned_memory_bytes: status.memory.rows.iter().filter(|row| row.place == PINNED).map(|row| row.bytes).sum(),
        pinned_memory_limit_bytes: 0,
        memory: Some(memory(&status.memory)),
        backends: status.backends.iter().map(backend).collect(),
        total_proofs_cancelled: status.cancelled,
        pipeline: Some(v1::PipelineStatus {
            workers: saturated(status.workers),
            queue_depth: saturated(status.queue_depth),
            permit: status.permit.to_string(),
            max_pending: status.max_pending as u64,
            draining: status.draining,
        }),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The ledger at one moment.
fn memory(snapshot: &Snapshot) -> v1::MemoryStatus {
    let at_peak = snapshot.peak_composition.iter().copied().chain(std::iter::repeat(0));
    v1::MemoryStatus {
        classes: snapshot
            .classes
            .iter()
            .zip(at_peak)
            .map(|(class, bytes_at_total_peak)| v1::MemoryClassStatus {
                name: class.class.to_owned(),
                count: class.count,
                bytes: class.bytes,
                peak_count: class.peak_count,
                peak_bytes: class.peak_bytes,
                bytes_at_total_peak,
            })
            .collect(),
        total_bytes: snapshot.total_bytes,
        peak_total_bytes: snapshot.peak_bytes,
        total_count: snapshot.classes.iter().map(|class| class.count).sum(),
        sequence: snapshot.sequence,
        rows: snapshot
            .rows
            .iter()
            .map(|row| v1::MemoryRowStatus {
                class: row.class.to_owned(),
                stage: row.stage.to_owned(),
                place: row.place.clone(),
                count: row.count,
                bytes: row.bytes,
            })
            .collect(),
    }
}

fn key(key: &KeyStatus) -> v1::SrsStatus {
    let tier = match key.tier {
        Tier::Hot => srs_status::Tier::Hot,
        Tier::Warm => srs_status::Tier::Warm,
        Tier::Cold => srs_status::Tier::Cold,
    };
    v1::SrsStatus {
        circuit_id: key.circuit.to_string(),
        tier: tier.into(),
        size_bytes: key.bytes,
        ref_count: key.ref_count,
    }
}

fn queue(queue: &QueueStatus) -> v1::QueueStatus {
    v1::QueueStatus { proof_kind: queue.kind.to_string(), pending: queue.pending, in_progress: queue.in_progress }
}

fn backend(backend: &BackendStatus) -> v1::BackendStatus {
    v1::BackendStatus {
        name: backend.name.clone(),
        current_job_id: backend.current_job.as_deref().unwrap_or_default().to_owned(),
        current_proof_kind: backend.current_kind.map_or(String::new(), |kind| kind.to_string()),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cuzk_engine::Permit;
    use cuzk_filecoin::{ProofKind, RequestError, SectorSize};
    use cuzk_memory::{ClassCount, RowCount};
    use tonic::Code;

    use super::*;

    const CIRCUIT: CircuitId = CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2);

    fn row(place: &str, bytes: u64) -> RowCount {
        RowCount { class: "witness", stage: "solved", place: place.to_owned(), count: 1, bytes }
    }

    /// An engine in the middle of things.
    fn busy() -> Status {
        Status {
            queues: vec![QueueStatus { kind: ProofKind::WindowPostPartition, pending: 2, in_progress: 1 }],
            keys: vec![KeyStatus { circuit: CIRCUIT, tier: Tier::Warm, bytes: 77, ref_count: 3 }],
            backends: vec![
                BackendStatus {
                    name: "cpu".to_owned(),
                    current_job: Some(Arc::from("job")),
                    current_kind: Some(ProofKind::PorepSealCommit),
                },
                BackendStatus { name: "idle".to_owned(), current_job: None, current_kind: None },
            ],
            completed: 5,
            failed: 6,
            cancelled: 7,
            timings: cuzk_engine::Timings {
                synthesis: Duration::from_millis(1500),
                total: Duration::from_secs(9),
                ..Default::default()
            },
            uptime: Duration::from_millis(8_900),
            memory: Snapshot {
                sequence: 42,
                total_bytes: 30,
                peak_bytes: 100,
                classes: vec![ClassCount { class: "witness", count: 2, bytes: 30, peak_count: 4, peak_bytes: 90 }],
                peak_composition: vec![80],
                rows: vec![row("pinned", 10), row("host", 20)],
            },
            workers: 2,
            queue_depth: 3,
            permit: Permit::UntilQueued,
            max_pending: 256,
            draining: false,
        }
    }

    #[test]
    fn a_status_tells_what_the_engine_tells() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let told = status(busy());
        assert!(told.gpus.is_empty());
        let queue = &told.queues[0];
        assert_eq!((queue.proof_kind.as_str(), queue.pending, queue.in_progress), ("window-post", 2, 1));
        let key = &told.loaded_srs[0];
        assert_eq!(
            (key.circuit_id.as_str(), key.tier(), key.size_bytes, key.ref_count),
            ("porep-2k", srs_status::Tier::Warm, 77, 3)
        );
        let backends: Vec<_> = told
            .backends
            .iter()
            .map(|backend| {
                (backend.name.as_str(), backend.current_job_id.as_str(), backend.current_proof_kind.as_str())
            })
            .collect();
        assert_eq!(backends, [("cpu", "job", "porep-c2"), ("idle", "", "")]);
        assert_eq!((told.total_proofs_completed, told.total_proofs_failed, told.total_proofs_cancelled), (5, 6, 7));
        assert_eq!((told.uptime_seconds, told.pinned_memory_bytes), (8, 10));
        let memory = told.memory.expect("always there");
        assert_eq!((memory.sequence, memory.total_count), (42, 2));
        assert_eq!((memory.total_bytes, memory.peak_total_bytes), (30, 100));
        let class = &memory.classes[0];
        assert_eq!((class.name.as_str(), class.count, class.bytes), ("witness", 2, 30));
        assert_eq!((class.peak_count, class.peak_bytes, class.bytes_at_total_peak), (4, 90, 80));
        assert_eq!(memory.rows.len(), 2);
        let pipeline = told.pipeline.expect("always there");
        assert_eq!((pipeline.workers, pipeline.queue_depth, pipeline.permit.as_str()), (2, 3, "until-queued"));
        assert_eq!((pipeline.max_pending, pipeline.draining), (256, false));
    }

    #[test]
    fn metrics_tell_the_same() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let page = crate::metrics::page(&busy());
        for line in [
            "cuzk_jobs{kind=\"window-post\",state=\"pending\"} 2",
            "cuzk_jobs{kind=\"window-post\",state=\"in_progress\"} 1",
            "cuzk_jobs_ended_total{outcome=\"cancelled\"} 7",
            "cuzk_proving_key_bytes{circuit=\"porep-2k\",tier=\"warm\"} 77",
            "cuzk_backend_busy{backend=\"cpu\"} 1",
            "cuzk_backend_busy{backend=\"idle\"} 0",
            "cuzk_memory_bytes{class=\"witness\"} 30",
            "cuzk_memory_buffers{class=\"witness\"} 2",
            "cuzk_memory_total_peak_bytes 100",
            "cuzk_uptime_seconds 8.9",
            "cuzk_job_stage_seconds_sum{stage=\"synthesis\"} 1.5",
            "cuzk_job_stage_seconds_count{stage=\"synthesis\"} 18",
            "cuzk_job_seconds_sum 9",
            "cuzk_job_seconds_count 18",
            "# TYPE cuzk_jobs_ended_total counter",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
    }

    #[test]
    fn every_refusal_has_its_code_and_its_reason() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let field = || "proof_kind".to_owned();
        let missing = || KeyError::Missing {
            circuit: CIRCUIT,
            path: "/params/v28.params".into(),
            source: Arc::new(std::io::ErrorKind::NotFound.into()),
        };
        let panicked = KeyError::Panicked { circuit: CIRCUIT, message: "index".to_owned() };
        let invalid = RequestError::Missing { field: field(), expected: "a kind".to_owned() };
        for (status, code, part) in [
            (refused(&SubmitError::Invalid(invalid)), Code::InvalidArgument, "proof_kind"),
            (refused(&SubmitError::QueueFull { pending: 9, limit: 8 }), Code::ResourceExhausted, "8"),
            (refused(&SubmitError::Draining), Code::Unavailable, "draining"),
            (refused(&SubmitError::Parameters(missing())), Code::FailedPrecondition, "/params/v28.params"),
            (unusable(&missing()), Code::FailedPrecondition, "/params/v28.params"),
            (unusable(&panicked), Code::Internal, "index"),
            (unknown_job("nobody"), Code::NotFound, "nobody"),
            (circuit("porep-3g").expect_err("no such size"), Code::NotFound, "porep-3g"),
        ] {
            assert_eq!(status.code(), code, "{status}");
            assert!(status.message().contains(part), "{part}: {status}");
        }
    }

    #[test]
    fn an_outcome_keeps_its_times() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let at = Duration::from_millis;
        let timings = cuzk_engine::Timings {
            queue_wait: at(1),
            srs_load: at(2),
            synthesis: at(3),
            gpu_compute: at(4),
            verify: at(5),
            total: at(6),
        };
        let status = OutcomeStatus::Completed { proof: vec![7; 192] };
        let told = outcome("job", &Outcome { status, timings });
        assert_eq!((told.job_id.as_str(), told.proof.len(), told.error_message.as_str()), ("job", 192, ""));
        assert_eq!((told.queue_wait_ms, told.srs_load_ms, told.synthesis_ms), (1, 2, 3));
        assert_eq!((told.gpu_compute_ms, told.verify_ms, told.total_ms), (4, 5, 6));
    }
}
