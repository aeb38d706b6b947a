//! A PoRep payload: the two forms that it comes in.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use filecoin_proofs_api::RegisteredSealProof;
use serde::Deserialize;

use super::output::{Phase1Output, VanillaProofs};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::json;
use crate::merkle::Node;

/// The field that a payload stands in.
pub(crate) const FIELD: FieldPath<'static> = FieldPath::root("vanilla_proof");

/// A payload, read but not checked.
pub(crate) struct Payload {
    /// What the C1 output says.
    pub(crate) output: Phase1Output,
    /// What the wrapper around it says, where there is one.
    pub(crate) wrapper: Option<Wrapper>,
}

/// What a wrapper says of its content; 0 stands for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrapper {
    pub(crate) sector_number: u64,
    pub(crate) sector_size: u64,
}

impl Payload {
    /// Reads `{"SectorNum", "Phase1Out", "SectorSize"}` around base64, or the bare JSON of a C1 output.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RequestError> {
        if bytes.is_empty() {
            return Err(RequestError::Missing {
                field: FIELD.to_string(),
                expected: "the JSON of a C1 output, bare or wrapped as {SectorNum, Phase1Out, SectorSize}".to_owned(),
            });
        }
        match Form::read(bytes)? {
            Form::Bare(output) => Ok(Self { output, wrapper: None }),
            Form::Wrapped(wrapper, content) => {
                let field = FIELD.field("Phase1Out");
                let json = STANDARD
                    .decode(content)
                    .map_err(|error| RequestError::Base64 { field: field.to_string(), message: error.to_string() })?;
                Ok(Self { output: json::read(&json, &field)?, wrapper: Some(wrapper) })
            }
        }
    }

    /// Where the C1 output stands, for messages.
    pub(crate) fn root(&self) -> FieldPath<'static> {
        const WRAPPED: FieldPath<'static> = FIELD.field("Phase1Out");
        if self.wrapper.is_some() { WRAPPED } else { FIELD }
    }
}

/// Which of the two forms a payload has; the content of a wrapper is still in base64.
enum Form<'a> {
    Bare(Phase1Output),
    Wrapped(Wrapper, Cow<'a, [u8]>),
}

impl<'a> Form<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, RequestError> {
        if let Some(form) = json::quick::<Either<'_>>(bytes).and_then(Either::form) {
            return Ok(form);
        }
        let outer: Outer<'_> = json::thorough(bytes, &FIELD)?;
        let Some(wrapper) = outer.wrapper() else {
            return Ok(Self::Bare(json::thorough(bytes, &FIELD)?));
        };
        let content = outer.phase1_out.flatten().ok_or_else(|| RequestError::Missing {
            field: FIELD.field("Phase1Out").to_string(),
            expected: "the JSON of a C1 output in base64".to_owned(),
        })?;
        Ok(Self::Wrapped(wrapper, cow_bytes(content)))
    }
}

fn cow_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The keys of both forms, so that one pass over a payload reads it whichever form it has.
#[derive(Deserialize)]
struct Either<'a> {
    #[serde(rename = "Phase1Out", borrow, default, deserialize_with = "content")]
    phase1_out: Option<&'a [u8]>,
    #[serde(rename = "SectorNum")]
    sector_number: Option<u64>,
    #[serde(rename = "SectorSize")]
    sector_size: Option<u64>,
    registered_proof: Option<RegisteredSealProof>,
    vanilla_proofs: Option<VanillaProofs>,
    comm_r: Option<Node>,
    comm_d: Option<Node>,
    replica_id: Option<Node>,
    seed: Option<Node>,
    ticket: Option<Node>,
}

/// Text that is there; `null` is left to [`Outer`].
fn content<'de: 'a, 'a, D: serde::Deserializer<'de>>(input: D) -> Result<Option<&'a [u8]>, D::Error> {
    <&[u8]>::deserialize(input).map(Some)
}

impl<'a> Either<'a> {
    /// The form, where all of it is there.
    fn form(self) -> Option<Form<'a>> {
        if self.phase1_out.is_none() && self.sector_number.is_none() && self.sector_size.is_none() {
            return Some(Form::Bare(Phase1Output {
                registered_proof: self.registered_proof?,
                vanilla_proofs: self.vanilla_proofs?,
                comm_r: self.comm_r?,
                comm_d: self.comm_d?,
                replica_id: self.replica_id?,
                seed: self.seed?,
                ticket: self.ticket?,
            }));
        }
        let wrapper = Wrapper {
            sector_number: self.sector_number.unwrap_or_default(),
            sector_size: self.sector_size.unwrap_or_default(),
        };
        Some(Form::Wrapped(wrapper, Cow::Borrowed(self.phase1_out?)))
    }
}

/// The keys of a wrapper. Where none of them is present, the payload is bare, and this has only skipped over it.
#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(rename = "Phase1Out", borrow, default, deserialize_with = "present")]
    phase1_out: Option<Option<Cow<'a, str>>>,
    #[serde(rename = "SectorNum")]
    sector_number: Option<u64>,
    #[serde(rename = "SectorSize")]
    sector_size: Option<u64>,
}

/// Tells a key with `null` (a nil slice of the client's) from an absent key.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Option<Cow<'a, str>>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Ok(Some(Option::<Text<'a>>::deserialize(input)?.map(|text| text.0)))
}

impl Outer<'_> {
    fn wrapper(&self) -> Option<Wrapper> {
        let wrapped = self.phase1_out.is_some() || self.sector_number.is_some() || self.sector_size.is_some();
        wrapped.then(|| Wrapper {
            sector_number: self.sector_number.unwrap_or_default(),
            sector_size: self.sector_size.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;
    use base64::Engine;
    use proptest::prelude::*;
    use std::sync::OnceLock;

    fn error(json: &str) -> RequestError {
        Payload::read(json.as_bytes()).err().expect("not a payload")
    }

    #[test]
    fn a_wrapper_without_content_says_so() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for json in [
            r#"{"SectorNum":1,"SectorSize":2048}"#,
            r#"{"SectorNum":1,"Phase1Out":null,"SectorSize":2048}"#,
            r#"{"Phase1Out":null}"#,
        ] {
            let error = error(json);
            assert!(matches!(error, RequestError::Missing { .. }), "{json}: {error}");
            assert_eq!(error.field(), "vanilla_proof.Phase1Out");
        }
    }

    #[test]
    fn escaped_base64_is_base64() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        // "{}" in base64 is "e30=": decoding gets as far as the C1 output's missing fields.
        let error = error(r#"{"SectorNum":1,"Phase1Out":"e30\u003d","SectorSize":2048}"#);
        assert!(matches!(error, RequestError::Json { .. }), "{error}");
        assert!(error.to_string().contains("missing field"), "{error}");
    }

    #[test]
    fn base64_errors_name_the_field_and_offset() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["e30", "e3 0=", "e30=e30=", "_-__", "=", "e31="] {
            let error = error(&format!(r#"{{"Phase1Out":"{text}"}}"#));
            assert!(matches!(error, RequestError::Base64 { .. }), "{text}: {error}");
            assert_eq!(error.field(), "vanilla_proof.Phase1Out");
        }
    }

    #[test]
    fn json_errors_carry_their_position() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (json, at) in [("{", (1, 1)), ("{}\n\nx", (3, 1)), ("[1]", (1, 2)), ("\u{1}", (1, 1)), ("nul", (1, 3))] {
            let RequestError::Json { line, column, message, length, .. } = error(json) else {
                panic!("{json} is read");
            };
            assert_eq!((line, column), at, "{json}: {message}");
            assert_eq!(length, json.len());
            assert!(!message.contains("column"), "{message}");
        }
        let RequestError::Json { .. } = Payload::read(b"{\"a\xff\":1}").err().expect("no UTF-8") else {
            panic!("not an error of JSON");
        };
    }

    #[test]
    fn an_empty_payload_is_missing() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert!(matches!(error(""), RequestError::Missing { .. }));
    }

    /// The payload of a 2 KiB sector, as the API crate writes it.
    fn bare() -> &'static str {
        static BARE: OnceLock<String> = OnceLock::new();
        BARE.get_or_init(|| {
            let proof = RegisteredSealProof::StackedDrg2KiBV1_1;
            let output = synthetic::porep(proof, 1000, 1, 1).expect("a synthetic sector");
            serde_json::to_string(&output).expect("plain data")
        })
    }

    fn quick(json: &str) -> Option<Form<'_>> {
        json::quick::<Either<'_>>(json.as_bytes()).and_then(Either::form)
    }

    #[test]
    fn what_clients_send_is_read_in_one_pass() {
        let _limit = cuzk_testing::TimeLimit::seconds(30);
        let spaced = bare().replace(',', ", ").replace(':', ": ");
        let seasoned = bare().replacen('{', "{\"_lotus_SealRandomness\":\"anything\",", 1);
        for json in [bare(), &spaced, &seasoned, &format!("\n{}\r\n", bare())] {
            let Some(Form::Bare(output)) = quick(json) else { panic!("left to the thorough reader") };
            assert!(output == json::thorough(bare().as_bytes(), &FIELD).expect("a C1 output"));
        }
        let text = STANDARD.encode(bare());
        let json = format!(r#"{{"SectorNum":7,"Phase1Out":"{text}","SectorSize":2048}}"#);
        let Some(Form::Wrapped(wrapper, content)) = quick(&json) else { panic!("left to the thorough reader") };
        assert_eq!(wrapper, Wrapper { sector_number: 7, sector_size: 2048 });
        assert_eq!(content, text.as_bytes());
    }

    #[test]
    fn a_wrappers_key_makes_a_payload_wrapped() {
        let _limit = cuzk_testing::TimeLimit::seconds(30);
        for key in [r#""SectorNum":1"#, r#""SectorSize":1"#, r#""Phase1Out":null"#] {
            let both = bare().replacen('{', &format!("{{{key},"), 1);
            assert!(matches!(error(&both), RequestError::Missing { .. }), "{key}");
        }
        let text = STANDARD.encode(bare());
        let both = bare().replacen('{', &format!(r#"{{"Phase1Out":"{text}","#), 1);
        assert!(Payload::read(both.as_bytes()).expect("both forms").wrapper.is_some());
    }

    proptest! {
        /// Whatever the quick reader accepts is the same to the thorough one.
        #[test]
        fn one_pass_reads_what_the_thorough_reader_reads(place: prop::sample::Index, edit in "[ -~\n]{0,2}") {
            let _limit = cuzk_testing::TimeLimit::seconds(60);
            let mut json = bare().to_owned();
            let place = place.index(json.len());
            json.replace_range(place..=place, &edit);
            if let Some(form) = quick(&json) {
                let Form::Bare(output) = form else { panic!("no wrapper's key") };
                let thorough: Phase1Output = json::thorough(json.as_bytes(), &FIELD).expect("what the other accepts");
                prop_assert!(output == thorough);
            }
        }
    }
}
