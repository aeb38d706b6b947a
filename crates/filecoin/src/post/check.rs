//! The shape of a PoSt payload, and that it opens the leaves that the chain's randomness challenges (see
//! [`merkle`](crate::merkle) for what is left to the circuit).

use super::geometry::Geometry;
use super::inputs::Statement;
use super::payload::{FIELD, Sector};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::{Opened, canonical, count, open, refuse_zero, same_root};

type Check = Result<(), RequestError>;

/// Checks all sectors, which stand in the order of the statement.
pub(crate) fn sectors(statement: &Statement, geometry: &Geometry, sectors: &[(usize, Sector)]) -> Check {
    for (position, (place, sector)) in sectors.iter().enumerate() {
        let at = FIELD.index(*place);
        canonical(&sector.comm_r, &at.field("comm_r"))?;
        refuse_zero(&sector.comm_r, &at.field("comm_r"))?;
        let proof_at = at.field("vanilla_proof");
        let proof_at = proof_at.field("sectors");
        let proof_at = proof_at.index(0);
        canonical(&sector.comm_c, &proof_at.field("comm_c"))?;
        canonical(&sector.comm_r_last, &proof_at.field("comm_r_last"))?;
        paths(statement, geometry, position, sector, &proof_at)?;
    }
    Ok(())
}

fn paths(
    statement: &Statement,
    geometry: &Geometry,
    position: usize,
    sector: &Sector,
    proof_at: &FieldPath<'_>,
) -> Check {
    let paths_at = proof_at.field("inclusion_proofs");
    count(&paths_at, "paths", sector.inclusion_proofs.len(), geometry.challenges)?;
    for (n, path) in sector.inclusion_proofs.iter().enumerate() {
        let at = paths_at.index(n);
        let leaf = statement.challenge(geometry, position, n);
        open(path, &geometry.path, challenged(leaf), &at)?;
        same_root(path, &at, &sector.comm_r_last, &proof_at.field("comm_r_last"))?;
    }
    Ok(())
}

fn challenged(leaf: u64) -> Opened {
    Opened {
        node: leaf,
        because: "the leaf to open, which follows from randomness, sector_id and registered_proof (and, in WindowPoSt V1, \
                  from partition_index and the sector's place by id),",
    }
}
