// udp-seal: the cost of sealing a datagram, of sealing one whose payload lies elsewhere, and of opening it,
// for each cipher and each library that this machine has.
#include "fabric/udp/seal.hpp"

#include <fmt/format.h>

#include <array>
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
  SealLibrary library;
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

/// What the fabric does with a part of a payload: it leaves it where it lies, if the seal can.
Batch sealing_payload(const Seal& seal, std::vector<std::byte>& datagram, std::vector<std::byte>& payload) {
  return [&](std::uint64_t count) {
    iovec parts[2] = {{datagram.data(), kHeadBytes}, {payload.data(), payload.size()}};
    std::array<std::byte, Seal::kTagBytes> tag;
    const bool takes_parts = seal.takes_parts();
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (takes_parts) {
        seal.seal_parts({0, 1, i}, parts, tag);
      } else {
        seal.copy_and_seal({0, 1, i}, datagram, kHeadBytes, kHeadBytes, std::span(parts).subspan(1));
      }
    }
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
      {"AES-GCM, authenticate, libIPSec_MB", Security::kAuthenticate, Cipher::kAesGcm, SealLibrary::kIpsecMb},
      {"AES-GCM, encrypt, libIPSec_MB", Security::kEncrypt, Cipher::kAesGcm, SealLibrary::kIpsecMb},
      {"AES-GCM, authenticate, libsodium", Security::kAuthenticate, Cipher::kAesGcm, SealLibrary::kSodium},
      {"AES-GCM, encrypt, libsodium", Security::kEncrypt, Cipher::kAesGcm, SealLibrary::kSodium},
      {"ChaCha20-Poly1305, authenticate", Security::kAuthenticate, Cipher::kChaChaPoly, SealLibrary::kSodium},
      {"ChaCha20-Poly1305, encrypt", Security::kEncrypt, Cipher::kChaChaPoly, SealLibrary::kSodium}};
  Result result{.title = "sealing and opening a datagram", .unit = "ns"};
  for (const SealKind& kind : kKinds) {
    std::string why;
    const auto seal = make_seal(kind.security, kind.cipher, net::JobKey::random(), 0, &why, kind.library);
    if (!seal && kind.cipher == Cipher::kChaChaPoly) throw Unsuitable("udp-seal: " + why);
    if (!seal && kind.security == Security::kAuthenticate)
      result.notes.push_back(fmt::format("No {}: {}.", kind.name, why));
    if (!seal) continue;
    for (const std::size_t size : parameters.sizes) {
      std::vector<std::byte> datagram(kHeadBytes + size + Seal::kTagBytes), payload(size);
      const auto times = interleave(
          session, parameters.repetitions,
          {sealing(*seal, datagram), sealing_payload(*seal, datagram, payload), opening(*seal, datagram)});
      const char* const what[] = {"seal", "seal a payload elsewhere", "open"};
      for (std::size_t i = 0; i < times.size(); ++i)
        result.rows.push_back(
            {.size = size, .value = times[i], .what = fmt::format("{}, {}", kind.name, what[i])});
    }
  }
  result.notes.push_back(describe_seals() + ".");
  return result;
}

}  // namespace aqueduct::bench
