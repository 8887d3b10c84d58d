//! Work on several processors.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::stack;

/// More threads than this wait for each other.
const THREADS: usize = 8;

/// Address space for the stack of a thread: chains of definitions are followed by recursion. Pages that nobody touches
/// cost nothing.
const STACK_BYTES: usize = 4 << 30;

/// The part of what the process may have that goes to the stack of a thread.
const PARTS: usize = 64;

/// Items of procedures that are worth starting threads for.
const ITEMS: usize = 400;

/// How many threads are worth while.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(THREADS)
}

/// How many threads are worth while for procedures that have so many items each.
pub fn threads_for(items: impl ExactSizeIterator<Item = usize>) -> usize {
    if items.len() < 2 || items.sum::<usize>() < ITEMS { 1 } else { threads() }
}

/// The results of `work` for all inputs, in their order, on so many threads.
pub fn map<T: Sync, R: Send>(all: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    each(all, &mut vec![(); threads], |(), input| work(input))
}

/// The results of `work` for all inputs, in their order. Each thread has a tool of its own; the first is that of the
/// calling thread, which does the work of a thread that cannot be had.
pub fn each<T: Sync, W: Send, R: Send>(all: &[T], tools: &mut [W], work: impl Fn(&mut W, &T) -> R + Sync) -> Vec<R> {
    let (next, work) = (AtomicUsize::new(0), &work);
    let run = |tool: &mut W| {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = all.get(at) else { return done };
            done.push((at, work(tool, input)));
        }
    };
    let stack_bytes = stack::bytes(STACK_BYTES, PARTS);
    let mut done = thread::scope(|scope| {
        let (own, others) = tools.split_first_mut().expect("a tool for the calling thread");
        let more = others.iter_mut().take(all.len().saturating_sub(1));
        let started: Vec<_> = more
            .filter_map(|tool| {
                let thread = thread::Builder::new().stack_size(stack_bytes);
                thread.spawn_scoped(scope, || run(tool)).ok()
            })
            .collect();
        let mut done = run(own);
        for thread in started {
            done.extend(thread.join().unwrap_or_else(|fault| resume_unwind(fault)));
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_their_inputs_whoever_computed_them() {
        let inputs: Vec<u32> = (0..1000).collect();
        let mut counts = [0_u32; 4];
        let squares = each(&inputs, &mut counts, |count, input| {
            *count += 1;
            input * input
        });
        assert_eq!(squares, inputs.iter().map(|x| x * x).collect::<Vec<_>>());
        assert_eq!(counts.iter().sum::<u32>(), 1000);
    }

    #[test]
    fn one_tool_needs_no_thread() {
        let here = thread::current().id();
        assert!(each(&[1, 2, 3], &mut [()], |(), _| thread::current().id()).iter().all(|id| *id == here));
    }
}
