// The first messages to a neighbour do not wait for the system to find memory for them.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "support/sanitized.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using FirstMessage = Spmd;

std::atomic<std::uint32_t> answers{0};
void on_answer(gex_Token_t) { ++answers; }
Handler answer(on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY);
void on_payload(gex_Token_t token, void*, std::size_t) { gex_AM_ReplyShort0(token, answer, 0); }
Handler payload(on_payload, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST);

bool system_gives_pages_when_asked() {
#ifdef MADV_POPULATE_WRITE
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool given = page != MAP_FAILED && madvise(page, bytes, MADV_POPULATE_WRITE) == 0;
  if (page != MAP_FAILED) munmap(page, bytes);
  return given;
#else
  return false;
#endif
}

long page_faults() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

void send(std::uint32_t messages, std::size_t bytes) {
  static const std::vector<std::byte> data(32768, std::byte{1});
  for (std::uint32_t i = 0; i < messages; ++i)
    gex_AM_RequestMedium0(job().tm, 1, payload, data.data(), bytes, GEX_EVENT_NOW, 0);
}

// The first two messages bring the pages of the code; each of the others is the first in its place.
TEST_F(FirstMessage, FindsThePagesOfItsPlacePresent) {
  if (kSanitized) GTEST_SKIP() << "shadow memory has page faults of its own";
  if (!system_gives_pages_when_asked()) GTEST_SKIP() << "the system has no MADV_POPULATE_WRITE";
  if (job().rank != 0) return;
  constexpr std::uint32_t kMessages = 16;
  std::uint32_t sent = 0;
  for (const std::size_t bytes : {1024, 32768}) {
    send(2, bytes);
    GASNET_BLOCKUNTIL(answers == sent + 2);
    const long before = page_faults();
    send(kMessages, bytes);
    EXPECT_LT(page_faults() - before, kMessages / 4) << bytes << " bytes";
    sent += 2 + kMessages;
    GASNET_BLOCKUNTIL(answers == sent);
  }
}

}  // namespace
}  // namespace aqueduct::test
