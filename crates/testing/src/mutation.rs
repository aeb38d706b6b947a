//! Damage to bytes, as transmission, truncation and hostile clients do it.

use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Makes damaged copies of good bytes. Equal seeds make equal damage.
pub struct Mutator {
    rng: ChaCha20Rng,
}

impl Mutator {
    /// A mutator of its own sequence.
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha20Rng::seed_from_u64(seed) }
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { self.rng.gen_range(0..bound) }
    }

    /// A number as hostile clients choose them: small, around powers of two, or any.
    pub fn number(&mut self) -> u64 {
        let near = self.below(5) as u64;
        match self.below(4) {
            0 => near,
            1 => (1_u64 << self.below(64)).wrapping_add(near).wrapping_sub(2),
            2 => u64::MAX - near,
            _ => self.rng.next_u64(),
        }
    }

    /// Damages `bytes` in one to four places: bits and bytes changed, numbers of eight bytes replaced, pieces cut out,
    /// repeated, moved or cut off.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            self.damage_once(bytes);
        }
    }

    /// As [`damage`](Self::damage), in ways that keep JSON well formed more often: digits, brackets and whole values.
    pub fn damage_json(&mut self, json: &mut Vec<u8>) {
        if self.below(3) == 0 {
            return self.damage(json);
        }
        for _ in 0..=self.below(3) {
            let at = self.below(json.len());
            let Some(byte) = json.get(at).copied() else { return };
            match byte {
                b'0'..=b'9' => self.damage_digit(json, at),
                b'[' | b'{' | b']' | b'}' | b',' | b':' | b'"' => self.damage_element(json, at),
                _ => json[at] = self.rng.r#gen(),
            }
        }
    }

    fn damage_once(&mut self, bytes: &mut Vec<u8>) {
        let (at, other) = (self.below(bytes.len()), self.below(bytes.len()));
        let (start, end) = (at.min(other), at.max(other));
        match self.below(8) {
            _ if bytes.is_empty() => bytes.push(self.rng.r#gen()),
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.rng.r#gen(),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
            3 => self.replace_number(bytes, at),
            4 => bytes.truncate(at),
            5 => drop(bytes.drain(start..end.min(start + 64))),
            6 => {
                let piece = bytes[start..end.min(start + 64)].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes.swap(at, other),
        }
    }

    /// Overwrites eight bytes with a little-endian number, where lengths and indices of bincode may be.
    fn replace_number(&mut self, bytes: &mut [u8], at: usize) {
        // Half of the time aligned, as the first fields are.
        let at = if self.below(2) == 0 { at & !3 } else { at };
        let number = self.number().to_le_bytes();
        bytes[at..].iter_mut().zip(number).for_each(|(byte, new)| *byte = new);
    }

    fn damage_digit(&mut self, json: &mut Vec<u8>, at: usize) {
        match self.below(4) {
            0 | 1 => json[at] = b'0' + self.below(10) as u8,
            2 => {
                let number = self.number().to_string();
                json.splice(at..=at, number.into_bytes());
            }
            _ => {
                let other = [&b"null"[..], b"-1", b"1.5", b"1e9", b"\"\"", b"[]", b"{}", b"true"][self.below(8)];
                json.splice(at..=at, other.iter().copied());
            }
        }
    }

    /// Removes or repeats what stands between `at` and the next comma, usually one element of a list.
    fn damage_element(&mut self, json: &mut Vec<u8>, at: usize) {
        let rest = &json[at + 1..];
        let Some(length) = rest.iter().position(|byte| *byte == b',') else { return json.truncate(at) };
        let end = at + 1 + length;
        match self.below(3) {
            0 => drop(json.drain(at..end)),
            1 => {
                let piece = json[at..end].to_vec();
                json.splice(end..end, piece);
            }
            _ => json[at] = b"[]{},:\""[self.below(7)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Mutator;

    #[test]
    fn damage_repeats_with_its_seed_and_takes_any_length() {
        let _limit = crate::TimeLimit::seconds(30);
        let damaged = |seed| {
            let mut mutator = Mutator::new(seed);
            let mut all = Vec::new();
            for length in 0..200 {
                let mut bytes = vec![b'['; length];
                mutator.damage(&mut bytes);
                mutator.damage_json(&mut bytes);
                all.push(bytes);
            }
            all
        };
        assert_eq!(damaged(1), damaged(1));
        assert_ne!(damaged(1), damaged(2));
    }
}
