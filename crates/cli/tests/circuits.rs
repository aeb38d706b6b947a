//! Compiled circuits through the binary: their files, and the solver beside the gadgets.

use std::{fs, path::PathBuf, process::Command};

use cuzk_filecoin::{CircuitFiles, CircuitId};
use cuzk_testing::TimeLimit;
use serde_json::Value;

/// A parameter directory of a test's own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    fn file(&self, circuit: &str) -> PathBuf {
        let circuit: CircuitId = circuit.parse().expect("a circuit");
        self.0.path().join(CircuitFiles::name(circuit))
    }

    /// Exit status, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
        command.args(arguments).env_remove("RUST_LOG").env("NO_COLOR", "1");
        // What cannot be written beside the parameters must not go to the cache of whoever runs the tests.
        command.env("FIL_PROOFS_PARAMETER_CACHE", self.0.path()).env("XDG_CACHE_HOME", self.0.path().join("cache"));
        let output = command.output().expect("the binary starts");
        let [text, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), text, errors)
    }

    fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let (status, text, errors) = self.run(arguments);
        (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{errors}")))
    }

    /// The states of all files that are there, as `circuit state`.
    fn states(&self) -> Vec<String> {
        let (status, report) = self.json(&["circuits", "list", "--json"]);
        assert_eq!(status, Some(0));
        let circuits = report["circuits"].as_array().expect("a list");
        assert_eq!(circuits.len(), 20);
        let word = |circuit: &Value, key: &str| circuit[key].as_str().expect("a word").to_owned();
        let present = circuits.iter().filter(|circuit| circuit["state"] != "missing");
        present.map(|circuit| ["circuit", "state"].map(|key| word(circuit, key)).join(" ")).collect()
    }
}

#[test]
fn files_are_built_listed_checked_and_damage_is_found() {
    let _limit = TimeLimit::seconds(300);
    let place = Place::new();
    assert!(place.states().is_empty());
    let (status, text, _) = place.run(&["circuits", "check"]);
    assert!(status == Some(1) && text.contains("no file"), "to have checked nothing is no success: {text}");
    let (status, _, errors) = place.run(&["circuits", "build"]);
    assert!(status == Some(1) && errors.contains("--circuit") && errors.contains("--all"), "{errors}");

    let build = ["circuits", "build", "--circuit", "winning-2k", "--circuit", "wpost-2k", "--json"];
    let (status, built) = place.json(&build);
    assert_eq!(status, Some(0));
    for circuit in built["circuits"].as_array().expect("a list") {
        assert_eq!(circuit["built"], true);
        let path = place.file(circuit["circuit"].as_str().expect("an id"));
        assert_eq!(circuit["bytes"].as_u64(), fs::metadata(path).ok().map(|file| file.len()));
    }
    assert_eq!(place.states(), ["wpost-2k current", "winning-2k current"]);
    let (_, again) = place.json(&build);
    assert!(again["circuits"].as_array().expect("a list").iter().all(|circuit| circuit["built"] == false), "{again}");
    let (status, checked) = place.json(&["circuits", "check", "--full", "--json"]);
    assert!(status == Some(0) && checked["ok"] == true, "{checked}");

    // One flipped bit in the middle: the head is right, so only reading it all tells.
    let path = place.file("winning-2k");
    let mut contents = fs::read(&path).expect("it was built");
    let middle = contents.len() / 2;
    contents[middle] ^= 4;
    fs::write(&path, &contents).expect("ours");
    assert_eq!(place.states(), ["wpost-2k current", "winning-2k current"]);
    let (status, text, errors) = place.run(&["circuits", "check"]);
    assert!(status == Some(1) && text.contains("2 checked, 1 wrong"), "{text}");
    assert!(errors.lines().any(|line| line.contains("winning-2k") && line.contains("checksum")), "{errors}");
    let (status, built) = place.json(&build);
    assert!(
        status == Some(0) && built["circuits"][0]["built"] == true && built["circuits"][1]["built"] == false,
        "{built}"
    );

    // Another circuit's file, and one that is something else.
    fs::copy(place.file("wpost-2k"), place.file("wpost-8m")).expect("room for a copy");
    fs::write(place.file("snap-2k"), "something else").expect("room for a few bytes");
    assert_eq!(place.states(), ["snap-2k damaged", "wpost-2k current", "wpost-8m stale", "winning-2k current"]);
    let (_, text, _) = place.run(&["circuits", "list"]);
    assert!(
        text.contains("its circuit is wpost-2k, needed is wpost-8m") && text.contains("not a compiled circuit"),
        "{text}"
    );
    let (status, checked) = place.json(&["circuits", "check", "--circuit", "snap-2k", "--json"]);
    assert!(status == Some(1) && checked["ok"] == false, "{checked}");
}

#[test]
fn the_solver_is_measured_beside_the_gadgets() {
    let _limit = TimeLimit::seconds(300);
    let place = Place::new();
    let solve = |more: &[&str]| place.json(&[&["bench", "solve", "--json", "--runs", "2"], more].concat());
    let (status, porep) = solve(&["--kind", "porep", "--gadgets-aux", "200000"]);
    assert_eq!(status, Some(0));
    assert_eq!((&porep["circuit"], &porep["gadgets_scaled"]), (&"porep-2k".into(), &true.into()), "{porep}");
    assert_eq!((&porep["gadgets_aux"], &porep["equal"]), (&200_000.into(), &true.into()), "{porep}");
    let number = |report: &Value, key: &str| report[key].as_f64().unwrap_or_else(|| panic!("{key}: {report}"));
    let (solve_s, aux) = (number(&porep, "solve_s"), number(&porep, "aux"));
    assert!((number(&porep, "ns_per_aux") * aux / solve_s / 1e9 - 1.0).abs() < 1e-6);
    assert!((number(&porep, "gadgets_s") / number(&porep, "gadgets_measured_s") * 200_000.0 / aux - 1.0).abs() < 1e-6);
    let packed = number(&porep, "bits") / 8.0 + 32.0 * number(&porep, "scalars");
    assert!((packed..packed + 10_000.0).contains(&number(&porep, "bytes")), "{porep}");

    let (status, winning) = solve(&["--kind", "winning-post", "--whole", "--threads", "2"]);
    assert_eq!(status, Some(0));
    assert_eq!((&winning["gadgets_scaled"], &winning["gadgets_aux"]), (&false.into(), &winning["aux"]), "{winning}");
    // Measuring writes nothing.
    assert_eq!(fs::read_dir(place.0.path()).expect("it is there").count(), 0);
}
