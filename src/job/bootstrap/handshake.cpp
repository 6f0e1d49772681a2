#include "job/bootstrap/handshake.hpp"

#include <algorithm>
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

/// A tag begins with the role of its sender, so that neither side can send the other's tag back.
HmacSha256 begin_tag(const net::JobKey& key, std::string_view role, const Greeting& greeting,
                     const Challenge& challenge) {
  HmacSha256 tag(key.bytes());
  tag.add({reinterpret_cast<const std::uint8_t*>(role.data()), role.size()});
  tag.add(octets_of(greeting)).add(octets_of(challenge));
  return tag;
}

}  // namespace

void refuse_version(const std::string& who, std::uint32_t theirs) {
  fatal("start",
        "%s speaks version %u of the bootstrap and this one version %u; install the same library everywhere",
        who.c_str(), theirs, kGreetingVersion);
}

Nonce random_nonce() {
  Nonce nonce;
  net::fill_randomly(nonce);
  return nonce;
}

Proof prove(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge) {
  return begin_tag(key, "aqueduct, greets", greeting, challenge).finish();
}

Sha256::Digest tag_of(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge,
                      const GreetingAnswer& answer) {
  return begin_tag(key, "aqueduct, answers", greeting, challenge)
      .add(octets_of(answer).first(offsetof(GreetingAnswer, tag)))
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
