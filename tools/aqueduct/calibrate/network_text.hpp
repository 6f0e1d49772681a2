// The network file of a calibration (sim/network_model.hpp has the form).
#pragma once
#include <optional>
#include <string>

#include "fit.hpp"

namespace aqueduct::calibrate {

/// What the file says beside the numbers.
struct Origin {
  std::string name;     ///< of the network
  std::string conduit;  ///< that was measured
  std::string machine;  ///< processor, cores, kernel
  std::string command;  ///< that measured
  unsigned rounds = 0;  ///< of each series
  std::size_t datagram_bytes = 0;
  unsigned cores = 0;         ///< of a host; 0: every rank has a core of its own
  bool is_pretended = false;  ///< all nodes are one host
};

/// The whole file. `machine` and `simulated` are what the numbers were fitted to, and what they give.
std::string network_text(const Numbers& numbers, const Figures& machine, const Figures& simulated,
                         const Origin& origin);

/// What the kernel does not say and is assumed: how long ranks of a crowded host yield before they sleep.
inline constexpr double kPatienceNs = 1e6;

/// The pure work of the programs, without messages: a step of the stencil, an update of RandomAccess.
struct Kernels {
  double stencil_step = 0, stencil_per_byte = 0;
  double update = 0;
};
/// The blocks of the stencil's series: bytes.
inline constexpr std::size_t kSmallBlock = std::size_t{8} << 10, kLargeBlock = std::size_t{32} << 10;
/// Lines for the table [costs].
std::string kernel_lines(const Kernels& kernels);

}  // namespace aqueduct::calibrate
