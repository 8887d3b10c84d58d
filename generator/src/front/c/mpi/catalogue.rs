//! What calls of MPI do to buffers, requests and statuses, by the names of their parameters.

/// A call that moves values, or waits for such a call.
pub struct Call {
    /// Its name behind `MPI_`.
    pub name: &'static str,
    /// Its parameters as C declares them, but for buffers: these are names alone.
    pub params: &'static str,
    /// Its buffers.
    pub buffers: &'static [Buffer],
    /// What it has to do with requests.
    pub requests: Requests,
}

/// What a call has to do with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// Nothing: it is done when it returns.
    No,
    /// It begins a message: its last parameter is the request.
    Begins,
    /// It waits for the request that its first parameter points to.
    One,
    /// It waits for as many requests as its first parameter says, of the array that comes second.
    Many,
}

/// A buffer of a call.
pub struct Buffer {
    /// The parameter.
    pub name: &'static str,
    /// What happens to it.
    pub way: Way,
    /// How many elements it has.
    pub extent: Extent,
    /// The parameter that is its datatype.
    pub datatype: &'static str,
    /// Whether it counts on the root alone.
    pub at_root: bool,
}

/// What happens to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is read.
    Sent,
    /// All of it is overwritten, and not read before.
    Filled,
    /// It may be overwritten: a message may be shorter, or come from no rank.
    Received,
    /// It is read, and may be overwritten.
    Both,
}

/// How many elements a buffer has, in terms of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many.
    Count(&'static str),
    /// So many for each rank.
    EachRank(&'static str),
    /// For each rank a count and a place: two arrays.
    Blocks(&'static str, &'static str),
}

const fn buffer(name: &'static str, way: Way, extent: Extent, datatype: &'static str) -> Buffer {
    Buffer { name, way, extent, datatype, at_root: false }
}

const fn at_root(buffer: Buffer) -> Buffer {
    Buffer { at_root: true, ..buffer }
}

const fn call(name: &'static str, params: &'static str, buffers: &'static [Buffer]) -> Call {
    Call { name, params, buffers, requests: Requests::No }
}

const fn with_requests(name: &'static str, params: &'static str, requests: Requests) -> Call {
    Call { name, params, buffers: &[], requests }
}

use Extent::{Blocks, Count, EachRank};
use Way::{Both, Filled, Received, Sent};

const ONE: Extent = Count("count");
const BUF_SENT: &[Buffer] = &[buffer("buf", Sent, ONE, "type")];
const BUF_RECEIVED: &[Buffer] = &[buffer("buf", Received, ONE, "type")];
const BUF_BOTH: &[Buffer] = &[buffer("buf", Both, ONE, "type")];
const SENT: Buffer = buffer("sendbuf", Sent, Count("sendcount"), "sendtype");
const REDUCED: &[Buffer] = &[buffer("sendbuf", Sent, ONE, "type"), buffer("recvbuf", Filled, ONE, "type")];

const TO: &str = "buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm";
const BEGUN: &str = "buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request";

/// All of them.
pub const CALLS: &[Call] = &[
    call("Send", TO, BUF_SENT),
    call("Ssend", TO, BUF_SENT),
    call("Bsend", TO, BUF_SENT),
    call(
        "Recv",
        "buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status",
        BUF_RECEIVED,
    ),
    call(
        "Sendrecv",
        "sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, recvbuf, int recvcount, \
         MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status",
        &[SENT, buffer("recvbuf", Received, Count("recvcount"), "recvtype")],
    ),
    call(
        "Sendrecv_replace",
        "buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, \
         MPI_Status *status",
        BUF_BOTH,
    ),
    call("Bcast", "buf, int count, MPI_Datatype type, int root, MPI_Comm comm", BUF_BOTH),
    call(
        "Reduce",
        "sendbuf, recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm",
        &[buffer("sendbuf", Sent, ONE, "type"), at_root(buffer("recvbuf", Filled, ONE, "type"))],
    ),
    call("Allreduce", "sendbuf, recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm", REDUCED),
    call("Scan", "sendbuf, recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm", REDUCED),
    call(
        "Exscan",
        "sendbuf, recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm",
        &[buffer("sendbuf", Sent, ONE, "type"), buffer("recvbuf", Received, ONE, "type")],
    ),
    call(
        "Reduce_scatter_block",
        "sendbuf, recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm",
        &[buffer("sendbuf", Sent, EachRank("count"), "type"), buffer("recvbuf", Filled, ONE, "type")],
    ),
    call(
        "Gather",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, int recvcount, MPI_Datatype recvtype, int root, \
         MPI_Comm comm",
        &[SENT, at_root(buffer("recvbuf", Filled, EachRank("recvcount"), "recvtype"))],
    ),
    call(
        "Gatherv",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, const int *recvcounts, const int *displs, \
         MPI_Datatype recvtype, int root, MPI_Comm comm",
        &[SENT, at_root(buffer("recvbuf", Received, Blocks("recvcounts", "displs"), "recvtype"))],
    ),
    call(
        "Scatter",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, int recvcount, MPI_Datatype recvtype, int root, \
         MPI_Comm comm",
        &[
            at_root(buffer("sendbuf", Sent, EachRank("sendcount"), "sendtype")),
            buffer("recvbuf", Received, Count("recvcount"), "recvtype"),
        ],
    ),
    call(
        "Scatterv",
        "sendbuf, const int *sendcounts, const int *displs, MPI_Datatype sendtype, recvbuf, int recvcount, \
         MPI_Datatype recvtype, int root, MPI_Comm comm",
        &[
            at_root(buffer("sendbuf", Sent, Blocks("sendcounts", "displs"), "sendtype")),
            buffer("recvbuf", Received, Count("recvcount"), "recvtype"),
        ],
    ),
    call(
        "Allgather",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm",
        &[SENT, buffer("recvbuf", Filled, EachRank("recvcount"), "recvtype")],
    ),
    call(
        "Allgatherv",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, const int *recvcounts, const int *displs, \
         MPI_Datatype recvtype, MPI_Comm comm",
        &[SENT, buffer("recvbuf", Received, Blocks("recvcounts", "displs"), "recvtype")],
    ),
    call(
        "Alltoall",
        "sendbuf, int sendcount, MPI_Datatype sendtype, recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm",
        &[
            buffer("sendbuf", Sent, EachRank("sendcount"), "sendtype"),
            buffer("recvbuf", Filled, EachRank("recvcount"), "recvtype"),
        ],
    ),
    call(
        "Alltoallv",
        "sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype, recvbuf, const int *recvcounts, \
         const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm",
        &[
            buffer("sendbuf", Sent, Blocks("sendcounts", "sdispls"), "sendtype"),
            buffer("recvbuf", Received, Blocks("recvcounts", "rdispls"), "recvtype"),
        ],
    ),
    Call { name: "Isend", params: BEGUN, buffers: BUF_SENT, requests: Requests::Begins },
    Call { name: "Irecv", params: BEGUN, buffers: BUF_RECEIVED, requests: Requests::Begins },
    with_requests("Wait", "MPI_Request *request, MPI_Status *status", Requests::One),
    with_requests("Waitall", "int count, MPI_Request *requests, MPI_Status *statuses", Requests::Many),
    with_requests("Waitany", "int count, MPI_Request *requests, int *index, MPI_Status *status", Requests::Many),
    with_requests(
        "Waitsome",
        "int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses",
        Requests::Many,
    ),
    with_requests("Test", "MPI_Request *request, int *flag, MPI_Status *status", Requests::One),
    with_requests("Testall", "int count, MPI_Request *requests, int *flag, MPI_Status *statuses", Requests::Many),
    with_requests(
        "Testany",
        "int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status",
        Requests::Many,
    ),
    with_requests(
        "Testsome",
        "int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses",
        Requests::Many,
    ),
];

/// The call of this name.
pub fn find(name: &str) -> Option<&'static Call> {
    let name = name.strip_prefix("MPI_")?;
    CALLS.iter().find(|call| call.name == name)
}

impl Call {
    /// Its parameters: as C declares them, and their names.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let named = |text: &'static str| text.rsplit([' ', '*']).next().unwrap_or(text);
        self.params.split(',').map(str::trim).map(move |text| (text, named(text)))
    }

    /// Whether generated code calls a function of the header, which keeps on the tape which requests were completed.
    pub fn notes_completed(&self) -> bool {
        matches!(self.name, "Waitany" | "Waitsome" | "Testany" | "Testsome")
    }

    /// The position of a parameter.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.parameters().position(|(_, other)| other == name)
    }

    /// The buffer of this name.
    pub fn buffer(&self, name: &str) -> Option<&'static Buffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// Whether its datatypes may be the program's own: those of messages between two ranks, and of Bcast.
    pub fn may_be_laid(&self) -> bool {
        let one = |buffer: &Buffer| matches!(buffer.extent, Count(_));
        !self.buffers.is_empty() && self.buffers.iter().all(one) && self.position("op").is_none() && !self.has_root()
    }

    /// Whether buffers depend on which rank is the root.
    pub fn has_root(&self) -> bool {
        self.buffers.iter().any(|buffer| buffer.at_root)
    }

    /// Whether buffers depend on how many ranks there are.
    pub fn counts_ranks(&self) -> bool {
        self.buffers.iter().any(|buffer| !matches!(buffer.extent, Count(_)))
    }
}

/// The element of a predefined datatype, as bodies declare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// `double`, `float`
    Real(&'static str),
    /// An integer of this width.
    Integer(&'static str),
}

impl Element {
    /// All that bodies have.
    pub const ALL: [Element; 6] = [
        Element::Real("double"),
        Element::Real("float"),
        Element::Integer("char"),
        Element::Integer("short"),
        Element::Integer("int"),
        Element::Integer("long"),
    ];

    /// Its type in C.
    pub fn text(self) -> &'static str {
        match self {
            Element::Real(text) | Element::Integer(text) => text,
        }
    }
}

/// The elements of a predefined datatype; `None` for what has none that the generator knows.
pub fn element(datatype: &str) -> Option<Element> {
    Some(match datatype.strip_prefix("MPI_")? {
        "DOUBLE" | "DOUBLE_PRECISION" | "REAL8" => Element::Real("double"),
        "FLOAT" | "REAL" | "REAL4" => Element::Real("float"),
        "CHAR" | "SIGNED_CHAR" | "UNSIGNED_CHAR" | "INT8_T" | "UINT8_T" => Element::Integer("char"),
        "SHORT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" => Element::Integer("short"),
        "INT" | "UNSIGNED" | "INT32_T" | "UINT32_T" | "INTEGER" => Element::Integer("int"),
        "LONG" | "UNSIGNED_LONG" | "LONG_LONG" | "LONG_LONG_INT" | "UNSIGNED_LONG_LONG" | "INT64_T" | "UINT64_T"
        | "AINT" | "OFFSET" | "COUNT" => Element::Integer("long"),
        _ => return None,
    })
}

/// Whether the adjoint of a reduction of reals by this operation is known.
pub fn reduces(operation: &str) -> bool {
    matches!(operation, "MPI_SUM" | "MPI_PROD" | "MPI_MAX" | "MPI_MIN")
}

#[cfg(test)]
mod tests {
    use super::CALLS;

    #[test]
    fn buffers_name_parameters() {
        for call in CALLS {
            for buffer in call.buffers {
                let extent = match buffer.extent {
                    super::Count(count) | super::EachRank(count) => vec![count],
                    super::Blocks(counts, places) => vec![counts, places],
                };
                for name in extent.into_iter().chain([buffer.name, buffer.datatype]) {
                    assert!(call.position(name).is_some(), "{}: {name}", call.name);
                }
            }
            assert!(!call.has_root() || call.position("root").is_some(), "{}", call.name);
        }
    }
}
