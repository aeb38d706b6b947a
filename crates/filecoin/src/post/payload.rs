//! A PoSt payload: one `FallbackPoStSectorProof` in bincode a sector, read into types of our own.

use filecoin_proofs_api::RegisteredPoStProof;
use serde::Deserialize;

use super::geometry::Geometry;
use super::inputs::PublicSector;
use crate::bincode;
use crate::error::{Error, RequestError};
use crate::field_path::FieldPath;
use crate::merkle::{HeapBytes, MerkleProof, Node};
use crate::registered::describe_post;

/// The field that the payload stands in.
pub(crate) const FIELD: FieldPath<'static> = FieldPath::root("vanilla_proofs");

/// Mirror of `FallbackPoStSectorProof`.
#[derive(Deserialize)]
struct SectorProofs {
    sector_id: u64,
    comm_r: Node,
    vanilla_proof: VanillaProof,
}

/// Mirror of `fallback::Proof`.
#[derive(Deserialize)]
struct VanillaProof {
    sectors: Vec<SectorProof>,
}

/// Mirror of `fallback::SectorProof`.
#[derive(Deserialize)]
struct SectorProof {
    inclusion_proofs: Vec<MerkleProof>,
    comm_c: Node,
    comm_r_last: Node,
}

/// One sector of a request.
pub(crate) struct Sector {
    pub(crate) id: u64,
    pub(crate) comm_r: Node,
    pub(crate) comm_c: Node,
    pub(crate) comm_r_last: Node,
    pub(crate) inclusion_proofs: Vec<MerkleProof>,
}

impl Sector {
    /// What the verifier knows of it.
    pub(crate) fn public(&self) -> PublicSector {
        PublicSector { id: self.id, comm_r: self.comm_r }
    }
}

impl HeapBytes for Sector {
    fn heap_bytes(&self) -> usize {
        self.inclusion_proofs.heap_bytes()
    }
}

/// What stands at one place of the circuit: a sector, and those of its paths that belong there.
pub(crate) fn at_place<'a>(
    geometry: &Geometry,
    sectors: &'a [Sector],
    place: usize,
) -> Result<(&'a Sector, &'a [MerkleProof]), Error> {
    let (index, paths) = geometry.place(place, sectors.len());
    let found = sectors.get(index).and_then(|sector| Some((sector, sector.inclusion_proofs.get(paths)?)));
    found.ok_or(Error::EmptyPlace { place, sectors: sectors.len() })
}

/// Reads the sectors and puts them into the order of their ids, which is the chain's verifier's. Each comes with its place
/// in the request.
pub(crate) fn read(
    proof: RegisteredPoStProof,
    proofs: &[Vec<u8>],
    geometry: &Geometry,
) -> Result<Vec<(usize, Sector)>, RequestError> {
    if proofs.is_empty() {
        return Err(RequestError::Missing {
            field: FIELD.to_string(),
            expected: "the bincode of a FallbackPoStSectorProof for each sector".to_owned(),
        });
    }
    if proofs.len() > geometry.max_sectors {
        return Err(RequestError::Contradiction {
            field: FIELD.to_string(),
            value: format!("a list of {} sectors", proofs.len()),
            other_field: "registered_proof".to_owned(),
            other_value: format!("{}, which has at most {}", describe_post(proof), geometry.max_sectors),
        });
    }
    let sectors = proofs.iter().enumerate().map(|(i, bytes)| Ok((i, sector(bytes, &FIELD.index(i))?)));
    let mut sectors = sectors.collect::<Result<Vec<_>, RequestError>>()?;
    sectors.sort_by_key(|(_, sector)| sector.id);
    distinct(&sectors)?;
    Ok(sectors)
}

fn sector(bytes: &[u8], at: &FieldPath<'_>) -> Result<Sector, RequestError> {
    let SectorProofs { sector_id, comm_r, vanilla_proof } = bincode::read(bytes, at)?;
    let found = vanilla_proof.sectors.len();
    let [proof] = <[SectorProof; 1]>::try_from(vanilla_proof.sectors).map_err(|_| RequestError::Count {
        field: at.field("vanilla_proof").field("sectors").to_string(),
        what: "sectors",
        found,
        expected: 1,
    })?;
    let SectorProof { inclusion_proofs, comm_c, comm_r_last } = proof;
    Ok(Sector { id: sector_id, comm_r, comm_c, comm_r_last, inclusion_proofs })
}

/// The chain's verifier keeps sectors by id: two of one id cannot be told apart there.
fn distinct(sorted: &[(usize, Sector)]) -> Result<(), RequestError> {
    for ((first, one), (second, other)) in sorted.iter().zip(sorted.iter().skip(1)) {
        if one.id == other.id {
            return Err(RequestError::Contradiction {
                field: FIELD.index(*second).field("sector_id").to_string(),
                value: other.id.to_string(),
                other_field: FIELD.index(*first).field("sector_id").to_string(),
                other_value: format!("{} too; a sector may stand only once", one.id),
            });
        }
    }
    Ok(())
}
