// What happened at a port, by name: for tests, which prove by them that rare paths were taken, and for people
// who look for the cause of a slow network.
//
// What is not authenticated moves dropped_short, dropped_version, dropped_stray and dropped_forged alone, by
// at most one for each datagram that the socket has received.
#pragma once
#include <cstdint>

namespace aqueduct::fabric::udp {

// clang-format off
#define AQUEDUCT_UDP_COUNTERS(COUNT) \
  COUNT(datagrams_sent, "datagrams sent") \
  COUNT(datagrams_received, "datagrams received and believed") \
  COUNT(acks_alone, "acknowledgements that went by themselves") \
  COUNT(messages_sent, "messages sent") \
  COUNT(messages_received, "messages received") \
  COUNT(placed, "messages sent that named the place of their payload") \
  COUNT(copied, "payloads that were copied because their sender needed the memory back") \
  COUNT(retransmitted, "datagrams that carry something for the second time") \
  COUNT(lost, "datagrams taken for lost") \
  COUNT(late, "datagrams taken for lost that came after all") \
  COUNT(probes, "probes because acknowledgements stayed away") \
  COUNT(window_cuts, "cuts of the congestion window") \
  COUNT(window_closed, "times that the window held something back") \
  COUNT(room_closed, "times that a receiver had no room for messages") \
  COUNT(path_narrowed, "falls to a smaller datagram") \
  COUNT(path_widened, "returns to a larger datagram") \
  COUNT(shared, "messages that shared a datagram with one before") \
  COUNT(held, "payloads that waited for others to leave with") \
  COUNT(timeouts, "peers given up") \
  COUNT(socket_full, "times that the socket took no more") \
  COUNT(dropped_short, "dropped: not as long as it says, or shorter than a head") \
  COUNT(dropped_version, "dropped: of another version") \
  COUNT(dropped_stray, "dropped: of another job, plane or target") \
  COUNT(dropped_forged, "dropped: the tag is wrong, or the address without one") \
  COUNT(dropped_malformed, "dropped: frames that make no sense") \
  COUNT(dropped_duplicate, "dropped: the number was there before") \
  COUNT(dropped_old, "dropped: the number is too old to know") \
  COUNT(dropped_far, "dropped: the number is farther ahead than a sender can be") \
  COUNT(dropped_room, "dropped: beyond the room that was granted") \
  COUNT(dropped_place, "dropped: it names a place where its sender may not write") \
  COUNT(dropped_gone, "dropped: from a peer that was given up") \
  COUNT(stale_parts, "parts of payloads that are no longer awaited")
// clang-format on

struct Counters {
#define AQUEDUCT_UDP_MEMBER(name, text) std::uint64_t name = 0;
  AQUEDUCT_UDP_COUNTERS(AQUEDUCT_UDP_MEMBER)
#undef AQUEDUCT_UDP_MEMBER

  Counters& operator+=(const Counters& other) {
#define AQUEDUCT_UDP_ADD(name, text) name += other.name;
    AQUEDUCT_UDP_COUNTERS(AQUEDUCT_UDP_ADD)
#undef AQUEDUCT_UDP_ADD
    return *this;
  }

  /// Calls `visit(name, text, value)` for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
#define AQUEDUCT_UDP_VISIT(name, text) visit(#name, text, name);
    AQUEDUCT_UDP_COUNTERS(AQUEDUCT_UDP_VISIT)
#undef AQUEDUCT_UDP_VISIT
  }
};

}  // namespace aqueduct::fabric::udp
