#include "bits.h"

#include <string.h>

uint64_t bits_at(int64_t place, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ (uint64_t)place * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    return bits ^ bits >> 32;
}
