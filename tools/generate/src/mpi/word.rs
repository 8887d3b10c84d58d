//! What an argument is, by its type in C and its name.

/// Kinds of handles: the names of their types in C and in `mpi_f08`.
pub const HANDLES: [&str; 6] = ["Comm", "Datatype", "Group", "Info", "Op", "Request"];

/// An argument.
#[derive(Clone, Copy, PartialEq)]
pub enum Word {
    /// A buffer of any type and rank.
    Buffer {
        /// Whether the call only reads it.
        constant: bool,
    },
    /// A number.
    Number,
    /// A number that the call sets.
    NumberOut,
    /// Numbers that the call reads.
    Numbers,
    /// An integer of C that is true or false.
    Logical,
    /// A flag that the call sets.
    LogicalOut,
    /// Flags that the call reads, `ndims` of them or as many as the communicator has dimensions.
    Logicals,
    /// Which request was completed, from 1 in Fortran.
    Index,
    /// Which requests were completed, `outcount` of them.
    Indices,
    /// A handle that the call reads.
    Handle(&'static str),
    /// A handle that the call sets.
    HandleOut(&'static str),
    /// A request that the call reads and sets.
    Request,
    /// Requests, as many as the first argument says.
    Requests,
    /// A matched message, which the call reads or sets.
    Message,
    /// A status that the call sets.
    Status,
    /// Statuses that the call sets, one for each request.
    Statuses,
    /// Addresses of adjoints.
    Addresses,
}

impl Word {
    /// By the type in C, `const void*`, and the argument's name; `is_first` among the call's arguments.
    pub fn of(of_type: &str, name: &str, is_first: bool) -> Option<Self> {
        let handle = |text: &str| HANDLES.into_iter().find(|handle| Some(*handle) == text.strip_prefix("MPI_"));
        Some(match (of_type, name) {
            ("const void*", _) => Self::Buffer { constant: true },
            ("void*", _) => Self::Buffer { constant: false },
            ("int", "reorder") => Self::Logical,
            ("int", _) => Self::Number,
            ("int*", "flag") => Self::LogicalOut,
            ("int*", "index") => Self::Index,
            ("int*", "outcount") => Self::NumberOut,
            ("int[]", "array_of_indices") => Self::Indices,
            ("const int[]", "periods" | "remain_dims") => Self::Logicals,
            ("const int[]", _) => Self::Numbers,
            ("MPI_Request[]", _) => Self::Requests,
            ("MPI_Request*", _) if is_first => Self::Request,
            ("MPI_Message*", _) => Self::Message,
            ("MPI_Status*", "status") => Self::Status,
            ("MPI_Status*", "array_of_statuses") => Self::Statuses,
            ("void*const[]", _) => Self::Addresses,
            _ => match of_type.strip_suffix('*') {
                Some(pointed) => Self::HandleOut(handle(pointed)?),
                None => Self::Handle(handle(of_type)?),
            },
        })
    }

    /// The type in `mpi_f08`, where it is another one than an integer.
    pub fn f08_type(self) -> Option<String> {
        match self {
            Self::Handle(handle) | Self::HandleOut(handle) => Some(format!("MPI_{handle}")),
            Self::Request | Self::Requests => Some("MPI_Request".to_owned()),
            Self::Message => Some("MPI_Message".to_owned()),
            Self::Status | Self::Statuses => Some("MPI_Status".to_owned()),
            _ => None,
        }
    }

    /// Whether the call only reads it; `None`: it may not even do that.
    pub fn reads_only(self) -> Option<bool> {
        match self {
            Self::Status | Self::Statuses => None,
            Self::Buffer { constant: false } | Self::HandleOut(_) | Self::Request | Self::Requests => Some(false),
            Self::Message | Self::Indices | Self::NumberOut | Self::LogicalOut | Self::Index => Some(false),
            _ => Some(true),
        }
    }
}
