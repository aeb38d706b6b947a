//! Arrays of 32 bytes as decimal numbers: nearly all of a payload.

use super::quick::{Unusual, past, skip_space};
use crate::merkle::Node;

/// Reads `[n, n, … n]` with 32 numbers from 0 to 255 at the start of `text`, and gives what follows it.
pub(super) fn node(text: &[u8]) -> Result<(Node, &[u8]), Unusual> {
    let mut node = [0; 32];
    let mut rest = past(text, b'[')?;
    let (pairs, _) = node.as_chunks_mut::<2>();
    let last = pairs.len() - 1;
    for (i, two) in pairs.iter_mut().enumerate() {
        (*two, rest) = match pair(rest) {
            Some(read) => read,
            None => spaced_pair(rest)?,
        };
        rest = past(rest, if i == last { b']' } else { b',' })?;
    }
    Ok((node, rest))
}

/// Reads `n,n` with nothing between, where at least eight bytes are left. How many digits a number has is as good as
/// random, so that a branch on it would be mispredicted every other time; so the bytes are looked at together.
///
/// 1. Eight bytes as a word, the first lowest: as much as two numbers and their separators can take. A digit less `'0'`
///    is 0 to 9.
/// 2. A byte with a bit of its upper half set, after adding 6 or before, is no digit; the lowest two such bytes end the
///    two numbers. (Adding carries out of no byte up to the first comma, nor out of it.)
fn pair(text: &[u8]) -> Option<([u8; 2], &[u8])> {
    let word = u64::from_le_bytes(*text.first_chunk()?);
    let digits = word ^ 0x3030_3030_3030_3030;
    let others = (digits.wrapping_add(0x0606_0606_0606_0606) | digits) & 0xf0f0_f0f0_f0f0_f0f0;
    let first = others.trailing_zeros() / 8;
    let after = first + 1;
    if first > 3 || word >> (8 * first) & 0xff != u64::from(b',') {
        return None;
    }
    let second = (others & u64::MAX << (8 * after)).trailing_zeros() / 8;
    let values = [value(digits as u32, first)?, value((digits >> (8 * after)) as u32, second - after)?];
    Some((values, text.get(second as usize..)?))
}

/// The number whose digits are the lowest `length` bytes, the first lowest: shifted to the upper end, the units are in
/// the highest byte, and zeros below the first digit.
fn value(digits: u32, length: u32) -> Option<u8> {
    if !(1..=3).contains(&length) || (length > 1 && digits & 0xff == 0) {
        return None;
    }
    let aligned = digits << (32 - 8 * length);
    u8::try_from((aligned >> 24) + 10 * (aligned >> 16 & 0xff) + 100 * (aligned >> 8 & 0xff)).ok()
}

/// The same with white space around the numbers, or near the end of the text.
#[inline(never)]
fn spaced_pair(text: &[u8]) -> Result<([u8; 2], &[u8]), Unusual> {
    let (first, rest) = number(skip_space(text))?;
    let (second, rest) = number(skip_space(past(rest, b',')?))?;
    Ok(([first, second], rest))
}

/// Reads one number, digit by digit.
fn number(text: &[u8]) -> Result<(u8, &[u8]), Unusual> {
    let (mut value, mut rest) = (0, text);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        let leading_zero = value == 0 && rest.len() < text.len();
        value = 10 * value + u32::from(digit - b'0');
        if leading_zero || value > u32::from(u8::MAX) {
            return Err(Unusual);
        }
        rest = after;
    }
    match u8::try_from(value) {
        Ok(value) if rest.len() < text.len() => Ok((value, rest)),
        _ => Err(Unusual),
    }
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
    fn every_two_bytes_read_back_wherever_the_text_ends() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b))) {
            for after in [",", "]}", ",255,255", "]}}}}}}}"] {
                let text = format!("{a},{b}{after}");
                let expected = Ok(([a, b], after.as_bytes()));
                assert_eq!(spaced_pair(text.as_bytes()).map_err(|_| ()), expected, "{text}");
                if text.len() >= 8 {
                    assert_eq!(pair(text.as_bytes()).ok_or(()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_byte_is_left_to_the_other_reader() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["256", "999", "1000", "00", "01", "007", "", "-1", "+1", ",", "x", "/", ":", "\u{ff}", "-0", "1e1"]
        {
            for all in
                [format!("{text},1,1,1,1"), format!("1,{text},1,1,1"), format!("9,{text}]"), format!("{text},9]")]
            {
                let read = pair(all.as_bytes()).or_else(|| spaced_pair(all.as_bytes()).ok());
                // A number that ends at a letter is one, but no comma follows.
                assert!(read.is_none_or(|(_, rest)| rest.starts_with(b"e1")), "{all}");
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
