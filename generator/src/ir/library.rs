//! Functions of the C library without a derivative: what is known of them without their source.

use super::VOLATILE;

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
    (Does::Reads, &[VOLATILE, "signal"]),
    (Does::Reads, &["printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc", "putc", "perror"]),
    (Does::Reads, &["fopen", "fclose", "fflush", "fwrite", "feof", "ferror", "isatty", "strerror", "getenv"]),
    (Does::Reads, &["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strspn", "strcspn"]),
    (Does::Reads, &["strchr", "strrchr", "strstr", "memcmp", "atoi", "atol", "atoll"]),
    (Does::Reads, &["clock", "ctime", "asctime", "localtime", "gmtime", "usleep", "sleep", "rand", "srand"]),
    (Does::Reads, &["MPI_Wtime", "omp_get_wtime", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads"]),
    (Does::Reads, &["s_wsfe", "s_wsle", "do_fio", "do_lio", "e_wsfe", "e_wsle"]),
    (Does::Writes, &["sprintf", "snprintf", "vsprintf", "vsnprintf", "strcpy", "strncpy", "strcat", "strncat"]),
    (Does::Writes, &["strftime", "time", "difftime", "mktime", "clock_gettime", "gettimeofday", "getpid"]),
    (Does::Writes, &["strtol", "strtoul", "strtoll", "strtoull"]),
    (Does::Writes, &["random", "srandom", "drand48", "srand48", "lrand48"]),
    (Does::Writes, &["isdigit", "isalpha", "isspace", "toupper", "tolower"]),
    (Does::Stops, &["abort", "exit", "_exit", "_Exit", "quick_exit", "__assert", "__assert_fail", "__assert_rtn"]),
    (Does::Stops, &["__builtin_unreachable", "__builtin_trap", "__builtin_abort"]),
];

/// What a call of a function does, if it is known.
pub fn does(name: &str) -> Option<Does> {
    FUNCTIONS.iter().find(|(_, names)| names.contains(&name)).map(|(does, _)| *does)
}
