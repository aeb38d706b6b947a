//! Arrays of 32 bytes as decimal numbers: nearly all of a payload.

use super::quick::{Unusual, past, skip_space};
use crate::merkle::Node;

/// Reads `[n, n, … n]` with 32 numbers from 0 to 255 at the start of `text`, and gives what follows it.
pub(super) fn node(text: &[u8]) -> Result<(Node, &[u8]), Unusual> {
    let mut node = [0; 32];
    let mut rest = past(text, b'[')?;
    let last = node.len() - 1;
    for (i, byte) in node.iter_mut().enumerate() {
        (*byte, rest) = number(skip_space(rest))?;
        rest = past(rest, if i == last { b']' } else { b',' })?;
    }
    Ok((node, rest))
}

/// Reads one number. How many digits it has is as good as random, so that a branch on it would be mispredicted every
/// other time: all of them are looked at at once.
///
/// 1. Four bytes as a word, the first lowest; a digit less `'0'` is 0 to 9.
/// 2. The lowest byte with a bit of its upper half set, after adding 6 or before, is the first that is no digit. (A carry
///    reaches only bytes above one that is found already.)
/// 3. The digits shifted to the upper end: units in the highest byte, zeros below the first digit.
fn number(text: &[u8]) -> Result<(u8, &[u8]), Unusual> {
    let Some(word) = text.first_chunk::<4>() else {
        return number_at_end(text);
    };
    let digits = u32::from_le_bytes(*word) ^ 0x3030_3030;
    let others = (digits.wrapping_add(0x0606_0606) | digits) & 0xf0f0_f0f0;
    let length = others.trailing_zeros() / 8;
    if !(1..=3).contains(&length) {
        return Err(Unusual);
    }
    let aligned = digits << (32 - 8 * length);
    let value = (aligned >> 24) + 10 * (aligned >> 16 & 0xff) + 100 * (aligned >> 8 & 0xff);
    let leading_zero = digits & 0xff == 0 && length > 1;
    match (u8::try_from(value), text.get(length as usize..)) {
        (Ok(value), Some(rest)) if !leading_zero => Ok((value, rest)),
        _ => Err(Unusual),
    }
}

/// The same for a number within the last three bytes of a text, digit by digit.
fn number_at_end(text: &[u8]) -> Result<(u8, &[u8]), Unusual> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length).ok_or(Unusual)?;
    if length > 1 && digits.starts_with(b"0") {
        return Err(Unusual);
    }
    let value = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    value.map(|value| (value, rest)).ok_or(Unusual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by `serde_json`, which gives nothing of what follows.
    fn oracle(text: &str) -> Option<(Node, usize)> {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Node>();
        let node = stream.next()?.ok()?;
        Some((node, text.len() - stream.byte_offset()))
    }

    fn ours(text: &str) -> Option<(Node, usize)> {
        node(text.as_bytes()).ok().map(|(node, rest)| (node, rest.len()))
    }

    #[test]
    fn every_byte_reads_back_wherever_the_text_ends() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for byte in 0..=u8::MAX {
            for text in [format!("{byte}"), format!("{byte},"), format!("{byte},1"), format!("{byte},255,255")] {
                let (value, rest) = number(text.as_bytes()).expect("a byte");
                assert_eq!((value, rest), (byte, &text.as_bytes()[byte.to_string().len()..]));
            }
        }
    }

    #[test]
    fn what_is_no_byte_is_left_to_the_other_reader() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["256", "999", "1000", "00", "01", "007", "", "-1", "+1", ",", "x", "/", ":", "\u{ff}", "-0", "1e1"]
        {
            for after in ["", ",", ",1", "]}}}"] {
                let all = format!("{text}{after}");
                // "1e1": the number ends at the letter, where the array's reader finds no comma.
                assert!(number(all.as_bytes()).is_err() || text == "1e1", "{all}");
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_serde(node: Node, gaps in prop::array::uniform32("[ \n\t\r]{0,2}"), after in "[,}\\]0-9 ]{0,5}") {
            let _limit = cuzk_testing::TimeLimit::seconds(30);
            let items: Vec<_> = node.iter().zip(&gaps).map(|(n, gap)| format!("{gap}{n}{gap}")).collect();
            let text = format!("[{}]{after}", items.join(","));
            prop_assert_eq!(ours(&text), Some((node, after.len())));
            prop_assert_eq!(ours(&text), oracle(&text));
        }

        /// Whatever is accepted means the same to the other reader.
        #[test]
        fn accepts_nothing_that_serde_does_not(node: Node, place: prop::sample::Index, byte in " -~") {
            let _limit = cuzk_testing::TimeLimit::seconds(30);
            let mut text = serde_json::to_string(&node).expect("plain data");
            let place = place.index(text.len());
            text.replace_range(place..=place, &byte);
            if let Some(read) = ours(&text) {
                prop_assert_eq!(Some(read), oracle(&text));
            }
        }
    }
}
