#include "papers/conduit/extoll/silent_peers.hpp"

namespace aqueduct::conduit::extoll {

Watch::Watch(Endpoint& endpoint, Pending& pending)
    : AnswerWatch(kName, pending, endpoint.world),
      endpoint_(endpoint),
      registered_(endpoint.nic.register_or_end(reinterpret_cast<std::uintptr_t>(bytes_.data()), bytes_.size(),
                                               "the bytes of probes")) {}

// Sends a get of the first byte of the peer's segment, which its card answers; not if one is still under way.
void Watch::probe(RankId rank, std::uint32_t name) {
  if (endpoint_.keys[rank].empty()) return;
  const std::lock_guard guard(endpoint_.lock);
  RmaCommand* unused = nullptr;
  for (RmaCommand& command : probes_) {
    if (command.is_over()) unused = &command;
    if (!command.is_over() && command.peer == rank) return;
  }
  if (!unused) return;
  const std::size_t index = static_cast<std::size_t>(unused - probes_.data());
  unused->handler = this;
  unused->peer = rank;
  unused->probe = name;
  endpoint_.nic.get(endpoint_.line(rank), *unused, registered_.nla + index, 1,
                    endpoint_.segment_of(rank).puts);
}

void Pending::list_unanswered(parts::ProbeList& peers) {
  const auto guard = parts::lock_for_report(endpoint_.lock, endpoint_.world.is_simulated());
  messages_.list_unanswered(peers);
  endpoint_.nic.for_each_awaited([&](const RmaCommand& command) { peers.add(command.peer); });
  messages_.list_stuck(peers);
}

std::string Pending::missing_from(RankId rank) {
  const auto guard = parts::lock_for_report(endpoint_.lock, endpoint_.world.is_simulated());
  unsigned commands = 0;
  endpoint_.nic.for_each_awaited([&](const RmaCommand& command) { commands += command.peer == rank; });
  const unsigned stuck = messages_.stuck_to(rank);
  const std::string answers = parts::and_also(
      parts::counted(messages_.answers_missing_from(rank), "reply or credit", "replies or credits"),
      parts::counted(commands, "answer to a put or get", "answers to puts or gets"));
  return parts::and_also(answers,
                         parts::counted(stuck, "place in the mailbox for a message that is half sent",
                                        "places in the mailbox for messages that are half sent"));
}

}  // namespace aqueduct::conduit::extoll
