// What keeps datagrams of one job apart from all others: each is authenticated with the job's key, and
// encrypted if that is asked for (AQUEDUCT_UDP_SECURITY=encrypt|authenticate|none).
//
// A datagram is a head of kHeadBytes that stays readable, a body, and the tag, kTagBytes, at its end (absent
// with `none`). The head holds all that the nonce is made of: sender, target and the packet number, which a
// sender never uses twice to the same target. So whoever checks numbers against replays needs nothing else.
//
// The keys that datagrams are sealed with come from the job's: one for each stream (what has numbers of its
// own: a plane of the fabric), security and cipher, so that the same name in two streams is not the same
// nonce. They are where the job's is: in memory that core files leave out (base/secret.hpp).
//
// Uses libsodium, loaded when the first seal is made; AES-256-GCM where the processor has it,
// ChaCha20-Poly1305 otherwise: all ranks of a job use the one that all have. No library and a security other
// than `none` is an error that names both ways out.
//
// Threads: any; a seal does not change.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "net/job_key.hpp"

namespace aqueduct::fabric::udp {

enum class Security : std::uint8_t { kNone, kAuthenticate, kEncrypt };
enum class Cipher : std::uint8_t { kAesGcm, kChaChaPoly };

/// Who sends what to whom: never the same twice in a stream. seal() ends the job if a number is out of range;
/// open() refuses it.
struct PacketName {
  static constexpr std::uint32_t kMostNodes = 1u << 20;
  static constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 56;

  std::uint32_t sender = 0;
  std::uint32_t target = 0;
  std::uint64_t number = 0;
};

class Seal {
 public:
  static constexpr std::size_t kTagBytes = 16;

  virtual ~Seal() = default;

  /// How many bytes seal() appends: kTagBytes, or 0 with Security::kNone.
  virtual std::size_t tag_bytes() const = 0;
  /// `datagram` has head, body and room for the tag. The body is encrypted in place where that is asked for.
  virtual void seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const = 0;
  /// False: forged or damaged, and nothing is to be believed. The body is decrypted in place.
  [[nodiscard]] virtual bool open(const PacketName& name, std::span<std::byte> datagram,
                                  std::size_t head_bytes) const = 0;
};

/// The cipher that this machine would choose.
Cipher best_cipher();
/// Null, with the reason and what to do in `*why`, if the library is missing or the processor has no
/// instructions for the cipher.
std::unique_ptr<Seal> make_seal(Security security, Cipher cipher, const net::JobKey& key,
                                std::uint32_t stream, std::string* why);

}  // namespace aqueduct::fabric::udp
