/* Remote atomics of the GASNet-EX interface: atomic domains, and read-modify-write on other ranks' memory.
 * Brings in gasnetex.h. */
#ifndef _INCLUDED_GASNET_RATOMIC_H
#define _INCLUDED_GASNET_RATOMIC_H 1

#include <limits.h> /* programs take INT_MAX and others from here */

#include "aqueduct/atomic_domain.h"
#include "aqueduct/atomic_operation.h"
#include "aqueduct/detail/atomic_call_sites.h"
#include "gasnetex.h"

#endif
