/* The library tests itself. After gasnetex.h only.
 *
 * All ranks of a team call gasnett_run_diagnostics together, after they have attached segments of at least 64
 * KiB and registered the handlers that gasnett_diagnostic_gethandlers names. Each rank writes what is wrong
 * to stderr and returns how many things are. A program that does not call these contains none of it.
 *
 *   iterations     how often to repeat the short parts
 *   thread_count   how many threads to test locks and atomics with
 *   sections       the letters of the parts to run; NULL or "" for all
 *   my_segment     this rank's segment, and that of `peer`; each rank is some rank's peer, and has one
 *   seed           of the random numbers
 */
#ifndef AQUEDUCT_TOOLS_DIAGNOSTICS_H_
#define AQUEDUCT_TOOLS_DIAGNOSTICS_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/endpoint.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

AQ_API_ int gasnett_run_diagnostics(int iterations, int thread_count, const char* sections, gex_TM_t tm,
                                    void* my_segment, gex_Rank_t peer, void* peer_segment, unsigned int seed);
AQ_API_ void gasnett_diagnostic_gethandlers(gex_AM_Entry_t** table_p, int* count_p);

AQ_END_C_

#endif
