/* What GASNet-1 calls the types of gasnetex.h. */
#ifndef AQUEDUCT_LEGACY_TYPES_H_
#define AQUEDUCT_LEGACY_TYPES_H_

#include "aqueduct/endpoint.h"
#include "gasnet_fwd.h"

typedef gex_Rank_t gasnet_node_t;
typedef gex_Token_t gasnet_token_t;
typedef gex_AM_Index_t gasnet_handler_t;
typedef gex_AM_Arg_t gasnet_handlerarg_t;
typedef gex_RMA_Value_t gasnet_register_value_t;
typedef gex_Event_t gasnet_handle_t;

#define GASNET_INVALID_HANDLE GEX_EVENT_INVALID
#define SIZEOF_GASNET_REGISTER_VALUE_T SIZEOF_GEX_RMA_VALUE_T

/* As gex_Memvec_t, with other names; lists of one are passed where lists of the other are read, which
 * may_alias makes sound. */
typedef struct {
  void* addr;
  size_t len;
} __attribute__((__may_alias__)) gasnet_memvec_t;

/* A handler that gasnet_attach registers. It takes any number of arguments, in messages of any category. */
typedef struct {
  gasnet_handler_t index; /* GEX_AM_INDEX_BASE .. 255, or 0 to be given the highest free one */
  gex_AM_Fn_t fnptr;
} gasnet_handlerentry_t;

/* A value that is being fetched (gasnet_get_nb_val). */
typedef struct aq_value_get_* gasnet_valget_handle_t;

#endif
