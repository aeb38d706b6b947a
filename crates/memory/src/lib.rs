//! The ledger of large buffers.
//!
//! Owns the count of every large buffer in the process: what it is ([`Class`]), how far its work has come ([`Stage`]),
//! where it lies ([`Place`]) and for whom ([`Scope`]). A buffer is counted when it is made, moves from stage to stage
//! explicitly, and is uncounted when it is dropped. At every such transition one `tracing` event (target
//! `cuzk::memory`, level `DEBUG`) carries the counts of every class, so that log, status and metrics show the same numbers.
//!
//! It does not know what a proof is: classes and stages are descriptors that the crates owning the buffers declare. It
//! does not allocate device memory and does not (yet) limit anything.

#![forbid(unsafe_code)]

mod buffer;
mod descriptor;
mod entry;
mod ledger;
mod snapshot;

pub use buffer::Buffer;
pub use descriptor::{Class, Place, Scope, Stage};
pub use entry::Entry;
pub use ledger::Ledger;
pub use snapshot::{ClassCount, RowCount, Snapshot};
