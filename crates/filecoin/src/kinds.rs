//! The list of kinds: everything that has to be touched to add one, besides the module that implements
//! [`Work`](crate::work::Work) for it.

use crate::porep::PorepRequest;
use crate::post::{WindowPost, WinningPost};
use crate::snap::SnapRequest;

/// A parsed request of any kind.
pub(crate) enum Kinds {
    /// PoRep C2.
    Porep(PorepRequest),
    /// A WindowPoSt partition.
    WindowPost(WindowPost),
    /// WinningPoSt.
    WinningPost(WinningPost),
    /// SnapDeals.
    Snap(SnapRequest),
}

/// Evaluates an expression with a name bound to whatever [`Kinds`] holds.
macro_rules! with_kind {
    ($kinds:expr, $work:ident => $body:expr) => {
        match $kinds {
            $crate::kinds::Kinds::Porep($work) => $body,
            $crate::kinds::Kinds::WindowPost($work) => $body,
            $crate::kinds::Kinds::WinningPost($work) => $body,
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
            $crate::ProofKind::WindowPostPartition => {
                type $work = $crate::post::WindowPost;
                #[allow(unused_variables, reason = "not every caller makes a `Kinds`")]
                let $wrap = $crate::kinds::Kinds::WindowPost;
                $body
            }
            $crate::ProofKind::WinningPost => {
                type $work = $crate::post::WinningPost;
                #[allow(unused_variables, reason = "not every caller makes a `Kinds`")]
                let $wrap = $crate::kinds::Kinds::WinningPost;
                $body
            }
            $crate::ProofKind::SnapDealsUpdate => {
                type $work = $crate::snap::SnapRequest;
                #[allow(unused_variables, reason = "not every caller makes a `Kinds`")]
                let $wrap = $crate::kinds::Kinds::Snap;
                $body
            }
        }
    };
}

pub(crate) use {with_kind, with_kind_type};
