/* Handler-safe locks: the only locks that handlers may take.
 *
 * Between lock and unlock a thread may not communicate, poll or wait (except to reply, in a handler), and it
 * must unlock in the reverse order of locking. Not recursive. In a SEQ client no lock is ever contended.
 */
#ifndef AQUEDUCT_LOCK_H_
#define AQUEDUCT_LOCK_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

typedef struct {
  int32_t word_;
  int32_t holder_;
  uint64_t spare_[3];
} gex_HSL_t;

/* clang-format off */
#define GEX_HSL_INITIALIZER {0, 0, {0, 0, 0}}
/* clang-format on */

AQ_BEGIN_C_

AQ_API_ void gex_HSL_Init(gex_HSL_t* lock);
AQ_API_ void gex_HSL_Destroy(gex_HSL_t* lock);
AQ_API_ void gex_HSL_Lock(gex_HSL_t* lock);
AQ_API_ void gex_HSL_Unlock(gex_HSL_t* lock);
AQ_API_ int gex_HSL_Trylock(gex_HSL_t* lock); /* GASNET_OK, or GASNET_ERR_NOT_READY if it is held */

AQ_END_C_

#endif
