//! Rules that need no word of the user: BLAS and LAPACK. Their derivatives are in `include/adtape/rules_blas.h` and
//! `rules_cblas.h`, for a program that calls these functions and has no source of them.
//!
//! Names and arguments are those of the references of BLAS and LAPACK. A letter, `s` or `d`, stands in front of each.

use super::pragma::{self, Clauses};

/// A function of a library.
pub struct Known {
    /// Its parameters.
    pub params: Vec<&'static str>,
    /// What it does to memory.
    pub clauses: Clauses,
    /// The header with its derivative.
    pub header: &'static str,
}

/// Name, parameters, clauses.
type Row = (&'static str, &'static str, &'static str);

/// As Fortran calls them: every argument is a pointer. `trans == 78 || trans == 110` is 'N' or 'n', `side == 76` 'L'.
const BY_REFERENCE: &[Row] = &[
    ("dot", "n x incx y incy", "reads(x[0:n:incx] y[0:n:incy]) needs(x : y, y : x)"),
    ("axpy", "n a x incx y incy", "reads(a x[0:n:incx]) updates(y[0:n:incy]) needs(a : x, x : a)"),
    ("scal", "n a x incx", "reads(a) updates(x[0:n:incx]) needs(a, x before : a)"),
    ("copy", "n x incx y incy", "reads(x[0:n:incx]) writes(y[0:n:incy]) needs()"),
    ("swap", "n x incx y incy", "updates(x[0:n:incx] y[0:n:incy]) needs()"),
    ("nrm2", "n x incx", "reads(x[0:n:incx]) needs(x)"),
    ("asum", "n x incx", "reads(x[0:n:incx]) needs(x)"),
    (
        "gemv",
        "trans m n alpha a lda x incx beta y incy",
        "reads(alpha beta a(m, n, lda) x[0:trans == 78 || trans == 110 ? n : m:incx]) \
         updates(y[0:trans == 78 || trans == 110 ? m : n:incy]) \
         needs(alpha : a x, beta, a : x alpha, x : a alpha, y before : beta)",
    ),
    (
        "ger",
        "m n alpha x incx y incy a lda",
        "reads(alpha x[0:m:incx] y[0:n:incy]) updates(a(m, n, lda)) needs(alpha : x y, x : y alpha, y : x alpha)",
    ),
    (
        "symv",
        "uplo n alpha a lda x incx beta y incy",
        "reads(alpha beta tri(a, n, lda, uplo) x[0:n:incx]) updates(y[0:n:incy]) \
         needs(alpha : a x, beta, a : x alpha, x : a alpha, y before : beta)",
    ),
    (
        "trsv",
        "uplo trans diag n a lda x incx",
        "reads(tri(a, n, lda, uplo)) updates(x[0:n:incx]) needs(a, x after : a)",
    ),
    (
        "trmv",
        "uplo trans diag n a lda x incx",
        "reads(tri(a, n, lda, uplo)) updates(x[0:n:incx]) needs(a, x before : a)",
    ),
    (
        "gemm",
        "transa transb m n k alpha a lda b ldb beta c ldc",
        "reads(alpha beta \
         a(transa == 78 || transa == 110 ? m : k, transa == 78 || transa == 110 ? k : m, lda) \
         b(transb == 78 || transb == 110 ? k : n, transb == 78 || transb == 110 ? n : k, ldb)) \
         updates(c(m, n, ldc)) needs(alpha : a b, beta, a : b alpha, b : a alpha, c before : beta)",
    ),
    (
        "symm",
        "side uplo m n alpha a lda b ldb beta c ldc",
        "reads(alpha beta tri(a, side == 76 || side == 108 ? m : n, lda, uplo) b(m, n, ldb)) updates(c(m, n, ldc)) \
         needs(alpha : a b, beta, a : b alpha, b : a alpha, c before : beta)",
    ),
    (
        "syrk",
        "uplo trans n k alpha a lda beta c ldc",
        "reads(alpha beta a(trans == 78 || trans == 110 ? n : k, trans == 78 || trans == 110 ? k : n, lda)) \
         updates(tri(c, n, ldc, uplo)) needs(alpha : a, beta, a : a alpha, c before : beta)",
    ),
    (
        "trsm",
        "side uplo transa diag m n alpha a lda b ldb",
        "reads(alpha tri(a, side == 76 || side == 108 ? m : n, lda, uplo)) updates(b(m, n, ldb)) \
         needs(alpha, a, b after : a alpha)",
    ),
    (
        "trmm",
        "side uplo transa diag m n alpha a lda b ldb",
        "reads(alpha tri(a, side == 76 || side == 108 ? m : n, lda, uplo)) updates(b(m, n, ldb)) \
         needs(alpha, a, b before : a alpha)",
    ),
    (
        "getrf",
        "m n a lda ipiv info",
        "updates(a(m, n, lda)) writes(ipiv[0:m < n ? m : n] info) needs(a after, ipiv after)",
    ),
    (
        "getrs",
        "trans n nrhs a lda ipiv b ldb info",
        "reads(a(n, n, lda) ipiv[0:n]) updates(b(n, nrhs, ldb)) writes(info) needs(a, ipiv, b after : a)",
    ),
    (
        "gesv",
        "n nrhs a lda ipiv b ldb info",
        "updates(a(n, n, lda) b(n, nrhs, ldb)) writes(ipiv[0:n] info) needs(a after, ipiv after, b after : a)",
    ),
    ("potrf", "uplo n a lda info", "updates(tri(a, n, lda, uplo)) writes(info) needs(a after)"),
    (
        "potrs",
        "uplo n nrhs a lda b ldb info",
        "reads(tri(a, n, lda, uplo)) updates(b(n, nrhs, ldb)) writes(info) needs(a, b after : a)",
    ),
    (
        "posv",
        "uplo n nrhs a lda b ldb info",
        "updates(tri(a, n, lda, uplo) b(n, nrhs, ldb)) writes(info) needs(a after, b after : a)",
    ),
];

/// The C interface. `order == 101`: by rows; `trans == 111`: as it is; `uplo == 122`: lower; `side == 141`: left.
const BY_VALUE: &[Row] = &[
    ("dot", "n x incx y incy", "reads(x[0:n:incx] y[0:n:incy]) needs(x : y, y : x)"),
    ("axpy", "n a x incx y incy", "reads(x[0:n:incx]) updates(y[0:n:incy]) needs(x : a)"),
    ("scal", "n a x incx", "updates(x[0:n:incx]) needs(x before : a)"),
    ("copy", "n x incx y incy", "reads(x[0:n:incx]) writes(y[0:n:incy]) needs()"),
    ("swap", "n x incx y incy", "updates(x[0:n:incx] y[0:n:incy]) needs()"),
    ("nrm2", "n x incx", "reads(x[0:n:incx]) needs(x)"),
    ("asum", "n x incx", "reads(x[0:n:incx]) needs(x)"),
    (
        "gemv",
        "order trans m n alpha a lda x incx beta y incy",
        "reads(a(order == 101 ? n : m, order == 101 ? m : n, lda) x[0:trans == 111 ? n : m:incx]) \
         updates(y[0:trans == 111 ? m : n:incy]) needs(a : x alpha, x : a alpha, y before : beta)",
    ),
    (
        "ger",
        "order m n alpha x incx y incy a lda",
        "reads(x[0:m:incx] y[0:n:incy]) updates(a(order == 101 ? n : m, order == 101 ? m : n, lda)) \
         needs(x : y alpha, y : x alpha)",
    ),
    (
        "symv",
        "order uplo n alpha a lda x incx beta y incy",
        "reads(tri(a, n, lda, (order == 101) == (uplo == 122) ? 85 : 76) x[0:n:incx]) updates(y[0:n:incy]) \
         needs(a : x alpha, x : a alpha, y before : beta)",
    ),
    (
        "trsv",
        "order uplo trans diag n a lda x incx",
        "reads(tri(a, n, lda, (order == 101) == (uplo == 122) ? 85 : 76)) updates(x[0:n:incx]) needs(a, x after : a)",
    ),
    (
        "trmv",
        "order uplo trans diag n a lda x incx",
        "reads(tri(a, n, lda, (order == 101) == (uplo == 122) ? 85 : 76)) updates(x[0:n:incx]) needs(a, x before : a)",
    ),
    (
        "gemm",
        "order transa transb m n k alpha a lda b ldb beta c ldc",
        "reads(a((order == 101) != (transa == 111) ? m : k, (order == 101) != (transa == 111) ? k : m, lda) \
         b((order == 101) != (transb == 111) ? k : n, (order == 101) != (transb == 111) ? n : k, ldb)) \
         updates(c(order == 101 ? n : m, order == 101 ? m : n, ldc)) \
         needs(a : b alpha, b : a alpha, c before : beta)",
    ),
    (
        "symm",
        "order side uplo m n alpha a lda b ldb beta c ldc",
        "reads(tri(a, side == 141 ? m : n, lda, (order == 101) == (uplo == 122) ? 85 : 76) \
         b(order == 101 ? n : m, order == 101 ? m : n, ldb)) \
         updates(c(order == 101 ? n : m, order == 101 ? m : n, ldc)) \
         needs(a : b alpha, b : a alpha, c before : beta)",
    ),
    (
        "syrk",
        "order uplo trans n k alpha a lda beta c ldc",
        "reads(a((order == 101) != (trans == 111) ? n : k, (order == 101) != (trans == 111) ? k : n, lda)) \
         updates(tri(c, n, ldc, (order == 101) == (uplo == 122) ? 85 : 76)) needs(a : a alpha, c before : beta)",
    ),
    (
        "trsm",
        "order side uplo transa diag m n alpha a lda b ldb",
        "reads(tri(a, side == 141 ? m : n, lda, (order == 101) == (uplo == 122) ? 85 : 76)) \
         updates(b(order == 101 ? n : m, order == 101 ? m : n, ldb)) needs(a, b after : a alpha)",
    ),
    (
        "trmm",
        "order side uplo transa diag m n alpha a lda b ldb",
        "reads(tri(a, side == 141 ? m : n, lda, (order == 101) == (uplo == 122) ? 85 : 76)) \
         updates(b(order == 101 ? n : m, order == 101 ? m : n, ldb)) needs(a, b before : a alpha)",
    ),
];

/// The function of this name.
pub fn find(name: &str) -> Option<Known> {
    let (rows, plain, header) = match name.strip_prefix("cblas_") {
        Some(plain) => (BY_VALUE, plain, "adtape/rules_cblas.h"),
        None => (BY_REFERENCE, name.strip_suffix('_')?, "adtape/rules_blas.h"),
    };
    let plain = plain.strip_prefix(['d', 's'])?;
    let (_, params, clauses) = rows.iter().find(|(name, ..)| *name == plain)?;
    let directive = pragma::parse(&format!("rule {clauses}"));
    let clauses = directive.ok().flatten()?.clauses;
    Some(Known { params: params.split(' ').collect(), clauses, header })
}

#[cfg(test)]
mod tests {
    use super::{BY_REFERENCE, BY_VALUE, find};

    #[test]
    fn all_rows_are_rules_of_their_parameters() {
        let names = |rows: &[super::Row], begins: &str, ends: &str| {
            rows.iter().map(|(name, ..)| format!("{begins}d{name}{ends}")).collect::<Vec<_>>()
        };
        for name in names(BY_REFERENCE, "", "_").into_iter().chain(names(BY_VALUE, "cblas_", "")) {
            let known = find(&name).unwrap_or_else(|| panic!("{name}"));
            let sections = known.clauses.reads.iter().chain(&known.clauses.writes).chain(&known.clauses.updates);
            let needs = known.clauses.needs.iter().flatten();
            let named = sections.chain(needs.clone().map(|need| &need.section)).map(|section| section.name.as_str());
            let when = needs.flat_map(|need| &need.when).map(String::as_str);
            let unknown: Vec<&str> = named.chain(when).filter(|of| !known.params.contains(of)).collect();
            assert!(unknown.is_empty(), "{name}: {unknown:?}");
        }
        assert!(find("zgemm_").is_none() && find("dgemm").is_none() && find("step_").is_none());
    }
}
