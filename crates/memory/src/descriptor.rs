//! What a ledger entry says of its buffer.

use std::{fmt, sync::Arc};

/// What a buffer is: `witness`, `key`, `quotient` … Two classes with one name are the same class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    name: &'static str,
}

impl Class {
    /// Describes a class; meant for a `static` in the crate that makes such buffers.
    pub const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// The name in events, status and metrics.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// How far the work on a buffer has come: `solving`, `waiting`, `proving` …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    name: &'static str,
}

impl Stage {
    /// Describes a stage; meant for a `static` in the crate whose work it names.
    pub const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// The name in events, status and metrics.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// Where a buffer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Ordinary memory of the host.
    Host,
    /// Page-locked memory of the host.
    Pinned,
    /// Memory of the device with this ordinal.
    Device(u32),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Pinned => f.write_str("pinned"),
            Self::Device(ordinal) => write!(f, "device({ordinal})"),
        }
    }
}

/// For whom a buffer exists. Empty for what the whole process shares, such as a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// The job that the buffer belongs to.
    pub job: Option<Arc<str>>,
    /// The partition of that job.
    pub partition: Option<u32>,
}

impl Scope {
    /// A buffer of one partition of a job.
    pub fn partition(job: Arc<str>, partition: u32) -> Self {
        Self { job: Some(job), partition: Some(partition) }
    }

    /// A buffer of a whole job.
    pub fn job(job: Arc<str>) -> Self {
        Self { job: Some(job), partition: None }
    }
}
