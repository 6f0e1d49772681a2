#include <cstdarg>

#include "api/face.hpp"
#include "gasnet.h"

using namespace aqueduct;

namespace {

// The arguments after the named ones.
struct Arguments {
  Arguments(const char* where, int count, va_list list) : nargs(static_cast<unsigned>(count)) {
    if (nargs > am::kMaxArgs) fatal(where, "%d arguments; a message carries 0 to 16", count);
    for (unsigned i = 0; i < nargs; ++i) values[i] = va_arg(list, int);
  }
  unsigned nargs;
  gex_AM_Arg_t values[am::kMaxArgs];
};

// va_start works only in the variadic function itself.
#define AQUEDUCT_ARGUMENTS(where)             \
  va_list list;                               \
  va_start(list, numargs);                    \
  const Arguments args(where, numargs, list); \
  va_end(list)

}  // namespace

extern "C" {

int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source_p) {
  if (!source_p) fatal("gasnet_AMGetMsgSource", "the output is NULL");
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  *source_p = info.gex_srcrank;
  return GASNET_OK;
}

int gasnet_AMRequestShort(gasnet_node_t node, gasnet_handler_t handler, int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMRequestShort");
  return aq_am_request_short_(aq_legacy_team_(), node, handler, 0, args.nargs, args.values);
}
int gasnet_AMRequestMedium(gasnet_node_t node, gasnet_handler_t handler, void* source, size_t nbytes,
                           int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMRequestMedium");
  return aq_am_request_medium_(aq_legacy_team_(), node, handler, source, nbytes, GEX_EVENT_NOW, 0, args.nargs,
                               args.values);
}
int gasnet_AMRequestLong(gasnet_node_t node, gasnet_handler_t handler, void* source, size_t nbytes,
                         void* destination, int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMRequestLong");
  return aq_am_request_long_(aq_legacy_team_(), node, handler, source, nbytes, destination, GEX_EVENT_NOW, 0,
                             args.nargs, args.values);
}
int gasnet_AMRequestLongAsync(gasnet_node_t node, gasnet_handler_t handler, void* source, size_t nbytes,
                              void* destination, int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMRequestLongAsync");
  return aq_am_request_long_(aq_legacy_team_(), node, handler, source, nbytes, destination, GEX_EVENT_NOW, 0,
                             args.nargs, args.values);
}
int gasnet_AMReplyShort(gasnet_token_t token, gasnet_handler_t handler, int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMReplyShort");
  return aq_am_reply_short_(token, handler, 0, args.nargs, args.values);
}
int gasnet_AMReplyMedium(gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
                         int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMReplyMedium");
  return aq_am_reply_medium_(token, handler, source, nbytes, GEX_EVENT_NOW, 0, args.nargs, args.values);
}
int gasnet_AMReplyLong(gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
                       void* destination, int numargs, ...) {
  AQUEDUCT_ARGUMENTS("gasnet_AMReplyLong");
  return aq_am_reply_long_(token, handler, source, nbytes, destination, GEX_EVENT_NOW, 0, args.nargs,
                           args.values);
}
}
