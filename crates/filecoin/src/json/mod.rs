//! The JSON of payloads, read fast.
//!
//! A PoRep's C1 output is tens of megabytes of JSON, nearly all of it arrays of 32 small numbers: one node each. The
//! generic number path of `serde_json` is most of the time that such a payload takes. So there are two readers:
//!
//! - `quick` knows only the JSON that such payloads are made of. Where something is out of the ordinary it stops,
//!   without saying why.
//! - `serde_json` knows all of JSON, and reads what the other stopped at: it accepts it, or says what is wrong where.
//!
//! What `quick` reads `serde_json` reads to the same value (the tests hold one against the other), so no payload means
//! anything else because of it. A payload that is refused is read again, thoroughly.

mod node;
mod quick;
#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::error::RequestError;
use crate::field_path::FieldPath;

pub(crate) use quick::quick;

/// Reads JSON that stands in `field`.
///
/// # Errors
/// [`RequestError::Json`] with the position in `bytes`.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], field: &FieldPath<'_>) -> Result<T, RequestError> {
    quick(bytes).map_or_else(|| thorough(bytes, field), Ok)
}

/// The parser repeats the strings that it did not expect, whatever their length; the answer travels in a header.
fn shortened(message: &str) -> String {
    const CHARS: usize = 200;
    match message.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// Reads any JSON, or says what is wrong with it.
pub(crate) fn thorough<'a, T: Deserialize<'a>>(bytes: &'a [u8], field: &FieldPath<'_>) -> Result<T, RequestError> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The parser appends its position, which we give in a form of our own.
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        RequestError::Json {
            field: field.to_string(),
            message: shortened(message.strip_suffix(&position).unwrap_or(&message)),
            line: error.line(),
            column: error.column(),
            length: bytes.len(),
        }
    })
}
