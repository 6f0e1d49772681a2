/* The GASNet-1 interface, for programs written to it, on top of gasnetex.h.
 *
 * A job is started by gasnet_init and gasnet_attach, or by gex_Client_Init with GEX_FLAG_USES_GASNET1;
 * without one of these, calls that communicate end the job. Ranks are called nodes here and events handles;
 * the types are those of gasnetex.h, so both interfaces may be mixed (gasnet_QueryGexObjects). Many names are
 * macros.
 *
 *   #include <gasnet.h>
 *   int main(int argc, char **argv) {
 *     gasnet_init(&argc, &argv);
 *     gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
 *     gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
 *     gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
 *     gasnet_exit(0);
 *   }
 */
#ifndef _INCLUDED_GASNET_H
#define _INCLUDED_GASNET_H 1
#define _GASNET_H 1

/* clang-format off */
#include "gasnetex.h" /* before the others, which go by it */
/* clang-format on */

#include "aqueduct/legacy/am.h"
#include "aqueduct/legacy/job.h"
#include "aqueduct/legacy/lock.h"
#include "aqueduct/legacy/memory.h"
#include "aqueduct/legacy/sync.h"
#include "aqueduct/legacy/types.h"
#include "aqueduct/legacy/vis.h"
#include "gasnet_tools.h"

/* The specification that these names follow. */
#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR

#endif
