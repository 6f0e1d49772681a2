/* Whether anybody writes a trace or statistics: what is passed by inline code must be seen then. */
#ifndef AQUEDUCT_DETAIL_WATCHED_H_
#define AQUEDUCT_DETAIL_WATCHED_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

/* The categories that are traced or counted at the moment, a bit for each letter from A on. */
AQ_API_DATA_ uint32_t aq_trace_watched_;

AQ_END_C_

#define AQ_IS_WATCHED_ __builtin_expect(aq_trace_watched_ != 0, 0)

#endif
