// The settings of the extoll conduit from the environment (docs/extoll_conduit.md, docs/environment.md).
#pragma once
#include <cstddef>

#include "am/message.hpp"
#include "papers/conduit/extoll/am.hpp"

namespace aqueduct::conduit::extoll {

inline constexpr char kName[] = "extoll";

struct ExtollSettings {
  AmVersion am = AmVersion::kSecond;
  unsigned requests = 64;               ///< that may be outstanding at one peer
  unsigned posts = 192;                 ///< commands of RMA that may be under way
  std::size_t packed_long_bytes = 128;  ///< Longs up to this carry their payload
  std::size_t bounce_bytes = 4096;      ///< unregistered memory up to this is copied
  std::size_t bounce_pool_bytes = std::size_t{256} << 10;
  unsigned registrations = 1024;  ///< that are cached

  static constexpr std::size_t kMaxMedium = 8192;
  static constexpr std::size_t kMaxLong = std::size_t{1} << 23;  ///< one command of RMA

  /// Ends the job with one line if a variable is malformed.
  static ExtollSettings from_environment();
  static am::Limits limits() {
    return {.max_medium = kMaxMedium + am::kEncapsulationBytes, .max_long = kMaxLong};
  }
};

}  // namespace aqueduct::conduit::extoll
