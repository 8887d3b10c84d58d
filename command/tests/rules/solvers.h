/* Solvers of banded and symmetric systems as programs declare them. */
void dgbsv_(const int *n, const int *kl, const int *ku, const int *nrhs, double *ab, const int *ldab, int *ipiv,
            double *b, const int *ldb, int *info);
void dpbsv_(const char *uplo, const int *n, const int *kd, const int *nrhs, double *ab, const int *ldab, double *b,
            const int *ldb, int *info);
void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb, int *info);
void dptsv_(const int *n, const int *nrhs, double *d, double *e, double *b, const int *ldb, int *info);
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, double *work, const int *lwork, int *info);
