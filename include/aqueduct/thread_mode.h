/* Which threads of the client may call the library, as the client promised with -DGASNET_SEQ, _PAR or
 * _PARSYNC.
 *
 * SEQ: one thread in all. PARSYNC: any thread, never two at once. PAR: any threads, at once.
 * One library serves all three; the promise reaches it through gex_Client_Init.
 */
#ifndef AQUEDUCT_THREAD_MODE_H_
#define AQUEDUCT_THREAD_MODE_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_config.h"

#ifdef AQUEDUCT_BUILDING_LIBRARY
#define AQ_THREAD_MODEL_ ANY
#define AQ_CLIENT_CONFIG_ 0u /* the library is no client */
#else
#include "aqueduct/detail/origin.h"

#if defined(GASNET_SEQ) + defined(GASNET_PAR) + defined(GASNET_PARSYNC) == 0
#error "no threading mode: compile with one of -DGASNET_SEQ, -DGASNET_PAR or -DGASNET_PARSYNC"
#elif defined(GASNET_SEQ) + defined(GASNET_PAR) + defined(GASNET_PARSYNC) > 1
#error "more than one threading mode: define exactly one of GASNET_SEQ, GASNET_PAR and GASNET_PARSYNC"
#endif

#if defined(GASNET_SEQ)
#undef GASNET_SEQ
#define GASNET_SEQ 1
#define AQ_THREAD_MODEL_ SEQ
#define AQ_THREAD_MODE_ 0u
#elif defined(GASNET_PAR)
#undef GASNET_PAR
#define GASNET_PAR 1
#define AQ_THREAD_MODEL_ PAR
#define AQ_THREAD_MODE_ 1u
#else
#undef GASNET_PARSYNC
#define GASNET_PARSYNC 1
#define AQ_THREAD_MODEL_ PARSYNC
#define AQ_THREAD_MODE_ 2u
#endif

#ifdef GASNET_DEBUG
#define AQ_DEBUG_CLIENT_ 1u
#else
#define AQ_DEBUG_CLIENT_ 0u
#endif

#ifdef GASNET_SEGMENT_EVERYTHING
#define AQ_EVERYTHING_CLIENT_ 1u
#else
#define AQ_EVERYTHING_CLIENT_ 0u
#endif

/* The conduit that it was compiled for (api/client_config.hpp). SMP counts only where the client says so
 * itself. */
#if defined(GASNET_CONDUIT_UDP)
#define AQ_CLIENT_CONDUIT_ 1u
#elif defined(GASNET_CONDUIT_MPI)
#define AQ_CLIENT_CONDUIT_ 2u
#elif defined(GASNET_CONDUIT_OFI)
#define AQ_CLIENT_CONDUIT_ 3u
#elif defined(GASNET_CONDUIT_SMP)
#define AQ_CLIENT_CONDUIT_ 4u
#else
#define AQ_CLIENT_CONDUIT_ 0u
#endif

/* What a client was compiled as: bits 0-1 the threading mode, bit 8 set for debug, bit 9 for
 * GASNET_SEGMENT_EVERYTHING, bits 10-12 the conduit, bits 16-31 the headers' version. */
#define AQ_HEADER_VERSION_ 1u
#define AQ_CLIENT_CONFIG_                                                                            \
  (AQ_THREAD_MODE_ | AQ_DEBUG_CLIENT_ << 8 | AQ_EVERYTHING_CLIENT_ << 9 | AQ_CLIENT_CONDUIT_ << 10 | \
   AQ_HEADER_VERSION_ << 16)

/* That, by way of a text that thereby becomes part of the program. */
AQ_ALWAYS_INLINE_ unsigned int aq_identified_(unsigned int config, const char* ident) {
  __asm__ volatile("" : : "r"(ident));
  return config;
}

#endif
#endif
