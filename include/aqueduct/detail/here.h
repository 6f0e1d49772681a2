/* Where a checked call stands: "file:line" in debug clients; in others NULL, which switches the checks off.
 */
#ifndef AQUEDUCT_DETAIL_HERE_H_
#define AQUEDUCT_DETAIL_HERE_H_

#include <stddef.h>

#include "aqueduct/detail/attributes.h"
#include "gasnet_config.h"

#ifdef GASNET_DEBUG
#define AQ_HERE_ __FILE__ ":" AQ_TEXT_(__LINE__)
#else
#define AQ_HERE_ ((const char*)NULL)
#endif

#endif
