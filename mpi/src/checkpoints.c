/* checkpoints.c: checkpoints of all ranks, or of none.
 *
 *   entry      NAME-JOB-EPOCH      of each rank, in its store: whose it is, and what the program wrote
 *   manifest   NAME-manifest       in the store of rank 0: which entries are the last complete checkpoint
 *   job        one start of the program on all ranks: a number that no other start has
 *   seal       a number that is in an entry and in the manifest, and in no other entry
 *
 * The manifest is replaced as a whole, once all entries are on their disks; only then what was before is removed. So at
 * every moment there is one manifest, and all that it names is there. */

enum { MANIFEST_VERSION = 1, NAME_ROOM = 101, MOST_NAME = 60 };
static const char manifest_section[] = "adtape-mpi-manifest", seals_section[] = "adtape-mpi-seals",
                  entry_section[] = "adtape-mpi-entry";

/* What a manifest says besides the seals; as it lies in its section. */
struct manifest {
    int64_t version;
    int64_t start; /* of the run, counted from 1: a later one has a higher number */
    int64_t job, epoch, ranks;
};
/* What an entry begins with. */
struct entry {
    int64_t version, job, epoch, ranks, rank, seal;
};
enum { MANIFEST_VALUES = sizeof(struct manifest) / 8, ENTRY_VALUES = sizeof(struct entry) / 8 };

struct adtape_mpi_checkpoints_t {
    const struct comm *comm;
    const adtape_store_t *store;
    char name[MOST_NAME + 1];
    int64_t start, job;   /* this start's */
    int64_t attempt;      /* the highest epoch that was tried */
    struct manifest last; /* epoch 0: there is none */
    int64_t seal;         /* of this rank's entry of it */
};

/* ---- names ---- */

static void entry_name(const adtape_mpi_checkpoints_t *k, int64_t job, int64_t epoch, char out[NAME_ROOM]) {
    (void)snprintf(out, NAME_ROOM, "%s-%016" PRIx64 "-%" PRId64, k->name, (uint64_t)job, epoch);
}

static void manifest_name(const adtape_mpi_checkpoints_t *k, char out[NAME_ROOM]) {
    (void)snprintf(out, NAME_ROOM, "%s-manifest", k->name);
}

/* Whether a name in the store is that of an entry, of whatever job and epoch. */
static bool is_entry(const adtape_mpi_checkpoints_t *k, const char *name) {
    const size_t length = strlen(k->name);
    if (strncmp(name, k->name, length) != 0 || name[length] != '-') {
        return false;
    }
    const char *job = name + length + 1;
    const size_t digits = strspn(job, "0123456789abcdef");
    const char *epoch = job + digits + 1;
    return digits == 16 && job[digits] == '-' && *epoch != '\0' && epoch[strspn(epoch, "0123456789")] == '\0';
}

/* Removes all entries but the one of `keep`; NULL: all. What cannot be removed is tried again the next time. */
static adtape_status_t entries_remove(const adtape_mpi_checkpoints_t *k, const char *keep) {
    adtape_status_t status = ADTAPE_STATUS_OK;
    int64_t count = 0;
    (void)adtape_store_list(k->store, 0, &count, NULL);
    for (int64_t i = count - 1; i >= 0 && status == ADTAPE_STATUS_OK; i--) {
        const char *listed = NULL;
        char name[NAME_ROOM];
        status = adtape_store_list(k->store, i, NULL, &listed);
        if (status == ADTAPE_STATUS_OK && listed != NULL && is_entry(k, listed) &&
            (keep == NULL || strcmp(listed, keep) != 0)) {
            (void)snprintf(name, sizeof name, "%s", listed);
            status = adtape_store_remove(k->store, name);
        }
    }
    return status;
}

/* ---- the manifest, on rank 0 ---- */

/* The one in the store; epoch 0 if there is none. `seals` has room for those of all ranks, or is NULL. */
static adtape_status_t manifest_read(const adtape_mpi_checkpoints_t *k, struct manifest *out, int64_t *seals) {
    char name[NAME_ROOM];
    adtape_checkpoint_t *c = NULL;
    manifest_name(k, name);
    *out = (struct manifest){0};
    adtape_status_t status = adtape_checkpoint_open(k->store, name, &c);
    if (status == ADTAPE_STATUS_NOT_FOUND) {
        return ADTAPE_STATUS_OK;
    }
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_checkpoint_read(c, manifest_section, ADTAPE_TYPE_I64, out, MANIFEST_VALUES);
    }
    if (status == ADTAPE_STATUS_OK && out->version != MANIFEST_VERSION) {
        status = refuse(ADTAPE_STATUS_OTHER_VERSION,
                        "the manifest %s is of version %" PRId64 ", and this library reads version %d", name,
                        out->version, MANIFEST_VERSION);
    }
    if (status == ADTAPE_STATUS_OK && out->ranks != k->comm->size) {
        status = refuse(ADTAPE_STATUS_MISMATCH,
                        "the checkpoint %s is one of %" PRId64 " ranks, and this run has %d\n"
                        "  start the program on as many ranks as before, or give the checkpoint another name",
                        k->name, out->ranks, k->comm->size);
    }
    if (status == ADTAPE_STATUS_OK && seals != NULL) {
        status = adtape_checkpoint_read(c, seals_section, ADTAPE_TYPE_I64, seals, k->comm->size);
    }
    (void)adtape_checkpoint_close(c);
    return status;
}

/* Makes the entries of all ranks the last complete checkpoint. The lock of the files keeps a process of an earlier start
 * away that is still there; where a file system has no locks, the number of the start does. */
static adtape_status_t manifest_write(const adtape_mpi_checkpoints_t *k, const struct manifest *manifest,
                                      const int64_t *seals) {
    char name[NAME_ROOM];
    struct manifest there;
    adtape_checkpoint_t *c = NULL;
    manifest_name(k, name);
    adtape_status_t status = manifest_read(k, &there, NULL);
    if (status != ADTAPE_STATUS_OK) {
        return status;
    }
    if (there.job != k->job && there.start >= k->start) {
        return refuse(ADTAPE_STATUS_MISMATCH,
                      "another start of this run, number %" PRId64 ", has made checkpoint %" PRId64
                      " of %s; this is number %" PRId64 "\n"
                      "  this process is of a job that should have ended, or two jobs have one directory",
                      there.start, there.epoch, k->name, k->start);
    }
    status = adtape_checkpoint_create(k->store, name, &c);
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_checkpoint_write(c, manifest_section, ADTAPE_TYPE_I64, manifest, MANIFEST_VALUES);
    }
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_checkpoint_write(c, seals_section, ADTAPE_TYPE_I64, seals, k->comm->size);
    }
    if (status == ADTAPE_STATUS_OK) {
        return adtape_checkpoint_commit(c);
    }
    (void)adtape_checkpoint_close(c);
    return status;
}

/* ---- entries ---- */

static adtape_status_t entry_write(const adtape_mpi_checkpoints_t *k, const char *name, const struct entry *entry,
                                   adtape_mpi_part_t write, void *user) {
    adtape_checkpoint_t *c = NULL;
    adtape_status_t status = adtape_checkpoint_create(k->store, name, &c);
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_checkpoint_write(c, entry_section, ADTAPE_TYPE_I64, entry, ENTRY_VALUES);
    }
    if (status == ADTAPE_STATUS_OK) {
        status = write(c, user);
    }
    if (status == ADTAPE_STATUS_OK) {
        return adtape_checkpoint_commit(c);
    }
    (void)adtape_checkpoint_close(c);
    return status;
}

/* Removes an entry that is of no use, because another rank has none. The message of that stays. */
static void entry_forget(const adtape_mpi_checkpoints_t *k, const char *name) {
    char text[VERDICT_TEXT];
    (void)snprintf(text, sizeof text, "%s", adtape_error_message());
    if (adtape_store_remove(k->store, name) != ADTAPE_STATUS_OK) {
        (void)refuse(ADTAPE_STATUS_IO, "%s", text);
    }
}

/* Opens this rank's entry of the last checkpoint, behind what it begins with. */
static adtape_status_t entry_open(const adtape_mpi_checkpoints_t *k, adtape_checkpoint_t **out) {
    const struct manifest *last = &k->last;
    char name[NAME_ROOM];
    struct entry entry;
    entry_name(k, last->job, last->epoch, name);
    adtape_status_t status = adtape_checkpoint_open(k->store, name, out);
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_checkpoint_read(*out, entry_section, ADTAPE_TYPE_I64, &entry, ENTRY_VALUES);
    }
    if (status == ADTAPE_STATUS_OK &&
        (entry.version != MANIFEST_VERSION || entry.job != last->job || entry.epoch != last->epoch ||
         entry.ranks != last->ranks || entry.rank != k->comm->rank || entry.seal != k->seal)) {
        status = refuse(ADTAPE_STATUS_MISMATCH,
                        "%s is not the entry that the manifest names, but one of rank %" PRId64 " of %" PRId64
                        " and epoch %" PRId64 "\n  files of checkpoints were copied or exchanged",
                        name, entry.rank, entry.ranks, entry.epoch);
    }
    if (status != ADTAPE_STATUS_OK) {
        (void)adtape_checkpoint_close(*out);
        *out = NULL;
    }
    return status;
}

/* ---- creation ---- */

static adtape_status_t name_check(const char *name, const adtape_store_t *store, adtape_mpi_checkpoints_t *const *out) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (store == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "the store of checkpoints is NULL");
    }
    if (name == NULL || out == NULL) {
        return refuse(ADTAPE_STATUS_NULL_POINTER, "the name of checkpoints, or the place of their handle, is NULL");
    }
    if (*name == '\0' || strlen(name) > MOST_NAME || name[strspn(name, allowed)] != '\0') {
        return refuse(ADTAPE_STATUS_BAD_ARGUMENT,
                      "`%.80s` cannot be the name of checkpoints\n  give 1 to %d letters, digits, '-', '_' or '.'", name,
                      MOST_NAME);
    }
    return ADTAPE_STATUS_OK;
}

/* Rank 0 reads the manifest; each rank gets what it says, and its seal, and draws from it which entry is its own. */
static adtape_status_t find_last(adtape_mpi_checkpoints_t *k, const void *site) {
    const struct comm *comm = k->comm;
    int64_t *seals = comm->rank == 0 ? allocate_zeros((size_t)comm->size * sizeof *seals, site) : NULL;
    adtape_status_t status = comm->rank == 0 ? manifest_read(k, &k->last, seals) : ADTAPE_STATUS_OK;
    status = verdict(comm, status, "the manifest cannot be read", site);
    if (status == ADTAPE_STATUS_OK) {
        k->job = (int64_t)unique();
        expect(MPI_Bcast(&k->job, 1, MPI_INT64_T, 0, comm->twin), site, "MPI_Bcast");
        expect(MPI_Bcast(&k->last, MANIFEST_VALUES, MPI_INT64_T, 0, comm->twin), site, "MPI_Bcast");
        expect(MPI_Scatter(seals, 1, MPI_INT64_T, &k->seal, 1, MPI_INT64_T, 0, comm->twin), site, "MPI_Scatter");
        k->start = k->last.start + 1;
        k->attempt = k->last.epoch;
        if (k->last.epoch > 0) {
            adtape_checkpoint_t *c = NULL;
            status = verdict(comm, entry_open(k, &c), "its part of the last checkpoint cannot be opened", site);
            (void)adtape_checkpoint_close(c);
        }
    }
    free(seals);
    return status;
}

/* All arguments make sense on all ranks. */
static adtape_status_t checkpoints_new(const struct comm *comm, const adtape_store_t *store, const char *name,
                                       adtape_mpi_checkpoints_t **out, const void *site) {
    adtape_mpi_checkpoints_t *k = allocate_zeros(sizeof *k, site);
    k->comm = comm;
    k->store = store;
    (void)snprintf(k->name, sizeof k->name, "%s", name);
    const adtape_status_t status = find_last(k, site);
    if (status == ADTAPE_STATUS_OK) {
        *out = k;
    } else {
        free(k);
    }
    return status;
}

API adtape_status_t adtape_mpi_checkpoints_create(MPI_Comm handle, const adtape_store_t *store, const char *name,
                                                  adtape_mpi_checkpoints_t **out) {
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    if (out != NULL) {
        *out = NULL;
    }
    const adtape_status_t status = verdict(comm, name_check(name, store, out), "checkpoints of all ranks", site);
    return status == ADTAPE_STATUS_OK ? checkpoints_new(comm, store, name, out, site) : status;
}

API void adtape_mpi_checkpoints_destroy(adtape_mpi_checkpoints_t *k) { free(k); }

API int64_t adtape_mpi_checkpoints_epoch(const adtape_mpi_checkpoints_t *k) { return k == NULL ? 0 : k->last.epoch; }

/* ---- a new checkpoint ---- */

/* The next epoch's name and number. Those of attempts that failed do not come again. */
static struct entry entry_next(adtape_mpi_checkpoints_t *k, char name[NAME_ROOM]) {
    k->attempt++;
    entry_name(k, k->job, k->attempt, name);
    return (struct entry){MANIFEST_VERSION,    k->job,        k->attempt, k->comm->size,
                          k->comm->rank, (int64_t)unique()};
}

/* This rank's entry is on its disk, or `status` says why not. Makes the entries of all ranks the last checkpoint, or
 * none of them. */
static adtape_status_t complete(adtape_mpi_checkpoints_t *k, const char *name, const struct entry *entry,
                                adtape_status_t status, const void *site) {
    const struct comm *comm = k->comm;
    const bool is_there = status == ADTAPE_STATUS_OK;
    const struct manifest manifest = {MANIFEST_VERSION, k->start, k->job, entry->epoch, comm->size};
    status = verdict(comm, status, "its part of the checkpoint could not be written", site);
    if (status != ADTAPE_STATUS_OK) {
        if (is_there) {
            entry_forget(k, name);
        }
        return status;
    }
    int64_t *seals = comm->rank == 0 ? allocate((size_t)comm->size * sizeof *seals, site) : NULL;
    expect(MPI_Gather(&entry->seal, 1, MPI_INT64_T, seals, 1, MPI_INT64_T, 0, comm->twin), site, "MPI_Gather");
    status = comm->rank == 0 ? manifest_write(k, &manifest, seals) : ADTAPE_STATUS_OK;
    free(seals);
    status = verdict(comm, status, "the manifest could not be written", site);
    /* A manifest whose writing failed may be there all the same, so that both epochs stay until the next one. */
    if (status == ADTAPE_STATUS_OK) {
        k->last = manifest;
        k->seal = entry->seal;
        (void)entries_remove(k, name);
    }
    return status;
}

API adtape_status_t adtape_mpi_checkpoints_save(adtape_mpi_checkpoints_t *k, adtape_mpi_part_t write, void *user) {
    const void *site = SITE;
    char name[NAME_ROOM];
    if (k == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "checkpoints of all ranks: the handle is NULL");
    }
    const struct entry entry = entry_next(k, name);
    return complete(k, name, &entry,
                    write == NULL ? refuse(ADTAPE_STATUS_NULL_POINTER, "there is no function that writes: it is NULL")
                                  : entry_write(k, name, &entry, write, user),
                    site);
}

/* ---- the last checkpoint ---- */

API adtape_status_t adtape_mpi_checkpoints_load(adtape_mpi_checkpoints_t *k, adtape_mpi_part_t read, void *user) {
    const void *site = SITE;
    adtape_checkpoint_t *c = NULL;
    if (k == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "checkpoints of all ranks: the handle is NULL");
    }
    if (k->last.epoch == 0) {
        return refuse(ADTAPE_STATUS_NOT_FOUND, "there is no complete checkpoint %s of all ranks", k->name);
    }
    adtape_status_t status = read == NULL
                                 ? refuse(ADTAPE_STATUS_NULL_POINTER, "there is no function that reads: it is NULL")
                                 : entry_open(k, &c);
    if (status == ADTAPE_STATUS_OK) {
        status = read(c, user);
    }
    status = verdict(k->comm, status, "its part of the checkpoint could not be read", site);
    (void)adtape_checkpoint_close(c);
    return status;
}

API adtape_status_t adtape_mpi_checkpoints_remove(adtape_mpi_checkpoints_t *k) {
    const void *site = SITE;
    char name[NAME_ROOM];
    if (k == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "checkpoints of all ranks: the handle is NULL");
    }
    manifest_name(k, name);
    adtape_status_t status = k->comm->rank == 0 && k->last.epoch > 0 ? adtape_store_remove(k->store, name)
                                                                      : ADTAPE_STATUS_OK;
    status = status == ADTAPE_STATUS_NOT_FOUND ? ADTAPE_STATUS_OK : status;
    status = verdict(k->comm, status, "the manifest could not be removed", site);
    if (status != ADTAPE_STATUS_OK) {
        return status;
    }
    k->last = (struct manifest){0};
    return verdict(k->comm, entries_remove(k, NULL), "entries of a checkpoint could not be removed", site);
}
