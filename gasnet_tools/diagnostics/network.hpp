// The handlers of the self-test, which the client registers with its own.
#pragma once
#include "gasnetex.h"

namespace aqueduct::gasnet_tools::diagnostics {

struct HandlerTable {
  gex_AM_Entry_t* entries;
  int count;
};
HandlerTable handlers();

}  // namespace aqueduct::gasnet_tools::diagnostics
