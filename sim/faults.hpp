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
//   event-failure=20 registration=50 slow=3:400 freeze=5:10us:2ms crash=7:1ms cut=0-1:5us router=3:5us
//   slow-link=0-1:25 hot-spot=2:10us:1ms:300
// A rate with a point is a share of all: drop=0.002 is drop=2000.
// slow=NODE:PERCENT, freeze=NODE:FROM:HOW_LONG, crash=NODE:WHEN, cut=CABLE:WHEN (both directions),
// router=ROUTER:WHEN, slow-link=CABLE:PERCENT, hot-spot=NODE:FROM:HOW_LONG:PERCENT. A cable is A-B, the
// numbers of two nodes whose routers it joins, or rA-rB, those of two routers as `aqueduct sim --links`
// writes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
  /// The cables between two routers, or between those of two nodes.
  struct Cable {
    bool of_routers = false;
    std::uint32_t a = 0, b = 0;
  };
  struct Cut {
    Cable cable;
    Time when;
  };
  /// All cables of the router are cut, and its nodes crash.
  struct DeadRouter {
    std::uint32_t router;
    Time when;
  };
  struct SlowLink {
    Cable cable;
    std::uint32_t percent;  ///< of its bandwidth that is left, from the beginning on
  };
  /// Traffic that is not the job's, from all other nodes (hot_spot.hpp).
  struct HotSpot {
    fabric::NodeId node;
    Time from, duration;
    std::uint32_t percent;  ///< of what the node's ejection gate can take
  };
  std::vector<Slow> slow;
  std::vector<Freeze> freezes;
  std::vector<Crash> crashes;
  std::vector<Cut> cuts;
  std::vector<DeadRouter> dead_routers;
  std::vector<SlowLink> slow_links;
  std::vector<HotSpot> hot_spots;

  bool any() const;
  /// Whether cables go dead, so that packets need other ways.
  bool cables_fail() const { return !cuts.empty() || !dead_routers.empty(); }
  /// Adds the faults in `text`. On failure returns false with a line in `*error`.
  bool add(std::string_view text, std::string* error);
  /// The same plan as text; empty if nothing goes wrong.
  std::string text() const;
};

/// A word of the text form: an example of it, and what that means.
struct FaultWord {
  std::string_view name;
  const char* example;
  const char* meaning;
};
std::span<const FaultWord> fault_words();

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
  kLostAtCut,  // a burst or packet was sent over a cable that is cut
  kDetour,     // one went around (detours.hpp)
  kRouterDied,
  kLinkSlowed,  // a packet passed a slow link
  kHotSpot,     // a packet of a hot spot arrived there
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

  void reached(FaultProbe probe, std::uint64_t times = 1) { probes_[static_cast<unsigned>(probe)] += times; }
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
