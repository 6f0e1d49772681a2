/* Where in a client's source a call stands. */
#ifndef AQUEDUCT_DETAIL_CALL_SITE_H_
#define AQUEDUCT_DETAIL_CALL_SITE_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_config.h"

AQ_BEGIN_C_

/* The position of the call that this thread is about to make; `file` must stay valid, as a string literal
 * does. */
AQ_API_ void aq_at_(const char* file, int line);

AQ_END_C_

/* In debug clients only, an expression: notes the position, then makes the call. */
#if defined(GASNET_DEBUG) && !defined(AQUEDUCT_BUILDING_LIBRARY)
#define AQ_AT_(call) (aq_at_(__FILE__, __LINE__), call)
#endif

#endif
