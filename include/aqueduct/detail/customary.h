/* The headers of the system that programs are used to finding behind gasnetex.h. The library itself needs
 * none of them, so that its own sources include what they use. */
#ifndef AQUEDUCT_DETAIL_CUSTOMARY_H_
#define AQUEDUCT_DETAIL_CUSTOMARY_H_

#ifndef AQUEDUCT_BUILDING_LIBRARY

#include <alloca.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h> /* MIN and MAX */
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Not every system's <sys/param.h> has them. */
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
#endif
