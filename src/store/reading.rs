//! A file of checkpoints that is read where it lies, for whoever wants to see what is in it: no lock is taken, nothing
//! is made, changed or removed, and the file may have been renamed.

#![forbid(unsafe_code)]

use super::archive;
use super::disk::{Contents, Disk, System};
use super::files::{FileReader, in_file};
use super::image::{HEADER, ImageReader, identity_of};
use super::regular::refused;
use super::{EntryReader, EntryWriter, Store, not_found};
use crate::error::{Error, Status};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that a [`FileStore`](super::FileStore) or an [`ArchiveStore`](super::ArchiveStore) wrote, as a store that is
/// only read. The file of an archive must not be in use: its store may cut off its end at any moment.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// # let directory = std::env::temp_dir().join(format!("adtape-reading-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory).unwrap();
/// let options = FileOptions { run: Some("storm".to_owned()), rank: Some(0), ..FileOptions::default() };
/// let store = FileStore::new(&directory, options)?;
/// let mut checkpoint = CheckpointWriter::create(&store, "step-40")?;
/// checkpoint.write("pressure", &[1.0_f64; 10])?;
/// checkpoint.commit()?;
///
/// let file = ReadOnlyFile::open(directory.join("storm.r0.step-40.adtape"))?;
/// assert_eq!(file.names()?, ["storm.r0.step-40"]);
/// let mut checkpoint = CheckpointReader::open(&file, "storm.r0.step-40")?;
/// assert_eq!(checkpoint.sections()?[0].count, 10);
/// # std::fs::remove_dir_all(&directory).unwrap();
/// # Ok(())
/// # }
/// ```
pub struct ReadOnlyFile {
    path: PathBuf,
    entries: Vec<Entry>,
}

struct Entry {
    /// With run and rank, as the image has it.
    identity: String,
    image: Result<Range<usize>, Error>,
}

impl ReadOnlyFile {
    /// Opens the file; what is damaged in it is an error when its checkpoint is opened.
    pub fn open(path: impl AsRef<Path>) -> Result<ReadOnlyFile, Error> {
        let path = path.as_ref().to_owned();
        let contents = contents(&path)?;
        let entries = match archive::list(&contents, &path) {
            Some(listed) => {
                let (stem, listed) = listed.map_err(|e| in_file(e, &path.display().to_string()))?;
                let entry = |listed: archive::Listed| Entry {
                    identity: format!("{stem}.{}", listed.name.as_deref().unwrap_or("?")),
                    image: listed.image,
                };
                listed.into_iter().map(entry).collect()
            }
            None => {
                let identity = identity_of(&contents).unwrap_or_default().to_owned();
                // A header of another version says of itself what it is, and so does one that is damaged.
                if identity.is_empty() || contents.len() < HEADER {
                    ImageReader::new(&contents, "").map_err(|e| in_file(e, &path.display().to_string()))?;
                }
                vec![Entry { identity, image: Ok(0..contents.len()) }]
            }
        };
        Ok(ReadOnlyFile { path, entries })
    }

    #[cold]
    fn for_reading(&self) -> Error {
        Error::new(Status::BadArgument, format!("{} is open for reading only", self.path.display()))
    }
}

fn contents(path: &Path) -> Result<Contents, Error> {
    System.open(path).map_err(|e| refused("opening", path, &e))
}

impl Store for ReadOnlyFile {
    fn create(&self, _name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        Err(self.for_reading())
    }

    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        let place = self.path.display().to_string();
        let entry = self.entries.iter().find(|entry| entry.identity == name);
        let entry = entry.ok_or_else(|| not_found(name, &place))?;
        let range = match &entry.image {
            Ok(range) => range.clone(),
            Err(error) => return Err(Error::new(error.status(), error.message().to_owned())),
        };
        FileReader::new(place, contents(&self.path)?, range, name, None).map(|reader| Box::new(reader) as _)
    }

    fn remove(&self, _name: &str) -> Result<(), Error> {
        Err(self.for_reading())
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let mut names: Vec<String> = self.entries.iter().map(|entry| entry.identity.clone()).collect();
        names.sort();
        Ok(names)
    }
}
