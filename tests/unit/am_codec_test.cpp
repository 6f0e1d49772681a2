// The form in which active messages travel: what is sent is what arrives, and what is malformed is refused
// for the right reason, whatever its bytes are.
#include "parts/am_codec.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>

namespace aqueduct::parts {
namespace {

constexpr am::Limits kLimits = {.max_medium = 1000, .max_long = 3000};
constexpr am::SegmentBounds kSegment = {.base = 0x10000, .size = 0x4000};

/// A message in exactly as much memory as it needs, so that a sanitizer sees who reads beyond.
struct Bytes {
  explicit Bytes(std::size_t count) : size(count), data(std::make_unique<std::byte[]>(count)) {}
  Bytes(const Bytes& other, std::size_t count) : Bytes(count) {
    std::memcpy(data.get(), other.data.get(), std::min(count, other.size));
  }
  std::span<const std::byte> span() const { return {data.get(), size}; }

  std::size_t size;
  std::unique_ptr<std::byte[]> data;
};

Bytes encoded(AmKind kind, const am::Message& message, unsigned credits) {
  Bytes bytes(header_bytes(message.nargs) + message.payload_bytes);
  std::byte* const end = encode_header(bytes.data.get(), kind, message, credits);
  EXPECT_EQ(end, bytes.data.get() + header_bytes(message.nargs));
  if (message.payload_bytes != 0) std::memcpy(end, message.payload, message.payload_bytes);
  return bytes;
}

Bytes encoded_briefly(AmKind kind, const am::Message& message, unsigned credits) {
  Bytes room(header_bytes(message.nargs) + message.payload_bytes);
  std::byte* const end = encode_brief(room.data.get(), kind, message, credits);
  if (message.payload_bytes != 0) std::memcpy(end, message.payload, message.payload_bytes);
  return {room, static_cast<std::size_t>(end - room.data.get()) + message.payload_bytes};
}

struct Content {
  explicit Content(std::uint32_t seed) {
    std::mt19937 random(seed);
    for (std::int32_t& arg : args) arg = static_cast<std::int32_t>(random());
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
  }
  am::Message message(am::Category category, unsigned nargs, std::size_t payload_bytes) const {
    void* const destination =
        category == am::Category::kLong ? reinterpret_cast<void*>(kSegment.base + 64) : nullptr;
    return {category, false,   200,           static_cast<std::uint8_t>(nargs),
            args,     payload, payload_bytes, destination};
  }

  std::int32_t args[am::kMaxArgs];
  std::byte payload[3000];
};

void expect_same(const DecodedMessage& decoded, AmKind kind, const am::Message& sent, unsigned credits) {
  const am::Message& came = decoded.message;
  EXPECT_EQ(decoded.kind, kind);
  EXPECT_EQ(decoded.credits, credits + (kind == AmKind::kReply)) << "a reply brings its own credit";
  EXPECT_EQ(came.is_reply, kind == AmKind::kReply);
  EXPECT_EQ(came.category, sent.category);
  EXPECT_EQ(came.handler, sent.handler);
  ASSERT_EQ(came.nargs, sent.nargs);
  EXPECT_EQ(std::memcmp(came.args, sent.args, sent.nargs * sizeof *sent.args), 0);
  EXPECT_EQ(came.payload_bytes, sent.payload_bytes);
  EXPECT_EQ(came.destination, sent.destination);
}

TEST(AmCodec, WhatIsSentArrives) {
  const Content content(1);
  for (const auto category : {am::Category::kShort, am::Category::kMedium, am::Category::kLong}) {
    for (const auto kind : {AmKind::kRequest, AmKind::kReply}) {
      for (unsigned nargs = 0; nargs <= am::kMaxArgs; ++nargs) {
        const std::size_t most = category == am::Category::kShort    ? 0
                                 : category == am::Category::kMedium ? kLimits.max_medium
                                                                     : kLimits.max_long;
        for (const std::size_t payload : {std::size_t{0}, std::min<std::size_t>(most, 1), most}) {
          const am::Message sent = content.message(category, nargs, payload);
          const unsigned credits = nargs * 15;
          const Bytes bytes = encoded(kind, sent, credits);
          DecodedMessage decoded;
          ASSERT_EQ(decode_whole(bytes.span(), kLimits, kSegment, &decoded), nullptr);
          expect_same(decoded, kind, sent, credits);
          EXPECT_EQ(std::memcmp(decoded.message.payload, content.payload, payload), 0);
          const Bytes header(bytes, header_bytes(nargs));
          ASSERT_EQ(decode(header.span(), payload, kLimits, kSegment, &decoded), nullptr);
          expect_same(decoded, kind, sent, credits);
          const Bytes padded_bytes(bytes, padded(bytes.size));
          ASSERT_EQ(decode_padded(padded_bytes.span(), false, kLimits, kSegment, &decoded), nullptr);
          expect_same(decoded, kind, sent, credits);
          EXPECT_EQ(std::memcmp(decoded.message.payload, content.payload, payload), 0);
          const bool may_be_beside = category == am::Category::kLong;
          EXPECT_EQ(decode_padded(header.span(), true, kLimits, kSegment, &decoded) == nullptr,
                    may_be_beside);
        }
      }
    }
  }
}

TEST(AmCodec, ABriefFormIsTheSameMessageInFewerBytes) {
  const Content content(4);
  for (const auto category : {am::Category::kShort, am::Category::kMedium}) {
    for (const auto kind : {AmKind::kRequest, AmKind::kReply}) {
      for (unsigned nargs = 0; nargs <= am::kMaxArgs; ++nargs) {
        const std::size_t most = category == am::Category::kShort ? 0 : kLimits.max_medium;
        for (const std::size_t payload : {std::size_t{0}, std::min<std::size_t>(most, 1), most}) {
          const am::Message sent = content.message(category, nargs, payload);
          const Bytes bytes = encoded_briefly(kind, sent, nargs * 15);
          EXPECT_LT(bytes.size, encoded(kind, sent, nargs * 15).size);
          DecodedMessage decoded;
          ASSERT_TRUE(is_brief(bytes.span()));
          EXPECT_NE(decode_whole(bytes.span(), kLimits, kSegment, &decoded), nullptr);
          ASSERT_EQ(decode_brief(bytes.span(), kLimits, &decoded), nullptr);
          expect_same(decoded, kind, sent, nargs * 15);
          EXPECT_EQ(std::memcmp(decoded.message.payload, content.payload, payload), 0);
          const auto* const begins = static_cast<const std::byte*>(decoded.message.payload);
          if (category == am::Category::kMedium) {
            EXPECT_EQ((begins - bytes.data.get()) % 8, 0) << "where a Medium has to begin";
          }
          EXPECT_FALSE(is_brief(encoded(kind, sent, 0).span()));
        }
      }
    }
  }
  EXPECT_EQ(encoded_briefly(AmKind::kRequest, content.message(am::Category::kShort, 1, 0), 0).size, 8u);
}

TEST(AmCodec, AMalformedBriefFormIsRefusedForItsReason) {
  const Content content(5);
  const am::Message medium = content.message(am::Category::kMedium, 3, 100);
  const Bytes good = encoded_briefly(AmKind::kRequest, medium, 3);
  const auto refusal = [&](std::size_t size, std::size_t at, unsigned bits) -> std::string {
    Bytes bytes(good, size);
    if (at < size) bytes.data[at] ^= static_cast<std::byte>(bits);
    DecodedMessage decoded;
    const char* const why = decode_brief(bytes.span(), kLimits, &decoded);
    return why ? why : "";
  };
  EXPECT_EQ(refusal(good.size, 0, 0), "");
  for (std::size_t size = 0; size < kBriefHeadBytes; ++size)
    EXPECT_EQ(refusal(size, 0, 0), "it is shorter than its head") << size;
  for (std::size_t size = kBriefHeadBytes; size < 16; ++size)
    EXPECT_EQ(refusal(size, 0, 0), "it has not the size that its head says") << size;
  EXPECT_EQ(refusal(16 + kLimits.max_medium, 0, 0), "");
  EXPECT_EQ(refusal(17 + kLimits.max_medium, 0, 0), "the payload is too large");
  EXPECT_EQ(refusal(good.size, 0, 0x10), "it is of another version");
  EXPECT_EQ(refusal(good.size, 0, 0x04), "there is no such kind or category") << "kind 0";
  EXPECT_EQ(refusal(good.size, 0, 0x03), "a Long has no brief form");
  EXPECT_EQ(refusal(good.size, 0, 0x08), "credits come with more");
  EXPECT_EQ(refusal(good.size, 2, 3 ^ 17), "it has too many arguments");
  EXPECT_EQ(refusal(good.size, 0, 0x01), "the payload is too large") << "of a Short";
}

TEST(AmCodec, CreditsTravelAlone) {
  DecodedMessage decoded;
  const Bytes bytes = encoded(AmKind::kCredits, {}, kMostCredits);
  EXPECT_EQ(bytes.size, kHeadBytes);
  ASSERT_EQ(decode_whole(bytes.span(), kLimits, kSegment, &decoded), nullptr);
  EXPECT_EQ(decoded.kind, AmKind::kCredits);
  EXPECT_EQ(decoded.credits, kMostCredits);
}

TEST(AmCodec, EachMalformedHeadIsRefusedForItsReason) {
  const Content content(2);
  using am::Category;
  const auto refusal = [&](const am::Message& message, const std::function<void(Bytes&)>& damage,
                           AmKind kind = AmKind::kRequest) -> std::string {
    Bytes bytes = encoded(kind, message, 3);
    damage(bytes);
    DecodedMessage decoded;
    const char* const why = decode_whole(bytes.span(), kLimits, kSegment, &decoded);
    return why ? why : "";
  };
  const auto set = [](std::size_t at, unsigned value) {
    return [=](Bytes& bytes) { bytes.data[at] = static_cast<std::byte>(value); };
  };
  const auto flip = [](std::size_t at, unsigned bits) {
    return [=](Bytes& bytes) { bytes.data[at] ^= static_cast<std::byte>(bits); };
  };
  const auto cut_to = [](std::size_t size) { return [=](Bytes& bytes) { bytes = Bytes(bytes, size); }; };
  const auto lie_at = [](std::uint64_t address) {
    return [=](Bytes& bytes) { std::memcpy(bytes.data.get() + 8, &address, sizeof address); };
  };
  const am::Message medium = content.message(Category::kMedium, 3, 100);
  const am::Message longer = content.message(Category::kLong, 0, 100);
  const am::Message plain = content.message(Category::kShort, 2, 0);

  EXPECT_EQ(refusal(medium, [](Bytes&) {}), "");
  for (std::size_t size = 0; size < kHeadBytes; ++size) {
    EXPECT_EQ(refusal(medium, cut_to(size)), "it is shorter than its head") << size;
  }
  EXPECT_EQ(refusal(medium, flip(0, 0x10)), "it is of another version");
  EXPECT_EQ(refusal(medium, flip(0, 0x04)), "there is no such kind or category") << "kind 0";
  EXPECT_EQ(refusal(medium, flip(0, 0x02)), "there is no such kind or category") << "category 3";
  EXPECT_EQ(refusal(medium, flip(0, 0x08)), "credits come with more");
  EXPECT_EQ(refusal(plain, flip(0, 0x08)), "credits come with more");
  for (const unsigned nargs : {17u, 32u, 255u}) {
    EXPECT_EQ(refusal(medium, set(2, nargs)), "it has too many arguments") << nargs;
  }
  const std::string wrong_size = "it has not the size that its head says";
  EXPECT_EQ(refusal(medium, set(2, 5)), wrong_size);
  EXPECT_EQ(refusal(medium, set(2, 16)), wrong_size);
  EXPECT_EQ(refusal(medium, set(4, 99)), wrong_size);
  EXPECT_EQ(refusal(medium, set(7, 0x80)), wrong_size);
  EXPECT_EQ(refusal(plain, cut_to(kHeadBytes + 4)), wrong_size);
  EXPECT_EQ(refusal(plain, cut_to(100)), wrong_size);
  EXPECT_EQ(refusal(content.message(Category::kShort, 0, 1), [](Bytes&) {}), "the payload is too large");
  EXPECT_EQ(refusal(content.message(Category::kMedium, 0, 1001), [](Bytes&) {}), "the payload is too large");
  EXPECT_EQ(refusal(
                content.message(Category::kShort, 0, 1), [](Bytes&) {}, AmKind::kCredits),
            "the payload is too large");
  const std::string outside = "the payload would lie outside the segment";
  for (const std::uint64_t address : {std::uint64_t{0}, kSegment.base - 1, kSegment.base + kSegment.size - 99,
                                      kSegment.base + kSegment.size, ~std::uint64_t{0} - 50}) {
    EXPECT_EQ(refusal(longer, lie_at(address)), outside) << address;
  }
  EXPECT_EQ(refusal(longer, lie_at(kSegment.base + kSegment.size - 100)), "");
  EXPECT_EQ(refusal(content.message(Category::kLong, 0, 0), lie_at(0)), "") << "nothing lies nowhere";

  DecodedMessage decoded;
  const Bytes whole = encoded(AmKind::kRequest, medium, 0);
  const Bytes header(whole, header_bytes(3));
  EXPECT_STREQ(decode(header.span(), 99, kLimits, kSegment, &decoded), wrong_size.c_str());
  EXPECT_STREQ(decode(whole.span(), 0, kLimits, kSegment, &decoded), wrong_size.c_str())
      << "a payload that should come beside the header is in it";
}

// Run with AddressSanitizer, too (unit-asan): no byte beyond is read, and what is taken for a message is one.
TEST(AmCodec, AnyBytesAreRefusedOrAMessage) {
  std::mt19937 random(7);
  const Content content(3);
  unsigned taken = 0, refused = 0;
  for (unsigned round = 0; round < 200'000; ++round) {
    const auto category = static_cast<am::Category>(random() % 3);
    const std::size_t payload = category == am::Category::kShort ? 0 : random() % 200;
    const auto kind = static_cast<AmKind>(1 + random() % 3);
    Bytes bytes = encoded(kind, content.message(category, random() % 17, payload), random() % 256);
    if (random() % 4 == 0) bytes = Bytes(bytes, random() % (bytes.size + 9));
    const bool all_random = random() % 4 == 0;
    for (unsigned flips = all_random ? 0 : random() % 4; flips != 0 && bytes.size != 0; --flips) {
      bytes.data[random() % std::min<std::size_t>(bytes.size, 20)] = static_cast<std::byte>(random());
    }
    for (std::size_t i = 0; all_random && i < bytes.size; ++i)
      bytes.data[i] = static_cast<std::byte>(random());
    DecodedMessage decoded;
    const unsigned form = random() % 4;
    const bool is_whole = form != 0;
    if (form == 3 && !all_random && bytes.size != 0) bytes.data[0] ^= static_cast<std::byte>(0x10);
    if (form == 2 && random() % 2 == 0) bytes = Bytes(bytes, padded(bytes.size));
    const char* const why = form == 1   ? decode_whole(bytes.span(), kLimits, kSegment, &decoded)
                            : form == 2 ? decode_padded(bytes.span(), false, kLimits, kSegment, &decoded)
                            : form == 3
                                ? decode_brief(bytes.span(), kLimits, &decoded)
                                : decode(bytes.span(), random() % 2 * payload, kLimits, kSegment, &decoded);
    if (why) {
      ++refused;
      continue;
    }
    ++taken;
    const am::Message& message = decoded.message;
    ASSERT_LE(message.nargs, am::kMaxArgs);
    ASSERT_LE(message.category, am::Category::kLong);
    const auto sum = [](const void* from, std::size_t count) {
      unsigned result = 0;
      for (std::size_t i = 0; i < count; ++i) result += static_cast<const unsigned char*>(from)[i];
      return result;
    };
    volatile unsigned read = sum(message.args, message.nargs * sizeof(std::int32_t));
    if (is_whole) read = sum(message.payload, message.payload_bytes);
    (void)read;
    if (message.category == am::Category::kLong && message.payload_bytes != 0) {
      ASSERT_TRUE(
          kSegment.contains(reinterpret_cast<std::uintptr_t>(message.destination), message.payload_bytes));
    }
  }
  EXPECT_GT(taken, 10'000u);
  EXPECT_GT(refused, 10'000u);
}

}  // namespace
}  // namespace aqueduct::parts
