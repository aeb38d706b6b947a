use std::{
    fs,
    time::{Duration, SystemTime},
};

use cuzk_testing::TimeLimit;

use super::*;

const NAME: &str = "v28-some.params";
/// The digest of `abc`; see the tests of `digest`.
const OF_ABC: &str = "ba80a53f981c4d0d6a2797b69f12f6e9";

/// A parameter directory with one file, and a place to remember besides.
struct Place {
    _root: tempfile::TempDir,
    dir: PathBuf,
    fallback: PathBuf,
    file: PathBuf,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let [dir, fallback] = ["parameters", "cache/cuzk"].map(|name| root.path().join(name));
        fs::create_dir(&dir).expect("a new directory");
        let file = dir.join(NAME);
        fs::write(&file, b"abc").expect("room for three bytes");
        Self { _root: root, dir, fallback, file }
    }

    fn remembered(&self) -> Remembered {
        Remembered::beside(&self.dir, Some(&self.fallback))
    }

    /// The digest, and whether it was remembered.
    fn ask(&self, again: bool) -> (String, bool) {
        let digested = self.remembered().digest(&self.file, again, &mut |_, _| {}).expect("the file can be read");
        assert!(digested.not_kept.is_none(), "{digested:?}");
        (digested.digest.to_string(), digested.remembered)
    }

    fn store(&self) -> PathBuf {
        self.dir.join(REMEMBERED_FILE_NAME)
    }
}

#[test]
fn a_file_is_hashed_once_until_it_changes() {
    let _limit = TimeLimit::seconds(30);
    let place = Place::new();
    let hashed = (OF_ABC.to_owned(), false);
    let remembered = (OF_ABC.to_owned(), true);
    assert_eq!(place.ask(false), hashed);
    assert_eq!(place.ask(false), remembered);
    assert_eq!(place.ask(true), hashed, "asked to hash it again");

    // Another time of change.
    let file = File::options().write(true).open(&place.file).expect("the file is ours");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_nanos(1_000_000_007)).expect("so is its time");
    assert_eq!(place.ask(false), hashed);
    assert_eq!(place.ask(false), remembered);

    // Another inode, with the same length and time.
    let copy = place.dir.join("copy");
    fs::write(&copy, b"abd").expect("room for three bytes");
    let modified = fs::metadata(&place.file).and_then(|metadata| metadata.modified()).expect("a time");
    File::options().write(true).open(&copy).and_then(|file| file.set_modified(modified)).expect("the copy is ours");
    fs::rename(&copy, &place.file).expect("one directory");
    let (changed, was_remembered) = place.ask(false);
    assert!(changed != OF_ABC && !was_remembered);

    // Another length.
    fs::write(&place.file, b"").expect("the file is ours");
    assert_eq!(place.ask(false), ("786a02f742015903c6c6fd852552d272".to_owned(), false));
}

#[test]
fn a_damaged_or_foreign_file_of_digests_is_replaced() {
    let _limit = TimeLimit::seconds(30);
    let place = Place::new();
    place.ask(false);
    let ours = fs::read_to_string(place.store()).expect("it was just written");
    let truncated = &ours[..ours.len() / 2];
    let foreign = ours.replace("version 1", "version 2");
    let bad_digest = ours.replace(OF_ABC, "none");
    let long = format!("{ours}{}", " ".repeat(1 << 20));
    for damaged in ["", "{}", "[1, 2]", "\0\u{7f}", truncated, &foreign, &bad_digest, &long] {
        fs::write(place.store(), damaged).expect("the file is ours");
        let head: String = damaged.chars().take(40).collect();
        assert_eq!(place.ask(false), (OF_ABC.to_owned(), false), "{head}");
        assert_eq!(place.ask(false), (OF_ABC.to_owned(), true), "{head}");
    }
    let rest: Vec<_> = fs::read_dir(&place.dir).expect("the directory is ours").collect();
    assert_eq!(rest.len(), 2, "{rest:?}");
}

#[test]
fn several_files_are_remembered_side_by_side() {
    let _limit = TimeLimit::seconds(30);
    let place = Place::new();
    place.ask(false);
    let other = place.dir.join("v28-other.vk");
    fs::write(&other, b"").expect("room for nothing");
    let digested = place.remembered().digest(&other, false, &mut |_, _| {}).expect("the file can be read");
    assert!(!digested.remembered);
    assert!(place.ask(false).1, "the first one is still remembered");
}

#[test]
fn where_parameters_cannot_be_written_digests_go_elsewhere() {
    let _limit = TimeLimit::seconds(30);
    let place = Place::new();
    // Nobody, not even root, can replace a directory that is not empty by a file.
    fs::create_dir_all(place.store().join("occupied")).expect("a new directory");
    assert_eq!(place.ask(false), (OF_ABC.to_owned(), false));
    assert_eq!(place.ask(false), (OF_ABC.to_owned(), true));
    assert!(place.fallback.join(fallback_name(&place.dir)).is_file());
    assert_ne!(fallback_name(&place.dir), fallback_name(&place.fallback));

    // Nowhere to keep it: said, and no error.
    let nowhere = Remembered::beside(&place.dir, None);
    let digested = nowhere.digest(&place.file, false, &mut |_, _| {}).expect("the file can be read");
    let reason = digested.not_kept.expect("there is no place").to_string();
    assert!(!digested.remembered && reason.contains(REMEMBERED_FILE_NAME), "{reason}");
}

/// A disk lost bits after one of the places was written: nobody can tell which is right but by hashing.
#[test]
fn places_that_disagree_remember_nothing() {
    let _limit = TimeLimit::seconds(30);
    let place = Place::new();
    let stamp = Stamp::of(&place.file.metadata().expect("it is there"));
    let digest = FileDigest::of(&mut &b"abc"[..], &mut |_| {}).expect("bytes can be read");
    let other = FileDigest::of(&mut &b"abd"[..], &mut |_| {}).expect("bytes can be read");
    let elsewhere = place.fallback.join(fallback_name(&place.dir));
    store::add(&place.store(), NAME, Entry { stamp, digest }).expect("it can be written");
    store::add(&elsewhere, NAME, Entry { stamp, digest }).expect("it can be written");
    assert!(place.remembered().recall(NAME, &stamp) == Some(digest));
    store::add(&elsewhere, NAME, Entry { stamp, digest: other }).expect("it can be written");
    assert!(place.remembered().recall(NAME, &stamp).is_none());
    assert_eq!(place.ask(false), (OF_ABC.to_owned(), false));
}

#[test]
fn what_is_no_file_has_no_digest() {
    let _limit = TimeLimit::seconds(10);
    let place = Place::new();
    let refused = |path: &Path| place.remembered().digest(path, false, &mut |_, _| {}).expect_err("it is no file");
    assert_eq!(refused(&place.dir.join("missing")).kind(), io::ErrorKind::NotFound);
    assert!(refused(&place.dir).to_string().contains("regular file"));
}

#[test]
fn the_users_directory_is_found_as_xdg_has_it() {
    let _limit = TimeLimit::seconds(10);
    let path = |text: &str| Some(PathBuf::from(text));
    assert_eq!(cache_dir(path("/cache"), path("/home/a")), path("/cache/cuzk"));
    assert_eq!(cache_dir(path("cache"), path("/home/a")), path("/home/a/.cache/cuzk"));
    assert_eq!(cache_dir(None, path("/home/a")), path("/home/a/.cache/cuzk"));
    assert_eq!(cache_dir(None, None), None);
}
