// The handlers of the self-test. The client registers them with the rest of its own.
#pragma once
#include "gasnetex.h"

namespace aqueduct::gasnet_tools::diagnostics {

struct HandlerTable {
  gex_AM_Entry_t* entries;
  int count;
};
HandlerTable handlers();

}  // namespace aqueduct::gasnet_tools::diagnostics
