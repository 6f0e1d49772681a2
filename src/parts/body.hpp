// How a message lies in one stretch of memory: the arguments, and the payload at the next multiple of eight
// bytes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::parts {

constexpr std::size_t padded(std::size_t bytes) { return round_up(bytes, 8); }

/// What `nargs` arguments take up in front of a payload.
constexpr std::size_t arguments_bytes(unsigned nargs) { return padded(nargs * sizeof(std::int32_t)); }

}  // namespace aqueduct::parts
