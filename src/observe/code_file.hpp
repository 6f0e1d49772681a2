// Whether a program or library has line numbers, and which one it is: from its headers, without reading its
// debug information.
#pragma once
#include <optional>
#include <string>

namespace aqueduct::observe {

/// The identity of a file that has line numbers, in itself or in a file for debuggers that is installed on
/// this host: its build id, or its size and age if the linker wrote none. Nothing if it has none.
std::optional<std::string> identity_with_lines(const std::string& path);

}  // namespace aqueduct::observe
