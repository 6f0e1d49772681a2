// udp-seal: the cost of sealing and opening a datagram, for each cipher that this processor supports.
#include "fabric/udp/seal.hpp"

#include <cstring>

#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

using namespace fabric::udp;

struct SealKind {
  const char* name;
  Security security;
  Cipher cipher;
};

constexpr std::size_t kHeadBytes = 24;

/// Seals a datagram under increasing numbers; opening also copies a datagram, because it destroys it.
Batch sealing(const Seal& seal, std::vector<std::byte>& datagram) {
  return [&](std::uint64_t count) {
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) seal.seal({0, 1, i}, datagram, kHeadBytes);
    return watch.ns();
  };
}

Batch opening(const Seal& seal, std::vector<std::byte>& datagram) {
  return [&](std::uint64_t count) {
    seal.seal({0, 1, 0}, datagram, kHeadBytes);
    std::vector<std::byte> copy(datagram.size());
    bool is_good = true;
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(copy.data(), datagram.data(), datagram.size());
      is_good = seal.open({0, 1, 0}, copy, kHeadBytes) && is_good;
    }
    return is_good ? watch.ns() : throw Unsuitable("udp-seal: what was sealed does not open");
  };
}

}  // namespace

Result run_udp_seal(Session& session, const Parameters& parameters) {
  constexpr SealKind kKinds[] = {
      {"AES-GCM, authenticate", Security::kAuthenticate, Cipher::kAesGcm},
      {"AES-GCM, encrypt", Security::kEncrypt, Cipher::kAesGcm},
      {"ChaCha20-Poly1305, authenticate", Security::kAuthenticate, Cipher::kChaChaPoly},
      {"ChaCha20-Poly1305, encrypt", Security::kEncrypt, Cipher::kChaChaPoly}};
  Result result{.title = "sealing and opening a datagram", .unit = "ns"};
  for (const SealKind& kind : kKinds) {
    std::string why;
    const auto seal = make_seal(kind.security, kind.cipher, net::JobKey::random(), 0, &why);
    if (!seal && kind.cipher == Cipher::kChaChaPoly) throw Unsuitable("udp-seal: " + why);
    if (!seal) continue;
    for (const std::size_t size : parameters.sizes) {
      std::vector<std::byte> datagram(kHeadBytes + size + Seal::kTagBytes);
      const auto times =
          interleave(session, parameters.repetitions, {sealing(*seal, datagram), opening(*seal, datagram)});
      result.rows.push_back({.size = size, .value = times[0], .what = std::string(kind.name) + ", seal"});
      result.rows.push_back({.size = size, .value = times[1], .what = std::string(kind.name) + ", open"});
    }
  }
  return result;
}

}  // namespace aqueduct::bench
