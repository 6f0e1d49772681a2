/* Memory kinds of the GASNet-EX interface. */
#ifndef _INCLUDED_GASNET_MK_H
#define _INCLUDED_GASNET_MK_H 1

#include "aqueduct/memory_kind.h"
#include "gasnetex.h"

#endif
