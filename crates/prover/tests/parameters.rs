//! Parameter files from outside: the generator against bellperson's, the reader against damage, the writer's manners.

mod circuits;

use std::{
    fs,
    path::{Path, PathBuf},
};

use bellperson::groth16;
use blstrs::{Bls12, G1Affine, G1Projective, G2Projective};
use cuzk_circuit::R1cs;
use cuzk_prover::{
    Proof, VerifyError, VerifyingKey,
    generate::{ToxicWaste, generate, is_development},
    params::{Existing, G1Section, ParamsError, ParamsLayout, PointFault, Progress, Reader, Section, check},
};
use cuzk_testing::TimeLimit;
use group::Group;
use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

use circuits::RandomCircuit;

fn quiet(_: Progress) {}

fn generate_into(directory: &Path, circuit: RandomCircuit) -> PathBuf {
    let path = directory.join("circuit.params");
    generate(&circuit.record(), &path, Existing::Keep, &mut quiet).unwrap();
    path
}

/// What bellperson makes of a circuit with the published toxic waste.
fn bellperson_parameters(circuit: impl bellperson::Circuit<blstrs::Scalar>) -> groth16::Parameters<Bls12> {
    let ToxicWaste { alpha, beta, gamma, delta, tau } = ToxicWaste::development();
    let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
    groth16::generate_parameters(circuit, g1, g2, alpha, beta, gamma, delta, tau).unwrap()
}

fn bellperson_file(circuit: RandomCircuit) -> Vec<u8> {
    let mut bytes = Vec::new();
    bellperson_parameters(circuit).write(&mut bytes).unwrap();
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_file_equals_bellpersons_byte_for_byte(seed: u64) {
        let _limit = TimeLimit::seconds(120);
        let directory = tempfile::tempdir().unwrap();
        let circuit = RandomCircuit::new(seed);
        let path = generate_into(directory.path(), circuit);
        prop_assert!(fs::read(&path).unwrap() == bellperson_file(circuit), "the files differ");
        // The layout is known beforehand from the circuit alone.
        let reader = Reader::open(&path).unwrap();
        prop_assert_eq!(reader.header().layout, ParamsLayout::of_circuit(&circuit.record().counts()));
        prop_assert_eq!(reader.header().layout.file_bytes(), fs::metadata(&path).unwrap().len());
    }

    #[test]
    fn the_sections_read_back_as_bellpersons_vectors(seed: u64) {
        let _limit = TimeLimit::seconds(120);
        let directory = tempfile::tempdir().unwrap();
        let circuit = RandomCircuit::new(seed);
        let reader = Reader::open(&generate_into(directory.path(), circuit)).unwrap();
        let theirs = bellperson_parameters(circuit);
        prop_assert_eq!(&reader.g1(G1Section::H).unwrap(), &*theirs.h);
        prop_assert_eq!(&reader.g1(G1Section::L).unwrap(), &*theirs.l);
        prop_assert_eq!(&reader.g1(G1Section::A).unwrap(), &*theirs.a);
        prop_assert_eq!(&reader.g1(G1Section::BG1).unwrap(), &*theirs.b_g1);
        prop_assert_eq!(&reader.g2().unwrap(), &*theirs.b_g2);
        prop_assert_eq!(&reader.header().vk.ic, &theirs.vk.ic);
        let mut one = [G1Affine::default()];
        reader.g1_into(G1Section::L, reader.header().layout.l - 1, &mut one).unwrap();
        prop_assert_eq!(Some(&one[0]), theirs.l.last());
    }
}

/// More points than a chunk of the generator or of the reader, and a domain that the rows fill exactly.
#[test]
fn a_circuit_of_many_chunks_equals_bellpersons() {
    let _limit = TimeLimit::seconds(120);
    let directory = tempfile::tempdir().unwrap();
    let around = RandomCircuit::with_products(7, 0).record();
    let products = (1 << 14) - around.constraints() - around.inputs();
    let circuit = RandomCircuit::with_products(7, products);
    let r1cs = circuit.record();
    assert_eq!(r1cs.constraints() + r1cs.inputs(), 1 << 14);
    let path = generate_into(directory.path(), circuit);
    let theirs = bellperson_parameters(circuit);
    let mut bytes = Vec::new();
    theirs.write(&mut bytes).unwrap();
    assert!(fs::read(&path).unwrap() == bytes, "the files differ");
    let report = check(&path, &mut quiet).unwrap();
    assert_eq!(report.layout.h, (1 << 14) - 1);
    assert_eq!(Reader::open(&path).unwrap().g1(G1Section::H).unwrap(), *theirs.h);
}

/// A prepared small file, with the layout that its bytes have.
struct Sample {
    directory: tempfile::TempDir,
    bytes: Vec<u8>,
    layout: ParamsLayout,
}

impl Sample {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = generate_into(directory.path(), RandomCircuit::new(11));
        let layout = Reader::open(&path).unwrap().header().layout;
        Self { bytes: fs::read(path).unwrap(), directory, layout }
    }

    /// A file with other bytes.
    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.directory.path().join("damaged.params");
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The file with some bytes replaced.
    fn patched(&self, at: u64, with: &[u8]) -> PathBuf {
        let mut bytes = self.bytes.clone();
        bytes[at as usize..at as usize + with.len()].copy_from_slice(with);
        self.file(&bytes)
    }

    fn position(&self, section: Section, index: u64) -> u64 {
        self.layout.offset(section) + index * section.point_bytes()
    }
}

#[test]
fn every_truncation_names_the_section_that_does_not_fit() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let len = sample.bytes.len();
    for cut in (0..len).step_by(61).chain([len - 1]) {
        let error = Reader::open(&sample.file(&sample.bytes[..cut])).unwrap_err();
        let ParamsError::Truncated { section, expected, found, path, .. } = &error else { panic!("{cut}: {error}") };
        assert_eq!(*found, cut as u64);
        assert!(path.ends_with("damaged.params"));
        // It is the section in which the file was cut: its count or its end is what is missing.
        let end = sample.layout.offset(*section) + sample.layout.bytes(*section);
        assert!(*expected == end || *expected == sample.layout.offset(*section), "{error}");
        assert!(cut < end as usize, "{error}");
    }
}

#[test]
fn trailing_bytes_are_refused() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let error = Reader::open(&sample.file(&[&sample.bytes[..], b"abc"].concat())).unwrap_err();
    assert!(matches!(error, ParamsError::Trailing { expected, found, .. } if found == expected + 3), "{error}");
    assert!(error.to_string().contains("3 trailing bytes"), "{error}");
}

#[test]
fn absurd_counts_are_refused_before_they_size_anything() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    for section in [Section::VerifyingKey].into_iter().chain(Section::QUERIES) {
        let path = sample.patched(sample.layout.offset(section) - 4, &u32::MAX.to_be_bytes());
        let error = Reader::open(&path).unwrap_err();
        let named =
            matches!(&error, ParamsError::Truncated { section: found, points: 0xffff_ffff, .. } if *found == section);
        assert!(named, "{section}: {error}");
    }
    // Counts that fit the bytes of the file but no circuit: l and a share their points differently.
    let ParamsLayout { l, a, .. } = sample.layout;
    let mut bytes = sample.bytes.clone();
    let at = |position: u64| position as usize;
    let (from, to) = (sample.layout.offset(Section::L) - 4, sample.layout.offset(Section::BG1) - 4);
    let points: Vec<u8> = [
        &bytes[at(sample.layout.offset(Section::L))..at(sample.layout.offset(Section::A) - 4)],
        &bytes[at(sample.layout.offset(Section::A))..at(to)],
    ]
    .concat();
    let (left, right) = points.split_at(96);
    let shared = [&1u32.to_be_bytes()[..], left, &u32::try_from(l + a - 1).unwrap().to_be_bytes(), right].concat();
    bytes.splice(at(from)..at(to), shared);
    let error = Reader::open(&sample.file(&bytes)).unwrap_err();
    assert!(matches!(error, ParamsError::Count { section: Section::A, .. }), "{error}");
}

#[test]
fn a_bad_point_is_named_by_section_and_index() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let infinity = |bytes: u64| [&[0x40][..], &vec![0; bytes as usize - 1]].concat();
    for (section, index) in [(Section::H, 0), (Section::L, 3), (Section::A, 2), (Section::BG1, 1), (Section::BG2, 0)] {
        let start = sample.position(section, index);
        let last = start + section.point_bytes() - 1;
        let cases = [
            (last, vec![sample.bytes[last as usize] ^ 1], PointFault::NotOnCurve),
            (start, vec![0x80], PointFault::Flags { found: 0x80 }),
            (start, vec![0x1f], PointFault::Coordinate),
            (start, infinity(section.point_bytes()), PointFault::Infinity),
        ];
        for (at, patch, expected) in cases {
            let path = sample.patched(at, &patch);
            let error = read_section(&Reader::open(&path).unwrap(), section).unwrap_err();
            let ParamsError::Point { section: s, index: i, fault, .. } = error else { panic!("{error}") };
            assert_eq!((s, i, fault), (section, index, expected));
            assert!(matches!(check(&path, &mut quiet), Err(ParamsError::Point { .. })));
        }
    }
}

fn read_section(reader: &Reader, section: Section) -> Result<(), ParamsError> {
    match section {
        Section::VerifyingKey => Ok(()),
        Section::H => reader.g1(G1Section::H).map(drop),
        Section::L => reader.g1(G1Section::L).map(drop),
        Section::A => reader.g1(G1Section::A).map(drop),
        Section::BG1 => reader.g1(G1Section::BG1).map(drop),
        Section::BG2 => reader.g2().map(drop),
    }
}

/// `x = 0, y = 2` has order 3; blst itself refuses it. A random point of the curve is what only the full check finds.
#[test]
fn a_point_outside_the_subgroup_passes_the_reader_and_fails_the_check() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let stray = (1u8..)
        .filter_map(|x| {
            let mut encoded = [0u8; 48];
            (encoded[0], encoded[47]) = (0x80, x);
            Option::<G1Affine>::from(G1Affine::from_compressed_unchecked(&encoded))
        })
        .next()
        .unwrap();
    let path = sample.patched(sample.position(Section::A, 1), &stray.to_uncompressed());
    assert_eq!(Reader::open(&path).unwrap().g1(G1Section::A).unwrap()[1], stray);
    let error = check(&path, &mut quiet).unwrap_err();
    let named =
        matches!(error, ParamsError::Point { section: Section::A, index: 1, fault: PointFault::NotInSubgroup, .. });
    assert!(named, "{error}");

    let path = sample.patched(868, &stray.to_uncompressed());
    let error = Reader::open(&path).unwrap_err().to_string();
    assert!(error.contains("ic[0]") && error.contains("subgroup"), "{error}");
}

#[test]
fn any_flipped_byte_fails_the_check() {
    let _limit = TimeLimit::seconds(120);
    let sample = Sample::new();
    for at in (0..sample.bytes.len() as u64).step_by(211) {
        let path = sample.patched(at, &[sample.bytes[at as usize] ^ 1]);
        assert!(check(&path, &mut quiet).is_err(), "byte {at}");
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let path = sample.file(&sample.bytes);
    let reader = Reader::open(&path).unwrap();
    let end = sample.layout.offset(Section::A) + 50;
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(end).unwrap();
    assert!(reader.g1(G1Section::L).is_ok());
    let error = reader.g1(G1Section::A).unwrap_err();
    assert!(matches!(error, ParamsError::Truncated { section: Section::A, found, .. } if found == end), "{error}");
}

#[test]
fn no_file_and_a_directory_are_errors_that_name_the_path() {
    let _limit = TimeLimit::seconds(60);
    let directory = tempfile::tempdir().unwrap();
    for path in [directory.path().join("missing.params"), directory.path().to_owned()] {
        let error = Reader::open(&path).unwrap_err();
        assert!(matches!(error, ParamsError::Io { action: "open", .. }), "{error}");
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    }
}

#[test]
fn the_wrong_circuits_file_is_told_by_its_counts() {
    let _limit = TimeLimit::seconds(60);
    let directory = tempfile::tempdir().unwrap();
    let circuit = RandomCircuit::new(3);
    let reader = Reader::open(&generate_into(directory.path(), circuit)).unwrap();
    reader.expect_layout(&ParamsLayout::of_circuit(&circuit.record().counts())).unwrap();
    let other = ParamsLayout::of_circuit(&RandomCircuit::with_products(3, 100).record().counts());
    let error = reader.expect_layout(&other).unwrap_err();
    assert!(matches!(error, ParamsError::Count { section: Section::H, .. }), "{error}");
}

#[test]
fn the_check_reports_counts_identity_and_progress() {
    let _limit = TimeLimit::seconds(60);
    let sample = Sample::new();
    let path = sample.file(&sample.bytes);
    let mut steps = Vec::new();
    let report = check(&path, &mut |progress| steps.push(progress)).unwrap();
    assert_eq!(report.layout, sample.layout);
    assert!(report.development);
    assert_eq!(report.vk_digest, Reader::open(&path).unwrap().header().vk.digest());
    let total = sample.layout.points();
    assert_eq!(steps.first(), Some(&Progress { done: 0, total }));
    assert_eq!(steps.last(), Some(&Progress { done: total, total }));
    assert!(steps.is_sorted_by_key(|step| step.done));
}

#[test]
fn generation_reports_progress_and_leaves_one_file() {
    let _limit = TimeLimit::seconds(60);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.params");
    let mut steps = Vec::new();
    let vk = generate(&RandomCircuit::new(4).record(), &path, Existing::Keep, &mut |step: Progress| steps.push(step))
        .unwrap();
    let reader = Reader::open(&path).unwrap();
    let total = reader.header().layout.points();
    assert_eq!(reader.header().vk, vk);
    assert!(is_development(&vk));
    assert_eq!(steps.first(), Some(&Progress { done: 0, total }));
    assert_eq!(steps.last(), Some(&Progress { done: total, total }));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn an_unconstrained_variable_is_named_and_nothing_is_written() {
    let _limit = TimeLimit::seconds(60);
    let r1cs = R1cs::record(|cs| {
        use bellperson::ConstraintSystem;
        let used = cs.alloc(|| "used", || Ok(blstrs::Scalar::from(1)))?;
        cs.alloc(|| "idle", || Ok(blstrs::Scalar::from(1)))?;
        cs.enforce(|| "row", |lc| lc + used, |lc| lc + used, |lc| lc + used);
        Ok(())
    })
    .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let error = generate(&r1cs, &directory.path().join("x"), Existing::Keep, &mut quiet).unwrap_err();
    assert!(matches!(error, ParamsError::Unconstrained { index: 1 }), "{error}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// Never over a file that the generator did not make; over its own only when asked.
#[test]
fn existing_files_are_respected() {
    let _limit = TimeLimit::seconds(60);
    let directory = tempfile::tempdir().unwrap();
    let path = generate_into(directory.path(), RandomCircuit::new(1));
    let ours = fs::read(&path).unwrap();
    let other = RandomCircuit::new(2).record();

    let error = generate(&other, &path, Existing::Keep, &mut quiet).unwrap_err();
    assert!(matches!(error, ParamsError::Exists { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), ours);
    generate(&other, &path, Existing::ReplaceDevelopment, &mut quiet).unwrap();
    assert_ne!(fs::read(&path).unwrap(), ours);

    // Parameters with toxic waste of their own, some bytes, a link to a development file, a directory.
    let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
    let secret = |value: u64| blstrs::Scalar::from(value);
    let theirs = groth16::generate_parameters::<Bls12, _>(
        RandomCircuit::new(5),
        g1,
        g2,
        secret(2),
        secret(3),
        secret(5),
        secret(7),
        secret(11),
    )
    .unwrap();
    let mut foreign = Vec::new();
    theirs.write(&mut foreign).unwrap();
    for bytes in [&foreign[..], b"something else", b""] {
        fs::write(&path, bytes).unwrap();
        for existing in [Existing::Keep, Existing::ReplaceDevelopment] {
            let error = generate(&other, &path, existing, &mut quiet).unwrap_err();
            assert!(matches!(error, ParamsError::Exists { .. } | ParamsError::Foreign { .. }), "{error}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
    let link = directory.path().join("link.params");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    fs::create_dir(directory.path().join("folder")).unwrap();
    for occupied in [link, directory.path().join("folder")] {
        let error = generate(&other, &occupied, Existing::ReplaceDevelopment, &mut quiet).unwrap_err();
        assert!(matches!(error, ParamsError::Foreign { .. }), "{error}");
    }
}

#[test]
fn a_verifying_key_file_is_bellpersons_and_reads_back() {
    let _limit = TimeLimit::seconds(60);
    let directory = tempfile::tempdir().unwrap();
    let circuit = RandomCircuit::new(8);
    let vk = Reader::open(&generate_into(directory.path(), circuit)).unwrap().header().vk.clone();
    let path = directory.path().join("circuit.vk");
    vk.write(&path, Existing::Keep).unwrap();
    let mut theirs = Vec::new();
    bellperson_parameters(circuit).vk.write(&mut theirs).unwrap();
    assert_eq!(fs::read(&path).unwrap(), theirs);
    assert_eq!(VerifyingKey::read(&path).unwrap(), vk);

    assert!(matches!(vk.write(&path, Existing::Keep), Err(ParamsError::Exists { .. })));
    vk.write(&path, Existing::ReplaceDevelopment).unwrap();

    for len in [0, 100, 867, theirs.len() - 1] {
        fs::write(&path, &theirs[..len]).unwrap();
        let error = VerifyingKey::read(&path).unwrap_err();
        assert!(matches!(error, ParamsError::VerifyingKey { .. }), "{error}");
    }
    fs::write(&path, [&theirs[..], b"x"].concat()).unwrap();
    assert!(matches!(VerifyingKey::read(&path).unwrap_err(), ParamsError::VerifyingKey { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Keys, proofs and verification agree with bellperson in both directions.
    #[test]
    fn bellpersons_proofs_verify_and_changed_ones_do_not(seed: u64) {
        let _limit = TimeLimit::seconds(120);
        let circuit = RandomCircuit::new(seed);
        let parameters = bellperson_parameters(circuit);
        let mut rng = StdRng::seed_from_u64(seed);
        let theirs = groth16::create_random_proof(circuit, &parameters, &mut rng).unwrap();
        let mut bytes = Vec::new();
        theirs.write(&mut bytes).unwrap();
        let mut vk = Vec::new();
        parameters.vk.write(&mut vk).unwrap();
        let vk = VerifyingKey::from_bytes(&vk).unwrap();

        let proof = Proof::from_bytes(&bytes).unwrap();
        let inputs = circuit.public_inputs();
        prop_assert_eq!(vk.public_inputs(), inputs.len());
        prop_assert_eq!(vk.verify(&proof, &inputs), Ok(()));

        for changed in [Proof { a: proof.c, ..proof }, Proof { c: proof.a, ..proof }, Proof { b: vk.gamma_g2, ..proof }, Proof { a: -proof.a, ..proof }] {
            prop_assert_eq!(vk.verify(&changed, &inputs), Err(VerifyError::Rejected));
        }
        for index in 0..inputs.len() {
            let mut other = inputs.clone();
            other[index] += blstrs::Scalar::from(1);
            prop_assert_eq!(vk.verify(&proof, &other), Err(VerifyError::Rejected));
        }
        let one_more = [&inputs[..], &[blstrs::Scalar::from(1)]].concat();
        let count = VerifyError::InputCount { expected: inputs.len(), found: inputs.len() + 1 };
        prop_assert_eq!(vk.verify(&proof, &one_more), Err(count));
    }
}
