/* A clock for short times, and sleeping.
 *
 * A tick is an interval of this process's own choice: a cycle of the processor's counter where that runs at a
 * constant rate on all cores, a nanosecond otherwise. Ticks never run backward in one thread. They start
 * anywhere and differ in rate between processes, so that only differences mean something, after conversion.
 *
 *   gasnett_tick_t start = gasnett_ticks_now();
 *   ...
 *   uint64_t elapsed_ns = gasnett_ticks_to_ns(gasnett_ticks_now() - start);
 *
 * Environment, where ticks are cycles: GASNET_TSC_RATE (walltime, the default: measured against the system's
 * clock; cpuinfo: as the kernel says; or cycles in a second, 1000000 to 100000000000),
 * GASNET_TSC_RATE_TOLERANCE and GASNET_TSC_RATE_HARD_TOLERANCE (relative errors beyond which there is a
 * warning, or a fatal error), GASNET_TSC_VERBOSE=1.
 */
#ifndef AQUEDUCT_TOOLS_TICKS_H_
#define AQUEDUCT_TOOLS_TICKS_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX (~(gasnett_tick_t)0)

AQ_BEGIN_C_

/* Non-zero once it is known that ticks are cycles; until then, and otherwise, the library is asked. */
AQ_API_DATA_ int aq_ticks_are_cycles_;
AQ_API_ gasnett_tick_t aq_ticks_now_(void);
/* Decides that, when the program is loaded. A simulation has its own, because its ticks are virtual time. */
AQ_API_ int aq_ticks_choose_(void);

/* The first conversion in the life of a process may take some milliseconds, to measure the rate of ticks. */
AQ_API_ uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks);
AQ_API_ uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks);

/* Microseconds: the least difference that two different readings can have, and what a reading costs. Measured
 * on the first call. */
AQ_API_ double gasnett_tick_granularityus(void);
AQ_API_ double gasnett_tick_overheadus(void);

/* The time of day since 1970; may jump. */
AQ_API_ uint64_t gasnett_gettimeofday_us(void);

/* Sleeps at least that long and returns 0; at once for 0. A signal may end it early: non-zero, and errno is
 * EINTR. */
AQ_API_ int gasnett_nsleep(uint64_t ns);

AQ_END_C_

AQ_ALWAYS_INLINE_ gasnett_tick_t gasnett_ticks_now(void) {
#if defined(__x86_64__) || defined(__i386__)
  if (AQ_LIKELY_(__atomic_load_n(&aq_ticks_are_cycles_, __ATOMIC_RELAXED))) return __builtin_ia32_rdtsc();
#endif
  return aq_ticks_now_();
}

#endif
