//! The shape of a SnapDeals payload: every count and length, every index, that every number is a field element, that it
//! opens the nodes that the new replica's commitment challenges, and what the crates' circuit asserts of its witness
//! (see [`merkle`](crate::merkle) for what is left to the circuit).

use super::encoding::Encoding;
use super::geometry::Geometry;
use super::inputs::Statement;
use super::payload::{ChallengeProof, FIELD, PartitionProof};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::{Node, Opened, PathElement, canonical, canonical_all, count, open, same_root};
use crate::registered::describe_update;
use crate::{bincode, hex};

type Check = Result<(), RequestError>;

/// Reads the entries of field 11, one a partition, and checks all of them.
pub(super) fn read_partitions(
    statement: &Statement,
    payloads: &[Vec<u8>],
) -> Result<Vec<PartitionProof>, RequestError> {
    let geometry = Geometry::new(statement.size());
    if payloads.len() != geometry.partitions {
        return Err(RequestError::Contradiction {
            field: FIELD.to_string(),
            value: format!("{} partitions", payloads.len()),
            other_field: "registered_proof".to_owned(),
            other_value: format!("{}, which has {}", describe_update(statement.registered_proof), geometry.partitions),
        });
    }
    let encoding = Encoding::new(statement, geometry.nodes).map_err(refused)?;
    let mut partitions: Vec<PartitionProof> = Vec::with_capacity(payloads.len());
    for (k, payload) in payloads.iter().enumerate() {
        let at = FIELD.index(k);
        let proof: PartitionProof = bincode::read(payload, &at)?;
        counts(&proof, &geometry, &at)?;
        let commons = Commons::of(partitions.first().unwrap_or(&proof));
        if let Some(commons) = commons {
            Checker { statement, geometry: &geometry, encoding: &encoding, commons }.partition(&proof, k, &at)?;
        }
        partitions.push(proof);
    }
    Ok(partitions)
}

fn refused(message: String) -> RequestError {
    RequestError::Crates { field: FIELD.to_string(), message }
}

fn counts(proof: &PartitionProof, geometry: &Geometry, at: &FieldPath<'_>) -> Check {
    count(&at.field("apex_leafs"), "nodes", proof.apex_leafs.len(), geometry.apex_leafs)?;
    count(&at.field("challenge_proofs"), "challenges", proof.challenge_proofs.len(), geometry.challenges)
}

/// What all of a request shares, as its first challenge states it.
struct Commons {
    comm_c: Node,
    root_r_old: Node,
    root_r_new: Node,
}

impl Commons {
    /// None without a challenge, which is to say for a proof of the wrong count.
    fn of(first: &PartitionProof) -> Option<Self> {
        first.challenge_proofs.first().map(|challenge| Self {
            comm_c: first.comm_c,
            root_r_old: *challenge.proof_r_old.root(),
            root_r_new: *challenge.proof_r_new.root(),
        })
    }
}

/// Checks one partition's proof.
struct Checker<'a> {
    statement: &'a Statement,
    geometry: &'a Geometry,
    encoding: &'a Encoding,
    commons: Commons,
}

impl Checker<'_> {
    fn partition(&self, proof: &PartitionProof, k: usize, at: &FieldPath<'_>) -> Check {
        let comm_c_at = at.field("comm_c");
        canonical(&proof.comm_c, &comm_c_at)?;
        same(&proof.comm_c, &comm_c_at, &self.commons.comm_c, || FIELD.index(0).field("comm_c").to_string())?;
        canonical_all(&proof.apex_leafs, &at.field("apex_leafs"))?;

        let challenges = self.encoding.challenges(k).map_err(refused)?;
        let challenges_at = at.field("challenge_proofs");
        for (i, (challenge, &node)) in proof.challenge_proofs.iter().zip(&challenges).enumerate() {
            let challenge_at = challenges_at.index(i);
            self.challenge(challenge, node, &challenge_at)?;
            self.apex(challenge, node, proof, at, &challenge_at)?;
            if let Some(first) = proof.challenge_proofs.first() {
                self.upper_rows(challenge, &challenge_at, first, &challenges_at.index(0))?;
            }
        }
        Ok(())
    }

    /// The three paths, and that the leaves at their ends encode one another.
    fn challenge(&self, proof: &ChallengeProof, node: u32, at: &FieldPath<'_>) -> Check {
        let (old_at, data_at, new_at) = (at.field("proof_r_old"), at.field("proof_d_new"), at.field("proof_r_new"));
        let opened = Opened {
            node: u64::from(node),
            because: "the node to open, which follows from comm_r_new, registered_proof and the partition,",
        };
        open(&proof.proof_r_old, &self.geometry.replica_path, opened, &old_at)?;
        open(&proof.proof_d_new, &self.geometry.data_path, opened, &data_at)?;
        open(&proof.proof_r_new, &self.geometry.replica_path, opened, &new_at)?;

        let first = FIELD.index(0);
        let first = first.field("challenge_proofs");
        let first = first.index(0);
        same_root(&proof.proof_r_old, &old_at, &self.commons.root_r_old, &first.field("proof_r_old").field("root"))?;
        same_root(&proof.proof_d_new, &data_at, &self.statement.comm_d_new, &FieldPath::root("comm_d_new"))?;
        same_root(&proof.proof_r_new, &new_at, &self.commons.root_r_new, &first.field("proof_r_new").field("root"))?;

        // The circuit computes the new leaf and panics when the payload's is another.
        let (old, data) = (proof.proof_r_old.leaf(), proof.proof_d_new.leaf());
        let encoded = self.encoding.encode(node, old, data).map_err(refused)?;
        same(proof.proof_r_new.leaf(), &new_at.field("leaf"), &encoded, || {
            "the encoding of the leaves of proof_r_old and proof_d_new under comm_r_old and comm_d_new".to_owned()
        })
    }

    /// The sibling in the apex row, which the payload states a second time among the partition's apex leaves.
    fn apex(
        &self,
        proof: &ChallengeProof,
        node: u32,
        partition: &PartitionProof,
        at: &FieldPath<'_>,
        challenge_at: &FieldPath<'_>,
    ) -> Check {
        let height = self.geometry.apex_height;
        let sibling = ((node as usize >> height) ^ 1) % self.geometry.apex_leafs.max(1);
        let stated = data_rows(proof).get(height).and_then(|row| row.hashes.first());
        let (Some(stated), Some(leaf)) = (stated, partition.apex_leafs.get(sibling)) else {
            return Ok(());
        };
        let stated_at = challenge_at.field("proof_d_new");
        let stated_at = stated_at.field("path");
        let stated_at = stated_at.index(height);
        let stated_at = stated_at.field("hashes");
        same(stated, &stated_at.index(0), leaf, || at.field("apex_leafs").index(sibling).to_string())
    }

    /// The rows of TreeD above the partition, which all its paths share: the circuit panics when they differ.
    fn upper_rows(
        &self,
        proof: &ChallengeProof,
        at: &FieldPath<'_>,
        first: &ChallengeProof,
        first_at: &FieldPath<'_>,
    ) -> Check {
        let rows = data_rows(proof).iter().zip(data_rows(first)).enumerate().skip(self.geometry.partition_height);
        for (i, (row, first_row)) in rows {
            for (j, (hash, first_hash)) in row.hashes.iter().zip(&first_row.hashes).enumerate() {
                let hash_at = |at: &FieldPath<'_>| {
                    at.field("proof_d_new").field("path").index(i).field("hashes").index(j).to_string()
                };
                if hash != first_hash {
                    return Err(differ(hash_at(at), hash, hash_at(first_at), first_hash));
                }
            }
        }
        Ok(())
    }
}

/// The rows of a path in TreeD, which has one part only; its shape has been checked.
fn data_rows(proof: &ChallengeProof) -> &[PathElement] {
    proof.proof_d_new.parts().next().map_or(&[], |(_, rows)| rows)
}

/// Refuses a value that differs from what it should be.
fn same(found: &Node, at: &FieldPath<'_>, expected: &Node, expected_at: impl FnOnce() -> String) -> Check {
    if found == expected { Ok(()) } else { Err(differ(at.to_string(), found, expected_at(), expected)) }
}

fn differ(field: String, value: &Node, other_field: String, other_value: &Node) -> RequestError {
    RequestError::Contradiction { field, value: hex(value), other_field, other_value: hex(other_value) }
}
