//! Fixed text of generated files.

/// In front of the program: compilers warn of directives that are not for them.
pub(super) const OTHERS_PRAGMAS: &str = "\
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"
#endif
";

/// Behind the program.
pub(super) const PRAGMAS_AGAIN: &str = "\
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
";

/// In front of both sweeps.
pub(super) const UNINITIALISED: &str = "\
/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \"-Wuninitialized\"
#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"
#endif

";

/// In front of sweeps with sums that may be split.
pub(super) const SUMS: &str = "\
/* Sums under `omp simd` are split among the parts of vectors where the compiler gets -fopenmp-simd. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"
#endif

";

/// What allocates a block again; `@` is its name.
pub(super) const ALLOCATOR: &str = "\
static void *@(size_t count, size_t bytes) {
    void *const block = calloc(count == 0 ? 1 : count, bytes);
    if (block == NULL) {
        fprintf(stderr, \"adjoint: no memory for %zu elements of %zu bytes\\n\", count, bytes);
        abort();
    }
    return block;
}

";
