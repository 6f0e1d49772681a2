// Finds the numbers of a network model by which the scenario `loggp` takes as long in simulation as it took
// on a machine.
//
// Each number has one figure that follows it, nanosecond by nanosecond, while the other numbers stay; so the
// fit simulates, moves every number by what its figure is off, and simulates again, a few times. What
// conduits do in between (batches, acknowledgements, credits) is the library's own code and needs no formula
// here.
//
//   figure (of medians)                               number
//   send, 0 bytes; its slope by bytes                 port_send + port_sent; per byte
//   receive, 0 bytes; its slope                       port_receive; per byte
//   half a round trip of 0 bytes                      link.hop; if less than both overheads, what the sender does after the
//                                                     message has left: port_sent
//   slope of a round trip by bytes                    bandwidth of gates and link
//   both ranks send at once, and receive: the mean    port_crossed
//   the same of many ranks, with another one each time    port_other_peer
//   slope of sends in a row                           am_send, on networks where messages share datagrams
//   half the slope of receives together, less am_send am_receive there
//   slope of receives of messages apart, less am_receive   port_receive_more
//   slope of a flood                                  injection.per_message on other networks
//   poll                                              port_poll
//   half a round trip of two ranks on one core        host.turn
//   the same of two pairs of ranks on one core        host.turn_more
//
// "Messages share datagrams" where a message in a row costs its sender less than half of one alone.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/scenarios/samples.hpp"

namespace aqueduct::calibrate {

using scenarios::Sample;

/// What the model is fitted to, in nanoseconds, nanoseconds per byte, and nanoseconds per message.
struct Figures {
  double send = 0, send_per_byte = 0;
  double receive = 0, receive_per_byte = 0;
  double half_round_trip = 0, round_trip_per_byte = 0;
  double exchange = 0;
  double send_in_a_row = 0;
  double receive_together = 0;
  double receive_apart = 0;
  double flood = 0;
  double poll = 0;
  unsigned many = 0;                                     ///< ranks with a core each, of the next
  std::optional<double> new_exchange{};                  ///< each exchanges with another one each time
  std::optional<double> crowded_half_round_trip{};       ///< of two ranks on one core
  std::optional<double> more_crowded_half_round_trip{};  ///< of two pairs on one core
};

/// Medians of each series, and slopes by least squares. Throws std::runtime_error with one line if a series
/// is missing.
Figures figures_of(const std::vector<Sample>& samples);
/// Adds what the scenario `peers` has measured. Of two ranks that is the exchange, in place of the median of
/// single ones: a program that exchanges again and again takes the mean.
void add_peers(const std::vector<Sample>& samples, Figures& figures);
/// Adds the round trips of pairs of ranks on one core.
void add_crowded(const std::vector<Sample>& samples, Figures& figures);
/// Of one series.
double median_of(const std::vector<Sample>& samples, const std::string& series, std::uint64_t x);

/// The numbers, in nanoseconds and nanoseconds per byte.
struct Numbers {
  double send = 0, send_per_byte = 0;  ///< port_send and port_sent together
  double receive = 0, receive_per_byte = 0;
  double latency = 0;  ///< less than 0: the sender goes on for so long after the message has left
  double per_byte = 0;
  double receive_more = 0;
  double crossed = 0;
  double other_peer = 0;
  double am_send = 0, am_receive = 0;
  double gap = 0;  ///< injection.per_message
  double poll = 0;
  double turn = 0, turn_more = 0;
  bool shares_datagrams = false;

  double port_sent() const { return latency < 0 ? std::min(-latency, send) : 0; }
  double port_send() const { return send - port_sent(); }
  double hop() const { return std::max(latency, 0.0); }
};

/// The same in LogGP's letters: of a message without payload, and of a byte.
struct LogGP {
  double latency = 0, overhead_send = 0, overhead_receive = 0, gap = 0, gap_per_byte = 0;
};
LogGP loggp_of(const Figures& figures);

/// Simulates with the numbers; what comes out is compared with the machine's figures.
using Simulate = std::function<Figures(const Numbers&)>;

struct Fit {
  Numbers numbers;
  Figures simulated;  ///< with these numbers
  unsigned rounds = 0;
};

Fit fit(const Figures& machine, const Simulate& simulate);

}  // namespace aqueduct::calibrate
