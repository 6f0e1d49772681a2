/* This process and the machine it runs on. Any thread, any time; the texts live as long as the process. */
#ifndef AQUEDUCT_TOOLS_SYSTEM_H_
#define AQUEDUCT_TOOLS_SYSTEM_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

/* The host's name, in lower case. */
AQ_API_ const char* gasnett_gethostname(void);

/* The full path of the running program; empty if it cannot be found out. */
AQ_API_ const char* gasnett_exe_name(void);

/* The processors that are online, hardware threads counted singly; 0 if unknown. */
AQ_API_ int gasnett_cpu_count(void);

/* The bytes of memory of this host; 0 if unknown, or a fatal error if `failure_is_fatal`. */
AQ_API_ uint64_t gasnett_getPhysMemSz(int failure_is_fatal);

/* Binds the calling thread to processor `rank`, modulo their number. 0 on success. */
#define GASNETT_SET_AFFINITY_SUPPORT 1
AQ_API_ int gasnett_set_affinity(int rank);

/* Lets another thread run. */
AQ_API_ void gasnett_sched_yield(void);

/* Raises a limit of this process (an RLIMIT_ constant, and its name for messages) as far as it may, unless
 * the variable GASNET_MAXIMIZE_<name> says no. The second: processor time, data, stack, resident and address
 * space. Non-zero on success. */
AQ_API_ int gasnett_maximize_rlimit(int resource, const char* name);
AQ_API_ int gasnett_maximize_rlimits(void);

/* Writes out what stdout and stderr hold / ends stdin, stdout and stderr, so that whoever reads them sees the
 * end. Errors are ignored. */
AQ_API_ void gasnett_flush_streams(void);
AQ_API_ void gasnett_close_streams(void);

AQ_END_C_

#define gasnett_isLittleEndian() (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#endif
