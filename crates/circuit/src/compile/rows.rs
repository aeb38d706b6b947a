//! From rows to a row program.

use blstrs::Scalar;
use ff::Field;
use rustc_hash::FxHashMap;

use super::{
    combine::{CombinationRef, Combinations, Emission},
    lower::Places,
};
use crate::{
    coefficients::Coefficients,
    program::{CODES, CodedRun, GeneralRow, MAX_BITS, RowProgram},
    trace::Body,
};

const MAX_COUNT: u8 = 64;
const MAX_OPEN: usize = 4;
/// Codes are bytes, and one of these stands for no code.
const MAX_CODES: usize = CODES - 1;

/// The rows of a body, their linear combinations not made yet.
pub(super) struct Rows {
    program: RowProgram,
    general: Vec<(u32, [CombinationRef; 2])>,
}

impl Rows {
    /// The row program, its linear combinations made.
    pub(super) fn finish(self, emission: &mut Emission<'_>) -> RowProgram {
        let Self { mut program, general } = self;
        let row =
            |(row, [a, b]): (u32, [CombinationRef; 2])| GeneralRow { row, a: emission.plain(a), b: emission.plain(b) };
        program.general = general.into_iter().map(row).collect();
        program
    }
}

/// Sorts the rows of a body into those that have a code and the others.
pub(super) fn rows(
    body: &Body,
    places: &Places,
    coefficients: &mut Coefficients,
    combinations: &mut Combinations,
) -> Rows {
    let mut maker = Maker { body, places, coefficients, tables: Tables::default(), combinations };
    let mut coded = CodedRuns::default();
    let mut general: Vec<(u32, [CombinationRef; 2])> = Vec::new();
    let mut shape = Shape::default();
    for row in 0..body.rows() {
        match maker.code(row, &mut shape) {
            Some(table) => coded.add(row as u32, table, &shape.positions, shape.bits),
            None => general.push((row as u32, maker.general(row))),
        }
    }
    let Maker { tables: Tables { tables, codes, .. }, .. } = maker;
    let mut coded = coded.runs;
    coded.shrink_to_fit();
    let program = RowProgram { rows: body.rows() as u32, coded, general: Vec::new(), tables, codes };
    Rows { program, general }
}

struct Maker<'a> {
    body: &'a Body,
    places: &'a Places,
    coefficients: &'a mut Coefficients,
    tables: Tables,
    combinations: &'a mut Combinations,
}

/// Tables by the shape of the rows that they are for.
#[derive(Default)]
struct Tables {
    tables: Vec<[u8; 1 << MAX_BITS]>,
    by_shape: FxHashMap<Vec<u32>, Option<u32>>,
    codes: Vec<[Option<u32>; 2]>,
    by_values: FxHashMap<[Option<u32>; 2], u8>,
}

/// A row of A and B over a few bits.
#[derive(Default)]
struct Shape {
    key: Vec<u32>,
    positions: [u32; MAX_BITS],
    bits: usize,
}

const ONE: u32 = u32::MAX;
const END: u32 = u32::MAX - 1;

impl Maker<'_> {
    fn general(&mut self, row: usize) -> [CombinationRef; 2] {
        [0, 1].map(|matrix| self.combinations.intern(self.body.matrices[matrix].row(row).collect()))
    }

    /// The table for a row, if it is over a few bits; `shape` then tells which.
    fn code(&mut self, row: usize, shape: &mut Shape) -> Option<u32> {
        shape.key.clear();
        shape.bits = 0;
        for matrix in &self.body.matrices[..2] {
            for (number, coefficient) in matrix.row(row) {
                let place = if number == 0 { ONE } else { shape.place(self.places, number)? };
                shape.key.extend([place, coefficient]);
            }
            shape.key.push(END);
        }
        if let Some(known) = self.tables.by_shape.get(&shape.key) {
            return *known;
        }
        let made = self.tabulate(shape);
        let table = made.map(|made| {
            self.tables.tables.push(made);
            self.tables.tables.len() as u32 - 1
        });
        self.tables.by_shape.insert(shape.key.clone(), table);
        table
    }

    /// The codes for all values of the bits, unless that would take too many codes.
    fn tabulate(&mut self, shape: &Shape) -> Option<[u8; 1 << MAX_BITS]> {
        let mut table = [0; 1 << MAX_BITS];
        for (assignment, code) in table.iter_mut().enumerate().take(1 << shape.bits) {
            let mut sums = [Scalar::ZERO; 2];
            let (mut matrix, mut key) = (0, shape.key.iter());
            while let Some(&place) = key.next() {
                if place == END {
                    matrix += 1;
                    continue;
                }
                let Some(&coefficient) = key.next() else { break };
                if place == ONE || assignment >> place & 1 == 1 {
                    sums[matrix] += self.coefficients[coefficient];
                }
            }
            let values = sums.map(|sum| (!bool::from(sum.is_zero())).then(|| self.coefficients.intern(&sum)));
            *code = self.tables.code(values)?;
        }
        Some(table)
    }
}

impl Tables {
    fn code(&mut self, values: [Option<u32>; 2]) -> Option<u8> {
        if let Some(&known) = self.by_values.get(&values) {
            return Some(known);
        }
        let code = u8::try_from(self.codes.len()).ok().filter(|_| self.codes.len() < MAX_CODES)?;
        self.codes.push(values);
        self.by_values.insert(values, code);
        Some(code)
    }
}

impl Shape {
    /// Which of the row's bits a variable is; `None` where it is no bit, or one too many.
    fn place(&mut self, places: &Places, number: u32) -> Option<u32> {
        if !places.is_bit(number) {
            return None;
        }
        let position = places.position(number);
        let known = self.positions[..self.bits].iter().position(|&known| known == position);
        if let Some(known) = known {
            return Some(known as u32);
        }
        *self.positions.get_mut(self.bits)? = position;
        self.bits += 1;
        Some(self.bits as u32 - 1)
    }
}

/// Coded rows, gathered into runs.
#[derive(Default)]
struct CodedRuns {
    runs: Vec<CodedRun>,
    open: Vec<usize>,
}

impl CodedRuns {
    fn add(&mut self, row: u32, table: u32, positions: &[u32; MAX_BITS], bits: usize) {
        for &open in self.open.iter().rev() {
            if self.runs[open].grow(row, table, positions) {
                return;
            }
        }
        if self.open.len() == MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(self.runs.len());
        let mut used = [0; MAX_BITS];
        used[..bits].copy_from_slice(&positions[..bits]);
        let (row_stride, strides) = (1, [1; MAX_BITS]);
        self.runs.push(CodedRun {
            first_row: row,
            row_stride,
            count: 1,
            bits: bits as u8,
            strides,
            table,
            positions: used,
        });
    }
}

impl CodedRun {
    /// Takes one more row into the run, if it goes on regularly.
    fn grow(&mut self, row: u32, table: u32, positions: &[u32; MAX_BITS]) -> bool {
        if self.table != table || self.count == MAX_COUNT {
            return false;
        }
        let bits = usize::from(self.bits);
        if self.count == 1 {
            let Ok(row_stride) = u8::try_from(row - self.first_row) else { return false };
            let stride = |bit: usize| i64::from(positions[bit]) - i64::from(self.positions[bit]);
            if !(0..bits).all(|bit| matches!(stride(bit), -1..=2)) {
                return false;
            }
            self.row_stride = row_stride;
            let strides: [i64; MAX_BITS] = [0, 1, 2, 3].map(|bit| if bit < bits { stride(bit) } else { 0 });
            self.strides = strides.map(|stride| stride as i8);
        } else {
            let count = i64::from(self.count);
            let goes_on = |bit: usize| {
                i64::from(positions[bit]) == i64::from(self.positions[bit]) + i64::from(self.strides[bit]) * count
            };
            if i64::from(row - self.first_row) != i64::from(self.row_stride) * count || !(0..bits).all(goes_on) {
                return false;
            }
        }
        self.count += 1;
        true
    }
}
