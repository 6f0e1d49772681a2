// A run of an executable is the same every time only if addresses are.
#pragma once
#include <string>

namespace aqueduct::simulate {

/// Starts this command again without random addresses, if `word` names an executable and the system allows
/// it. Does nothing the second time.
void keep_addresses(const std::string& word);

}  // namespace aqueduct::simulate
