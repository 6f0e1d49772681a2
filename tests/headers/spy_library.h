/* A library that only takes notes: it stands in for the real one, so that tests see what the headers' inline
 * code hands to it, or that it hands over nothing. */
#ifndef TESTS_HEADERS_SPY_LIBRARY_H_
#define TESTS_HEADERS_SPY_LIBRARY_H_

#include "gasnet_ratomic.h"
#include "gasnetex.h"

/* The last call into the library. `name` is NULL if there was none since the last spy_reset. */
struct SpyNote {
  const char* name;
  gex_TM_t tm;
  gex_Rank_t rank;
  gex_Token_t token;
  gex_AM_SrcDesc_t descriptor;
  gex_AM_Index_t handler;
  const void* source;
  void* destination;
  size_t nbytes;
  gex_RMA_Value_t value;
  gex_Event_t* lc;
  gex_Flags_t flags;
  unsigned int nargs;
  int args_are_null;
  gex_AM_Arg_t args[16];
  uint32_t client_config;
  gex_AD_t domain;
  gex_OP_t opcode;
  uint64_t operands[2];
  gex_DT_t type;
};

/* The last position noted before a call; file is NULL if there was none since the last spy_reset. */
struct SpyPosition {
  const char* file;
  int line;
};

extern struct SpyNote spy_note;
extern struct SpyPosition spy_position;

void spy_reset(void);

/* Whether the last call into the library since the reset was the one named. */
int spy_saw(const char* name);

/* What calls that return an event return, and those that return a value. */
#define SPY_EVENT ((gex_Event_t)(uintptr_t)0x5150)
#define SPY_VALUE ((gex_RMA_Value_t)0x1122334455667788)
#define SPY_RESULT 77

#endif
