//! What to store so that everything asked for can be computed again: a minimum cut between what cannot be computed and
//! what the adjoint reads.
//!
//! ```text
//!   source ──► heads, results, what is dear ──► values in between ──► what is asked for ──► sink
//! ```
//!
//! A value can be computed again if each of its operands is stored or can be computed again. So a set of stored values
//! is enough if and only if every path from the source to the sink meets one of them. The least such set is found in
//! polynomial time, where greedy choice may miss it (Naumann, Utke, Lyons, Fagan: Control Flow Reversal, equation 3).

use petgraph::Direction;
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// A value that may be stored.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// What storing it costs.
    pub weight: u64,
    /// What it is computed from, by position; what needs no store is left out.
    pub operands: Vec<usize>,
    /// Whether it can only be had by storing it.
    pub stored_only: bool,
    /// Whether it is asked for.
    pub asked: bool,
}

/// The candidates to store: the least weight, and as near to what is asked for as that allows, so that the least is
/// computed again.
pub fn least(candidates: &[Candidate]) -> Vec<usize> {
    let unlimited: u64 = candidates.iter().map(|candidate| candidate.weight).sum::<u64>() + 1;
    let mut graph = DiGraph::<(), u64>::new();
    let (source, sink) = (graph.add_node(()), graph.add_node(()));
    // Each value is an edge from where its operands arrive to where its users leave.
    let ends: Vec<(NodeIndex, NodeIndex)> =
        candidates.iter().map(|_| (graph.add_node(()), graph.add_node(()))).collect();
    for (candidate, (arrive, leave)) in candidates.iter().zip(&ends) {
        graph.add_edge(*arrive, *leave, candidate.weight);
        for operand in &candidate.operands {
            graph.add_edge(ends[*operand].1, *arrive, unlimited);
        }
        if candidate.stored_only {
            graph.add_edge(source, *arrive, unlimited);
        }
        if candidate.asked {
            graph.add_edge(*leave, sink, unlimited);
        }
    }
    let (_, flows) = dinics(&graph, source, sink);
    // From where the sink could still get more: the values that lead there from outside are full.
    let mut open = vec![false; graph.node_count()];
    let mut front = vec![sink];
    open[sink.index()] = true;
    while let Some(at) = front.pop() {
        let into = graph.edges_directed(at, Direction::Incoming);
        let into = into.filter(|edge| flows[edge.id().index()] < *edge.weight()).map(|edge| edge.source());
        let back = graph.edges_directed(at, Direction::Outgoing);
        let back = back.filter(|edge| flows[edge.id().index()] > 0).map(|edge| edge.target());
        for next in into.chain(back) {
            if !std::mem::replace(&mut open[next.index()], true) {
                front.push(next);
            }
        }
    }
    let full = |(arrive, leave): &(NodeIndex, NodeIndex)| !open[arrive.index()] && open[leave.index()];
    (0..candidates.len()).filter(|at| full(&ends[*at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(operands: &[usize], stored_only: bool, asked: bool) -> Candidate {
        Candidate { weight: 8, operands: operands.to_vec(), stored_only, asked }
    }

    #[test]
    fn equation_3_stores_v1_and_v2() {
        // v3 = v1 * v2; v4 = v1 * v3; the cosine of v4 and (v3 * v2) * v4 are differentiated.
        let values =
            [value(&[], true, true), value(&[], true, true), value(&[0, 1], false, true), value(&[0, 2], false, true)];
        assert_eq!(least(&values), [0, 1]);
    }

    #[test]
    fn one_value_in_the_middle_serves_two() {
        // z = x * y, sine and cosine of z: z alone.
        let values = [
            value(&[], true, false),
            value(&[], true, false),
            value(&[0, 1], false, false),
            value(&[2], false, true),
            value(&[2], false, true),
        ];
        assert_eq!(least(&values), [2]);
    }

    #[test]
    fn of_equal_cuts_the_one_near_the_use_is_taken() {
        let chain = [value(&[], true, false), value(&[0], false, false), value(&[1], false, true)];
        assert_eq!(least(&chain), [2]);
    }

    /// Whether everything that is asked for can be had from the stored values.
    fn enough(values: &[Candidate], stored: u32) -> bool {
        let mut had = vec![false; values.len()];
        for (at, value) in values.iter().enumerate() {
            had[at] = stored >> at & 1 == 1 || !value.stored_only && value.operands.iter().all(|o| had[*o]);
        }
        values.iter().zip(&had).all(|(value, had)| *had || !value.asked)
    }

    #[test]
    fn random_graphs_store_as_little_as_every_subset_tried() {
        let mut state = 88172645463325252u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for _ in 0..300 {
            let size = 2 + random(8) as usize;
            let mut values: Vec<Candidate> = Vec::new();
            for at in 0..size {
                let operands: Vec<usize> = (0..at).filter(|_| random(3) == 0).collect();
                let (dear, asked) = (random(5) == 0, random(3) == 0);
                let stored_only = operands.is_empty() || dear;
                values.push(Candidate { weight: 1 + random(4), operands, stored_only, asked });
            }
            let weight = |stored: u32| -> u64 {
                values.iter().enumerate().filter(|(at, _)| stored >> at & 1 == 1).map(|(_, v)| v.weight).sum()
            };
            let found = least(&values).into_iter().fold(0, |stored, at| stored | 1 << at);
            assert!(enough(&values, found), "{values:?}: {found:b} is not enough");
            let best = (0..1 << size).filter(|stored| enough(&values, *stored)).map(weight).min();
            assert_eq!(Some(weight(found)), best, "{values:?}: {found:b}");
        }
    }
}
