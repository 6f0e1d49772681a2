#include "job/launchers/meeting_place.hpp"

#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"
#include "job/launchers/reachable.hpp"

namespace aqueduct::job::launchers {
namespace {

/// Stands for what only rank 0 has to say.
constexpr char kNothing[] = "-";

std::vector<NetAddress> parse_addresses(std::string_view text) {
  std::vector<NetAddress> addresses;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::optional<NetAddress> address = NetAddress::parse(word);
    if (!address) return {};
    addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

std::string MeetingPlace::open(const Exchange& exchange) {
  std::vector<NetAddress> addresses;
  if (is_one_machine_) {
    addresses = {NetAddress::loopback()};
  } else if (const NetAddress known = exchange.meeting_address()) {
    addresses = {known};
  } else {
    for (const InterfaceAddress& own : own_addresses()) addresses.push_back(own.address);
    if (addresses.empty())
      fatal("start", "rank 0 has no address that other hosts can reach; connect its host to a network");
  }
  NetAddress where = addresses.front();
  if (!is_one_machine_) where.host = {};
  where.port = 0;
  rendezvous_.emplace(key_, hosts_);
  if (!rendezvous_->open(where))
    fatal("start", "rank 0 cannot listen for the leaders of other hosts: %s", std::strerror(errno));
  std::string text;
  for (NetAddress& address : addresses) {
    address.port = rendezvous_->port();
    std::string next = (text.empty() ? "" : ",") + address.text();
    if (address.family == where.family && text.size() + next.size() <= Exchange::kMostText) text += next;
  }
  return text;
}

NetAddress MeetingPlace::agree(Exchange& exchange) {
  const std::string mine = exchange.rank() == 0 ? open(exchange) : kNothing;
  const std::string text = exchange.all_gather(mine)[0];
  const std::vector<NetAddress> theirs = parse_addresses(text);
  if (theirs.empty()) fatal("start", "rank 0 tells addresses that are none: %s", text.c_str());
  if (theirs.size() == 1) return theirs[0];
  const std::optional<NetAddress> chosen = choose_address(theirs, own_addresses());
  if (!chosen)
    fatal("start", "this host reaches none of the addresses of rank 0's: %s; connect both to one network",
          text.c_str());
  return *chosen;
}

}  // namespace aqueduct::job::launchers
