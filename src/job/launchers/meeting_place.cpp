#include "job/launchers/meeting_place.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/launchers/reachable.hpp"
#include "net/network_interface.hpp"

namespace aqueduct::job::launchers {
namespace {

/// The text of all ranks but rank 0.
constexpr char kNothing[] = "-";

std::vector<net::Address> parse_addresses(std::string_view text) {
  std::vector<net::Address> addresses;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::optional<net::Address> address = net::Address::parse(word);
    if (!address) return {};
    addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

std::string MeetingPlace::open(const LauncherExchange& exchange) {
  std::vector<net::Address> addresses;
  if (is_one_machine_) {
    addresses = {net::Address::loopback()};
  } else if (const std::string wanted = env::text({"AQUEDUCT_INTERFACE"}, ""); !wanted.empty()) {
    std::string why;
    const std::optional<net::Address> chosen = net::choose_interface(wanted, &why);
    if (!chosen) fatal("start", "AQUEDUCT_INTERFACE=%s: %s", wanted.c_str(), why.c_str());
    addresses = {*chosen};
  } else if (const net::Address known = exchange.meeting_address()) {
    addresses = {known};
  } else {
    for (const InterfaceAddress& own : own_addresses()) addresses.push_back(own.address);
    if (addresses.empty())
      fatal("start", "rank 0 has no address that other hosts can reach; connect its host to a network");
  }
  net::Address where = addresses.front();
  if (addresses.size() > 1) where.host = {};  // nobody knows yet which one a host will reach
  where.port = 0;
  rendezvous_.emplace(key_, hosts_);
  if (!rendezvous_->open(where))
    fatal("start", "rank 0 cannot listen for the leaders of other hosts: %s", std::strerror(errno));
  std::uint16_t wardens_port = 0;  // 0: there is one warden
  if (!is_one_machine_) {
    listener_ = net::listen_at(where);
    if (!listener_)
      fatal("start", "rank 0 cannot listen for wardens of other hosts: %s", std::strerror(errno));
    wardens_port = net::local_address(listener_.get()).port;
  }
  std::string text = std::to_string(wardens_port) + "/";
  bool is_first = true;
  for (net::Address& address : addresses) {
    address.port = rendezvous_->port();
    const std::string next = (is_first ? "" : ",") + address.text();
    if (address.family != where.family || text.size() + next.size() > LauncherExchange::kMostText) continue;
    text += next;
    is_first = false;
  }
  return text;
}

MeetingPlace::Agreed MeetingPlace::agree(LauncherExchange& exchange) {
  const std::string mine = exchange.rank() == 0 ? open(exchange) : kNothing;
  const std::string text = exchange.all_gather(mine)[0];
  const std::size_t slash = text.find('/');
  std::uint16_t port = 0;
  const char* const end = text.data() + std::min(slash, text.size());
  const bool has_port = std::from_chars(text.data(), end, port).ptr == end && (port != 0 || is_one_machine_);
  const std::vector<net::Address> theirs = has_port && slash != text.npos
                                               ? parse_addresses(std::string_view(text).substr(slash + 1))
                                               : std::vector<net::Address>();
  if (theirs.empty()) fatal("start", "rank 0 tells addresses that are none: %s", text.c_str());
  const std::optional<net::Address> chosen =
      theirs.size() == 1 ? theirs[0] : choose_address(theirs, own_addresses());
  if (!chosen)
    fatal("start", "this host reaches none of the addresses of rank 0's: %s; connect both to one network",
          text.c_str());
  Agreed agreed = {*chosen, *chosen};
  agreed.first_warden.port = port;
  return agreed;
}

}  // namespace aqueduct::job::launchers
