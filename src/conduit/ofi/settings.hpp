// What the environment says about the ofi conduit (docs/ofi.md, docs/environment.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "am/message.hpp"

namespace aqueduct::conduit::ofi {

/// How small puts and gets go (small_transfers.hpp).
enum class TransferPath : std::uint8_t {
  kAsProvided,  ///< by messages over sockets, whose messages stay in order
  kNative,      ///< as writes and reads of the provider
  kMessages,    ///< by messages, if those stay in order
};

/// Who does the atomics of domains that favour remote ranks.
enum class AtomicPath : std::uint8_t {
  kAsProvided,  ///< the provider, if asking it for them takes nothing else away
  kNative,      ///< the provider, if it has them
  kMessages,    ///< the memory's owner, as in other domains
};

/// How memory of devices is moved.
enum class DevicePath : std::uint8_t {
  kAsProvided,  ///< by the provider, where asking it for that takes nothing else away and a trial succeeds
  kDirect,      ///< by the provider, where it says that it can
  kStaged,      ///< through memory of the host
};

/// What a provider is made to look like, so that paths which better ones need not take are tested on them.
struct Narrowing {
  bool no_inject = false;  ///< nothing can be sent without a completion
  bool local_registration =
      false;               ///< buffers must be registered (FI_MR_LOCAL), and it is checked that they are
  bool unordered = false;  ///< nothing is ordered, and completions come in any order
  bool no_completion_data = false;        ///< a write cannot tell the target
  bool refuses_write_data = false;        ///< nor does it say so before it is tried
  bool no_delivery_complete = false;      ///< a write is not known to have arrived
  bool always_delivery_complete = false;  ///< messages, too, complete when they have arrived
  bool no_multi_receive = false;          ///< a receive takes one message
  bool no_wait = false;                   ///< nobody can sleep at it
  bool small_messages = false;            ///< no transfer may be larger than 16 KiB
  bool refuses_registration = false;      ///< as if no memory could be locked
  bool fails = false;                     ///< after some completions the next one is an error
};

struct Settings {
  std::string device;  ///< the domain, as fi_info calls it; empty: any
  std::size_t max_medium = std::size_t{64} << 10;
  std::size_t receive_buffer_bytes = std::size_t{1} << 20;
  unsigned receive_buffers = 8;
  unsigned bounce_buffers = 64;
  unsigned requests_per_peer = 32;  ///< that may be outstanding there
  bool firehose = true;
  AtomicPath atomics = AtomicPath::kAsProvided;
  TransferPath small_transfers = TransferPath::kAsProvided;
  DevicePath devices = DevicePath::kAsProvided;
  Narrowing narrowing;

  /// Ends the job with one line if a variable is malformed.
  static Settings from_environment();
  am::Limits limits() const;
  /// Room for the largest message.
  std::size_t message_bytes() const;
  /// How many bounce buffers the largest long message takes.
  static constexpr unsigned kMostPieces = 16;
};

}  // namespace aqueduct::conduit::ofi
