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
// AES-256-GCM where all ranks of the job have it, else ChaCha20-Poly1305. Which library computes it is each
// rank's own choice, as the bytes are the same: libIPSec_MB where there is one (vector_seal.hpp), else
// libsodium, which also derives the keys. Both are loaded when the first seal is made. No libsodium and a
// security other than `none` is an error that names both ways out.
//
// Without encryption, a seal that takes parts leaves a payload where it lies. Should its bytes change between
// the seal and the system call that sends them, the target drops the datagram, and what it carried goes
// again.
//
// Threads: any, also at the same time; a seal does not change.
#pragma once
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/fatal.hpp"
#include "net/job_key.hpp"

namespace aqueduct::fabric::udp {

enum class Security : std::uint8_t { kNone, kAuthenticate, kEncrypt };
enum class Cipher : std::uint8_t { kAesGcm, kChaChaPoly };
enum class SealLibrary : std::uint8_t { kSodium, kIpsecMb };

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

  /// Whether seal_parts() may be called.
  virtual bool takes_parts() const { return false; }
  /// The same for a datagram that lies in several places, the head first: `tag` is to follow the last. Only
  /// where the body is not encrypted.
  virtual void seal_parts(const PacketName& /*name*/, std::span<const iovec> /*parts*/,
                          std::span<std::byte, kTagBytes> /*tag*/) const {
    fatal("udp", "a datagram in parts is given to a seal that takes none");
  }
  /// The same for one whose first `here_bytes` lie in `datagram`: what `parts` hold is copied behind them.
  virtual void copy_and_seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes,
                             std::size_t here_bytes, std::span<const iovec> parts) const {
    std::byte* to = datagram.data() + here_bytes;
    for (const iovec& part : parts) {
      std::memcpy(to, part.iov_base, part.iov_len);
      to += part.iov_len;
    }
    seal(name, datagram, head_bytes);
  }

  /// False: forged or damaged, and nothing is to be believed. The body is decrypted in place.
  [[nodiscard]] virtual bool open(const PacketName& name, std::span<std::byte> datagram,
                                  std::size_t head_bytes) const = 0;
};

/// The cipher that this machine would choose.
Cipher best_cipher();
/// That cipher, who computes it here, and what would be faster, in words for people.
std::string describe_seals();
/// By the fastest library, or by `library` alone. Null, with the reason and what to do in `*why`, if that is
/// missing or has not the cipher, or the processor has no instructions for it.
std::unique_ptr<Seal> make_seal(Security security, Cipher cipher, const net::JobKey& key,
                                std::uint32_t stream, std::string* why,
                                std::optional<SealLibrary> library = {});

}  // namespace aqueduct::fabric::udp
