//! When a caller stops waiting.

use std::time::{Duration, SystemTime};

use tonic::metadata::MetadataMap;

/// The header in which a client says how long it will wait.
const GRPC_TIMEOUT: &str = "grpc-timeout";

/// The moment at which the caller gives up, if it says so. The transport ends the call then; the engine is told as
/// well, so that it can put work that is due sooner first.
pub(crate) fn of_call(metadata: &MetadataMap) -> Option<SystemTime> {
    let timeout = parse(metadata.get(GRPC_TIMEOUT)?.to_str().ok()?)?;
    SystemTime::now().checked_add(timeout)
}

/// The moment of field 100 `deadline_unix_ms`, where 0 means never.
pub(crate) fn of_request(deadline_unix_ms: u64) -> Option<SystemTime> {
    // A moment that the clock cannot express is as good as never.
    (deadline_unix_ms != 0).then(|| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(deadline_unix_ms)))?
}

/// The earlier of two deadlines.
pub(crate) fn earlier(one: Option<SystemTime>, other: Option<SystemTime>) -> Option<SystemTime> {
    one.into_iter().chain(other).min()
}

/// Up to eight digits and a unit, as gRPC's description of its HTTP/2 mapping has it.
fn parse(text: &str) -> Option<Duration> {
    let unit = text.char_indices().last()?;
    let digits = &text[..unit.0];
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit.1 {
        'H' => Some(Duration::from_secs(count * 3600)),
        'M' => Some(Duration::from_secs(count * 60)),
        'S' => Some(Duration::from_secs(count)),
        'm' => Some(Duration::from_millis(count)),
        'u' => Some(Duration::from_micros(count)),
        'n' => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (text, expected) in [
            ("2H", Duration::from_secs(7200)),
            ("30M", Duration::from_secs(1800)),
            ("5S", Duration::from_secs(5)),
            ("1500m", Duration::from_millis(1500)),
            ("10u", Duration::from_micros(10)),
            ("99999999n", Duration::from_nanos(99_999_999)),
            ("99999999H", Duration::from_secs(99_999_999 * 3600)),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        for text in ["", "5", "S", "-1S", "+1S", "1.5S", "999999999S", "5s", "5é"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn zero_means_never_and_the_earlier_one_counts() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let one_second = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        assert_eq!(of_request(0), None);
        assert_eq!(of_request(1000), Some(one_second));
        assert_eq!(earlier(None, None), None);
        assert_eq!(earlier(None, of_request(1000)), Some(one_second));
        assert_eq!(earlier(of_request(2000), of_request(1000)), Some(one_second));
    }
}
