#include "conduit/ofi/ofi_conduit.hpp"

#include <sched.h>

namespace aqueduct::conduit::ofi {

unsigned OfiConduit::poll(Scope scope) {
  Arrivals arrivals;
  if (!endpoint_.lock.try_lock()) return 0;  // another thread looks
  if (endpoint_.is_closed) {
    endpoint_.lock.unlock();
    return 0;
  }
  const std::size_t completed = progress(arrivals);
  messages_.begin_delivery(arrivals);
  endpoint_.lock.unlock();
  const unsigned delivered = messages_.deliver(arrivals, scope);
  // Whoever waits for puts and gets finds something as well.
  return delivered != 0 ? delivered : static_cast<unsigned>(completed);
}

std::size_t OfiConduit::progress(Arrivals& arrivals) {
  messages_.take_into(arrivals);
  messages_.small_transfers().send_held();
  const std::size_t completed = endpoint_.network.take_completions();
  messages_.proceed();
  if (transfers_.has_unfinished()) transfers_.proceed();
  return completed;
}

void OfiConduit::serve() {
  Arrivals arrivals;
  progress(arrivals);
  messages_.keep(arrivals);
}

std::vector<std::byte> OfiConduit::export_segment(const SegmentBounds& mine) {
  const std::lock_guard guard(endpoint_.lock);
  return endpoint_.segments.export_segment(mine);
}
void OfiConduit::withdraw_segment() {
  const std::lock_guard guard(endpoint_.lock);
  endpoint_.segments.withdraw();
}
void OfiConduit::import_segments(const SegmentKeys& keys) {
  const std::lock_guard guard(endpoint_.lock);
  endpoint_.segments.import(keys);
}
void OfiConduit::segments_attached(std::span<const SegmentBounds> segments) {
  const std::lock_guard guard(endpoint_.lock);
  endpoint_.segments_attached(segments);
}

bool OfiConduit::may_sleep() {
  const std::lock_guard guard(endpoint_.lock);
  if (endpoint_.is_closed) return true;
  return messages_.may_sleep() && !transfers_.has_unfinished() && endpoint_.network.may_sleep();
}

void OfiConduit::finish_sending(std::uint64_t most_ns) {
  Clock& clock = endpoint_.world.clock();
  const std::uint64_t until_ns = clock.now_ns() + most_ns;
  bool has_left = false;
  // Once all ranks leave, nobody waits for it; those that are gone acknowledge nothing.
  while (!has_left && clock.now_ns() < until_ns && !endpoint_.world.everyone_leaves()) {
    if (endpoint_.lock.try_lock()) {
      has_left = messages_.has_left();
      endpoint_.lock.unlock();
    }
    if (!has_left && poll(Scope::kReplies) == 0) ::sched_yield();
  }
  if (!endpoint_.network.leaves_files() || !endpoint_.lock.try_lock()) return;
  endpoint_.is_closed = true;
  endpoint_.network.close();
  endpoint_.lock.unlock();
}

void OfiConduit::count_resources(observe::ResourceCounts& counts) {
  const std::lock_guard guard(endpoint_.lock);
  counts.holds("small buffers", endpoint_.sends.small.taken());
  counts.holds("large buffers", endpoint_.sends.large.taken());
  counts.holds("messages that leave", endpoint_.sends.under_way());
  messages_.count_resources(counts);
  transfers_.count_resources(counts);
  counts.holds("records of atomics", atomics_.under_way());
}

void Unanswered::list_unanswered(parts::ProbeList& peers) {
  const std::lock_guard guard(endpoint_.lock);
  messages_.list_unanswered(peers);
}

std::string Unanswered::missing_from(RankId peer) {
  const std::lock_guard guard(endpoint_.lock);
  return parts::counted(messages_.outstanding(peer), "reply or credit", "replies or credits");
}

}  // namespace aqueduct::conduit::ofi
