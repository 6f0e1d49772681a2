#include "fabric/udp/seal.hpp"

#include "base/secret.hpp"
#include "fabric/udp/seal_nonce.hpp"
#include "fabric/udp/sodium.hpp"
#include "fabric/udp/vector_seal.hpp"

namespace aqueduct::fabric::udp {
namespace {

static_assert(sizeof(SealKey) == crypto_aead_aes256gcm_KEYBYTES);
static_assert(sizeof(SealKey) == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(sizeof(SealKey) == crypto_kdf_KEYBYTES);
static_assert(net::JobKey::kBytes == crypto_kdf_KEYBYTES);
static_assert(sizeof(Nonce) == crypto_aead_aes256gcm_NPUBBYTES);
static_assert(sizeof(Nonce) == crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
static_assert(Seal::kTagBytes == crypto_aead_aes256gcm_ABYTES);
static_assert(Seal::kTagBytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

class Aes {
 public:
  Aes(const Sodium& sodium, const SealKey& key) : sodium_(sodium) {
    sodium_.aes_prepare(&state_, key.data());
  }
  void encrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    sodium_.aes_encrypt(in_characters(text.data()), in_characters(tag), nullptr, in_characters(text.data()),
                        text.size(), in_characters(clear.data()), clear.size(), nullptr, nonce.data(),
                        &state_);
  }
  bool decrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    return sodium_.aes_decrypt(in_characters(text.data()), nullptr, in_characters(text.data()), text.size(),
                               in_characters(tag), in_characters(clear.data()), clear.size(), nonce.data(),
                               &state_) == 0;
  }

 private:
  const Sodium& sodium_;
  crypto_aead_aes256gcm_state state_;
};

class ChaCha {
 public:
  ChaCha(const Sodium& sodium, const SealKey& key) : sodium_(sodium), key_(key) {}
  void encrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    sodium_.chacha_encrypt(in_characters(text.data()), in_characters(tag), nullptr,
                           in_characters(text.data()), text.size(), in_characters(clear.data()), clear.size(),
                           nullptr, nonce.data(), key_.data());
  }
  bool decrypt(std::span<std::byte> text, std::byte* tag, std::span<const std::byte> clear,
               const Nonce& nonce) const {
    return sodium_.chacha_decrypt(in_characters(text.data()), nullptr, in_characters(text.data()),
                                  text.size(), in_characters(tag), in_characters(clear.data()), clear.size(),
                                  nonce.data(), key_.data()) == 0;
  }

 private:
  const Sodium& sodium_;
  SealKey key_;
};

/// Where only authenticity is asked for, all of the datagram is what the ciphers call associated data, and
/// the text is empty. All of it lies in memory for secrets, with what the ciphers make of the key.
template <class CipherKey>
class CipherSeal final : public Seal, public InSecretMemory {
 public:
  CipherSeal(const Sodium& sodium, const SealKey& key, bool encrypts)
      : cipher_(sodium, key), encrypts_(encrypts) {}

  std::size_t tag_bytes() const override { return kTagBytes; }

  void seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    const Nonce nonce = new_nonce(name);
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    cipher_.encrypt(datagram.subspan(clear, tag_at - clear), datagram.data() + tag_at, datagram.first(clear),
                    nonce);
  }

  bool open(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    if (datagram.size() < head_bytes + kTagBytes || !can_be_sealed(name)) return false;
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    return cipher_.decrypt(datagram.subspan(clear, tag_at - clear), datagram.data() + tag_at,
                           datagram.first(clear), nonce_of(name));
  }

 private:
  CipherKey cipher_;
  bool encrypts_;
};

std::unique_ptr<Seal> make_sodium_seal(const Sodium& sodium, Cipher cipher, const SealKey& key,
                                       bool encrypts) {
  if (cipher == Cipher::kChaChaPoly) return std::make_unique<CipherSeal<ChaCha>>(sodium, key, encrypts);
  if (!sodium.aes_is_available()) return nullptr;
  return std::make_unique<CipherSeal<Aes>>(sodium, key, encrypts);
}

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
  const bool has_aes = (sodium && sodium->aes_is_available()) || !vector_seal_library(&why).empty();
  return has_aes ? Cipher::kAesGcm : Cipher::kChaChaPoly;
}

std::string describe_seals() {
  std::string why;
  if (!Sodium::load(&why)) return why;
  const std::string library = vector_seal_library(&why);
  if (!library.empty()) return "seals: AES-256-GCM by " + library + ", without a copy";
  const char* const cipher = best_cipher() == Cipher::kAesGcm ? "AES-256-GCM" : "ChaCha20-Poly1305";
  return std::string("seals: ") + cipher + " by libsodium, which copies (" + why + ")";
}

std::unique_ptr<Seal> make_seal(Security security, Cipher cipher, const net::JobKey& key,
                                std::uint32_t stream, std::string* why, std::optional<SealLibrary> library) {
  if (security == Security::kNone) return std::make_unique<NoSeal>();
  const Sodium* const sodium = Sodium::load(why);
  if (!sodium) return nullptr;
  constexpr char kPurpose[crypto_kdf_CONTEXTBYTES + 1] = "aqd-udp1";
  const std::uint64_t use =
      std::uint64_t{stream} << 16 | static_cast<unsigned>(security) << 8 | static_cast<unsigned>(cipher);
  SealKey derived;
  sodium->derive_key(derived.data(), derived.size(), use, kPurpose, key.bytes().data());
  const bool encrypts = security == Security::kEncrypt;
  std::unique_ptr<Seal> seal;
  if (cipher == Cipher::kAesGcm && library != SealLibrary::kSodium)
    seal = make_vector_seal(derived, encrypts, why);
  if (!seal && library != SealLibrary::kIpsecMb) seal = make_sodium_seal(*sodium, cipher, derived, encrypts);
  wipe(std::span(derived));
  wipe_stack();
  if (!seal && library != SealLibrary::kIpsecMb)
    *why = "this processor has no instructions for AES, which other hosts use";
  return seal;
}

}  // namespace aqueduct::fabric::udp
