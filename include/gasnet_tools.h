/* The tools: what portable programs need besides communication. Clocks, atomics, fences, locks, settings,
 * numbers, failures, and one spelling for what compilers call differently.
 *
 * Two ways to use it, in C99 or C++11 and later:
 *   after gasnetex.h      linked with the library; the threading mode is that of gasnetex.h
 *   alone                 linked with the tools library only; see tools/mode.h for the threading modes
 *
 * Names of the interface begin with gasnett_ or GASNETT_. Many are macros: take no address of them. Each part
 * says what its names do.
 */
#ifndef _INCLUDED_GASNET_TOOLS_H
#define _INCLUDED_GASNET_TOOLS_H 1

#include "aqueduct/tools/annotations.h"
#include "aqueduct/tools/ctype.h"
#include "aqueduct/tools/features.h"
#include "aqueduct/tools/hints.h"
#include "aqueduct/tools/identity.h"
#include "aqueduct/tools/mode.h"
#include "aqueduct/tools/text.h"
#include "gasnet_config.h"
#include "gasnet_portable_platform.h"

#ifndef GASNETT_LITE_MODE
#include "aqueduct/tools/atomics.h"
#include "aqueduct/tools/bytes.h"
#include "aqueduct/tools/debugging.h"
#include "aqueduct/tools/environment.h"
#include "aqueduct/tools/failure.h"
#include "aqueduct/tools/fences.h"
#include "aqueduct/tools/heap.h"
#include "aqueduct/tools/mutex.h"
#include "aqueduct/tools/rwlock.h"
#include "aqueduct/tools/system.h"
#include "aqueduct/tools/threadkey.h"
#include "aqueduct/tools/ticks.h"
#include "aqueduct/tools/trace.h"
#endif

#endif

/* Outside the guard, so that gasnetex.h may also come between two inclusions of this file. */
#if defined(_INCLUDED_GASNETEX_H) && !defined(GASNETT_LITE_MODE)
#include "aqueduct/tools/diagnostics.h"
#include "aqueduct/tools/format.h"
#include "aqueduct/tools/memory.h"
#endif
