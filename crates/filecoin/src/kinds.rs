//! The list of kinds: everything that has to be touched to add one, besides the module that implements
//! [`Work`](crate::work::Work) for it.

use crate::porep::PorepRequest;
use crate::snap::SnapRequest;

/// A parsed request of any kind.
pub(crate) enum Kinds {
    /// PoRep C2.
    Porep(PorepRequest),
    /// SnapDeals.
    Snap(SnapRequest),
}

/// Evaluates an expression with a name bound to whatever [`Kinds`] holds.
macro_rules! with_kind {
    ($kinds:expr, $work:ident => $body:expr) => {
        match $kinds {
            $crate::kinds::Kinds::Porep($work) => $body,
            $crate::kinds::Kinds::Snap($work) => $body,
        }
    };
}

/// Evaluates an expression with a type name bound to the request type of a [`ProofKind`](crate::ProofKind), and a
/// function name bound to the variant of [`Kinds`] that holds it.
macro_rules! with_kind_type {
    ($kind:expr, $work:ident, $wrap:ident => $body:expr) => {
        match $kind {
            $crate::ProofKind::PorepSealCommit => {
                type $work = $crate::porep::PorepRequest;
                #[allow(unused_variables, reason = "not every caller makes a `Kinds`")]
                let $wrap = $crate::kinds::Kinds::Porep;
                $body
            }
            $crate::ProofKind::SnapDealsUpdate => {
                type $work = $crate::snap::SnapRequest;
                #[allow(unused_variables, reason = "not every caller makes a `Kinds`")]
                let $wrap = $crate::kinds::Kinds::Snap;
                $body
            }
            // Stand-ins until their modules are there.
            $crate::ProofKind::WindowPostPartition | $crate::ProofKind::WinningPost => {
                unimplemented!("not in this version")
            }
        }
    };
}

pub(crate) use {with_kind, with_kind_type};
