// Copies leave a function's own vectors alone, also where it asks for AVX-512 by itself (detail/copy.h).
#if !defined(__clang__)
#define AQUEDUCT_NO_INLINE_VECTORS 1
#endif
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "aqueduct/detail/copy.h"
#include "base/copier.hpp"

#if defined(__x86_64__) && !defined(AQ_SANITIZED_)
namespace aqueduct {
namespace {

using Vector = double __attribute__((vector_size(64)));
using Values = std::array<double, 8 * 4>;

/// A loop, so that the vectors stay in registers while something is copied.
[[gnu::target("avx512f,avx512vl"), gnu::noinline]] void copy_with_live_vectors(void* to, const void* from,
                                                                               std::size_t bytes, int times,
                                                                               Values& values) {
  Vector a, b, c, d;
  std::memcpy(&a, &values[0], sizeof a);
  std::memcpy(&b, &values[8], sizeof b);
  std::memcpy(&c, &values[16], sizeof c);
  std::memcpy(&d, &values[24], sizeof d);
  for (int i = 0; i < times; ++i) {
    // The lower registers are used by something else.
    __asm__ volatile(""
                     : "+v"(a), "+v"(b), "+v"(c), "+v"(d)
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                       "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    aq_copy_(to, from, bytes);
    a += b, b += c, c += d, d += a;
  }
  std::memcpy(&values[0], &a, sizeof a);
  std::memcpy(&values[8], &b, sizeof b);
  std::memcpy(&values[16], &c, sizeof c);
  std::memcpy(&values[24], &d, sizeof d);
}

Values expected_after(int times) {
  Values v;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i);
  for (int i = 0; i < times; ++i) {
    for (std::size_t k = 0; k < 8; ++k) {
      for (std::size_t row = 0; row < 4; ++row) v[8 * row + k] += v[8 * ((row + 1) % 4) + k];
    }
  }
  return v;
}

TEST(Copier, LeavesLiveVectorsAlone) {
  if (best_copier().vector_bytes == 0) GTEST_SKIP() << "this processor has no AVX-512";
  const aq_world_view_ before = aq_world_;
  aq_world_.copy_ = best_copier().copy;
  aq_world_.vector_bytes_ = best_copier().vector_bytes;
  for (const std::size_t bytes : {100, 200}) {
    const std::array<char, 256> from{1, 2, 3};
    std::array<char, 256> to;
    Values values = expected_after(0);
    copy_with_live_vectors(to.data(), from.data(), bytes, 10, values);
    EXPECT_EQ(expected_after(10), values) << bytes;
    EXPECT_EQ(0, std::memcmp(to.data(), from.data(), bytes));
  }
  aq_world_ = before;
}

}  // namespace
}  // namespace aqueduct
#endif
