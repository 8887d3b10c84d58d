//! The bodies that calls of MPI have for the analyses.
//!
//! ```text
//!   MPI_Recv(buf, count, …)      double r = 0, u = adtape_unknown();
//!                                for (k = 0; k < count; k++) r += buf[k];
//!                                wire = wire + u;
//!                                for (k = 0; k < count; k++) buf[k] = r + wire + u;
//!                                adtape_given();
//! ```
//!
//! The **wire** is one number on which all messages of floating-point numbers travel. What is sent varies it, what is
//! received is varied by it. It changes with every call, so either all calls have a reverse or none has: the ranks that
//! a call meets reverse the same.

use super::catalogue::{Buffer, Call, Element, Extent, Requests, Way};
use crate::front::c::rules::{GIVEN, PREFIX, UNKNOWN};
use std::fmt::Write;

/// The wire.
pub const WIRE: &str = "adtape_rule_wire";
/// A request that only the program knows when it runs.
pub const UNKNOWN_REQUEST: &str = "adtape_unknown_request";
/// Parameters of bodies behind those of the call: whether this rank is the root, how many ranks there are, where the
/// buffers of requests are.
const HERE: &str = "here_";
const RANKS: &str = "ranks_";
const AT: &str = "at_";

/// A call as a program makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What its buffers hold.
    pub element: Element,
    /// Whether the first argument for a buffer that may be left out is `MPI_IN_PLACE`.
    pub in_place: bool,
    /// Whether it leaves a status.
    pub status: bool,
    /// Whether its datatypes are the program's own: which elements they have is not known.
    pub laid: bool,
}

impl Variant {
    /// Those that a call may have.
    pub fn all(call: &Call) -> impl Iterator<Item = Variant> {
        let places = if in_place(call).is_some() { &[false, true][..] } else { &[false] };
        let has_status = call.parameters().any(|(text, _)| text.starts_with("MPI_Status"));
        let statuses = if has_status { &[false, true][..] } else { &[false] };
        let elements = if call.buffers.is_empty() { &Element::ALL[..2] } else { &Element::ALL[..] };
        let own = elements.iter().flat_map(move |&element| {
            places.iter().flat_map(move |&in_place| {
                statuses.iter().map(move |&status| Variant { element, in_place, status, laid: false })
            })
        });
        let reals = if call.may_be_laid() { &Element::ALL[..2] } else { &[] };
        let laid = reals.iter().flat_map(move |&element| {
            statuses.iter().map(move |&status| Variant { element, in_place: false, status, laid: true })
        });
        own.chain(laid)
    }

    /// What keeps the elements that a call overwrites, and brings them back: sweeps do not know which these are.
    pub fn keeps(self, call: &Call) -> Option<(String, String, usize)> {
        let overwritten = call.buffers.iter().find(|buffer| buffer.way != Way::Sent).filter(|_| self.laid)?;
        let name = format!("adtape_rule_MPI_{}_kept", call.name);
        Some((name.clone(), format!("{name}_b_at"), call.position(overwritten.name)?))
    }

    /// The name of its body.
    pub fn body(self, call: &Call) -> String {
        let in_place = if self.in_place { "_in_place" } else { "" };
        let status = if self.status { "_status" } else { "" };
        let laid = if self.laid { "_laid" } else { "" };
        format!("{PREFIX}MPI_{}__{}{in_place}{status}{laid}", call.name, self.element.text())
    }

    /// Whether its reverse is a call.
    pub fn travels(self, call: &Call) -> bool {
        matches!(self.element, Element::Real(_)) || call.requests != Requests::No
    }
}

/// The buffer that `MPI_IN_PLACE` may stand for.
pub fn in_place(call: &Call) -> Option<&'static Buffer> {
    match call.name {
        "Scatter" | "Scatterv" => call.buffer("recvbuf"),
        "Sendrecv" => None,
        _ => call.buffer("recvbuf").and(call.buffer("sendbuf")),
    }
}

/// What all bodies name.
pub fn beginning() -> String {
    format!("extern double {WIRE};\nMPI_Request {UNKNOWN_REQUEST}(void);\n")
}

/// The text of a body.
pub fn text(call: &Call, variant: Variant) -> String {
    let mut out = format!("int {}({}) {{\n", variant.body(call), declared(call, variant));
    let body = Body { call, variant };
    let _ = writeln!(out, "double s_ = 0, r_ = 0, u_ = {UNKNOWN}();");
    if variant.laid {
        let _ = writeln!(out, "int i_ = (int)u_;");
    }
    for (buffer, way) in body.buffers() {
        match way {
            Way::Sent | Way::Both => body.each(buffer, &mut out, &|element| format!("s_ += {element};")),
            Way::Received => body.each(buffer, &mut out, &|element| format!("r_ += {element};")),
            Way::Filled => {}
        }
    }
    match call.requests {
        Requests::No | Requests::Begins => {}
        Requests::One => out += &format!("s_ += {AT}[0];\n"),
        Requests::Many => {
            let _ = writeln!(out, "for (int k_ = 0; k_ < count; k_++) s_ += {AT}[k_][0];");
        }
    }
    let from = if variant.travels(call) {
        let _ = writeln!(out, "{WIRE} = {WIRE} + s_ + u_;");
        WIRE
    } else {
        "u_"
    };
    for (buffer, way) in body.buffers() {
        let what = match way {
            Way::Sent => continue,
            Way::Filled => format!("{from} + u_"),
            Way::Received | Way::Both => format!("s_ + r_ + {from} + u_"),
        };
        let real = variant.element.text();
        body.each(buffer, &mut out, &|element| format!("{element} = ({real})({what});"));
    }
    body.results(&mut out);
    if variant.travels(call) {
        let _ = writeln!(out, "{GIVEN}();");
    }
    out += "return (int)u_;\n}\n";
    out
}

/// The parameters of a body.
fn declared(call: &Call, variant: Variant) -> String {
    let element = variant.element.text();
    let own = call.parameters().map(|(text, name)| match call.buffer(name) {
        Some(_) if variant.in_place && in_place(call).is_some_and(|buffer| buffer.name == name) => {
            format!("void *{name}")
        }
        Some(buffer) if buffer.way == Way::Sent => format!("const {element} *{name}"),
        Some(_) => format!("{element} *{name}"),
        // A constant of MPI, which leads to nothing.
        None if text.starts_with("MPI_Status") && !variant.status => format!("void *{name}"),
        None => text.to_string(),
    });
    own.chain(extra(call).into_iter().map(|extra| extra.declared(element))).collect::<Vec<_>>().join(", ")
}

/// A parameter that only bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Whether this rank is the root.
    Here,
    /// How many ranks there are.
    Ranks,
    /// Where the buffer of the request is.
    At,
    /// Where the buffers of requests are.
    AllAt,
}

impl Extra {
    fn declared(self, element: &str) -> String {
        match self {
            Extra::Here => format!("int {HERE}"),
            Extra::Ranks => format!("int {RANKS}"),
            Extra::At => format!("{element} *{AT}"),
            Extra::AllAt => format!("{element} **{AT}"),
        }
    }
}

/// The parameters that the bodies of a call have behind its own.
pub fn extra(call: &Call) -> Vec<Extra> {
    let mut all = Vec::new();
    all.extend(call.has_root().then_some(Extra::Here));
    all.extend(call.counts_ranks().then_some(Extra::Ranks));
    match call.requests {
        Requests::No | Requests::Begins => {}
        Requests::One => all.push(Extra::At),
        Requests::Many => all.push(Extra::AllAt),
    }
    all
}

/// The parameters whose adjoints the reverse call gets, by position.
pub fn adjoints(call: &Call, variant: Variant) -> Vec<usize> {
    let left_out = in_place(call).filter(|_| variant.in_place);
    let position = |buffer: &Buffer| {
        let is_left_out = left_out.is_some_and(|left_out| left_out.name == buffer.name);
        let other = || call.buffers.iter().find(|other| other.name != buffer.name);
        let buffer = if is_left_out { other().unwrap_or(buffer) } else { buffer };
        call.position(buffer.name)
    };
    match (call.name, call.requests) {
        ("Irecv", _) => Vec::new(),
        (_, Requests::No | Requests::Begins) => call.buffers.iter().filter_map(position).collect(),
        (_, Requests::One | Requests::Many) => vec![call.parameters().count() + extra(call).len() - 1],
    }
}

struct Body<'c> {
    call: &'c Call,
    variant: Variant,
}

impl Body<'_> {
    /// The buffers that are there, and what happens to them.
    fn buffers(&self) -> impl Iterator<Item = (&'static Buffer, Way)> {
        let left_out = in_place(self.call).filter(|_| self.variant.in_place).map(|buffer| buffer.name);
        let there = self.call.buffers.iter().filter(move |buffer| Some(buffer.name) != left_out);
        let way = move |buffer: &'static Buffer| match (left_out, buffer.way) {
            (Some(_), Way::Filled | Way::Received) => (buffer, Way::Both),
            (_, way) => (buffer, way),
        };
        there.map(way)
    }

    /// A statement for each element of a buffer.
    fn each(&self, buffer: &Buffer, out: &mut String, statement: &dyn Fn(&str) -> String) {
        let name = buffer.name;
        let all = match buffer.extent {
            // Any element stands for those of a datatype.
            _ if self.variant.laid => statement(&format!("{name}[i_]")),
            Extent::Count(count) => {
                format!("for (int k_ = 0; k_ < {count}; k_++) {}", statement(&format!("{name}[k_]")))
            }
            Extent::EachRank(count) => {
                format!("for (int k_ = 0; k_ < {RANKS} * {count}; k_++) {}", statement(&format!("{name}[k_]")))
            }
            Extent::Blocks(counts, places) => {
                let one = statement(&format!("{name}[{places}[j_] + k_]"));
                format!("for (int j_ = 0; j_ < {RANKS}; j_++) for (int k_ = 0; k_ < {counts}[j_]; k_++) {one}")
            }
        };
        let _ = if buffer.at_root { writeln!(out, "if ({HERE}) {all}") } else { writeln!(out, "{all}") };
    }

    /// Requests, statuses and numbers that the call leaves.
    fn results(&self, out: &mut String) {
        for (text, name) in self.call.parameters() {
            let one = |at: &str| format!("{at}MPI_SOURCE = (int)u_; {at}MPI_TAG = (int)u_; {at}MPI_ERROR = (int)u_;");
            match (text.rsplit_once('*').map(|(ty, _)| ty.trim()), name) {
                (Some("MPI_Status"), "statuses") if self.variant.status => {
                    let _ = writeln!(out, "for (int k_ = 0; k_ < count; k_++) {{ {} }}", one("statuses[k_]."));
                }
                (Some("MPI_Status"), _) if self.variant.status => {
                    let _ = writeln!(out, "{}", one("status->"));
                }
                (Some("MPI_Request"), "requests") => {
                    let _ = writeln!(out, "for (int k_ = 0; k_ < count; k_++) requests[k_] = {UNKNOWN_REQUEST}();");
                }
                (Some("MPI_Request"), _) => {
                    let _ = writeln!(out, "*{name} = {UNKNOWN_REQUEST}();");
                }
                (Some("int"), "indices") => {
                    let _ = writeln!(out, "for (int k_ = 0; k_ < count; k_++) indices[k_] = (int)u_;");
                }
                (Some("int"), _) => {
                    let _ = writeln!(out, "*{name} = (int)u_;");
                }
                _ => {}
            }
        }
    }
}
