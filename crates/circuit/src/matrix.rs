//! One sparse matrix of a constraint system.

/// A sparse matrix in compressed rows: for each term a 32-bit column and a 32-bit index into the coefficient
/// dictionary of the constraint system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    offsets: Vec<u32>,
    columns: Vec<u32>,
    coefficients: Vec<u32>,
}

impl Matrix {
    /// A matrix without rows.
    pub(crate) fn new() -> Self {
        Self { offsets: vec![0], columns: Vec::new(), coefficients: Vec::new() }
    }

    /// Adds a term to the row that [`end_row`](Self::end_row) will close.
    pub(crate) fn push(&mut self, column: u32, coefficient: u32) {
        self.columns.push(column);
        self.coefficients.push(coefficient);
    }

    /// Closes a row. The caller keeps the number of terms within 32 bits (see `Recorder::finish`).
    pub(crate) fn end_row(&mut self) {
        self.offsets.push(self.columns.len() as u32);
    }

    /// Rewrites every column.
    pub(crate) fn map_columns(&mut self, map: impl Fn(u32) -> u32) {
        for column in &mut self.columns {
            *column = map(*column);
        }
        self.offsets.shrink_to_fit();
        self.columns.shrink_to_fit();
        self.coefficients.shrink_to_fit();
    }

    /// Cuts the matrix before row `index` and returns the rows from there on.
    pub(crate) fn split_off(&mut self, index: usize) -> Self {
        let first = self.offsets[index];
        let offsets = self.offsets[index..].iter().map(|offset| offset - first).collect();
        self.offsets.truncate(index + 1);
        let (columns, coefficients) =
            (self.columns.split_off(first as usize), self.coefficients.split_off(first as usize));
        Self { offsets, columns, coefficients }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of terms with a coefficient other than zero.
    pub fn nnz(&self) -> usize {
        self.columns.len()
    }

    /// The terms of row `index` as (column, index into the coefficient dictionary).
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, index: usize) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        let columns = self.columns[range.clone()].iter().copied();
        columns.zip(self.coefficients[range].iter().copied())
    }

    /// Bytes that the matrix has taken from the allocator.
    pub fn bytes(&self) -> u64 {
        ((self.offsets.capacity() + self.columns.capacity() + self.coefficients.capacity()) * size_of::<u32>()) as u64
    }

    /// The three arrays, for the digest.
    pub(crate) fn arrays(&self) -> [&[u32]; 3] {
        [&self.offsets, &self.columns, &self.coefficients]
    }
}
