//! The rows of A and B as a program.

use blstrs::Scalar;
use serde::{Deserialize, Serialize};

use super::{Frame, Operand, Strided, Sums, capacity_bytes, mask, sum::Constants};

/// Computes `A·w` and `B·w` for the rows of one body, from the values in its frame. The linear combinations are kept with
/// those of the body's witness program, which has many of them too.
///
/// Nearly all rows speak of a few bits only. Their values come from a table that has a handful of entries for the whole
/// body, so such a row's result is a *code*, one byte. The other rows are linear combinations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowProgram {
    pub(crate) rows: u32,
    pub(crate) coded: Vec<CodedRun>,
    pub(crate) general: Vec<GeneralRow>,
    /// For each shape of coded rows the code by the values of its bits, the first bit counting 1.
    pub(crate) tables: Vec<[u8; 1 << MAX_BITS]>,
    /// The values of A and B by code, as indices of coefficients. `None` is zero.
    pub(crate) codes: Vec<[Option<u32>; 2]>,
}

/// The most bits that a coded row depends on.
pub(crate) const MAX_BITS: usize = 4;

/// Rows of equal shape whose bits lie at regular distances: rows `first_row`, `first_row + row_stride` …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CodedRun {
    pub(crate) first_row: u32,
    pub(crate) row_stride: u8,
    pub(crate) count: u8,
    pub(crate) bits: u8,
    pub(crate) strides: [i8; MAX_BITS],
    pub(crate) table: u32,
    pub(crate) positions: [u32; MAX_BITS],
}

/// A row of linear combinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GeneralRow {
    pub(crate) row: u32,
    pub(crate) a: Operand,
    pub(crate) b: Operand,
}

/// How many codes there can be. The last is never given: it stands for rows without one.
pub(crate) const CODES: usize = 1 << u8::BITS;

impl RowProgram {
    /// Gives back what the allocator gave too much of.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.coded.shrink_to_fit();
        self.general.shrink_to_fit();
        self.tables.shrink_to_fit();
        self.codes.shrink_to_fit();
    }

    /// Bytes taken from the allocator.
    pub(crate) fn bytes(&self) -> u64 {
        let Self { coded, general, tables, codes, .. } = self;
        capacity_bytes(coded) + capacity_bytes(general) + capacity_bytes(tables) + capacity_bytes(codes)
    }

    /// The values of A and B by code, zeros where there is none.
    pub(crate) fn values(&self, constants: &Constants<'_>) -> [[Scalar; 2]; CODES] {
        let value =
            |index: Option<u32>| index.map_or(Scalar::default(), |index| constants.coefficients[index as usize]);
        let mut values = [[Scalar::default(); 2]; CODES];
        for (values, code) in values.iter_mut().zip(&self.codes) {
            *values = code.map(value);
        }
        values
    }

    /// Writes the code of each row that has one.
    pub(crate) fn codes(&self, frame: &Frame, codes: &mut [u8]) {
        for run in &self.coded {
            let table = &self.tables[run.table as usize];
            let rows = (run.first_row as usize..).step_by(usize::from(run.row_stride));
            let words = run.load(frame);
            for (index, row) in (0..run.count).zip(rows) {
                codes[row] = table[entry(&words, index)];
            }
        }
    }

    /// The values of A and B in the rows that have no code.
    pub(crate) fn others(
        &self,
        sums: &Sums,
        frame: &Frame,
        constants: &Constants<'_>,
    ) -> impl Iterator<Item = (u32, [Scalar; 2])> {
        let values =
            |general: &GeneralRow| [general.a, general.b].map(|operand| sums.operand(operand, frame, constants));
        self.general.iter().map(move |general| (general.row, values(general)))
    }
}

impl CodedRun {
    #[inline(always)]
    fn load(&self, frame: &Frame) -> [u64; MAX_BITS] {
        let mut words = [0; MAX_BITS];
        for (bit, word) in words.iter_mut().enumerate().take(usize::from(self.bits)) {
            let strided = Strided { position: self.positions[bit], stride: self.strides[bit] };
            *word = strided.load(&frame.bits, self.count) & mask(self.count);
        }
        words
    }
}

/// Which entry of its table row `index` of a run takes.
#[inline(always)]
fn entry(words: &[u64; MAX_BITS], index: u8) -> usize {
    words.iter().rev().fold(0, |entry, word| entry << 1 | (word >> index & 1) as usize)
}
