/* adtape/process.h: limits, errors and settings, which all tapes, heaps and objects of the process share.
 * Generated from src/ffi/process; do not edit. */
#ifndef ADTAPE_PROCESS_H
#define ADTAPE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version that these headers belong to; adtape_version() says which the library is of.
#define ADTAPE_VERSION "0.1.0"
#define ADTAPE_VERSION_MAJOR 0
#define ADTAPE_VERSION_MINOR 1
#define ADTAPE_VERSION_PATCH 0

// A program's own reaction to an error that a push or pop cannot return; NULL for the default. The status is one
// of ADTAPE_STATUS_…, the message valid during the call, user what was given with the handler.
typedef void (*adtape_error_handler_t)(int32_t status, const char *message, void *user);

// The kind of an error.
enum {
    // No error.
    ADTAPE_STATUS_OK = 0,
    // A handle is NULL.
    ADTAPE_STATUS_NULL_HANDLE = 1,
    // An address is NULL and its count is not zero.
    ADTAPE_STATUS_NULL_POINTER = 2,
    // A count is negative or larger than the address space.
    ADTAPE_STATUS_COUNT_RANGE = 3,
    // An argument has no meaning here: a type, a width in bits, a rank, an extent, an enumerated value.
    ADTAPE_STATUS_BAD_ARGUMENT = 4,
    // A pop of more than the tape holds.
    ADTAPE_STATUS_UNDERFLOW = 5,
    // The process's memory limit would be exceeded.
    ADTAPE_STATUS_MEMORY_LIMIT = 6,
    // The operating system refuses memory or address space.
    ADTAPE_STATUS_OUT_OF_MEMORY = 7,
    // A repeat region is reset or ended that was not started.
    ADTAPE_STATUS_REPEAT_UNBALANCED = 8,
    // A mark was taken on another tape.
    ADTAPE_STATUS_MARK_FOREIGN = 9,
    // A mark lies above the top: what it points to was popped since.
    ADTAPE_STATUS_MARK_ABOVE_TOP = 10,
    // Check mode: the value popped is not of the type and count that were pushed.
    ADTAPE_STATUS_MISMATCH = 11,
    // What is popped as control bits or as a count was not pushed as one.
    ADTAPE_STATUS_CORRUPT = 12,
    // The tape belongs to another thread.
    ADTAPE_STATUS_WRONG_THREAD = 13,
    // The tape was released and not acquired since, or is not released and cannot be acquired.
    ADTAPE_STATUS_RELEASED = 14,
    // The tape is attached to a local cursor, or is not and cannot be detached.
    ADTAPE_STATUS_ATTACHED = 15,
    // An earlier failure left the tape unusable.
    ADTAPE_STATUS_POISONED = 16,
    // An environment variable of adtape has a value that cannot be understood.
    ADTAPE_STATUS_BAD_ENVIRONMENT = 17,
    // A store or a file descriptor could not be written or read.
    ADTAPE_STATUS_IO = 18,
    // There is no checkpoint, or no section of a checkpoint, of this name.
    ADTAPE_STATUS_NOT_FOUND = 19,
    // A checkpoint or spilled tape is not as it was written: cut off, changed, renamed, or none at all.
    ADTAPE_STATUS_DAMAGED = 20,
    // A checkpoint was written in another version of the format.
    ADTAPE_STATUS_OTHER_VERSION = 21,
    // A range overlaps one that is alive, or comes back while it is alive.
    ADTAPE_STATUS_OVERLAP = 22,
    // An address is in no range that is alive, or no range begins there.
    ADTAPE_STATUS_NO_RANGE = 23,
    // Several ranges begin at an address, empty ones among them.
    ADTAPE_STATUS_AMBIGUOUS = 24,
    // An offset does not come out whole when it is scaled to an adjoint of another size.
    ADTAPE_STATUS_UNEVEN = 25,
    // A function of the program asked to end what it was called from.
    ADTAPE_STATUS_STOPPED = 26,
    // A pointer that is freed is no block of the heap, was freed already, or points into the middle of one.
    ADTAPE_STATUS_BAD_BLOCK = 27,
    // The heap is not in the state of the forward sweep.
    ADTAPE_STATUS_HEAP_STATE = 28,
    // A block has no adjoint: the reversal point was not declared.
    ADTAPE_STATUS_NO_ADJOINT = 29,
    // Another process has the files of a store.
    ADTAPE_STATUS_IN_USE = 30,
};
typedef int32_t adtape_status_t;

// Memory of all tapes of a process, and what of them is in files, in bytes where not said otherwise.
typedef struct {
    // The most that may be committed.
    int64_t limit_bytes;
    // Readable and writable now.
    int64_t committed_bytes;
    // The most that was committed at once.
    int64_t peak_committed_bytes;
    // Address space.
    int64_t reserved_bytes;
    // Spilled tape in files now.
    int64_t disk_bytes;
    // The most that was in files at once.
    int64_t peak_disk_bytes;
    // Written to files so far.
    int64_t disk_written_bytes;
    // Read back from files so far.
    int64_t disk_read_bytes;
    // Nanoseconds that pushes and pops of all threads have waited for files so far.
    int64_t disk_wait_nanoseconds;
} adtape_memory_t;

/* ---- error ----------------------------------------------------------------------------------------------- */

// The message of this thread's last error, in one or more lines without a final line feed; "" if there was none. A
// success does not clear it. Never NULL. Valid until the thread's next error.
//
// Fortran: `text = adtape_error_message()`, a `character(:), allocatable`.
const char *adtape_error_message(void);

// The name of a status, e.g. "ADTAPE_STATUS_UNDERFLOW"; "unknown status" for other values. Never NULL, valid for
// ever.
//
// Fortran: `text = adtape_status_name(status)`.
const char *adtape_status_name(int32_t status);

/* ---- settings -------------------------------------------------------------------------------------------- */

// Sets the most memory, in bytes, that all tapes of the process may have committed together. 0 stands for
// ADTAPE_MEMORY_LIMIT or, where that is not set, three quarters of physical memory or of the control group's limit, the
// smaller one, or all of it where tapes have no directory to spill to. A push that would exceed it, and finds nothing
// that can be spilled, is an error (ADTAPE_STATUS_MEMORY_LIMIT); a limit below what is committed now stops all growth
// and takes nothing away.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_COUNT_RANGE (a negative limit). Any thread.
// Fortran: `call process_set_memory_limit(limit_bytes)`, an `integer(c_int64_t)`.
adtape_status_t adtape_process_set_memory_limit(int64_t limit_bytes);

// Sets the directory that tapes spill to, a path: when a push, or a block of a stable heap, would exceed the memory
// limit, the oldest part of the tape with the largest idle part, on whichever thread, goes to a file there, which
// has no name, vanishes with the process, and is no child's of it (fork). It is read back by the pops that reach
// it; what is popped in a repeat region stays in memory until the region ends, and has to fit under the limit. NULL
// stands for ADTAPE_SPILL_DIRECTORY or, where that is not set, for none; without a memory limit, for the directory for
// temporary files, unless that is in memory itself. Tapes that have spilled already stay where they are. Set the memory
// limit, too: by default it is three quarters of what the machine has.
//
// A thread of adtape writes and reads in the background; an error of a write is met by a push that needs memory. A push
// for which the disk has no space is an error (ADTAPE_STATUS_IO) that leaves the tape unchanged; where no memory limit is
// set, tapes then take the rest of the memory first, and say so on standard error. A pop
// for which the file cannot be read (ADTAPE_STATUS_IO) or does not hold what was written (ADTAPE_STATUS_DAMAGED)
// leaves the tape unusable. A child of fork that needs the file gets ADTAPE_STATUS_IO.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, or ADTAPE_STATUS_IO if there can be no file in it. Any thread.
// Fortran: `call process_set_spill_directory(directory)`; the argument is optional.
adtape_status_t adtape_process_set_spill_directory(const char *directory);

// What all tapes of the process have, in bytes, and what they moved to files and back. The bytes written or read over a
// time are the rate of the disk; the nanoseconds waited are what spilling takes of that time, added up over threads.
//
// Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. Any thread.
// Fortran: `call process_memory(memory)`.
adtape_status_t adtape_process_memory(adtape_memory_t *out);

// Installs a handler for the errors of calls that return no status: pushes and pops. It is called on the thread
// that failed with the status, the message (valid during the call) and `user`, and must not return: it may
// end the process or the thread. If it does return, the process aborts. NULL restores the default, which
// prints the message to standard error and aborts.
//
// Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_NULL_HANDLE. Any thread.
// Fortran: `call process_set_error_handler(handler, user)` with a `bind(c)` procedure of the abstract interface
// `adtape_error_handler`, and a `type(c_ptr)`; both are optional.
adtape_status_t adtape_process_set_error_handler(adtape_error_handler_t handler, void *user);

// The version of the library that the program runs with, e.g. "0.1.0". Valid for ever. ADTAPE_VERSION is that of the
// headers that a source was compiled with, as text; ADTAPE_VERSION_MAJOR, …_MINOR and …_PATCH are its numbers.
//
// Errors: none. Any thread. Fortran: `text = adtape_version()`.
const char *adtape_version(void);

#ifdef __cplusplus
}
#endif

#endif
