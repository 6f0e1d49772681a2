#include "papers/nic/portals3/seastar/bridges.hpp"

#include "papers/nic/simulated_wait.hpp"
#include "sim/fiber.hpp"

namespace aqueduct::portals3::seastar {
namespace {

using sim::Fiber;
using sim::kNanosecond;

/// The key of memory without a registration.
constexpr MemoryKey kAnyMemory = 1;

CostId work_of(Call call, const Costs& costs) {
  switch (call) {
    case Call::kPut:
    case Call::kGetPut:
      return costs.call_put;
    case Call::kGet:
      return costs.call_get;
    case Call::kEvent:
      return costs.call_event;
    default:
      return costs.call_other;
  }
}

}  // namespace

void SeaStarBridge::charge(CostId cost, std::size_t amount) {
  if (Fiber::current() != nullptr) node_.host.charge(cost, amount);
}

void SeaStarBridge::enter(Call call) {
  cross(call);
  charge(work_of(call, node_.costs));
}

int SeaStarBridge::validate(std::span<const Piece>, MemoryKey& key) {
  key = kAnyMemory;
  return PTL_OK;
}

std::uint64_t SeaStarBridge::now_ns() { return node_.host.engine().now() / kNanosecond; }

void SeaStarBridge::wait(Nal&, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) {
  nic::wait_simulated(node_.host, activity, seen, deadline_ns, "a Portals event");
}

std::size_t KBridge::listed_pages(std::span<const Piece> pieces) const {
  // Counts as if every piece began at a page, because its address in this process must not influence the
  // result.
  const std::size_t page = costs().page_bytes;
  std::size_t pages = 0;
  for (const Piece& piece : pieces) pages += (piece.bytes + page - 1) / page;
  return pages;
}

EventFault SeaStarBridge::event_fault() {
  if (faults().event_queue_full(host().node())) return EventFault::kQueueFull;
  return faults().event_fails(host().node()) ? EventFault::kFailure : EventFault::kNone;
}

int UkBridge::validate(std::span<const Piece> pieces, MemoryKey& key) {
  const std::size_t pages = listed_pages(pieces);
  charge(costs().pin, pages);
  if (pages > 1) charge(costs().page_list);
  if (faults().registration_fails(host().node())) return PTL_VAL_FAILED;
  key = kAnyMemory + pages;
  return PTL_OK;
}

void UkBridge::invalidate(MemoryKey key) { charge(costs().unpin, key - kAnyMemory); }

int AcceleratedBridge::validate(std::span<const Piece> pieces, MemoryKey& key) {
  if (pieces.size() > 1) return PTL_MD_ILLEGAL;
  return SeaStarBridge::validate(pieces, key);
}

}  // namespace aqueduct::portals3::seastar
