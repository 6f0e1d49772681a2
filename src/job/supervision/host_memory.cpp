#include "job/supervision/host_memory.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "job/place/shared_memory.hpp"

namespace aqueduct::job {

HostMemory::HostMemory(net::Descriptor memory, std::vector<RankId> ranks)
    : memory_(std::move(memory)),
      ranks_(std::move(ranks)),
      seen_(ranks_.size()),
      is_waiting_(ranks_.size(), false) {}

void HostMemory::look() {
  for (std::size_t index = 0; index < seen_.size(); ++index) {
    std::byte line[sizeof(Activity)] = {};
    const auto place = static_cast<off_t>(kActivityPlace + ranks_[index] * sizeof line);
    if (::pread(memory_.get(), line, sizeof line, place) != sizeof line) std::memset(line, 0, sizeof line);
    Seen now;
    std::memcpy(&now.waiting, line + offsetof(Activity, waiting), sizeof now.waiting);
    std::memcpy(&now.waits_ended, line + offsetof(Activity, waits_ended), sizeof now.waits_ended);
    std::memcpy(&now.idle_calls, line + offsetof(Activity, idle_calls), sizeof now.idle_calls);
    const Seen& before = seen_[index];
    const bool in_a_wait = before.waiting != 0 && now.waiting != 0 && now.waits_ended == before.waits_ended;
    is_waiting_[index] = has_looked_ && (in_a_wait || now.idle_calls != before.idle_calls);
    seen_[index] = now;
  }
  has_looked_ = true;
}

void HostMemory::look(RankWatcher& watcher) {
  const std::vector<bool> before = is_waiting_;
  look();
  for (std::size_t index = 0; index < ranks_.size(); ++index) {
    if (is_waiting_[index] == before[index]) continue;
    watcher.take({is_waiting_[index] ? RankEvent::Kind::kWaits : RankEvent::Kind::kGoesOn, ranks_[index]});
  }
}

}  // namespace aqueduct::job
