/* adtape_kit_admm2020.c: the two calls on addresses whose arguments were others in the kit of 2020, under the same names.
 * A library of its own, to be linked before libadtape_kit; with ADTAPE_KIT_ADMM2020, part of adtape_kit.c. */
#if !defined(KIT_API)
#define KIT_API __attribute__((visibility("default")))
void adtape_kit_admm2020_register_shadowed(void *base, void *then, int size, void *adjoint_base, void *adjoint_then,
                                           int adjoint_size, int elements);
void adtape_kit_admm2020_register(void *base, void *then, int size, int elements);
#endif

KIT_API void ADMM_registerShadowed(void *base, void *then, int size, void *adjoint_base, void *adjoint_then,
                                   int adjoint_size, int elements) {
    adtape_kit_admm2020_register_shadowed(base, then, size, adjoint_base, adjoint_then, adjoint_size, elements);
}
KIT_API void ADMM_register(void *base, void *then, int size, int elements) {
    adtape_kit_admm2020_register(base, then, size, elements);
}
