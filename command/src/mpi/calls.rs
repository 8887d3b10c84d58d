//! Calls of MPI by what becomes of their derivative. Which have a counterpart in `libadtape_mpi`, its header says.

use std::collections::BTreeMap;

const HEADER: &str = include_str!("../../../mpi/include/adtape_mpi.h");

/// Calls without a counterpart that move values, or decide which are moved, and what to do in their place.
const WITHOUT: [(&str, &[&str]); 7] = [
    (
        "one-sided calls have none: send the values, or keep what has an adjoint out of windows",
        &[
            "Accumulate",
            "Compare_and_swap",
            "Fetch_and_op",
            "Get",
            "Get_accumulate",
            "Put",
            "Raccumulate",
            "Rget",
            "Rget_accumulate",
            "Rput",
        ],
    ),
    ("adtape_MPI_Send does it, in another mode", &["Rsend"]),
    ("adtape_MPI_Isend does it, in another mode", &["Ibsend", "Irsend", "Issend", "Isendrecv", "Isendrecv_replace"]),
    (
        "adtape_MPI_Send_init and adtape_MPI_Recv_init do it, in another mode or for the whole message",
        &["Parrived", "Pready", "Pready_list", "Pready_range", "Precv_init", "Psend_init", "Rsend_init"],
    ),
    (
        "convert calls with one datatype, or nonblocking ones between two ranks",
        &[
            "Alltoallw",
            "Ialltoallw",
            "Iexscan",
            "Ineighbor_allgather",
            "Ineighbor_allgatherv",
            "Ineighbor_alltoall",
            "Ineighbor_alltoallv",
            "Ineighbor_alltoallw",
            "Neighbor_alltoallw",
        ],
    ),
    (
        "persistent collective calls have none: convert the nonblocking one",
        &[
            "Allgather_init",
            "Allgatherv_init",
            "Allreduce_init",
            "Alltoall_init",
            "Alltoallv_init",
            "Alltoallw_init",
            "Barrier_init",
            "Bcast_init",
            "Exscan_init",
            "Gather_init",
            "Gatherv_init",
            "Neighbor_allgather_init",
            "Neighbor_allgatherv_init",
            "Neighbor_alltoall_init",
            "Neighbor_alltoallv_init",
            "Neighbor_alltoallw_init",
            "Reduce_init",
            "Reduce_scatter_block_init",
            "Reduce_scatter_init",
            "Scan_init",
            "Scatter_init",
            "Scatterv_init",
        ],
    ),
    (
        "send a datatype of the values in place of what is packed, reduce in a loop, and cancel nothing",
        &["Cancel", "Pack", "Pack_external", "Reduce_local", "Unpack", "Unpack_external"],
    ),
];

/// Calls with a counterpart that move no values: a program may call MPI's own. A communicator that is not known is an
/// error of the first converted call that takes it.
const HARMLESS: [&str; 14] = [
    "Barrier",
    "Cart_create",
    "Cart_sub",
    "Comm_create",
    "Comm_create_group",
    "Comm_dup",
    "Comm_split",
    "Comm_split_type",
    "Finalize",
    "Ibarrier",
    "Init",
    "Init_thread",
    "Iprobe",
    "Probe",
];

/// What is the matter with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It is one of `libadtape_mpi`.
    Converted,
    /// It has a counterpart.
    Unconverted,
    /// It has none; what to do.
    Without(&'static str),
}

/// What is known of calls, by their names in small letters, without a prefix.
pub struct Calls {
    known: BTreeMap<String, (&'static str, Option<&'static str>)>,
}

impl Calls {
    pub fn new() -> Calls {
        let mut known = BTreeMap::new();
        for (help, names) in WITHOUT {
            known.extend(names.iter().map(|name| (name.to_lowercase(), (*name, Some(help)))));
        }
        for name in converted() {
            if !HARMLESS.contains(&name) {
                known.insert(name.to_lowercase(), (name, None));
            }
        }
        Calls { known }
    }

    /// A call by its name in a source or a symbol, and as MPI writes it; None of what moves no values. Fortran does not
    /// tell large letters from small ones.
    pub fn named(&self, name: &str, fortran: bool) -> Option<(&'static str, Kind)> {
        let small = name.to_lowercase();
        let (rest, converted) = match small.strip_prefix("adtape_mpi_") {
            Some(rest) => (rest, true),
            None => (small.strip_prefix("mpi_").or_else(|| small.strip_prefix("pmpi_"))?, false),
        };
        let (written, help) = *self.known.get(rest)?;
        if !fortran && !name.ends_with(written) {
            return None;
        }
        match help {
            _ if converted => help.is_none().then_some((written, Kind::Converted)),
            Some(help) => Some((written, Kind::Without(help))),
            None => Some((written, Kind::Unconverted)),
        }
    }
}

/// Forward calls of the header, without their prefix.
pub fn converted() -> impl Iterator<Item = &'static str> {
    let names = HEADER.split("adtape_MPI_").skip(1).filter_map(|rest| rest.split_once('(').map(|(name, _)| name));
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names.filter(is_name).filter(|name| !name.ends_with("_b") && !name.ends_with("_b_at"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_tables_tell_calls_apart() {
        let calls = Calls::new();
        let kind = |name: &str| calls.named(name, false).map(|(_, kind)| kind);
        assert_eq!(kind("MPI_Send"), Some(Kind::Unconverted));
        assert_eq!(kind("PMPI_Send"), Some(Kind::Unconverted));
        assert_eq!(kind("adtape_MPI_Send"), Some(Kind::Converted));
        assert!(matches!(kind("MPI_Get"), Some(Kind::Without(_))));
        for name in ["MPI_Comm_rank", "MPI_Barrier", "MPI_SUM", "MPI_SEND", "adtape_MPI_Send_b", "MPI_Get_count"] {
            assert_eq!(kind(name), None, "{name}");
        }
        assert_eq!(calls.named("mpi_wAITALL", true), Some(("Waitall", Kind::Unconverted)));
    }

    #[test]
    fn no_call_is_in_two_tables() {
        let converted: Vec<&str> = converted().collect();
        assert!(converted.len() > 70 && HARMLESS.iter().all(|name| converted.contains(name)), "{converted:?}");
        let without: Vec<&str> = WITHOUT.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert!(without.iter().all(|name| !converted.contains(name)));
    }
}
