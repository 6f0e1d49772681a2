/* What the library calls itself: names and versions for programs that print them or decide by them.
 *
 * The conduit is chosen when a job starts, not here. Programs that were written for one library per conduit
 * look for a GASNET_CONDUIT_<NAME> macro; it is the one the client passes, or GASNET_CONDUIT_SMP.
 */
#ifndef AQUEDUCT_IDENTITY_H_
#define AQUEDUCT_IDENTITY_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/thread_mode.h"
#include "gasnet_config.h"

/* clang-format off */
#if (defined(GASNET_CONDUIT_SMP) + defined(GASNET_CONDUIT_UDP) + defined(GASNET_CONDUIT_MPI) + \
     defined(GASNET_CONDUIT_IBV) + defined(GASNET_CONDUIT_OFI) + defined(GASNET_CONDUIT_UCX) + \
     defined(GASNET_CONDUIT_ARIES)) > 1
/* clang-format on */
#error "more than one GASNET_CONDUIT_ macro: define at most one"
#elif defined(GASNET_CONDUIT_UDP)
#define GASNET_CONDUIT_NAME UDP
#elif defined(GASNET_CONDUIT_MPI)
#define GASNET_CONDUIT_NAME MPI
#elif defined(GASNET_CONDUIT_IBV)
#define GASNET_CONDUIT_NAME IBV
#elif defined(GASNET_CONDUIT_OFI)
#define GASNET_CONDUIT_NAME OFI
#elif defined(GASNET_CONDUIT_UCX)
#define GASNET_CONDUIT_NAME UCX
#elif defined(GASNET_CONDUIT_ARIES)
#define GASNET_CONDUIT_NAME ARIES
#else
#define GASNET_CONDUIT_NAME SMP
#undef GASNET_CONDUIT_SMP
#define GASNET_CONDUIT_SMP 1
#endif
#define GASNET_CONDUIT_NAME_STR AQ_TEXT_(GASNET_CONDUIT_NAME)

/* Core and Extended are each written once, over all conduits. */
#define GASNET_CORE_NAME AQUEDUCT
#define GASNET_CORE_NAME_STR AQ_TEXT_(GASNET_CORE_NAME)
#define GASNET_CORE_VERSION AQUEDUCT_VERSION
#define GASNET_CORE_VERSION_STR AQ_TEXT_(GASNET_CORE_VERSION)
#define GASNET_EXTENDED_NAME AQUEDUCT
#define GASNET_EXTENDED_NAME_STR AQ_TEXT_(GASNET_EXTENDED_NAME)
#define GASNET_EXTENDED_VERSION AQUEDUCT_VERSION
#define GASNET_EXTENDED_VERSION_STR AQ_TEXT_(GASNET_EXTENDED_VERSION)

/* One line that says all of this, for programs to print. */
/* clang-format off */
#define AQ_RELEASE_TEXT_                                                                 \
  AQ_TEXT_(GASNET_RELEASE_VERSION_MAJOR) "." AQ_TEXT_(GASNET_RELEASE_VERSION_MINOR) "."  \
  AQ_TEXT_(GASNET_RELEASE_VERSION_PATCH)
#define AQ_SPEC_TEXT_ AQ_TEXT_(GEX_SPEC_VERSION_MAJOR) "." AQ_TEXT_(GEX_SPEC_VERSION_MINOR)
#define AQ_CORE_TEXT_ GASNET_CORE_NAME_STR "-" GASNET_CORE_VERSION_STR
#define AQ_EXTENDED_TEXT_ GASNET_EXTENDED_NAME_STR "-" GASNET_EXTENDED_VERSION_STR
#ifdef GASNET_SEGMENT_EVERYTHING
#define AQ_SEGMENT_TEXT_ "EVERYTHING"
#else
#define AQ_SEGMENT_TEXT_ "FAST"
#endif
#if UINTPTR_MAX == 0xffffffffffffffff
#define AQ_POINTER_TEXT_ "64bit"
#else
#define AQ_POINTER_TEXT_ "32bit"
#endif
#ifdef GASNET_DEBUG
#define AQ_DEBUG_TEXT_ "debug"
#else
#define AQ_DEBUG_TEXT_ "nodebug"
#endif
#define GASNET_CONFIG_STRING                                                       \
  "RELEASE=" AQ_RELEASE_TEXT_                                                      \
  ",SPEC=" AQ_SPEC_TEXT_                                                           \
  ",CONDUIT=" GASNET_CONDUIT_NAME_STR "(" AQ_CORE_TEXT_ "/" AQ_EXTENDED_TEXT_ ")"  \
  ",THREADMODEL=" AQ_TEXT_(AQ_THREAD_MODEL_)                                       \
  ",SEGMENT=" AQ_SEGMENT_TEXT_                                                     \
  ",PTR=" AQ_POINTER_TEXT_                                                         \
  ",PSHM"                                                                          \
  "," AQ_DEBUG_TEXT_                                                               \
  ",trace,stats,srclines"

/* What launchers and scripts look for in the text of a program. */
#define AQ_CLIENT_IDENT_                                                       \
  "$GASNetConduitName: " GASNET_CONDUIT_NAME_STR " $\n"                        \
  "$GASNetThreadModel: GASNET_" AQ_TEXT_(AQ_THREAD_MODEL_) " $\n"              \
  "$GASNetSegment: GASNET_SEGMENT_" AQ_SEGMENT_TEXT_ " $\n"                       \
  "$GASNetEXAPIVersion: " AQ_SPEC_TEXT_ " $\n"                                 \
  "$GASNetConfig: (libgasnet.a) " GASNET_CONFIG_STRING " $\n"                  \
  "$GASNetDefaultSpawner: fork $\n"
/* clang-format on */

/* What the calls that start the library pass to it. */
#define AQ_START_CONFIG_ aq_identified_(AQ_CLIENT_CONFIG_, AQ_CLIENT_IDENT_)

#endif
