/* allocator.c: malloc that makes life hard for code that trusts addresses, for programs whose language hides it. A program
 * that is linked with it and -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=CFI_allocate,
 * --wrap=CFI_deallocate, in one word, obeys EXAMPLE_ALLOCATOR:
 *
 *   reuse   an address that is freed is given out again at once
 *   fresh   no address is ever given out again
 *
 * and has the system's malloc otherwise. blocks.h and blocks.f90 do the same inside a program. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include <ISO_Fortran_binding.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_malloc(size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
int __real_CFI_allocate(CFI_cdesc_t *array, const CFI_index_t *lower, const CFI_index_t *upper, size_t element_bytes);

enum { SYSTEM, REUSE, FRESH };
static const size_t reserve = (size_t)16 << 30;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *arena, *next;
static int policy = -1;

/* Before each block. */
typedef struct head {
    size_t bytes;
    struct head *below; /* in the list of the free ones of its size */
} head;

/* Sizes up to 64 KiB in steps of 16 bytes, powers of two above. */
static head *free_ones[4096 + 64];
static head **list_of(size_t *bytes) {
    int power = 0;
    if (*bytes <= 65536) {
        const size_t step = *bytes == 0 ? 1 : (*bytes + 15) / 16;
        *bytes = step * 16;
        return &free_ones[step - 1];
    }
    while (((size_t)1 << power) < *bytes) {
        power++;
    }
    *bytes = (size_t)1 << power;
    return &free_ones[4096 + power];
}

static int is_ours(const void *block) {
    return arena != NULL && (uintptr_t)block >= (uintptr_t)arena && (uintptr_t)block - (uintptr_t)arena < reserve;
}

static void choose(void) {
    const char *name = getenv("EXAMPLE_ALLOCATOR");
    policy = name == NULL ? SYSTEM : strcmp(name, "fresh") == 0 ? FRESH : strcmp(name, "reuse") == 0 ? REUSE : SYSTEM;
    if (policy != SYSTEM) {
        arena = next = mmap(NULL, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED) {
            abort();
        }
    }
}

void *__wrap_malloc(size_t bytes) {
    head **list, *found;
    pthread_mutex_lock(&lock);
    if (policy < 0) {
        choose();
    }
    if (policy == SYSTEM || bytes > reserve / 4) {
        pthread_mutex_unlock(&lock);
        return __real_malloc(bytes);
    }
    list = list_of(&bytes);
    found = *list;
    if (found != NULL) {
        *list = found->below;
    } else if (bytes + sizeof *found <= (size_t)(arena + reserve - next)) {
        found = (head *)next;
        found->bytes = bytes;
        next += sizeof *found + bytes;
    }
    pthread_mutex_unlock(&lock);
    return found == NULL ? NULL : found + 1;
}

/* What was in the block is lost at once: no number, and no address. */
void __wrap_free(void *block) {
    head *found = (head *)block - 1, **list;
    if (!is_ours(block)) {
        __real_free(block);
        return;
    }
    memset(block, 0xff, found->bytes);
    if (policy == REUSE) {
        pthread_mutex_lock(&lock);
        list = list_of(&found->bytes);
        found->below = *list;
        *list = found;
        pthread_mutex_unlock(&lock);
    }
}

void *__wrap_calloc(size_t count, size_t bytes) {
    void *block;
    if (bytes != 0 && count > SIZE_MAX / bytes) {
        return NULL;
    }
    block = __wrap_malloc(count * bytes);
    return block == NULL ? NULL : memset(block, 0, count * bytes);
}

void *__wrap_realloc(void *block, size_t bytes) {
    const size_t had = is_ours(block) ? ((head *)block - 1)->bytes : 0;
    void *other;
    if (block != NULL && !is_ours(block)) {
        return __real_realloc(block, bytes);
    }
    other = __wrap_malloc(bytes);
    if (other != NULL && block != NULL) {
        memcpy(other, block, had < bytes ? had : bytes);
        __wrap_free(block);
    }
    return other;
}

/* What gfortran's own library allocates and frees for C, where its calls of malloc and free are not wrapped; flang's, which
 * is linked statically, are. */
int __wrap_CFI_allocate(CFI_cdesc_t *array, const CFI_index_t *lower, const CFI_index_t *upper, size_t element_bytes) {
    const int status = __real_CFI_allocate(array, lower, upper, element_bytes);
    size_t bytes = array->elem_len;
    void *ours;
    if (status != CFI_SUCCESS || is_ours(array->base_addr)) {
        return status;
    }
    for (int i = 0; i < array->rank; i++) {
        bytes *= (size_t)array->dim[i].extent;
    }
    ours = __wrap_malloc(bytes);
    __real_free(array->base_addr);
    array->base_addr = ours;
    return ours == NULL ? CFI_ERROR_MEM_ALLOCATION : CFI_SUCCESS;
}

int __wrap_CFI_deallocate(CFI_cdesc_t *array) {
    if (array->base_addr == NULL) {
        return CFI_ERROR_BASE_ADDR_NULL;
    }
    __wrap_free(array->base_addr);
    array->base_addr = NULL;
    return CFI_SUCCESS;
}
