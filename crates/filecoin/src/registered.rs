//! Registered proofs: their numbers in the chain's enums, and what they say about a request.

use filecoin_proofs_api::{ApiFeature, RegisteredPoStProof, RegisteredSealProof, RegisteredUpdateProof};

use crate::SectorSize;

/// All registered seal proofs, each at the index that is its number in the chain's enum (field 4 of a PoRep request).
/// The enum is append-only, so numbers never change.
const SEAL_PROOFS: [RegisteredSealProof; 20] = {
    use RegisteredSealProof::*;
    [
        StackedDrg2KiBV1,
        StackedDrg8MiBV1,
        StackedDrg512MiBV1,
        StackedDrg32GiBV1,
        StackedDrg64GiBV1,
        StackedDrg2KiBV1_1,
        StackedDrg8MiBV1_1,
        StackedDrg512MiBV1_1,
        StackedDrg32GiBV1_1,
        StackedDrg64GiBV1_1,
        StackedDrg2KiBV1_1_Feat_SyntheticPoRep,
        StackedDrg8MiBV1_1_Feat_SyntheticPoRep,
        StackedDrg512MiBV1_1_Feat_SyntheticPoRep,
        StackedDrg32GiBV1_1_Feat_SyntheticPoRep,
        StackedDrg64GiBV1_1_Feat_SyntheticPoRep,
        StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg8MiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg512MiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg32GiBV1_2_Feat_NonInteractivePoRep,
        StackedDrg64GiBV1_2_Feat_NonInteractivePoRep,
    ]
};

/// The seal proof with that number, if there is one.
pub fn seal_proof_from_wire(number: u64) -> Option<RegisteredSealProof> {
    usize::try_from(number).ok().and_then(|index| SEAL_PROOFS.get(index)).copied()
}

/// The number of a seal proof in the chain's enum.
pub fn seal_proof_wire(proof: RegisteredSealProof) -> u64 {
    // The enum has no explicit discriminants, and SEAL_PROOFS (see the tests) is in its order.
    proof as u64
}

/// The interactive PoRep (V1.1) of a sector size, the usual seal proof today.
pub fn interactive_seal_proof(size: SectorSize) -> RegisteredSealProof {
    seal_proof(size, SealFeature::Interactive)
}

/// The seal proof of a sector size with a feature, in the chain's newest version of it.
pub fn seal_proof(size: SectorSize, feature: SealFeature) -> RegisteredSealProof {
    use RegisteredSealProof::*;
    let [interactive, synthetic, non_interactive] = match size {
        SectorSize::KiB2 => {
            [StackedDrg2KiBV1_1, StackedDrg2KiBV1_1_Feat_SyntheticPoRep, StackedDrg2KiBV1_2_Feat_NonInteractivePoRep]
        }
        SectorSize::MiB8 => {
            [StackedDrg8MiBV1_1, StackedDrg8MiBV1_1_Feat_SyntheticPoRep, StackedDrg8MiBV1_2_Feat_NonInteractivePoRep]
        }
        SectorSize::MiB512 => [
            StackedDrg512MiBV1_1,
            StackedDrg512MiBV1_1_Feat_SyntheticPoRep,
            StackedDrg512MiBV1_2_Feat_NonInteractivePoRep,
        ],
        SectorSize::GiB32 => {
            [StackedDrg32GiBV1_1, StackedDrg32GiBV1_1_Feat_SyntheticPoRep, StackedDrg32GiBV1_2_Feat_NonInteractivePoRep]
        }
        SectorSize::GiB64 => {
            [StackedDrg64GiBV1_1, StackedDrg64GiBV1_1_Feat_SyntheticPoRep, StackedDrg64GiBV1_2_Feat_NonInteractivePoRep]
        }
    };
    match feature {
        SealFeature::Interactive => interactive,
        SealFeature::Synthetic => synthetic,
        SealFeature::NonInteractive => non_interactive,
    }
}

/// What a PoRep's challenges follow from. All three have the same circuits and parameter files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealFeature {
    /// The replica id and the chain's randomness (the seed): V1 and V1.1.
    Interactive,
    /// The replica id, comm_r and the seed, which picks out of a set that is known before it: a sealer can throw the
    /// layers away while it waits for the seed.
    Synthetic,
    /// The replica id and comm_r alone. There are more challenges, so more partitions: 126 of a production sector, 13 of
    /// a small one.
    NonInteractive,
}

impl SealFeature {
    /// The feature of a seal proof.
    pub fn of(proof: RegisteredSealProof) -> Self {
        if proof.feature_enabled(ApiFeature::NonInteractivePoRep) {
            Self::NonInteractive
        } else if proof.feature_enabled(ApiFeature::SyntheticPoRep) {
            Self::Synthetic
        } else {
            Self::Interactive
        }
    }
}

/// The sector size of a seal proof.
pub(crate) fn seal_proof_size(proof: RegisteredSealProof) -> Option<SectorSize> {
    SectorSize::from_bytes(u64::from(proof.sector_size()))
}

/// A seal proof for a message: its name and number.
pub(crate) fn describe(proof: RegisteredSealProof) -> String {
    format!("{proof:?} ({})", seal_proof_wire(proof))
}

/// All registered PoSt proofs, each at the index that is its number in the chain's enum (field 4 of a PoSt request). What
/// the chain calls V1_1 of WindowPoSt is V1_2 to the proof crates.
const POST_PROOFS: [RegisteredPoStProof; 15] = {
    use RegisteredPoStProof::*;
    [
        StackedDrgWinning2KiBV1,
        StackedDrgWinning8MiBV1,
        StackedDrgWinning512MiBV1,
        StackedDrgWinning32GiBV1,
        StackedDrgWinning64GiBV1,
        StackedDrgWindow2KiBV1,
        StackedDrgWindow8MiBV1,
        StackedDrgWindow512MiBV1,
        StackedDrgWindow32GiBV1,
        StackedDrgWindow64GiBV1,
        StackedDrgWindow2KiBV1_2,
        StackedDrgWindow8MiBV1_2,
        StackedDrgWindow512MiBV1_2,
        StackedDrgWindow32GiBV1_2,
        StackedDrgWindow64GiBV1_2,
    ]
};

/// The PoSt proof with that number, if there is one.
pub fn post_proof_from_wire(number: u64) -> Option<RegisteredPoStProof> {
    usize::try_from(number).ok().and_then(|index| POST_PROOFS.get(index)).copied()
}

/// The number of a PoSt proof in the chain's enum.
pub fn post_proof_wire(proof: RegisteredPoStProof) -> u64 {
    // As for seal proofs.
    proof as u64
}

/// The WindowPoSt proof (V1.1) of a sector size.
pub fn window_post_proof(size: SectorSize) -> RegisteredPoStProof {
    match size {
        SectorSize::KiB2 => RegisteredPoStProof::StackedDrgWindow2KiBV1_2,
        SectorSize::MiB8 => RegisteredPoStProof::StackedDrgWindow8MiBV1_2,
        SectorSize::MiB512 => RegisteredPoStProof::StackedDrgWindow512MiBV1_2,
        SectorSize::GiB32 => RegisteredPoStProof::StackedDrgWindow32GiBV1_2,
        SectorSize::GiB64 => RegisteredPoStProof::StackedDrgWindow64GiBV1_2,
    }
}

/// The WinningPoSt proof of a sector size.
pub fn winning_post_proof(size: SectorSize) -> RegisteredPoStProof {
    match size {
        SectorSize::KiB2 => RegisteredPoStProof::StackedDrgWinning2KiBV1,
        SectorSize::MiB8 => RegisteredPoStProof::StackedDrgWinning8MiBV1,
        SectorSize::MiB512 => RegisteredPoStProof::StackedDrgWinning512MiBV1,
        SectorSize::GiB32 => RegisteredPoStProof::StackedDrgWinning32GiBV1,
        SectorSize::GiB64 => RegisteredPoStProof::StackedDrgWinning64GiBV1,
    }
}

/// The sector size of a PoSt proof.
pub(crate) fn post_proof_size(proof: RegisteredPoStProof) -> Option<SectorSize> {
    SectorSize::from_bytes(u64::from(proof.sector_size()))
}

/// A PoSt proof in messages: name and number.
pub(crate) fn describe_post(proof: RegisteredPoStProof) -> String {
    described(&format!("{proof:?}"), post_proof_wire(proof))
}

/// All registered update proofs, each at the index that is its number in the chain's enum (field 4 of a SnapDeals
/// request): one a sector size, ascending.
const UPDATE_PROOFS: [RegisteredUpdateProof; 5] = {
    use RegisteredUpdateProof::*;
    [StackedDrg2KiBV1, StackedDrg8MiBV1, StackedDrg512MiBV1, StackedDrg32GiBV1, StackedDrg64GiBV1]
};

/// The update proof with that number, if there is one.
pub fn update_proof_from_wire(number: u64) -> Option<RegisteredUpdateProof> {
    usize::try_from(number).ok().and_then(|index| UPDATE_PROOFS.get(index)).copied()
}

/// The number of an update proof in the chain's enum.
pub fn update_proof_wire(proof: RegisteredUpdateProof) -> u64 {
    // As for seal proofs: no explicit discriminants, and UPDATE_PROOFS is in the enum's order.
    proof as u64
}

/// An update proof in messages: name and number.
pub(crate) fn describe_update(proof: RegisteredUpdateProof) -> String {
    described(&format!("{proof:?}"), update_proof_wire(proof))
}

/// A client that leaves field 4 out says 0 as well, which is a proof of the smallest sectors.
fn described(name: &str, number: u64) -> String {
    match number {
        0 => format!("{name} (0, which is also what it is when it is left out)"),
        _ => format!("{name} ({number})"),
    }
}

/// The update proof of a sector size.
pub fn update_proof(size: SectorSize) -> RegisteredUpdateProof {
    match size {
        SectorSize::KiB2 => RegisteredUpdateProof::StackedDrg2KiBV1,
        SectorSize::MiB8 => RegisteredUpdateProof::StackedDrg8MiBV1,
        SectorSize::MiB512 => RegisteredUpdateProof::StackedDrg512MiBV1,
        SectorSize::GiB32 => RegisteredUpdateProof::StackedDrg32GiBV1,
        SectorSize::GiB64 => RegisteredUpdateProof::StackedDrg64GiBV1,
    }
}

/// The sector size of an update proof.
pub(crate) fn update_proof_size(proof: RegisteredUpdateProof) -> SectorSize {
    match proof {
        RegisteredUpdateProof::StackedDrg2KiBV1 => SectorSize::KiB2,
        RegisteredUpdateProof::StackedDrg8MiBV1 => SectorSize::MiB8,
        RegisteredUpdateProof::StackedDrg512MiBV1 => SectorSize::MiB512,
        RegisteredUpdateProof::StackedDrg32GiBV1 => SectorSize::GiB32,
        RegisteredUpdateProof::StackedDrg64GiBV1 => SectorSize::GiB64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_porep_ids() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (number, proof) in (0..).zip(SEAL_PROOFS) {
            assert_eq!(seal_proof_wire(proof), number);
            assert_eq!(seal_proof_from_wire(number), Some(proof));
            assert_eq!(proof.as_v1_config().porep_id[..8], number.to_le_bytes());
            let feature = match number {
                0..10 => SealFeature::Interactive,
                10..15 => SealFeature::Synthetic,
                _ => SealFeature::NonInteractive,
            };
            assert_eq!(SealFeature::of(proof), feature);
        }
        assert_eq!(seal_proof_from_wire(20), None);
        assert_eq!(seal_proof_from_wire(u64::MAX), None);
    }

    #[test]
    fn post_numbers_are_those_of_the_chain() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (number, proof) in (0..).zip(POST_PROOFS) {
            assert_eq!(post_proof_wire(proof), number);
            assert_eq!(post_proof_from_wire(number), Some(proof));
            assert_eq!(post_proof_size(proof), Some(SectorSize::ALL[number as usize % 5]));
            assert_eq!(proof.typ() == filecoin_proofs::PoStType::Winning, number < 5);
            assert_eq!(proof.minor_version() == 2, number >= 10, "{proof:?}");
        }
        assert_eq!(post_proof_from_wire(15), None);
        for size in SectorSize::ALL {
            assert!((10..15).contains(&post_proof_wire(window_post_proof(size))));
            assert!(post_proof_wire(winning_post_proof(size)) < 5);
        }
    }

    #[test]
    fn every_size_has_a_proof_of_every_feature() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (first, feature) in
            [(5, SealFeature::Interactive), (10, SealFeature::Synthetic), (15, SealFeature::NonInteractive)]
        {
            for (number, size) in (first..).zip(SectorSize::ALL) {
                let proof = seal_proof(size, feature);
                assert_eq!((seal_proof_wire(proof), seal_proof_size(proof)), (number, Some(size)));
                assert_eq!(SealFeature::of(proof), feature);
            }
            assert_eq!(interactive_seal_proof(SectorSize::KiB2), RegisteredSealProof::StackedDrg2KiBV1_1);
        }
    }

    #[test]
    fn update_proofs_are_numbered_by_size() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for ((number, proof), size) in (0..).zip(UPDATE_PROOFS).zip(SectorSize::ALL) {
            assert_eq!(update_proof_wire(proof), number);
            assert_eq!(update_proof_from_wire(number), Some(proof));
            // The crates put an update proof's number where a seal proof's stands.
            assert_eq!(proof.as_v1_config().porep_id[..8], number.to_le_bytes());
            assert_eq!(update_proof(size), proof);
            assert_eq!(update_proof_size(proof), size);
            assert_eq!(u64::from(proof.sector_size()), size.bytes());
        }
        assert_eq!(update_proof_from_wire(5), None);
        assert_eq!(update_proof_from_wire(u64::MAX), None);
    }
}
