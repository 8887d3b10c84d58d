//! Functions of the C library without a derivative: what is known of them without their source. Handles of MPI.

use super::{IntKind, Type};

/// A function that the program has no source of, or what is treated as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum External {
    /// A function of a library.
    Named(String),
    /// A procedure that leaves memory alone and computes nothing with a derivative, by its source or by the word of the
    /// program: called as it is.
    Passive {
        /// Its name, and the keywords of the last arguments.
        call: String,
        /// Whether its result depends on the arguments alone.
        same: bool,
    },
    /// Gives a block another size. It returns a pointer to the block of its first argument, which is no other block for
    /// the analyses, and not NULL.
    Resize,
    /// Reads a volatile variable, its argument, or assigns its second argument to it.
    Volatile,
    /// Says why, and stops the program.
    Stop(Reason),
}

/// Why a program stops in code that is not its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A pointer, as the source calls it, holds no function that the sources name there.
    Unnamed(String),
    /// There is no memory for an array that the source declares.
    NoMemory,
}

impl External {
    /// What messages call it.
    pub fn name(&self) -> &str {
        match self {
            External::Named(name) | External::Passive { call: name, .. } => name,
            External::Resize => "realloc",
            External::Volatile => "volatile",
            External::Stop(_) => "abort",
        }
    }

    /// Whether it may write what its arguments point to. `syslog` is an error handler, which only reads.
    pub fn writes(&self) -> bool {
        let External::Named(name) = self else { return false };
        let reads = does(name).is_some_and(|does| does != Does::Writes);
        !reads && name != "syslog"
    }
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It comes back and writes nothing of the program's through its pointers.
    Reads,
    /// It comes back and may write what its pointers lead to.
    Writes,
    /// It ends the program.
    Stops,
}

const FUNCTIONS: &[(Does, &[&str])] = &[
    (Does::Reads, &["signal"]),
    (Does::Reads, &["printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc", "putc", "perror"]),
    (Does::Reads, &["fopen", "fclose", "fflush", "fwrite", "feof", "ferror", "isatty", "strerror", "getenv"]),
    (Does::Reads, &["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strspn", "strcspn"]),
    (Does::Reads, &["strchr", "strrchr", "strstr", "memcmp", "atoi", "atol", "atoll"]),
    (Does::Reads, &["clock", "ctime", "asctime", "localtime", "gmtime", "usleep", "sleep", "rand", "srand"]),
    (Does::Reads, &["MPI_Wtime", "MPI_Wtick", "MPI_Abort", "MPI_Barrier", "MPI_Pcontrol"]),
    (Does::Writes, &["MPI_Comm_rank", "MPI_Comm_size", "MPI_Initialized", "MPI_Finalized", "MPI_Get_processor_name"]),
    (Does::Writes, &["MPI_Get_count", "MPI_Type_size", "MPI_Cart_coords", "MPI_Cart_rank", "MPI_Cart_get"]),
    (Does::Writes, &["MPI_Cart_shift", "MPI_Dims_create", "MPI_Error_string", "MPI_Get_version"]),
    (Does::Writes, &["MPI_Type_contiguous", "MPI_Type_vector", "MPI_Type_create_hvector", "MPI_Type_indexed"]),
    (Does::Writes, &["MPI_Type_create_hindexed", "MPI_Type_create_indexed_block", "MPI_Type_create_subarray"]),
    (Does::Writes, &["MPI_Type_create_resized", "MPI_Type_dup", "MPI_Type_commit", "MPI_Type_free"]),
    (Does::Writes, &["adtape_MPI_Init", "adtape_MPI_Init_thread", "adtape_MPI_Finalize", "adtape_MPI_Comm_dup"]),
    (Does::Writes, &["adtape_MPI_Comm_split", "adtape_MPI_Comm_split_type", "adtape_MPI_Comm_create"]),
    (Does::Writes, &["adtape_MPI_Comm_create_group", "adtape_MPI_Cart_create", "adtape_MPI_Cart_sub"]),
    (Does::Writes, &["MPI_Comm_free", "MPI_Comm_group", "MPI_Comm_compare", "MPI_Comm_set_errhandler"]),
    (Does::Writes, &["MPI_Group_incl", "MPI_Group_excl", "MPI_Group_free", "MPI_Group_rank", "MPI_Group_size"]),
    (Does::Writes, &["MPI_Cartdim_get", "MPI_Topo_test", "MPI_Type_get_extent", "MPI_Query_thread"]),
    (Does::Reads, &["omp_get_wtime", "omp_get_wtick", "omp_get_thread_num", "omp_get_num_threads"]),
    (Does::Reads, &["omp_get_max_threads", "omp_get_num_procs", "omp_in_parallel", "omp_get_level"]),
    (Does::Reads, &["s_wsfe", "s_wsle", "do_fio", "do_lio", "e_wsfe", "e_wsle"]),
    (Does::Writes, &["sprintf", "snprintf", "vsprintf", "vsnprintf", "strcpy", "strncpy", "strcat", "strncat"]),
    (Does::Writes, &["strftime", "time", "difftime", "mktime", "clock_gettime", "gettimeofday", "getpid"]),
    (Does::Writes, &["strtol", "strtoul", "strtoll", "strtoull"]),
    (Does::Writes, &["random", "srandom", "drand48", "srand48", "lrand48"]),
    (Does::Writes, &["isdigit", "isalpha", "isspace", "toupper", "tolower"]),
    (Does::Stops, &["abort", "exit", "_exit", "_Exit", "quick_exit", "__assert", "__assert_fail", "__assert_rtn"]),
    (Does::Stops, &["__builtin_unreachable", "__builtin_trap", "__builtin_abort"]),
    // Statements of Fortran: no function has such a name.
    (Does::Stops, &["normal stop", "error stop"]),
];

/// What a call of a function does, if it is known.
pub fn does(name: &str) -> Option<Does> {
    FUNCTIONS.iter().find(|(_, names)| names.contains(&name)).map(|(does, _)| *does)
}

/// Types of handles of MPI, which are numbers here, whatever an MPI makes of them.
pub const HANDLES: [&str; 10] = [
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Group",
    "MPI_Win",
    "MPI_File",
    "MPI_Op",
    "MPI_Request",
    "MPI_Message",
    "MPI_Info",
    "MPI_Errhandler",
];

/// Whether a type is that of a handle.
pub fn is_handle(ty: &Type) -> bool {
    matches!(ty, Type::Int { kind: IntKind::Named(name), .. } if HANDLES.contains(&&**name))
}

/// What to do about a function whose source is missing, by what library it is of.
pub fn instead(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let plain = lower.trim_start_matches("cblas_").trim_start_matches("lapacke_").trim_end_matches('_');
    let of_numbers = lower.starts_with("cblas_")
        || lower.starts_with("lapacke_")
        || plain.starts_with(['s', 'd', 'c', 'z']) && LINEAR.contains(plain.get(1..).unwrap_or_default());
    match () {
        () if ["mpi_put", "mpi_get", "mpi_accumulate", "mpi_win_"].iter().any(|begins| lower.starts_with(begins)) => {
            "one-sided calls have no reverse: send the values by messages, or keep what has a derivative out of windows"
        }
        () if lower.starts_with("mpi_file_") => {
            "read the data before, and pass it as an argument; write results behind the call"
        }
        () if lower.starts_with("mpi_") || lower.starts_with("pmpi_") => {
            "include mpi.h, and use a call that has a reverse (docs/mpi.md); or differentiate what lies between messages, \
             and call MPI by adtape's names around it"
        }
        () if name.starts_with("adtape_") => {
            "this is an adjoint; for second derivatives write the tangent first, and then the adjoint of its file"
        }
        () if of_numbers => {
            "no rule is known for this function of BLAS or LAPACK: write one (docs/rules.md), or add its reference source in C"
        }
        () if lower.starts_with("fftw") => {
            "the transform is linear: put adtape's header of FFTW in front of the system's, or write a rule: docs/rules.md"
        }
        () => "add the file that defines it, or say what it does: docs/rules.md",
    }
}

/// Functions of BLAS and LAPACK without the letter of their type.
const LINEAR: Words = Words(
    "axpy scal copy swap dot dotu dotc nrm2 asum rot rotg gemv gbmv symv sbmv spmv trmv tbmv trsv ger syr syr2 gemm symm \
     syrk syr2k trmm trsm gesv gbsv gtsv posv sysv getrf getrs getri potrf potrs potri geqrf orgqr ormqr gels gelss gelsd \
     syev syevd syevr geev gesvd gesdd heev hemm herk trtrs trtri sytrf sytrs gecon",
);

/// Words with blanks in between.
struct Words(&'static str);

impl Words {
    fn contains(&self, word: &str) -> bool {
        self.0.split_whitespace().any(|known| known == word)
    }
}

#[cfg(test)]
mod tests {
    use super::instead;

    #[test]
    fn libraries_of_numbers_are_known_by_their_names() {
        let linear = ["dgemm_", "DGEMM", "sgesv_", "zheev_", "cblas_ddot", "LAPACKE_dgesv", "LAPACKE_dlange", "dnrm2"];
        for name in linear {
            assert!(instead(name).contains("of BLAS or LAPACK"), "{name}: {}", instead(name));
        }
        for name in ["fftw_execute", "fftwf_plan_dft_1d", "FFTW_EXECUTE"] {
            assert!(instead(name).starts_with("the transform is linear"), "{name}: {}", instead(name));
        }
        for name in ["MPI_Send", "PMPI_Recv"] {
            assert!(instead(name).contains("docs/mpi.md"), "{name}: {}", instead(name));
        }
        // Functions of the user with a letter or a word of these.
        for name in ["daxpy_of_mine", "scopy2", "gemm", "dfftw", "step", "mpi", "hemm"] {
            assert!(instead(name).starts_with("add the file that defines it"), "{name}");
        }
    }
}
