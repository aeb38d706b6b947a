//! A part of a circuit, free of where it stands.

use crate::Matrix;

/// A stretch of a circuit: some rows, and the variables that are allocated along them.
///
/// Columns are the numbers of a frame: 0 is the constant ONE, then come the *externals*, variables that were allocated
/// earlier and occur in the rows, then the *locals* in the order of their allocation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Body {
    /// A, B and C.
    pub(crate) matrices: [Matrix; 3],
    /// Number of externals.
    pub(crate) externals: u32,
    /// Number of locals.
    pub(crate) locals: u32,
    /// Which locals are inputs, counted from the first local, ascending.
    pub(crate) inputs: Vec<u32>,
}

impl Body {
    /// Makes the body of rows whose columns are the circuit's variables, and lists its externals.
    pub(crate) fn new(
        mut matrices: [Matrix; 3],
        first_variable: u32,
        locals: u32,
        inputs: Vec<u32>,
    ) -> (Self, Vec<u32>) {
        let mut externals: Vec<u32> = Vec::new();
        for matrix in &matrices {
            let [_, columns, _] = matrix.arrays();
            externals.extend(columns.iter().filter(|&&column| column != 0 && column < first_variable));
            externals.sort_unstable();
            externals.dedup();
        }
        let count = externals.len() as u32;
        for matrix in &mut matrices {
            matrix.map_columns(|column| match column {
                0 => 0,
                local if local >= first_variable => local - first_variable + 1 + count,
                // Every external was collected above.
                external => externals.partition_point(|&known| known < external) as u32 + 1,
            });
        }
        (Self { matrices, externals: count, locals, inputs }, externals)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.matrices[0].rows()
    }

    /// Number of the first local.
    pub(crate) fn first_local(&self) -> u32 {
        self.externals + 1
    }

    /// One more than the highest number.
    pub(crate) fn numbers(&self) -> u32 {
        self.first_local() + self.locals
    }

    /// The circuit's variable that stands behind a number in a call with these externals.
    pub(crate) fn variable(&self, number: u32, first_variable: u32, externals: &[u32]) -> u32 {
        match number {
            0 => 0,
            local if local >= self.first_local() => local - self.first_local() + first_variable,
            external => externals[external as usize - 1],
        }
    }
}
