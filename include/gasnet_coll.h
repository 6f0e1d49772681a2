/* Collectives over a team: broadcast and reductions, and those of GASNet-1. Barriers are in gasnetex.h. */
#ifndef _INCLUDED_GASNET_COLL_H
#define _INCLUDED_GASNET_COLL_H 1
#define _GASNET_COLL_H 1

#include "aqueduct/collectives.h"
#include "aqueduct/legacy_collectives.h"
#include "gasnetex.h"

/* Programs of GASNet's own test suite expect it from here. */
#ifndef SIZEOF_INT
#define SIZEOF_INT __SIZEOF_INT__
#endif

#endif
