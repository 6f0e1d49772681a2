#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/secret.hpp"

namespace aqueduct {
namespace {

constexpr std::uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         bytes[3];
}

}  // namespace

void Sha256::take_block(const std::uint8_t* block) {
  std::uint32_t w[64];
  for (unsigned i = 0; i < 16; ++i) w[i] = big_endian(block + std::size_t{4} * i);
  for (unsigned i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (unsigned i = 0; i < 8; ++i) state_[i] += added[i];
  wipe(w, sizeof w);
}

Sha256::~Sha256() {
  wipe(state_.data(), sizeof state_);
  wipe(rest_.data(), sizeof rest_);
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t at = bytes_ % kBlockBytes;
    const std::size_t taken = std::min(bytes.size(), kBlockBytes - at);
    std::memcpy(rest_.data() + at, bytes.data(), taken);
    bytes = bytes.subspan(taken);
    bytes_ += taken;
    if (at + taken == kBlockBytes) take_block(rest_.data());
  }
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = 8 * bytes_;
  const std::uint8_t end = 0x80, zero = 0;
  add({&end, 1});
  while (bytes_ % kBlockBytes != kBlockBytes - 8) add({&zero, 1});
  std::uint8_t length[8];
  for (unsigned i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  add(length);
  Digest digest;
  for (unsigned i = 0; i < kBytes; ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

HmacSha256::HmacSha256(std::span<const std::uint8_t> key) {
  std::array<std::uint8_t, Sha256::kBlockBytes> block{};
  if (key.size() <= block.size()) {
    std::copy(key.begin(), key.end(), block.begin());
  } else {
    Sha256 shortened;
    shortened.add(key);
    const Sha256::Digest digest = shortened.finish();
    std::copy(digest.begin(), digest.end(), block.begin());
  }
  for (std::uint8_t& byte : block) byte ^= 0x36;
  inner_.add(block);
  for (std::uint8_t& byte : block) byte ^= 0x36 ^ 0x5c;
  outer_.add(block);
  wipe(block.data(), sizeof block);
}

Sha256::Digest HmacSha256::finish() {
  outer_.add(inner_.finish());
  return outer_.finish();
}

bool is_same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  if (a.size() != b.size()) return false;
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = difference | (a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace aqueduct
