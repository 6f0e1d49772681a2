#include "watch/inquire.hpp"

#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "job/messages/rank_messages.hpp"
#include "net/local_socket.hpp"

namespace aqueduct::watch {

namespace agent = job::agent;

std::optional<std::vector<observe::RankState>> inquire(const std::string& name,
                                                       const job::InspectOptions& look, std::string* why) {
  constexpr std::uint64_t kPatienceNs = 5'000'000'000;
  const auto refuse = [&](const std::string& reason) {
    *why = reason;
    return std::nullopt;
  };
  net::Descriptor socket = net::connect_locally(name, SOCK_STREAM);
  if (!socket) return refuse(errno == ECONNREFUSED ? "it has ended" : std::strerror(errno));
  job::RankLink link(std::move(socket));
  net::EventSet events;
  link.watch(events, [&] { link.receive(); });
  link.send(agent::Inspect{look.with_stacks, look.with_counters});
  const std::uint64_t end_ns = machine_clock().now_ns() + kPatienceNs;
  while (machine_clock().now_ns() < end_ns) {
    events.wait_until(end_ns);
    while (events.serve_next()) {
    }
    while (const std::optional<agent::RankMessage> message = link.next()) {
      if (const auto* const inspected = std::get_if<agent::Inspected>(&*message)) {
        std::optional<std::vector<observe::RankState>> states = observe::decode(inspected->states);
        if (!states) return refuse("its launcher says what cannot be understood");
        return states;
      }
    }
    if (link.is_garbled()) return refuse("its launcher says what cannot be understood");
    if (link.is_closed()) return refuse("it has ended");
  }
  return refuse("its launcher does not answer");
}

}  // namespace aqueduct::watch
