//! Writing a new file so that it is either there in full or not at all, and never where it does harm.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{ParamsError, Reader};
use crate::{VerifyingKey, generate::is_development};

/// Where operators keep the published parameters unless they say otherwise; no parameters of ours are written there.
pub const OPERATORS_DIRECTORY: &str = "/var/tmp/filecoin-proof-parameters";

/// What to do with a file that is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail.
    #[default]
    Keep,
    /// Replace it if its verifying key is a development one (see [`is_development`]), and fail otherwise.
    ReplaceDevelopment,
}

/// A file in the making: a temporary file in the target's directory until [`Self::commit`] renames it.
///
/// Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    existing: Existing,
    temporary: NamedTempFile,
}

impl NewFile {
    /// Begins a file that will be `path`, whose directory must exist.
    ///
    /// # Errors
    /// [`ParamsError`]: the path lies in [`OPERATORS_DIRECTORY`], also through links; it is occupied in a way that
    /// `existing` does not allow; the temporary file cannot be made.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, ParamsError> {
        Self::may_write(path, existing)?;
        let io_error = |source| ParamsError::io(path, "create", source);
        let name = path.file_name().ok_or_else(|| io_error(io::ErrorKind::InvalidFilename.into()))?;
        let temporary = tempfile::Builder::new()
            .prefix(&format!(".{}.", name.to_string_lossy()))
            .suffix(".partial")
            // As an ordinary new file: the umask takes its share.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory_of(path))
            .map_err(io_error)?;
        Ok(Self { path: path.to_owned(), existing, temporary })
    }

    /// Checks what [`Self::create`] would refuse, before directories are made or work is done.
    ///
    /// # Errors
    /// As [`Self::create`], but for the making of the temporary file.
    pub fn may_write(path: &Path, existing: Existing) -> Result<(), ParamsError> {
        refuse_directory(path, Path::new(OPERATORS_DIRECTORY))?;
        refuse_occupied(path, existing)?;
        Ok(())
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`ParamsError::Io`], for example when the disk is full.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), ParamsError> {
        self.temporary.as_file_mut().write_all(bytes).map_err(|source| ParamsError::io(&self.path, "write", source))
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// [`ParamsError::Exists`] or [`ParamsError::Foreign`] when something has taken the name meanwhile,
    /// [`ParamsError::Io`] otherwise.
    pub fn commit(self) -> Result<(), ParamsError> {
        let Self { path, existing, temporary } = self;
        let io_error = |source| ParamsError::io(&path, "write", source);
        temporary.as_file().sync_all().map_err(io_error)?;
        let named = match refuse_occupied(&path, existing)? {
            Occupant::None => temporary.persist_noclobber(&path),
            Occupant::Development => temporary.persist(&path),
        };
        named.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => ParamsError::Exists { path: path.clone() },
            _ => io_error(error.error),
        })?;
        File::open(directory_of(&path)).and_then(|directory| directory.sync_all()).map_err(io_error)
    }
}

/// The directory that holds `path`.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Refuses a path that lies in or under `directory`, by its name or where links lead.
fn refuse_directory(path: &Path, directory: &Path) -> Result<(), ParamsError> {
    let parent = directory_of(path);
    let lexical = normalised(parent).map_err(|source| ParamsError::io(path, "resolve", source))?;
    let resolved = resolved(&lexical);
    let forbidden = [directory.to_owned(), self::resolved(directory)];
    if forbidden.iter().any(|directory| lexical.starts_with(directory) || resolved.starts_with(directory)) {
        return Err(ParamsError::OperatorsDirectory { path: path.to_owned(), directory: directory.to_owned() });
    }
    Ok(())
}

/// The absolute path without `.` and with every `..` of an existing directory taken where links lead.
fn normalised(path: &Path) -> io::Result<PathBuf> {
    let mut normal = PathBuf::new();
    for component in std::path::absolute(path)?.components() {
        match component {
            Component::ParentDir => {
                normal = resolved(&normal);
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    Ok(normal)
}

/// The path with the links of its longest existing part resolved.
fn resolved(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}

/// What stands at a path where we may write.
enum Occupant {
    None,
    Development,
}

/// Refuses a path at which there is something that `existing` does not let us replace.
fn refuse_occupied(path: &Path, existing: Existing) -> Result<Occupant, ParamsError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Occupant::None),
        Err(source) => return Err(ParamsError::io(path, "look at", source)),
    };
    if existing == Existing::Keep {
        return Err(ParamsError::Exists { path: path.to_owned() });
    }
    let foreign = |reason: String| ParamsError::Foreign { path: path.to_owned(), reason };
    if !metadata.is_file() {
        return Err(foreign("it is no regular file".into()));
    }
    // A parameter file, or the verifying key alone.
    let vk = Reader::open(path)
        .map(|reader| reader.header().vk.clone())
        .or_else(|error| VerifyingKey::read(path).map_err(|_| error));
    match vk {
        Ok(vk) if is_development(&vk) => Ok(Occupant::Development),
        Ok(_) => Err(foreign("its verifying key has other toxic waste".into())),
        Err(error) => Err(foreign(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use cuzk_testing::TimeLimit;

    use super::*;

    /// A stand-in for the operators' directory, reached in every way that a path can take.
    #[test]
    fn the_forbidden_directory_is_refused_by_every_way_into_it() {
        let _limit = TimeLimit::seconds(10);
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let forbidden = root.join("params");
        let refused =
            |path: PathBuf| matches!(refuse_directory(&path, &forbidden), Err(ParamsError::OperatorsDirectory { .. }));

        assert!(refused(forbidden.join("x.params")), "before it exists");
        assert!(refused(root.join("missing/../params/deeper/x.params")));
        fs::create_dir_all(forbidden.join("deeper")).unwrap();
        fs::create_dir(root.join("elsewhere")).unwrap();
        assert!(refused(forbidden.join("x.params")));
        assert!(refused(forbidden.join("deeper/x.params")));
        assert!(refused(root.join("elsewhere/../params/x.params")));
        symlink(&forbidden, root.join("link")).unwrap();
        symlink(forbidden.join("deeper"), root.join("deep")).unwrap();
        assert!(refused(root.join("link/x.params")));
        assert!(refused(root.join("link/new/x.params")));
        assert!(refused(root.join("deep/../x.params")), "the parent of a link is the parent of its target");
        assert!(!refused(root.join("x.params")));
        assert!(!refused(root.join("params-of-mine/x.params")));
        assert!(!refused(root.join("elsewhere/x.params")));

        // The directory may be a link itself.
        fs::rename(&forbidden, root.join("disk")).unwrap();
        symlink(root.join("disk"), &forbidden).unwrap();
        assert!(refused(root.join("disk/x.params")));
        assert!(refused(forbidden.join("x.params")));
    }

    #[test]
    fn the_operators_directory_is_refused_before_anything_is_made() {
        let _limit = TimeLimit::seconds(10);
        let path = Path::new(OPERATORS_DIRECTORY).join("cuzk-must-not-appear.params");
        let error = NewFile::create(&path, Existing::Keep).unwrap_err();
        assert!(matches!(error, ParamsError::OperatorsDirectory { .. }), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn a_dropped_file_leaves_nothing_and_a_committed_one_is_whole() {
        let _limit = TimeLimit::seconds(10);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut dropped = NewFile::create(&path, Existing::Keep).unwrap();
        dropped.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(dropped);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);

        let mut kept = NewFile::create(&path, Existing::Keep).unwrap();
        kept.write_all(b"whole").unwrap();
        kept.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(matches!(NewFile::create(&path, Existing::Keep), Err(ParamsError::Exists { .. })));
        let foreign = NewFile::create(&path, Existing::ReplaceDevelopment);
        assert!(matches!(foreign, Err(ParamsError::Foreign { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn a_name_taken_meanwhile_is_not_overwritten() {
        let _limit = TimeLimit::seconds(10);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let ours = NewFile::create(&path, Existing::Keep).unwrap();
        fs::write(&path, b"theirs").unwrap();
        assert!(matches!(ours.commit(), Err(ParamsError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
    }
}
