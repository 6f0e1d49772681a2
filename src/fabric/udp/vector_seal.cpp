#include "fabric/udp/vector_seal.hpp"

#if defined(__x86_64__) && __has_include(<intel-ipsec-mb.h>)
#define NO_COMPAT_IMB_API_053
#include <dlfcn.h>
#include <intel-ipsec-mb.h>

#include <cstring>

#include "base/secret.hpp"

namespace aqueduct::fabric::udp {
namespace {

/// What the library needs to know of one message while it is computed. With a known message it would tell
/// the key of the tags, so it is wiped.
struct WipedContext {
  gcm_context_data data;
  WipedContext() {}  // the library fills it in
  ~WipedContext() { wipe(&data, sizeof data); }
  WipedContext(const WipedContext&) = delete;
  WipedContext& operator=(const WipedContext&) = delete;
};

struct VectorLibrary {
  const IMB_MGR* functions = nullptr;  // no keys in it
  bool is_missing = false;
  std::string name;
  std::string why;
};

/// The tag of nothing under a key and a nonce of zeros (test case 13 of the paper on GCM).
bool computes_the_standard(const IMB_MGR& functions) {
  constexpr unsigned char kExpected[Seal::kTagBytes] = {0x53, 0x0f, 0x8a, 0xfb, 0xc7, 0x45, 0x36, 0xb9,
                                                        0xa9, 0x63, 0xb4, 0xf1, 0xc4, 0xcb, 0x73, 0x8b};
  alignas(64) gcm_key_data key = {};
  const SealKey zeros = {};
  const Nonce nonce = {};
  functions.gcm256_pre(zeros.data(), &key);
  WipedContext context;
  unsigned char tag[Seal::kTagBytes] = {};
  functions.gmac256_init(&key, &context.data, nonce.data(), nonce.size());
  functions.gmac256_finalize(&key, &context.data, tag, sizeof tag);
  return std::memcmp(tag, kExpected, sizeof tag) == 0;
}

VectorLibrary load_vector_library() {
  constexpr unsigned kMajor = IMB_VERSION_NUM >> 16;
  VectorLibrary loaded;
  const std::string file = "libIPSec_MB.so." + std::to_string(kMajor);
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    loaded.is_missing = __builtin_cpu_supports("aes") != 0;
    loaded.why = file + " is not installed";
    return loaded;
  }
  const auto version = reinterpret_cast<decltype(&::imb_get_version)>(::dlsym(library, "imb_get_version"));
  const auto allocate = reinterpret_cast<decltype(&::alloc_mb_mgr)>(::dlsym(library, "alloc_mb_mgr"));
  const auto prepare = reinterpret_cast<decltype(&::init_mb_mgr_auto)>(::dlsym(library, "init_mb_mgr_auto"));
  if (!version || !allocate || !prepare || version() < IMB_VERSION_NUM || version() >> 16 != kMajor) {
    loaded.is_missing = __builtin_cpu_supports("aes") != 0;
    loaded.why = file + " is older than " IMB_VERSION_STR ", with which Aqueduct was compiled";
    return loaded;
  }
  IMB_MGR* const functions = allocate(0);
  if (functions) prepare(functions, nullptr);
  constexpr std::uint64_t kNeeded = IMB_FEATURE_AESNI | IMB_FEATURE_PCLMULQDQ;
  if (!functions || (functions->features & kNeeded) != kNeeded || !functions->gmac256_update) {
    loaded.why = "this processor has no instructions for AES";
  } else if (!computes_the_standard(*functions)) {
    loaded.why = file + " does not compute AES-GCM";
  } else {
    loaded.functions = functions;
    const unsigned number = version();
    loaded.name = "libIPSec_MB " + std::to_string(number >> 16) + "." + std::to_string(number >> 8 & 0xFF) +
                  "." + std::to_string(number & 0xFF);
  }
  return loaded;
}

/// The same for the whole process, from any thread.
const VectorLibrary& vector_library() {
  static const VectorLibrary loaded = load_vector_library();
  return loaded;
}

bool is_same_tag(const unsigned char* one, const std::byte* other) {
  std::uint64_t a[2], b[2];
  std::memcpy(a, one, sizeof a);
  std::memcpy(b, other, sizeof b);
  return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

/// Where only authenticity is asked for, all of the datagram is what GCM calls associated data.
class VectorSeal final : public Seal, public InSecretMemory {
 public:
  VectorSeal(const IMB_MGR& functions, const SealKey& key, bool encrypts)
      : functions_(functions), encrypts_(encrypts) {
    functions_.gcm256_pre(key.data(), &key_);
  }

  std::size_t tag_bytes() const override { return kTagBytes; }
  bool takes_parts() const override { return !encrypts_; }

  void seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    const Nonce nonce = new_nonce(name);
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    unsigned char* const begin = in_characters(datagram.data());
    WipedContext context;
    functions_.gcm256_enc(&key_, &context.data, begin + clear, begin + clear, tag_at - clear, nonce.data(),
                          begin, clear, begin + tag_at, kTagBytes);
  }

  void seal_parts(const PacketName& name, std::span<const iovec> parts,
                  std::span<std::byte, kTagBytes> tag) const override {
    const Nonce nonce = new_nonce(name);
    WipedContext context;
    functions_.gmac256_init(&key_, &context.data, nonce.data(), nonce.size());
    for (const iovec& part : parts)
      functions_.gmac256_update(&key_, &context.data, static_cast<const std::uint8_t*>(part.iov_base),
                                part.iov_len);
    functions_.gmac256_finalize(&key_, &context.data, in_characters(tag.data()), kTagBytes);
  }

  void copy_and_seal(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes,
                     std::size_t here_bytes, std::span<const iovec> parts) const override {
    if (!encrypts_) return Seal::copy_and_seal(name, datagram, head_bytes, here_bytes, parts);
    const Nonce nonce = new_nonce(name);
    unsigned char* const begin = in_characters(datagram.data());
    unsigned char* to = begin + here_bytes;
    WipedContext context;
    functions_.gcm256_init(&key_, &context.data, nonce.data(), begin, head_bytes);
    functions_.gcm256_enc_update(&key_, &context.data, begin + head_bytes, begin + head_bytes,
                                 here_bytes - head_bytes);
    for (const iovec& part : parts) {
      functions_.gcm256_enc_update(&key_, &context.data, to, static_cast<const std::uint8_t*>(part.iov_base),
                                   part.iov_len);
      to += part.iov_len;
    }
    functions_.gcm256_enc_finalize(&key_, &context.data, to, kTagBytes);
  }

  bool open(const PacketName& name, std::span<std::byte> datagram, std::size_t head_bytes) const override {
    if (datagram.size() < head_bytes + kTagBytes || !can_be_sealed(name)) return false;
    const Nonce nonce = nonce_of(name);
    const std::size_t tag_at = datagram.size() - kTagBytes;
    const std::size_t clear = encrypts_ ? head_bytes : tag_at;
    unsigned char* const begin = in_characters(datagram.data());
    unsigned char tag[kTagBytes];
    WipedContext context;
    functions_.gcm256_dec(&key_, &context.data, begin + clear, begin + clear, tag_at - clear, nonce.data(),
                          begin, clear, tag, kTagBytes);
    return is_same_tag(tag, datagram.data() + tag_at);
  }

 private:
  const IMB_MGR& functions_;
  bool encrypts_;
  alignas(64) gcm_key_data key_;
};

}  // namespace

std::string vector_seal_library(std::string* why) {
  const VectorLibrary& library = vector_library();
  if (!library.functions) *why = library.why;
  return library.name;
}

std::string vector_seal_advice() {
  return vector_library().is_missing ? "apt-get install libipsec-mb" + std::to_string(IMB_VERSION_NUM >> 16)
                                     : "";
}

std::unique_ptr<Seal> make_vector_seal(const SealKey& key, bool encrypts, std::string* why) {
  const VectorLibrary& library = vector_library();
  if (library.functions) return std::make_unique<VectorSeal>(*library.functions, key, encrypts);
  *why = library.why;
  return nullptr;
}

}  // namespace aqueduct::fabric::udp

#else

namespace aqueduct::fabric::udp {

std::string vector_seal_library(std::string* why) {
#if defined(__x86_64__)
  *why = "Aqueduct was compiled without intel-ipsec-mb.h";
#else
  *why = "libIPSec_MB is for x86 processors";
#endif
  return {};
}

std::string vector_seal_advice() {
#if defined(__x86_64__)
  return "apt-get install libipsec-mb-dev, and build Aqueduct again";
#else
  return "";
#endif
}

std::unique_ptr<Seal> make_vector_seal(const SealKey&, bool, std::string* why) {
  vector_seal_library(why);
  return nullptr;
}

}  // namespace aqueduct::fabric::udp

#endif
