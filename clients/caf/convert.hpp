// Conversion between element types on the way from one image to another.
#pragma once
#include <cstddef>

#include "clients/caf/section.hpp"

namespace aqueduct::caf {

/// Converts `count` dense elements as an assignment does: numbers among each other, logicals among kinds,
/// characters with padding and cutting. Ends the job for types that cannot be assigned to each other, derived
/// types of different sizes among them.
void convert(char* to, const ElementType& to_type, const char* from, const ElementType& from_type,
             std::size_t count);

}  // namespace aqueduct::caf
