#include "job/warden/connection.hpp"

#include <cstdio>

#include "base/clock.hpp"

namespace aqueduct::job::warden {

WardenConnection::WardenConnection(net::Descriptor socket, std::uint32_t patience_ms, net::EventSet& events,
                                   std::function<void()> is_ready)
    : link_(std::move(socket)), patience_ms_(patience_ms), heartbeat_(patience_ms, machine_clock().now_ns()) {
  link_.watch(events, std::move(is_ready));
}

std::string WardenConnection::serve(const std::function<void(const agent::RankMessage&)>& hear) {
  if (link_.receive()) heartbeat_.heard(machine_clock().now_ns());
  while (link_.is_open()) {
    const std::optional<agent::RankMessage> message = link_.next();
    if (!message) break;
    hear(*message);
  }
  if (!link_.is_open()) return {};
  if (link_.is_garbled()) return kNonsense;
  return link_.is_closed() ? "has closed its connection: it was killed, or its host is down" : "";
}

std::string WardenConnection::keep_time() {
  const std::uint64_t now = machine_clock().now_ns();
  if (heartbeat_.should_beat(now)) link_.send(agent::Beat{patience_ms_});
  if (!heartbeat_.is_silent(now)) return {};
  char what[96];
  std::snprintf(what, sizeof what,
                "has been silent for %g s (AQUEDUCT_HEARTBEAT): its host is down or out of reach",
                patience_ms_ / 1000.0);
  return what;
}

}  // namespace aqueduct::job::warden
