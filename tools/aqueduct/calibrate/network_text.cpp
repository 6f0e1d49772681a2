#include "network_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace aqueduct::calibrate {
namespace {

constexpr double kMegabytesPerByteNs = 1000;  // a byte in a nanosecond is 1000 MB/s
/// No bandwidth that a message could notice.
constexpr double kEndlessMegabytes = 1e6;
constexpr double kLeastTurnNs = 10;
constexpr std::size_t kInlineBytes = 65507;  // a datagram comes in one piece

/// "= { value = 12.3, unit = "ns", calibrated = "..." }"
std::string number(double value, const char* unit, const std::string& why, const char* mark = "calibrated",
                   double per_byte = 0) {
  const std::string rate = per_byte > 0 ? fmt::format(", per_byte = {:.6f}", per_byte) : "";
  return fmt::format("{{ value = {:.3f}, unit = \"{}\"{}, {} = \"{}\" }}", value, unit, rate, mark, why);
}

std::string count(std::uint64_t value, const char* unit, const std::string& why, const char* mark) {
  return fmt::format("{{ value = {}, unit = \"{}\", {} = \"{}\" }}", value, unit, mark, why);
}

/// "what 2944 ns, simulated 2940 ns"
std::string compared(const char* what, double machine, double simulated) {
  return fmt::format("{}: measured {:.0f} ns, simulated {:.0f} ns", what, machine, simulated);
}
std::string compared_rate(const char* what, double machine, double simulated) {
  return fmt::format("{}: measured {:.3f} ns per byte, simulated {:.3f}", what, machine, simulated);
}

}  // namespace

std::string kernel_lines(const Kernels& kernels) {
  std::string text = "\n# Work of programs, by itself on one rank.\n";
  text += fmt::format("stencil_step = {}\n",
                      number(kernels.stencil_step, "ns", "a step of the scenario stencil without messages",
                             "calibrated", kernels.stencil_per_byte));
  text +=
      fmt::format("table_update = {}\n",
                  number(kernels.update, "ns", "an update of random-access on one rank, made and applied"));
  return text;
}

std::string network_text(const Numbers& numbers, const Figures& machine, const Figures& simulated,
                         const Origin& origin) {
  const LogGP loggp = loggp_of(machine);
  std::string text;
  text += fmt::format("# The network of {} by conduit {}, measured by\n#\n#   {}\n#\n", origin.machine,
                      origin.conduit, origin.command);
  text += fmt::format(
      "# LogGP, medians of {} rounds: L {:.0f} ns, o_send {:.0f} ns, o_receive {:.0f} ns, g {:.0f} ns, G "
      "{:.3f} ns per byte. L is half a\n"
      "# round trip less both overheads; where it is negative, the message arrives before its sender's call "
      "returns. Each number says\n"
      "# which figure it was fitted to, and what a simulation with this file makes of that figure.\n",
      origin.rounds, loggp.latency, loggp.overhead_send, loggp.overhead_receive, loggp.gap,
      loggp.gap_per_byte);
  text +=
      fmt::format("name = \"{}\"\nsummary = \"{}, conduit {}\"\ntopology = \"crossbar\"\nordered = true\n",
                  origin.name, origin.machine, origin.conduit);
  text += fmt::format("inline_bytes = {}\n",
                      count(kInlineBytes, "B", "a datagram comes in one piece", "assumed"));
  text += fmt::format("packet_bytes = {}\n", count(65536, "B", "likewise", "assumed"));
  const std::string slope =
      compared_rate("a round trip, by bytes", machine.round_trip_per_byte, simulated.round_trip_per_byte);
  const std::string trip =
      compared("half a round trip without payload", machine.half_round_trip, simulated.half_round_trip);
  const double megabytes = numbers.per_byte > 0
                               ? std::min(kMegabytesPerByteNs / numbers.per_byte, kEndlessMegabytes)
                               : kEndlessMegabytes;
  const std::string bandwidth = number(megabytes, "MB/s", slope);
  text += fmt::format("\n[link]\nbandwidth = {}\nhop = {}\n", bandwidth, number(numbers.hop(), "ns", trip));
  const std::string flood = compared("a message of a flood", machine.flood, simulated.flood);
  const std::string nothing = count(0, "ns", "in the other numbers", "assumed");
  text += fmt::format("\n[injection]\nbandwidth = {}\nper_message = {}\nper_packet = {}\n", bandwidth,
                      number(numbers.gap, "ns", flood), nothing);
  text += fmt::format("\n[ejection]\nbandwidth = {}\nper_message = {}\nper_packet = {}\n", bandwidth, nothing,
                      nothing);
  text += fmt::format("\n[reliability]\ntimeout = {}\ntries = {}\n",
                      count(200, "ms", "nothing is lost below the conduit here", "assumed"),
                      count(8, "1", "likewise", "assumed"));
  text += fmt::format("\n[nic]\ndatagram_bytes = {}\n",
                      count(origin.datagram_bytes, "B",
                            origin.is_pretended ? "the loopback interface" : "Ethernet", "assumed"));
  if (origin.cores != 0 && machine.crowded_half_round_trip) {
    text += fmt::format("\n[host]\ncores = {}\n", count(origin.cores, "1", "of this machine", "calibrated"));
    if (origin.is_pretended)
      text +=
          fmt::format("nodes = {}\n",
                      count(1u << 20, "1", "the hosts are pretended: all are this machine", "calibrated"));
    text += fmt::format("turn = {}\n", number(std::max(numbers.turn, kLeastTurnNs), "ns",
                                              compared("half a round trip of two ranks on one core",
                                                       *machine.crowded_half_round_trip,
                                                       simulated.crowded_half_round_trip.value_or(0))));
    if (machine.more_crowded_half_round_trip)
      text += fmt::format("turn_more = {}\n",
                          number(numbers.turn_more, "ns",
                                 compared("half a round trip of two pairs of ranks on one core",
                                          *machine.more_crowded_half_round_trip,
                                          simulated.more_crowded_half_round_trip.value_or(0))));
    text += fmt::format("patience = {}\n",
                        number(kPatienceNs, "ns", "what ranks yield for before they sleep", "assumed"));
  }
  text += "\n[costs]\n";
  text += fmt::format("poll = {}\n", number(std::max(numbers.poll, 1.0), "ns", "a poll that finds nothing"));
  text += fmt::format("port_poll = {}\n", number(numbers.poll, "ns", "a poll that finds nothing"));
  if (numbers.shares_datagrams) {
    text +=
        fmt::format("am_send = {}\n",
                    number(numbers.am_send, "ns",
                           compared("sends in a row, each", machine.send_in_a_row, simulated.send_in_a_row)));
    text += fmt::format("am_receive = {}\n",
                        number(numbers.am_receive, "ns",
                               compared("receives together, each with its reply", machine.receive_together,
                                        simulated.receive_together)));
  }
  const std::string send = compared("a send without payload", machine.send, simulated.send);
  text += fmt::format(
      "port_send = {}\n",
      number(numbers.port_send(), "ns",
             send + "; " + compared_rate("by bytes", machine.send_per_byte, simulated.send_per_byte),
             "calibrated", numbers.send_per_byte));
  if (numbers.port_sent() > 0)
    text += fmt::format("port_sent = {}\n", number(numbers.port_sent(), "ns", trip));
  if (numbers.crossed > 0)
    text += fmt::format(
        "port_crossed = {}\n",
        number(numbers.crossed, "ns", compared("an exchange", machine.exchange, simulated.exchange)));
  if (numbers.other_peer > 0)
    text += fmt::format(
        "port_other_peer = {}\n",
        number(
            numbers.other_peer, "ns",
            compared(fmt::format("an exchange of {} ranks, with another one each time", machine.many).c_str(),
                     machine.new_exchange.value_or(0), simulated.new_exchange.value_or(0))));
  text +=
      fmt::format("port_receive = {}\n",
                  number(numbers.receive, "ns",
                         compared("a receive without payload", machine.receive, simulated.receive) + "; " +
                             compared_rate("by bytes", machine.receive_per_byte, simulated.receive_per_byte),
                         "calibrated", numbers.receive_per_byte));
  text += fmt::format(
      "port_receive_more = {}\n",
      number(numbers.receive_more, "ns",
             compared("receives of messages apart, each", machine.receive_apart, simulated.receive_apart),
             "calibrated", numbers.receive_per_byte));
  return text;
}

}  // namespace aqueduct::calibrate
