//! Replays the fuzzers' corpus: `fuzz/corpus/<target>/<file>`. Files whose names begin with `good` are accepted, all others
//! refused with the name of a field.
//!
//! The good ones are made by this test when `CUZK_WRITE_CORPUS` is set; a change of the payloads' form needs new ones.

#[path = "../../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use cuzk_filecoin::{
    Request, RequestError, SectorSize, Submission,
    registered::{interactive_seal_proof, window_post_proof},
    synthetic,
};
use cuzk_testing::{Mutator, TimeLimit};

type Target = fn(&[u8]) -> Result<Request, RequestError>;

const TARGETS: [(&str, Target); 4] = [
    ("porep", targets::porep),
    ("snap", targets::snap),
    ("window_post", targets::window_post),
    ("winning_post", targets::winning_post),
];
const SIZE: SectorSize = SectorSize::KiB2;

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// A good input of a target.
fn good(target: &str) -> Vec<u8> {
    let listed =
        |first: &[Vec<u8>], submission: &Submission| [first.concat(), submission.vanilla_proofs.concat()].concat();
    match target {
        "porep" => {
            let output = synthetic::porep(interactive_seal_proof(SIZE), 1000, 1, 0).expect("a synthetic sector");
            serde_json::to_vec(&output).expect("plain data")
        }
        "snap" => {
            let update = synthetic::snap_submission(SIZE, 1000, 1, 0).expect("an update");
            let commitments = [&update.comm_r_old, &update.comm_r_new, &update.comm_d_new].map(Clone::clone);
            listed(&commitments, &update)
        }
        "window_post" => {
            let post = synthetic::window_post(window_post_proof(SIZE), 1000, 0, &[1], 0).expect("a window PoSt");
            listed(std::slice::from_ref(&post.randomness), &post)
        }
        _ => {
            let post = synthetic::winning_post(SIZE, 1000, 1, 0).expect("a winning PoSt");
            listed(std::slice::from_ref(&post.randomness), &post)
        }
    }
}

/// Writes a good input of each target, and damaged ones that are refused for different reasons.
fn write_corpus() {
    for (target, parse) in TARGETS {
        let directory = corpus(target);
        fs::create_dir_all(&directory).expect("a directory");
        let good = good(target);
        fs::write(directory.join("good"), &good).expect("a file");
        let mut reasons = Vec::new();
        for seed in 0..2000 {
            let mut damaged = good.clone();
            // Small files: what is wrong near the start is enough.
            damaged.truncate(4096);
            let mut mutator = Mutator::new(seed);
            match target {
                "porep" => mutator.damage_json(&mut damaged),
                _ => mutator.damage(&mut damaged),
            }
            let Err(error) = parse(&damaged) else { continue };
            // Without numbers: the reason, not the place.
            let reason: String = error.to_string().chars().filter(|c| !c.is_ascii_hexdigit()).collect();
            if reasons.len() < 20 && !reasons.contains(&reason) {
                fs::write(directory.join(format!("bad-{seed}")), damaged).expect("a file");
                reasons.push(reason);
            }
        }
    }
}

#[test]
fn the_corpus_is_accepted_and_refused_as_named() {
    let _limit = TimeLimit::seconds(120);
    if std::env::var_os("CUZK_WRITE_CORPUS").is_some() {
        write_corpus();
    }
    for (target, parse) in TARGETS {
        let mut counts = [0, 0];
        for entry in fs::read_dir(corpus(target)).expect("each target has a corpus") {
            let path = entry.expect("an entry").path();
            let parsed = parse(&fs::read(&path).expect("a file"));
            let good = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("good"));
            counts[usize::from(good)] += 1;
            match parsed {
                Ok(_) => assert!(good, "{} is accepted", path.display()),
                Err(error) => assert!(!good && !error.field().is_empty(), "{}: {error}", path.display()),
            }
        }
        assert!(counts.iter().all(|count| *count > 0), "{target}: {counts:?}");
    }
}
