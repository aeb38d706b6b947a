//! A vector that is counted.

use std::ops::{Deref, DerefMut};

use crate::{Entry, Stage};

/// A `Vec` together with its ledger entry: the storage of every large buffer on the host.
///
/// Its length is fixed, so the counted size (capacity times element size) stays right.
#[derive(Debug)]
pub struct Buffer<T> {
    data: Vec<T>,
    entry: Entry,
}

impl<T> Buffer<T> {
    /// Binds `data` to `entry` and sets the entry's size to what the vector really holds.
    pub fn new(data: Vec<T>, mut entry: Entry) -> Self {
        entry.resize(vec_bytes(&data));
        Self { data, entry }
    }

    /// Moves the buffer on to `stage`.
    pub fn move_to(&mut self, stage: &'static Stage) {
        self.entry.move_to(stage);
    }

    /// The counted size in bytes.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }

    /// Takes the vector and its entry apart, for a computation that works in place and binds them again.
    pub fn into_parts(self) -> (Vec<T>, Entry) {
        (self.data, self.entry)
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.data
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data
    }
}

/// Bytes that a vector has taken from the allocator.
pub(crate) fn vec_bytes<T>(data: &Vec<T>) -> u64 {
    (data.capacity() as u64).saturating_mul(size_of::<T>() as u64)
}
