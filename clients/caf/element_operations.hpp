// What a reduction does with two elements: an operation of the library where it has one for the type,
// otherwise a function.
#pragma once
#include <gasnet_coll.h>

#include "clients/caf/collective.hpp"

namespace aqueduct::caf {

struct ElementOperation {
  gex_DT_t type = GEX_DT_USER;
  gex_OP_t op = 0;
  gex_Coll_ReduceFn_t function = nullptr;
  void* context = nullptr;
  std::size_t parts = 1;  ///< numbers in an element: a complex sum is one of its parts
};

/// False for a type that the reduction does not have.
bool find_operation(Reduction reduction, const Descriptor& array, ElementOperation& operation);

/// Context of user_operation(); must last as long as the reduction.
struct UserContext {
  UserOperation operation;
  std::size_t element_bytes;
  TypeCode type;
  /// Calls the function for one pair; null for types whose functions cannot be called.
  void (*apply)(const UserContext& context, const char* left, char* right_and_result);
};

/// Chooses how to call the function; false if there is no way.
bool prepare(UserContext& context);
ElementOperation operation_of(UserContext& context);

}  // namespace aqueduct::caf
