/* The fences that an atomic operation carries: the last argument of each, any of these combined.
 *
 * PRE: a fence before the operation, POST: one after it. RMB, WMB and MB are the fences of fences.h. The
 * conditional ones count for operations with a boolean result, compare_and_swap and decrement_and_test. An
 * operation gives at least what is asked for. REL and ACQ have the values of the flags of the same names for
 * gex_AD_Op*.
 */
#ifndef AQUEDUCT_TOOLS_ATOMIC_FLAGS_H_
#define AQUEDUCT_TOOLS_ATOMIC_FLAGS_H_

#define GASNETT_ATOMIC_NONE 0

#define GASNETT_ATOMIC_RMB_POST (1 << 18)
#define GASNETT_ATOMIC_WMB_PRE (1 << 19)
#define GASNETT_ATOMIC_RMB_PRE (1 << 20)
#define GASNETT_ATOMIC_WMB_POST (1 << 21)
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_MB_POST (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE (1 << 22)
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE (1 << 23)

#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

#endif
