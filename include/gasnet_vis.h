/* Vector, indexed and strided put and get of the GASNet-EX interface. Brings in gasnetex.h. */
#ifndef _INCLUDED_GASNET_VIS_H
#define _INCLUDED_GASNET_VIS_H 1

#include "aqueduct/detail/vis_call_sites.h"
#include "aqueduct/vis.h"
#include "gasnetex.h"

#endif
