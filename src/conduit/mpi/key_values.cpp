#include "conduit/mpi/key_values.hpp"

#include <algorithm>
#include <utility>

namespace aqueduct::conduit::mpi {
namespace {

constexpr char kEnd = '\0';

// The words of `text`, each of which has an end; `visit` gets two at a time.
template <class Visit>
void for_each_pair(std::string_view text, Visit&& visit) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find(kEnd), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  };
  while (!text.empty()) {
    const std::string_view key = next();
    visit(key, next());
  }
}

}  // namespace

void KeyValues::put(std::string_view key, std::string_view value) {
  ((unsent_ += key) += kEnd) += value;
  unsent_ += kEnd;
  known_.insert_or_assign(std::string(key), std::string(value));
}

// Not by the waiting of whoever opens the conduit: this may be another thread than that.
void KeyValues::fence() {
  const std::string mine = std::exchange(unsent_, {});
  bootstrap_.begin_all_gather(std::as_bytes(std::span(mine)));
  while (!bootstrap_.advance()) bootstrap_.sleep();
  for (RankId peer = 0; peer < size(); ++peer) {
    const job::Bytes bytes = bootstrap_.gathered()[peer];
    if (peer == rank()) continue;
    for_each_pair({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                  [this](std::string_view key, std::string_view value) {
                    known_.insert_or_assign(std::string(key), std::string(value));
                  });
  }
}

const std::string* KeyValues::get(std::string_view key) const {
  const auto found = known_.find(std::string(key));
  return found == known_.end() ? nullptr : &found->second;
}

}  // namespace aqueduct::conduit::mpi
