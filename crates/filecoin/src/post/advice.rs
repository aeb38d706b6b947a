//! A PoSt's advice: what the gadgets of the proof crates' `fallback::circuit` allocate without defining it.
//!
//! For each place of the circuit: the root of the sector's TreeR, `comm_c` and `comm_r`; then, for each of its paths, the
//! leaf and the path. Places that repeat a sector take its values again.

use cuzk_circuit::AdviceWriter;

use super::geometry::Geometry;
use super::payload::{Sector, at_place};
use crate::error::Error;
use crate::merkle::{advise_node, advise_nodes, advise_path};

/// Writes the advice of the partition. `sectors` have passed every check.
pub(super) fn advise(geometry: &Geometry, sectors: &[Sector], advice: &mut AdviceWriter<'_>) -> Result<(), Error> {
    (0..geometry.circuit_sectors).try_for_each(|place| {
        let (sector, paths) = at_place(geometry, sectors, place)?;
        advise_nodes([&sector.comm_r_last, &sector.comm_c, &sector.comm_r], advice)?;
        paths.iter().try_for_each(|path| {
            advise_node(path.leaf(), advice)?;
            advise_path(path, advice)
        })
    })
}
