#include "tools/replay/arrivals.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace aqueduct::replay {
namespace {

/// So many messages were needed at that wait.
struct Anchor {
  std::uint32_t wait = 0;
  std::uint32_t count = 0;
};

/// How many messages of one handler the waits of a rank need.
class Needs {
 public:
  void add(Anchor anchor) { anchors_.push_back(anchor); }
  std::size_t size() const { return anchors_.size(); }

  std::uint32_t at(std::uint32_t wait) const {
    const auto after =
        std::ranges::lower_bound(anchors_, wait, {}, [](const Anchor& anchor) { return anchor.wait; });
    if (after != anchors_.end() && after->wait == wait) return after->count;
    if (after == anchors_.begin()) return between({}, *after, wait + 1, after->wait + 1);
    const Anchor& before = *(after - 1);
    if (after == anchors_.end()) return between({}, before, wait + 1, before.wait + 1);
    return between(before, *after, wait - before.wait, after->wait - before.wait);
  }

 private:
  /// `part` of `whole` of the way from one anchor to the next; beyond it if that is more.
  static std::uint32_t between(Anchor before, Anchor after, std::uint64_t part, std::uint64_t whole) {
    const std::uint64_t more = std::max(after.count, before.count) - before.count;
    return static_cast<std::uint32_t>(before.count + more * part / whole);
  }

  std::vector<Anchor> anchors_;
};

}  // namespace

void find_arrivals(const Program& program, const std::vector<std::uint32_t>& arrived,
                   const std::vector<MessageWait>& waits, std::vector<Arrivals>& arrivals) {
  const auto handler_of = [&](std::size_t at) { return program.messages[arrived[at]].handler; };
  std::map<std::uint8_t, Needs> needs;
  using Counts = std::array<std::uint32_t, 256>;
  const auto count = [&](Counts counts, std::size_t from, std::size_t to) {
    for (; from < to; ++from) ++counts[handler_of(from)];
    return counts;
  };
  std::vector<Counts> counts(1);                   // before the first wait, and at each
  std::vector<std::uint32_t> least(waits.size());  // of messages of the last handler that ran in a wait
  counts.reserve(waits.size() + 1);
  std::size_t handled = 0, anchors = 0;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    counts.push_back(count(counts.back(), handled, waits[i].handled));
    if (waits[i].has_ended_it) {
      const std::uint8_t last = handler_of(waits[i].handled - 1);
      const std::uint32_t most = counts.back()[last];
      const std::size_t from = std::clamp<std::size_t>(waits[i].too_few, handled, waits[i].handled);
      least[i] = std::min(count(counts[i], handled, from)[last] + 1, most);
      if (least[i] == most) needs[last].add({i, most});
      ++anchors;
    }
    handled = waits[i].handled;
  }
  // Messages that happened to be handled together with the one that a wait was for do not count.
  constexpr std::size_t kLeastShare = 8;
  std::erase_if(needs, [&](const auto& each) { return each.second.size() * kLeastShare < anchors; });
  handled = 0;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    const auto& now = counts[i + 1];
    std::map<std::uint8_t, std::uint32_t> wanted;
    for (const auto& [handler, need] : needs) wanted[handler] = std::min(need.at(i), now[handler]);
    if (waits[i].handled != 0 && (waits[i].has_ended_it || needs.empty())) {
      const std::uint8_t last = handler_of(waits[i].handled - 1);
      wanted[last] = wanted.contains(last) ? std::max(wanted[last], least[i]) : now[last];
    }
    for (; handled < waits[i].handled; ++handled) {
      const std::uint8_t handler = handler_of(handled);
      if (program.messages[arrived[handled]].is_reply && !needs.contains(handler))
        wanted[handler] = now[handler];
    }
    for (const auto& [handler, count] : wanted) {
      if (count != 0) arrivals[i].counts.emplace_back(handler, count);
    }
  }
}

}  // namespace aqueduct::replay
