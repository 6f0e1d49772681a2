#include "fabric/udp/sodium.hpp"

#include <dlfcn.h>

namespace aqueduct::fabric::udp {
namespace {

constexpr const char* kLibrary = "libsodium.so.23";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

struct LoadedSodium {
  Sodium functions;
  std::string why;
};

/// The library stays loaded until the process ends.
LoadedSodium load_sodium() {
  LoadedSodium loaded;
  Sodium& f = loaded.functions;
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  decltype(&::sodium_init) init = nullptr;
  const bool is_whole =
      library && find(library, "sodium_init", init) &&
      find(library, "crypto_kdf_derive_from_key", f.derive_key) &&
      find(library, "crypto_aead_aes256gcm_is_available", f.aes_is_available) &&
      find(library, "crypto_aead_aes256gcm_beforenm", f.aes_prepare) &&
      find(library, "crypto_aead_aes256gcm_encrypt_detached_afternm", f.aes_encrypt) &&
      find(library, "crypto_aead_aes256gcm_decrypt_detached_afternm", f.aes_decrypt) &&
      find(library, "crypto_aead_chacha20poly1305_ietf_encrypt_detached", f.chacha_encrypt) &&
      find(library, "crypto_aead_chacha20poly1305_ietf_decrypt_detached", f.chacha_decrypt);
  if (!is_whole) {
    const char* const said = ::dlerror();
    loaded.why = said ? said : "it does not say why";
  } else if (init() < 0) {
    loaded.why = "it cannot be initialised";
  }
  if (!loaded.why.empty())
    loaded.why = std::string(kLibrary) + ", which authenticates datagrams, cannot be used (" + loaded.why +
                 "): install libsodium23 on every host, or set AQUEDUCT_UDP_SECURITY=none";
  return loaded;
}

}  // namespace

const Sodium* Sodium::load(std::string* why) {
  static const LoadedSodium loaded = load_sodium();
  if (loaded.why.empty()) return &loaded.functions;
  *why = loaded.why;
  return nullptr;
}

}  // namespace aqueduct::fabric::udp
