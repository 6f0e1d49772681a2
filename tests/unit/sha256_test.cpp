// SHA-256 and HMAC-SHA-256 against published values.
#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aqueduct {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::string hex(const Sha256::Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

std::string sha256(const Bytes& bytes, std::size_t step) {
  Sha256 sum;
  for (std::size_t at = 0; at < bytes.size(); at += step)
    sum.add(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
  return hex(sum.finish());
}

std::string hmac(const Bytes& key, const Bytes& data) { return hex(HmacSha256(key).add(data).finish()); }

// FIPS 180-4, examples of NIST.
TEST(Sha256, PublishedValues) {
  for (const std::size_t step : {1, 7, 63, 64, 65, 1'000'000}) {
    EXPECT_EQ(sha256({}, step), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256(bytes_of("abc"), step),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), step),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(Bytes(1'000'000, 'a'), step),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

// RFC 4231, test cases 1, 2, 3 and 6.
TEST(HmacSha256, PublishedValues) {
  EXPECT_EQ(hmac(Bytes(20, 0x0b), bytes_of("Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac(bytes_of("Jefe"), bytes_of("what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac(Bytes(20, 0xaa), Bytes(50, 0xdd)),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hmac(Bytes(131, 0xaa), bytes_of("Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secret, IsComparedWhole) {
  Bytes a(32, 7), b(32, 7);
  EXPECT_TRUE(is_same_secret(a, b));
  for (std::size_t bit = 0; bit < 8 * a.size(); ++bit) {
    b = a;
    b[bit / 8] = static_cast<std::uint8_t>(b[bit / 8] ^ 1u << bit % 8);
    EXPECT_FALSE(is_same_secret(a, b));
  }
  EXPECT_FALSE(is_same_secret(a, Bytes(31, 7)));
  EXPECT_TRUE(is_same_secret({}, {}));
}

}  // namespace
}  // namespace aqueduct
