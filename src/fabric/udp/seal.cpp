#include "fabric/udp/seal.hpp"

#include <array>

#include "base/fatal.hpp"
#include "base/secret.hpp"
#include "fabric/udp/sodium.hpp"

namespace aqueduct::fabric::udp {
namespace {

using Key = std::array<unsigned char, 32>;
using Nonce = std::array<unsigned char, 12>;
static_assert(sizeof(Key) == crypto_aead_aes256gcm_KEYBYTES);
static_assert(sizeof(Key) == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(sizeof(Key) == crypto_kdf_KEYBYTES);
static_assert(net::JobKey::kBytes == crypto_kdf_KEYBYTES);
static_assert(sizeof(Nonce) == crypto_aead_aes256gcm_NPUBBYTES);
static_assert(sizeof(Nonce) == crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
static_assert(Seal::kTagBytes == crypto_aead_aes256gcm_ABYTES);
static_assert(Seal::kTagBytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

bool is_in_range(const PacketName& name) {
  return name.sender < PacketName::kMostNodes && name.target < PacketName::kMostNodes &&
         name.number < PacketName::kMostNumbers;
}

/// 56 bits of the number, 20 of the sender, 20 of the target: different for every name.
Nonce nonce_of(const PacketName& name) {
  Nonce nonce;
  for (unsigned i = 0; i < 7; ++i) nonce[i] = static_cast<unsigned char>(name.number >> (8 * i));
  const std::uint64_t pair = std::uint64_t{name.target} << 20 | name.sender;
  for (unsigned i = 0; i < 5; ++i) nonce[7 + i] = static_cast<unsigned char>(pair >> (8 * i));
  return nonce;
}

unsigned char* in_characters(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

class Aes {
 public:
  Aes(const Sodium& sodium, const Key& key) : sodium_(sodium) { sodium_.aes_prepare(&state_, key.data()); }
  void encrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    sodium_.aes_encrypt(in_characters(text.data()), in_characters(tag), nullptr, in_characters(text.data()),
                        text.size(), reinterpret_cast<const unsigned char*>(clear.data()), clear.size(),
                        nullptr, nonce.data(), &state_);
  }
  bool decrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    return sodium_.aes_decrypt(in_characters(text.data()), nullptr, in_characters(text.data()), text.size(),
                               in_characters(tag), reinterpret_cast<const unsigned char*>(clear.data()),
                               clear.size(), nonce.data(), &state_) == 0;
  }

 private:
  const Sodium& sodium_;
  crypto_aead_aes256gcm_state state_;
};

class ChaCha {
 public:
  ChaCha(const Sodium& sodium, const Key& key) : sodium_(sodium), key_(key) {}
  void encrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    sodium_.chacha_encrypt(in_characters(text.data()), in_characters(tag), nullptr,
                           in_characters(text.data()), text.size(),
                           reinterpret_cast<const unsigned char*>(clear.data()), clear.size(), nullptr,
                           nonce.data(), key_.data());
  }
  bool decrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    return sodium_.chacha_decrypt(in_characters(text.data()), nullptr, in_characters(text.data()),
                                  text.size(), in_characters(tag),
                                  reinterpret_cast<const unsigned char*>(clear.data()), clear.size(),
                                  nonce.data(), key_.data()) == 0;
  }

 private:
  const Sodium& sodium_;
  Key key_;
};

/// Where only authenticity is asked for, all of the datagram is what the ciphers call associated data, and
/// the text is empty. All of it lies in memory for secrets, with what the ciphers make of the key.
template <class CipherKey>
class CipherSeal final : public Seal, public InSecretMemory {
 public:
  CipherSeal(const Sodium& sodium, const Key& key, bool encrypts)
      : cipher_(sodium, key), encrypts_(encrypts) {}

  std::size_t tag_bytes() const override { return kTagBytes; }

  void seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    if (!is_in_range(name)) [[unlikely]]
      fatal("udp", "packet %llu from %u to %u is beyond what can be sealed with one key",
            static_cast<unsigned long long>(name.number), name.sender, name.target);
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    cipher_.encrypt(datagram.subspan(clear, tag_at - clear), datagram.data() + tag_at, datagram.first(clear),
                    nonce_of(name));
  }

  bool open(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    if (datagram.size() < head_bytes + kTagBytes || !is_in_range(name)) return false;
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    return cipher_.decrypt(datagram.subspan(clear, tag_at - clear), datagram.data() + tag_at,
                           datagram.first(clear), nonce_of(name));
  }

 private:
  CipherKey cipher_;
  bool encrypts_;
};

class NoSeal final : public Seal {
 public:
  std::size_t tag_bytes() const override { return 0; }
  void seal(const PacketName&, std::span<std::byte>, std::size_t) const override {}
  bool open(const PacketName&, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    return datagram.size() >= head_bytes;
  }
};

}  // namespace

Cipher best_cipher() {
  std::string why;
  const Sodium* const sodium = Sodium::load(&why);
  return sodium && sodium->aes_is_available() ? Cipher::kAesGcm : Cipher::kChaChaPoly;
}

std::unique_ptr<Seal> make_seal(Security security, Cipher cipher, const net::JobKey& key,
                                std::uint32_t stream, std::string* why) {
  if (security == Security::kNone) return std::make_unique<NoSeal>();
  const Sodium* const sodium = Sodium::load(why);
  if (!sodium) return nullptr;
  if (cipher == Cipher::kAesGcm && !sodium->aes_is_available()) {
    *why = "this processor has no instructions for AES, which other hosts use";
    return nullptr;
  }
  constexpr char kPurpose[crypto_kdf_CONTEXTBYTES + 1] = "aqd-udp1";
  const std::uint64_t use =
      std::uint64_t{stream} << 16 | static_cast<unsigned>(security) << 8 | static_cast<unsigned>(cipher);
  Key derived;
  sodium->derive_key(derived.data(), derived.size(), use, kPurpose, key.bytes().data());
  const bool encrypts = security == Security::kEncrypt;
  std::unique_ptr<Seal> seal;
  if (cipher == Cipher::kAesGcm) {
    seal = std::make_unique<CipherSeal<Aes>>(*sodium, derived, encrypts);
  } else {
    seal = std::make_unique<CipherSeal<ChaCha>>(*sodium, derived, encrypts);
  }
  wipe(std::span(derived));
  return seal;
}

}  // namespace aqueduct::fabric::udp
