//! Parameter files through the binary: what `params` says of them, and what a daemon does with them.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};

use bellperson::Circuit as _;
use cuzk_circuit::R1cs;
use cuzk_filecoin::{
    CircuitId,
    parameters::{FileRole, ParameterFile, REMEMBERED_FILE_NAME},
};
use cuzk_prover::{generate, params::Existing};
use cuzk_testing::{RandomCircuit, TimeLimit};
use serde_json::Value;

/// A parameter directory of a test's own.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(root.path().join("parameters")).expect("a new directory");
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn argument(&self, name: &str) -> String {
        self.path(name).to_str().expect("temporary paths are UTF-8").to_owned()
    }

    fn file(&self, circuit: &str, role: FileRole) -> PathBuf {
        let circuit: CircuitId = circuit.parse().expect("a circuit");
        ParameterFile::of(circuit, role, &self.path("parameters")).path
    }

    /// A development key, of a small circuit, under the name of the 2 KiB PoRep's parameters.
    fn add_development_key(&self) -> PathBuf {
        let path = self.file("porep-2k", FileRole::Params);
        let circuit = RandomCircuit::new(1, 50).blank();
        let r1cs = R1cs::record(|cs| circuit.synthesize(cs)).expect("a random circuit records");
        generate::generate(&r1cs, &path, Existing::Keep, &mut |_| {}).expect("parameters are made");
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
        command.args(arguments).env_remove("RUST_LOG").env("NO_COLOR", "1");
        command.env("FIL_PROOFS_PARAMETER_CACHE", self.path("parameters")).env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Exit status, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the binary starts");
        let [text, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), text, errors)
    }

    /// The states of all files that are there, as `circuit role state`.
    fn states(&self) -> Vec<String> {
        let (status, text, errors) = self.run(&["params", "status", "--json"]);
        assert_eq!(status, Some(0), "{errors}");
        let report: Value = serde_json::from_str(&text).expect("status is JSON");
        let files = report["files"].as_array().expect("a list");
        assert_eq!(files.len(), 40);
        let word = |file: &Value, key: &str| file[key].as_str().expect("a word").to_owned();
        let present = files.iter().filter(|file| file["present"] == true);
        present.map(|file| ["circuit", "role", "state"].map(|key| word(file, key)).join(" ")).collect()
    }
}

#[test]
fn status_lists_every_file_in_a_readable_table() {
    let _limit = TimeLimit::seconds(60);
    let place = Place::new();
    assert!(place.states().is_empty());
    place.add_development_key();
    fs::write(place.file("winning-64g", FileRole::VerifyingKey), b"junk").expect("room for a few bytes");
    let (status, text, errors) = place.run(&["params", "status"]);
    assert_eq!(status, Some(0), "{errors}");
    let table: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(table.len(), 21, "{text}");
    assert!(table.iter().all(|line| line.len() <= 100), "{text}");
    for circuit in CircuitId::all() {
        let row = table.iter().find(|line| line.contains(&format!(" {circuit} ")));
        assert!(row.is_some_and(|row| row.contains("missing")), "{circuit}: {text}");
        assert!(text.contains(&FileRole::Params.file_name(circuit)), "{circuit}: {text}");
    }
    for part in ["development: worthless", "unusable: ", "winning-64g vk: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!place.path("parameters").join(REMEMBERED_FILE_NAME).exists(), "looking leaves nothing behind");
}

#[test]
fn a_file_that_is_not_the_published_one_is_wrong_and_that_is_remembered() {
    let _limit = TimeLimit::seconds(60);
    let place = Place::new();
    let nothing = place.run(&["params", "check"]);
    assert!(nothing.0 == Some(1) && nothing.1.contains("none of the published files"), "{nothing:?}");

    place.add_development_key();
    let development = place.run(&["params", "check"]);
    assert!(development.0 == Some(0) && development.2.contains("development"), "{development:?}");

    let fake = place.file("snap-32g", FileRole::Params);
    fs::write(&fake, b"abc").expect("room for a few bytes");
    let published = ParameterFile::at(&fake).expect("a published name").published().to_string();
    // BLAKE2b-512("abc") begins so: RFC 7693, appendix A.
    let found = "ba80a53f981c4d0d6a2797b69f12f6e9";
    assert_eq!(place.states(), ["porep-2k params development", "snap-32g params unusable"]);
    for how in ["hashed", "remembered"] {
        let (status, text, errors) = place.run(&["params", "check"]);
        assert!(status == Some(1) && text.contains("2 checked, 1 wrong"), "{text}{errors}");
        let line = errors.lines().find(|line| line.starts_with("snap-32g params")).expect("a line a file");
        for part in ["WRONG", found, &published, how, ".params"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    assert_eq!(place.states(), ["porep-2k params development", "snap-32g params wrong"]);
    let again = place.run(&["params", "check", "--rehash"]);
    assert!(again.0 == Some(1) && again.2.contains("hashed; WRONG"), "{again:?}");

    let file = File::options().write(true).open(&fake).expect("the file is ours");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).expect("so is its time");
    assert_eq!(place.states(), ["porep-2k params development", "snap-32g params unusable"]);
    let (status, text, _) = place.run(&["params", "check", "--json"]);
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    assert!(status == Some(1) && report["ok"] == false, "{text}");
    let snap = &report["files"][1];
    assert!(snap["state"] == "wrong" && snap["remembered"] == false && snap["digest"] == found, "{text}");
}

#[test]
fn one_circuit_or_file_is_checked_point_by_point() {
    let _limit = TimeLimit::seconds(120);
    let place = Place::new();
    let key = place.add_development_key();
    let points = "every point is on its curve";
    let all = place.run(&["params", "check", "--circuit", "porep-2k"]);
    assert!(all.0 == Some(0) && all.2.contains(points), "{all:?}");
    let digest = place.run(&["params", "check", "--circuit", "porep-2k", "--digest-only"]);
    assert!(digest.0 == Some(0) && !digest.2.contains(points), "{digest:?}");
    let every = place.run(&["params", "check", "--points"]);
    assert!(every.0 == Some(0) && every.2.contains(points), "{every:?}");
    let missing = place.run(&["params", "check", "--circuit", "porep-8m"]);
    assert!(missing.0 == Some(1) && missing.2.contains(".params"), "{missing:?}");

    // A file of another name has points, and no digest to compare.
    let copy = place.argument("copy");
    fs::copy(&key, &copy).expect("room for a small key");
    let by_name = place.run(&["params", "check", "--file", &copy]);
    assert!(by_name.0 == Some(0) && by_name.2.contains(points), "{by_name:?}");
    let refused = place.run(&["params", "check", "--file", &copy, "--digest-only"]);
    assert!(refused.0 == Some(1) && refused.2.contains("is published"), "{refused:?}");
    let mut bytes = fs::read(&copy).expect("it was just copied");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&copy, bytes).expect("the file is ours");
    let damaged = place.run(&["params", "check", "--file", &copy]);
    assert!(damaged.0 == Some(1) && damaged.2.contains("section b_g2"), "{damaged:?}");
}

/// A daemon that a test watches; it is killed when the test ends.
struct Daemon {
    process: Child,
    log: String,
}

impl Daemon {
    /// Starts a daemon on a unix socket and reads its log until it listens.
    fn start(place: &Place, socket: &str, flags: &[&str]) -> Self {
        let arguments = [&["serve", "--threads", "1", "--listen", socket], flags].concat();
        let process = place.command(&arguments).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut daemon = Self { process, log: String::new() };
        let stderr = daemon.process.stderr.as_mut().expect("standard error is piped");
        for line in BufReader::new(stderr).lines() {
            let line = line.expect("the log is text");
            let listens = line.contains("listening");
            daemon.log += &format!("{line}\n");
            if listens {
                return daemon;
            }
        }
        panic!("the daemon ended: {}", daemon.log);
    }

    /// The line of the log with this in it.
    fn line(&self, part: &str) -> &str {
        self.log.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part:?} in {}", self.log))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn assert_says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn a_daemon_refuses_development_keys_unless_they_are_allowed() {
    let _limit = TimeLimit::seconds(120);
    let place = Place::new();
    let key = place.add_development_key();
    let name = key.file_name().and_then(|name| name.to_str()).expect("published names are ASCII");
    let [c1, out] = ["c1", "out"].map(|name| place.argument(name));
    let socket = format!("unix://{}", place.argument("socket"));
    let (made, ..) = place.run(&["synth", "porep", "--sector-size", "2KiB", "--out", &c1]);
    assert_eq!(made, Some(0));

    let daemon = Daemon::start(&place, &socket, &[]);
    assert_says(
        daemon.line("circuit=porep-2k"),
        &["WARN", "cannot be proved", "development key", "--allow-development-keys", name],
    );
    assert_says(daemon.line("no parameter file"), &["INFO", "porep-8m porep-512m porep-32g porep-64g"]);
    assert_says(daemon.line("nothing can be proved"), &["WARN"]);
    let refused = place.run(&["submit", "--server", &socket, "--c1", &c1, "--out", &out]);
    assert_eq!(refused.0, Some(1));
    assert_says(&refused.2, &["development key", "--allow-development-keys", name]);
    assert!(!Path::new(&out).exists());
    drop(daemon);

    let socket = format!("unix://{}", place.argument("allowing"));
    let daemon = Daemon::start(&place, &socket, &["--allow-development-keys"]);
    assert_says(daemon.line("DEVELOPMENT KEYS ARE ALLOWED"), &["WARN", "worth nothing"]);
    assert_says(daemon.line("circuit=porep-2k"), &["WARN", "can be proved", "DEVELOPMENT KEY"]);
}

#[test]
fn a_daemon_refuses_a_file_whose_digest_was_found_wrong() {
    let _limit = TimeLimit::seconds(60);
    let place = Place::new();
    let fake = place.file("porep-8m", FileRole::Params);
    fs::write(&fake, b"abc").expect("room for a few bytes");
    let socket = |name: &str| format!("unix://{}", place.argument(name));
    let daemon = Daemon::start(&place, &socket("before"), &[]);
    assert_says(daemon.line("circuit=porep-8m"), &["WARN", "cannot be proved", "cannot be used", ".params"]);
    drop(daemon);
    assert_eq!(place.run(&["params", "check"]).0, Some(1));
    let daemon = Daemon::start(&place, &socket("after"), &[]);
    let published = ParameterFile::at(&fake).expect("a published name").published().to_string();
    let parts = ["WARN", "cannot be proved", "ba80a53f981c4d0d6a2797b69f12f6e9", &published, ".params"];
    assert_says(daemon.line("circuit=porep-8m"), &parts);
}
