// The functions that a simulated program gets in place of those of libc, by name.
//
// A name that the program, or a library of which each rank has a copy, does not define itself is looked up
// here before it is looked up in the simulator and in libc (program.hpp). So what is here replaces the
// function for programs alone: the simulator itself goes on to call libc's. Each group of functions has a
// file of its own that returns its table (groups.hpp).
//
// An override runs on the fiber of the calling rank, with the rank's thread pointer: Fiber::current() and
// world::current() say who calls.
#pragma once
#include <span>
#include <string_view>

namespace aqueduct::sim::process {

struct Override {
  std::string_view name;  ///< of every version of the symbol
  void* function;
};

/// The functions of one group. The table lives for ever.
using OverrideGroup = std::span<const Override>;

/// The function of that name; null if programs get that of libc.
void* find_override(std::string_view name);

/// An entry of a table: the compiler holds the override to the type of what it replaces.
template <class Function>
Override replaces(std::string_view name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace aqueduct::sim::process
