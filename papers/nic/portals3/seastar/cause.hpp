// The cause of a SeaStar's interrupt. A SeaStar does not merge interrupts, so a message with a payload costs
// two.
#pragma once
#include "sim/interrupt_line.hpp"

namespace aqueduct::portals3::seastar {

struct Cause {
  enum class Kind : std::uint8_t {
    kHeader,         ///< `subject` is the record of an arrival
    kSent,           ///< `subject` is a Transfer
    kLanded,         ///< likewise
    kUndeliverable,  ///< `subject` is a record that holds the header
  };
  Kind kind;
  bool failed = false;
  void* subject = nullptr;
};

using InterruptLine = sim::InterruptLine<Cause>;

}  // namespace aqueduct::portals3::seastar
