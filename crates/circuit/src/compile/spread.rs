//! Bits with powers of two as weights, gathered into words.

use crate::program::{Strided, Word};

/// A bit of the frame that counts `±2^power`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WeightedBit {
    pub(super) negative: bool,
    pub(super) power: u8,
    pub(super) position: u32,
}

/// Strides that are loaded fast.
const STRIDES: [i8; 4] = [1, -1, 2, 0];
const MAX_COUNT: usize = 64;

/// Covers all bits with words: in each, the power grows by one from bit to bit and the position by the word's stride.
///
/// Greedy, from the lowest power up, always taking the longest word: rows are sums of words that were laid out by the
/// gadgets, so this finds them.
pub(super) fn words(mut bits: Vec<WeightedBit>) -> Vec<Word> {
    bits.sort_unstable();
    let mut used = vec![false; bits.len()];
    let mut words = Vec::new();
    for first in 0..bits.len() {
        if used[first] {
            continue;
        }
        let longest = STRIDES.map(|stride| (stride, follow(&bits, &used, first, stride)));
        let Some((stride, members)) = longest.into_iter().max_by_key(|(_, members)| members.len()) else { continue };
        // A lone bit is loaded fastest with stride 1.
        let stride = if members.len() > 1 { stride } else { 1 };
        for &member in &members {
            used[member] = true;
        }
        let WeightedBit { negative, power, position } = bits[first];
        let bits = Strided { position, stride };
        words.push(Word { bits, count: members.len() as u8, shift: power, negative });
    }
    words
}

/// The bits that make a word with bit `first` and a stride.
fn follow(bits: &[WeightedBit], used: &[bool], first: usize, stride: i8) -> Vec<usize> {
    let WeightedBit { negative, power, position } = bits[first];
    let mut members = vec![first];
    while members.len() < MAX_COUNT {
        let next = members.len() as u8;
        let Some(position) = position.checked_add_signed(i32::from(stride) * i32::from(next)) else { break };
        let Some(power) = power.checked_add(next) else { break };
        match bits.binary_search(&WeightedBit { negative, power, position }) {
            Ok(found) if !used[found] => members.push(found),
            _ => break,
        }
    }
    members
}

/// Cuts positions into strides of one or minus one: (index of the first, its stride, how many).
pub(super) fn strides(positions: &[u32]) -> Vec<(usize, Strided, u8)> {
    let mut parts = Vec::new();
    let mut first = 0;
    while first < positions.len() {
        let step = |index: usize| i64::from(positions[index + 1]) - i64::from(positions[index]);
        let stride = if first + 1 < positions.len() && step(first) == -1 { -1 } else { 1 };
        let mut end = first + 1;
        while end < positions.len() && end - first < MAX_COUNT && step(end - 1) == i64::from(stride) {
            end += 1;
        }
        let stride = if end - first > 1 { stride } else { 1 };
        parts.push((first, Strided { position: positions[first], stride }, (end - first) as u8));
        first = end;
    }
    parts
}
