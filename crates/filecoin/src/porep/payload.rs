//! A PoRep payload: the two forms that it comes in, read into types of our own.
//!
//! The proof crates' types deserialise whatever has the right names: bytes that are no field elements, paths of any
//! length. Their fields are private, and the code behind them panics on such data. So a payload is read into plain
//! mirrors first (the same names, hence the same JSON in any key order and spacing), checked, and only then made into
//! the crates' types through their constructors.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use filecoin_proofs_api::RegisteredSealProof;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::SectorSize;
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::{HeapBytes, MerkleProof, Node};

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
        let outer: Outer<'_> = read_json(bytes, &FIELD)?;
        let Some(wrapper) = outer.wrapper() else {
            return Ok(Self { output: read_json(bytes, &FIELD)?, wrapper: None });
        };
        let field = FIELD.field("Phase1Out");
        let text = outer.phase1_out.flatten().ok_or_else(|| RequestError::Missing {
            field: field.to_string(),
            expected: "the JSON of a C1 output in base64".to_owned(),
        })?;
        let json = STANDARD
            .decode(text.as_bytes())
            .map_err(|error| RequestError::Base64 { field: field.to_string(), message: error.to_string() })?;
        Ok(Self { output: read_json(&json, &field)?, wrapper: Some(wrapper) })
    }

    /// Where the C1 output stands, for messages.
    pub(crate) fn root(&self) -> FieldPath<'static> {
        const WRAPPED: FieldPath<'static> = FIELD.field("Phase1Out");
        if self.wrapper.is_some() { WRAPPED } else { FIELD }
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

fn read_json<'a, T: Deserialize<'a>>(bytes: &'a [u8], field: &FieldPath<'_>) -> Result<T, RequestError> {
    serde_json::from_slice(bytes).map_err(|error| {
        // The parser appends its position, which we give in a form of our own.
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        RequestError::Json {
            field: field.to_string(),
            message: message.strip_suffix(&position).unwrap_or(&message).to_owned(),
            line: error.line(),
            column: error.column(),
            length: bytes.len(),
        }
    })
}

/// Mirror of the API crate's `SealCommitPhase1Output`.
#[derive(Deserialize)]
pub(crate) struct Phase1Output {
    pub(crate) registered_proof: RegisteredSealProof,
    pub(crate) vanilla_proofs: VanillaProofs,
    pub(crate) comm_r: Node,
    pub(crate) comm_d: Node,
    pub(crate) replica_id: Node,
    pub(crate) seed: Node,
    pub(crate) ticket: Node,
}

/// Mirror of the API crate's `VanillaSealProof`: for each partition, for each challenge, a proof. The variant names the
/// sector size whatever the version.
#[derive(Deserialize)]
pub(crate) enum VanillaProofs {
    StackedDrg2KiBV1(Vec<Vec<ChallengeProof>>),
    StackedDrg8MiBV1(Vec<Vec<ChallengeProof>>),
    StackedDrg512MiBV1(Vec<Vec<ChallengeProof>>),
    StackedDrg32GiBV1(Vec<Vec<ChallengeProof>>),
    StackedDrg64GiBV1(Vec<Vec<ChallengeProof>>),
}

impl VanillaProofs {
    /// The sector size that the variant names.
    pub(crate) fn size(&self) -> SectorSize {
        match self {
            Self::StackedDrg2KiBV1(_) => SectorSize::KiB2,
            Self::StackedDrg8MiBV1(_) => SectorSize::MiB8,
            Self::StackedDrg512MiBV1(_) => SectorSize::MiB512,
            Self::StackedDrg32GiBV1(_) => SectorSize::GiB32,
            Self::StackedDrg64GiBV1(_) => SectorSize::GiB64,
        }
    }

    /// The proofs, by partition and challenge.
    pub(crate) fn into_partitions(self) -> Vec<Vec<ChallengeProof>> {
        match self {
            Self::StackedDrg2KiBV1(partitions)
            | Self::StackedDrg8MiBV1(partitions)
            | Self::StackedDrg512MiBV1(partitions)
            | Self::StackedDrg32GiBV1(partitions)
            | Self::StackedDrg64GiBV1(partitions) => partitions,
        }
    }
}

/// Mirror of `stacked::Proof`: what opens one challenged node.
#[derive(Deserialize)]
pub(crate) struct ChallengeProof {
    /// The node's data in TreeD (SHA-256, arity 2).
    pub(crate) comm_d_proofs: MerkleProof,
    /// The node's replica in TreeR.
    pub(crate) comm_r_last_proof: MerkleProof,
    /// The label columns of the node and its parents in TreeC.
    pub(crate) replica_column_proofs: ColumnProofs,
    /// For each layer, what the node's label is made of.
    pub(crate) labeling_proofs: Vec<LabelProof>,
    /// What the node's key is made of: the last layer's label.
    pub(crate) encoding_proof: LabelProof,
}

/// Mirror of `ReplicaColumnProof`.
#[derive(Deserialize)]
pub(crate) struct ColumnProofs {
    pub(crate) c_x: ColumnProof,
    pub(crate) drg_parents: Vec<ColumnProof>,
    pub(crate) exp_parents: Vec<ColumnProof>,
}

/// Mirror of `ColumnProof`: a column of labels, and its hash in TreeC.
#[derive(Deserialize)]
pub(crate) struct ColumnProof {
    pub(crate) column: Column,
    pub(crate) inclusion_proof: MerkleProof,
}

/// Mirror of `Column`: a node's labels, one a layer.
#[derive(Deserialize)]
pub(crate) struct Column {
    pub(crate) index: u32,
    pub(crate) rows: Vec<Node>,
    /// Marker of the crates' own type; present in their JSON, meaningless, and not asked for.
    #[serde(rename = "_h", default)]
    _marker: IgnoredAny,
}

/// Mirror of `LabelingProof` and of `EncodingProof`, which have the same fields.
#[derive(Deserialize)]
pub(crate) struct LabelProof {
    pub(crate) parents: Vec<Node>,
    pub(crate) layer_index: u32,
    pub(crate) node: u64,
}

impl HeapBytes for ChallengeProof {
    fn heap_bytes(&self) -> usize {
        let columns = &self.replica_column_proofs;
        self.comm_d_proofs.heap_bytes()
            + self.comm_r_last_proof.heap_bytes()
            + columns.c_x.heap_bytes()
            + columns.drg_parents.heap_bytes()
            + columns.exp_parents.heap_bytes()
            + self.labeling_proofs.heap_bytes()
            + self.encoding_proof.heap_bytes()
    }
}

impl HeapBytes for ColumnProof {
    fn heap_bytes(&self) -> usize {
        self.column.rows.heap_bytes() + self.inclusion_proof.heap_bytes()
    }
}

impl HeapBytes for LabelProof {
    fn heap_bytes(&self) -> usize {
        self.parents.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
