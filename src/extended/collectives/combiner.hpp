// How two vectors become one: the operation of a reduction on elements of one type.
//
// Built-in operations and those of the client have the same form, right[i] = left[i] op right[i], so that
// algorithms do not tell them apart. The client's function may run on any thread that enters the library.
#pragma once
#include <cstddef>

#include "gasnetex.h"

namespace aqueduct::extended::collectives {

struct Combiner {
  gex_Coll_ReduceFn_t function = nullptr;
  const void* cdata = nullptr;
  std::size_t element_bytes = 1;
  bool commutes = true;  ///< false: only the order of ranks is allowed

  void operator()(const void* left, void* right, std::size_t count) const {
    function(left, right, count, cdata);
  }
};

/// The built-in operation on a built-in type; null where there is none.
gex_Coll_ReduceFn_t built_in_operation(gex_DT_t type, gex_OP_t operation);

/// The size of an element of a built-in type; 0 for other types.
std::size_t built_in_bytes(gex_DT_t type);

}  // namespace aqueduct::extended::collectives
