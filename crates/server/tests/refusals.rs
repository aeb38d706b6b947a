//! Bad input to a real engine over the wire: each gets the right code and a message that names what is wrong, nothing is
//! queued, and the daemon goes on.

use std::{num::NonZero, sync::Arc, time::Duration};

use cuzk_engine::{Config, Engine};
use cuzk_filecoin::{CircuitId, ProofKind, RegisteredSealProof, SectorSize, params_file_name, synthetic};
use cuzk_proto::{Client, ClientError, Code, v1::SubmitProofRequest};
use cuzk_prover::CpuBackend;
use cuzk_server::{Server, ServerConfig};
use cuzk_testing::TimeLimit;

const POREP_2K: CircuitId = CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2);

/// An engine without parameter files, and a client over a unix socket.
struct Daemon {
    engine: Engine,
    dir: tempfile::TempDir,
    client: Client,
}

impl Daemon {
    async fn start() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let backend = CpuBackend::new(NonZero::<usize>::MIN).expect("a thread to spare");
        let engine = Engine::new(Config::new(dir.path(), vec![Arc::new(backend)])).expect("a sound configuration");
        let socket = format!("unix://{}/cuzk.sock", dir.path().display());
        let config = ServerConfig::new(vec![socket.parse().expect("an address")]);
        let server = Server::bind(engine.clone(), &config).await.expect("a free path");
        tokio::spawn(server.run(std::future::pending()));
        let client = Client::connect(&socket).await.expect("the server listens");
        Self { engine, dir, client }
    }

    /// Submits what must be refused.
    async fn refused(&self, request: SubmitProofRequest) -> ClientError {
        self.client.submit(request).await.expect_err("it must be refused")
    }

    /// Nothing was queued, and nothing is held.
    async fn assert_idle(&self) {
        let status = self.client.status().await.expect("an answer");
        assert_eq!(status.queues.iter().map(|queue| queue.pending + queue.in_progress).sum::<u32>(), 0);
        assert!(self.engine.ledger().snapshot().is_empty());
    }
}

fn porep(payload: impl Into<Vec<u8>>) -> SubmitProofRequest {
    SubmitProofRequest {
        request_id: "porep-1000-1".to_owned(),
        proof_kind: ProofKind::PorepSealCommit.wire(),
        vanilla_proof: payload.into().into(),
        ..Default::default()
    }
}

/// A request that could be proved if there were parameters.
fn sound() -> SubmitProofRequest {
    let output = synthetic::porep(RegisteredSealProof::StackedDrg2KiBV1_1, 1000, 1, 7).expect("a supported type");
    porep(serde_json::to_vec(&output).expect("plain data"))
}

#[tokio::test]
async fn bad_requests_name_their_field() {
    let _limit = TimeLimit::seconds(60);
    let daemon = Daemon::start().await;
    let unknown_kind = SubmitProofRequest { proof_kind: 99, ..porep("{}") };
    let unspecified = SubmitProofRequest { proof_kind: 0, ..porep("{}") };
    for (request, field) in [
        (unknown_kind, "proof_kind"),
        (unspecified, "proof_kind"),
        (porep(""), "vanilla_proof"),
        (porep("{\"SectorNum\": 1, "), "vanilla_proof"),
        (porep("{\"Phase1Out\": \"?\"}"), "vanilla_proof"),
        (SubmitProofRequest { sector_size: 8 << 20, ..sound() }, "sector_size"),
    ] {
        let error = daemon.refused(request).await;
        assert_eq!(error.code(), Some(Code::InvalidArgument), "{field}: {error}");
        assert!(error.to_string().contains(field), "{field}: {error}");
    }
    daemon.assert_idle().await;
}

#[tokio::test]
async fn missing_parameters_name_the_file() {
    let _limit = TimeLimit::seconds(60);
    let daemon = Daemon::start().await;
    let file = params_file_name(POREP_2K);
    let submit = daemon.refused(sound()).await;
    let prove = daemon.client.prove(sound(), None).await.expect_err("there are no parameters");
    let preload = daemon.client.preload("porep-2k").await.expect_err("there are no parameters");
    for error in [submit, prove, preload] {
        assert_eq!(error.code(), Some(Code::FailedPrecondition), "{error}");
        assert!(error.to_string().contains(&file), "{error}");
    }
    daemon.assert_idle().await;
}

#[tokio::test]
async fn unknown_names_are_not_found() {
    let _limit = TimeLimit::seconds(60);
    let daemon = Daemon::start().await;
    let wait = daemon.client.await_proof("nobody", Some(Duration::from_millis(1))).await.expect_err("no such job");
    let cancel = daemon.client.cancel("nobody").await.expect_err("no such job");
    let preload = daemon.client.preload("porep-1k").await.expect_err("no such circuit");
    let evict = daemon.client.evict("porep-1k").await.expect_err("no such circuit");
    for error in [wait, cancel, preload, evict] {
        assert_eq!(error.code(), Some(Code::NotFound), "{error}");
    }
    let evicted = daemon.client.evict("porep-2k").await.expect("a known circuit");
    assert_eq!((evicted.was_loaded, evicted.freed_bytes), (false, 0));
}

/// The parameter file is there, but damaged.
#[tokio::test]
async fn a_damaged_parameter_file_is_named_and_nothing_is_queued() {
    let _limit = TimeLimit::seconds(120);
    let daemon = Daemon::start().await;
    let file = params_file_name(POREP_2K);
    std::fs::write(daemon.dir.path().join(&file), b"not parameters").expect("a writable directory");
    let error = daemon.client.submit(sound()).await.expect_err("refused");
    assert_eq!(error.code(), Some(Code::FailedPrecondition), "{error}");
    assert!(error.to_string().contains(&file) && error.to_string().contains("truncated"), "{error}");
    let status = daemon.client.status().await.expect("an answer");
    assert_eq!((status.total_proofs_failed, status.total_proofs_completed), (0, 0));
    daemon.assert_idle().await;
}
