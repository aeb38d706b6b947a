//! From a sector size, known at run time, to the tree shape that the proof crates know at compile time.

use filecoin_hashers::poseidon::PoseidonHasher;
use storage_proofs_core::merkle::MerkleTreeTrait;

/// The hasher of the tree over a sector's data (TreeD).
pub(crate) use filecoin_proofs::constants::DefaultPieceHasher as DataHasher;

/// A shape of a sector's replica and column trees (TreeR, TreeC): Poseidon, of arity 8 with, for the large sectors,
/// another arity in the top rows.
pub(crate) trait TreeShape: 'static + MerkleTreeTrait<Hasher = PoseidonHasher> {}

impl<T: 'static + MerkleTreeTrait<Hasher = PoseidonHasher>> TreeShape for T {}

/// Evaluates an expression with a type name bound to the tree shape of a [`SectorSize`](crate::SectorSize).
macro_rules! with_shape {
    ($size:expr, $tree:ident => $body:expr) => {
        match $size {
            $crate::SectorSize::KiB2 => {
                type $tree = ::filecoin_proofs::constants::SectorShape2KiB;
                $body
            }
            $crate::SectorSize::MiB8 => {
                type $tree = ::filecoin_proofs::constants::SectorShape8MiB;
                $body
            }
            $crate::SectorSize::MiB512 => {
                type $tree = ::filecoin_proofs::constants::SectorShape512MiB;
                $body
            }
            $crate::SectorSize::GiB32 => {
                type $tree = ::filecoin_proofs::constants::SectorShape32GiB;
                $body
            }
            $crate::SectorSize::GiB64 => {
                type $tree = ::filecoin_proofs::constants::SectorShape64GiB;
                $body
            }
        }
    };
}

pub(crate) use with_shape;
