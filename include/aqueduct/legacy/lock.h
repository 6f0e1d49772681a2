/* What GASNet-1 calls handler-safe locks. */
#ifndef AQUEDUCT_LEGACY_LOCK_H_
#define AQUEDUCT_LEGACY_LOCK_H_

#include "aqueduct/lock.h"

typedef gex_HSL_t gasnet_hsl_t;

#define GASNET_HSL_INITIALIZER GEX_HSL_INITIALIZER
#define gasnet_hsl_init(lock) gex_HSL_Init(lock)
#define gasnet_hsl_destroy(lock) gex_HSL_Destroy(lock)
#define gasnet_hsl_lock(lock) gex_HSL_Lock(lock)
#define gasnet_hsl_unlock(lock) gex_HSL_Unlock(lock)
#define gasnet_hsl_trylock(lock) gex_HSL_Trylock(lock)

#endif
