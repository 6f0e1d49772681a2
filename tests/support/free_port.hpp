// A port for a server that a test starts.
#pragma once
#include <string>

namespace aqueduct::test {

/// A TCP port of the loopback interface that was free a moment ago, chosen by the system: tests that run at
/// the same time get different ones.
std::string free_port();

}  // namespace aqueduct::test
