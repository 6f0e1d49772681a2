// The functions of libsodium that seal datagrams, loaded when they are first asked for. Nothing links the
// library: a job that does not use it needs not have it.
#pragma once
#include <sodium.h>

#include <string>

namespace aqueduct::fabric::udp {

struct Sodium {
  decltype(&::crypto_kdf_derive_from_key) derive_key = nullptr;
  decltype(&::crypto_aead_aes256gcm_is_available) aes_is_available = nullptr;
  decltype(&::crypto_aead_aes256gcm_beforenm) aes_prepare = nullptr;
  decltype(&::crypto_aead_aes256gcm_encrypt_detached_afternm) aes_encrypt = nullptr;
  decltype(&::crypto_aead_aes256gcm_decrypt_detached_afternm) aes_decrypt = nullptr;
  decltype(&::crypto_aead_chacha20poly1305_ietf_encrypt_detached) chacha_encrypt = nullptr;
  decltype(&::crypto_aead_chacha20poly1305_ietf_decrypt_detached) chacha_decrypt = nullptr;

  /// The same for the whole process, from any thread. Null, with the reason and what to do in `*why`, if the
  /// library is not there.
  static const Sodium* load(std::string* why);
};

}  // namespace aqueduct::fabric::udp
