//! The binary from outside: proving and verifying files, and a daemon whose log and status agree.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use cuzk_engine::ensure_development_params;
use cuzk_filecoin::{CircuitId, ProofKind, Request, SectorSize, Submission};
use cuzk_testing::TimeLimit;
use serde_json::Value;

/// Generating parameters and a few proofs fit several times into this.
const LIMIT_SECONDS: u64 = 1500;

fn params_dir() -> PathBuf {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/parameters");
    let dir = std::env::var_os("FIL_PROOFS_PARAMETER_CACHE").map_or(cache, PathBuf::from);
    let circuit = CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2);
    ensure_development_params(circuit, &dir, &mut |_| {}).expect("parameters are found or generated");
    dir
}

fn cuzk(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
    command.args(arguments).env("FIL_PROOFS_PARAMETER_CACHE", params_dir()).env_remove("RUST_LOG");
    command
}

fn run(arguments: &[&str]) -> Output {
    cuzk(arguments).output().expect("the binary starts")
}

fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {text}{errors}");
    text.into_owned()
}

fn fails(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// A path in a temporary directory, as an argument.
fn argument(directory: &Path, name: &str) -> String {
    directory.join(name).to_str().expect("temporary paths are UTF-8").to_owned()
}

/// The wrapped form carries the bare one in base64: both are one request.
#[test]
fn a_c1_output_of_other_software_is_proved_and_judged() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let [bare, wrapped, proof] = ["bare", "wrapped", "proof"].map(|name| argument(directory.path(), name));
    for (form, file) in [("--bare", &bare), ("--json", &wrapped)] {
        succeeds(&["synth", "porep", "--sector-size", "2KiB", "--sealed", "--sector", "7", form, "--out", file]);
    }
    succeeds(&["prove", "--c1", &bare, "--miner", "1000", "--sector", "7", "--out", &proof]);
    for c1 in [&bare, &wrapped] {
        let alone = succeeds(&["verify", "--c1", c1, "--proof", &proof]);
        assert!(alone.starts_with("verified"), "{alone}");
        let named = succeeds(&["verify", "--c1", c1, "--proof", &proof, "--miner", "1000", "--sector", "7"]);
        assert!(named.contains("verify_seal"), "{named}");
    }
    let stranger = fails(&["verify", "--c1", &bare, "--proof", &proof, "--miner", "1001", "--sector", "7"]);
    assert!(stranger.0 == Some(1) && stranger.1.contains("replica id"), "{stranger:?}");
    let refused = fails(&["prove", "--c1", &bare, "--miner", "1000", "--sector", "8", "--out", &proof]);
    assert!(refused.0 == Some(1) && refused.1.contains("replica id"), "{refused:?}");

    let bytes = std::fs::read(&proof).expect("the proof was written");
    assert_eq!(bytes.len(), 192);
    for changed in [0, 60, 150, 191] {
        let mut bytes = bytes.clone();
        bytes[changed] ^= 1;
        std::fs::write(&proof, bytes).expect("the proof can be replaced");
        for owner in [&[][..], &["--miner", "1000", "--sector", "7"][..]] {
            let verify = [&["verify", "--c1", &wrapped, "--proof", &proof], owner].concat();
            let (status, text) = fails(&verify);
            assert_eq!(status, Some(1), "byte {changed}: {text}");
            assert!(text.contains("not verified") && text.contains(": "), "byte {changed}: {text}");
        }
    }
}

/// Their challenges depend on the replica's commitment, which a sector that nobody sealed has too late.
#[test]
fn synthetic_and_non_interactive_requests_come_from_sealed_sectors() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let out = argument(directory.path(), "c1");
    for (feature, partitions) in [("synthetic", 1), ("non-interactive", 13)] {
        let unsealed = ["synth", "porep", "--sector-size", "2KiB", "--feature", feature, "--out", &out];
        let (status, text) = fails(&unsealed);
        assert!(status == Some(1) && text.contains("comm_r") && text.contains("seal"), "{feature}: {text}");
        succeeds(&[&unsealed[..], &["--sealed"]].concat());
        let payload = std::fs::read(&out).expect("the request was written");
        let request = Request::parse(&Submission::porep(payload)).unwrap_or_else(|error| panic!("{feature}: {error}"));
        assert_eq!(request.partitions(), partitions, "{feature}");
    }
}

struct Daemon {
    process: Child,
    log: Option<std::thread::JoinHandle<Vec<String>>>,
}

impl Daemon {
    /// Starts a daemon on a unix socket and waits until it listens.
    fn start(socket: &str) -> Self {
        let mut process = cuzk(&["serve", "--listen", socket, "--allow-development-keys"])
            .env("RUST_LOG", "cuzk=debug")
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(process.stderr.take().expect("standard error is piped")).lines();
        let mut seen = Vec::new();
        for line in lines.by_ref() {
            seen.push(line.expect("the log is text"));
            if seen.last().is_some_and(|line| line.contains("listening")) {
                break;
            }
        }
        let rest = std::thread::spawn(move || {
            seen.extend(lines.map_while(Result::ok));
            seen
        });
        Self { process, log: Some(rest) }
    }

    /// Ends the daemon as an operator would, and returns its log.
    fn stop(mut self) -> Vec<String> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill starts").success());
        assert!(self.process.wait().expect("the daemon ends").success());
        self.log.take().and_then(|log| log.join().ok()).unwrap_or_default()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Only a failed test gets here with the daemon still running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn status(socket: &str) -> Value {
    serde_json::from_str(&succeeds(&["status", "--json", "--server", socket])).expect("status is JSON")
}

/// `name=buffers/bytes` of every class, as in the log.
fn counts_in_status(status: &Value) -> String {
    let classes = status["memory"]["classes"].as_array().expect("classes");
    let line =
        |class: &Value| format!("{}={}/{}", class["class"].as_str().expect("a name"), class["count"], class["bytes"]);
    classes.iter().map(line).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_daemon_proves_and_its_log_and_status_agree() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let [c1, proof] = ["c1", "proof"].map(|name| argument(directory.path(), name));
    let socket = format!("unix://{}", argument(directory.path(), "socket"));
    succeeds(&["synth", "porep", "--sector-size", "2KiB", "--out", &c1]);
    let daemon = Daemon::start(&socket);

    // What can never succeed is refused and leaves nothing.
    let junk = argument(directory.path(), "junk");
    std::fs::write(&junk, b"{\"SectorNum\": 1}").expect("there is room for a few bytes");
    let refused = fails(&["submit", "--server", &socket, "--c1", &junk, "--out", &proof]);
    assert!(refused.0 == Some(1) && refused.1.contains("vanilla_proof"), "{refused:?}");
    assert_eq!(status(&socket)["memory"]["total_bytes"], 0);

    succeeds(&["submit", "--server", &socket, "--c1", &c1, "--miner", "1000", "--sector", "1", "--out", &proof]);
    succeeds(&["verify", "--c1", &c1, "--proof", &proof, "--miner", "1000", "--sector", "1"]);
    let after = status(&socket);
    assert_eq!(after["completed"], 1);
    let log = daemon.stop();
    let transitions: Vec<&String> = log.iter().filter(|line| line.contains("in_flight=")).collect();
    for class in ["request", "advice", "witness", "evaluations", "quotient", "msm-scratch", "proof", "key", "circuit"] {
        let shown = transitions.iter().filter(|line| line.contains(&format!("{class}="))).count();
        assert_eq!(shown, transitions.len(), "{class} is missing in some line");
        let entered = format!("transition=\"enter\" class=\"{class}\"");
        assert!(transitions.iter().any(|line| line.contains(&entered)), "{class} was never counted");
    }
    // The line of the last transition that the status includes carries the same numbers.
    let sequence = format!("sequence={} ", after["memory"]["sequence"]);
    let line = transitions.iter().find(|line| line.contains(&sequence)).expect("every transition is in the log");
    assert!(line.contains(&counts_in_status(&after)), "{line}\n{}", counts_in_status(&after));
}

/// Each kind of a 2 KiB sector through a daemon, to the chain's own verdict.
#[test]
fn the_demo_proves_every_kind() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let table = succeeds(&["demo", "--kind", "all"]);
    for (kind, verifier) in [
        ("porep-c2", "verify_seal"),
        ("snap-update", "verify_empty_sector_update_proof"),
        ("window-post", "verify_window_post"),
        ("winning-post", "verify_winning_post"),
    ] {
        let line = table.lines().find(|line| line.trim_start().starts_with(kind));
        assert!(line.is_some_and(|line| line.contains(&format!("verified by {verifier}"))), "{kind}: {table}");
    }
}

/// At the size that the chain's miners have: a request without a sector, a daemon, a proof, the chain's own verdict.
#[test]
fn a_winning_post_of_32_gib_is_proved_and_judged() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let circuit = CircuitId::new(ProofKind::WinningPost, SectorSize::GiB32);
    ensure_development_params(circuit, &params_dir(), &mut |_| {}).expect("parameters are found or generated");
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let [request, other, proof] = ["request", "other", "proof"].map(|name| argument(directory.path(), name));
    let socket = format!("unix://{}", argument(directory.path(), "socket"));
    for (seed, file) in [("1", &request), ("2", &other)] {
        succeeds(&["synth", "winning-post", "--sector-size", "32GiB", "--seed", seed, "--out", file]);
    }
    let daemon = Daemon::start(&socket);
    succeeds(&["submit", "--server", &socket, "--request", &request, "--out", &proof]);
    let log = daemon.stop();
    assert!(log.iter().any(|line| line.contains("circuit=winning-32g") && line.contains("DEVELOPMENT KEY")), "{log:?}");
    assert!(succeeds(&["verify", "--request", &request, "--proof", &proof]).contains("verified (verify_winning_post)"));
    let (status, text) = fails(&["verify", "--request", &other, "--proof", &proof]);
    assert!(status == Some(1) && text.contains("not verified"), "{text}");
}

#[test]
fn what_cannot_work_says_why() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let [missing, c1, out] = ["missing", "c1", "out"].map(|name| argument(directory.path(), name));
    let cases: [(&[&str], &str); 4] = [
        (&["prove", "--c1", &missing, "--out", &out], "cannot read"),
        (&["status", "--server", "unix:///nonexistent/socket"], "/nonexistent/socket"),
        (&["params", "check", "--file", &missing], &missing),
        (&["params", "generate", "--circuit", "porep-2k", "--dir", "/var/tmp/filecoin-proof-parameters"], "operators"),
    ];
    for (arguments, reason) in cases {
        let (status, text) = fails(arguments);
        assert!(status == Some(1) && text.contains(reason), "{arguments:?}: {text}");
    }
    succeeds(&["synth", "porep", "--sector-size", "2KiB", "--out", &c1]);
    let empty = argument(directory.path(), "");
    let (status, text) = fails(&["prove", "--c1", &c1, "--out", &out, "--params-dir", &empty]);
    assert!(status == Some(1) && text.contains(".params"), "{text}");
    assert!(!Path::new(&out).exists());
}
