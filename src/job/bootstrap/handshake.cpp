#include "job/bootstrap/handshake.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

/// The bytes of a message; messages have no padding.
template <class Message>
std::span<const std::uint8_t> octets_of(const Message& message) {
  static_assert(std::has_unique_object_representations_v<Message>);
  return {reinterpret_cast<const std::uint8_t*>(&message), sizeof message};
}

/// Begins with the role of the one who computes it, so that no tag is of use to the other side.
HmacSha256 begin_tag(const JobKey& key, std::string_view role, const Greeting& greeting,
                     const Challenge& challenge) {
  HmacSha256 tag(key.bytes());
  tag.add({reinterpret_cast<const std::uint8_t*>(role.data()), role.size()});
  tag.add(octets_of(greeting)).add(octets_of(challenge));
  return tag;
}

}  // namespace

std::optional<NetAddress> NetAddress::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  NetAddress address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  const bool is_v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_v6) host = host.substr(1, host.size() - 2);
  address.family = is_v6 ? Family::kV6 : Family::kV4;
  if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, std::string(host).c_str(), address.host.data()) != 1)
    return std::nullopt;
  return address;
}

NetAddress NetAddress::loopback() {
  NetAddress address;
  address.family = Family::kV4;
  address.host = {127, 0, 0, 1};
  return address;
}

bool NetAddress::is_loopback() const {
  if (family == Family::kV4) return host[0] == 127;
  constexpr std::array<std::uint8_t, 16> kV6Loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return family == Family::kV6 && host == kV6Loopback;
}

std::string NetAddress::text() const {
  char host_text[INET6_ADDRSTRLEN] = "nowhere";
  if (family != Family::kNone)
    ::inet_ntop(family == Family::kV6 ? AF_INET6 : AF_INET, host.data(), host_text, sizeof host_text);
  const std::string suffix = ":" + std::to_string(port);
  return family == Family::kV6 ? "[" + std::string(host_text) + "]" + suffix : host_text + suffix;
}

void refuse_version(const std::string& who, std::uint32_t theirs) {
  fatal("start",
        "%s speaks version %u of the bootstrap and this one version %u; install the same library everywhere",
        who.c_str(), theirs, kGreetingVersion);
}

Nonce random_nonce() {
  Nonce nonce;
  fill_randomly(nonce);
  return nonce;
}

Proof prove(const JobKey& key, const Greeting& greeting, const Challenge& challenge) {
  return begin_tag(key, "aqueduct, greets", greeting, challenge).finish();
}

Sha256::Digest tag_of(const JobKey& key, const Greeting& greeting, const Challenge& challenge,
                      const Answer& answer) {
  return begin_tag(key, "aqueduct, answers", greeting, challenge)
      .add(octets_of(answer).first(offsetof(Answer, tag)))
      .finish();
}

Examined examine_greeting(std::string_view bytes, Greeting::Purpose purpose) {
  using enum Examined::State;
  Examined examined;
  Greeting& greeting = examined.greeting;
  std::memcpy(static_cast<void*>(&greeting), bytes.data(), std::min(bytes.size(), sizeof greeting));
  if (bytes.size() < Greeting::kCommonBytes) {
    const bool may_be = bytes.size() < sizeof greeting.magic || greeting.magic == Greeting::kMagic;
    examined.state = may_be ? kIncomplete : kStranger;
  } else if (greeting.magic != Greeting::kMagic) {
    examined.state = kStranger;
  } else if (greeting.version != kGreetingVersion) {
    examined.state = kOtherVersion;
  } else if (bytes.size() < sizeof greeting) {
    examined.state = kIncomplete;
  } else {
    const bool only_looks =
        purpose == Greeting::Purpose::kRegister && greeting.purpose == Greeting::Purpose::kFind;
    const bool is_ours = bytes.size() == sizeof greeting && (greeting.purpose == purpose || only_looks);
    examined.state = is_ours ? kComplete : kStranger;
  }
  return examined;
}

}  // namespace aqueduct::job
