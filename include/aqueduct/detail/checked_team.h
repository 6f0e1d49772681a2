/* In debug clients, calls that follow a team's handle in the client's own code, or on the library's fast
 * paths, first have it looked up. */
#ifndef AQUEDUCT_DETAIL_CHECKED_TEAM_H_
#define AQUEDUCT_DETAIL_CHECKED_TEAM_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* `tm`, if it is a team of this process or a pair of endpoints; ends the job if it is neither. `where` is the
 * function that was given it. Before gex_Client_Init all are taken, for that function to refuse. */
AQ_API_ gex_TM_t aq_team_(const char* where, gex_TM_t tm);

AQ_END_C_

#if defined(GASNET_DEBUG) && !defined(AQUEDUCT_BUILDING_LIBRARY)
#define AQ_TEAM_(function, tm) aq_team_(#function, tm)
#else
#define AQ_TEAM_(function, tm) (tm)
#endif

#endif
