//! Rules that need no word of the user: BLAS, LAPACK, and special functions (`gsl`). Their derivatives are in
//! `include/adtape/rules_blas.h`, `rules_cblas.h`, `rules_solvers.h` and `rules_gsl.h`, for a program that calls these
//! functions and has no source of them.
//!
//! Names and arguments are those of the references of BLAS and LAPACK. A letter, `s` or `d`, stands in front of each.

use super::gsl;
use super::pragma::{self, Clauses};

/// A function of a library.
pub struct Known {
    /// Its parameters.
    pub params: Vec<&'static str>,
    /// Those by which no derivative is known.
    pub lacks: Vec<&'static str>,
    /// What it does to memory.
    pub clauses: Clauses,
    /// The header with its derivative.
    pub header: &'static str,
    /// Whether that has the tangent, too.
    pub has_tangent: bool,
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
        "updates(a(m, n, lda)) writes(ipiv[0:m < n ? m : n] info) needs(a after, ipiv after) status(info)",
    ),
    (
        "getrs",
        "trans n nrhs a lda ipiv b ldb info",
        "reads(a(n, n, lda) ipiv[0:n]) updates(b(n, nrhs, ldb)) writes(info) needs(a, ipiv, b after : a)",
    ),
    (
        "gesv",
        "n nrhs a lda ipiv b ldb info",
        "updates(a(n, n, lda) b(n, nrhs, ldb)) writes(ipiv[0:n] info) needs(a after, ipiv after, b after : a) \
         status(info)",
    ),
    ("potrf", "uplo n a lda info", "updates(tri(a, n, lda, uplo)) writes(info) needs(a after) status(info)"),
    (
        "potrs",
        "uplo n nrhs a lda b ldb info",
        "reads(tri(a, n, lda, uplo)) updates(b(n, nrhs, ldb)) writes(info) needs(a, b after : a)",
    ),
    (
        "posv",
        "uplo n nrhs a lda b ldb info",
        "updates(tri(a, n, lda, uplo) b(n, nrhs, ldb)) writes(info) needs(a after, b after : a) status(info)",
    ),
];

/// Solvers of banded and symmetric systems, their factors, and eigenvalues, as Fortran calls them.
const SOLVERS: &[Row] = &[
    (
        "gbsv",
        "n kl ku nrhs ab ldab ipiv b ldb info",
        "updates(ab(2 * kl + ku + 1, n, ldab) b(n, nrhs, ldb)) writes(ipiv[0:n] info) factors(ab) status(info) \
         needs(ab after, ipiv after, b after : ab)",
    ),
    (
        "pbsv",
        "uplo n kd nrhs ab ldab b ldb info",
        "updates(ab(kd + 1, n, ldab) b(n, nrhs, ldb)) writes(info) factors(ab) status(info) \
         needs(ab after, b after : ab)",
    ),
    (
        "gtsv",
        "n nrhs dl d du b ldb info",
        "updates(dl[0:n - 1] d[0:n] du[0:n - 1] b(n, nrhs, ldb)) writes(info) factors(dl d du) status(info) \
         needs(dl before, d before, du before, b after : dl d du)",
    ),
    (
        "ptsv",
        "n nrhs d e b ldb info",
        "updates(d[0:n] e[0:n - 1] b(n, nrhs, ldb)) writes(info) factors(d e) status(info) \
         needs(d after, e after, b after : d e)",
    ),
    (
        "sysv",
        "uplo n nrhs a lda ipiv b ldb work lwork info",
        "updates(tri(a, n, lda, uplo) ipiv[0:n] b(n, nrhs, ldb)) work(work[0:lwork < 1 ? 1 : lwork]) writes(info) \
         factors(a) status(info) needs(a after, ipiv after, b after : a)",
    ),
    (
        "gbtrf",
        "m n kl ku ab ldab ipiv info",
        "updates(ab(2 * kl + ku + 1, n, ldab)) writes(ipiv[0:m < n ? m : n] info) needs(ab after, ipiv after) status(info)",
    ),
    (
        "gbtrs",
        "trans n kl ku nrhs ab ldab ipiv b ldb info",
        "reads(ab(2 * kl + ku + 1, n, ldab) ipiv[0:n]) updates(b(n, nrhs, ldb)) writes(info) \
         needs(ab, ipiv, b after : ab)",
    ),
    (
        "sytrf",
        "uplo n a lda ipiv work lwork info",
        "updates(tri(a, n, lda, uplo) ipiv[0:n]) work(work[0:lwork < 1 ? 1 : lwork]) writes(info) status(info) \
         needs(a after, ipiv after)",
    ),
    (
        "sytrs",
        "uplo n nrhs a lda ipiv b ldb info",
        "reads(tri(a, n, lda, uplo) ipiv[0:n]) updates(b(n, nrhs, ldb)) writes(info) needs(a, ipiv, b after : a)",
    ),
    (
        // A check takes what is left in `a` for factors: without vectors it has no derivative.
        "syev",
        "jobz uplo n a lda w work lwork info",
        "updates(a(n, n, lda) w[0:n]) work(work[0:lwork < 1 ? 1 : lwork]) writes(info) factors(a) status(info) \
         needs(a before)",
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
    if let Some(params) = gsl::find(name) {
        let is_lacking = |name: &&str| name.ends_with('!');
        let plain = |name: &'static str| name.trim_end_matches('!');
        return Some(Known {
            params: params.split(' ').map(plain).collect(),
            lacks: params.split(' ').filter(is_lacking).map(plain).collect(),
            clauses: Clauses::default(),
            header: "adtape/rules_gsl.h",
            has_tangent: true,
        });
    }
    let is_plain = |letters: &str, row: &Row| letters.strip_prefix(['d', 's']) == Some(row.0);
    let (row, header) = match name.strip_prefix("cblas_") {
        Some(plain) => (BY_VALUE.iter().find(|row| is_plain(plain, row)), "adtape/rules_cblas.h"),
        None => {
            let plain = name.strip_suffix('_')?;
            let solver = SOLVERS.iter().find(|row| is_plain(plain, row));
            let other = BY_REFERENCE.iter().find(|row| is_plain(plain, row));
            let header = if solver.is_some() { "adtape/rules_solvers.h" } else { "adtape/rules_blas.h" };
            (solver.or(other), header)
        }
    };
    let (_, params, clauses) = row?;
    let directive = pragma::parse(&format!("rule {clauses}"));
    let clauses = directive.ok().flatten()?.clauses;
    Some(Known { params: params.split(' ').collect(), lacks: Vec::new(), clauses, header, has_tangent: false })
}

#[cfg(test)]
mod tests {
    use super::{BY_REFERENCE, BY_VALUE, SOLVERS, find};

    #[test]
    fn all_rows_are_rules_of_their_parameters() {
        let names = |rows: &[super::Row], begins: &str, ends: &str| {
            rows.iter().map(|(name, ..)| format!("{begins}d{name}{ends}")).collect::<Vec<_>>()
        };
        let by_reference = names(BY_REFERENCE, "", "_").into_iter().chain(names(SOLVERS, "", "_"));
        for name in by_reference.chain(names(BY_VALUE, "cblas_", "")) {
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
