//! Parts of a list that can change places.
//!
//! A segment begins at a label. Where it stands means nothing to the program, as long as control that falls into the next
//! one goes there. So a jump back to it becomes a jump forward if it stands behind the jump:
//!
//! ```text
//!         if (a) goto far;              if (a) goto far;
//!   near: one; return;                  goto near;
//!   far:  two; goto near;       ──►     far:  two; goto near;
//!                                 near: one; return;
//! ```

use super::pieces::{Part, Piece};

/// The pieces with as few jumps back as the order of their segments allows; in their own order where that changes nothing.
pub fn in_order<P: Part>(pieces: Vec<Piece<P>>) -> Vec<Piece<P>> {
    let segments = segments(&pieces);
    let count = segments.len();
    let leads = |from: usize, to: usize| {
        let labels: Vec<u64> = segments[to].iter().flat_map(Piece::labels).collect();
        let follows = to == from + 1 && segments[from].last().is_some_and(Piece::falls);
        follows
            || from != to && labels.into_iter().any(|label| segments[from].iter().any(|piece| piece.jumps_to(label)))
    };
    let edges: Vec<Vec<usize>> = (0..count).map(|from| (0..count).filter(|to| leads(from, *to)).collect()).collect();
    let jumps_back = edges.iter().enumerate().any(|(from, to)| to.iter().any(|to| *to < from));
    let declares = segments.iter().skip(1).any(|segment| segment.iter().any(is_declaration));
    if !jumps_back || declares {
        return pieces;
    }
    let reached: Vec<Vec<bool>> = (0..count).map(|from| reach(&edges, from)).collect();
    let mut order: Vec<usize> = Vec::new();
    while order.len() < count {
        // What nothing leads to that is not placed yet, but for what it leads to itself.
        let ready = |at: &usize| {
            !order.contains(at)
                && (0..count).all(|from| order.contains(&from) || !reached[from][*at] || reached[*at][from])
        };
        // Segments that lead to each other stay together.
        let together = order.last().and_then(|last: &usize| {
            (0..count).find(|at| reached[*last][*at] && reached[*at][*last] && !order.contains(at))
        });
        match together.or_else(|| (0..count).find(ready)) {
            Some(next) => order.push(next),
            None => return pieces,
        }
    }
    // The first is where control comes in; the last may fall out of the list.
    let ends = segments[count - 1].last().is_some_and(Piece::falls);
    if order[0] != 0 || (ends && order[count - 1] != count - 1) {
        return pieces;
    }
    let mut ordered = Vec::new();
    for (place, at) in order.iter().enumerate() {
        ordered.extend(segments[*at].iter().cloned());
        let is_next = order.get(place + 1) == Some(&(at + 1));
        if let (Some(Piece::Label(label)), false) = (behind(&segments, *at), is_next) {
            ordered.push(Piece::Goto(*label));
        }
    }
    ordered
}

/// What control falls into behind a segment.
fn behind<'p, P: Part>(segments: &[&'p [Piece<P>]], at: usize) -> Option<&'p Piece<P>> {
    segments[at].last().filter(|last| last.falls()).and_then(|_| segments.get(at + 1)?.first())
}

fn segments<P>(pieces: &[Piece<P>]) -> Vec<&[Piece<P>]> {
    let begins = |at: &usize| *at == 0 || matches!(pieces[*at], Piece::Label(_));
    let starts: Vec<usize> = (0..pieces.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([pieces.len()]);
    starts.iter().zip(ends).map(|(start, end)| &pieces[*start..end]).collect()
}

/// What can be reached from a segment.
fn reach(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut todo = edges[from].clone();
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            todo.extend(&edges[at]);
        }
    }
    reached
}

fn is_declaration<P: Part>(piece: &Piece<P>) -> bool {
    matches!(piece, Piece::Statement(part) if part.is_declaration())
}
