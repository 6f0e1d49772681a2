// What authenticates datagrams: nothing that has been changed, cut, or sent under another name is believed.
#include "fabric/udp/seal.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace aqueduct::fabric::udp {
namespace {

constexpr std::size_t kHead = 24;
constexpr PacketName kName{3, 700'000, 0x0012'3456'789A'BCDE};
using Bytes = std::vector<std::byte>;

net::JobKey numbered_key() {
  std::string text;
  for (int i = 0; i < 32; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", i);
    text += digits;
  }
  return *net::JobKey::parse(text);
}

Bytes plain_datagram(std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 3 + 1);
  return data;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
    text += digits;
  }
  return text;
}

struct Kind {
  const char* name;
  Security security;
  Cipher cipher;
};

class SealTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam().cipher == Cipher::kAesGcm && best_cipher() != Cipher::kAesGcm)
      GTEST_SKIP() << "no instructions for AES here";
    seal_ = make(0);
  }
  std::unique_ptr<Seal> make(std::uint32_t stream, const net::JobKey& key = numbered_key()) {
    std::string why;
    auto seal = make_seal(GetParam().security, GetParam().cipher, key, stream, &why);
    EXPECT_TRUE(seal) << why;
    return seal;
  }
  Bytes sealed(std::size_t body_bytes, const PacketName& name = kName) {
    Bytes datagram = plain_datagram(kHead + body_bytes);
    datagram.resize(datagram.size() + Seal::kTagBytes);
    seal_->seal(name, datagram, kHead);
    return datagram;
  }

  std::unique_ptr<Seal> seal_;
};

TEST_P(SealTest, WhatWasSealedOpens) {
  for (const std::size_t body : {0, 1, 15, 16, 17, 127, 128, 1400, 9000, 65000}) {
    Bytes datagram = sealed(body);
    const bool is_readable =
        std::memcmp(datagram.data() + kHead, plain_datagram(kHead + body).data() + kHead, body) == 0;
    EXPECT_EQ(is_readable, GetParam().security == Security::kAuthenticate || body == 0);
    EXPECT_EQ(std::memcmp(datagram.data(), plain_datagram(kHead).data(), kHead), 0);
    ASSERT_TRUE(seal_->open(kName, datagram, kHead)) << body;
    EXPECT_EQ(std::memcmp(datagram.data(), plain_datagram(kHead + body).data(), kHead + body), 0) << body;
  }
}

TEST_P(SealTest, EveryFlippedBitIsRefused) {
  const Bytes original = sealed(100);
  for (std::size_t bit = 0; bit < 8 * original.size(); ++bit) {
    Bytes forged = original;
    forged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    ASSERT_FALSE(seal_->open(kName, forged, kHead)) << "bit " << bit;
  }
}

TEST_P(SealTest, ShorterAndLongerOnesAreRefused) {
  const Bytes original = sealed(100);
  for (std::size_t bytes = 0; bytes <= original.size() + 40; ++bytes) {
    Bytes other = original;
    other.resize(bytes);
    EXPECT_EQ(seal_->open(kName, other, kHead), bytes == original.size()) << bytes;
  }
}

TEST_P(SealTest, AnotherNameIsRefused) {
  const PacketName others[] = {{2, kName.target, kName.number},
                               {kName.sender, 699'999, kName.number},
                               {kName.target, kName.sender, kName.number},
                               {kName.sender, kName.target, kName.number - 1},
                               {kName.sender, kName.target, kName.number ^ std::uint64_t{1} << 55},
                               {kName.sender + PacketName::kMostNodes, kName.target, kName.number},
                               {kName.sender, kName.target, kName.number + PacketName::kMostNumbers}};
  for (const PacketName& other : others) {
    Bytes datagram = sealed(100);
    EXPECT_FALSE(seal_->open(other, datagram, kHead));
  }
}

TEST_P(SealTest, OtherKeysStreamsAndCiphersAreRefused) {
  Bytes datagram = sealed(100);
  EXPECT_FALSE(make(0, net::JobKey::random())->open(kName, datagram, kHead));
  datagram = sealed(100);
  EXPECT_FALSE(make(1)->open(kName, datagram, kHead));
  std::string why;
  for (const Security security : {Security::kAuthenticate, Security::kEncrypt}) {
    for (const Cipher cipher : {Cipher::kChaChaPoly, best_cipher()}) {
      if (security == GetParam().security && cipher == GetParam().cipher) continue;
      datagram = sealed(100);
      EXPECT_FALSE(make_seal(security, cipher, numbered_key(), 0, &why)->open(kName, datagram, kHead));
    }
  }
}

TEST_P(SealTest, EmptyDatagramsHaveDifferentTagsUnderEachName) {
  Bytes first = sealed(0), second = sealed(0, {kName.sender, kName.target, kName.number + 1});
  EXPECT_NE(first, second);
}

// Computed with other implementations: the derived key is keyed BLAKE2b (salt: the number of the use,
// personalisation: "aqd-udp1"), the rest AES-256-GCM and ChaCha20-Poly1305 of a second library.
TEST_P(SealTest, IsWhatOthersCompute) {
  const std::string name = GetParam().name;
  const char* const expected = name == "AesAuthenticate" ? "494c4f5255585b5eb4e4bb88fb4f44ccc495fa2bd4408ce0"
                               : name == "AesEncrypt"    ? "aa430b91a9fc751877a708984e262503c18fda3e41da773e"
                               : name == "ChaChaAuthenticate"
                                   ? "494c4f5255585b5e8e2d477d16888b349f86eea459771ada"
                                   : "5be9d205798c250def92bdcdf7e274fd8fc05b7f9ed07d4a";
  const Bytes datagram = sealed(8);
  EXPECT_EQ(hex(std::span(datagram).subspan(kHead)), expected);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SealTest,
                         testing::Values(Kind{"AesAuthenticate", Security::kAuthenticate, Cipher::kAesGcm},
                                         Kind{"AesEncrypt", Security::kEncrypt, Cipher::kAesGcm},
                                         Kind{"ChaChaAuthenticate", Security::kAuthenticate,
                                              Cipher::kChaChaPoly},
                                         Kind{"ChaChaEncrypt", Security::kEncrypt, Cipher::kChaChaPoly}),
                         [](const auto& info) { return info.param.name; });

TEST(Seal, NoneAddsNothingAndBelievesAll) {
  std::string why;
  const auto seal = make_seal(Security::kNone, Cipher::kAesGcm, numbered_key(), 0, &why);
  EXPECT_EQ(seal->tag_bytes(), 0u);
  Bytes datagram = plain_datagram(kHead + 5);
  seal->seal(kName, datagram, kHead);
  EXPECT_EQ(datagram, plain_datagram(kHead + 5));
  EXPECT_TRUE(seal->open({9, 9, 9}, datagram, kHead));
  EXPECT_FALSE(seal->open(kName, std::span(datagram).first(kHead - 1), kHead));
}

TEST(SealDeathTest, NumbersAreNotUsedTwice) {
  std::string why;
  const auto seal = make_seal(Security::kAuthenticate, Cipher::kChaChaPoly, numbered_key(), 0, &why);
  Bytes datagram(kHead + Seal::kTagBytes);
  EXPECT_EXIT(seal->seal({0, 1, PacketName::kMostNumbers}, datagram, kHead), testing::ExitedWithCode(1),
              "72057594037927936 from 0 to 1");
}

}  // namespace
}  // namespace aqueduct::fabric::udp
