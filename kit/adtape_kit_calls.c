/* adtape_kit_calls.c: pushes and pops for a program that is linked with the shared kit.
 *
 * A call into a shared library goes through the linker's table, which takes as long as the push itself. So what
 * `-ladtape_kit` finds is a script that names two libraries: libadtape_kit_calls.a, this file, whose pushes and pops
 * become part of the program, and libadtape_kit.so.0, which has their slow path and all other calls. The names are
 * hidden: each program and each shared library calls its own. They are weak, as in the libraries. */
#define ADTAPE_KIT_CALLS
#include "adtape_kit.h"

#include "adComplex.h"

#define KIT_FAST __attribute__((visibility("hidden"), weak))
#define KIT_INLINABLE KIT_FAST

#include "src/adtape_kit_entry.c"
