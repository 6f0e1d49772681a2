// The faults of a simulation: rates for random ones, and a list of those at given times.
//
// Rates are in millionths, per message and try, drawn from a random stream of the sending node. Lost,
// duplicated and damaged packets are below the reliability layer: interfaces notice only the delay, unless
// all tries fail. For faults that happen inside an interface (a full event queue, memory that cannot be
// registered) the interface calls a function at the point where they could happen.
//
// Each fault has a probe that counts how often it happened, so that a test can prove that it did.
//
// Text form, for the command line and scenario files:
//   drop=2000 corrupt=500 duplicate=100 delay=10000 delay-by=20us reorder=5000 event-queue-full=100
//   event-failure=20 registration=50 slow=3:400 freeze=5:10us:2ms crash=7:1ms cut=0-1:5us
// slow=NODE:PERCENT, freeze=NODE:FROM:HOW_LONG, crash=NODE:WHEN, cut=NODE-NEIGHBOUR:WHEN (both directions).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/engine/random.hpp"
#include "sim/engine/time.hpp"

namespace aqueduct::sim {

/// The planned faults.
struct FaultPlan {
  // Millionths, per message and try.
  std::uint32_t drop = 0;       ///< a packet is lost
  std::uint32_t corrupt = 0;    ///< a bit of a packet is flipped
  std::uint32_t duplicate = 0;  ///< a message arrives twice
  std::uint32_t delay = 0;      ///< a message arrives later, by up to delay_by
  std::uint32_t reorder = 0;    ///< as delay, but others may overtake it; only on unordered networks
  Time delay_by = 10 * kMicrosecond;
  // Millionths, per question of an interface.
  std::uint32_t event_queue_full = 0;
  std::uint32_t event_failure = 0;
  std::uint32_t registration = 0;

  struct Slow {
    fabric::NodeId node;
    std::uint32_t percent;
  };
  struct Freeze {
    fabric::NodeId node;
    Time from, duration;
  };
  struct Crash {
    fabric::NodeId node;
    Time when;
  };
  struct Cut {
    fabric::NodeId node, neighbour;
    Time when;
  };
  std::vector<Slow> slow;
  std::vector<Freeze> freezes;
  std::vector<Crash> crashes;
  std::vector<Cut> cuts;

  bool any() const;
  /// Adds the faults in `text`. On failure returns false with a line in `*error`.
  bool add(std::string_view text, std::string* error);
  /// The same plan as text; empty if nothing goes wrong.
  std::string text() const;
};

/// What a probe counts.
enum class FaultProbe : std::uint8_t {
  kHeaderDropped,
  kPayloadDropped,
  kHeaderCorrupted,   // caught by the checksum, every time
  kPayloadCorrupted,  // likewise
  kDuplicate,         // recognised by its sequence number
  kDelayed,
  kReordered,
  kHeldForOrder,  // a header that had to wait for an earlier one
  kRetried,
  kUndeliverable,
  kHalfArrived,  // a message of which the header was delivered and the payload never came
  kEventQueueFull,
  kEventFailed,
  kRegistrationFailed,
  kSlowed,
  kFrozen,
  kCrashed,
  kLinkCut,
  kCount
};
const char* name_of(FaultProbe probe);

/// Draws the faults of one simulation, for the network and for interfaces.
class Faults {
 public:
  Faults(FaultPlan plan, std::uint64_t seed, fabric::NodeId nodes);

  const FaultPlan& plan() const { return plan_; }
  /// Whether anything may happen to the bytes of a message.
  bool may_damage() const { return plan_.corrupt != 0; }

  /// For an interface: whether the event queue that it is about to write to is full.
  bool event_queue_full(fabric::NodeId node);
  /// Whether the event that it is about to post reports a failure; whether a registration fails.
  bool event_fails(fabric::NodeId node);
  bool registration_fails(fabric::NodeId node);

  enum class Fate : std::uint8_t { kArrives, kDropped, kCorrupted, kDuplicated };
  /// The fate of one try of a message.
  struct Draw {
    Fate fate = Fate::kArrives;
    Time delay = 0;
    bool may_overtake = false;
    std::uint64_t where = 0;  // a random number: which packet, which bit
  };
  Draw draw(fabric::NodeId node) {
    if (!random_faults_) [[likely]]
      return {};
    return draw_slowly(node);
  }

  void reached(FaultProbe probe) { ++probes_[static_cast<unsigned>(probe)]; }
  std::uint64_t count(FaultProbe probe) const { return probes_[static_cast<unsigned>(probe)]; }

 private:
  Draw draw_slowly(fabric::NodeId node);

  FaultPlan plan_;
  bool random_faults_;
  std::vector<Random> wire_;   // by node, for faults of its messages
  std::vector<Random> asked_;  // by node, for faults of its interface
  std::array<std::uint64_t, static_cast<unsigned>(FaultProbe::kCount)> probes_{};
};

}  // namespace aqueduct::sim
