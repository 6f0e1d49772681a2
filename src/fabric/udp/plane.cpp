#include "fabric/udp/plane.hpp"

#include <sys/random.h>

#include <string>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "fabric/udp/live_socket.hpp"
#include "fabric/udp/settings.hpp"
#include "job/place/shared_memory.hpp"

namespace aqueduct::fabric::udp {
namespace {

constexpr char kWhere[] = "udp";
/// Each plane has so much of the memory that ranks share (fabric/shm/plane.cpp).
constexpr std::size_t kDoorbellPlane = std::size_t{1} << 40;

/// What each rank tells the others.
struct Card {
  net::Address address;
  std::uint32_t job = 0;
  Security security = Security::kNone;
  Cipher cipher = Cipher::kChaChaPoly;
  Plane plane{};
};

const char* name_of(Security security) {
  switch (security) {
    case Security::kNone:
      return "none";
    case Security::kAuthenticate:
      return "authenticate";
    case Security::kEncrypt:
      return "encrypt";
  }
  return "";
}

Card make_card(const job::Membership& place, Plane plane, const net::Address& address) {
  Card card;
  card.address = address;
  card.security = security_setting();
  if (card.security != Security::kNone) card.cipher = best_cipher();
  card.plane = plane;
  if (place.rank != 0) return card;
  if (::getrandom(&card.job, sizeof card.job, 0) != sizeof card.job)
    fatal(kWhere, "the system gives no random numbers");
  return card;
}

std::unique_ptr<DatagramSocket> open_socket(const job::Membership& place) {
  LiveSocketSettings settings;
  settings.address = local_address_setting(place);
  settings.datagrams_say_size = true;
  settings.says_sender = security_setting() == Security::kNone;  // a seal says more
  std::string why;
  std::unique_ptr<LiveSocket> socket = LiveSocket::open(settings, &why);
  if (!socket) fatal(kWhere, "%s", why.c_str());
  return socket;
}

LinkSettings link_settings() {
  LinkSettings links;
  constexpr std::int64_t kLongestSeconds = 1'000'000;
  const auto seconds = env::integer({kTimeoutVariable}, 0, kLongestSeconds);
  if (seconds) links.give_up_ns = static_cast<std::uint64_t>(*seconds) * 1'000'000'000;
  return links;
}

/// In memory that the ranks of this host share, so that neighbours can ring as well.
std::function<Doorbell*(NodeId)> open_doorbells(const job::Membership& place, Plane plane) {
  auto* const bells = static_cast<Doorbell*>(
      job::map_shared(place.memory_fd, job::kFabricPlace + static_cast<std::size_t>(plane) * kDoorbellPlane,
                      place.size * sizeof(Doorbell), "the doorbells of the network"));
  return [bells, hosts = place.hosts, host = place.host()](NodeId node) {
    return hosts.host_of(node) == host ? bells + node : nullptr;
  };
}

}  // namespace

std::unique_ptr<UdpPort> open_port(const job::Membership& place, Plane plane, job::Bootstrap& bootstrap,
                                   Clock& clock) {
  PortSetup setup;
  setup.self = place.rank;
  setup.plane = plane;
  setup.links = link_settings();
  setup.socket = open_socket(place);
  const Card mine = make_card(place, plane, setup.socket->address());
  Card first;
  Cipher cipher = mine.cipher;
  bootstrap.all_gather(mine, [&](RankId rank, const Card& card) {
    if (rank == 0) first = card;
    if (card.plane != plane)
      fatal(kWhere, "rank %u opens another network than rank %u; all ranks must use the same conduit", rank,
            place.rank);
    if (card.security != mine.security)
      fatal(kWhere, "AQUEDUCT_UDP_SECURITY is %s at rank %u and %s at rank %u; set it alike everywhere",
            name_of(card.security), rank, name_of(mine.security), place.rank);
    if (card.cipher == Cipher::kChaChaPoly) cipher = Cipher::kChaChaPoly;
    setup.peers.add(card.address);
  });
  setup.peers.close();
  setup.job = first.job;
  std::string why;
  if (mine.security != Security::kNone) {
    setup.seal = make_seal(mine.security, cipher, place.key, static_cast<std::uint32_t>(plane), &why);
    if (!setup.seal) fatal(kWhere, "%s", why.c_str());
  }
  setup.doorbell = open_doorbells(place, plane);
  setup.is_watched = true;
  setup.says_counters = env::flag({"AQUEDUCT_UDP_COUNTERS"}, false);
  return std::make_unique<UdpPort>(std::move(setup), clock);
}

}  // namespace aqueduct::fabric::udp
