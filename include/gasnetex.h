/* Aqueduct's C face: the GASNet-EX interface.
 *
 * Compile with exactly one of -DGASNET_SEQ, -DGASNET_PAR, -DGASNET_PARSYNC; C99 or C++11 and later. Each part
 * says what its calls do, who may make them, and how they fail. Names that end in an underscore belong to the
 * library.
 *
 * Programs also find behind it the headers of the system that they are used to (aqueduct/detail/customary.h).
 *
 *   #include <gasnetex.h>
 *   int main(int argc, char **argv) {
 *     gex_Client_t client; gex_EP_t ep; gex_TM_t world; gex_Segment_t segment;
 *     gex_Client_Init(&client, &ep, &world, "hello", &argc, &argv, 0);
 *     gex_Segment_Attach(&segment, world, GASNET_PAGESIZE);
 *     gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
 *     gasnet_exit(0);
 *   }
 */
#ifndef _INCLUDED_GASNETEX_H
#define _INCLUDED_GASNETEX_H 1
#define _GASNETEX_H 1 /* the second name that programs look for */

#include "aqueduct/am.h"
#include "aqueduct/am_arity.h"
#include "aqueduct/am_commit_arity.h"
#include "aqueduct/am_negotiated.h"
#include "aqueduct/barrier.h"
#include "aqueduct/detail/call_sites.h"
#include "aqueduct/detail/compatibility.h"
#include "aqueduct/detail/customary.h"
#include "aqueduct/endpoint.h"
#include "aqueduct/event.h"
#include "aqueduct/identity.h"
#include "aqueduct/job.h"
#include "aqueduct/lock.h"
#include "aqueduct/progress.h"
#include "aqueduct/rma.h"
#include "aqueduct/rma_value.h"
#include "aqueduct/segment.h"
#include "aqueduct/system.h"
#include "aqueduct/team.h"
#include "aqueduct/thread_mode.h"
#include "gasnet_config.h"
#include "gasnet_fwd.h"

#endif
