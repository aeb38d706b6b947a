//! Payloads in bincode, version 1 with fixed-width little-endian numbers: what the proof crates write.

use ::bincode::{DefaultOptions, Options};
use serde::de::DeserializeOwned;

use crate::error::RequestError;
use crate::field_path::FieldPath;

/// Reads one value that takes all of `bytes`.
///
/// Lists are read element by element and no more is read than there is, so memory goes with the bytes given, whatever
/// length a list claims to have.
///
/// # Errors
/// [`RequestError::Bincode`], on bytes left over as well.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8], at: &FieldPath<'_>) -> Result<T, RequestError> {
    let options = DefaultOptions::new().with_fixint_encoding().with_limit(bytes.len() as u64).reject_trailing_bytes();
    options.deserialize(bytes).map_err(|error| RequestError::Bincode {
        field: at.to_string(),
        message: error.to_string(),
        length: bytes.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Value = (u32, Vec<[u8; 2]>);

    const AT: FieldPath<'static> = FieldPath::root("value");
    /// 7, and a list of two pairs.
    const GOOD: [u8; 16] = [7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];

    #[test]
    fn numbers_have_a_fixed_width_and_lists_a_length_before_them() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert_eq!(read::<Value>(&GOOD, &AT), Ok((7, vec![[1, 2], [3, 4]])));
        assert_eq!(::bincode::serialize(&(7_u32, vec![[1_u8, 2], [3, 4]])).expect("plain data"), GOOD);
    }

    #[test]
    fn more_or_less_than_one_value_is_refused() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let longer = [&GOOD[..], &[0]].concat();
        for bytes in (0..GOOD.len()).map(|cut| &GOOD[..cut]).chain([&longer[..]]) {
            let error = read::<Value>(bytes, &AT).unwrap_err();
            assert!(matches!(&error, RequestError::Bincode { length, .. } if *length == bytes.len()), "{error}");
            assert_eq!(error.field(), "value");
        }
    }

    #[test]
    fn a_length_beyond_the_bytes_reserves_nothing() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for length in [3, 1 << 40, u64::MAX] {
            let mut bytes = GOOD;
            bytes[4..12].copy_from_slice(&length.to_le_bytes());
            assert!(read::<Value>(&bytes, &AT).is_err(), "{length}");
        }
    }
}
