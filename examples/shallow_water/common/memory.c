#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The number after `key` at the start of a line of `path`, which may be the empty key; -1 if there is none. */
static int64_t number_in_file(const char *path, const char *key) {
    char line[256];
    int64_t value = -1;
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return -1;
    }
    while (value < 0 && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNd64, &value) != 1) {
            value = -1;
        }
    }
    (void)fclose(f);
    return value;
}

/* The path of this process in the memory controller's hierarchy: version 2 for key "0::", version 1 for
 * ":memory:". 0 if it is in none. */
static int cgroup_path(const char *key, char *path, size_t path_bytes) {
    char line[512];
    int found = 0;
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        const char *at = strstr(line, key);
        if (at != NULL && (at == line || key[0] == ':')) {
            (void)snprintf(path, path_bytes, "%s", at + strlen(key));
            path[strcspn(path, "\n")] = '\0';
            found = 1;
        }
    }
    if (f != NULL) {
        (void)fclose(f);
    }
    return found;
}

/* What the groups from `path` up to `mount` leave, the least of them; INT64_MAX if none has a limit. Cached
 * file pages that can be dropped do not count as used. */
static int64_t cgroup_left(const char *mount, char *path, const char *limit_name, const char *usage_name,
                           const char *cache_key) {
    int64_t least = INT64_MAX;
    for (;;) {
        char file[1024];
        int64_t limit, usage, cache;
        char *slash;
        (void)snprintf(file, sizeof file, "%s%s/%s", mount, path, limit_name);
        limit = number_in_file(file, ""); /* "max" is no number */
        (void)snprintf(file, sizeof file, "%s%s/%s", mount, path, usage_name);
        usage = number_in_file(file, "");
        (void)snprintf(file, sizeof file, "%s%s/memory.stat", mount, path);
        cache = number_in_file(file, cache_key);
        if (limit >= 0 && usage >= 0 && limit - usage + (cache > 0 ? cache : 0) < least) {
            least = limit - usage + (cache > 0 ? cache : 0);
        }
        slash = strrchr(path, '/');
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

static void at_most(int64_t *available, const char **source, int64_t bytes, const char *name) {
    if (bytes < *available) {
        *available = bytes > 0 ? bytes : 0;
        *source = name;
    }
}

int64_t memory_available_bytes(const char **source) {
    char path[512];
    struct rlimit r;
    int64_t available = INT64_MAX;
    const int64_t free_kib = number_in_file("/proc/meminfo", "MemAvailable:");
    const int64_t mapped_kib = number_in_file("/proc/self/status", "VmSize:");
    const int64_t data_kib = number_in_file("/proc/self/status", "VmData:");
    *source = "no known limit";
    if (free_kib >= 0) {
        at_most(&available, source, free_kib * 1024, "the machine's free memory");
    }
    if (cgroup_path("0::", path, sizeof path)) {
        at_most(&available, source,
                cgroup_left("/sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file"),
                "the container's limit (cgroup)");
    }
    if (cgroup_path(":memory:", path, sizeof path)) {
        at_most(&available, source,
                cgroup_left("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file"),
                "the container's limit (cgroup)");
    }
    /* A tape that outgrows its address space is moved, so that for a moment there are two: half is usable. */
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= INT64_MAX) {
        at_most(&available, source, ((int64_t)r.rlim_cur - mapped_kib * 1024) / 2, "half of what ulimit -v leaves");
    }
    if (getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= INT64_MAX) {
        at_most(&available, source, (int64_t)r.rlim_cur - data_kib * 1024, "what ulimit -d leaves");
    }
    return available;
}

int64_t memory_peak_resident_bytes(void) {
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (int64_t)u.ru_maxrss * 1024;
}
