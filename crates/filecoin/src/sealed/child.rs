//! Sealing in a process of its own, with a working directory, parent cache and environment of its own.

use super::{Job, check, seal_commit_phase1, work_directory};
use crate::{
    child::{ChildFault, ask},
    guard::guarded,
    synthetic::GenerateError,
};
use filecoin_proofs_api::seal::SealCommitPhase1Output;
use serde::{Deserialize, Serialize};
use std::{
    io::{self, Read, Write},
    path::Path,
    process::Command,
    time::Duration,
};

/// What [`child_main`] writes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Sealed(Box<SealCommitPhase1Output>),
    Failed(String),
}

/// The sealing process: reads a [`Job`] as JSON from `input`, seals it, and writes the answer as JSON to `output`,
/// `{"sealed": <commit output>}` or `{"failed": "<reason>"}`.
///
/// # Errors
/// Only those of writing to `output`: what goes wrong with the job is told to the parent process as its answer.
pub fn child_main(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let sealed = serde_json::from_reader(input)
        .map_err(|error| format!("the job is not valid JSON: {error}"))
        .and_then(|job| guarded(|| seal_commit_phase1(&job)));
    let answer = match sealed {
        Ok(sealed) => Answer::Sealed(Box::new(sealed)),
        Err(reason) => Answer::Failed(reason),
    };
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
}

/// Has `job` sealed by a process of its own: `program` with `args`, which has to call [`child_main`] on its standard
/// input and output. It is ended when `limit` has passed.
///
/// The process runs in a temporary directory that is removed afterwards, and its environment holds nothing but what
/// places the parent cache and temporary files there. So `program` has to be an absolute path, as
/// [`std::env::current_exe`] gives it.
///
/// # Errors
/// Those of [`seal_commit_phase1`] that can be told beforehand, [`GenerateError::WorkFile`] for its directory, and
/// [`GenerateError::Child`] for everything that happens in the process.
pub fn run_child(
    program: &Path,
    args: &[&str],
    job: &Job,
    limit: Duration,
) -> Result<SealCommitPhase1Output, GenerateError> {
    check(job.registered_proof)?;
    let directory = work_directory()?;
    let failed = |source| GenerateError::Child { program: program.display().to_string(), source };
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(directory.path())
        .env_clear()
        .env("FIL_PROOFS_PARENT_CACHE", directory.path().join("parents"))
        .env("TMPDIR", directory.path());
    let answer = ask(command, serde_json::to_vec(job)?, limit).map_err(failed)?;
    match serde_json::from_slice(&answer) {
        Ok(Answer::Sealed(sealed)) => Ok(*sealed),
        Ok(Answer::Failed(reason)) => Err(failed(ChildFault::Reported(reason))),
        Err(error) => Err(failed(ChildFault::NoAnswer { bytes: answer.len(), message: error.to_string() })),
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, child_main, run_child};
    use cuzk_testing::TimeLimit;
    use filecoin_proofs_api::RegisteredSealProof;
    use std::{path::Path, time::Duration};

    const JOB: Job =
        Job { registered_proof: RegisteredSealProof::StackedDrg2KiBV1_1, miner_id: 1000, sector_number: 7, seed: 0 };

    #[test]
    fn the_child_answers_a_job_that_it_cannot_do() {
        let _limit = TimeLimit::seconds(10);
        let answer = |job: &str| {
            let mut answer = Vec::new();
            child_main(job.as_bytes(), &mut answer).unwrap();
            String::from_utf8(answer).unwrap()
        };
        assert!(answer("{").contains("not valid JSON"));
        let job = Job { registered_proof: RegisteredSealProof::StackedDrg32GiBV1, ..JOB };
        assert!(answer(&serde_json::to_string(&job).unwrap()).contains("cannot seal a sector of 34359738368 bytes"));
    }

    /// What [`run_child`] makes of a shell script in the child's place.
    fn script(script: &str, limit: Duration) -> String {
        run_child(Path::new("/bin/sh"), &["-c", script], &JOB, limit).unwrap_err().to_string()
    }

    #[test]
    fn a_child_that_does_not_deliver_is_told_apart() {
        let _limit = TimeLimit::seconds(30);
        let ample = Duration::from_secs(20);
        assert!(script("cat > /dev/null; echo '{\"failed\": \"no space\"}'", ample).ends_with("reports: no space"));
        assert!(script("cat > /dev/null; echo hello", ample).contains("wrote 6 bytes that are no answer"));
        assert!(script("echo broken >&2; exit 3", ample).ends_with("ended with exit status: 3: broken"));
        assert!(script("exec sleep 60", Duration::from_millis(50)).contains("was ended after its limit of 0.05 s"));
        let missing = run_child(Path::new("/nonexistent/cuzk"), &[], &JOB, ample).unwrap_err();
        assert!(missing.to_string().contains("/nonexistent/cuzk: cannot be started"));
    }

    /// The script puts out what [`child_main`] would.
    #[test]
    fn what_the_child_sealed_comes_back() {
        let _limit = TimeLimit::seconds(30);
        let output = crate::synthetic::porep(JOB.registered_proof, JOB.miner_id, JOB.sector_number, 3).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let answer = serde_json::json!({ "sealed": output });
        std::fs::write(file.path(), answer.to_string()).unwrap();
        let args = ["-c", "cat > /dev/null; cat \"$0\"", file.path().to_str().unwrap()];
        let sealed = run_child(Path::new("/bin/sh"), &args, &JOB, Duration::from_secs(20)).unwrap();
        assert_eq!(serde_json::to_vec(&sealed).unwrap(), serde_json::to_vec(&output).unwrap());
    }

    #[test]
    fn the_child_gets_the_job_and_nothing_but_a_place_of_its_own() {
        let _limit = TimeLimit::seconds(30);
        let echo = "test \"$(cd \"$TMPDIR\" && pwd -P)\" = \"$(pwd -P)\" && test -z \"$HOME$CARGO_MANIFEST_DIR\" && \
                    test \"$FIL_PROOFS_PARENT_CACHE\" = \"$TMPDIR/parents\" && \
                    printf '{\"failed\": \"%s\"}' \"$(tr -d '\"')\"";
        let told = script(echo, Duration::from_secs(20));
        assert!(told.contains("miner_id:1000,sector_number:7,seed:0"), "{told}");
    }
}
