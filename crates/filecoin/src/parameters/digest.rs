//! Digests of parameter files: the published ones, and how a file's own is computed.
//!
//! The proof crates publish, for every file, the first 16 bytes of the BLAKE2b-512 hash of its contents
//! (`verify_production_entry` in storage-proofs-core's `parameter_cache.rs`); the list is embedded in that crate.

use std::{
    fmt,
    io::{self, Read},
    str::FromStr,
};

use blake2b_simd::State;
use serde::{Deserialize, Serialize};
use storage_proofs_core::parameter_cache::get_parameter_data_from_id;

use crate::hex;

/// Bytes that are read and hashed at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The digest of a parameter file, written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct FileDigest([u8; Self::BYTES]);

impl FileDigest {
    /// Bytes of a digest.
    pub const BYTES: usize = 16;

    /// The digest that the proof crates publish for a file of this name; `None` when they publish no such file.
    pub fn published(file_name: &str) -> Option<Self> {
        // A test reads every entry that we ask for.
        get_parameter_data_from_id(file_name).and_then(|published| published.digest.parse().ok())
    }

    /// The digest of everything that is left in `contents`, with a buffer of a fixed size. `progress` is told the bytes
    /// hashed so far.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of(contents: &mut impl Read, progress: &mut dyn FnMut(u64)) -> io::Result<Self> {
        let mut state = State::new();
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match contents.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    state.update(&buffer[..count]);
                    progress(state.count() as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let hash = state.finalize();
        let (digest, _) = hash.as_bytes().split_first_chunk().expect("the hash has 64 bytes");
        Ok(Self(*digest))
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

/// A text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the digest of a parameter file: expected 32 hexadecimal digits")]
pub struct NotADigest(pub String);

impl FromStr for FileDigest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || NotADigest(text.chars().take(2 * Self::BYTES + 1).collect());
        let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 2 * Self::BYTES).ok_or_else(error)?;
        let mut bytes = [0; Self::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for FileDigest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<FileDigest> for String {
    fn from(digest: FileDigest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_head_of_blake2b_512() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        // RFC 7693, appendix A: BLAKE2b-512("abc") = ba80a53f981c4d0d 6a2797b69f12f6e9 4c212f14685ac4b7 …
        let mut seen = Vec::new();
        let digest = FileDigest::of(&mut &b"abc"[..], &mut |bytes| seen.push(bytes)).expect("a slice can be read");
        assert_eq!(digest.to_string(), "ba80a53f981c4d0d6a2797b69f12f6e9");
        assert_eq!(seen, [3]);
        // The hash of nothing: 786a02f742015903 c6c6fd852552d272 …
        let empty = FileDigest::of(&mut io::empty(), &mut |_| {}).expect("nothing can be read");
        assert_eq!(empty.to_string(), "786a02f742015903c6c6fd852552d272");
    }

    #[test]
    fn a_long_file_is_hashed_piece_by_piece() {
        let _limit = cuzk_testing::TimeLimit::seconds(30);
        let contents = vec![7; 2 * BUFFER_BYTES + 5];
        let mut seen = Vec::new();
        let digest = FileDigest::of(&mut &contents[..], &mut |bytes| seen.push(bytes)).expect("a slice can be read");
        let whole = blake2b_simd::blake2b(&contents).to_hex();
        assert_eq!(digest.to_string(), whole[..32]);
        assert_eq!(seen, [1 << 20, 2 << 20, (2 << 20) + 5]);
    }

    #[test]
    fn digests_read_back_and_anything_else_is_refused() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let text = "0123456789abcdef00ff10e0a5b6c7d8";
        assert_eq!(text.parse::<FileDigest>().expect("32 digits").to_string(), text);
        for wrong in ["", "0123", &text[1..], "0123456789abcdef00ff10e0a5b6c7dg", "é123456789abcdef00ff10e0a5b6c7d8"] {
            assert_eq!(wrong.parse::<FileDigest>(), Err(NotADigest(wrong.into())));
        }
        assert_eq!(FileDigest::published("v28-of-nothing.params"), None);
    }
}
