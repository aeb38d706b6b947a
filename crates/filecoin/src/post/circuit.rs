//! A PoSt's circuit, through the proof crates' own gadgets.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use std::io;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_post::fallback::{self, FallbackPoStCircuit, FallbackPoStCompound, PublicParams};

use super::geometry::Geometry;
use super::payload::{Sector, at_place};
use crate::guard::{guarded, guarded_synthesis};
use crate::merkle::{path_options, poseidon};
use crate::shape::TreeShape;

type Result<T> = std::result::Result<T, SynthesisError>;

/// Synthesises the partition with its witness. `sectors` have passed every check.
///
/// A constraint system that can be extended gets its sectors made in parallel, on the current rayon pool, a few for each
/// thread at a time: what is held besides `cs` is bounded whatever the number of sectors.
pub(crate) fn synthesize<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    geometry: &Geometry,
    sectors: &[Sector],
    cs: &mut CS,
) -> Result<()> {
    let all = 0..geometry.circuit_sectors;
    if !CS::is_extensible() {
        return guarded_synthesis(cs, || {
            let sectors = all.map(|place| circuit_sector::<Tree>(geometry, sectors, place)).collect::<Result<_>>()?;
            Ok::<_, SynthesisError>(FallbackPoStCircuit::<Tree> { prover_id: None, sectors })
        });
    }
    // Places that repeat the last sector repeat its values: they are made once.
    let distinct = if geometry.max_sectors == 1 { all.end } else { sectors.len().min(all.end) };
    let at_once = 4 * rayon::current_num_threads();
    let mut last = None;
    for first in (0..distinct).step_by(at_once) {
        let group = first..distinct.min(first + at_once);
        let made: Vec<CS> =
            group.into_par_iter().map(|place| apart::<Tree, CS>(geometry, sectors, place)).collect::<Result<_>>()?;
        made.iter().for_each(|sector| cs.extend(sector));
        last = made.into_iter().last();
    }
    for _ in distinct..all.end {
        last.iter().for_each(|sector| cs.extend(sector));
    }
    Ok(())
}

/// Synthesises a number of sectors without a witness.
pub(crate) fn synthesize_blank<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    geometry: &Geometry,
    sectors: usize,
    cs: &mut CS,
) -> Result<()> {
    let params = PublicParams { sector_count: sectors, ..geometry.params.clone() };
    guarded_synthesis(cs, || Ok::<_, String>(FallbackPoStCompound::<Tree>::blank_circuit(&params)))
}

/// One sector in a constraint system of its own, whose first input is a ONE that extending leaves out.
fn apart<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    geometry: &Geometry,
    sectors: &[Sector],
    place: usize,
) -> Result<CS> {
    let mut cs = CS::new();
    cs.alloc_input(|| "temporary ONE", || Ok(Scalar::ONE))?;
    let sector = guarded(|| circuit_sector::<Tree>(geometry, sectors, place)).map_err(io::Error::other)?;
    guarded_synthesis(&mut cs.namespace(|| format!("sector_{place}")), || Ok::<_, String>(&sector))?;
    Ok(cs)
}

/// What the circuit has at one place, in the crates' form.
fn circuit_sector<Tree: TreeShape>(
    geometry: &Geometry,
    sectors: &[Sector],
    place: usize,
) -> Result<fallback::Sector<Tree>> {
    let (sector, paths) = at_place(geometry, sectors, place).map_err(io::Error::other)?;
    let scalar = |node| Some(Scalar::from(poseidon(node)));
    Ok(fallback::Sector {
        id: Some(Scalar::from(sector.id)),
        comm_r: scalar(&sector.comm_r),
        comm_c: scalar(&sector.comm_c),
        comm_r_last: scalar(&sector.comm_r_last),
        leafs: paths.iter().map(|path| scalar(path.leaf())).collect(),
        paths: paths.iter().map(|path| path_options(path).into()).collect(),
    })
}
