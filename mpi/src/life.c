/* life.c: the library's beginning and end. */

/* Check mode and its patience: of all ranks if of one, so that messages have one form. */
static void read_environment(const void *site) {
    const char *check = getenv("ADTAPE_CHECK"), *seconds = getenv("ADTAPE_MPI_TIMEOUT");
    char *end = NULL;
    int mine = check != NULL && strcmp(check, "1") == 0, any = 0;
    mpi.timeout = 300;
    if (seconds != NULL) {
        mpi.timeout = strtod(seconds, &end);
        if (end == seconds || *end != '\0' || !(mpi.timeout > 0)) {
            fail(ADTAPE_STATUS_BAD_ENVIRONMENT, site, "ADTAPE_MPI_TIMEOUT is `%s`, which is no number of seconds",
                 seconds);
        }
    }
    (void)MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    mpi.check = any != 0;
}

/* Handles of one MPI mean nothing to another one, whose functions may still have the same names. */
static void expect_own_mpi(const void *site) {
    static char version[16384]; /* MPIs have maxima of their own */
    int length = 0;
#ifdef OPEN_MPI
    static const char own[] = "Open MPI", other[] = "MPICH";
#else
    static const char own[] = "MPICH or a relative", other[] = "Open MPI";
#endif
    (void)MPI_Get_library_version(version, &length);
    if (strstr(version, other) != NULL) {
        version[strcspn(version, ",\n")] = '\0';
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "libadtape_mpi is compiled for %s, and the program runs %.80s\n"
             "  compile it by the program's mpicc (make install MPICC=…), and give that directory to the linker first",
             own, version);
    }
}

static void begin(const void *site) {
    if (mpi.ready) {
        return;
    }
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    /* MPI_Finalize calls comm_gone, also after a dlclose. */
    adtape_abi0_stay((const void *)&mpi);
    (void)MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_gone, &mpi.comm_key, NULL);
    mpi.ready = true;
    layouts_begin();
    tags_begin();
    extremes_begin();
    read_environment(site);
    comm_adopt(MPI_COMM_WORLD, site);
    comm_adopt(MPI_COMM_SELF, site);
}

API int adtape_MPI_Init(int *argc, char ***argv) {
    int there = 0;
    expect_own_mpi(SITE);
    (void)MPI_Initialized(&there);
    const int code = there ? MPI_SUCCESS : MPI_Init(argc, argv);
    if (code == MPI_SUCCESS) {
        begin(SITE);
    }
    return code;
}

API int adtape_MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int there = 0;
    expect_own_mpi(SITE);
    (void)MPI_Initialized(&there);
    const int most = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    const int code = there ? MPI_Query_thread(provided) : MPI_Init_thread(argc, argv, most, provided);
    if (code == MPI_SUCCESS) {
        *provided = *provided < MPI_THREAD_SERIALIZED ? *provided : MPI_THREAD_SERIALIZED;
        begin(SITE);
    }
    return code;
}

/* Frees what the ranks have of the library; every rank is here. */
static void end(const void *site) {
    expect_ready(site);
    expect_none_unasked(site);
    outgoing_end(site);
    for (int i = 0; i < comms.count; i++) {
        struct comm *comm = comms.at[i];
        if (comm->mirrored != MPI_COMM_NULL) {
            (void)MPI_Comm_free(&comm->mirrored);
        }
        (void)MPI_Comm_free(&comm->twin);
        table_clear(&comm->next);
    }
    (void)MPI_Comm_delete_attr(MPI_COMM_WORLD, mpi.comm_key);
    (void)MPI_Comm_delete_attr(MPI_COMM_SELF, mpi.comm_key);
    (void)MPI_Comm_free_keyval(&mpi.comm_key);
    extremes_end();
    users_end();
    joins_end();
    layouts_end();
    table_clear(&late_numbers);
    table_clear(&requests_by_handle);
    underway_end();
    persistents_end();
    matched_end();
    rooms_end();
    windows_end();
    mpi.under_way = 0;
    mpi.ready = false;
}

API int adtape_MPI_Finalize(void) {
    end(SITE);
    return MPI_Finalize();
}
