/* The file that defines the key which threadkeys.c only declares. */
#include "gasnet_tools.h"

extern void* get_there_key(void);

GASNETT_THREADKEY_DEFINE(there_key);

void* get_there_key(void) { return gasnett_threadkey_get(there_key); }
