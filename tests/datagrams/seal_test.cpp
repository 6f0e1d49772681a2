// What authenticates datagrams: nothing that has been changed, cut, or sent under another name is believed.
#include "fabric/udp/seal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>
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
  SealLibrary library = SealLibrary::kSodium;
};

class SealTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string why;
    if (GetParam().cipher == Cipher::kAesGcm &&
        !make_seal(GetParam().security, GetParam().cipher, numbered_key(), 0, &why, GetParam().library))
      GTEST_SKIP() << why;
    seal_ = make(0);
  }
  std::unique_ptr<Seal> make(std::uint32_t stream, const net::JobKey& key = numbered_key()) {
    std::string why;
    auto seal = make_seal(GetParam().security, GetParam().cipher, key, stream, &why, GetParam().library);
    EXPECT_TRUE(seal) << why;
    return seal;
  }
  /// What other libraries make of the same name and key.
  std::vector<std::unique_ptr<Seal>> others() {
    std::vector<std::unique_ptr<Seal>> seals;
    for (const SealLibrary library : {SealLibrary::kSodium, SealLibrary::kIpsecMb}) {
      std::string why;
      auto seal = make_seal(GetParam().security, GetParam().cipher, numbered_key(), 0, &why, library);
      if (seal && library != GetParam().library) seals.push_back(std::move(seal));
    }
    return seals;
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

/// What lies behind `from` in a datagram, cut into parts of random sizes, some of them empty.
std::vector<iovec> random_parts(std::span<std::byte> datagram, std::size_t from, std::mt19937_64& random) {
  std::vector<iovec> parts;
  while (from < datagram.size()) {
    const std::size_t bytes = std::min(random() % (1 + datagram.size() / 3), datagram.size() - from);
    parts.push_back({&datagram[from], bytes});
    from += bytes;
  }
  return parts;
}

TEST_P(SealTest, PartsAreSealedAsTheWholeIs) {
  constexpr std::uint64_t kSeed = 1;
  std::mt19937_64 random(kSeed);
  for (unsigned round = 0; round < 400; ++round) {
    const std::size_t here = kHead + random() % 40;
    const std::size_t body = here - kHead + random() % (round % 20 == 0 ? 60'000 : 1500);
    const Bytes expected = sealed(body);
    Bytes plain = plain_datagram(kHead + body);
    const std::vector<iovec> parts = random_parts(plain, here, random);

    Bytes copied(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(here));
    copied.resize(expected.size());
    seal_->copy_and_seal(kName, copied, kHead, here, parts);
    ASSERT_EQ(copied, expected) << "round " << round << " of seed " << kSeed;

    if (!seal_->takes_parts()) continue;
    std::vector<iovec> all = {{plain.data(), here}};
    all.insert(all.end(), parts.begin(), parts.end());
    std::array<std::byte, Seal::kTagBytes> tag;
    seal_->seal_parts(kName, all, tag);
    ASSERT_EQ(std::memcmp(tag.data(), &expected[kHead + body], tag.size()), 0)
        << "round " << round << " of seed " << kSeed;
    ASSERT_EQ(plain, plain_datagram(kHead + body)) << "what lies elsewhere stays as it is";
  }
}

TEST_P(SealTest, OtherLibrariesOpenIt) {
  for (const auto& other : others()) {
    for (std::size_t body = 0; body < 5000; body += body < 300 ? 1 : 97) {
      Bytes datagram = sealed(body);
      ASSERT_TRUE(other->open(kName, datagram, kHead)) << body;
      ASSERT_EQ(std::memcmp(datagram.data(), plain_datagram(kHead + body).data(), kHead + body), 0) << body;
      datagram.back() ^= std::byte{1};
      ASSERT_FALSE(other->open(kName, datagram, kHead)) << body;
    }
  }
}

TEST_P(SealTest, ManyThreadsUseOneAtTheSameTime) {
  constexpr unsigned kThreads = 4, kRounds = 2000;
  std::atomic<unsigned> failures = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t sender = 0; sender < kThreads; ++sender) {
    threads.emplace_back([&, sender] {
      for (std::uint64_t number = 0; number < kRounds; ++number) {
        const PacketName name{sender, 9, number};
        Bytes datagram = sealed(number % 700, name);
        if (!seal_->open(name, datagram, kHead)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0u);
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
  const char* const expected =
      name.starts_with("AesAuthenticate") ? "494c4f5255585b5eb4e4bb88fb4f44ccc495fa2bd4408ce0"
      : name.starts_with("AesEncrypt")    ? "aa430b91a9fc751877a708984e262503c18fda3e41da773e"
      : name == "ChaChaAuthenticate"      ? "494c4f5255585b5e8e2d477d16888b349f86eea459771ada"
                                          : "5be9d205798c250def92bdcdf7e274fd8fc05b7f9ed07d4a";
  const Bytes datagram = sealed(8);
  EXPECT_EQ(hex(std::span(datagram).subspan(kHead)), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SealTest,
    testing::Values(Kind{"AesAuthenticate", Security::kAuthenticate, Cipher::kAesGcm},
                    Kind{"AesEncrypt", Security::kEncrypt, Cipher::kAesGcm},
                    Kind{"AesAuthenticateByVectors", Security::kAuthenticate, Cipher::kAesGcm,
                         SealLibrary::kIpsecMb},
                    Kind{"AesEncryptByVectors", Security::kEncrypt, Cipher::kAesGcm, SealLibrary::kIpsecMb},
                    Kind{"ChaChaAuthenticate", Security::kAuthenticate, Cipher::kChaChaPoly},
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
