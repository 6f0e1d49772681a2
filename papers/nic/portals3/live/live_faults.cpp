#include "papers/nic/portals3/live/live_faults.hpp"

#include <sstream>

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::portals3 {
namespace {

constexpr char kVariable[] = "AQUEDUCT_PORTALS_FAULTS";
constexpr std::uint64_t kAll = 1'000'000;

// The finalizer of SplitMix64: as good as random for numbers that are counted.
std::uint64_t scrambled(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

}  // namespace

bool LiveFaults::add(Plan& plan, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string name = word.substr(0, equals), number = word.substr(equals + 1);
  if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
    return false;
  const std::uint64_t value = std::stoull(number);
  const bool is_share = value <= kAll;
  if (name == "seed") {
    plan.seed = value;
  } else if (name == "queue-events" && value != 0) {
    plan.queue_events = value;
  } else if (name == "event-queue-full" && is_share) {
    plan.event_queue_full = value;
  } else if (name == "event-failure" && is_share) {
    plan.event_failure = value;
  } else if (name == "registration" && is_share) {
    plan.registration = value;
  } else {
    return false;
  }
  return true;
}

LiveFaults LiveFaults::from_environment(NodeId node) {
  LiveFaults faults;
  const char* const text = env::text({kVariable});
  if (!text) return faults;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!add(faults.plan_, word)) {
      fatal(kVariable,
            "'%s' is none of event-queue-full=N event-failure=N registration=N (millionths) queue-events=N "
            "seed=N",
            word.c_str());
    }
  }
  faults.any_ = true;
  faults.plan_.seed = scrambled(faults.plan_.seed + scrambled(node + 1));
  return faults;
}

bool LiveFaults::draw(std::uint64_t millionths) {
  if (millionths == 0) return false;
  return scrambled(plan_.seed + draws_.fetch_add(1, std::memory_order_relaxed)) % kAll < millionths;
}

EventFault LiveFaults::draw_event_fault() {
  if (draw(plan_.event_queue_full)) return EventFault::kQueueFull;
  return draw(plan_.event_failure) ? EventFault::kFailure : EventFault::kNone;
}

}  // namespace aqueduct::portals3
