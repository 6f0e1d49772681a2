// Rendezvous mode, for jobs so large that regions for the requests of all peers would take too much memory: a
// request is only a notify word, and its target fetches the body from the initiator's buffer, which is held
// until the reply anyway.
#include "papers/conduit/aries/messages.hpp"

namespace aqueduct::conduit::aries {

// Waiting fetches keep their order.
void Messages::fetch_body(RankId source, const Notify& notify) {
  if (!unfetched_.empty() || !begin_fetch(source, notify)) unfetched_.emplace_back(source, notify);
}

void Messages::continue_fetches() {
  while (!unfetched_.empty() && begin_fetch(unfetched_.front().first, unfetched_.front().second))
    unfetched_.pop_front();
}

// An empty body needs no fetch.
bool Messages::begin_fetch(RankId source, const Notify& notify) {
  if (free_fetches_.empty()) return false;
  Fetch& fetch = *free_fetches_.back();
  fetch.source = source;
  fetch.notify = notify;
  const std::size_t bytes = body_bytes(notify);
  const auto done = [](void* operation) {
    Fetch& fetched = *static_cast<Fetch*>(operation);
    fetched.messages->take_body(fetched.source, fetched.notify, fetched.body);
    fetched.messages->free_fetches_.push_back(&fetched);
  };
  if (bytes != 0 && transfers_.begin({.target = source,
                                      .is_get = true,
                                      .remote = endpoint_.remote_area(source) +
                                                endpoint_.area.buffer(notify.initiator_slot),
                                      .memory = endpoint_.areas[source].memory,
                                      .local = reinterpret_cast<std::uintptr_t>(fetch.body),
                                      .bytes = bytes,
                                      .done = done,
                                      .operation = &fetch}) == Post::kRetry) {
    return false;
  }
  free_fetches_.pop_back();
  if (bytes == 0) done(&fetch);
  return true;
}

}  // namespace aqueduct::conduit::aries
