//! The quick reader against `serde_json`.

use super::quick;
use crate::merkle::Node;
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Everything that a payload may be made of.
#[derive(Debug, PartialEq, Deserialize)]
struct Sample<'a> {
    small: u32,
    large: u64,
    #[serde(borrow)]
    bytes: &'a [u8],
    maybe: Option<Node>,
    list: Vec<Item>,
    #[serde(default)]
    _marker: IgnoredAny,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Item {
    Plain,
    Nodes(Vec<Node>),
    Named { index: u64 },
}

fn sample() -> String {
    let node = serde_json::to_string(&[7; 32]).expect("plain data");
    format!(
        r#"{{"small":4294967295,"large":18446744073709551615,"bytes":"a+/=","maybe":{node},
        "list":["Plain",{{"Nodes":[{node} , {node}]}},{{"Nodes":[]}},{{"Named":{{"index":0}}}}],
        "_marker":null,"unknown":"text","more":12,"truth":true,"lies":false}}"#
    )
}

/// Whether both readers read the same, as far as this one reads it.
fn agree(text: &str) -> bool {
    match quick::<Sample<'_>>(text.as_bytes()) {
        Some(ours) => serde_json::from_str::<Sample<'_>>(text).is_ok_and(|theirs| ours == theirs),
        None => true,
    }
}

#[test]
fn the_ordinary_is_read() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let text = sample();
    let read = quick::<Sample<'_>>(text.as_bytes()).expect("nothing unusual");
    assert_eq!(read, serde_json::from_str(&text).expect("JSON"));
    let null = text.replacen(&serde_json::to_string(&[7; 32]).expect("plain data"), "null", 1);
    assert_eq!(quick::<Sample<'_>>(null.as_bytes()).expect("nothing unusual").maybe, None);
}

#[test]
fn the_rest_is_left_to_the_other_reader() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let text = sample();
    for (from, to) in [
        ("4294967295", "4294967296"),
        ("4294967295", "-1"),
        ("4294967295", "1.0"),
        ("4294967295", "1e1"),
        ("4294967295", "01"),
        ("18446744073709551615", "18446744073709551616"),
        ("a+/=", r"a\u002b/="),
        ("\"Plain\"", "{\"Plain\":null}"),
        ("\"Plain\"", "\"Other\""),
        ("small", "small\\u0020"),
        ("\"small\":4294967295,", ""),
        ("\"small\"", "\"small\":1,\"small\""),
        ("\"text\"", "[1,2]"),
        ("\"text\"", "{}"),
        ("\"text\"", "\"a\nb\""),
        ("\"Plain\",", "\"Plain\",,"),
        ("[]", "[,]"),
        ("false}", "false,}"),
        ("false}", "false} x"),
    ] {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text);
        assert!(quick::<Sample<'_>>(other.as_bytes()).is_none(), "{other}");
    }
    for end in 0..text.len() {
        assert!(quick::<Sample<'_>>(&text.as_bytes()[..end]).is_none(), "{end}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_read_means_the_same_to_serde(place: prop::sample::Index, edit in "[ -~\n\t\x01]{0,3}") {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let mut text = sample();
        let place = place.index(text.len());
        text.replace_range(place..=place, &edit);
        prop_assert!(agree(&text), "{text}");
    }

    #[test]
    fn spaces_do_not_matter(space in "[ \n\t\r]{1,3}") {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let mut text = sample();
        for mark in ["{", "}", "[", "]", ":", ","] {
            text = text.replace(mark, &format!("{space}{mark}{space}"));
        }
        prop_assert!(quick::<Sample<'_>>(text.as_bytes()).is_some() && agree(&text));
    }
}
