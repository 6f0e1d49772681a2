/* Which threads a client of the tools has, and whether its calls are checked.
 *
 * A client of gasnet_tools.h alone defines at most one of
 *   GASNETT_THREAD_SAFE     several threads use the tools
 *   GASNETT_THREAD_SINGLE   one thread does; also what a client gets that defines none
 *   GASNETT_LITE_MODE       only macros and annotations are wanted: nothing then needs the library
 * After gasnetex.h the promise made there holds (GASNET_SEQ: single; GASNET_PAR, GASNET_PARSYNC: safe), as it
 * does in files that are compiled with such a macro but include gasnet_tools.h alone; asking for more by
 * GASNETT_THREAD_SAFE is always possible.
 *
 * Afterwards the one that holds is defined to 1, and GASNETT_THREAD_MODEL is PAR, SEQ or LITE. All files of a
 * program should say the same.
 */
#ifndef AQUEDUCT_TOOLS_MODE_H_
#define AQUEDUCT_TOOLS_MODE_H_

#include "gasnet_config.h"

#if defined(GASNETT_THREAD_SAFE) + defined(GASNETT_THREAD_SINGLE) + defined(GASNETT_LITE_MODE) > 1
#error "define at most one of GASNETT_THREAD_SAFE, GASNETT_THREAD_SINGLE and GASNETT_LITE_MODE"
#endif

#if defined(GASNETT_LITE_MODE)
#undef GASNETT_LITE_MODE
#define GASNETT_LITE_MODE 1
#define GASNETT_THREAD_MODEL LITE
#elif defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) || defined(GASNET_PARSYNC) || \
    defined(AQUEDUCT_BUILDING_LIBRARY)
#undef GASNETT_THREAD_SINGLE
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#define GASNETT_THREAD_MODEL PAR
#else
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#define GASNETT_THREAD_MODEL SEQ
#endif

/* -DGASNETT_USE_TRUE_MUTEXES=1: locks lock in single-threaded clients too. */
#ifndef GASNETT_USE_TRUE_MUTEXES
#define GASNETT_USE_TRUE_MUTEXES 0
#endif

/* How many threads clients that need a constant should count with. The library itself sets no such limit. */
#if GASNETT_THREAD_SAFE
#define GASNETT_MAX_THREADS 256
#else
#define GASNETT_MAX_THREADS 1
#endif

#endif
