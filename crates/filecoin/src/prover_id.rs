//! Who sealed a sector: the prover id, and the replica id that binds a sector to it.

use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_proofs_api::RegisteredSealProof;
use storage_proofs_porep::stacked::generate_replica_id;

/// The prover id of a miner: the unsigned LEB128 of its number, left-aligned in 32 zero bytes (1000 → `e8 07 00 …`).
///
/// This is the payload of the miner's id address, as the chain's verifier takes it.
pub fn prover_id(miner_id: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut rest = miner_id;
    for byte in &mut bytes {
        *byte = (rest & 0x7f) as u8;
        rest >>= 7;
        if rest == 0 {
            break;
        }
        *byte |= 0x80;
    }
    bytes
}

/// The replica id of a sector: SHA-256 of who sealed what with which ticket, cut to a field element.
///
/// `sector` is the sector's number, `comm_d` the commitment to its data, `porep_id` names the proof and its version
/// (see [`porep_id`]).
pub fn replica_id(
    prover_id: &[u8; 32],
    sector: u64,
    ticket: &[u8; 32],
    comm_d: &[u8; 32],
    porep_id: &[u8; 32],
) -> [u8; 32] {
    let domain = generate_replica_id::<PoseidonHasher, _>(prover_id, sector, ticket, comm_d, porep_id);
    let mut bytes = [0; 32];
    // A domain element is 32 bytes by type.
    bytes.copy_from_slice(AsRef::<[u8]>::as_ref(&domain));
    bytes
}

/// The 32 bytes that seed the graph and the replica id of a registered seal proof.
pub fn porep_id(proof: RegisteredSealProof) -> [u8; 32] {
    proof.as_v1_config().porep_id
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_miners() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert_eq!(prover_id(0), [0; 32]);
        assert_eq!(prover_id(127)[..2], [0x7f, 0]);
        assert_eq!(prover_id(128)[..3], [0x80, 0x01, 0]);
        assert_eq!(prover_id(1000)[..3], [0xe8, 0x07, 0]);
        let mut largest = [0xff; 10];
        largest[9] = 0x01;
        assert_eq!(prover_id(u64::MAX)[..10], largest);
        assert_eq!(prover_id(u64::MAX)[10..], [0; 22]);
    }

    proptest! {
        #[test]
        fn leb128_reads_back(miner: u64) {
            let _limit = cuzk_testing::TimeLimit::seconds(30);
            let bytes = prover_id(miner);
            let mut value = 0_u128;
            for (i, byte) in bytes.iter().enumerate() {
                value |= u128::from(byte & 0x7f) << (7 * i);
                if byte & 0x80 == 0 {
                    prop_assert!(bytes[i + 1..].iter().all(|&b| b == 0));
                    break;
                }
            }
            prop_assert_eq!(value, u128::from(miner));
        }

        #[test]
        fn every_part_of_a_replica_id_counts(prover: [u8; 32], sector: u64, ticket: [u8; 32], comm_d: [u8; 32]) {
            let _limit = cuzk_testing::TimeLimit::seconds(30);
            let v1_1 = porep_id(RegisteredSealProof::StackedDrg2KiBV1_1);
            let v1 = porep_id(RegisteredSealProof::StackedDrg2KiBV1);
            let id = replica_id(&prover, sector, &ticket, &comm_d, &v1_1);
            prop_assert_eq!(id[31] & 0xc0, 0, "a field element");
            prop_assert_ne!(id, replica_id(&prover, sector ^ 1, &ticket, &comm_d, &v1_1));
            prop_assert_ne!(id, replica_id(&prover, sector, &ticket, &comm_d, &v1));
            let mut other = ticket;
            other[0] ^= 1;
            prop_assert_ne!(id, replica_id(&prover, sector, &other, &comm_d, &v1_1));
        }
    }
}
