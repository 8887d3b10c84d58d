/* admm.h: the calls on addresses of generated adjoints in C. The number of arguments tells the kit of 2020 (7 and 4) from
 * the current one (8 and 5); sizes keep their 64 bits. Link with -ladtape_kit -ladtape. docs/kit.md says what they do. */
#ifndef ADMM_INCLUDED
#define ADMM_INCLUDED

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void adtape_kit_admm_register(void *base, void **done, void *then, int64_t bytes, int elements);
void adtape_kit_admm_register_shadowed(void *base, void *then, int64_t bytes, void *adjoint_base, void **done,
                                       void *adjoint_then, int64_t adjoint_bytes, int elements);
void adtape_kit_admm2020_register_long(void *base, void *then, int64_t bytes, int elements);
void adtape_kit_admm2020_register_shadowed_long(void *base, void *then, int64_t bytes, void *adjoint_base,
                                                void *adjoint_then, int64_t adjoint_bytes, int elements);

/* The ninth argument. */
#define ADTAPE_KIT_NINTH_(a, b, c, d, e, f, g, h, ninth, ...) ninth

/* (base, [alreadyRebased,] obase, size, nbElements) */
#define ADMM_register(...)                                                                                             \
    ADTAPE_KIT_NINTH_(__VA_ARGS__, 0, 0, 0, adtape_kit_admm_register, adtape_kit_admm2020_register_long, 0, 0, 0)      \
    (__VA_ARGS__)
/* (base, obase, size, baseb, [alreadyRebasedb,] obaseb, sizeb, nbElements) */
#define ADMM_registerShadowed(...)                                                                                     \
    ADTAPE_KIT_NINTH_(__VA_ARGS__, adtape_kit_admm_register_shadowed, adtape_kit_admm2020_register_shadowed_long, 0,   \
                      0, 0, 0, 0, 0)                                                                                   \
    (__VA_ARGS__)

void ADMM_unregister(void *base, int *nbElements);
void ADMM_unregisterShadowed(void *base, void *baseb, int *nbElements);
void ADMM_rebase(void **pp);
void ADMM_rebaseShadowed(void **pp, void **ppb);
void ADMM_statistics(void);

/* The names before 2020, with the arguments of 2020. */
#define ADMM_Register adtape_kit_admm2020_register_long
#define ADMM_RegisterShadowed adtape_kit_admm2020_register_shadowed_long
void ADMM_Unregister(void *base, int *nbElements);
void ADMM_UnregisterShadowed(void *base, void *baseb, int *nbElements);
void ADMM_Rebase(void **pp);
void ADMM_RebaseShadowed(void **pp, void **ppb);

#ifdef __cplusplus
}
#endif

#endif
