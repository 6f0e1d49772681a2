// SHA-256 (FIPS 180-4) and the authentication code made of it, HMAC-SHA-256 (RFC 2104), for the few messages
// with which the participants of a job prove that they know its key. Not for bulk data: it has no special
// instructions of any processor, and wipes whatever it has computed on the way, for it may have begun with a
// key.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace aqueduct {

class Sha256 {
 public:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kBlockBytes = 64;
  using Digest = std::array<std::uint8_t, kBytes>;

  Sha256() = default;
  Sha256(const Sha256&) = default;
  Sha256& operator=(const Sha256&) = default;
  ~Sha256();

  void add(std::span<const std::uint8_t> bytes);
  /// Once; nothing is added afterwards.
  Digest finish();

 private:
  void take_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlockBytes> rest_;
  std::uint64_t bytes_ = 0;  // added in all
};

class HmacSha256 {
 public:
  explicit HmacSha256(std::span<const std::uint8_t> key);
  HmacSha256& add(std::span<const std::uint8_t> bytes) {
    inner_.add(bytes);
    return *this;
  }
  /// Once; nothing is added afterwards.
  Sha256::Digest finish();

 private:
  Sha256 inner_, outer_;
};

/// Takes the same time wherever they differ. Of different lengths: false.
bool is_same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

}  // namespace aqueduct
