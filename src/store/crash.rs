//! A file system that crashes: what was not synced may be lost, in part and in any order.
//!
//! A file has bytes that are certain and changes that are not yet; a directory has names that are certain and changes
//! (a name that appears, moves, goes) that are not yet. A crash keeps some prefix of each file's unsynced bytes, with
//! garbage in place of some of them, and any subset of the changes of names.

#![forbid(unsafe_code)]

use super::disk::{Contents, Disk, DiskFile};
use super::{FileOptions, FileStore, Store, lock};
use crate::error::Status;
use crate::sync::{Arc, Mutex};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

#[derive(Clone, Default)]
struct Node {
    bytes: Vec<u8>,
    synced: usize,
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
    fn crash(&self, random: &mut Random) -> Tree {
        let mut after = self.clone();
        for node in &mut after.nodes {
            let kept = node.synced + random.below(node.bytes.len() - node.synced + 1);
            node.bytes.truncate(kept);
            for byte in &mut node.bytes[node.synced..] {
                if random.below(50) == 0 {
                    *byte = 0;
                }
            }
            node.synced = node.bytes.len();
        }
        for changes in &self.pending {
            if random.below(2) == 0 {
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
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut tree = lock(&self.0);
        tree.step()?;
        let node = tree.nodes.len();
        tree.nodes.push(Node::default());
        tree.change(vec![Change::Link(path.to_owned(), node)]);
        Ok(Box::new(FragileFile { disk: self.clone(), node }))
    }

    fn open(&self, path: &Path) -> io::Result<Contents> {
        let tree = lock(&self.0);
        let node = tree.seen.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Contents::Loaded(tree.nodes[*node].bytes.clone()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = lock(&self.0);
        tree.step()?;
        let node = *tree.seen.get(from).ok_or(io::ErrorKind::NotFound)?;
        tree.change(vec![Change::Unlink(from.to_owned()), Change::Link(to.to_owned(), node)]);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut tree = lock(&self.0);
        tree.step()?;
        if !tree.seen.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        tree.change(vec![Change::Unlink(path.to_owned())]);
        Ok(())
    }

    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        let names =
            lock(&self.0).seen.keys().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        Ok(names)
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut tree = lock(&self.0);
        tree.step()?;
        tree.certain = tree.seen.clone();
        tree.pending.clear();
        Ok(())
    }
}

struct FragileFile {
    disk: FragileDisk,
    node: usize,
}

impl DiskFile for FragileFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut tree = lock(&self.disk.0);
        tree.step()?;
        let fits = bytes.len().min(tree.room);
        tree.room -= fits;
        let node = self.node;
        // A full disk takes what fits.
        tree.nodes[node].bytes.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut tree = lock(&self.disk.0);
        tree.step()?;
        let node = &mut tree.nodes[self.node];
        node.synced = node.bytes.len();
        Ok(())
    }
}

fn store(disk: &FragileDisk) -> FileStore {
    let options = FileOptions { run: Some("run".to_owned()), rank: Some(0), ..FileOptions::default() };
    FileStore::on(Arc::new(disk.clone()), Path::new("/"), options).expect("the disk is up")
}

fn contents(name: usize, version: usize) -> Vec<u8> {
    (0..1000 + 317 * version).map(|i| (i * 31 + name * 7 + version) as u8).collect()
}

fn write(store: &FileStore, name: usize, version: usize) -> Result<(), crate::error::Error> {
    let mut writer = store.create(&format!("step-{name}"))?;
    for piece in contents(name, version).chunks(700) {
        writer.write(piece)?;
    }
    writer.commit()
}

/// The version that a name has now; None if there is none. What there is must be whole.
fn version(store: &FileStore, name: usize) -> Option<usize> {
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
/// is there, what was begun is there or not, and what is there is whole.
#[test]
fn after_a_crash_at_any_moment_there_is_the_old_checkpoint_or_the_new_one_whole() {
    let mut crashes = 0;
    for seed in 1..=1500 {
        let mut random = Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let disk = FragileDisk::new(Tree { fuse: usize::MAX, room: usize::MAX, ..Tree::default() });
        let store = store(&disk);
        lock(&disk.0).fuse = random.below(60);
        // For each name the versions that it may have after a crash.
        let mut possible: BTreeMap<usize, Vec<Option<usize>>> = (0..3).map(|name| (name, vec![None])).collect();
        for number in 1..20 {
            let name = random.below(3);
            let versions = possible.get_mut(&name).unwrap();
            let removes = random.below(4) == 0;
            let done = match removes {
                true => store.remove(&format!("step-{name}")),
                false => write(&store, name, number),
            };
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
        crashes += usize::from(lock(&disk.0).fuse == 0);
        let after = lock(&disk.0).crash(&mut random);
        let store = super::crash::store(&FragileDisk::new(after));
        for (name, versions) in possible {
            let found = version(&store, name);
            assert!(versions.contains(&found), "seed {seed}: step-{name} has {found:?}, not one of {versions:?}");
        }
        assert!(store.names().unwrap().iter().all(|name| name.starts_with("step-")), "seed {seed}: parts were removed");
    }
    assert!(crashes > 700, "only {crashes} programs were cut short");
}

#[test]
fn full_disk_is_an_error_that_says_so_and_leaves_the_old_checkpoint() {
    for room in (0..4000).step_by(7) {
        let disk = FragileDisk::new(Tree { fuse: usize::MAX, room: usize::MAX, ..Tree::default() });
        let store = store(&disk);
        write(&store, 0, 1).unwrap();
        lock(&disk.0).room = room;
        match write(&store, 0, 8) {
            Ok(()) => {
                assert_eq!(version(&store, 0), Some(8));
                assert!(room > 3500, "{room}");
                return;
            }
            Err(error) => {
                assert_eq!(error.status(), Status::Io);
                assert!(error.message().contains("the disk is full") && error.message().contains("step-0"), "{error}");
                assert_eq!(version(&store, 0), Some(1));
            }
        }
        assert_eq!(store.names().unwrap(), ["step-0"], "nothing is left of what did not fit");
    }
    panic!("4000 bytes are enough");
}
