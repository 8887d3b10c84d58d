//! Blocks on their way, whichever thread is at work when: models for loom.

#![forbid(unsafe_code)]

use super::desk::Desk;
use super::medium::Medium;
use super::memory::Room;
use super::space::Space;
use crate::sync::Lock;
use std::io;

/// A file of a few bytes, the first write to which fails if it is to.
struct Bytes(Lock<([u8; 64], bool)>);

impl Medium for Bytes {
    fn allocate(&self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut there = self.0.lock();
        if std::mem::take(&mut there.1) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        there.0[(offset / 4096) as usize] = bytes[0];
        Ok(bytes.len())
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        bytes[0] = self.0.lock().0[(offset / 4096) as usize];
        Ok(bytes.len())
    }

    fn cut(&self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// A byte of a tape, which is there or not.
struct Byte([u8; 1], bool);

impl Room for Byte {
    fn bytes(&self) -> &[u8] {
        assert!(self.1);
        &self.0
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.1);
        &mut self.0
    }

    fn empty(&mut self) {
        *self = Byte([0], false);
    }

    fn fill(&mut self) -> bool {
        self.1 = true;
        true
    }

    fn leave(self: Box<Self>) {
        assert!(self.1);
    }
}

/// A model whose threads take turns at two places at most.
fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut bounds = loom::model::Builder::new();
    bounds.preemption_bound = Some(2);
    bounds.check(model);
}

/// A desk with memory for one block of a byte, and its thread.
fn staffed(fails: bool) -> (loom::sync::Arc<Desk<Bytes>>, loom::thread::JoinHandle<()>) {
    let space = Space::new(Bytes(Lock::new(([0; 64], fails))), u64::MAX);
    let desk = loom::sync::Arc::new(Desk::new(space, 1, 1));
    desk.set_staffed(true);
    let at_work = desk.clone();
    (desk, loom::thread::spawn(move || at_work.run()))
}

/// Two blocks that a tape leaves come back in their memory, the upper one in another version.
fn memory_left_and_given_back(fails: bool) {
    check(move || {
        let (desk, thread) = staffed(fails);
        let part = desk.add_part();
        let leave = |value: u8| {
            let mut byte: Box<dyn Room> = Box::new(Byte([value], true));
            while let Err((_, again)) = desk.take(part, byte) {
                byte = again;
                desk.try_again();
            }
        };
        leave(1);
        let _ = desk.wait_until_gone(0, 1);
        desk.try_again();
        leave(2);
        desk.cut(part, 1);
        leave(3);
        for (end, value) in [(2, 3), (1, 1)] {
            assert_eq!(desk.end(part), end);
            let room = desk.give_back(part).ok().flatten().expect("there is memory");
            assert_eq!(room.bytes(), [value]);
            room.leave();
        }
        desk.remove_part(part);
        desk.close();
        thread.join().unwrap();
    });
}

#[test]
fn memory_that_was_left_comes_back_whenever_the_thread_is_at_work() {
    memory_left_and_given_back(false);
}

#[test]
fn memory_that_could_not_be_written_comes_back() {
    memory_left_and_given_back(true);
}

/// Two blocks of a byte go over one buffer and come back, the upper one in another version, whenever the thread takes
/// what; and it ends.
fn sweep_up_and_down(fails: bool) {
    check(move || {
        let (desk, thread) = staffed(fails);
        let part = desk.add_part();
        let put = |value: u8| {
            while desk.put(part, &[value]).is_err() {
                desk.try_again();
            }
        };
        put(1);
        put(2);
        desk.cut(part, 1);
        put(3);
        for (offset, value) in [(1, 3), (0, 1)] {
            let mut found = [0];
            let got = desk.get(part, offset, &mut found, &mut Vec::new());
            assert!(got.is_ok() && found == [value]);
            desk.cut(part, offset);
        }
        desk.remove_part(part);
        desk.close();
        thread.join().unwrap();
    });
}

#[test]
fn blocks_come_back_whenever_the_thread_is_at_work() {
    sweep_up_and_down(false);
}

#[test]
fn block_that_could_not_be_written_comes_back() {
    sweep_up_and_down(true);
}
