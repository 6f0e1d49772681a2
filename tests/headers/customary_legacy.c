/* The same behind the header of GASNet-1. */
#define THE_ONLY_HEADER "gasnet.h"
#include "customary.c"
