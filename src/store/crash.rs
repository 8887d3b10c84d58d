//! A file system that crashes: what was not synced may be lost, in part and in any order.
//!
//! A file has bytes that are certain and bytes that programs see; a directory has names that are certain and changes (a
//! name that appears, moves, goes) that are not yet. A crash gives each file some length between the two and each
//! sector of it the certain bytes, those that were seen, or zeros, and keeps any subset of the changes of names.

#![forbid(unsafe_code)]

use super::disk::{Contents, Disk, DiskFile};
use super::lock::Lock;
use super::{ArchiveStore, FileOptions, FileStore, Store};
use crate::error::{Error, Status};
use crate::part::part;
use crate::sync::{Arc, Mutex};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What a crash keeps or loses as a whole.
const SECTOR: usize = 512;

#[derive(Clone, Default)]
struct Node {
    bytes: Vec<u8>,
    certain: Vec<u8>,
}

impl Node {
    fn crash(&mut self, random: &mut Rng) {
        let (short, long) = (self.bytes.len().min(self.certain.len()), self.bytes.len().max(self.certain.len()));
        let len = short + random.usize(..long - short + 1);
        let mut after = vec![0; len];
        for (i, sector) in after.chunks_mut(SECTOR).enumerate() {
            let from = |bytes: &[u8], sector: &mut [u8]| {
                let old = bytes.get(i * SECTOR..).unwrap_or_default();
                let n = old.len().min(sector.len());
                sector[..n].copy_from_slice(&old[..n]);
            };
            let same = self.bytes.chunks(SECTOR).nth(i) == self.certain.chunks(SECTOR).nth(i);
            match random.usize(..8) {
                0 if !same => {}
                1..=3 => from(&self.certain, sector),
                _ => from(&self.bytes, sector),
            }
        }
        self.bytes.clone_from(&after);
        self.certain = after;
    }
}

#[derive(Clone)]
enum Change {
    Link(PathBuf, usize),
    Unlink(PathBuf),
}

#[derive(Clone, Default)]
struct Tree {
    nodes: Vec<Node>,
    /// As the directory is on the disk.
    certain: BTreeMap<PathBuf, usize>,
    /// As programs see it.
    seen: BTreeMap<PathBuf, usize>,
    /// What leads from one to the other; the changes of one rename stay together.
    pending: Vec<Vec<Change>>,
    /// Operations until everything fails, as after a crash.
    fuse: usize,
    /// Bytes until the disk is full.
    room: usize,
}

impl Tree {
    fn step(&mut self) -> io::Result<()> {
        self.fuse = self.fuse.checked_sub(1).ok_or_else(|| io::Error::other("the machine is down"))?;
        Ok(())
    }

    fn apply(names: &mut BTreeMap<PathBuf, usize>, change: &Change) {
        match change {
            Change::Link(path, node) => drop(names.insert(path.clone(), *node)),
            Change::Unlink(path) => drop(names.remove(path)),
        }
    }

    fn change(&mut self, changes: Vec<Change>) {
        changes.iter().for_each(|change| Tree::apply(&mut self.seen, change));
        self.pending.push(changes);
    }

    /// What is there after a crash now.
    fn crash(&self, random: &mut Rng) -> Tree {
        let mut after = self.clone();
        for node in &mut after.nodes {
            node.crash(random);
        }
        for changes in &self.pending {
            if random.bool() {
                changes.iter().for_each(|change| Tree::apply(&mut after.certain, change));
            }
        }
        after.seen = after.certain.clone();
        after.pending.clear();
        (after.fuse, after.room) = (usize::MAX, usize::MAX);
        after
    }
}

#[derive(Clone)]
struct FragileDisk(Arc<Mutex<Tree>>);

impl FragileDisk {
    fn new(tree: Tree) -> FragileDisk {
        FragileDisk(Arc::new(Mutex::new(tree)))
    }
}

impl Disk for FragileDisk {
    fn create(&self, path: &Path, _: u32) -> io::Result<Box<dyn DiskFile>> {
        let mut tree = self.0.lock();
        tree.step()?;
        let node = tree.nodes.len();
        tree.nodes.push(Node::default());
        tree.change(vec![Change::Link(path.to_owned(), node)]);
        Ok(Box::new(FragileFile { disk: self.clone(), node }))
    }

    fn edit(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let node = *self.0.lock().seen.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(FragileFile { disk: self.clone(), node }))
    }

    fn open(&self, path: &Path) -> io::Result<Contents> {
        let tree = self.0.lock();
        let node = tree.seen.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Contents::Loaded(tree.nodes[*node].bytes.clone()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.0.lock();
        tree.step()?;
        let node = *tree.seen.get(from).ok_or(io::ErrorKind::NotFound)?;
        tree.change(vec![Change::Unlink(from.to_owned()), Change::Link(to.to_owned(), node)]);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.0.lock();
        tree.step()?;
        if !tree.seen.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        tree.change(vec![Change::Unlink(path.to_owned())]);
        Ok(())
    }

    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        let names =
            self.0.lock().seen.keys().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        Ok(names)
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut tree = self.0.lock();
        tree.step()?;
        tree.certain = tree.seen.clone();
        tree.pending.clear();
        Ok(())
    }

    fn lock(&self, _: &Path, _: &str, _: u32) -> Result<Option<Lock>, Error> {
        Ok(None)
    }
}

struct FragileFile {
    disk: FragileDisk,
    node: usize,
}

impl DiskFile for FragileFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut tree = self.disk.0.lock();
        tree.step()?;
        let fits = bytes.len().min(tree.room);
        tree.room -= fits;
        let node = self.node;
        // A full disk takes what fits.
        tree.nodes[node].bytes.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut tree = self.disk.0.lock();
        tree.step()?;
        let node = &mut tree.nodes[self.node].bytes;
        let end = offset as usize + bytes.len();
        node.resize(end.max(node.len()), 0);
        node[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        let mut tree = self.disk.0.lock();
        tree.step()?;
        let node = self.node;
        let more = (bytes as usize).saturating_sub(tree.nodes[node].bytes.len());
        tree.room = tree.room.checked_sub(more).ok_or(io::ErrorKind::StorageFull)?;
        tree.nodes[node].bytes.resize(bytes as usize, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut tree = self.disk.0.lock();
        tree.step()?;
        let node = &mut tree.nodes[self.node];
        node.certain.clone_from(&node.bytes);
        Ok(())
    }
}

/// A store of one file for each entry, or of one for all.
fn store(disk: &FragileDisk, one_file: bool) -> Result<Box<dyn Store>, Error> {
    let options = FileOptions { run: Some("run".to_owned()), rank: Some(0), ..FileOptions::default() };
    let (disk, directory) = (Arc::new(disk.clone()), Path::new("/"));
    Ok(if one_file {
        Box::new(ArchiveStore::on(disk, directory, options)?)
    } else {
        Box::new(FileStore::on(disk, directory, options)?)
    })
}

fn contents(name: usize, version: usize) -> Vec<u8> {
    (0..1000 + 317 * version).map(|i| (i * 31 + name * 7 + version) as u8).collect()
}

fn write(store: &dyn Store, name: usize, version: usize) -> Result<(), Error> {
    let mut writer = store.create(&format!("step-{name}"))?;
    for piece in contents(name, version).chunks(700) {
        writer.write(piece)?;
    }
    writer.commit()
}

/// The version that a name has now; None if there is none. What there is must be whole.
fn version(store: &dyn Store, name: usize) -> Option<usize> {
    let mut reader = match store.open(&format!("step-{name}")) {
        Err(error) if error.status() == Status::NotFound => return None,
        result => result.expect("whole"),
    };
    let mut found = vec![0; reader.bytes() as usize];
    reader.read_at(0, &mut found).expect("whole");
    let version = (found.len() - 1000) / 317;
    assert!(found == contents(name, version));
    Some(version)
}

/// Random programs of writes and removals, with a crash after any number of operations of the disk: what was committed
/// is there, what was begun is there or not, and what is there is whole. Then goes on from there, to another crash.
fn programs(one_file: bool) {
    let mut crashes = 0;
    for seed in 1..=part(500) {
        let mut random = Rng::with_seed(seed);
        let mut tree = Tree { fuse: usize::MAX, room: usize::MAX, ..Tree::default() };
        // For each name the versions that it may have after a crash.
        let mut possible: BTreeMap<usize, Vec<Option<usize>>> = (0..3).map(|name| (name, vec![None])).collect();
        for life in 0..3 {
            tree.fuse = random.usize(..90);
            let disk = FragileDisk::new(tree);
            // The crash may come while the store is opened.
            if let Ok(store) = store(&disk, one_file) {
                for number in 1..20 {
                    let (name, number) = (random.usize(..3), 100 * life + number);
                    let versions = possible.get_mut(&name).unwrap();
                    let removes = random.usize(..4) == 0;
                    let done =
                        if removes { store.remove(&format!("step-{name}")) } else { write(&*store, name, number) };
                    match done {
                        // Committed: all before is gone.
                        Ok(()) if !removes => *versions = vec![Some(number)],
                        // Removals are not synced by themselves.
                        Ok(()) => versions.push(None),
                        Err(error) if error.status() == Status::NotFound => {}
                        Err(_) if removes => versions.push(None),
                        Err(_) => versions.push(Some(number)),
                    }
                }
            }
            crashes += u64::from(disk.0.lock().fuse == 0);
            let after = disk.0.lock().crash(&mut random);
            let disk = FragileDisk::new(after);
            let store = store(&disk, one_file).unwrap_or_else(|error| panic!("seed {seed}, life {life}: {error}"));
            for (name, versions) in &mut possible {
                let found = version(&*store, *name);
                assert!(
                    versions.contains(&found),
                    "seed {seed}, life {life}: step-{name} has {found:?} of {versions:?}"
                );
                *versions = vec![found];
            }
            let there = store.names().unwrap();
            assert_eq!(there.len(), possible.values().filter(|versions| versions[0].is_some()).count());
            drop(store);
            tree = disk.0.lock().clone();
            let parts = tree.seen.keys().filter(|path| path.to_string_lossy().contains(".part-")).count();
            assert_eq!(parts, 0, "seed {seed}: parts were removed");
            // What was found has been read: it is certain now.
            tree.nodes.iter_mut().for_each(|node| node.certain.clone_from(&node.bytes));
            tree.certain = tree.seen.clone();
            tree.pending.clear();
        }
    }
    assert!(crashes > part(300), "only {crashes} programs were cut short");
}

#[test]
fn after_a_crash_at_any_moment_there_is_the_old_checkpoint_or_the_new_one_whole() {
    programs(false);
}

#[test]
fn after_a_crash_at_any_moment_one_file_for_all_has_the_old_checkpoint_or_the_new_one_whole() {
    programs(true);
}

#[test]
fn full_disk_is_an_error_that_says_so_and_leaves_the_old_checkpoint() {
    for (one_file, enough) in [(false, 12_000), (true, 40_000)] {
        for room in (0..).step_by(7) {
            let disk = FragileDisk::new(Tree { fuse: usize::MAX, room: usize::MAX, ..Tree::default() });
            let store = store(&disk, one_file).unwrap();
            write(&*store, 0, 1).unwrap();
            disk.0.lock().room = room;
            match write(&*store, 0, 8) {
                Ok(()) => {
                    assert_eq!(version(&*store, 0), Some(8));
                    assert!(room > 3500, "{room}");
                    break;
                }
                Err(error) => {
                    assert_eq!(error.status(), Status::Io);
                    assert!(error.message().contains("the disk is full"), "{error}");
                    assert_eq!(version(&*store, 0), Some(1));
                }
            }
            assert_eq!(store.names().unwrap(), ["step-0"], "nothing is left of what did not fit");
            assert!(room < enough);
        }
    }
}
