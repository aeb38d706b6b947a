//! PoSt requests: what is read, what is refused, and the circuits that come of them.

mod fixture;

use bellperson::SynthesisError;
use blstrs::Scalar;
use cuzk_filecoin::{
    CircuitId, ProofKind, RegisteredPoStProof, Request, RequestError, SectorSize, Submission,
    registered::window_post_proof, synthesize_blank, synthetic,
};
use cuzk_testing::TimeLimit;
use filecoin_proofs::{FallbackPoStSectorProof, constants::SectorShape2KiB};
use filecoin_proofs_api::SectorId;
use fixture::MINER;
use fixture::survey::Survey;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_post::fallback::{self, FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound};

type Tree = SectorShape2KiB;
type SectorProof = FallbackPoStSectorProof<Tree>;

const SMALL: SectorSize = SectorSize::KiB2;

fn window(sectors: &[u64]) -> Submission {
    synthetic::window_post(window_post_proof(SMALL), MINER, 0, sectors, 5).expect("a window PoSt")
}

fn winning() -> Submission {
    synthetic::winning_post(SMALL, MINER, 7, 5).expect("a winning PoSt")
}

fn parse(submission: &Submission) -> Request {
    Request::parse(submission).expect("a good request")
}

/// What is refused of a good request with a change.
fn refusal(mut submission: Submission, change: impl FnOnce(&mut Submission)) -> RequestError {
    change(&mut submission);
    Request::parse(&submission).expect_err("a bad request is refused")
}

/// The same, with a change to a sector's vanilla proof in the crates' own form.
fn refused_proof(submission: Submission, sector: usize, change: impl FnOnce(&mut SectorProof)) -> RequestError {
    refusal(submission, |submission| {
        let mut proof: SectorProof = bincode::deserialize(&submission.vanilla_proofs[sector]).expect("the crates' own");
        change(&mut proof);
        submission.vanilla_proofs[sector] = bincode::serialize(&proof).expect("plain data");
    })
}

fn survey(request: &Request) -> Survey {
    let mut survey = Survey::new(true);
    request.synthesize(0, &mut survey).expect("gadgets run");
    survey
}

/// The public inputs that the crates' verifier makes.
fn crates_public_inputs(submission: &Submission, sectors: &[u64], partition: usize) -> Vec<Scalar> {
    let request = parse(submission);
    let post = request.post().expect("a PoSt");
    let proofs: Vec<SectorProof> =
        submission.vanilla_proofs.iter().map(|bytes| bincode::deserialize(bytes).expect("the crates' own")).collect();
    let config = post.registered_proof().as_v1_config();
    let (params, repeat) = match request.kind() {
        ProofKind::WinningPost => (filecoin_proofs::parameters::winning_post_public_params::<Tree>(&config), 66),
        _ => (filecoin_proofs::parameters::window_post_public_params::<Tree>(&config), 1),
    };
    let public = |id: &u64| {
        let proof = proofs.iter().find(|proof| proof.sector_id == SectorId::from(*id)).expect("it is there");
        fallback::PublicSector { id: proof.sector_id, comm_r: proof.comm_r }
    };
    let before = std::iter::repeat_n(public(&sectors[0]), partition * config.sector_count);
    let inputs = fallback::PublicInputs {
        randomness: (*post.randomness()).into(),
        prover_id: cuzk_filecoin::prover_id::prover_id(MINER).into(),
        sectors: before.chain(sectors.iter().map(public).flat_map(|sector| vec![sector; repeat])).collect(),
        k: None,
    };
    <FallbackPoStCompound<Tree> as CompoundProof<FallbackPoSt<'_, Tree>, FallbackPoStCircuit<Tree>>>::generate_public_inputs(
        &inputs,
        &params.expect("a published size"),
        Some(partition),
    )
    .expect("the crates make them")
}

#[test]
fn witnesses_satisfy_their_circuits_and_have_the_verifiers_public_inputs() {
    let _limit = TimeLimit::seconds(120);
    for (submission, sectors) in [(window(&[3, 9]), &[3, 9][..]), (window(&[4]), &[4]), (winning(), &[7])] {
        let request = parse(&submission);
        assert_eq!(request.post().expect("a PoSt").sector_ids().collect::<Vec<_>>(), sectors);
        assert_eq!(request.partitions(), 1);
        let full = survey(&request);
        assert_eq!(full.unsatisfied, None);
        let inputs = request.public_inputs(0).expect("one partition");
        assert_eq!(full.inputs[1..], inputs);
        assert_eq!(inputs, crates_public_inputs(&submission, sectors, 0));
        let mut blank = Survey::new(false);
        synthesize_blank(request.circuit_id(), &mut blank).expect("gadgets run");
        assert_eq!(blank.structure(), full.structure());
        let beyond: SynthesisError = request.synthesize(1, &mut Survey::new(true)).expect_err("one partition");
        assert!(beyond.to_string().contains("no partition 1"), "{beyond}");
    }
}

/// The chain's verifier has the sectors ascending by id, however the client lists them.
#[test]
fn sectors_are_put_in_order() {
    let _limit = TimeLimit::seconds(60);
    let ascending = window(&[3, 9]);
    let mut descending = ascending.clone();
    descending.vanilla_proofs.reverse();
    let inputs = |submission| parse(submission).public_inputs(0).expect("one partition");
    assert_eq!(inputs(&ascending), inputs(&descending));
}

#[test]
fn a_partition_that_is_not_full_repeats_its_last_sector() {
    let _limit = TimeLimit::seconds(60);
    let inputs = parse(&window(&[4])).public_inputs(0).expect("one partition");
    assert_eq!(inputs.len(), 22);
    assert_eq!(inputs[..11], inputs[11..]);
}

#[test]
fn every_size_parses_and_a_large_winning_circuit_is_satisfied() {
    let _limit = TimeLimit::seconds(180);
    for size in SectorSize::ALL {
        let window = synthetic::window_post(window_post_proof(size), MINER, 0, &[1, 2], 1).expect("a window PoSt");
        let request = parse(&window);
        assert_eq!(request.circuit_id(), CircuitId::new(ProofKind::WindowPostPartition, size));
        let sectors = request.post().expect("a PoSt").registered_proof().sector_count();
        assert_eq!(request.public_inputs(0).expect("one partition").len(), sectors * 11);
        let winning = synthetic::winning_post(size, MINER, 1, 1).expect("a winning PoSt");
        let request = parse(&winning);
        assert_eq!(request.circuit_id(), CircuitId::new(ProofKind::WinningPost, size));
        assert_eq!(request.public_inputs(0).expect("one partition").len(), 66 * 2);
        if size == SectorSize::GiB32 {
            let full = survey(&request);
            assert_eq!((full.unsatisfied, full.constraints), (None, 370_590));
            assert_eq!(full.inputs[1..], request.public_inputs(0).expect("one partition"));
        }
    }
}

#[test]
fn equal_arguments_make_equal_requests_and_bad_ones_none() {
    let _limit = TimeLimit::seconds(60);
    assert!(window(&[1, 2]) == window(&[1, 2]));
    for sectors in [&[][..], &[1, 1], &[1, 2, 3]] {
        let error =
            synthetic::window_post(window_post_proof(SMALL), MINER, 0, sectors, 0).expect_err("no such request");
        assert!(error.to_string().contains("1 to 2"), "{error}");
    }
}

#[test]
fn the_size_may_be_left_to_the_registered_proof() {
    let _limit = TimeLimit::seconds(60);
    for mut submission in [window(&[1]), winning()] {
        submission.sector_size = 0;
        assert_eq!(parse(&submission).sector_size(), SMALL);
    }
}

/// Older WindowPoSts number challenges through all partitions of a deadline.
#[test]
fn later_partitions_of_old_window_posts_have_the_challenges_of_their_place() {
    let _limit = TimeLimit::seconds(60);
    let old = RegisteredPoStProof::StackedDrgWindow2KiBV1;
    for (partition, sectors) in [(0, &[5, 6][..]), (1, &[5]), (7, &[5, 6])] {
        let submission = synthetic::window_post(old, MINER, partition, sectors, 2).expect("an old window PoSt");
        let request = parse(&submission);
        let inputs = request.public_inputs(0).expect("one partition");
        assert_eq!(inputs, crates_public_inputs(&submission, sectors, partition as usize));
        let full = survey(&request);
        assert_eq!((full.unsatisfied, &full.inputs[1..]), (None, &inputs[..]));
        // The same vanilla proof as another partition's opens the wrong leaves.
        let error = refusal(submission, |submission| submission.partition_index += 1);
        assert!(error.to_string().contains("partition_index"), "{error}");
    }
}

/// Newer WindowPoSts and WinningPoSts do not care which partition of a deadline they are.
#[test]
fn the_partition_matters_to_old_window_posts_only() {
    let _limit = TimeLimit::seconds(60);
    for mut submission in [window(&[1, 2]), winning()] {
        let inputs = parse(&submission).public_inputs(0).expect("one partition");
        submission.partition_index = 3;
        assert_eq!(parse(&submission).public_inputs(0).expect("one partition"), inputs);
    }
    let error = refusal(window(&[1, 2]), |submission| submission.registered_proof = 5);
    assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
    assert!(error.to_string().contains("partition_index"), "{error}");
}

#[test]
fn contradictions_name_both_values() {
    let _limit = TimeLimit::seconds(60);
    let wrong_size = refusal(window(&[1]), |submission| submission.sector_size = 1 << 35);
    let other_size = refusal(winning(), |submission| submission.registered_proof = 3);
    let other_kind = refusal(window(&[1]), |submission| submission.registered_proof = 0);
    let window_number = refusal(winning(), |submission| submission.registered_proof = 10);
    let other_sector = refusal(winning(), |submission| submission.sector_number = 8);
    let twice =
        refusal(window(&[6, 8]), |submission| submission.vanilla_proofs[1] = submission.vanilla_proofs[0].clone());
    let foreign_leaves = refusal(window(&[6]), |submission| submission.randomness[0] ^= 1);
    for (error, field, values) in [
        (wrong_size, "sector_size", ["34359738368", "StackedDrgWindow2KiBV1_2 (10), of 2048 bytes"]),
        (other_size, "sector_size", ["2048", "StackedDrgWinning32GiBV1 (3)"]),
        (other_kind, "registered_proof", ["StackedDrgWinning2KiBV1 (0, which is also", "window-post (3)"]),
        (window_number, "registered_proof", ["StackedDrgWindow2KiBV1_2 (10)", "winning-post (4)"]),
        (other_sector, "sector_number", ["8", "vanilla_proofs[0].sector_id is 7"]),
        (twice, "vanilla_proofs[1].sector_id", ["6", "vanilla_proofs[0].sector_id is 6 too"]),
        (
            foreign_leaves,
            "vanilla_proofs[0].vanilla_proof.sectors[0].inclusion_proofs[0]",
            ["the path of node", "randomness"],
        ),
    ] {
        assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
        assert!(error.field().starts_with(field), "{error}");
        assert!(values.iter().all(|value| error.to_string().contains(value)), "{error}");
    }
}

#[test]
fn wrong_values_name_their_field() {
    let _limit = TimeLimit::seconds(60);
    let sector = "vanilla_proofs[0].vanilla_proof.sectors[0]";
    for (error, field) in [
        (refusal(window(&[1]), |submission| submission.registered_proof = 15), "registered_proof"),
        (refusal(window(&[1]), |submission| submission.vanilla_proofs.clear()), "vanilla_proofs"),
        (
            refusal(window(&[1]), |submission| {
                submission.vanilla_proofs = vec![submission.vanilla_proofs[0].clone(); 3];
            }),
            "vanilla_proofs",
        ),
        (
            refusal(winning(), |submission| submission.vanilla_proofs = vec![submission.vanilla_proofs[0].clone(); 2]),
            "vanilla_proofs",
        ),
        (refusal(window(&[1]), |submission| submission.randomness.truncate(31)), "randomness"),
        (refusal(window(&[1]), |submission| submission.randomness.clear()), "randomness"),
        (refusal(window(&[1]), |submission| submission.vanilla_proof = vec![1]), "vanilla_proof"),
        (refusal(window(&[1, 2]), |submission| submission.vanilla_proofs[1].truncate(9)), "vanilla_proofs[1]"),
        (refusal(window(&[1, 2]), |submission| submission.vanilla_proofs[1].push(0)), "vanilla_proofs[1]"),
        (refused_proof(window(&[1]), 0, |proof| proof.comm_r = [0xff; 32].into()), "vanilla_proofs[0].comm_r"),
        (refused_proof(window(&[1]), 0, |proof| proof.comm_r = [0; 32].into()), "vanilla_proofs[0].comm_r"),
        (
            refused_proof(window(&[1]), 0, |proof| proof.vanilla_proof.sectors.clear()),
            "vanilla_proofs[0].vanilla_proof.sectors",
        ),
        (
            refused_proof(window(&[1]), 0, |proof| proof.vanilla_proof.sectors[0].comm_c = [0xff; 32].into()),
            &format!("{sector}.comm_c"),
        ),
        (
            refused_proof(window(&[1]), 0, |proof| proof.vanilla_proof.sectors[0].comm_r_last = [1; 32].into()),
            &format!("{sector}.inclusion_proofs[0].root"),
        ),
        (
            refused_proof(window(&[1]), 0, |proof| drop(proof.vanilla_proof.sectors[0].inclusion_proofs.pop())),
            &format!("{sector}.inclusion_proofs"),
        ),
        (
            refused_proof(winning(), 0, |proof| drop(proof.vanilla_proof.sectors[0].inclusion_proofs.pop())),
            &format!("{sector}.inclusion_proofs"),
        ),
        (
            refused_proof(window(&[1]), 0, |proof| proof.vanilla_proof.sectors[0].inclusion_proofs.swap(0, 1)),
            &format!("{sector}.inclusion_proofs[0]"),
        ),
    ] {
        // A field, or more of its path.
        let rest = error.field().strip_prefix(field);
        assert!(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.', '['])), "{field}: {error}");
    }
}

#[test]
fn one_wrong_hash_fails_at_its_constraint() {
    let _limit = TimeLimit::seconds(60);
    let mut submission = window(&[1, 2]);
    let mut proof: SectorProof = bincode::deserialize(&submission.vanilla_proofs[1]).expect("the crates' own");
    proof.vanilla_proof.sectors[0].comm_c = [1; 32].into();
    submission.vanilla_proofs[1] = bincode::serialize(&proof).expect("plain data");
    let path = survey(&parse(&submission)).unsatisfied.expect("comm_r is the hash of another comm_c");
    assert!(path.contains("sector_1") && path.contains("comm_r"), "{path}");
}
