// Atomic memory operations: every command of gni_amo.h against what its name says.
#include "papers/nic/ugni/amo.hpp"

#include <bit>
#include <cstring>
#include <functional>

#include "machine.hpp"

namespace aqueduct::test {
namespace {

using Words = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>;

/// The eight commands of an operation: fetching, 64 and 32 bits, cached and not.
struct Family {
  const char* name;
  std::uint32_t fetching, fetching_half, plain, plain_half;
  Words wide, half;  ///< (memory, first, second)
};

template <class Float, class Word>
Float as(std::uint64_t bits) {
  return std::bit_cast<Float>(static_cast<Word>(bits));
}

#define FAMILY(NAME, WIDE, HALF)                                                                            \
  {                                                                                                         \
#NAME, GNI_FMA_ATOMIC2_F##NAME, GNI_FMA_ATOMIC2_F##NAME##_S, GNI_FMA_ATOMIC2_##NAME,                      \
        GNI_FMA_ATOMIC2_##NAME##_S, [](std::uint64_t m, std::uint64_t a, std::uint64_t b) -> std::uint64_t {  \
          (void)m, (void)a, (void)b;                                                                          \
          return WIDE;                                                                                        \
        },                                                                                                    \
        [](std::uint64_t m, std::uint64_t a, std::uint64_t b) -> std::uint64_t {                              \
          (void)m, (void)a, (void)b;                                                                          \
          return static_cast<std::uint32_t>(HALF);                                                            \
        } \
  }

const Family kFamilies[] = {
    FAMILY(AND, m& a, m& a),
    FAMILY(OR, m | a, m | a),
    FAMILY(XOR, m ^ a, m ^ a),
    FAMILY(SWAP, a, a),
    FAMILY(AX, (m & a) ^ b, (m & a) ^ b),
    FAMILY(CSWAP, m == a ? b : m, static_cast<std::uint32_t>(m) == static_cast<std::uint32_t>(a) ? b : m),
    FAMILY(IMIN, std::min<std::int64_t>(m, a),
           std::min(static_cast<std::int32_t>(m), static_cast<std::int32_t>(a))),
    FAMILY(IMAX, std::max<std::int64_t>(m, a),
           std::max(static_cast<std::int32_t>(m), static_cast<std::int32_t>(a))),
    FAMILY(IADD, m + a, m + a),
    FAMILY(FPMIN,
           std::bit_cast<std::uint64_t>(std::min(as<double, std::uint64_t>(m), as<double, std::uint64_t>(a))),
           std::bit_cast<std::uint32_t>(std::min(as<float, std::uint32_t>(m), as<float, std::uint32_t>(a)))),
    FAMILY(FPMAX,
           std::bit_cast<std::uint64_t>(std::max(as<double, std::uint64_t>(m), as<double, std::uint64_t>(a))),
           std::bit_cast<std::uint32_t>(std::max(as<float, std::uint32_t>(m), as<float, std::uint32_t>(a)))),
    FAMILY(FPADD, std::bit_cast<std::uint64_t>(as<double, std::uint64_t>(m) + as<double, std::uint64_t>(a)),
           std::bit_cast<std::uint32_t>(as<float, std::uint32_t>(m) + as<float, std::uint32_t>(a))),
};

constexpr std::uint64_t kWords[] = {
    0, 1, 0xffffffffffffffff, 0x8000000080000000, 0x4010000040400000, 0xc0080000c0e00000, 0x00000000ffffffff};

TEST(UgniAmo, SecondGenerationCommandsDoWhatTheyAreCalled) {
  constexpr std::uint32_t kCached = 0x20;
  for (const Family& family : kFamilies) {
    for (const bool half : {false, true}) {
      for (const std::uint32_t command :
           {half ? family.fetching_half : family.fetching,
            (half ? family.fetching_half : family.fetching) | kCached,
            half ? family.plain_half : family.plain, (half ? family.plain_half : family.plain) | kCached}) {
        SCOPED_TRACE(std::string(family.name) + (half ? "_S " : " ") + std::to_string(command));
        const auto decoded = ugni::AmoCommand::decode(command);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(decoded->bytes, half ? 4u : 8u);
        EXPECT_EQ(decoded->is_cached, (command & kCached) != 0);
        EXPECT_EQ(decoded->fetches, (command & 0x100) == 0);
        for (const std::uint64_t memory : kWords) {
          for (const std::uint64_t first : kWords) {
            alignas(8) std::uint64_t place = memory;
            const std::uint64_t old = ugni::apply_amo(*decoded, &place, first, 0x1234567890abcdef);
            const Words& rule = half ? family.half : family.wide;
            const std::uint64_t mask = half ? 0xffffffffu : ~std::uint64_t{0};
            EXPECT_EQ(old, memory & mask);
            EXPECT_EQ(place & mask, rule(memory & mask, first & mask, 0x1234567890abcdef & mask) & mask);
            EXPECT_EQ(place & ~mask, memory & ~mask) << "the other half was touched";
          }
        }
      }
    }
  }
}

TEST(UgniAmo, FirstGenerationCommandsHaveTheirValues) {
  const auto apply = [](std::uint32_t command, std::uint64_t memory, std::uint64_t first,
                        std::uint64_t second) {
    alignas(8) std::uint64_t place = memory;
    ugni::apply_amo(*ugni::AmoCommand::decode(command), &place, first, second);
    return place;
  };
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_FADD, 5, 7, 0), 12u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_ADD_C, 5, 7, 0), 12u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_FAND, 6, 3, 0), 2u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_OR, 6, 3, 0), 7u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_FXOR_C, 6, 3, 0), 5u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_AX, 6, 3, 8), 10u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_CSWAP, 6, 6, 8), 8u);
  EXPECT_EQ(apply(GNI_FMA_ATOMIC_CSWAP, 6, 5, 8), 6u);
}

TEST(UgniAmo, CommandsThatThereAreNotAreNotDecoded) {
  unsigned known = 0;
  for (std::uint32_t command = 0; command < 0x1000; ++command)
    known += ugni::AmoCommand::decode(command).has_value();
  // Six and five of the first generation, twice each with the cached ones; twelve times eight of the second.
  EXPECT_EQ(known, 2u * (6 + 5) + 12u * 8);
}

TEST(UgniAmo, ValuesAreThoseOfTheNotes) {
  EXPECT_EQ(GNI_FMA_ATOMIC2_FAND, 0x41);
  EXPECT_EQ(GNI_FMA_ATOMIC2_FCSWAP, 0x4b);
  EXPECT_EQ(GNI_FMA_ATOMIC2_FFPADD, 0x5d);
  EXPECT_EQ(GNI_FMA_ATOMIC2_FAND_S, 0x240);
  EXPECT_EQ(GNI_FMA_ATOMIC2_FIADD_S, 0x254);
  EXPECT_EQ(GNI_FMA_ATOMIC2_AND_S, 0x340);
  EXPECT_EQ(GNI_FMA_ATOMIC2_IADD, 0x155);
  EXPECT_EQ(GNI_FMA_ATOMIC2_FAND_C, 0x61);
}

using UgniAmoPosts = UgniTest;

TEST_F(UgniAmoPosts, AFetchingOneBringsTheOldValue) {
  const On on{machine, 0};
  one.window[3] = 40;
  gni_post_descriptor_t post = zero.post(GNI_POST_AMO, one, 8);
  post.remote_addr = one.window_address(24);
  post.amo_cmd = GNI_FMA_ATOMIC_FADD;
  post.first_operand = 2;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &post), GNI_RC_SUCCESS);
  zero.completes(post);
  EXPECT_EQ(zero.local[0], 40u);
  EXPECT_EQ(one.window[3], 42u);
}

TEST_F(UgniAmoPosts, A32BitOneTouchesFourBytes) {
  const On on{machine, 0};
  one.window[0] = 0x1111111122222222;
  zero.local[0] = 0x3333333344444444;
  gni_post_descriptor_t post = zero.post(GNI_POST_AMO, one, 4);
  post.remote_addr = one.window_address(4);
  post.amo_cmd = GNI_FMA_ATOMIC2_FSWAP_S;
  post.first_operand = 0x55555555;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &post), GNI_RC_SUCCESS);
  zero.completes(post);
  EXPECT_EQ(zero.local[0], 0x3333333311111111u);
  EXPECT_EQ(one.window[0], 0x5555555522222222u);
}

TEST_F(UgniAmoPosts, OneThatFetchesNothingMayTellTheTarget) {
  const On on{machine, 0};
  gni_post_descriptor_t post =
      zero.post(GNI_POST_AMO, one, 8, GNI_CQMODE_LOCAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
  post.amo_cmd = GNI_FMA_ATOMIC_ADD;
  post.first_operand = 3;
  post.local_mem_hndl = {};
  ASSERT_EQ(GNI_PostFma(zero.to[1], &post), GNI_RC_SUCCESS);
  zero.completes(post, GNI_CQMODE_LOCAL_EVENT);
  one.event(one.target);
  EXPECT_EQ(one.window[0], 3u);
}

TEST_F(UgniAmoPosts, AreHeldToTheirRules) {
  const On on{machine, 0};
  const auto refused = [&](const auto& change) {
    gni_post_descriptor_t post = zero.post(GNI_POST_AMO, one, 8);
    post.amo_cmd = GNI_FMA_ATOMIC_FADD;
    change(post);
    return GNI_PostFma(zero.to[1], &post);
  };
  EXPECT_EQ(refused([](auto& post) { post.amo_cmd = static_cast<gni_fma_cmd_type_t>(0x3ff); }),
            GNI_RC_ILLEGAL_OP);
  EXPECT_EQ(refused([](auto& post) { post.amo_cmd = GNI_FMA_ATOMIC_FADD_C; }), GNI_RC_ILLEGAL_OP);
  EXPECT_EQ(refused([](auto& post) { post.length = 4; }), GNI_RC_SIZE_ERROR);
  EXPECT_EQ(refused([](auto& post) { post.length = 0; }), GNI_RC_SIZE_ERROR);
  EXPECT_EQ(refused([](auto& post) { post.remote_addr += 4; }), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(refused([](auto& post) { post.local_addr += 4; }), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(refused([](auto& post) { post.local_mem_hndl = {}; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(refused([](auto& post) { post.cq_mode |= GNI_CQMODE_REMOTE_EVENT; }), GNI_RC_INVALID_PARAM);
}

TEST(UgniCachedAmo, NeedsTheModeOfTheDomain) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, Side::kModes | GNI_CDM_MODE_CACHED_AMO_ENABLED}, one{machine, 1};
  const On on{machine, 0};
  gni_post_descriptor_t post = zero.post(GNI_POST_AMO, one, 8);
  post.amo_cmd = GNI_FMA_ATOMIC_FADD_C;
  post.first_operand = 4;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &post), GNI_RC_SUCCESS);
  zero.completes(post);
  EXPECT_EQ(one.window[0], 4u);
}

}  // namespace
}  // namespace aqueduct::test
