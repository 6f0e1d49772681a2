// How often, and how much, this program has allocated with operator new.
#pragma once
#include <cstdint>

namespace aqueduct::test {

std::uint64_t allocations();
std::uint64_t allocated_bytes();

}  // namespace aqueduct::test
