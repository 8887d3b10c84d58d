/* addresses.h: the calls on addresses as programs declare them. With KIT_INLINE the names come from kit/include/admm.h;
 * with ABI2020 the arguments are those of 2020, which lack the address of a pointer to the block that is rebased already. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include <stdint.h>

#ifdef KIT_INLINE
#include "admm.h"
#else
#ifdef ABI2020
void ADMM_register(void *base, void *obase, int size, int n);
void ADMM_registerShadowed(void *base, void *obase, int size, void *baseb, void *obaseb, int sizeb, int n);
#else
void ADMM_register(void *base, void **done, void *obase, int size, int n);
void ADMM_registerShadowed(void *base, void *obase, int size, void *baseb, void **doneb, void *obaseb, int sizeb, int n);
#endif
void ADMM_unregister(void *base, int *n);
void ADMM_unregisterShadowed(void *base, void *baseb, int *n);
void ADMM_rebase(void **pp);
void ADMM_rebaseShadowed(void **pp, void **ppb);
void ADMM_statistics(void);
void ADMM_Register(void *base, void *obase, int size, int n);
void ADMM_RegisterShadowed(void *base, void *obase, int size, void *baseb, void *obaseb, int sizeb, int n);
void ADMM_Unregister(void *base, int *n);
void ADMM_UnregisterShadowed(void *base, void *baseb, int *n);
void ADMM_Rebase(void **pp);
void ADMM_RebaseShadowed(void **pp, void **ppb);
void adtape_kit_admm_register(void *base, void **done, void *then, int64_t bytes, int elements);
void adtape_kit_admm_register_shadowed(void *base, void *then, int64_t bytes, void *adjoint_base, void **done,
                                       void *adjoint_then, int64_t adjoint_bytes, int elements);
void adtape_kit_admm2020_register_long(void *base, void *then, int64_t bytes, int elements);
void adtape_kit_admm2020_register_shadowed_long(void *base, void *then, int64_t bytes, void *adjoint_base,
                                                void *adjoint_then, int64_t adjoint_bytes, int elements);
#endif
void adtape_kit_admm2020_register(void *base, void *then, int size, int elements);
void adtape_kit_admm2020_register_shadowed(void *base, void *then, int size, void *adjoint_base, void *adjoint_then,
                                           int adjoint_size, int elements);

#ifdef KIT_INLINE
#define SIZE(bytes) (bytes)
#else
#define SIZE(bytes) (int)(bytes)
#endif
#ifdef ABI2020
#define ARGUMENTS 4
#define REGISTER(base, done, obase, size, n) ADMM_register(base, obase, size, n)
#define REGISTER_SHADOWED(base, obase, size, baseb, done, obaseb, sizeb, n) \
    ADMM_registerShadowed(base, obase, size, baseb, obaseb, sizeb, n)
#else
#define ARGUMENTS 5
#define REGISTER ADMM_register
#define REGISTER_SHADOWED ADMM_registerShadowed
#endif

#endif
